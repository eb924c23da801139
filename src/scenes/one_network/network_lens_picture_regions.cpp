// The regions of a slice through the data, and the samples A, B and C that can be moved to others.
#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/expressivity/picture_curves.h"
#include "scenes/one_network/network_lens_picture.h"

namespace kappaflow::network_lens {
namespace {

constexpr const char* kRoles[] = {"A", "B", "C"};
constexpr const char* kPointKeys[] = {"pointA", "pointB", "pointC"};

/// Number of the sample nearest to a point of the plane.
double nearestSample(const std::vector<double>& points, Vec2 plane) {
    double best = 1e300, nearest = 0;
    for (Size i = 0; 2 * i < points.size(); ++i) {
        const double away = std::hypot(points[2 * i] - plane.x, points[2 * i + 1] - plane.y);
        if (away < best) best = away, nearest = static_cast<double>(i);
    }
    return nearest;
}

/// A is filled like the curve's beginning, B like its end, C not at all.
void offerRole(Frame& s, const region_mesh::Stage& stage, Size role) {
    const Vec2 plane{s.r.chosenPoints[2 * role], s.r.chosenPoints[2 * role + 1]};
    const Vec2 at = stage.toScreen(plane);
    if (!stage.square.contains(at)) return;
    const double value = s.r.chosen[role], last = s.r.sampleCount ? *s.r.sampleCount - 1 : value;
    const auto grip = s.f.handles.offer(
        {kPointKeys[role], std::string("sample ") + kRoles[role], "sample " + inWords(value, 6), value, 0, last, 1, around(at, 12)},
        [&](Vec2 p) { return nearestSample(s.r.samplePoints, stage.toPlane(p)); });
    if (grip.moved) s.f.changes.push_back(Change::param(kPointKeys[role], grip.value));
    const bool lively = grip.lively();
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

void drawCurve(Frame& s, const region_mesh::Stage& stage) {
    const auto& curve = s.r.curve;
    if (curve.empty()) return;
    std::vector<Vec2> points;
    std::vector<double> places;  // evenly along the curve
    const Size count = curve.size() / 2;
    for (Size i = 0; i < count; ++i) {
        points.push_back(stage.toScreen({curve[2 * i], curve[2 * i + 1]}));
        places.push_back(static_cast<double>(i) / static_cast<double>(std::max<Size>(count - 1, 1)));
    }
    s.painter().line("regions/curve/rim", points, {s.theme().ground.withAlpha(0.85f), 5.5}, false);
    curve_image::drawColored(s.f, "regions/curve", points, 3);
    s.curves.push_back({std::move(points), std::move(places), stage.square});
}

void drawSquare(Frame& s, Rect square) {
    const region_mesh::Stage stage = region_mesh::stageOf(s.f, square);
    const region_mesh::Seen seen{s.cache.mesh, stage.placeOf(s.mesh().centre(), s.mesh().half()), s.depthAt(s.at), s.f.reportVersion};
    s.painter().rect("window/ground", square, s.theme().panel);
    s.painter().pushClip(square);
    const auto& colors = s.cache.fills.at(between(seen.depth, s.depths()), "pattern", s.theme().dark, [&](Size layer) {
        return region_mesh::patternColors(s.r.pattern, s.r.polygonEnds.size(), layer, s.theme().dark);
    });
    region_mesh::drawFills(s.f, seen, colors);
    region_mesh::drawEdges(s.f, seen, s.r.regionsByDepth);
    region_mesh::drawDecision(s.f, seen);
    region_mesh::drawSamples(s.f, stage, s.r.samplePoints, s.r.sampleClass);
    drawCurve(s, stage);
    s.painter().popClip();
    region_mesh::drawFrame(s.f, stage);
    for (Size role = 0; role < s.r.chosenPoints.size() / 2 && !s.r.samplePoints.empty(); ++role) offerRole(s, stage, role);
    region_mesh::offerWindow(s.f, stage);
    region_mesh::moveFreely(s.f, stage);
    s.stage = stage;
}

/// Regions after every bending layer, each with the colour of its lines; a tap goes to that layer.
void drawDepths(Frame& s, Rect rect) {
    const auto& counts = s.r.regionsByDepth;
    const Size now = std::min(static_cast<Size>(s.depthAt(s.at) + 0.5), counts.size() - 1);
    const double line = 19;
    const auto room = static_cast<Size>(std::max(1.0, (rect.height() - line) / line));
    const Size rows = std::min(room, counts.size()), first = std::min(now > rows / 2 ? now - rows / 2 : 0, counts.size() - rows);
    TextStyle style{.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Right, .v = AlignV::Middle};
    double y = rect.lo.y + 9;
    s.painter().text("depths/name", {rect.hi.x, y}, "regions *F*", style);
    for (Size d = first; d < first + rows; ++d) {
        y += line;
        const Rect row{{rect.lo.x, y - 9}, {rect.hi.x, y + 9}};
        if (d == now) s.painter().rect("depths/now", row, s.theme().accent.withAlpha(0.14f), 4);
        if (d > 0)
            s.painter().line("depths/color", Vec2{rect.lo.x + 4, y}, Vec2{rect.lo.x + 16, y}, {region_mesh::layerColor(s.theme(), d), 3});
        style.color = d <= now ? s.theme().text : s.theme().muted;
        const std::string name = s.depthName(d), count = inWords(counts[d], 9);
        style.h = AlignH::Left;
        if (s.painter().measure(name, style).x + s.painter().measure(count, style).x + 26 <= rect.width())
            s.painter().text("depths/layer", {rect.lo.x + 20, y}, name, style);
        style.h = AlignH::Right;
        s.painter().text("depths/count", {rect.hi.x - 3, y}, count, style);
        const Pointer p = s.f.handles.freePointer();
        if (p.inside && p.pressed && row.contains(p.at)) moveLayer(s, s.r.stateOfDepth[d]);
    }
    const bool certain = s.r.certificate != 0.0;
    style.h = AlignH::Left, style.color = certain ? s.theme().muted : s.theme().warning;
    const std::string check = certain ? "Euler: *V* − *E* + *F* = 1" : "fails its own check";
    if (y + line < rect.hi.y - 4 && s.painter().measure(check, style).x < rect.width())
        s.painter().text("depths/check", {rect.lo.x + 3, y + line}, check, style);
}

std::vector<double> meanOverChannels(const double* values, Size channels, Size pixels) {
    std::vector<double> mean(pixels, 0.0);
    for (Size i = 0; i < channels * pixels; ++i) mean[i % pixels] += values[i] / static_cast<double>(channels);
    return mean;
}

/// Samples that are images, as such: of several channels their mean.
void drawThumbnails(Frame& s, Rect rect) {
    const auto channels = static_cast<Size>(s.r.channels[0]), rows = static_cast<Size>(s.r.heights[0]),
               wide = static_cast<Size>(s.r.columns[0]);
    const double side = std::min(rect.height() - 16, (rect.width() - 12) / 3);
    for (Size role = 0; role < 3; ++role) {
        const auto grey = meanOverChannels(&s.r.chosenInputs[role * channels * rows * wide], channels, rows * wide);
        const Vec2 corner = rect.lo + Vec2{(side + 6) * static_cast<double>(role), 16};
        double lo = 1e300, hi = -1e300;
        for (Size i = 0; i < rows * wide; ++i) lo = std::min(lo, grey[i]), hi = std::max(hi, grey[i]);
        s.painter().field("regions/sample", {corner, corner + Vec2{side, side * static_cast<double>(rows) / static_cast<double>(wide)}},
                          {rows, wide, grey, lo, std::max(hi, lo + 1e-12), false, ColorMap::Capacity});
        s.painter().text("regions/sample", corner + Vec2{side / 2, -2}, kRoles[role],
                         {.color = s.theme().text, .size = s.theme().tinySize, .h = AlignH::Centre, .v = AlignV::Bottom, .bold = true});
    }
}

bool ofImages(const Frame& s) {
    const double pixels = s.r.channels[0] * s.r.heights[0] * s.r.columns[0];
    return s.r.heights[0] > 3 && s.r.columns[0] > 3 && static_cast<double>(s.r.chosenInputs.size()) == 3 * pixels;
}

/// How many regions there are, in words long and short; of the layers that were cut, where not all were.
std::array<std::string, 2> countTexts(const Frame& s) {
    if (s.r.certificate == 0.0) return {};
    const auto exact = static_cast<double>(s.depths());
    const double all = s.r.bendingLayers.value_or(exact);
    const std::string count = ": " + inWords(s.r.regionsByDepth.back(), 9);
    if (!(exact < all)) return {count, count};
    if (exact == 0) return {};
    const std::string of = inWords(exact) + " of " + inWords(all);
    return {count + " by the first " + (exact > 1 ? of : "of " + inWords(all)) + " bending layers", count + " by " + of + " layers"};
}

}  // namespace

void drawRegions(Frame& s, Rect rect) {
    const auto [count, brief] = s.cache.hasMesh ? countTexts(s) : std::array<std::string, 2>{};
    const std::string whole = s.units(0) > 2 ? "Activation regions of the plane through A, B, C" : "Activation regions of the input plane";
    rect = drawHeading(
        s, Lens::Regions, rect,
        {whole + count, whole + brief, "Activation regions" + count, "Activation regions" + brief, "Regions" + brief, "Regions"});
    if (!s.cache.hasMesh) return drawReason(s, Lens::Regions, rect, "There are no regions to show.");
    rect.hi.y -= drawRemark(s, Lens::Regions, rect);
    const bool beside = rect.width() - rect.height() > 92;
    const double side = std::floor(std::min(rect.height() - 2, beside ? rect.width() : rect.width() - 4));
    const double left = beside ? rect.lo.x + 4 : std::round(rect.centre().x - side / 2);
    drawSquare(s, {{left, rect.lo.y}, {left + side, rect.lo.y + side}});
    if (!beside) return;
    Rect list{{left + side + 10, rect.lo.y}, {std::min(rect.hi.x - 4, left + side + 200), rect.hi.y}};
    if (ofImages(s) && list.height() > 150) {
        list.hi.y -= std::min(list.width() / 3 + 18, 80.0);
        drawThumbnails(s, {{list.lo.x, list.hi.y + 2}, {list.hi.x, rect.hi.y}});
    }
    drawDepths(s, list);
}

namespace {

// The curve from sample A to sample B: its image in a layer's principal plane, and its length behind every layer.

void drawLengthPlot(Frame& s, Rect rect) {
    const auto& values = s.r.length.values;
    double lo = 1e300, hi = 1e-12;
    for (const double v : values)
        if (v > 1e-300 && std::isfinite(v)) lo = std::min(lo, v), hi = std::max(hi, v);
    // Lengths that are far apart need a logarithm.
    Curves curves{.id = "length", .x = layerAxis(s), .y = {.label = "length *ℓ*", .lo = 0, .hi = 1.12 * hi}, .fit = Fit::Given};
    if (hi > 12 * lo) curves.y.lo = lo / 1.4, curves.y.hi = hi * 1.6, curves.y.scale = Scale::Log;
    curves.curves = {{"measured", s.r.curveStates, values, Role::Measurement, "*ℓ*", s.theme().series[0], 2.2, false, true,
                      s.r.length.standardErrors, 0.2f}};
    curves.more = [&s](PictureFrame&, Plot& plot) { drawLayerMark(s, plot, "length"); };
    drawCurves(s.f, std::move(curves), rect);
}

/// "layer 2: 3.1 times as long, 14 pieces".
std::string factsAt(const Frame& s, Size layer) {
    const auto &length = s.r.length.values, &pieces = s.r.pieces;
    std::string text = s.layerName(layer);
    if (layer < length.size() && length[0] > 0) text += ": " + numberText(length[layer] / length[0], 3) + " ×";
    if (layer > 0 && layer < pieces.size() && std::isfinite(pieces[layer]))
        text += ", " + numberText(pieces[layer], 5) + (pieces[layer] == 1 ? " piece" : " pieces");
    return text;
}

/// A and B beside the ends, away from each other.
void nameEnds(Frame& s, const std::vector<Vec2>& points, Rect rect) {
    const TextStyle style{.color = s.theme().text,
                          .size = s.theme().tinySize,
                          .h = AlignH::Centre,
                          .v = AlignV::Middle,
                          .bold = true,
                          .halo = s.theme().ground};
    const Vec2 a = points.front(), b = points.back(), away = b - a;
    const double length = std::hypot(away.x, away.y);
    const Vec2 out = length > 1 ? away * (13 / length) : Vec2{0, 13};
    for (const auto& [id, name, at] : {std::tuple{"image/A", "A", a - out}, std::tuple{"image/B", "B", b + out}})
        if (rect.contains(at)) s.painter().text(id, at, name, style);
}

void drawImage(Frame& s, Rect rect) {
    const auto &length = s.r.length.values, &share = s.r.planeShare;
    const Size last = share.size() - 1, layer = std::min(s.layer(), last);
    const TextStyle style{.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Centre, .v = AlignV::Bottom};
    const std::string facts = factsAt(s, layer), name = s.layerName(layer);
    const Rect inner = rect.inset(22, 22, 22, 44);
    const auto points = curve_image::mixedImage(s.r.image, s.r.points.size(), between(s.at, last), inner);
    s.painter().pushClip({rect.lo, {rect.hi.x, rect.hi.y - 20}});
    curve_image::drawColored(s.f, "image", points, curve_image::widthOf(length[layer] / std::max(length[0], 1e-300)));
    curve_image::drawEnds(s.f, points);
    s.painter().popClip();
    s.curves.push_back({points, s.r.place, rect});
    const std::string spread = ", " + numberText(100 * share[layer], 3) + " % of its spread";
    for (const std::string& text : {facts + spread, facts, name}) {
        if (s.painter().measure(text, style).x > rect.width() - 6) continue;
        s.painter().text("image/facts", {rect.centre().x, rect.hi.y - 4}, text, style);
        break;
    }
    nameEnds(s, points, rect.inset(8, 8, 8, 24));
}

}  // namespace

void drawTrajectory(Frame& s, Rect rect) {
    const std::string times = s.r.lengthRatio ? ": " + numberText(*s.r.lengthRatio, 3) + " times as long at the output" : "";
    rect = drawHeading(s, Lens::Trajectory, rect,
                       {"Trajectory from A to B" + times, "Trajectory" + times, "Trajectory from A to B", "Trajectory"});
    if (s.r.length.values.empty()) return drawReason(s, Lens::Trajectory, rect, "There is no curve to follow.");
    rect.hi.y -= drawRemark(s, Lens::Trajectory, rect);
    const auto length = [&s](Rect r) { drawLengthPlot(s, withoutTitle(r)); };
    if (s.r.image.empty()) return length(rect);
    pair(rect, {Layout(0, {105, 90}, [&s](Rect r) { drawImage(s, r); }), Layout(1, {110, 90}, length)}).draw(rect);
}

}  // namespace kappaflow::network_lens
