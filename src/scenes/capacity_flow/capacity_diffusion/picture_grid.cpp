#include "scenes/capacity_flow/capacity_diffusion/picture_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kappaflow::diffusion {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kNearlyUniform = 0.75, kSpeck = 0.02;
constexpr double kFewestDecades = 3, kMostDecades = 12;

// Per layer an array over layers, or what the largest defined cells say.
std::vector<std::size_t> sizesFrom(const Array* sizes, std::size_t states, std::size_t most) {
    std::vector<std::size_t> read(states, most);
    for (std::size_t l = 0; sizes && l < std::min(states, sizes->values.size()); ++l)
        if (sizes->values[l] >= 1) read[l] = std::min(most, static_cast<std::size_t>(sizes->values[l]));
    return read;
}

const Array* overPlanes(const Report& report, std::string_view name, const Array* like) {
    const Array* array = report.array(name);
    return array && like && array->axes.size() == 3 && array->values.size() == like->values.size() ? array : nullptr;
}

// Where the region is nearly as large as that of a uniform field, its line tells rounding and strides, not a place: none is drawn. Nor
// are specks beside a region many times as large.
Loops aroundShare(const std::vector<double>& cells, std::size_t rows, std::size_t cols) {
    const double level = levelHolding(cells, kHeldShare);
    const auto within = std::count_if(cells.begin(), cells.end(), [&](double value) { return value > level; });
    if (static_cast<double>(within) > kNearlyUniform * kHeldShare * static_cast<double>(cells.size())) return {};
    Loops loops = contourLoops(rows, cols, cells, level);
    double largest = 0;
    for (const auto& loop : loops) largest = std::max(largest, loopArea(loop));
    const auto speck = [&](const std::vector<Vec2>& loop) { return std::abs(loopArea(loop)) < kSpeck * largest; };
    loops.erase(std::remove_if(loops.begin(), loops.end(), speck), loops.end());
    return loops;
}

std::vector<double> mixed(const std::vector<double>& a, const std::vector<double>& b, double fraction) {
    if (a.size() != b.size()) return a;
    std::vector<double> values(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) values[i] = a[i] + (b[i] - a[i]) * fraction;
    return values;
}

}  // namespace

bool GridReport::read(const Report& report, std::uint64_t version) {
    if (report_ == &report && version == version_) return shown_ != nullptr;
    *this = {};
    const Array* capacity = report.array("capacity");
    if (!capacity || capacity->axes.size() != 3 || capacity->values.empty()) return false;
    report_ = &report, version_ = version;
    channel_ = overPlanes(report, "channelCapacity", capacity);
    shown_ = channel_ ? channel_ : capacity;
    theory_ = channel_ ? nullptr : overPlanes(report, "gaussian", capacity);
    gradient_ = overPlanes(report, "gradient", capacity);
    layers_ = capacity->axes[0].size() - 1;
    readSizes();
    readScale();
    return true;
}

void GridReport::readSizes() {
    const std::size_t states = layers_ + 1;
    heights_ = sizesFrom(report_->array("heights"), states, shown_->axes[1].size());
    widths_ = sizesFrom(report_->array("widths"), states, shown_->axes[2].size());
    const bool anyPlane = std::any_of(heights_.begin(), heights_.end(), [](std::size_t h) { return h > 1; });
    for (std::size_t l = 0; l < states; ++l) {
        evenSizes_ = evenSizes_ && heights_[l] == heights_[0] && widths_[l] == widths_[0];
        if (anyPlane && isVector(l)) continue;
        mostRows_ = std::max(mostRows_, heights_[l]);
        mostCols_ = std::max(mostCols_, widths_[l]);
    }
}

void GridReport::readScale() {
    double palest = std::numeric_limits<double>::infinity();
    high_ = 0;
    for (std::size_t l = 0; l <= layers_; ++l) {
        const double* row = shown_->row(l);
        double peak = 0;
        for (std::size_t i = 0; i < shown_->rowLength(); ++i)
            if (row[i] > peak) peak = row[i];
        high_ = std::max(high_, peak);
        if (peak > 0) palest = std::min(palest, peak);
    }
    if (!(high_ > 0)) high_ = palest = 1;
    low_ = high_ * std::pow(10, -std::clamp(2 * std::log10(high_ / palest), kFewestDecades, kMostDecades));
}

std::vector<double> GridReport::cells(const Array* array, std::size_t layer) const {
    if (!array) return {};
    const std::size_t rows = heights_[layer], cols = widths_[layer], stride = array->axes[2].size();
    std::vector<double> values(rows * cols);
    for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(array->row(layer) + r * stride, cols, values.begin() + static_cast<std::ptrdiff_t>(r * cols));
    return values;
}

GridLayer GridReport::unpack(const std::vector<double>& capacity, const std::vector<double>& theory, const std::vector<double>& gradient,
                             std::size_t layer) const {
    GridLayer out{heights_[layer], widths_[layer], capacity, gradient, {}, {}, {}};
    if (out.isVector()) return out;
    out.held = aroundShare(capacity, out.rows, out.cols);
    out.heldInTheory = aroundShare(theory, out.rows, out.cols);
    out.heldByGradient = aroundShare(gradient, out.rows, out.cols);
    return out;
}

const GridLayer& GridReport::layer(std::size_t l) const {
    const auto found = unpacked_.find(l);
    if (found != unpacked_.end()) return found->second;
    return unpacked_.emplace(l, unpack(cells(shown_, l), cells(theory_, l), cells(gradient_, l), l)).first->second;
}

GridLayer GridReport::at(double layerAt) const {
    const Between b = between(layerAt, layers_);
    const auto nearest = static_cast<std::size_t>(std::round(std::clamp(layerAt, 0.0, static_cast<double>(layers_))));
    const bool alike = heights_[b.below] == heights_[b.above] && widths_[b.below] == widths_[b.above];
    if (!alike || b.fraction < 1e-6 || b.fraction > 1 - 1e-6) return layer(nearest);
    const auto mix = [&](const Array* array) { return mixed(cells(array, b.below), cells(array, b.above), b.fraction); };
    return unpack(mix(shown_), mix(theory_), mix(gradient_), b.below);
}

double GridReport::moment(const char* name, std::size_t layer, std::size_t axis) const {
    const Array* array = report_->array(name);
    if (!array || array->axes.size() != 2 || array->axes[1].size() != 2 || layer >= array->axes[0].size()) return kNone;
    return array->row(layer)[axis];
}

std::size_t Section::line(const GridReport& grid, std::size_t layer) const {
    const std::size_t count = alongX ? grid.rows(layer) : grid.cols(layer);
    return std::min(static_cast<std::size_t>(share * static_cast<double>(count)), count - 1);
}

Section readSection(const PictureFrame& f, const GridReport& grid) {
    Section section;
    const Values& v = f.state.params;
    section.shown = !v.is("section", "off");
    section.alongX = !v.is("section", "y");
    const std::size_t count = section.alongX ? grid.rows(0) : grid.cols(0);
    const double wish = v.number("sectionAt"), last = static_cast<double>(count) - 1;
    const double line = wish < 0 ? std::floor(static_cast<double>(count) / 2) : std::min(wish, last);
    section.share = (line + 0.5) / static_cast<double>(count);
    return section;
}

}  // namespace kappaflow::diffusion
