#include "scenes/capacity_flow/capacity_diffusion/picture_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "draw/number_text.h"
#include "scenes/capacity_flow/capacity_diffusion/picture_view.h"

namespace kappaflow::diffusion {
namespace {

struct GridPanels {
    Rect stack, plane, section, spread, colors;  ///< empty where there is no room
};

// A rectangle whose plot has cells as wide as they are high: what is left after axes and names.
Rect squareFor(const GridLayer& layer, Rect room) {
    const double besides = 62, above = 24, below = 40;
    const double ratio = layer.isVector() ? 1.2 : static_cast<double>(layer.cols) / static_cast<double>(layer.rows);
    const double width = std::min(room.width() - besides, (room.height() - above - below) * ratio);
    return {room.lo, room.lo + Vec2{width + besides, width / ratio + above + below}};
}

// Narrow: the stack, and below it the plane and the spread side by side.
GridPanels stacked(Rect area, const GridLayer& current) {
    GridPanels p;
    const double low = std::clamp(area.height() * 0.36, 110.0, 190.0);
    p.stack = {area.lo, {area.hi.x, area.hi.y - low}};
    const Rect row{{area.lo.x, area.hi.y - low + 4}, area.hi};
    p.plane = squareFor(current, {row.lo, {row.lo.x + 0.48 * row.width(), row.hi.y}});
    p.spread = {{p.plane.hi.x + 2, row.lo.y}, row.hi};
    return p;
}

GridPanels beside(Rect area, const GridLayer& current, bool section) {
    section = section && area.height() >= 480;
    GridPanels p;
    const bool low = area.height() < 330;
    const double right = low ? area.width() * 0.54 : std::clamp(area.width() * 0.36, 230.0, 400.0);
    p.stack = {area.lo, {area.hi.x - right, area.hi.y}};
    const Rect rest{{area.hi.x - right + 12, area.lo.y}, area.hi};
    if (low) {
        p.plane = squareFor(current, {rest.lo, {rest.centre().x, rest.hi.y}});
        p.spread = {{rest.centre().x + 6, rest.lo.y}, rest.hi};
        return p;
    }
    const double colors = 64;
    const double planeHeight = std::min((section ? 0.42 : 0.5) * rest.height(), rest.width());
    p.plane = squareFor(current, {rest.lo, {rest.hi.x - colors, rest.lo.y + planeHeight}});
    p.colors = {{p.plane.hi.x + 8, p.plane.lo.y + 24}, {std::min(p.plane.hi.x + 8 + colors, rest.hi.x), p.plane.hi.y - 40}};
    const double left = rest.hi.y - p.plane.hi.y - 8, each = section ? 0.5 * left : left;
    if (section) p.section = {{rest.lo.x, p.plane.hi.y + 8}, {rest.hi.x, p.plane.hi.y + 4 + each}};
    p.spread = {{rest.lo.x, rest.hi.y - each + 4}, rest.hi};
    return p;
}

}  // namespace

bool GridPicture::draw(PictureFrame& f) {
    if (!report_.read(f.report, f.reportVersion)) return false;
    const double at = std::clamp(f.state.params.number("at"), 0.0, static_cast<double>(report_.layers()));
    const GridLayer current = report_.at(at);
    GridFrame g{f, report_, at, current};
    const Section section = readSection(f, report_);
    const GridPanels panels = f.area.width() < 600 ? stacked(f.area, current) : beside(f.area, current, section.shown);
    drawStack(g, section, panels.stack);
    drawPlaneView(g, section, panels.plane);
    if (panels.section.height() > 0) drawSectionView(g, section, panels.section);
    drawSpreadBothAxes(g, panels.spread);
    if (panels.colors.height() > 0)
        colorBar(f.painter, f.theme, "plane/colors", panels.colors, ColorMap::Capacity,
                 {.label = "*κ*^{*l*}", .lo = report_.low(), .hi = report_.high(), .scale = Scale::Log});
    return true;
}

namespace {

// A section through all layers: one row or column of each, the output on top, in positions of the input.

std::vector<double> cutThrough(const GridReport& grid, const Section& section, std::size_t layer) {
    const std::size_t line = section.line(grid, layer);
    std::vector<double> values(section.alongX ? grid.cols(layer) : grid.rows(layer));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = section.alongX ? grid.capacity(layer, line, i) : grid.capacity(layer, i, line);
    return values;
}

}  // namespace

void drawSectionView(GridFrame& g, const Section& section, Rect rect) {
    PictureFrame& f = g.f;
    const std::size_t layers = g.grid.layers(), count = section.alongX ? g.grid.cols(0) : g.grid.rows(0);
    const std::string axis = section.alongX ? "*x*" : "*y*", across = section.alongX ? "*y*" : "*x*";
    Plot plot(f.painter, f.theme, "section", rect,
              {.label = "position " + axis, .lo = -0.5, .hi = static_cast<double>(count) - 0.5, .whole = true},
              {.label = "layer *l*", .lo = -0.5, .hi = static_cast<double>(layers) + 0.5, .whole = true}, zoomOf(f, "section"));
    std::vector<std::vector<double>> kept;  // until the plot is finished
    for (std::size_t l = 0; l <= layers;) {
        if (g.grid.isVector(l)) {  // no row or column to cut
            ++l;
            continue;
        }
        std::size_t end = l;  // layers of equal width make one field
        std::vector<double> cells;
        const std::size_t width = cutThrough(g.grid, section, l).size();
        for (; end <= layers && !g.grid.isVector(end); ++end) {
            const auto cut = cutThrough(g.grid, section, end);
            if (cut.size() != width) break;
            cells.insert(cells.end(), cut.begin(), cut.end());
        }
        std::vector<double> xs(width), ys(end - l);
        for (std::size_t i = 0; i < width; ++i)
            xs[i] = (static_cast<double>(i) + 0.5) * static_cast<double>(count) / static_cast<double>(width) - 0.5;
        for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = static_cast<double>(l + i);
        kept.push_back(std::move(cells));
        plot.heat("section/field/" + std::to_string(l), xs, ys,
                  {ys.size(), width, kept.back(), g.grid.low(), g.grid.high(), true, ColorMap::Capacity});
        l = end;
    }
    plot.horizontal("section/now", g.at, {f.theme.accent.withAlpha(0.7f), Dash::Solid, 1, ""});
    finishPlot(f, plot, "section", "section at " + across + " = " + inWords(static_cast<double>(section.line(g.grid, 0)), 6));
}

namespace {

// Ensembles of random networks: what one network has of width, and what its centre wanders ("v = 0 for random weights").

/// Where capacity starts, in positions of the top: offsets are counted from there.
double origin(const View& view) {
    const auto start = definedRow(*view.capacity, view.layers);
    double sum = 0, moment = 0;
    for (std::size_t i = 0; i < start.size(); ++i) sum += start[i], moment += start[i] * static_cast<double>(i);
    return sum > 0 ? moment / sum : 0;
}

/// Layers from the top down to the one shown, the last perhaps between two.
std::vector<double> layersReached(const View& view) {
    std::vector<double> layers;
    for (std::size_t l = view.layers + 1; l-- > 0 && static_cast<double>(l) > view.at;) layers.push_back(static_cast<double>(l));
    layers.push_back(view.at);
    return layers;
}

double valueAt(const double* byLayer, std::size_t layers, double at) {
    const Between b = between(at, layers);
    return byLayer[b.below] + (byLayer[b.above] - byLayer[b.below]) * b.fraction;
}

}  // namespace

void drawCentres(PictureFrame& f, const View& view, const Grid& grid) {
    if (!view.evenWidths) return;
    const double start = origin(view);
    const auto layers = layersReached(view);
    const auto place = [&](double offset, double layer) { return Vec2{grid.x(start + offset, view.widths.front()), grid.y(layer)}; };
    f.painter.pushClip({{grid.left, grid.rows.lo.y - 4}, {grid.right, grid.rows.hi.y + 4}});
    const Color color = f.theme.series[1];
    for (std::size_t n = 0; n < view.centres->axes[0].size(); ++n) {
        std::vector<Vec2> way;
        way.reserve(layers.size());
        for (double l : layers) way.push_back(place(valueAt(view.centres->row(n), view.layers, l), l));
        f.painter.line("network/centre", way, {color.withAlpha(0.35f), 1});
    }
    const Array& mean = *f.report.array("mean");
    std::vector<Vec2> edges[2];
    for (const std::size_t side : {0, 1})
        for (double l : layers) {
            const double wander = valueAt(view.wander->values.data(), view.layers, l);
            edges[side].push_back(place(valueAt(mean.values.data(), view.layers, l) + (side ? wander : -wander), l));
        }
    for (const auto& edge : edges) f.painter.line("network/wander", edge, {color, 2});
    f.painter.popClip();
}

void drawWidths(PictureFrame& f, const View& view, Rect rect) {
    const std::size_t n = view.layers + 1;
    struct Curve {
        std::string id, label;
        const Array* array;
        Color color;
    };
    const Curve curves[] = {{"spread/measured", "average", f.report.array("standardDeviation"), f.theme.series[4]},
                            {"spread/within", "one network", view.within, f.theme.series[2]},
                            {"spread/wander", "wandering", view.wander, f.theme.series[1]}};
    const Array* law = f.report.array("standardDeviationPredicted");
    double top = 1e-3;
    for (const auto& curve : curves) top = curve.array ? largest(curve.array->values, top) : top;
    std::vector<double> depth(n);
    for (std::size_t i = 0; i < n; ++i) depth[i] = static_cast<double>(i);
    const auto downwards = [&](const std::vector<double>& values) { return std::vector<double>(values.rbegin(), values.rend()); };
    Plot plot(
        f.painter, f.theme, "spread", rect,
        {.label = "layers crossed, *L* − *l*", .lo = 0, .hi = static_cast<double>(std::max<std::size_t>(view.layers, 1)), .whole = true},
        {.label = "width (positions)", .lo = 0, .hi = top * 1.15}, zoomOf(f, "spread"));
    const double now = static_cast<double>(view.layers) - view.at;
    plot.vertical("spread/now", now, {f.theme.accent.withAlpha(0.5f), Dash::Solid, 1, ""});
    if (law) plot.line("spread/theory", depth, downwards(law->values), {f.theme.theory, Dash::Dashed, 1.6, ""});
    for (const auto& curve : curves) {
        if (!curve.array) continue;
        const auto width = downwards(curve.array->values), error = downwards(curve.array->standardError);
        std::vector<double> low(width.size()), high(width.size());
        for (std::size_t i = 0; i < width.size() && i < error.size(); ++i) low[i] = width[i] - error[i], high[i] = width[i] + error[i];
        if (error.size() == width.size()) plot.band(curve.id + "/error", depth, low, high, curve.color.withAlpha(0.25f));
        plot.line(curve.id, depth, width, {curve.color, Dash::Solid, 2, curve.label + " " + numberText(width.back(), 2)});
    }
    const Array& mean = *f.report.array("mean");
    const double centre = mean.values.front(), error = mean.standardError.empty() ? 0 : mean.standardError.front();
    const bool verdict = rect.width() > 240 && std::abs(centre) < 3 * error;
    finishPlot(f, plot, "spread", "mean centre " + numberText(centre, 2) + " ± " + numberText(error, 2) + (verdict ? ": *v* = 0" : ""));
}

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
