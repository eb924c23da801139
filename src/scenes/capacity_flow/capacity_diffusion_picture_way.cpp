// The way of the capacity through layers in a row: units and the flow between them, where it starts, and the profile at the layer shown.
#include <algorithm>

#include "draw/number_text.h"
#include "scenes/capacity_flow/capacity_diffusion_picture.h"

namespace kappaflow::capacity_diffusion {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Flow = std::vector<std::vector<capacity_flow::Edge>>;

/// Screen places: columns follow the axis of the profile below, rows the layers, the output on top.
struct Way {
    const Seen& s;
    Rect rows;           ///< from the output layer's line to the input layer's line
    double left, right;  ///< of position 0's left edge and the last position's right edge, where all layers are equally wide
    double at;           ///< the layer shown
    double peak;         ///< capacity of the darkest ink

    const Result& r() const { return s.result; }
    Size layers() const { return r().layers.size() - 1; }
    double depth() const { return static_cast<double>(std::max<Size>(layers(), 1)); }
    Size width(Size layer) const { return static_cast<Size>(r().widths[layer]); }
    Size widest() const { return r().positions.size(); }
    /// Of all units, those beyond the layer's width undefined.
    const double* capacity(Size layer) const { return &r().capacity.values[layer * widest()]; }
    double y(double layer) const { return rows.hi.y - rows.height() * layer / depth(); }
    double x(double position, Size width) const { return left + (right - left) * (position + 0.5) / static_cast<double>(width); }
    double cell(Size width) const { return (right - left) / static_cast<double>(width); }
    double rowHeight() const { return rows.height() / depth(); }
    double layerAt(double screenY) const {
        const double last = static_cast<double>(layers());
        return std::clamp(last * (rows.hi.y - screenY) / std::max(rows.height(), 1.0), 0.0, last);
    }
    /// 0 … 1; layers that the flow has not reached yet wait in pale.
    double ink(Size layer, Size unit) const {
        const double reached = std::clamp(static_cast<double>(layer) + 1 - at, 0.0, 1.0);
        const double share = capacity(layer)[unit] / peak;
        return (s.params.colors == Colors::Logarithmic ? capacity_flow::ink(share, 1) : std::clamp(share, 0.0, 1.0)) *
               (0.12 + 0.88 * reached);
    }
};

bool evenWidths(const Result& r) {
    return std::all_of(r.widths.begin(), r.widths.end(), [&](double width) { return width == r.widths[0]; });
}
/// Positions mean something (ring, line).
bool ordered(const Result& r) { return !r.variance.values.empty(); }

/// The highest capacity that the profile's axis reaches, at every layer: what the input has fills less than half of it.
double profileTop(const Result& r) {
    constexpr double kRoom = 2.4;
    const auto width = static_cast<std::ptrdiff_t>(r.widths[0]);
    double input = 1e-12;
    for (const Vector* rows : {&r.capacity.values, &r.gaussian, &r.gradient.values})
        if (!rows->empty()) input = largest({rows->begin(), rows->begin() + width}, input);
    return std::min(kRoom * input, 1.12 * largest(r.capacity.values, 1e-12));
}

/// Capacity of the darkest ink on a linear scale.
double linearInk(const Result& r) {
    Vector peaks;
    for (const double l : r.layers) peaks.push_back(largest(rowAt(r.capacity.values, r.positions.size(), l), 0));
    return linearTop(peaks, peaks.front());
}

/// Returns the plot's inner rectangle, whose columns the layers above share; parcels fall into it from a height on the screen.
Rect drawProfile(const Seen& s, double at, Rect rect, const std::vector<Parcel>& parcels, double input) {
    constexpr Size kMostColumns = 80;  // of the pile: 400 parcels would show chance alone in more
    const Result& r = s.result;
    const auto width = static_cast<Size>(r.widths[static_cast<Size>(std::round(at))]);
    const auto profile = [&](const Vector& rows) {
        if (rows.empty()) return Vector{};
        Vector row = rowAt(rows, r.positions.size(), evenWidths(r) ? at : std::round(at));
        row.resize(width);
        return row;
    };
    const Vector x = countUp(width), capacity = profile(r.capacity.values), gaussian = profile(r.gaussian),
                 gradient = profile(r.gradient.values);
    Plot plot = plotIn(s.f, "profile", rect,
                       {.label = ordered(r) ? "position *x*" : "unit", .lo = -0.5, .hi = static_cast<double>(width) - 0.5, .whole = true},
                       {.label = "capacity *κ*^{*l*}", .lo = 0, .hi = profileTop(r)});
    const Color blue = capacityColor(s.f.theme);
    // In the columns of the input, as far as the layer shown has others.
    const Size inputs = static_cast<Size>(r.widths[0]), together = ordered(r) ? (inputs + kMostColumns - 1) / kMostColumns : 1;
    const double stretch = static_cast<double>(width) / static_cast<double>(inputs);
    drawPile(s.f, plot, parcels, r.parcelNumbers.size(), together, input,
             [&](Size position) { return (static_cast<double>(position) + 0.5) * stretch - 0.5; });
    const double top = static_cast<double>(r.layers.size() - 1), half = 0.5 * (top + at);
    if (ordered(r) && evenWidths(r) && top - at >= 2)
        drawHalf(s.f, plot, "profile/half", rowAt(r.capacity.values, r.positions.size(), half), "half as deep");
    if (ordered(r)) {
        plot.area("profile/capacity", x, capacity, blue.withAlpha(0.25f));
        plot.line("profile/capacity", x, capacity, {blue, Dash::Solid, 2, "capacity"});
    } else {
        plot.bars("profile/capacity", x, capacity, 0.78, blue.withAlpha(0.35f));
    }
    if (!gradient.empty()) plot.line("profile/gradient", x, gradient, {s.f.theme.series[1], Dash::Solid, 1.8, "gradient²"});
    // While it plays, the prediction waits for the parcels.
    if (!gaussian.empty() && (!s.params.play || at == 0))
        plot.line("profile/theory", x, gaussian, {s.f.theme.theory, Dash::Dashed, 1.8, "Gaussian (Eq 32)"});
    std::string title = "capacity at layer " + layerNumber(at);
    const Vector& deviation = r.deviation.values;
    if (std::round(at) == 0 && deviation.size() == r.layers.size() && top >= 2) {
        const double before = rowAt(deviation, 1, 0.5 * top)[0];
        const std::string more = ": twice as deep, " + numberText(deviation[0] / before, 3) + " times as wide";
        if (before > 0 &&
            s.f.painter.measure(title + more, {.color = {}, .size = s.f.theme.smallSize, .bold = true}).x < plot.inner().width())
            title += more;
    }
    finishPlot(s.f, plot, "profile", title);
    return plot.inner();
}

// Where the capacity starts: a strip above the output layer. A unit or a block is dragged along it, a profile is painted on it.

void paint(const Way& way, Rect strip) {
    constexpr Size kPaintedLength = 65;  // at most so many numbers, stretched over the units: a link must stay short
    const PictureFrame& f = way.s.f;
    const Pointer p = f.handles.freePointer();
    if (!p.down || !p.inside || !strip.contains(p.at)) return;
    const Vector& known = way.s.params.profile;
    Vector profile(std::min(way.width(way.layers()), kPaintedLength));
    for (Size i = 0; i < profile.size() && !known.empty(); ++i)
        profile[i] = known[std::min(i * known.size() / profile.size(), known.size() - 1)];
    const double n = static_cast<double>(profile.size());
    const auto at = static_cast<Size>(std::clamp((p.at.x - way.left) / (way.right - way.left) * n, 0.0, n - 1));
    const double height = std::round(std::clamp((strip.hi.y - p.at.y) / strip.height(), 0.0, 1.0) * 100) / 100;
    if (profile[at] == height) return;
    profile[at] = height;
    way.s.f.changes.push_back(Change::param("profile", profile));
}

void drag(const Way& way, Rect strip) {
    PictureFrame& f = way.s.f;
    const Size width = way.width(way.layers());
    const double last = static_cast<double>(width) - 1;
    const double unit =
        way.s.params.topIndex < 0 ? std::floor(static_cast<double>(width) / 2) : std::min(1.0 * way.s.params.topIndex, last);
    const Vec2 foot{way.x(unit, width), strip.hi.y};
    const auto unitAt = [&](Vec2 p) { return std::clamp(std::floor((p.x - way.left) / way.cell(width)), 0.0, last); };
    const auto grip = f.handles.offer({"top",
                                       "unit where the capacity starts",
                                       "unit " + inWords(unit, 6),
                                       unit,
                                       0,
                                       last,
                                       1,
                                       {foot + Vec2{-13, -26}, foot + Vec2{13, 2}}},
                                      unitAt);
    double wanted = grip.moved ? std::round(grip.value) : unit;
    const Pointer p = f.handles.freePointer();
    if (p.pressed && p.inside && strip.contains(p.at)) wanted = unitAt(p.at);
    if (wanted != unit) f.changes.push_back(Change::param("topIndex", wanted));
    const double size = grip.lively() ? 8.5 : 7;
    const Vec2 arrow[] = {foot + Vec2{-size, -size * 1.5 - 2}, foot + Vec2{size, -size * 1.5 - 2}, foot + Vec2{0, -2}};
    f.painter.polygon("start/handle", arrow, f.theme.accent);
}

void drawStart(const Way& way, Rect strip) {
    PictureFrame& f = way.s.f;
    const Top top = way.s.params.top;
    const Size width = way.width(way.layers());
    f.painter.rect("start/ground", strip, f.theme.grid.withAlpha(0.35f), 4);
    const double* start = way.capacity(way.layers());
    const Size heaviest = static_cast<Size>(std::max_element(start, start + width) - start);
    for (Size i = 0; i < width; ++i) {
        if (!(start[i] > 0)) continue;
        const double half = std::max(way.cell(width) * 0.4, 0.5), x = way.x(static_cast<double>(i), width);
        f.painter.rect("start/bar", {{x - half, strip.hi.y - (strip.height() - 3) * start[i] / start[heaviest]}, {x + half, strip.hi.y}},
                       sample(ColorMap::Capacity, top == Top::Dirac ? 0.3 : 0.6, f.theme.dark));
    }
    const bool painted = top == Top::Painted, narrow = strip.width() < 420;
    const char* hint = top == Top::Uniform ? (narrow ? "all units" : "capacity starts equally on all units")
                       : f.kept            ? (narrow ? "the start" : "where the capacity starts")
                       : painted           ? (narrow ? "paint the start" : "paint here where the capacity starts")
                                           : (narrow ? "drag the start" : "drag where the capacity starts");
    // The hint keeps to the side where nothing is marked.
    const bool right = top != Top::Uniform && 2 * heaviest < width;
    f.painter.text("start/hint", {right ? strip.hi.x - 6 : strip.lo.x + 6, strip.lo.y + 9}, hint,
                   {.color = f.theme.muted,
                    .size = f.theme.tinySize,
                    .h = right ? AlignH::Right : AlignH::Left,
                    .v = AlignV::Middle,
                    .halo = f.theme.ground});
    if (painted) paint(way, strip);
    if (top == Top::Dirac || top == Top::Block) drag(way, strip);
}

void drawUnits(const Way& way) {
    const PictureFrame& f = way.s.f;
    const double radius = std::clamp(0.34 * std::min(way.cell(way.widest()), way.rowHeight()), 1.2, 9.0);
    std::vector<PointMark> marks;
    for (Size l = 0; l <= way.layers(); ++l)
        for (Size i = 0; i < way.width(l); ++i) {
            const double t = way.ink(l, i);
            marks.push_back({{way.x(static_cast<double>(i), way.width(l)), way.y(static_cast<double>(l))},
                             t > 0.02 ? radius * (0.75 + 0.4 * t) : radius * 0.55,
                             t > 0.02 ? sample(ColorMap::Capacity, 0.1 + 0.9 * t, f.theme.dark) : f.theme.line});
        }
    f.painter.points("network/units", marks);
}

/// One row a layer, the output on top, and cells the flow has not reached fade out at the front.
void drawField(const Way& way) {
    for (Size l = 0; l <= way.layers();) {
        Size end = l;  // layers of equal width make one field
        while (end + 1 <= way.layers() && way.width(end + 1) == way.width(l)) ++end;
        const Size rows = end - l + 1, cols = way.width(l);
        Vector cells;
        for (Size r = 0; r < rows; ++r)
            for (Size i = 0; i < cols; ++i) cells.push_back(way.ink(end - r, i));
        const double half = way.rowHeight() / 2;
        way.s.f.painter.field("network/field",
                              {{way.left, way.y(static_cast<double>(end)) - half}, {way.right, way.y(static_cast<double>(l)) + half}},
                              {rows, cols, cells, 0, 1, false, ColorMap::Capacity});
        l = end + 1;
    }
}

void drawParcels(const Way& way, const std::vector<Parcel>& parcels) {
    const bool ring = way.s.asked.network.empty() && way.s.asked.space == Space::Ring;
    const double radius = std::clamp(0.3 * way.cell(way.widest()), 1.5, 3.2);
    std::vector<PointMark> marks;
    for (Size i = 0; i < parcels.size(); ++i) {
        const Parcel& parcel = parcels[i];
        if (parcel.fallen > 0) continue;
        // Beside each other where many are at one unit.
        const double aside = (static_cast<double>(i % 7) / 6 - 0.5) * 0.7;
        const double from = way.x(static_cast<double>(parcel.from) + aside, way.width(parcel.above));
        double to = way.x(static_cast<double>(parcel.to) + aside, way.width(parcel.below));
        const double round = way.right - way.left;
        if (ring && std::abs(to - from) > round / 2) to += to < from ? round : -round;
        double x = from + (to - from) * parcel.hopped;
        if (ring) x -= round * std::floor((x - way.left) / round);
        marks.push_back({{x, way.y(parcel.layer)}, radius, parcelColor(way.s.f.theme)});
    }
    way.s.f.painter.points("parcels", marks);
}

void drawRibbons(const Way& way, const Flow& flow, bool graph) {
    PictureFrame& f = way.s.f;
    // One unit of capacity is a few columns wide: the stream narrows to units where it has spread, and keeps its width in all.
    const double top = way.r().total.back() > 1e-12 ? way.r().total.back() : 1;
    const double scale = std::clamp(2.2 * way.cell(way.widest()), 12.0, 60.0) / top;
    const Color base = capacity_flow::flowColor(f.theme);
    std::vector<Ribbon> ribbons;
    for (Size l = 0; l < flow.size(); ++l) {
        const double below = static_cast<double>(l), above = below + 1;
        if (above < way.at) continue;
        const double phase = way.at > below && way.at < above ? above - way.at : -1;
        for (const auto& edge : flow[l]) {
            const Vec2 from{way.x(edge.from, way.width(l + 1)) + edge.fromAt * scale, way.y(above)};
            const Vec2 to{way.x(edge.to, way.width(l)) + edge.toAt * scale, way.y(below)};
            if (const auto ribbon = capacity_flow::ribbonOf(from, to, edge.amount * scale, base, graph ? 0.5 : 0.38, phase))
                ribbons.push_back(*ribbon);
        }
    }
    // The clip edge is the front of the flow: it moves continuously with the timeline.
    f.painter.pushClip({{way.left - 60, way.rows.lo.y - 20}, {way.right + 60, way.y(way.at) + 0.5}});
    f.painter.ribbons("network/flow", ribbons, {0, 1});
    f.painter.popClip();
}

/// Ensembles of random networks ("v = 0 for random weights"): the way of every network's centre, and the band in which two thirds of them
/// wander.
void drawCentres(const Way& way) {
    const Result& r = way.r();
    PictureFrame& f = way.s.f;
    double mass = 0, moment = 0;  // offsets are counted from where the capacity starts
    for (Size i = 0; i < r.start.size(); ++i) mass += r.start[i], moment += r.start[i] * static_cast<double>(i);
    Vector reached;  // layers from the top down to the one shown, the last perhaps between two
    for (Size l = way.layers() + 1; l-- > 0 && static_cast<double>(l) > way.at;) reached.push_back(static_cast<double>(l));
    reached.push_back(way.at);
    const auto path = [&](const Vector& offsets) {
        std::vector<Vec2> points;
        for (const double l : reached) points.push_back({way.x(moment / mass + rowAt(offsets, 1, l)[0], way.width(0)), way.y(l)});
        return points;
    };
    f.painter.pushClip({{way.left, way.rows.lo.y - 4}, {way.right, way.rows.hi.y + 4}});
    const Color color = f.theme.series[1];
    for (Size n = 0; n < r.networks.size(); ++n)
        f.painter.line("network/centre", path(rowAt(r.centres, r.layers.size(), static_cast<double>(n))), {color.withAlpha(0.35f), 1});
    for (const double side : {-1, 1}) {
        Vector edge = r.mean.values;
        for (Size l = 0; l < edge.size(); ++l) edge[l] += side * r.wanderByLayer.values[l];
        f.painter.line("network/wander", path(edge), {color, 2});
    }
    f.painter.popClip();
}

void drawLayerNames(const Way& way, Rect panel) {
    const PictureFrame& f = way.s.f;
    TextStyle style{.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle};
    for (const Tick& tick :
         ticksFor({.label = "", .lo = 0, .hi = static_cast<double>(way.layers()), .whole = true}, way.rows.height(), 34)) {
        const double y = way.y(tick.value);
        if (tick.label.empty() || std::abs(y - way.y(way.at)) < 13) continue;
        f.painter.text("network/layer", {way.left - 10, y}, tick.label, style);
    }
    if (panel.width() < 420 || way.rows.height() < 220) return;
    style.upright = false;
    style.h = AlignH::Centre, style.v = AlignV::Top;
    f.painter.text("network/axis", {panel.lo.x, way.rows.centre().y}, "layer *l*  (input 0, output on top)", style);
}

/// The line of the layer shown, which is also the handle that scrubs.
void drawFront(const Way& way, Rect panel) {
    PictureFrame& f = way.s.f;
    const double y = way.y(way.at), at = way.at;
    const auto grip = f.handles.offer({"layer",
                                       "layer shown",
                                       "layer " + layerNumber(at),
                                       at,
                                       0,
                                       static_cast<double>(way.layers()),
                                       1,
                                       {{way.left - 46, y - 9}, {way.right + 6, y + 9}},
                                       true},
                                      [&](Vec2 p) { return way.layerAt(p.y); });
    if (grip.moved) {
        f.changes.push_back(Change::param("play", false));
        f.changes.push_back(Change::param("at", grip.value));
    }
    f.painter.line("network/front", Vec2{way.left - 6, y}, Vec2{way.right + 6, y},
                   {f.theme.accent.withAlpha(grip.lively() ? 1.0f : 0.55f), grip.lively() ? 2.0 : 1.2});
    const Rect tag{{std::max(panel.lo.x, way.left - 42), y - 10}, {way.left - 6, y + 10}};
    f.painter.rect("network/front/tag", tag, f.theme.accent, 4);
    f.painter.text("network/front/label", tag.centre(), layerNumber(at),
                   {.color = f.theme.onAccent, .size = f.theme.smallSize, .h = AlignH::Centre, .v = AlignV::Middle, .bold = true});
}

void drawHover(const Way& way) {
    PictureFrame& f = way.s.f;
    const Pointer p = f.handles.freePointer();
    if (!p.inside || p.down || p.at.y < way.rows.lo.y - 8 || p.at.y > way.rows.hi.y + 8 || p.at.x < way.left || p.at.x >= way.right) return;
    const auto layer = static_cast<Size>(std::round(way.layerAt(p.at.y)));
    const Size width = way.width(layer), unit = std::min(static_cast<Size>((p.at.x - way.left) / way.cell(width)), width - 1);
    const Vec2 middle{way.x(static_cast<double>(unit), width), way.y(static_cast<double>(layer))};
    f.painter.frame("network/hover", around(middle, 5), {f.theme.text, 1.5}, 5);
    tooltip(f, p.at,
            {"layer " + std::to_string(layer) + ", unit " + std::to_string(unit), "*κ* = " + inWords(way.capacity(layer)[unit], 4)});
}

}  // namespace

void drawWay(const Seen& s, const Flow& flow, Rect rect) {
    const Result& r = s.result;
    PictureFrame& f = s.f;
    const bool narrow = rect.width() < 420;
    const double profile = rect.hi.y - std::clamp(rect.height() * (narrow ? 0.34 : 0.3), 110.0, 230.0);
    const double at = std::clamp(s.params.at, 0.0, static_cast<double>(r.layers.size() - 1));
    const auto parcels = parcelsAt(r, at);
    const Rect columns = drawProfile(s, at, {{rect.lo.x, profile}, {rect.hi.x - (narrow ? 8 : 64), rect.hi.y}}, parcels, profile - 18);
    const Rect strip{{columns.lo.x, rect.lo.y + 6}, {columns.hi.x, rect.lo.y + 40}},
        panel{{rect.lo.x, strip.hi.y + 4}, {rect.hi.x, profile - 6}};
    const Rect rows{{columns.lo.x, panel.lo.y + 10}, {columns.hi.x, panel.hi.y - 12}};
    const bool logarithmic = s.params.colors == Colors::Logarithmic;
    const double largestOfAll = largest(r.capacity.values, 1e-12);
    const Way way{s, rows, columns.lo.x, columns.hi.x, at, logarithmic ? largestOfAll : std::min(linearInk(r), largestOfAll)};
    // Dense layers are told by their connections, positions by their field once units would be dots of a few pixels.
    const bool large = ordered(r) ? std::min(way.cell(way.widest()), way.rowHeight()) >= 5.5 : way.cell(way.widest()) >= 3;
    const bool graph = s.params.show == DrawnAs::Automatic ? large : s.params.show == DrawnAs::Graph;
    f.painter.pushClip(panel);
    if (!graph) drawField(way);
    if (!r.centres.empty() && evenWidths(r) && largest(r.wanderByLayer.values, 0) > 0) drawCentres(way);
    drawRibbons(way, flow, graph);
    if (graph) drawUnits(way);
    drawParcels(way, parcels);
    drawLayerNames(way, panel);
    drawFront(way, panel);
    f.painter.popClip();
    if (panel.hi.x - way.right > 48)
        colorBar(f.painter, f.theme, "network/colors", {{way.right + 16, rows.lo.y}, {panel.hi.x - 4, rows.hi.y}}, ColorMap::Capacity,
                 {.label = "*κ*^{*l*}",
                  .lo = logarithmic ? way.peak * std::pow(10, -capacity_flow::kDecades) : 0,
                  .hi = way.peak,
                  .scale = logarithmic ? Scale::Log : Scale::Linear},
                 way.peak < largestOfAll);
    drawHover(way);
    drawStart(way, strip);
}

}  // namespace kappaflow::capacity_diffusion
