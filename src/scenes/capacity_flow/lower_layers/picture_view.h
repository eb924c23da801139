#pragma once
#include <string>
#include <vector>

#include "scenes/picture.h"

namespace kappaflow::lower {

/// What the report says, in the shapes the picture needs.
struct View {
    const Array *rank, *functionRank, *predictedRank, *onePiece, *sectors, *singular, *pathSingular, *growth;
    const Array *weights, *weightLayer, *weightFrom, *weightTo, *weightTap;
    const Array *output = nullptr, *change = nullptr;  ///< null without hidden units
    std::vector<std::string> keys;                     ///< of the activations
    std::vector<std::size_t> widths;
    std::size_t shown = 0;  ///< the activation drawn, an index of keys
    std::size_t unit = 0;   ///< the chosen hidden unit, counted through all hidden layers
    double exponent = 0;    ///< log₂ s of its scale, −2 … 2
    double parameters = 0, hidden = 0, predicted = 0, threshold = 0;

    double of(const Array& byActivation) const { return byActivation.values[shown]; }
    std::size_t layers() const { return widths.size() - 1; }
    /// Whether scaling a hidden unit leaves the output alone but for rounding.
    bool redundant(std::size_t hiddenUnit) const;
    /// The chosen unit's layer (0: there is no hidden unit) and number in it.
    std::size_t layer = 0, place = 0;
    /// Output along the line at the scale shown, or at scale 1.
    std::vector<double> outputAt(double exponent) const;
};
/// False when the report lacks what the picture needs.
bool readView(const PictureFrame&, View&);

std::string activationName(const std::string& key);
/// "2.3", "1/4".
std::string scaleText(double exponent);

/// Places of the network on the screen: inputs at the left, one column a layer, with room for so many units in each.
struct Stage {
    Rect rect;
    double room, spacing, radius, gap;
    double x(std::size_t layer) const { return rect.lo.x + gap * static_cast<double>(layer); }
    Vec2 at(std::size_t layer, std::size_t unit, std::size_t width) const {
        return {x(layer), rect.centre().y + spacing * (static_cast<double>(unit) - 0.5 * (static_cast<double>(width) - 1))};
    }
    /// How far a unit slides for each doubling of its scale.
    double slide() const { return gap * 0.13; }
};

void drawNetwork(PictureFrame&, const View&, Rect);
/// The sum in words, and where it does not hold by how much.
void drawVerdict(PictureFrame&, const View&, Rect);
void drawOutput(PictureFrame&, const View&, Rect);
void drawRanks(PictureFrame&, const View&, Rect);
void drawSingularValues(PictureFrame&, const View&, Rect);
void drawGrowth(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::lower
