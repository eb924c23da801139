#pragma once
#include "scenes/picture.h"

namespace kappaflow::continuum {

/// What the report says, in the shapes the picture needs.
struct View {
    const Array* capacity = nullptr;
    const Array* total = nullptr;
    const Array *variance = nullptr, *share = nullptr, *coherence = nullptr;  ///< null where there is none
    const Array *diffused = nullptr, *linear = nullptr, *amplitude = nullptr, *layers = nullptr;
    const Scalar *crossover = nullptr, *predicted = nullptr, *equation25Gap = nullptr;
    std::vector<std::size_t> known;  ///< indices of the ν computed so far, ascending
    double at = 0;                   ///< ν as the reader set it
    Between rows;                    ///< `at` between two entries of `known`
    std::size_t nearest = 0;         ///< index of the computed ν that words and numbers speak of
    bool ring = false, tree = false, jumps = false;

    const std::vector<double>& nu() const { return capacity->axes[0].values; }
    const std::vector<double>& inputs() const { return capacity->axes[1].values; }
    bool few() const { return inputs().size() <= 8 && !ring; }
    bool atOne() const { return nearest + 1 == nu().size(); }
    /// A row of [ν, …] where ν stands: between two computed rows in motion, each of them exactly when at rest on it.
    std::vector<double> row(const Array&) const;
    /// One number for every known ν, of [ν] or of one input of [ν, input]; the last left out where it belongs to no curve.
    std::vector<double> curve(const Array&, std::size_t input = 0) const;
    std::vector<double> knownNu() const;
    std::size_t curveLength() const { return known.size() - (jumps && known.back() + 1 == nu().size() ? 1 : 0); }
};
bool readView(const PictureFrame&, View&);

Color inputColor(const PictureFrame&, const View&, std::size_t input);
Color capacityBlue(const PictureFrame&);
std::string inputName(const View&);

/// The sentence over the picture: where ν stands and what that means, in words made from the numbers; shorter ones follow.
std::vector<std::string> headlines(const View&);

void drawBars(PictureFrame&, const View&, Rect);
/// Capacity against ν: a curve for each of few inputs, else a field; the line that drags ν.
void drawCurves(PictureFrame&, const View&, Rect);
/// How much of the change is made, and λ; rings: the variance.
void drawChange(PictureFrame&, const View&, Rect);
void drawTotal(PictureFrame&, const View&, Rect);
void drawLayers(PictureFrame&, const View&, Rect);
/// p_ij u_j above the bars they make.
void drawAmplitudes(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::continuum
