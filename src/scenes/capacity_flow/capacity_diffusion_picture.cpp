// Capacity flowing back through a network (P1 Fig 4), the profile at the layer shown, and what its width and total do with depth.
#include "scenes/capacity_flow/capacity_diffusion_picture.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "draw/number_text.h"

namespace kappaflow {
namespace capacity_diffusion {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Where the region is nearly as large as that of a uniform field, its line tells rounding and strides, not a place: none is drawn. Nor
/// are specks beside a region many times as large.
Loops aroundShare(std::span<const double> cells, Size rows, Size cols) {
    constexpr double kNearlyUniform = 0.75, kSpeck = 0.02;
    const double level = levelHolding(cells, kHeldShare);
    const auto within = std::count_if(cells.begin(), cells.end(), [&](double value) { return value > level; });
    if (static_cast<double>(within) > kNearlyUniform * kHeldShare * static_cast<double>(cells.size())) return {};
    Loops loops = contourLoops(rows, cols, cells, level);
    double most = 0;
    for (const auto& loop : loops) most = std::max(most, loopArea(loop));
    std::erase_if(loops, [&](const auto& loop) { return std::abs(loopArea(loop)) < kSpeck * most; });
    return loops;
}

/// Per layer a size; the largest where the report says none.
std::vector<Size> sizesOf(const Vector& sizes, Size states, Size most) {
    std::vector<Size> read(states, most);
    for (Size l = 0; l < std::min(states, sizes.size()); ++l)
        if (sizes[l] >= 1) read[l] = std::min(most, static_cast<Size>(sizes[l]));
    return read;
}

}  // namespace

double linearTop(Vector peaks, double input) {
    constexpr double kAboveMost = 1.6, kAboveInput = 1.12;
    const auto middle = peaks.begin() + static_cast<std::ptrdiff_t>(peaks.size() / 2);
    std::nth_element(peaks.begin(), middle, peaks.end());
    return std::max({kAboveMost * *middle, kAboveInput * input, 1e-12});
}

Planes::Planes(const Result& result) : result_(&result) {
    constexpr double kFewestDecades = 3, kMostDecades = 12;
    const Size states = result.layers.size(), length = result.y.size() * result.x.size();
    shown_ = result.channelCapacity.empty() ? &result.capacity.values : &result.channelCapacity;
    rows_ = sizesOf(result.heights, states, result.y.size());
    cols_ = sizesOf(result.widths, states, result.x.size());
    const bool anyPlane = std::any_of(rows_.begin(), rows_.end(), [](Size height) { return height > 1; });
    Vector peaks;
    double palest = std::numeric_limits<double>::infinity();
    for (Size l = 0; l < states; ++l) {
        // A plain loop: an algorithm's calls for each of millions of numbers take 60 ms before the browser has optimised them.
        const double* const row = shown_->data() + l * length;
        double peak = 0;
        for (Size i = 0; i < length; ++i)
            if (row[i] > peak) peak = row[i];
        high_ = std::max(high_, peak);
        if (peak > 0) palest = std::min(palest, peak);
        peaks.push_back(peak);
        if (anyPlane && isVector(l)) continue;
        mostRows_ = std::max(mostRows_, rows_[l]);
        mostCols_ = std::max(mostCols_, cols_[l]);
    }
    if (!(high_ > 0)) high_ = palest = 1;
    linearHigh_ = std::min(linearTop(peaks, peaks.front()), high_);
    low_ = high_ * std::pow(10, -std::clamp(2 * std::log10(high_ / palest), kFewestDecades, kMostDecades));
}

std::span<const double> Planes::cells(const Vector& all, const PlaneLayer& layer, Vector& room) const {
    const Size stride = result_->x.size(), plane = stride * result_->y.size(), count = layer.rows * layer.cols;
    if (all.size() != shown_->size()) return {};
    const double *a = all.data() + layer.below * plane, *b = all.data() + layer.above * plane;
    if (layer.fraction == 0 && layer.cols == stride) return {a, count};
    room.clear();
    room.reserve(count);
    for (Size r = 0; r < layer.rows; ++r, a += stride, b += stride)
        for (Size c = 0; c < layer.cols; ++c) room.push_back(layer.fraction == 0 ? a[c] : a[c] + (b[c] - a[c]) * layer.fraction);
    return room;
}

PlaneLayer Planes::mixed(Size below, Size above, double fraction, bool compared) const {
    PlaneLayer layer{rows_[below], cols_[below], below, above, fraction};
    const auto capacity = cells(*shown_, layer, layer.made);
    if (layer.isVector()) return layer;
    layer.held = aroundShare(capacity, layer.rows, layer.cols);
    if (!compared) return layer;
    Vector room;
    if (!oneChannel()) layer.heldInTheory = aroundShare(cells(result_->gaussian, layer, room), layer.rows, layer.cols);
    layer.heldByGradient = aroundShare(cells(result_->gradient.values, layer, room), layer.rows, layer.cols);
    return layer;
}

const PlaneLayer* Planes::layer(Size l, bool atOnce) const {
    const auto found = unpacked_.find(l);
    if (found != unpacked_.end()) return &found->second;
    if (!atOnce && cellsLeft_ <= 0) return unfinished_ = true, nullptr;
    cellsLeft_ -= static_cast<double>(rows_[l] * cols_[l]);
    return &unpacked_.emplace(l, mixed(l, l, 0, false)).first->second;
}

AxisSpec Planes::colorAxis() const {
    return {.label = "*κ*^{*l*}", .lo = low(), .hi = high(), .scale = logarithmic() ? Scale::Log : Scale::Linear};
}

void Planes::show(double at, Colors colors, bool whole) {
    constexpr double kCellsAFrame = 4e4;  // some 15 ms in a browser
    cellsLeft_ = whole ? std::numeric_limits<double>::infinity() : kCellsAFrame;
    unfinished_ = false;
    colors_ = colors;
    if (at == at_) return;
    at_ = at;
    const Between b = between(at, layers());
    const bool alike = rows_[b.below] == rows_[b.above] && cols_[b.below] == cols_[b.above];
    const bool one = !alike || b.fraction < 1e-6 || b.fraction > 1 - 1e-6;
    current_ = one ? mixed(nearest(), nearest(), 0, true) : mixed(b.below, b.above, b.fraction, true);
}

double Planes::deviation(Size layer, Size side) const {
    const auto& values = result_->deviation.values;
    return values.size() == 2 * result_->layers.size() ? values[2 * layer + side] : std::numeric_limits<double>::quiet_NaN();
}

Size SectionLine::line(const Planes& planes, Size layer) const {
    const Size count = alongX ? planes.rows(layer) : planes.cols(layer);
    return std::min(static_cast<Size>(share * static_cast<double>(count)), count - 1);
}

SectionLine sectionOf(const Seen& s, const Planes& planes) {
    SectionLine section{s.params.section != Section::Off, s.params.section != Section::AlongY};
    const auto count = static_cast<double>(section.alongX ? planes.rows(0) : planes.cols(0));
    const double line = s.params.sectionAt < 0 ? std::floor(count / 2) : std::min<double>(s.params.sectionAt, count - 1);
    section.share = (line + 0.5) / count;
    return section;
}

namespace {

struct Cache {
    std::vector<std::vector<capacity_flow::Edge>> flow;
    Planes planes;
    bool filled = false;
};

double depthOf(const Seen& s) { return static_cast<double>(s.result.layers.size() - 1); }
double shownLayer(const Seen& s) { return std::clamp(s.params.at, 0.0, depthOf(s)); }
/// From the top down.
Vector downwards(const Vector& byLayer) { return {byLayer.rbegin(), byLayer.rend()}; }

/// An empty plot of what changes from layer to layer on the way down.
Curves againstDepth(const Seen& s, const char* id, const char* label) {
    return {.id = id,
            .x = {.label = "layers crossed, *L* − *l*", .hi = std::max(depthOf(s), 1.0), .whole = true},
            .y = {.label = label},
            .now = depthOf(s) - shownLayer(s)};
}

Curves spread(const Seen& s) {
    // One unit and equal layers give the pure law; a wide start, growing dilations or strides bend it.
    const bool squareRoot = s.asked.top == Top::Dirac && s.asked.dilation == 1 && s.asked.stride == 1;
    const Vector depth = countUp(s.result.layers.size()), measured = downwards(s.result.deviation.values);
    Curves curves = againstDepth(s, "spread", "spread *σ* (positions)");
    curves.title = squareRoot ? "width grows as √depth" : "width against depth";
    curves.curves = {{"measured", depth, measured, Role::Measurement, "measured", capacityColor(s.f.theme), 2.2}};
    if (!s.result.deviationPredicted.empty())
        curves.curves.push_back({"theory", depth, downwards(s.result.deviationPredicted), Role::Theory,
                                 squareRoot ? "√(2*𝒟* *t*)" : "theory", std::nullopt, 1.8});
    curves.more = [now = *curves.now, measured](PictureFrame& f, Plot& plot) {
        const Vector here{now};
        plot.markers("spread/here", here, rowAt(measured, 1, now), {f.theme.accent, Dash::Solid, 2, ""}, MarkerShape::Circle, 5);
    };
    return curves;
}

/// Ensembles: width of the average, of one network about its own centre, and of the wandering of centres.
Curves widths(const Seen& s) {
    const Result& r = s.result;
    const Vector depth = countUp(r.layers.size());
    Curves curves = againstDepth(s, "spread", "width (positions)");
    if (!r.deviationPredicted.empty())
        curves.curves.push_back({"theory", depth, downwards(r.deviationPredicted), Role::Theory, "", std::nullopt, 1.6});
    const auto add = [&](const char* id, const char* label, const Estimates& width, Color color) {
        curves.curves.push_back(
            {id, depth, downwards(width.values), Role::Measurement, std::string(label) + " " + numberText(width.values.front(), 2), color});
        curves.curves.back().error = downwards(width.standardErrors);
    };
    add("measured", "average", r.deviation, s.f.theme.series[4]);
    add("within", "one network", r.deviationWithin, s.f.theme.series[2]);
    add("wander", "wandering", r.wanderByLayer, s.f.theme.series[1]);
    const double centre = r.mean.values.front(), error = r.mean.standardErrors.empty() ? 0 : r.mean.standardErrors.front();
    curves.title =
        "mean centre " + numberText(centre, 2) + " ± " + numberText(error, 2) + (std::abs(centre) < 3 * error ? ": *v* = 0" : "");
    return curves;
}

Curves totals(const Seen& s) {
    const Result& r = s.result;
    const bool dead = largest(r.unattributed, 0) > 0;
    Curves curves{.id = "total",
                  .title = dead ? "dead units keep their capacity" : "nothing is lost on the way",
                  .x = {.label = "layer *l*", .hi = std::max(depthOf(s), 1.0), .whole = true},
                  .y = {.label = "total capacity", .hi = 1.25 * largest(r.total, 1e-12)},
                  .fit = Fit::Given};
    curves.curves = {{"capacity", r.layers, r.total, Role::Measurement, "total", capacityColor(s.f.theme), 2.2, true}};
    if (dead)
        curves.curves.push_back({"unattributed", r.layers, r.unattributed, Role::Measurement, "dead units", s.f.theme.series[1], 1.8});
    return curves;
}

/// A matrix of numbers from 0 to `top`, and its colours at the right.
void drawMatrix(const Seen& s, const std::string& id, Rect map, AxisSpec x, AxisSpec y, const Vector& values, double top,
                const std::string& title, const char* label) {
    const Size cols = static_cast<Size>(std::lround(x.hi + 0.5)), rows = static_cast<Size>(std::lround(y.hi + 0.5));
    x.lo = y.lo = -0.5, y.reversed = true;
    Plot plot(s.f.painter, s.f.theme, id, map, std::move(x), std::move(y));
    plot.heat(id + "/field", countUp(cols), countUp(rows), {rows, cols, values, 0, top, false, ColorMap::Capacity});
    finishPlot(s.f, plot, id, title);
    colorBar(s.f.painter, s.f.theme, id + "/colors", {{map.hi.x + 8, plot.inner().lo.y}, {map.hi.x + 62, plot.inner().hi.y}},
             ColorMap::Capacity, {.label = label, .lo = 0, .hi = top});
}

/// The matrix in use: from layer `above` down to the next.
void drawShares(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const auto above = static_cast<Size>(std::clamp(std::ceil(shownLayer(s)), 1.0, depthOf(s)));
    const auto begin = r.shares.begin() + static_cast<std::ptrdiff_t>(r.sharesOffsets[above - 1]);
    const Vector values(begin, r.shares.begin() + static_cast<std::ptrdiff_t>(r.sharesOffsets[above]));
    rect.hi.x -= 62;
    drawMatrix(
        s, "shares", rect,
        {.label = "unit *j* of layer " + layerNumber(static_cast<double>(above)), .hi = r.widths[above] - 0.5, .whole = true},
        {.label = "unit *i* of layer " + layerNumber(static_cast<double>(above) - 1), .hi = r.widths[above - 1] - 0.5, .whole = true},
        values, largest(r.shares, 1e-12), "shares *D*_{*ij*} of this layer", "*D*_{*ij*}");
}

void drawImage(const Seen& s, Rect rect) {
    const double inputs = s.result.widths.front(), rows = *s.result.inputRows, columns = inputs / rows;
    const auto first = s.result.capacity.values.begin();
    const Vector pixels(first, first + static_cast<std::ptrdiff_t>(inputs));
    const Vec2 room{rect.width() - 70, rect.height() - 26};
    const double cell = std::min(room.x / columns, room.y / rows);
    // Cells of a long sequence are wider than high, so that there is something to see.
    const Vec2 size{std::max(cell * columns, std::min(room.x, 96.0)), std::max(cell * rows, std::min(room.y, 48.0))};
    const std::string title = rows == columns ? "inputs as pixels" : "inputs, " + inWords(rows) + " × " + inWords(columns);
    drawMatrix(s, "image", {rect.lo, rect.lo + size + Vec2{10, 26}}, {.label = "", .hi = columns - 0.5, .ticks = false},
               {.label = "", .hi = rows - 0.5, .ticks = false}, pixels, largest(pixels, 1e-12), title, "*κ*^{0}");
}

void drawPlane(const Seen& s, const Planes& planes, Rect room) {
    PictureFrame& f = s.f;
    const PlaneLayer& layer = planes.current();
    const auto capacity = planes.capacity(layer);
    const auto rows = static_cast<double>(layer.rows), cols = static_cast<double>(layer.cols);
    // Cells as wide as they are high in what axes and names leave, and the colours beside them where they have room.
    const double besides = 62, above = 24, below = 40, colors = room.width() < 240 || room.height() < 190 ? 0 : 64,
                 ratio = layer.isVector() ? 1.2 : cols / rows;
    const double width = std::min(room.width() - colors - besides, (room.height() - above - below) * ratio);
    const Rect rect{room.lo, room.lo + Vec2{width + besides, width / ratio + above + below}};
    const std::string title = "layer " + layerNumber(planes.at());
    if (colors > 0)
        colorBar(f.painter, f.theme, "plane/colors", {{rect.hi.x + 8, rect.lo.y + above}, {rect.hi.x + colors, rect.hi.y - below}},
                 ColorMap::Capacity, planes.colorAxis(), planes.leavesColors());
    if (layer.isVector()) {
        Plot plot = plotIn(
            f, "plane", rect, {.label = "unit", .lo = -0.5, .hi = cols - 0.5, .whole = true},
            {.label = "capacity *κ*^{*l*}", .lo = 0, .hi = 1.12 * std::max(*std::max_element(capacity.begin(), capacity.end()), 1e-12)});
        plot.bars("plane/capacity", countUp(layer.cols), capacity, 0.78, capacityColor(f.theme));
        return finishPlot(f, plot, "plane", title);
    }
    Plot plot(f.painter, f.theme, "plane", rect, {.label = "position *x*", .lo = -0.5, .hi = cols - 0.5, .whole = true},
              {.label = "position *y*", .lo = -0.5, .hi = rows - 0.5, .whole = true, .reversed = true});
    plot.heat("plane/field", countUp(layer.cols), countUp(layer.rows), planes.field(layer));
    if (const SectionLine section = sectionOf(s, planes); section.shown) {
        const double y = section.share * rows - 0.5, x = section.share * cols - 0.5;
        const Vec2 a = section.alongX ? plot.toScreen(-0.5, y) : plot.toScreen(x, -0.5);
        const Vec2 b = section.alongX ? plot.toScreen(cols - 0.5, y) : plot.toScreen(x, rows - 0.5);
        f.painter.line("plane/section", a, b, {f.theme.series[2].withAlpha(0.6f), 1});
    }
    const auto contour = [&](const char* id, const Loops& loops, const Stroke& stroke) {
        for (const auto& loop : loops) {
            std::vector<Vec2> points;
            points.reserve(loop.size() + 1);
            for (const Vec2& p : loop) points.push_back(plot.toScreen(p.x, p.y));
            points.push_back(points.front());
            f.painter.line(id, points, stroke);
        }
    };
    contour("plane/contour/gradient", layer.heldByGradient, {f.theme.series[1], 1.6});
    contour("plane/contour/measured", layer.held, {f.theme.accent, 2.2});
    contour("plane/contour/theory", layer.heldInTheory, {f.theme.theory, 1.8, Dash::Dashed});
    finishPlot(f, plot, "plane", title + " from above");
}

/// One row or column of each layer, the output on top, in positions of the input.
void drawSection(const Seen& s, const Planes& planes, Rect rect) {
    const SectionLine section = sectionOf(s, planes);
    const auto along = [&](Size l) { return section.alongX ? planes.cols(l) : planes.rows(l); };
    const auto count = static_cast<double>(along(0));
    const std::string axis = section.alongX ? "*x*" : "*y*", across = section.alongX ? "*y*" : "*x*";
    Plot plot = plotIn(s.f, "section", rect, {.label = "position " + axis, .lo = -0.5, .hi = count - 0.5, .whole = true},
                       {.label = "layer *l*", .lo = -0.5, .hi = static_cast<double>(planes.layers()) + 0.5, .whole = true});
    std::vector<Vector> kept;  // until the plot is finished
    for (Size l = 0, end; l <= planes.layers(); l = end) {
        // Layers of equal width make one field; those of one row have nothing to cut.
        Vector cells, xs, ys;
        for (end = l; end <= planes.layers() && along(end) == along(l) && !planes.isVector(end); ++end) {
            const Size line = section.line(planes, end);
            for (Size i = 0; i < along(end); ++i)
                cells.push_back(section.alongX ? planes.capacity(end, line, i) : planes.capacity(end, i, line));
            ys.push_back(static_cast<double>(end));
        }
        if (end == l) {
            ++end;
            continue;
        }
        const auto width = static_cast<double>(along(l));
        for (Size i = 0; i < along(l); ++i) xs.push_back((static_cast<double>(i) + 0.5) * count / width - 0.5);
        kept.push_back(std::move(cells));
        plot.heat("section/field/" + std::to_string(l), xs, ys,
                  {ys.size(), xs.size(), kept.back(), planes.low(), planes.high(), planes.logarithmic(), ColorMap::Capacity});
    }
    plot.horizontal("section/now", planes.at(), {s.f.theme.accent.withAlpha(0.7f), Dash::Solid, 1, ""});
    finishPlot(s.f, plot, "section", "section at " + across + " = " + inWords(static_cast<double>(section.line(planes, 0)), 6));
}

Curves spreadOnBothAxes(const Seen& s) {
    const Result& r = s.result;
    const Vector passed = countUp(r.layers.size());
    const double last = passed.back();
    const bool theory = r.deviationPredicted.size() == 2 * passed.size();
    const auto along = [&](const Vector& bySide, Size side) {
        Vector values;
        for (Size l = passed.size(); l-- > 0;) values.push_back(bySide[2 * l + side]);
        return values;
    };
    Curves curves = againstDepth(s, "spread", "spread *σ*");
    if (r.deviation.values.size() != 2 * passed.size()) return curves;
    const Vector measured[] = {along(r.deviation.values, 0), along(r.deviation.values, 1)};
    bool same = true, root = last >= 2;
    for (Size i = 0; i < passed.size(); ++i) {
        same = same && std::abs(measured[0][i] - measured[1][i]) <= 0.01 * measured[1][i];
        for (const Vector& sigma : measured) {
            const double expected = sigma.back() * std::sqrt(passed[i] / last);
            root = root && std::abs(sigma[i] - expected) <= 0.03 * expected;
        }
    }
    curves.title = root ? "width grows as √depth" : "width against depth";
    const char* const names[] = {"*σ_{y}*", "*σ_{x}*"};
    for (const Size side : {1, 0}) {
        if (same && side == 0) break;
        curves.curves.push_back({"measured", passed, measured[side], Role::Measurement, same ? "*σ_{x}* = *σ_{y}*" : names[side],
                                 s.f.theme.series[side == 0 ? 2 : 0], 2.2});
        if (theory)
            curves.curves.push_back({"theory", passed, along(r.deviationPredicted, side), Role::Theory,
                                     side == 0 ? ""
                                     : root    ? "theory √(2*𝒟* *t*)"
                                               : "theory",
                                     std::nullopt, 1.8});
    }
    curves.more = [now = *curves.now, same, y = measured[0], x = measured[1]](PictureFrame& f, Plot& plot) {
        const Vector here{now};
        for (const Vector* sigma : {&x, &y})
            if (sigma == &x || !same)
                plot.markers("spread/here", here, rowAt(*sigma, 1, now), {f.theme.accent, Dash::Solid, 2, ""}, MarkerShape::Circle, 4.5);
    };
    return curves;
}

Layout planesLayout(const Seen& s, const Planes& planes) {
    const auto of = [&s, &planes](void (*draw)(const Seen&, const Planes&, Rect)) {
        return [&s, &planes, draw](Rect rect) { draw(s, planes, rect); };
    };
    Layout stack = s.panel(0, {250, 200}, of(drawStack)), plane = s.panel(1, {160, 150}, of(drawPlane)),
           spread = s.panel(2, {205, 150}, spreadOnBothAxes(s));
    std::vector<Layout> section;
    if (s.params.section != Section::Off) section.push_back(s.panel(3, {200, 150}, of(drawSection)));
    const Vec2 size{s.f.area.width(), s.f.area.height()};
    if (size.x >= 480 && size.y >= 480) {
        std::vector<Layout> plots{std::move(plane).share(1.2), std::move(spread)};
        plots.insert(plots.begin() + 1, section.begin(), section.end());
        Layout landed = s.panel(4, {200, 110}, of(drawLanded)).share(0.3);
        return Layout::columns({Layout::rows({std::move(stack), std::move(landed)}).share(1.75), Layout::rows(std::move(plots))});
    }
    // A low figure has no room for plots one below the other, a narrow one none beside the stack.
    std::vector<Layout> all{std::move(stack).share(1.75), Layout::columns({std::move(plane), std::move(spread).share(1.3)})};
    if (size.x >= 480) return Layout::columns(std::move(all));
    all.insert(all.end(), section.begin(), section.end());
    return Layout::rows(std::move(all));
}

Layout layout(const Seen& s, Cache& cache) {
    const Result& r = s.result;
    if (r.capacity.values.empty() || r.widths.size() != r.layers.size() || r.total.size() != r.layers.size())
        return s.panel(0, {}, [&s](Rect) { emptyPicture(s.f, "The capacity is being computed."); });
    const bool fresh = !cache.filled;
    cache.filled = true;
    if (isPlane(r)) {
        if (fresh) cache.planes = Planes(r);
        // With reduced motion no frame follows by itself.
        cache.planes.show(shownLayer(s), s.params.colors, s.f.kept || s.f.still);
        return planesLayout(s, cache.planes);
    }
    if (fresh) cache.flow = capacity_flow::stackFlow(r.flowFrom, r.flowTo, r.flowAmount, r.flowOffsets, r.flowBinSize);
    cache.flow.resize(r.weightLayers.size());
    std::vector<Layout> plots;
    // Networks of one fixed kernel are all alike.
    if (!r.deviationWithin.values.empty() && largest(r.wanderByLayer.values, 0) > 0)
        plots.push_back(s.panel(1, {240, 150}, widths(s)));
    else if (!r.deviation.values.empty())
        plots.push_back(s.panel(1, {220, 150}, spread(s)));
    else if (!r.shares.empty())
        plots.push_back(s.panel(1, {230, 160}, [&s](Rect rect) { drawShares(s, rect); }));
    if (s.result.inputRows) plots.push_back(s.panel(2, {210, 150}, [&s](Rect rect) { drawImage(s, rect); }));
    plots.push_back(s.panel(3, {220, 150}, totals(s)).share(0.65));
    Layout way = s.panel(0, {250, 280}, [&s, &flow = cache.flow](Rect rect) { drawWay(s, flow, rect); });
    return Layout::columns({std::move(way).share(2.1), Layout::rows(std::move(plots))});
}

}  // namespace
}  // namespace capacity_diffusion

PictureEntry capacity_diffusion_picture() { return tablePicture<capacity_diffusion::kScene, capacity_diffusion::layout>(); }

}  // namespace kappaflow
