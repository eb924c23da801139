// What the regions are filled by, and the colours of their lines.
#include "scenes/expressivity/picture_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/decimal.h"

namespace kappaflow::region_mesh {
namespace {

/// Soft colours on a grid of hue, chroma and lightness: few enough to be made once, and for a figure to write each once.
struct Palette {
    static constexpr std::size_t kHues = 48, kChromas = 5, kLightnesses = 4;
    std::vector<Color> colors;
    explicit Palette(bool dark) {
        for (std::size_t h = 0; h < kHues; ++h)
            for (std::size_t c = 0; c < kChromas; ++c)
                for (std::size_t l = 0; l < kLightnesses; ++l) {
                    const double lightness = dark ? 24 + 5.5 * static_cast<double>(l) : 80 + 4.2 * static_cast<double>(l);
                    const double chroma = (dark ? 5.5 : 7.5) * static_cast<double>(c);
                    colors.push_back(fromLch(lightness, chroma, 360.0 * static_cast<double>(h) / kHues));
                }
    }
    Color at(double hue, double chroma, double lightness) const {
        const auto index = [](double share, std::size_t count) {
            return static_cast<std::size_t>(std::clamp(share * static_cast<double>(count - 1) + 0.5, 0.0, static_cast<double>(count - 1)));
        };
        const auto h = static_cast<std::size_t>((hue - std::floor(hue)) * kHues) % kHues;
        return colors[(h * kChromas + index(chroma, kChromas)) * kLightnesses + index(lightness, kLightnesses)];
    }
};

const Palette& palette(bool dark) {
    static const Palette light(false), night(true);
    return dark ? night : light;
}

/// Unit vectors of the 4096 directions that a pattern's number may choose.
const std::vector<Vec2>& directions() {
    static const std::vector<Vec2> all = [] {
        std::vector<Vec2> made;
        for (int i = 0; i < 4096; ++i) made.push_back({std::cos(6.283185307 * i / 4096), std::sin(6.283185307 * i / 4096)});
        return made;
    }();
    return all;
}

}  // namespace

/// Neighbours across an early line differ most.
std::vector<Color> patternColors(const std::vector<double>& pattern, std::size_t regions, std::size_t layer, bool dark) {
    const std::vector<Vec2>& turns = directions();
    std::vector<Color> colors;
    colors.reserve(regions);
    for (std::size_t region = 0; region < regions; ++region) {
        Vec2 all;
        double lightness = 0.5, weight = 1, sum = 0;
        for (std::size_t d = 1; d <= layer; ++d, weight *= 0.72) {
            // By bits: a remainder of so large a number takes longer than all the rest.
            const auto hash = static_cast<std::uint64_t>(pattern[d * regions + region]);
            all = all + turns[hash & 4095] * weight;
            lightness += 0.8 * weight * (static_cast<double>(hash >> 12 & 1023) / 1023 - 0.5);
            sum += weight * weight;
        }
        const double size = std::hypot(all.x, all.y) / std::sqrt(std::max(sum, 1.0)), hue = std::atan2(all.y, all.x) / 6.283185307;
        colors.push_back(palette(dark).at(hue, layer == 0 ? 0 : 0.35 + 0.65 * std::min(size, 1.0), lightness));
    }
    return colors;
}

const std::vector<Color>& Fills::mixed(const std::vector<Color>& below, const std::vector<Color>& above, double fraction) {
    mixed_.resize(below.size());
    for (std::size_t i = 0; i < below.size(); ++i) mixed_[i] = mix(below[i], above[i], fraction);
    return mixed_;
}

Color plainColor(const Theme& theme) { return palette(theme.dark).at(0, 0, 0.5); }

Color layerColor(const Theme& theme, std::size_t layer) {
    if (layer == 0) return theme.line;
    // The first layer in ink, as the survey draws it; the others in green, purple and olive: blue and orange are signs of the output.
    constexpr std::size_t kOthers[] = {2, 3, 6};
    return layer == 1 ? mix(theme.ground, theme.text, 0.72) : theme.series[kOthers[(layer - 2) % 3]];
}

Color outputColor(const Theme& theme, double value, double most) {
    if (value == 0 || !(most > 0)) return theme.ground;
    // A step at 0, so that the sign of the smallest value is seen.
    return mix(theme.ground, theme.series[value < 0 ? 0 : 1], 0.16 + 0.39 * std::sqrt(std::min(std::abs(value) / most, 1.0)));
}

Mesh meshOf(const Numbers& of) {
    Mesh mesh;
    const Vec2 centre = of.centre();
    const double scale = 1 / of.half();
    const auto placed = [&](const double* p) { return Vec2{(p[0] - centre.x) * scale, (p[1] - centre.y) * scale}; };
    mesh.points.reserve(of.vertices.size() / 2);
    for (std::size_t v = 0; v + 1 < of.vertices.size(); v += 2) mesh.points.push_back(placed(&of.vertices[v]));
    mesh.corners.assign(of.polygons.begin(), of.polygons.end());
    mesh.ends.assign(of.polygonEnds.begin(), of.polygonEnds.end());
    mesh.edges.resize(of.layers + 1);
    const double* ends = of.edges.data();
    for (const double layer : of.edgeLayer) {
        auto& own = mesh.edges[std::min(static_cast<std::size_t>(layer), of.layers)];
        for (int end = 0; end < 2; ++end) own.push_back(mesh.points[static_cast<std::size_t>(*ends++)]);
    }
    for (std::size_t i = 0; i + 1 < of.decisions.size(); i += 2) mesh.decisions.push_back(placed(&of.decisions[i]));
    return mesh;
}

bool holds(const Mesh& mesh, std::size_t region, Vec2 p) {
    const std::size_t begin = region == 0 ? 0 : mesh.ends[region - 1], end = mesh.ends[region];
    bool inside = end > begin + 2;
    for (std::size_t i = begin; inside && i < end; ++i) {
        const Vec2 a = mesh.points[mesh.corners[i]], b = mesh.points[mesh.corners[i + 1 < end ? i + 1 : begin]];
        inside = (b.x - a.x) * (p.y - a.y) >= (b.y - a.y) * (p.x - a.x);
    }
    return inside;
}

std::optional<std::size_t> regionAt(const Mesh& mesh, Vec2 p) {
    for (std::size_t region = 0; region < mesh.ends.size(); ++region)
        if (holds(mesh, region, p)) return region;
    return std::nullopt;
}

void drawFills(PictureFrame& f, const Seen& seen, const std::vector<Color>& colors) {
    CellMesh cells;
    cells.points = seen.mesh.points;
    cells.corners = seen.mesh.corners;
    cells.ends = seen.mesh.ends;
    cells.colors = colors;
    cells.place = seen.place;
    cells.version = seen.version;
    f.painter.cells("regions/cells", cells);
}

/// Lines are finer and paler where cells are smaller than they.
void drawEdges(PictureFrame& f, const Seen& seen, const std::vector<double>& regionsByDepth) {
    const Between b = between(seen.depth, seen.mesh.edges.size() - 1);
    const double shown = regionsByDepth[b.below] * (1 - b.fraction) + regionsByDepth[b.above] * b.fraction;
    const double cell = 2 * seen.place.scale.x / std::sqrt(std::max(shown, 1.0));
    const double width = std::clamp(cell / 14, 0.6, 2.0);
    const auto alpha = static_cast<float>(std::clamp(cell / 7, 0.3, 1.0));
    for (std::size_t layer = b.fraction > 0 ? b.above : b.below; layer >= 1; --layer) {
        const bool comes = layer > b.below, drawn = comes && seen.coming;
        const double grown = comes && !drawn ? eased(b.fraction) : 1;
        const double older = layer == 1 ? 1.25 : 1;
        f.painter.segments("regions/edges/" + std::to_string(layer),
                           {drawn ? *seen.coming : seen.mesh.edges[layer], layerColor(f.theme, layer).withAlpha(alpha), width * older,
                            grown, seen.place, drawn ? 0 : seen.version});
    }
}

double decided(const Seen& seen) {
    const double share = seen.depth - (static_cast<double>(seen.mesh.edges.size()) - 2);
    return eased(std::clamp(4 * share - 3, 0.0, 1.0));
}

void drawDecision(PictureFrame& f, const Seen& seen) {
    const auto alpha = static_cast<float>(decided(seen));
    if (seen.mesh.decisions.empty() || alpha <= 0) return;
    const auto& lines = seen.mesh.decisions;
    f.painter.segments("regions/decision/rim", {lines, f.theme.ground.withAlpha(0.8f * alpha), 6, 1, seen.place, seen.version});
    f.painter.segments("regions/decision", {lines, f.theme.text.withAlpha(alpha), 3, 1, seen.place, seen.version});
}

void drawMarked(PictureFrame& f, const Seen& seen, const std::vector<double>& pattern, std::size_t layer, std::size_t region) {
    const auto& ends = seen.mesh.ends;
    const double* patterns = &pattern[layer * ends.size()];
    std::vector<std::uint32_t> corners, marked;
    for (std::size_t r = 0; r < ends.size(); ++r) {
        if (patterns[r] != patterns[region]) continue;
        for (std::size_t i = r == 0 ? 0 : ends[r - 1]; i < ends[r]; ++i) corners.push_back(seen.mesh.corners[i]);
        marked.push_back(static_cast<std::uint32_t>(corners.size()));
    }
    // In ink: blue and orange are signs of the output.
    const std::vector<Color> colors(marked.size(), f.theme.text.withAlpha(0.25f));
    CellMesh cells;
    cells.points = seen.mesh.points, cells.corners = corners, cells.ends = marked, cells.colors = colors, cells.place = seen.place;
    f.painter.cells("regions/marked", cells);
}

namespace {

// The window of the plane: how it is moved, and what lies in it beside the regions.

/// More would hide each other and the regions.
constexpr std::size_t kMostSamples = 4000;

struct Reach {
    double least = 1e-5, most = 1000;
};
Reach reachOf(const PictureFrame& f, const char* key) {
    const Param* param = requireDeclaration(f.state.scene).param(key);
    return param ? Reach{param->min, param->max} : Reach{};
}

void moveWindow(PictureFrame& f, const Stage& stage, Vec2 centre, double half) {
    const Reach sides = reachOf(f, "half"), places = reachOf(f, "centre");
    half = std::clamp(half, sides.least, sides.most);
    if (half != stage.half) f.changes.push_back(Change::param("half", decimalNumber(inWords(half, 6))));
    const Stage to{stage.square, centre, half};
    const std::vector<double> list{std::clamp(to.rounded(centre.x), places.least, places.most),
                                   std::clamp(to.rounded(centre.y), places.least, places.most)};
    if (list != std::vector<double>{stage.centre.x, stage.centre.y}) f.changes.push_back(Change::param("centre", list));
}

void resetWindow(PictureFrame& f) {
    const Declaration& declaration = requireDeclaration(f.state.scene);
    for (const char* key : {"half", "centre"})
        if (const Param* param = declaration.param(key)) f.changes.push_back(Change::param(key, standardBeside(*param, f.state.params)));
}

void drawZoomKnob(PictureFrame& f, Vec2 at, bool lively) {
    f.painter.rect("window/zoom", around(at, 10), f.theme.raised.withAlpha(lively ? 1.0f : 0.8f), 5);
    const Stroke stroke{lively ? f.theme.accent : f.theme.muted, 1.6};
    for (const double side : {-1.0, 1.0}) {
        const Vec2 arrow[] = {at + Vec2{-4, side * 2}, at + Vec2{0, side * 6}, at + Vec2{4, side * 2}};
        f.painter.line("window/zoom", arrow, stroke, false);
    }
}

void drawTicks(PictureFrame& f, const Stage& stage) {
    const Stroke stroke{f.theme.text.withAlpha(0.7f), 1};
    const Vec2 corner{stage.square.lo.x, stage.square.hi.y};
    TextStyle style{.color = f.theme.text, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Bottom, .halo = f.theme.ground};
    const auto ticks = [&](double middle) {
        return ticksFor({.label = "", .lo = middle - stage.half, .hi = middle + stage.half}, stage.square.width(), 56);
    };
    double taken = corner.x + 40;
    for (const Tick& tick : ticks(stage.centre.x)) {
        const double x = f.painter.crisp(stage.toScreen({tick.value, 0}).x), half = f.painter.measure(tick.label, style).x / 2 + 4;
        f.painter.line("window/tick", Vec2{x, corner.y}, Vec2{x, corner.y - 5}, stroke);
        if (tick.label.empty() || x - half < taken || x + half > stage.square.hi.x - 30) continue;
        f.painter.text("window/tick-label", {x, corner.y - 7}, tick.label, style);
        taken = x + half;
    }
    style.h = AlignH::Left, style.v = AlignV::Middle;
    for (const Tick& tick : ticks(stage.centre.y)) {
        const double y = f.painter.crisp(stage.toScreen({0, tick.value}).y);
        f.painter.line("window/tick", Vec2{corner.x, y}, Vec2{corner.x + 5, y}, stroke);
        if (tick.label.empty() || y > corner.y - 36 || y < stage.square.lo.y + 12) continue;
        f.painter.text("window/tick-label", {corner.x + 8, y}, tick.label, style);
    }
}

}  // namespace

PlanePlace Stage::placeOf(Vec2 otherCentre, double otherHalf) const {
    const double scale = square.width() / 2 * otherHalf / half;
    return {toScreen(otherCentre), {scale, -scale}};
}

double Stage::rounded(double value) const {
    const double scale = std::pow(10, 5 - std::floor(std::log10(half)));
    return std::round(value * scale) / scale;
}

Stage stageOf(const PictureFrame& f, Rect square) {
    const auto& centre = f.state.params.list("centre");
    return {square, {centre.empty() ? 0 : centre[0], centre.size() < 2 ? 0 : centre[1]}, f.state.params.number("half")};
}

void moveFreely(PictureFrame& f, const Stage& stage) {
    f.handles.takeWheel(stage.square);
    Pointer p = f.handles.freePointer();
    // The wheel turns over a knob too: a click has just pinned one where the pointer is.
    if (const Pointer& any = f.handles.pointer(); any.wheel != 0 && !f.handles.holding()) p = any;
    if (!p.inside || !stage.square.contains(p.down ? p.pressedAt : p.at)) return;
    if (p.doubleClicked) {
        resetWindow(f);
    } else if (p.wheel != 0) {
        const Reach sides = reachOf(f, "half");
        const double half = std::clamp(stage.half * std::pow(1.2, -p.wheel), sides.least, sides.most);
        const Vec2 under = stage.toPlane(p.at);
        moveWindow(f, stage, under + (stage.centre - under) * (half / stage.half), half);
    } else if (p.down && !p.pressed && !p.touch && !(p.moved == Vec2{})) {
        const double scale = 2 * stage.half / stage.square.width();
        moveWindow(f, stage, stage.centre + Vec2{-p.moved.x, p.moved.y} * scale, stage.half);
    }
}

void offerWindow(PictureFrame& f, const Stage& stage) {
    const Vec2 at = stage.square.hi - Vec2{15, 15};
    const Rect knob = around(at, 13);
    const double zoom = std::log10(stage.half);
    const Reach sides = reachOf(f, "half"), places = reachOf(f, "centre");
    const auto grip = f.handles.offer(
        {"zoom", "half side of the window", inWords(stage.half), zoom, std::log10(sides.least), std::log10(sides.most), 0.1, knob});
    // The keyboard goes by steps, a drag also between them.
    const double dragged = zoom + f.handles.pointer().moved.y / 100, to = grip.held ? dragged : grip.moved ? grip.value : zoom;
    if (to != zoom) moveWindow(f, stage, stage.centre, std::pow(10, to));
    for (const bool upright : {false, true}) {
        const double value = upright ? stage.centre.y : stage.centre.x;
        const auto moved =
            f.handles.offer({upright ? "centreY" : "centreX", upright ? "window's middle, upwards" : "window's middle, to the right",
                             inWords(value), value, places.least, places.most, 0.1 * stage.half, knob});
        if (moved.moved) moveWindow(f, stage, upright ? Vec2{stage.centre.x, moved.value} : Vec2{moved.value, stage.centre.y}, stage.half);
    }
    if (!f.kept) drawZoomKnob(f, at, grip.lively());
}

Color classColor(const Theme& theme, double c, bool two) {
    constexpr std::size_t kOrder[] = {1, 0, 2, 3, 5, 6, 4, 7};
    if (!(c >= 0)) return theme.muted;
    const auto number = static_cast<std::size_t>(c);
    return theme.series[kOrder[two ? 1 - number : number % 8]];
}

void drawSamples(PictureFrame& f, const Stage& stage, const std::vector<double>& points, const std::vector<double>& classes) {
    const std::size_t samples = std::min(classes.size(), kMostSamples);
    if (samples == 0) return;
    const double radius = std::clamp(stage.square.width() / (samples > 300 ? 190 : 150), 1.6, 4.0);
    const bool two = largest(classes, 0) < 2;
    std::vector<PointMark> rims, marks;
    for (std::size_t s = 0; s < samples; ++s) {
        const Vec2 at = stage.toScreen({points[2 * s], points[2 * s + 1]});
        if (!stage.square.contains(at)) continue;
        rims.push_back({at, radius + 1.2, f.theme.ground});
        marks.push_back({at, radius, classColor(f.theme, classes[s], two)});
    }
    f.painter.points("samples/rim", rims);
    f.painter.points("samples", marks);
}

void drawFrame(PictureFrame& f, const Stage& stage) {
    drawTicks(f, stage);
    f.painter.frame("window/frame", stage.square, {f.theme.muted, 1});
}

}  // namespace kappaflow::region_mesh
