// The regions of a slice through the data, and the samples A, B and C that can be moved to others.
#include <algorithm>
#include <array>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/picture_curves.h"
#include "scenes/one_network/network_lens/picture_view.h"

namespace kappaflow::lens {
namespace {

constexpr const char* kRoles[] = {"A", "B", "C"};
constexpr const char* kPointKeys[] = {"pointA", "pointB", "pointC"};

/// Number of the sample nearest to a point of the plane.
double nearestSample(const Array& points, Vec2 plane) {
    double best = 1e300, nearest = 0;
    for (std::size_t i = 0; i < points.axes[0].size(); ++i) {
        const double away = std::hypot(points.row(i)[0] - plane.x, points.row(i)[1] - plane.y);
        if (away < best) best = away, nearest = static_cast<double>(i);
    }
    return nearest;
}

/// A is filled like the curve's beginning, B like its end, C not at all.
void offerRole(Scene& s, const region_mesh::Stage& stage, std::size_t role) {
    const Array *chosen = s.view.array("chosen"), *places = s.view.array("chosenPoints"), *points = s.view.array("samplePoints");
    const Vec2 plane{places->row(role)[0], places->row(role)[1]};
    const Vec2 at = stage.toScreen(plane);
    if (!stage.square.contains(at)) return;
    const double value = chosen->values[role], count = s.view.scalar("sampleCount");
    const double last = std::isfinite(count) ? count - 1 : value;
    const auto grip = s.f.handles.offer({kPointKeys[role],
                                         std::string("sample ") + kRoles[role],
                                         "sample " + inWords(value, 6),
                                         value,
                                         0,
                                         last,
                                         1,
                                         {at - Vec2{12, 12}, at + Vec2{12, 12}}},
                                        [&](Vec2 p) { return nearestSample(*points, stage.toPlane(p)); });
    if (grip.moved) s.f.changes.push_back(Change::param(kPointKeys[role], grip.value));
    const bool lively = grip.hovered || grip.held || grip.focused;
    if (grip.hovered && !grip.held) s.tip = {std::string("sample ") + kRoles[role] + " is number " + inWords(value, 6)};
    const Color fill = role == 2 ? s.theme().raised : curve_image::alongColor(s.theme(), role == 0 ? 0 : 1);
    s.painter().marker("regions/role", at, lively ? 7.5 : 6, role == 1 ? MarkerShape::Square : MarkerShape::Circle, fill,
                       Stroke{lively ? s.theme().accent : s.theme().text, 1.8});
    const double side = at.x > stage.square.hi.x - 24 ? -1 : 1;
    s.painter().text("regions/role", at + Vec2{11 * side, at.y < stage.square.lo.y + 20 ? 9.0 : -9.0}, kRoles[role],
                     {.color = s.theme().text,
                      .size = s.theme().smallSize,
                      .h = side > 0 ? AlignH::Left : AlignH::Right,
                      .v = AlignV::Middle,
                      .bold = true,
                      .halo = s.theme().ground});
}

void drawCurve(Scene& s, const region_mesh::Stage& stage) {
    const Array* curve = s.view.array("curve");
    if (!curve || curve->values.empty()) return;
    std::vector<Vec2> points;
    std::vector<double> places;  // evenly along the curve
    const std::size_t count = curve->axes[0].size();
    for (std::size_t i = 0; i < count; ++i) {
        points.push_back(stage.toScreen({curve->row(i)[0], curve->row(i)[1]}));
        places.push_back(static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(count - 1, 1)));
    }
    s.painter().line("regions/curve/rim", points, {s.theme().ground.withAlpha(0.85f), 5.5}, false);
    curve_image::drawColored(s.f, "regions/curve", points, 3);
    s.curves.push_back({std::move(points), std::move(places), stage.square});
}

void drawSquare(Scene& s, const region_mesh::Source& source, Rect square) {
    const region_mesh::Stage stage = region_mesh::stageOf(s.f, square);
    const region_mesh::Seen seen{s.cache.mesh, stage.placeOf(source.centre(), source.half()), s.view.depthAt(s.view.at), s.f.reportVersion};
    s.painter().rect("window/ground", square, s.theme().panel);
    s.painter().pushClip(square);
    const auto& colors = s.cache.fills.at(between(seen.depth, source.layers()), "pattern", s.theme().dark, [&](std::size_t layer) {
        return region_mesh::patternColors(*source.pattern, layer, s.theme().dark);
    });
    region_mesh::drawFills(s.f, seen, colors);
    region_mesh::drawEdges(s.f, seen, *source.regionsByDepth);
    region_mesh::drawDecision(s.f, seen);
    region_mesh::drawSamples(s.f, stage);
    drawCurve(s, stage);
    s.painter().popClip();
    region_mesh::drawFrame(s.f, stage);
    const Array *chosen = s.view.array("chosen"), *places = s.view.array("chosenPoints"), *points = s.view.array("samplePoints");
    for (std::size_t role = 0; chosen && places && points && role < std::min<std::size_t>(3, chosen->values.size()); ++role)
        offerRole(s, stage, role);
    region_mesh::offerWindow(s.f, stage);
    region_mesh::moveFreely(s.f, stage);
    s.stage = stage;
}

/// Regions after every bending layer, each with the colour of its lines; a tap goes to that layer.
void drawDepths(Scene& s, const region_mesh::Source& source, Rect rect) {
    const auto& counts = source.regionsByDepth->values;
    const Array* states = s.view.array("stateOfDepth");
    const std::size_t now = std::min(static_cast<std::size_t>(s.view.depthAt(s.view.at) + 0.5), counts.size() - 1);
    const double line = 19;
    const auto room = static_cast<std::size_t>(std::max(1.0, (rect.height() - line) / line));
    const std::size_t rows = std::min(room, counts.size()), first = std::min(now > rows / 2 ? now - rows / 2 : 0, counts.size() - rows);
    TextStyle style{.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Right, .v = AlignV::Middle};
    double y = rect.lo.y + 9;
    s.painter().text("depths/name", {rect.hi.x, y}, "regions *F*", style);
    for (std::size_t d = first; d < first + rows; ++d) {
        y += line;
        const Rect row{{rect.lo.x, y - 9}, {rect.hi.x, y + 9}};
        if (d == now) s.painter().rect("depths/now", row, s.theme().accent.withAlpha(0.14f), 4);
        if (d > 0)
            s.painter().line("depths/color", Vec2{rect.lo.x + 4, y}, Vec2{rect.lo.x + 16, y}, {region_mesh::layerColor(s.theme(), d), 3});
        const auto state = states ? static_cast<std::size_t>(states->values[d]) : d;
        style.color = d <= now ? s.theme().text : s.theme().muted;
        const std::string name = s.view.depthName(d), count = inWords(counts[d], 9);
        style.h = AlignH::Left;
        if (s.painter().measure(name, style).x + s.painter().measure(count, style).x + 26 <= rect.width())
            s.painter().text("depths/layer", {rect.lo.x + 20, y}, name, style);
        style.h = AlignH::Right;
        s.painter().text("depths/count", {rect.hi.x - 3, y}, count, style);
        const Pointer p = s.f.handles.freePointer();
        if (p.inside && p.pressed && row.contains(p.at)) moveLayer(s.f, s.view, static_cast<double>(state));
    }
    const bool certain = !(s.view.scalar("certificate") == 0);
    style.h = AlignH::Left, style.color = certain ? s.theme().muted : s.theme().warning;
    const std::string check = certain ? "*V* − *E* + *F* = 1: checked" : "fails its own check";
    if (y + line < rect.hi.y - 4 && s.painter().measure(check, style).x < rect.width())
        s.painter().text("depths/check", {rect.lo.x + 3, y + line}, check, style);
}

std::vector<double> meanOverChannels(const double* values, std::size_t channels, std::size_t pixels) {
    std::vector<double> mean(pixels, 0.0);
    for (std::size_t i = 0; i < channels * pixels; ++i) mean[i % pixels] += values[i] / static_cast<double>(channels);
    return mean;
}

/// Samples that are images, as such: of several channels their mean.
void drawThumbnails(Scene& s, Rect rect) {
    const Array *inputs = s.view.array("chosenInputs"), *heights = s.view.array("heights"), *columns = s.view.array("columns");
    const auto channels = static_cast<std::size_t>(s.view.array("channels")->values[0]);
    const auto rows = static_cast<std::size_t>(heights->values[0]), wide = static_cast<std::size_t>(columns->values[0]);
    const double side = std::min(rect.height() - 16, (rect.width() - 12) / 3);
    for (std::size_t role = 0; role < 3 && role < inputs->axes[0].size(); ++role) {
        const auto grey = meanOverChannels(inputs->row(role), channels, rows * wide);
        const Vec2 corner = rect.lo + Vec2{(side + 6) * static_cast<double>(role), 16};
        double lo = 1e300, hi = -1e300;
        for (std::size_t i = 0; i < rows * wide; ++i) lo = std::min(lo, grey[i]), hi = std::max(hi, grey[i]);
        s.painter().field("regions/sample", {corner, corner + Vec2{side, side * static_cast<double>(rows) / static_cast<double>(wide)}},
                          {rows, wide, grey, lo, std::max(hi, lo + 1e-12), false, ColorMap::Capacity});
        s.painter().text("regions/sample", corner + Vec2{side / 2, -2}, kRoles[role],
                         {.color = s.theme().text, .size = s.theme().tinySize, .h = AlignH::Centre, .v = AlignV::Bottom, .bold = true});
    }
}

bool ofImages(const View& view) {
    const Array *heights = view.array("heights"), *columns = view.array("columns");
    return view.array("chosenInputs") && view.array("channels") && heights && columns && heights->values[0] > 3 && columns->values[0] > 3;
}

/// How many regions there are, in words long and short; of the layers that were cut, where not all were.
std::array<std::string, 2> countTexts(const Scene& s, const region_mesh::Source& source) {
    if (s.view.scalar("certificate") == 0) return {};
    const auto exact = static_cast<double>(source.layers());
    const double all = s.view.scalar("bendingLayers");
    const std::string count = ": " + inWords(source.regionsByDepth->values.back(), 9);
    if (!(exact < all)) return {count, count};
    if (exact == 0) return {};
    const std::string of = inWords(exact) + " of " + inWords(all);
    return {count + " by the first " + (exact > 1 ? of : "of " + inWords(all)) + " bending layers", count + " by " + of + " layers"};
}

}  // namespace

void drawRegions(Scene& s, Rect rect) {
    const auto source = s.cache.hasMesh ? sourceOf(s.view) : std::nullopt;
    const auto [count, brief] = source ? countTexts(s, *source) : std::array<std::string, 2>{};
    const std::string whole =
        s.view.units[0] > 2 ? "Activation regions of the plane through A, B, C" : "Activation regions of the input plane";
    rect = drawHeading(
        s, Lens::Regions, rect,
        {whole + count, whole + brief, "Activation regions" + count, "Activation regions" + brief, "Regions" + brief, "Regions"});
    if (!source) return drawReason(s, Lens::Regions, rect, "There are no regions to show.");
    rect.hi.y -= drawRemark(s, Lens::Regions, rect);
    const bool beside = rect.width() - rect.height() > 92;
    const double side = std::floor(std::min(rect.height() - 2, beside ? rect.width() : rect.width() - 4));
    const double left = beside ? rect.lo.x + 4 : std::round(rect.centre().x - side / 2);
    drawSquare(s, *source, {{left, rect.lo.y}, {left + side, rect.lo.y + side}});
    if (!beside) return;
    Rect list{{left + side + 10, rect.lo.y}, {std::min(rect.hi.x - 4, left + side + 200), rect.hi.y}};
    if (ofImages(s.view) && list.height() > 150) {
        list.hi.y -= std::min(list.width() / 3 + 18, 80.0);
        drawThumbnails(s, {{list.lo.x, list.hi.y + 2}, {list.hi.x, rect.hi.y}});
    }
    drawDepths(s, *source, list);
}

namespace {

// The curve from sample A to sample B: its image in a layer's principal plane, and its length behind every layer.

/// Whether positive values are so far apart that only a logarithm shows them all.
bool spreadOut(const std::vector<double>& values, double times) {
    double lo = 1e300, hi = 0;
    for (const double v : values)
        if (v > 0 && std::isfinite(v)) lo = std::min(lo, v), hi = std::max(hi, v);
    return hi > times * lo;
}

void drawLengthPlot(Scene& s, const Array& length, Rect rect) {
    const auto& values = length.values;
    const bool logarithmic = spreadOut(values, 12);
    double lo = 1e300, hi = 1e-12;
    for (const double v : values)
        if (v > 1e-300 && std::isfinite(v)) lo = std::min(lo, v), hi = std::max(hi, v);
    const AxisSpec up = logarithmic ? AxisSpec{.label = "length *ℓ*", .lo = lo / 1.4, .hi = hi * 1.6, .scale = Scale::Log}
                                    : AxisSpec{.label = "length *ℓ*", .lo = 0, .hi = 1.12 * hi};
    Plot plot(s.painter(), s.theme(), "length", rect, layerAxis(s.view), up, zoomOf(s.f, "length"));
    const auto layers = countUp(values.size());
    if (!length.standardError.empty()) {
        std::vector<double> low = values, high = values;
        for (std::size_t i = 0; i < values.size(); ++i) low[i] -= length.standardError[i], high[i] += length.standardError[i];
        plot.band("length/band", layers, low, high, s.theme().series[0].withAlpha(0.2f));
    }
    plot.line("length/measured", layers, values, {s.theme().series[0], Dash::Solid, 2.2, "*ℓ*"});
    plot.markers("length/measured", layers, values, {s.theme().series[0], Dash::Solid, 1, ""}, MarkerShape::Circle, 3);
    drawLayerMark(s, plot, "length");
    finishPlot(s.f, plot, "length", "");
}

/// "layer 2: 3.1 times as long, 14 pieces".
std::string factsAt(const View& view, std::size_t layer) {
    const Array *length = view.array("length"), *pieces = view.array("pieces");
    std::string text = view.layerName(layer);
    if (layer < length->values.size() && length->values[0] > 0)
        text += ": " + numberText(length->values[layer] / length->values[0], 3) + " ×";
    if (pieces && layer < pieces->values.size() && std::isfinite(pieces->values[layer]) && layer > 0)
        text += ", " + numberText(pieces->values[layer], 5) + (pieces->values[layer] == 1 ? " piece" : " pieces");
    return text;
}

/// A and B beside the ends, away from each other.
void nameEnds(Scene& s, const std::vector<Vec2>& points) {
    const TextStyle style{.color = s.theme().text,
                          .size = s.theme().tinySize,
                          .h = AlignH::Centre,
                          .v = AlignV::Middle,
                          .bold = true,
                          .halo = s.theme().ground};
    const Vec2 a = points.front(), b = points.back(), away = b - a;
    const double length = std::hypot(away.x, away.y);
    const Vec2 out = length > 1 ? away * (13 / length) : Vec2{0, 13};
    s.painter().text("image/A", a - out, "A", style);
    s.painter().text("image/B", b + out, "B", style);
}

void drawImage(Scene& s, const Array& image, Rect rect) {
    const Array &length = *s.view.array("length"), *share = s.view.array("planeShare"), *place = s.view.array("place");
    const std::size_t last = image.axes[0].size() - 1, layer = std::min(s.view.layer(), last);
    const TextStyle style{.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Centre, .v = AlignV::Bottom};
    const std::string facts = factsAt(s.view, layer), name = s.view.layerName(layer);
    const Rect inner = rect.inset(22, 22, 22, 44);
    const auto points = curve_image::mixedImage(image, between(s.view.at, last), inner);
    const double first = std::max(length.values[0], 1e-300);
    curve_image::drawColored(s.f, "image", points, curve_image::widthOf(length.values[std::min(layer, length.values.size() - 1)] / first));
    curve_image::drawEnds(s.f, points);
    if (place) s.curves.push_back({points, place->values, rect});
    const std::string spread =
        share && layer < share->values.size() ? ", " + numberText(100 * share->values[layer], 3) + " % of its spread" : "";
    for (const std::string& text : {facts + spread, facts, name}) {
        if (s.painter().measure(text, style).x > rect.width() - 6) continue;
        s.painter().text("image/facts", {rect.centre().x, rect.hi.y - 4}, text, style);
        break;
    }
    nameEnds(s, points);
}

}  // namespace

void drawTrajectory(Scene& s, Rect rect) {
    const Array *image = s.view.array("image"), *length = s.view.array("length");
    const double ratio = s.view.scalar("lengthRatio");
    const std::string times = std::isfinite(ratio) ? ": " + numberText(ratio, 3) + " times as long at the output" : "";
    rect = drawHeading(s, Lens::Trajectory, rect,
                       {"Trajectory from A to B" + times, "Trajectory" + times, "Trajectory from A to B", "Trajectory"});
    if (!length) return drawReason(s, Lens::Trajectory, rect, "There is no curve to follow.");
    rect.hi.y -= drawRemark(s, Lens::Trajectory, rect);
    if (!image || image->values.empty()) return drawLengthPlot(s, *length, withoutTitle(rect));
    const bool upright = rect.height() > 1.15 * rect.width();
    if (!upright && rect.width() < 220) return drawImage(s, *image, rect);
    const double split = upright ? rect.lo.y + 0.56 * rect.height() : rect.lo.x + std::min(0.5 * rect.width(), 1.25 * rect.height());
    drawImage(s, *image, upright ? Rect{rect.lo, {rect.hi.x, split}} : Rect{rect.lo, {split, rect.hi.y}});
    drawLengthPlot(s, *length, upright ? Rect{{rect.lo.x, split + 4}, rect.hi} : withoutTitle({{split + 4, rect.lo.y}, rect.hi}));
}

}  // namespace kappaflow::lens
