#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "draw/contour.h"
#include "scenes/picture.h"

namespace kappaflow::diffusion {

/// The effective receptive field: the smallest region that holds this share of the capacity. (One σ of a normal density on a line holds
/// as much; of one in the plane the region's radius is 1.51 σ.)
inline constexpr double kHeldShare = 0.68;

using Loops = std::vector<std::vector<Vec2>>;  ///< closed, in (column, row)

/// One layer as a rectangle of numbers.
struct GridLayer {
    std::size_t rows = 1, cols = 1;
    std::vector<double> capacity;
    std::vector<double> gradient;              ///< empty: not computed
    Loops held, heldInTheory, heldByGradient;  ///< around kHeldShare of each; none where it is spread over the whole layer
    /// Dense layers and class vectors: no neighbourhood, so no contour.
    bool isVector() const { return rows == 1; }
    /// The region's outline where it is one piece without a hole.
    const std::vector<Vec2>* outline() const { return held.size() == 1 ? &held.front() : nullptr; }
};

/// A report of a diffusion in two dimensions in the shapes the picture needs. Layers are unpacked and their contours found when they are
/// first asked for, then kept until another report is read.
class GridReport {
public:
    /// False when the report has no capacity over (layer, y, x). Keeps everything when the version is the one already read.
    bool read(const Report&, std::uint64_t version);

    std::size_t layers() const { return layers_; }  ///< L: states 0 … L
    std::size_t rows(std::size_t layer) const { return heights_[layer]; }
    std::size_t cols(std::size_t layer) const { return widths_[layer]; }
    bool isVector(std::size_t layer) const { return heights_[layer] == 1; }
    const GridLayer& layer(std::size_t) const;
    /// One number, without unpacking the layer.
    double capacity(std::size_t layer, std::size_t row, std::size_t col) const {
        return shown_->row(layer)[row * shown_->axes[2].size() + col];
    }
    /// Between two layers of equal size the mixture of both, otherwise the nearer one.
    GridLayer at(double layer) const;
    /// Rows and columns of the largest layer with neighbourhoods (of all layers where none has).
    std::size_t mostRows() const { return mostRows_; }
    std::size_t mostCols() const { return mostCols_; }
    bool evenSizes() const { return evenSizes_; }
    /// Ends of the colour scale: the largest capacity, and as far below it (on a logarithmic scale) as lets the palest layer's peak
    /// stand in its middle.
    double high() const { return high_; }
    double low() const { return low_; }
    /// values[layer, axis] of an array over both axes: 0 is y, 1 is x. NaN where there is none.
    double moment(const char* name, std::size_t layer, std::size_t axis) const;
    /// Is it `channelCapacity` that is shown?
    bool oneChannel() const { return shown_ == channel_ && channel_; }

private:
    GridLayer unpack(const std::vector<double>& capacity, const std::vector<double>& theory, const std::vector<double>& gradient,
                     std::size_t layer) const;
    std::vector<double> cells(const Array*, std::size_t layer) const;
    void readSizes();
    void readScale();

    const Report* report_ = nullptr;
    std::uint64_t version_ = ~std::uint64_t{0};
    const Array *shown_ = nullptr, *channel_ = nullptr, *theory_ = nullptr, *gradient_ = nullptr;
    std::size_t layers_ = 0, mostRows_ = 1, mostCols_ = 1;
    std::vector<std::size_t> heights_, widths_;
    bool evenSizes_ = true;
    double high_ = 1, low_ = 1e-4;
    mutable std::map<std::size_t, GridLayer> unpacked_;
};

/// One frame of the picture in two dimensions.
struct GridFrame {
    PictureFrame& f;
    const GridReport& grid;
    double at;                 ///< where the timeline stands
    const GridLayer& current;  ///< the layer there
    std::size_t nearest() const { return static_cast<std::size_t>(at + 0.5); }
    Field2D field(const GridLayer& layer) const {
        return {.rows = layer.rows,
                .cols = layer.cols,
                .values = layer.capacity,
                .lo = grid.low(),
                .hi = grid.high(),
                .logarithmic = true,
                .map = ColorMap::Capacity};
    }
    /// For lines over fields.
    Color darkInk() const { return sample(ColorMap::Capacity, 0.92, f.theme.dark); }
    Color ink() const { return sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark); }
};

/// Which row or column of each layer the section goes through, as a share of its height or width.
struct Section {
    bool shown = false, alongX = true;
    double share = 0.5;
    std::size_t line(const GridReport&, std::size_t layer) const;
};
Section readSection(const PictureFrame&, const GridReport&);

void drawStack(GridFrame&, const Section&, Rect panel);
void drawPlaneView(GridFrame&, const Section&, Rect);
void drawSectionView(GridFrame&, const Section&, Rect);
void drawSpreadBothAxes(GridFrame&, Rect);

}  // namespace kappaflow::diffusion
