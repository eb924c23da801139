#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions/picture_view.h"
#include "scenes/expressivity/picture_curves.h"

namespace kappaflow {
namespace regions {

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {{&view.vertices, "vertices"},
                                                            {&view.polygons, "polygons"},
                                                            {&view.polygonEnds, "polygonEnds"},
                                                            {&view.edges, "edges"},
                                                            {&view.edgeLayer, "edgeLayer"},
                                                            {&view.edgeUnit, "edgeUnit"},
                                                            {&view.area, "area"},
                                                            {&view.firstCut, "firstCut"},
                                                            {&view.pattern, "pattern"},
                                                            {&view.regionsByDepth, "regionsByDepth"},
                                                            {&view.edgesByDepth, "edgesByDepth"},
                                                            {&view.verticesByDepth, "verticesByDepth"},
                                                            {&view.units, "unitsByDepth"},
                                                            {&view.typical, "typicalByDepth"},
                                                            {&view.bound, "boundByDepth"},
                                                            {&view.window, "window"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    const std::pair<const Array**, const char*> more[] = {{&view.states, "states"},
                                                          {&view.output, "output"},
                                                          {&view.vertexOutput, "vertexOutput"},
                                                          {&view.gradient, "gradient"},
                                                          {&view.decision, "decisionBoundary"},
                                                          {&view.path, "path"},
                                                          {&view.breaks, "pathBreaks"},
                                                          {&view.widths, "widths"},
                                                          {&view.weights, "weights"},
                                                          {&view.weightLayer, "weightLayer"},
                                                          {&view.weightTo, "weightTo"},
                                                          {&view.weightFrom, "weightFrom"}};
    for (const auto& [array, name] : more) *array = r.array(name);
    view.layers = view.regionsByDepth->values.size() - 1;
    view.depth = std::clamp(f.state.params.number("depth"), 0.0, static_cast<double>(view.layers));
    const Scalar* certificate = r.scalar("certificate");
    view.certain = !certificate || certificate->value == 1;
    return view.regions() > 0;
}

void fillCache(MeshCache& cache, const PictureFrame& f, const View& view) {
    if (cache.filled && cache.version == f.reportVersion && cache.mesh.ends.size() == view.regions()) return;
    cache = {f.reportVersion, true, region_mesh::meshOf(view.source()), {}};
}

std::optional<std::size_t> regionAt(const MeshCache& cache, const View& view, Vec2 plane) {
    const region_mesh::Source source = view.source();
    return region_mesh::regionAt(cache.mesh, (plane - source.centre()) * (1 / source.half()));
}

bool hasNetwork(const View& view) { return view.widths && view.weights && view.weightTo && view.weightFrom && view.weightLayer; }

Chosen chosenOf(const PictureFrame& f, const View& view) {
    const auto& list = f.state.params.list("chosen");
    const auto entry = [&](std::size_t i, double most) {
        return static_cast<std::size_t>(std::clamp(i < list.size() ? std::round(list[i]) : 0.0, i == 0 ? 1.0 : 0.0, most));
    };
    if (!hasNetwork(view)) return {};
    Chosen chosen;
    chosen.layer = entry(0, static_cast<double>(view.widths->values.size()) - 1);
    chosen.unit = entry(1, view.widths->values[chosen.layer] - 1);
    return chosen;
}

namespace {

// What the regions are filled by.

/// A value on a colour map, softened so that lines stay visible on it.
struct Tint {
    ColorMap map;
    double lo, hi;
    Tint(const Array& values, ColorMap m) : map(m), lo(0), hi(1e-300) {
        for (const double v : values.values) lo = std::min(lo, v), hi = std::max(hi, v);
    }
    Color at(double value, const Theme& theme) const {
        return mix(sample(map, mapPosition(map, value, lo, hi, false), theme.dark), theme.ground, map == ColorMap::Diverging ? 0.25 : 0.15);
    }
};

Color firstCutColor(const PictureFrame& f, const View& view, std::size_t region, std::size_t layer) {
    const double cut = view.firstCut->values[region];
    return cut < 1 || cut > static_cast<double>(layer) ? region_mesh::plainColor(f.theme)
                                                       : mix(f.theme.ground, layerColor(f.theme, static_cast<std::size_t>(cut)), 0.45);
}

std::string modeOf(const PictureFrame& f, const View& view) {
    const std::string& mode = f.state.params.text("colour");
    const bool missing = (mode == "output" && !view.vertexOutput) || (mode == "gradient" && !view.gradient);
    return missing ? "pattern" : mode;
}

std::vector<Color> colorsAt(const PictureFrame& f, const View& view, const std::string& mode, std::size_t layer) {
    std::vector<Color> colors;
    if (mode == "output") {
        const Tint scale(*view.vertexOutput, ColorMap::Diverging);
        colors.reserve(view.vertexOutput->values.size());
        for (const double v : view.vertexOutput->values) colors.push_back(scale.at(v, f.theme));
        return colors;
    }
    colors.reserve(view.regions());
    if (mode == "gradient") {
        const Tint scale(*view.gradient, ColorMap::Capacity);
        for (const double v : view.gradient->values) colors.push_back(scale.at(v, f.theme));
    }
    for (std::size_t r = colors.size(); r < view.regions(); ++r)
        colors.push_back(mode == "layer" ? firstCutColor(f, view, r, layer)
                                         : region_mesh::patternColor(*view.pattern, r, layer, f.theme.dark));
    return colors;
}

}  // namespace

bool isShaded(const PictureFrame& f, const View& view) { return modeOf(f, view) == "output"; }

const std::vector<Color>& fillColors(MeshCache& cache, const PictureFrame& f, const View& view) {
    const std::string mode = modeOf(f, view);
    return cache.fills.at(between(view.depth, view.layers), mode, f.theme.dark,
                          [&](std::size_t layer) { return colorsAt(f, view, mode, layer); });
}

namespace {

// What is known of one region.

constexpr std::size_t kMostUnitsInWords = 32, kMostLayersInWords = 6;

std::size_t beginOf(const View& view, std::size_t region) {
    return region == 0 ? 0 : static_cast<std::size_t>(view.polygonEnds->values[region - 1]);
}

Vec2 vertexOf(const View& view, std::size_t corner) {
    const double* p = view.vertices->row(static_cast<std::size_t>(view.polygons->values[corner]));
    return {p[0], p[1]};
}

std::string statesOf(const View& view, std::size_t layer, std::size_t region) {
    const std::size_t units = view.unitsOf(layer);
    std::string text;
    for (std::size_t u = 0; u < units && units <= kMostUnitsInWords; ++u) {
        const int state = stateOf(view, layer, u, region);
        if (state < 0) return {};
        text += static_cast<char>('0' + state);
    }
    return text;
}

/// The affine function through three corners that lie well apart.
std::string mapOf(const View& view, std::size_t region) {
    const std::size_t begin = beginOf(view, region), end = static_cast<std::size_t>(view.polygonEnds->values[region]);
    double best = 0, slopeX = 0, slopeY = 0, constant = 0;
    for (std::size_t i = begin + 1; i < end; ++i)
        for (std::size_t j = i + 1; j < end && j < i + 12; ++j) {
            const Vec2 o = vertexOf(view, begin), a = vertexOf(view, i) - o, b = vertexOf(view, j) - o;
            const double area = a.x * b.y - a.y * b.x;
            if (std::abs(area) <= best) continue;
            best = std::abs(area);
            const auto value = [&](std::size_t corner) {
                return view.vertexOutput->values[static_cast<std::size_t>(view.polygons->values[corner])];
            };
            const double c = value(begin), da = value(i) - c, db = value(j) - c;
            slopeX = (da * b.y - db * a.y) / area, slopeY = (db * a.x - da * b.x) / area;
            constant = c - slopeX * o.x - slopeY * o.y;
        }
    const auto term = [](double v, const char* name) { return (v < 0 ? " − " : " + ") + inWords(std::abs(v)) + " *" + name + "*"; };
    return "output " + inWords(constant) + term(slopeX, "x") + term(slopeY, "y");
}

}  // namespace

int stateOf(const View& view, std::size_t layer, std::size_t unit, std::size_t region) {
    if (!view.states || layer < 1 || layer > view.layers) return -1;
    const double packed = view.states->row(layer - 1)[region];
    if (std::isnan(packed)) return -1;
    const double base = view.baseOf(layer);
    return static_cast<int>(std::fmod(std::floor(packed / std::pow(base, static_cast<double>(unit))), base));
}

std::vector<std::string> factsOf(const View& view, std::size_t region) {
    const std::size_t layer = view.layer();
    const double* patterns = view.pattern->row(layer);
    double area = 0;
    for (std::size_t r = 0; r < view.regions(); ++r)
        if (patterns[r] == patterns[region]) area += view.area->values[r];
    std::vector<std::string> lines{"one of " + inWords(view.regionsByDepth->values[layer], 9) + " regions"};
    std::string size = "area " + inWords(area);
    if (view.whole())
        size += ", " + std::to_string(static_cast<std::size_t>(view.polygonEnds->values[region]) - beginOf(view, region)) + " sides";
    lines.push_back(size);
    for (std::size_t l = 1; l <= std::min(layer, kMostLayersInWords); ++l) {
        const std::string states = statesOf(view, l, region);
        if (!states.empty()) lines.push_back("layer " + std::to_string(l) + ": " + states);
    }
    if (view.whole() && view.vertexOutput) lines.push_back(mapOf(view, region));
    return lines;
}

namespace {

/// What stands beside the window, from the top: counts, growth or training, the plane, the network.
void drawPanels(PictureFrame& f, const View& view, Rect panel, std::optional<std::size_t> region) {
    const double rows = static_cast<double>(std::min<std::size_t>(view.layers + 1, 7)), counts = 18 * (rows + 3) + 4;
    drawCounts(f, view, {panel.lo, {panel.hi.x, panel.lo.y + counts}});
    Rect rest{{panel.lo.x, panel.lo.y + counts + 8}, panel.hi};
    const double share = hasNetwork(view) && rest.height() > 220 ? std::clamp(rest.height() * 0.5, 110.0, 260.0) : 0;
    if (share > 0) drawNetwork(f, view, {{rest.lo.x, rest.hi.y - share + 8}, rest.hi}, region);
    rest.hi.y -= share;
    if (rest.height() < 110) return;
    if (hasPlane(f)) {
        const double side = std::min(130.0, rest.width() * 0.42);
        drawPlane(f, {{rest.hi.x - side, rest.lo.y}, {rest.hi.x, rest.lo.y + std::min(side + 20, rest.height())}});
        rest.hi.x -= side + 6;
    }
    if (!learning_curve::drawTraining(f, rest)) drawGrowth(f, view, rest);
}

std::optional<std::size_t> drawSquare(PictureFrame& f, const View& view, MeshCache& cache, Vec2 corner, double side) {
    const Stage stage = stageOf(f, {corner, corner + Vec2{side, side}});
    const auto region = drawWindow(f, view, cache, stage);
    f.painter.pushClip(stage.square);
    region_mesh::drawSamples(f, stage);
    f.painter.popClip();
    return region;
}

void drawWide(PictureFrame& f, const View& view, MeshCache& cache) {
    const Rect a = f.area;
    const double side = std::max(60.0, std::min(a.height() - 8, a.width() - std::clamp(a.width() * 0.34, 230.0, 430.0) - 16));
    const double top = a.lo.y + 0.5 * (a.height() - side);
    const auto region = drawSquare(f, view, cache, {a.lo.x + 2, std::round(top)}, std::floor(side));
    drawPanels(f, view, {{a.lo.x + side + 20, a.lo.y + 4}, {a.hi.x - 4, a.hi.y - 4}}, region);
}

/// How the plane lies, and the network.
void drawInside(PictureFrame& f, const View& view, Rect rest, std::optional<std::size_t> region) {
    if (hasPlane(f)) {
        const double side = std::min(150.0, rest.height() - 20);
        drawPlane(f, {{rest.hi.x - side, rest.lo.y}, {rest.hi.x, rest.lo.y + side + 20}});
        rest.hi.x -= side + 6;
    }
    drawNetwork(f, view, rest, region);
}

/// Beside the counts: a tap shows the network and the plane below the window, or hides them; `name`: what it brings.
void offerBelow(PictureFrame& f, Rect button, bool shown, const char* name) {
    const double value = shown;
    const auto grip = f.handles.offer({"below", "network and plane below the regions", shown ? "shown" : "hidden", value, 0, 1, 1, button},
                                      [&](Vec2) { return value; });
    const bool tapped = grip.held && f.handles.pointer().pressed;
    if (tapped || grip.moved) f.changes.push_back(Change::param("below", tapped ? !shown : grip.value > 0.5));
    f.painter.text("below", button.hi - Vec2{6, button.height() / 2}, name,
                   {.color = f.theme.accent, .size = f.theme.smallSize, .h = AlignH::Right, .v = AlignV::Middle});
}

/// Height of the line of counts, of what is drawn below it, and of the smallest window that makes room for that.
constexpr double kCountLine = 26, kBelow = 118, kLeastSide = 160;

/// Narrow: the window first; below it a line of counts, and the network where there is room.
void drawNarrow(PictureFrame& f, const View& view, MeshCache& cache) {
    const Rect a = f.area;
    if (a.width() > 1.5 * a.height()) {
        const double side = std::floor(a.height() - 4);
        const auto region = drawSquare(f, view, cache, a.lo + Vec2{2, 2}, side);
        const Rect panel{{a.lo.x + side + 14, a.lo.y + 4}, {a.hi.x - 4, a.hi.y - 4}};
        panel.width() > 210 && panel.height() > 110 ? drawPanels(f, view, panel, region)
                                                    : drawCountLine(f, view, {panel.lo, {panel.hi.x, panel.lo.y + 20}});
        return;
    }
    const bool more = hasPlane(f) || hasNetwork(view), trained = f.report.array("loss");
    const double whole = std::min(a.width() - 4, a.height() - kCountLine), shared = std::min(whole, a.height() - kCountLine - kBelow - 4);
    // Where the window leaves no room, a reader chooses; how training goes is shown unasked.
    const bool asked = f.state.params.flag("below") && more, asks = a.height() - kCountLine - whole < kBelow && shared > kLeastSide;
    const double side = std::floor(std::max(60.0, asks && (asked || trained) ? shared : whole));
    const auto region = drawSquare(f, view, cache, {a.centre().x - side / 2, a.lo.y + 2}, side);
    const double below = a.lo.y + side + 4, button = asks && more && !f.kept ? 64 : 0;
    drawCountLine(f, view, {{a.lo.x, below}, {a.hi.x - button, below + 20}});
    const char* next = asked ? (trained ? "loss" : "hide") : hasNetwork(view) ? "network" : "plane";
    if (button > 0) offerBelow(f, {{a.hi.x - button, below - 2}, {a.hi.x, below + 22}}, asked, next);
    const Rect rest{{a.lo.x + 6, below + 26}, {a.hi.x - 6, a.hi.y - 2}};
    if (rest.height() < kBelow - 8) return;
    if (!trained || (asks && asked)) return drawInside(f, view, rest, region);
    learning_curve::drawTraining(f, rest);
}

class RegionsPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The window is being cut.");
        fillCache(cache_, f, view);
        f.compact || f.area.width() < 600 ? drawNarrow(f, view, cache_) : drawWide(f, view, cache_);
    }

private:
    MeshCache cache_;
};

}  // namespace
}  // namespace regions

PictureEntry activation_regions_picture() {
    return {"activation-regions", [] { return std::unique_ptr<Picture>(std::make_unique<regions::RegionsPicture>()); }};
}

}  // namespace kappaflow
