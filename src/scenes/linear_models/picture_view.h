#pragma once
#include <string>
#include <vector>

#include "scenes/linear_models/declaration_linear.h"
#include "scenes/picture.h"

namespace kappaflow::linear {

/// What the panels of one model on one task read.
struct View {
    const Array *capacity, *inBasis, *coefficients, *generated, *total, *rank, *parameters, *loss, *optimality;  ///< along the timeline
    const Array *target, *autocovariance;
    const Array *eigenvalues = nullptr, *raw = nullptr, *other = nullptr;  ///< null where there is none
    std::vector<double> places;                                            ///< of the timeline
    double index = 0;                                                      ///< where on it the picture stands
    bool steps = false;                                                    ///< it runs over steps of an optimisation, else over channels
    std::size_t lags = 0;

    std::size_t nearest() const { return static_cast<std::size_t>(index + 0.5); }
    /// A number of the frame nearest to the place shown.
    double of(const Array* column) const { return column->values[nearest()]; }
    bool optimal() const { return of(optimality) <= kOptimal; }
    /// "4 channels", "step 12".
    std::string placeName() const { return placeName(nearest()); }
    std::string placeName(std::size_t frame) const;
};
bool readView(const PictureFrame&, View&);

/// A logarithmic axis around the values above `floor`.
AxisSpec decades(std::string label, const std::vector<double>& values, double floor);
/// The more channels, the darker.
Color frameColor(const Theme&, const View&, std::size_t frame);
/// Asks for the param `pull` with one factor changed; ones at its end are left out.
void pull(PictureFrame&, std::vector<double> factors, std::size_t place, double factor);

/// Capacity of every lag, the newest at the right; returns the plot's place so that a model can be drawn on top of it.
struct LagScale {
    Rect inner;
    double newest, spacing;  ///< x of lag 0, and how far to the left the next one is
    double x(double lag) const { return newest - spacing * lag; }
};
LagScale drawCapacity(PictureFrame&, const View&, Rect, const std::string& otherName);
void drawBasis(PictureFrame&, const View&, Rect);
void drawEigenvalues(PictureFrame&, const View&, Rect);
/// Loss along the timeline, with the knob that scrubs it.
void drawLoss(PictureFrame&, const View&, Rect);
/// One line: capacity, weights, optimal or not, loss; as much as there is room for.
void drawFacts(PictureFrame&, const View&, Rect);

/// P2 Fig 14: coefficients and autocovariance, against their targets and as errors, absolute and relative.
void drawFit(PictureFrame&, const View&, Rect);

/// Who asks for another number of channels wants to see it, wherever the timeline stands.
class FollowChannels {
public:
    void draw(PictureFrame&);

private:
    double channels_ = 0;
};

/// The picture of a scene whose model is drawn by `drawModel` into a rectangle above the capacities.
using DrawModel = void (*)(PictureFrame&, const View&, const LagScale&, Rect);
void drawScene(PictureFrame&, const View&, DrawModel, const std::string& otherName);

}  // namespace kappaflow::linear
