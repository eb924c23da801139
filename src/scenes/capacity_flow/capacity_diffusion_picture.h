#pragma once
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "draw/contour.h"
#include "scenes/capacity_flow/capacity_diffusion.h"
#include "scenes/capacity_flow/picture_flow.h"
#include "scenes/panels.h"

namespace kappaflow::capacity_diffusion {

using Seen = Sight<Params, Result>;
using Loops = std::vector<std::vector<Vec2>>;  ///< closed, in (column, row)

/// The effective receptive field: the smallest region that holds this share of the capacity. (One σ of a normal density on a line holds
/// as much; of one in the plane the region's radius is 1.51 σ.)
inline constexpr double kHeldShare = 0.68;
/// Where linear axes and colours end, in all layers alike: above the input's largest capacity and the peaks of most layers. What is more,
/// near the output, leaves them.
double linearTop(std::vector<double> peaks, double input);

/// One layer as a rectangle of numbers.
struct PlaneLayer {
    std::size_t rows = 1, cols = 1;
    std::size_t below = 0, above = 0;  ///< the states that are mixed
    double fraction = 0;
    std::vector<double> made{};  ///< its cells where the result does not hold them side by side
    /// Around kHeldShare of each; none where it is spread over the whole layer. The last two of the layer shown alone.
    Loops held{}, heldInTheory{}, heldByGradient{};
    /// Dense layers and class vectors: no neighbourhood, so no contour.
    bool isVector() const { return rows == 1; }
    /// The region's outline where it is one piece without a hole.
    const std::vector<Vec2>* outline() const { return held.size() == 1 ? &held.front() : nullptr; }
};

/// Layers with rows and columns. They are unpacked and their contours found when they are first asked for, many large ones over several
/// frames. Refers to the result.
class Planes {
public:
    Planes() = default;
    explicit Planes(const Result&);

    /// Begins a frame that shows a layer: the mixture of two of equal size, or the nearer one. A whole frame unpacks all layers at once.
    void show(double layer, Colors, bool whole);
    /// Returns whether layers asked for in this frame are left for the next.
    bool unfinished() const { return unfinished_; }
    double at() const { return at_; }
    std::size_t nearest() const { return static_cast<std::size_t>(std::lround(at_)); }
    const PlaneLayer& current() const { return current_; }

    std::size_t layers() const { return result_->layers.size() - 1; }  ///< L: states 0 … L
    std::size_t rows(std::size_t layer) const { return rows_[layer]; }
    std::size_t cols(std::size_t layer) const { return cols_[layer]; }
    bool isVector(std::size_t layer) const { return rows_[layer] == 1; }
    /// Returns a layer as a whole, null when its turn comes with a later frame.
    const PlaneLayer* layer(std::size_t, bool atOnce = false) const;
    std::span<const double> capacity(const PlaneLayer& layer) const {
        return layer.made.empty() ? std::span(*shown_).subspan(layer.below * result_->x.size() * result_->y.size(), layer.rows * layer.cols)
                                  : std::span(layer.made);
    }
    /// One number, without unpacking the layer.
    double capacity(std::size_t layer, std::size_t row, std::size_t col) const {
        return (*shown_)[(layer * result_->y.size() + row) * result_->x.size() + col];
    }
    /// Width of the profile at a layer, of y or x; NaN where there is none.
    double deviation(std::size_t layer, std::size_t side) const;
    /// Rows and columns of the largest layer with neighbourhoods (of all layers where none has).
    std::size_t mostRows() const { return mostRows_; }
    std::size_t mostCols() const { return mostCols_; }
    /// Ends of the colour scale. Linear: from 0 to linearTop. Logarithmic: from the largest capacity as far down as lets
    /// the palest layer's peak stand in its middle.
    double high() const { return logarithmic() ? high_ : linearHigh_; }
    double low() const { return logarithmic() ? low_ : 0; }
    bool logarithmic() const { return colors_ == Colors::Logarithmic; }
    bool leavesColors() const { return high() < high_; }  ///< some layers hold more than the end of the scale
    AxisSpec colorAxis() const;
    Field2D field(const PlaneLayer& layer) const {
        return {layer.rows, layer.cols, capacity(layer), low(), high(), logarithmic(), ColorMap::Capacity};
    }
    /// Is it one channel's capacity that is shown?
    bool oneChannel() const { return shown_ == &result_->channelCapacity; }

private:
    /// A layer's cells among those of all; in `room` where they do not lie side by side, none where all are none.
    std::span<const double> cells(const std::vector<double>& all, const PlaneLayer&, std::vector<double>& room) const;
    /// `compared`: with the contours of theory and gradient too.
    PlaneLayer mixed(std::size_t below, std::size_t above, double fraction, bool compared) const;

    const Result* result_ = nullptr;
    const std::vector<double>* shown_ = nullptr;
    std::vector<std::size_t> rows_, cols_;
    std::size_t mostRows_ = 1, mostCols_ = 1;
    double high_ = 0, low_ = 0, linearHigh_ = 0, at_ = -1;
    Colors colors_ = Colors::Linear;
    PlaneLayer current_;
    mutable std::map<std::size_t, PlaneLayer> unpacked_;
    mutable double cellsLeft_ = std::numeric_limits<double>::infinity();  ///< that this frame may still unpack
    mutable bool unfinished_ = false;
};

/// The row or column of each layer that the section goes through, as a share of its height or width.
struct SectionLine {
    bool shown = false, alongX = true;
    double share = 0.5;
    std::size_t line(const Planes&, std::size_t layer) const;
};
SectionLine sectionOf(const Seen&, const Planes&);

/// A parcel of capacity on its way: it hops between two layers, and falls from the input onto its pile.
struct Parcel {
    double layer;              ///< its height
    std::size_t above, below;  ///< layers that it is between
    std::size_t from, to;      ///< its positions there
    double hopped;             ///< 0 … 1, eased
    double fallen;             ///< 0 … 1
};
/// All of them, in the order of their arrival, when the timeline is at a layer. Cost: O(n log n).
std::vector<Parcel> parcelsAt(const Result&, double at);
/// Those that have come to the input: they fall from a height on the screen and pile up in a plot of capacity by column, so many columns
/// `together`; each covers its share of the `count` of all.
void drawPile(PictureFrame&, Plot&, const std::vector<Parcel>&, std::size_t count, std::size_t together, double from,
              const std::function<double(std::size_t)>& columnOf);
/// The capacity behind half as many layers, pale, with its name beside it.
void drawHalf(PictureFrame&, Plot&, const std::string& id, const std::vector<double>& capacity, const std::string& name);
/// Planes: the pile by column, beside the capacity summed over rows.
void drawLanded(const Seen&, const Planes&, Rect);
Color parcelColor(const Theme&);

/// The label of a layer's number, "7".
inline std::string layerNumber(double layer) { return inWords(std::round(layer), 4); }

/// The way down through the layers, and below it the profile at the layer shown. edges[l]: what flows from layer l + 1 to l.
void drawWay(const Seen&, const std::vector<std::vector<capacity_flow::Edge>>& edges, Rect);
/// Layers in perspective, one above the other.
void drawStack(const Seen&, const Planes&, Rect);

}  // namespace kappaflow::capacity_diffusion
