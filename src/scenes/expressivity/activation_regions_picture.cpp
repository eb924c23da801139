// Activation regions (survey Fig 1): the partition of a window with its colours and what is known of a region; beside it counts, growth or
// training, the plane and the network.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions_picture.h"
#include "scenes/expressivity/picture_curves.h"

namespace kappaflow {
namespace activation_regions {

Chosen chosenOf(const Seen& s) {
    const auto& list = s.params.chosen;
    const auto entry = [&](Size i, double most) {
        return static_cast<Size>(std::clamp(i < list.size() ? std::round(list[i]) : 0.0, i == 0 ? 1.0 : 0.0, most));
    };
    if (!hasNetwork(s)) return {};
    Chosen chosen;
    chosen.layer = entry(0, static_cast<double>(s.result.widths.size()) - 1);
    chosen.unit = entry(1, s.result.widths[chosen.layer] - 1);
    return chosen;
}

const Courses& coursesOf(const Seen& s, MeshCache& cache) {
    if (!cache.courses) cache.courses = coursesOf(s.result, cache.mesh);
    return *cache.courses;
}

void chooseUnit(const Seen& s, Chosen unit) {
    s.f.changes.push_back(Change::param("chosen", std::vector<double>{static_cast<double>(unit.layer), static_cast<double>(unit.unit)}));
}

Fill fillOf(const Seen& s) {
    const Fill fill = s.params.colour;
    const bool missing = (fill == Fill::Output && s.result.vertexOutput.empty()) || (fill == Fill::Gradient && s.result.gradient.empty());
    return missing ? Fill::Pattern : fill;
}

namespace {

using region_mesh::layerColor, region_mesh::Stage;

region_mesh::Numbers numbersOf(const Seen& s) {
    const Result& r = s.result;
    static const std::vector<double> kNone;
    return {r.vertices, r.polygons, r.polygonEnds, r.edges, r.edgeLayer, r.decisions ? *r.decisions : kNone, r.window, layersOf(s)};
}

/// Number of the region under a point of the plane.
std::optional<Size> regionAt(const Seen& s, const MeshCache& cache, Vec2 plane) {
    return region_mesh::regionAt(cache.mesh, (plane - numbersOf(s).centre()) * (1 / numbersOf(s).half()));
}

// What the regions are filled by.

double largestSize(const std::vector<double>& values) {
    double most = 0;
    for (const double v : values) most = std::max(most, std::abs(v));
    return most;
}

/// Softened so that lines stay visible on it.
Color slopeColor(const Theme& theme, double value, double most) {
    return mix(sample(ColorMap::Capacity, mapPosition(ColorMap::Capacity, value, 0, most, false), theme.dark), theme.ground, 0.15);
}

Color firstCutColor(const Seen& s, Size region, Size layer) {
    const double cut = s.result.firstCut[region];
    return cut < 1 || cut > static_cast<double>(layer) ? region_mesh::plainColor(s.f.theme)
                                                       : mix(s.f.theme.ground, layerColor(s.f.theme, static_cast<Size>(cut)), 0.45);
}

std::vector<Color> layerColors(const Seen& s, Fill fill, Size layer) {
    const Size regions = s.result.area.size();
    if (fill == Fill::Pattern) return region_mesh::patternColors(s.result.pattern, regions, layer, s.f.theme.dark);
    std::vector<Color> colors;
    for (Size r = 0; r < regions; ++r) colors.push_back(firstCutColor(s, r, layer));
    return colors;
}

/// Means of values over cells, by area.
std::vector<double> meansOver(const std::vector<Size>& cells, const std::vector<double>& values, const std::vector<double>& areas) {
    std::vector<double> sums(cells.size()), weights(cells.size()), means;
    for (Size r = 0; r < cells.size(); ++r) sums[cells[r]] += areas[r] * values[r], weights[cells[r]] += areas[r];
    for (Size r = 0; r < cells.size(); ++r) means.push_back(weights[cells[r]] > 0 ? sums[cells[r]] / weights[cells[r]] : values[r]);
    return means;
}

/// So many moments of a layer's time have colours of their own; the last one is left for cells to take theirs after the last line.
constexpr Size kMoments = 24;

/// The share of its way that a layer's lines have behind them.
double shareDrawn(double fraction) { return std::min(1.0, fraction * kMoments / (kMoments - 1)); }

/// Colours at a moment: those of the cells that stood one moment earlier, so that a cell parts after its line has passed.
std::vector<Color> colorsAt(const Seen& s, MeshCache& cache, Fill fill, Size moment) {
    const Size layer = (moment + kMoments - 1) / kMoments, layers = layersOf(s);
    const bool numbers = fill == Fill::Output || fill == Fill::Gradient, whole = moment == layers * kMoments;
    if (whole && !numbers) return layerColors(s, fill, layers);
    const double part = layer == 0 ? 1 : static_cast<double>(moment - (layer - 1) * kMoments) / kMoments;
    std::vector<Size> cells;
    if (!whole) cells = cellsAt(s.result, coursesOf(s, cache), layer, layer == 0 ? 1 : shareDrawn(part - 1.0 / kMoments));
    std::vector<Color> colors;
    if (numbers) {
        const auto& values = fill == Fill::Output ? s.result.output : s.result.gradient;
        const double most = largestSize(values);
        for (const double v : whole ? values : meansOver(cells, values, s.result.area))
            colors.push_back(fill == Fill::Output ? region_mesh::outputColor(s.f.theme, v, most) : slopeColor(s.f.theme, v, most));
        return colors;
    }
    if (layer == 0) return layerColors(s, fill, 0);
    const auto now = layerColors(s, fill, layer), before = layerColors(s, fill, layer - 1);
    const auto earlier = cellsAt(s.result, coursesOf(s, cache), layer, -1);
    std::vector<Size> counts(cells.size()), countsBefore(cells.size());
    for (Size r = 0; r < cells.size(); ++r) ++counts[cells[r]], ++countsBefore[earlier[r]];
    // A cell that has parted takes its new colour, and one that no line crosses by and by.
    for (Size r = 0; r < cells.size(); ++r)
        colors.push_back(mix(before[cells[r]], now[cells[r]], counts[cells[r]] < countsBefore[earlier[r]] ? 1 : part));
    return colors;
}

// What is known of one region.

constexpr Size kMostUnitsInWords = 32, kMostLayersInWords = 6;

Size beginOf(const Seen& s, Size region) { return region == 0 ? 0 : static_cast<Size>(s.result.polygonEnds[region - 1]); }

Vec2 vertexOf(const Seen& s, Size corner) {
    const auto vertex = static_cast<Size>(s.result.polygons[corner]);
    return {s.result.vertices[2 * vertex], s.result.vertices[2 * vertex + 1]};
}

Size unitsOf(const Seen& s, Size layer) { return static_cast<Size>(s.result.unitsByDepth[layer] - s.result.unitsByDepth[layer - 1]); }

std::string statesOf(const Seen& s, Size layer, Size region) {
    const Size units = unitsOf(s, layer);
    std::string text;
    for (Size u = 0; u < units && units <= kMostUnitsInWords; ++u) {
        const int state = stateOf(s, layer, u, region);
        if (state < 0) return {};
        text += static_cast<char>('0' + state);
    }
    return text;
}

/// The affine function through three corners that lie well apart.
std::string mapOf(const Seen& s, Size region) {
    const Size begin = beginOf(s, region), end = static_cast<Size>(s.result.polygonEnds[region]);
    double best = 0, slopeX = 0, slopeY = 0, constant = 0;
    for (Size i = begin + 1; i < end; ++i)
        for (Size j = i + 1; j < end && j < i + 12; ++j) {
            const Vec2 o = vertexOf(s, begin), a = vertexOf(s, i) - o, b = vertexOf(s, j) - o;
            const double area = a.x * b.y - a.y * b.x;
            if (std::abs(area) <= best) continue;
            best = std::abs(area);
            const auto value = [&](Size corner) { return s.result.vertexOutput[static_cast<Size>(s.result.polygons[corner])]; };
            const double c = value(begin), da = value(i) - c, db = value(j) - c;
            slopeX = (da * b.y - db * a.y) / area, slopeY = (db * a.x - da * b.x) / area;
            constant = c - slopeX * o.x - slopeY * o.y;
        }
    const auto term = [](double v, const char* name) { return (v < 0 ? " − " : " + ") + inWords(std::abs(v)) + " *" + name + "*"; };
    return "output " + inWords(constant) + term(slopeX, "x") + term(slopeY, "y");
}

}  // namespace

int stateOf(const Seen& s, Size layer, Size unit, Size region) {
    if (s.result.states.empty() || layer < 1 || layer > layersOf(s)) return -1;
    const double packed = s.result.states[(layer - 1) * s.result.area.size() + region];
    if (std::isnan(packed)) return -1;
    const double base = unitsOf(s, layer) <= 26 ? 4 : 2;  // of the numbers that a layer's states are packed into
    return static_cast<int>(std::fmod(std::floor(packed / std::pow(base, static_cast<double>(unit))), base));
}

namespace {

std::vector<std::string> factsOf(const Seen& s, Size region) {
    const Size layer = layerShown(s);
    const double* patterns = &s.result.pattern[layer * s.result.area.size()];
    double area = 0;
    for (Size r = 0; r < s.result.area.size(); ++r)
        if (patterns[r] == patterns[region]) area += s.result.area[r];
    std::vector<std::string> lines{"one of " + inWords(s.result.regionsByDepth[layer], 9) + " regions"};
    std::string size = "area " + inWords(area);
    if (isWhole(s)) size += ", " + std::to_string(static_cast<Size>(s.result.polygonEnds[region]) - beginOf(s, region)) + " sides";
    lines.push_back(size);
    for (Size l = 1; l <= std::min(layer, kMostLayersInWords); ++l) {
        const std::string states = statesOf(s, l, region);
        if (!states.empty()) lines.push_back("layer " + std::to_string(l) + ": " + states);
    }
    if (isWhole(s) && !s.result.vertexOutput.empty()) lines.push_back(mapOf(s, region));
    return lines;
}

// The partition in its window: fills, edges, the decision boundary, and what the reader does to the window.

/// Both sides of the decision in their own colours, once the output has come; `colors` are those of the regions.
void drawHalves(const Seen& s, MeshCache& cache, const region_mesh::Seen& seen, const std::vector<Color>& colors) {
    const double share = region_mesh::decided(seen);
    if (share == 0) return;
    if (!cache.halves) cache.halves = halvesOf(s.result, cache.mesh);
    const Halves& halves = *cache.halves;
    if (halves.means.empty()) return;
    const double most = largestSize(s.result.output);
    std::vector<Color> own;
    for (Size i = 0; i < halves.means.size(); ++i)
        own.push_back(mix(colors[halves.regions[i]], region_mesh::outputColor(s.f.theme, halves.means[i], most), share));
    CellMesh cells;
    cells.points = halves.points, cells.corners = halves.corners, cells.ends = halves.ends, cells.colors = own;
    cells.place = seen.place, cells.version = seen.version;
    s.f.painter.cells("regions/halves", cells);
}

/// Where the lines of the layer that comes in have got to.
void drawPens(const Seen& s, const PlanePlace& place, const DrawnLines& coming, Size layer) {
    std::vector<PointMark> marks;
    for (const Vec2& tip : coming.tips) marks.push_back({place.at(tip), coming.tips.size() > 12 ? 2.0 : 3.5, layerColor(s.f.theme, layer)});
    if (!marks.empty()) s.f.painter.points("regions/pens", marks);
}

/// The lines of the unit under the pointer, or else of the chosen one.
void drawChosenUnit(const Seen& s, const PlanePlace& place, const MeshCache& cache) {
    if (!hasNetwork(s) || s.f.kept || s.params.chosen.size() < 2 || !(showsChoice(s) || cache.near)) return;
    const Chosen chosen = cache.under ? *cache.under : cache.near.value_or(chosenOf(s));
    if (chosen.layer > layersOf(s) || static_cast<double>(chosen.layer) > depthShown(s)) return;
    std::vector<Vec2> lines;
    Size index = 0;
    for (Size e = 0; e < s.result.edgeLayer.size(); ++e) {
        if (s.result.edgeLayer[e] != static_cast<double>(chosen.layer)) continue;
        const auto& of = cache.mesh.edges[chosen.layer];
        if (s.result.edgeUnit[e] == static_cast<double>(chosen.unit) && index + 1 < of.size())
            lines.insert(lines.end(), {of[index], of[index + 1]});
        index += 2;
    }
    s.f.painter.segments("regions/chosen/rim", {lines, s.f.theme.ground, 5.5, 1, place, 0});
    s.f.painter.segments("regions/chosen", {lines, s.f.theme.accent, 3.2, 1, place, 0});
}

std::optional<Vec2> pinOf(const Seen& s) {
    const auto& pin = s.params.pin;
    return pin.size() == 2 ? std::optional<Vec2>({pin[0], pin[1]}) : std::nullopt;
}

/// A click pins the region, another one in it lets it go.
void pinClicked(const Seen& s, const MeshCache& cache, const Stage& stage) {
    const Pointer p = s.f.handles.freePointer();
    const Vec2 away = p.at - p.pressedAt;
    if (!p.released || p.doubleClicked || !stage.square.contains(p.at) || std::hypot(away.x, away.y) > 4) return;
    const auto clicked = regionAt(s, cache, stage.toPlane(p.at));
    if (!clicked) return;
    const auto pin = pinOf(s);
    const auto before = pin ? regionAt(s, cache, *pin) : std::nullopt;
    const Vec2 at = stage.toPlane(p.at);
    s.f.changes.push_back(
        Change::param("pin", before == clicked ? std::vector<double>{} : std::vector<double>{stage.rounded(at.x), stage.rounded(at.y)}));
}

/// At the right, away from the point and clear of the axes' numbers; lines for which there is no room are left out.
void drawFacts(const Seen& s, const Stage& stage, Vec2 point, const std::vector<std::string>& lines) {
    const TextStyle style{.color = s.f.theme.text, .size = s.f.theme.smallSize};
    const double lineHeight = style.size * 1.35;
    const Rect room = stage.square.inset(50, 8, 8, 34);
    std::vector<std::string> fitting;
    double width = 0;
    for (const auto& line : lines) {
        const double wide = s.f.painter.measure(line, style).x;
        if (wide + 16 > room.width() || lineHeight * static_cast<double>(fitting.size() + 1) + 10 > room.height()) continue;
        fitting.push_back(line);
        width = std::max(width, wide);
    }
    if (fitting.empty()) return;
    const Vec2 size{width + 16, lineHeight * static_cast<double>(fitting.size()) + 10};
    const bool above = point.y > room.centre().y;
    const Rect box = above ? Rect{{room.hi.x - size.x, room.lo.y}, {room.hi.x, room.lo.y + size.y}} : Rect{room.hi - size, room.hi};
    s.f.painter.rect("regions/facts", box, s.f.theme.raised.withAlpha(0.93f), 5);
    s.f.painter.frame("regions/facts", box, {s.f.theme.line, 1}, 5);
    for (Size i = 0; i < fitting.size(); ++i)
        s.f.painter.text("regions/facts", box.lo + Vec2{8, 5 + lineHeight * static_cast<double>(i)}, fitting[i], style);
}

void drawPin(const Seen& s, const Stage& stage, Vec2 pin, Size region) {
    const Vec2 at = stage.toScreen(pin);
    const Rect knob = around(at, 12);
    const Vec2 half{stage.half, stage.half}, lo = stage.centre - half, hi = stage.centre + half;
    const PointHandle handle{.id = "pin",
                             .label = "pinned point",
                             .value = pin,
                             .lo = {std::min(pin.x, lo.x), std::min(pin.y, lo.y)},
                             .hi = {std::max(pin.x, hi.x), std::max(pin.y, hi.y)},
                             .step = stage.half / 50,
                             .rect = knob,
                             .dragged = stage.dragged(pin, s.f.handles.pointer().moved)};
    Handles::Grip grip;
    if (const auto to = dragPoint(s.f, handle, grip))
        s.f.changes.push_back(Change::param("pin", std::vector<double>{stage.rounded(to->x), stage.rounded(to->y)}));
    s.f.painter.marker("regions/pin", at, 5, MarkerShape::Diamond, s.f.theme.accent, Stroke{s.f.theme.ground, 1.5});
    const Pointer& p = s.f.handles.pointer();
    const Vec2 away = p.at - p.pressedAt;
    if (p.released && knob.contains(p.at) && std::hypot(away.x, away.y) < 3)
        s.f.changes.push_back(Change::param("pin", std::vector<double>{}));
    drawFacts(s, stage, at, factsOf(s, region));
}

/// One cell fills the window: how far the next line is, and a button that goes there.
void drawNextLine(const Seen& s, const Stage& stage) {
    if (!s.result.nextPoint || s.result.nextPoint->size() != 2 || s.f.kept) return;
    const TextStyle style{.color = s.f.theme.text, .size = s.f.theme.smallSize, .h = AlignH::Centre, .v = AlignV::Middle};
    const std::string distance = inWords(*s.result.nextLine);
    for (const std::string& said :
         {"One cell fills the window. The nearest line is " + distance + " from its middle.", "Nearest line: " + distance}) {
        const double wide = s.f.painter.measure(said, style).x, button = 76;
        if (wide + button + 40 > stage.square.width()) continue;
        const Rect box = around({stage.square.centre().x, stage.square.hi.y - 52}, Vec2{(wide + button) / 2 + 10, 15});
        const Rect go{{box.hi.x - button - 6, box.lo.y}, box.hi};
        const auto grip = s.f.handles.toggle("goThere", "go to the nearest line", distance, false, go);
        if (grip.moved)
            s.f.changes.push_back(Change::param(
                "centre", std::vector<double>{stage.rounded((*s.result.nextPoint)[0]), stage.rounded((*s.result.nextPoint)[1])}));
        s.f.painter.rect("regions/next", box, s.f.theme.raised.withAlpha(0.93f), 5);
        s.f.painter.text("regions/next", {box.lo.x + 10 + wide / 2, box.centre().y}, said, style);
        TextStyle link = style;
        link.color = s.f.theme.accent, link.bold = grip.lively();
        s.f.painter.text("regions/next/go", go.centre(), "Go there", link);
        return;
    }
}

/// How far the sheets are apart, 0 … 1: what the reader wishes at first, and on the way there after a change.
double unfolded(const Seen& s, MeshCache& cache) {
    constexpr double kSeconds = 0.8;
    const double wish = s.params.unfold && layersOf(s) > 0 ? 1 : 0, passed = std::clamp(s.f.seconds - cache.seconds, 0.0, 0.1) / kSeconds;
    cache.seconds = s.f.seconds;
    if (cache.open < 0 || s.f.still || s.f.kept || layersOf(s) == 0) return cache.open = wish;  // without layers there is no sheet to fold
    cache.open += std::clamp(wish - cache.open, -passed, passed);
    if (cache.open != wish) s.f.animating = true;
    return cache.open;
}

/// The partition in a square of the panel.
void drawWindow(const Seen& s, MeshCache& cache, Rect panel) {
    const double side = std::floor(std::min(panel.width(), panel.height()) - 2);
    const Vec2 corner{panel.centre().x - side / 2, isNarrow(s) ? panel.lo.y + 1 : panel.centre().y - side / 2};
    const Stage stage = region_mesh::stageOf(
        s.f, {{std::round(corner.x), std::round(corner.y)}, {std::round(corner.x) + side, std::round(corner.y) + side}});
    if (const double open = unfolded(s, cache); open > 0) {
        const auto marked =
            drawSheets(s, stage, panel, cache, open, [&](Size layer) { return colorsAt(s, cache, fillOf(s), layer * kMoments); });
        turnSheets(s, panel);
        if (marked) cache.facts = factsOf(s, *marked);
        cache.region = marked, cache.drawing.clear(), cache.near.reset();
        return;
    }
    const PlanePlace place = stage.placeOf(numbersOf(s).centre(), numbersOf(s).half());
    s.f.painter.rect("window/ground", stage.square, s.f.theme.panel);
    s.f.painter.pushClip(stage.square);
    const Between layers = between(depthShown(s), layersOf(s));
    DrawnLines coming;
    if (layers.fraction > 0) coming = linesAt(s.result, cache.mesh, coursesOf(s, cache), layers.above, shareDrawn(layers.fraction));
    const region_mesh::Seen seen{cache.mesh, place, depthShown(s), s.f.reportVersion, &coming.ends};
    const Fill fill = fillOf(s);
    const auto colorsOf = [&](Size moment) { return colorsAt(s, cache, fill, moment); };
    const auto& colors = cache.fills.at(between(depthShown(s) * kMoments, layersOf(s) * kMoments), std::to_string(static_cast<int>(fill)),
                                        s.f.theme.dark, colorsOf);
    region_mesh::drawFills(s.f, seen, colors);
    if (fill == Fill::Output) drawHalves(s, cache, seen, colors);
    const auto pin = pinOf(s);
    const Pointer p = s.f.handles.freePointer();
    const bool hovers = p.inside && !p.down && stage.square.contains(p.at);
    const auto pinned = pin ? regionAt(s, cache, *pin) : std::nullopt;
    const auto region = pinned ? pinned : hovers ? regionAt(s, cache, stage.toPlane(p.at)) : std::nullopt;
    if (region) region_mesh::drawMarked(s.f, seen, s.result.pattern, layerShown(s), *region);
    region_mesh::drawEdges(s.f, seen, s.result.regionsByDepth);
    drawPens(s, place, coming, layers.above);
    cache.drawing = coming.units;
    dragLines(s, stage, cache);
    drawChosenUnit(s, place, cache);
    region_mesh::drawDecision(s.f, seen);
    const bool taken = drawPath(s, stage);
    s.f.painter.popClip();
    region_mesh::drawFrame(s.f, stage);
    region_mesh::offerWindow(s.f, stage);
    if (!taken) region_mesh::moveFreely(s.f, stage);
    pinClicked(s, cache, stage);
    drawNextLine(s, stage);
    if (pinned)
        drawPin(s, stage, *pin, *pinned);
    else if (region)
        cache.facts = factsOf(s, *region);
    cache.region = region;
    s.f.painter.pushClip(stage.square);
    region_mesh::drawSamples(s.f, stage, s.result.samplePoints, s.result.sampleClass);
    s.f.painter.popClip();
}

// Which panels there are, and where.

/// Share of a part that has its least size.
constexpr double kNoMore = 1e-6;

void drawTraining(const Seen& s, Rect rect) {
    const Result& r = s.result;
    learning_curve::drawTraining(s.f, {r.stepAxis, r.loss, r.accuracy, *r.trainedSteps, r.trainingLoss, *r.trainingAccuracy}, rect);
}

/// Height of the line of counts, of what is drawn below it, and of the smallest window that makes room for that.
constexpr double kCountLine = 24, kBelow = 116, kLeastSide = 160;

/// Beside the counts: a tap shows the network and the plane below the window, or hides them; `name`: what it brings.
void offerBelow(const Seen& s, Rect button, bool shown, const char* name) {
    const auto grip = s.f.handles.toggle("below", "network and plane below the regions", shown ? "shown" : "hidden", shown, button);
    if (grip.moved) s.f.changes.push_back(Change::param("below", grip.value > 0.5));
    s.f.painter.text("below", button.hi - Vec2{6, button.height() / 2}, name,
                     {.color = s.f.theme.accent, .size = s.f.theme.smallSize, .h = AlignH::Right, .v = AlignV::Middle});
}

// The panels of both layouts, each made in one place: of two lambdas alike the page's module keeps one, in no bundle's part.
Layout panel(const Seen& s, int rank, Vec2 least, void (*draw)(const Seen&, Rect)) {
    return s.panel(rank, least, [&s, draw](Rect rect) { draw(s, rect); });
}
Layout windowPanel(const Seen& s, MeshCache& cache, double height) {
    return s.panel(0, {60, height}, [&s, &cache](Rect rect) { drawWindow(s, cache, rect); });
}
Layout networkPanel(const Seen& s, MeshCache& cache, int rank, Vec2 least) {
    return s.panel(rank, least, [&s, &cache](Rect rect) { drawNetwork(s, rect, cache); });
}

/// Window, counts beside it, growth or training, the plane, the network.
Layout besideOneAnother(const Seen& s, MeshCache& cache) {
    const double rows = static_cast<double>(std::min<Size>(layersOf(s) + 1, 7));
    Layout curve = panel(s, 2, {210, 130}, hasTraining(s) ? drawTraining : drawGrowth);
    if (hasPlane(s)) {
        std::vector<Layout> parts{std::move(curve), panel(s, 4, {110, 130}, drawPlane).share(kNoMore)};
        curve = Layout::columns(std::move(parts));
    }
    std::vector<Layout> column{panel(s, 1, {230, 18 * (rows + (fillOf(s) == Fill::Output ? 4 : 3))}, drawCounts).share(kNoMore),
                               std::move(curve)};
    if (hasNetwork(s)) column.push_back(networkPanel(s, cache, 3, {210, 110}).share(0.9));
    // The window is as large a square as leaves the rest its room.
    const double width = s.f.area.width(), side = std::min(s.f.area.height(), width - std::clamp(width * 0.38, 250.0, 430.0) - 18);
    return Layout::columns(
        {windowPanel(s, cache, 60).share(std::max(side, 60.0)), Layout::rows(std::move(column)).share(std::max(width - side - 18, 1.0))});
}

/// The window first; below it a line of counts, and training or the network where there is room or a reader asks for it.
Layout belowOneAnother(const Seen& s, MeshCache& cache) {
    const Rect a = s.f.area;
    const double gaps = 2 * 8, height = a.height() - kCountLine - gaps;
    const bool more = hasPlane(s) || hasNetwork(s), asked = s.params.below && more;
    const double whole = std::min(a.width(), height + 8), shared = std::min(whole, height - kBelow);
    const bool asks = height - whole < kBelow && shared > kLeastSide;
    const double side = std::max(60.0, asks && (asked || hasTraining(s)) ? shared : whole);
    const char* next = asked ? (hasTraining(s) ? "loss" : "hide") : hasNetwork(s) ? "network" : "plane";
    const bool button = asks && more && !s.f.kept;
    std::vector<Layout> parts;
    parts.push_back(windowPanel(s, cache, side).share(kNoMore));
    parts.push_back(s.panel(0, {60, kCountLine}, [&s, button, asked, next](Rect rect) {
                         rect.hi.y = rect.lo.y + kCountLine;
                         drawCountLine(s, {rect.lo, {rect.hi.x - (button ? 64 : 0), rect.hi.y}});
                         if (button) offerBelow(s, {{rect.hi.x - 64, rect.lo.y}, rect.hi}, asked, next);
                     }).share(kNoMore));
    if (height - side < kBelow - 8) return Layout::rows(std::move(parts));
    if (hasTraining(s) && !(asks && asked)) {
        parts.push_back(panel(s, 0, {60, 100}, drawTraining));
    } else {
        std::vector<Layout> inside;
        if (hasNetwork(s)) inside.push_back(networkPanel(s, cache, 0, {120, 100}));
        if (hasPlane(s)) inside.push_back(panel(s, 0, {110, 100}, drawPlane).share(hasNetwork(s) ? kNoMore : 1));
        if (!inside.empty()) parts.push_back(Layout::columns(std::move(inside)));
    }
    return Layout::rows(std::move(parts));
}

Layout layout(const Seen& s, MeshCache& cache) {
    const Result& r = s.result;
    if (r.area.empty() || r.window.size() != 4 || r.regionsByDepth.empty() || r.pattern.empty())
        return s.panel(0, {}, [&s](Rect) { emptyPicture(s.f, "The window is being cut."); });
    if (cache.mesh.points.empty() || cache.version != s.f.reportVersion) {
        MeshCache next;
        next.version = s.f.reportVersion, next.mesh = region_mesh::meshOf(numbersOf(s)), next.under = cache.under, next.near = cache.near;
        next.open = cache.open, next.seconds = cache.seconds, next.grab = std::move(cache.grab);
        cache = std::move(next);
    }
    const bool below = isNarrow(s) && s.f.area.width() <= 1.5 * s.f.area.height();
    cache.facts.clear();
    return s.panel(0, {}, [&s, &cache, panels = below ? belowOneAnother(s, cache) : besideOneAnother(s, cache)](Rect rect) {
        panels.draw(rect);
        if (!cache.facts.empty()) tooltip(s.f, s.f.handles.pointer().at, cache.facts);
    });
}

}  // namespace
}  // namespace activation_regions

PictureEntry activation_regions_picture() { return tablePicture<activation_regions::kScene, activation_regions::layout>(); }

}  // namespace kappaflow
