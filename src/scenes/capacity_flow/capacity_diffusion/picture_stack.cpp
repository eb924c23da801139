// The stack of layers in perspective: planes filled with capacity, and around its bulk a line on each plane, joined into a widening cone.
#include <algorithm>
#include <array>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/capacity_flow/capacity_diffusion/picture_view.h"

namespace kappaflow::diffusion {
namespace {

// What is written beside the stack, and what the pointer reads off it.

TextStyle quiet(const PictureFrame& f, AlignH h) {
    return {.color = f.theme.muted, .size = f.theme.tinySize, .h = h, .v = AlignV::Middle, .halo = f.theme.ground};
}

// What the current layer's numbers say; nothing that they do not.
std::string heading(const StackFrame& s) {
    const std::size_t layer = s.g.nearest(), passed = s.g.grid.layers() - layer;
    const std::string here = "layer " + layerNumber(s.g.at);
    if (s.g.grid.oneChannel()) return "channel " + inWords(s.g.f.report.params.number("channel"), 5) + " of " + here;
    const double x = std::sqrt(s.g.grid.moment("variance", layer, 1)), y = std::sqrt(s.g.grid.moment("variance", layer, 0));
    if (passed == 0) return "the output layer, where the capacity starts";
    if (s.g.current.isVector() || std::isnan(x) || std::isnan(y)) return here;
    const std::string depth = passed == 1 ? "1 layer down" : std::to_string(passed) + " layers down";
    const std::string sx = fixedText(x, 2), sy = fixedText(y, 2);
    if (sx == sy) return depth + ": *σ* = " + sx + (s.panel.width() < 420 ? " positions" : " positions along both axes");
    return depth + ": *σ_{x}* = " + sx + ", *σ_{y}* = " + sy + " positions";
}

void drawHeading(StackFrame& s) {
    const Theme& theme = s.g.f.theme;
    const TextStyle style{.color = theme.text, .size = theme.smallSize, .bold = true};
    const double left = s.panel.lo.x + 4;
    s.g.f.painter.text("stack/title", {left, s.panel.lo.y + 4}, elide(s.g.f.painter, heading(s), style, s.panel.hi.x - left - 4), style);
}

void drawLayerNumbers(StackFrame& s) {
    const TextStyle style = quiet(s.g.f, AlignH::Right);
    const double at = s.space.leftOf(s.g.at).y;
    std::vector<double> taken{at};
    const auto place = [&](const Sheet& sheet) {
        const Vec2 beside = s.space.leftOf(sheet.layer) + Vec2{-10, 0};
        const auto near = [&](double y) { return std::abs(y - beside.y) < (y == at ? 18 : 14.5); };
        if (sheet.current || std::any_of(taken.begin(), taken.end(), near)) return;
        taken.push_back(beside.y);
        s.g.f.painter.text("stack/layer", beside, layerNumber(sheet.layer), style);
    };
    place(s.sheets.front());
    place(s.sheets.back());
    for (const Sheet& sheet : s.sheets) place(sheet);
}

Vec2 rightEnd(const StackFrame& s, const Sheet& sheet) {
    const PlaneCorners corners = s.space.corners(sheet.field->rows, sheet.field->cols, s.height(sheet));
    return std::max_element(corners.begin(), corners.end(), [](const auto& a, const auto& b) { return a.at.x < b.at.x; })->at;
}

// Output and input at the right end, and between them what the line on the current plane means.
void drawWords(StackFrame& s) {
    PictureFrame& f = s.g.f;
    const bool narrow = s.panel.width() < 420;
    TextStyle style = quiet(f, AlignH::Left);
    const Vec2 top = rightEnd(s, s.sheets.back()) + Vec2{8, 0}, bottom = rightEnd(s, s.sheets.front()) + Vec2{8, 0};
    f.painter.text("stack/output", top, "output", style);
    f.painter.text("stack/input", bottom, "input", style);
    const auto* outline = s.g.current.outline();
    if (!outline) return;
    const auto seen = s.seen(s.current(), *outline);
    const Vec2 from = *std::max_element(seen.begin(), seen.end(), [](Vec2 a, Vec2 b) { return a.x < b.x; });
    Vec2 at{rightEnd(s, s.current()).x + 8, from.y};
    const double room = 33;
    if (at.y < top.y + room) at.y = top.y + room;
    if (at.y > bottom.y - room) at.y = bottom.y - room;
    style.color = f.theme.accent;
    f.painter.line("stack/held/leader", from, at + Vec2{-4, 0}, {f.theme.accent.withAlpha(0.6f), 1});
    f.painter.text("stack/held", at + Vec2{0, -8}, narrow ? "68 % of" : "68 % of the", style);
    f.painter.text("stack/held", at + Vec2{0, 8}, "capacity", style);
}

struct Found {
    const Sheet* sheet;
    std::size_t row, col;
};

// The nearest plane with visible capacity under the pointer; the current one counts where it is empty, too.
std::optional<Found> sheetUnder(const StackFrame& s, Vec2 at) {
    std::vector<double> heights;
    for (const Sheet& sheet : s.sheets) heights.push_back(s.height(sheet));
    auto order = backToFront(s.space.camera(), heights);
    std::reverse(order.begin(), order.end());
    std::optional<Found> empty;
    for (const std::size_t i : order) {
        const GridLayer& field = *s.sheets[i].field;
        const auto cell = s.space.cellUnder(at, field.rows, field.cols, heights[i]);
        if (!cell || cell->x < -0.5 || cell->y < -0.5) continue;
        const auto row = static_cast<std::size_t>(cell->y + 0.5), col = static_cast<std::size_t>(cell->x + 0.5);
        if (row >= field.rows || col >= field.cols) continue;
        const double value = field.capacity[row * field.cols + col];
        const double place = mapPosition(ColorMap::Capacity, value, s.g.grid.low(), s.g.grid.high(), true);
        if (s.sheets[i].reached > 0 && place > 0.15) return Found{&s.sheets[i], row, col};
        if (s.sheets[i].current) empty = Found{&s.sheets[i], row, col};
    }
    return empty;
}

}  // namespace

void drawStackNames(StackFrame& s) {
    drawHeading(s);
    drawLayerNumbers(s);
    drawWords(s);
}

void drawStackTooltip(StackFrame& s) {
    const Pointer p = s.g.f.handles.freePointer();
    if (!p.inside || p.down || !s.panel.contains(p.at)) return;
    const auto found = sheetUnder(s, p.at);
    if (!found) return;
    const GridLayer& field = *found->sheet->field;
    std::vector<Vec2> cell;
    const auto x = static_cast<double>(found->col), y = static_cast<double>(found->row);
    for (const Vec2 corner : {Vec2{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}})
        cell.push_back(s.seen(*found->sheet, Vec2{x, y} + corner));
    s.g.f.painter.line("stack/hover", cell, {s.g.f.theme.text, 1.5}, true);
    const std::string unit = field.isVector() ? "unit " + std::to_string(found->col)
                                              : "(*x*, *y*) = (" + std::to_string(found->col) + ", " + std::to_string(found->row) + ")";
    tooltip(s.g.f, p.at,
            {"layer " + layerNumber(found->sheet->layer) + ", " + unit,
             "*κ* = " + numberText(field.capacity[found->row * field.cols + found->col])});
}

namespace {

constexpr double kDegreesPerPixel = 0.4, kLeastTilt = 5, kMostTilt = 85, kLeastZoom = 0.5, kMostZoom = 4;

bool lively(const Handles::Grip& grip) { return grip.hovered || grip.held || grip.focused; }

double tenth(double v) { return std::round(v * 10) / 10; }

// Half a turn right is half a turn left.
double wrapped(double degrees) { return degrees - 360 * std::round(degrees / 360); }

void turn(PictureFrame& f, Vec2 moved) {
    if (moved == Vec2{}) return;
    const Values& v = f.state.params;
    f.changes.push_back(Change::param("orbit", tenth(wrapped(v.number("orbit") - kDegreesPerPixel * moved.x))));
    f.changes.push_back(Change::param("tilt", tenth(std::clamp(v.number("tilt") + kDegreesPerPixel * moved.y, kLeastTilt, kMostTilt))));
}

// The pointer where no handle is: dragging turns, the wheel and two fingers zoom, a double click puts the camera back.
void turnFreely(StackFrame& s) {
    PictureFrame& f = s.g.f;
    const Pointer p = f.handles.freePointer();
    if (!p.inside || !s.panel.contains(p.down ? p.pressedAt : p.at)) return;
    if (p.doubleClicked) {
        const Values standard = requireDeclaration(f.state.scene).defaults();
        for (const char* key : {"orbit", "tilt", "zoom"}) f.changes.push_back(Change::param(key, standard.at(key)));
    } else if (p.wheel != 0) {
        const double zoom = f.state.params.number("zoom") * std::pow(1.2, p.wheel);
        f.changes.push_back(Change::param("zoom", std::round(std::clamp(zoom, kLeastZoom, kMostZoom) * 100) / 100));
    } else if (p.down && !p.pressed && !p.touch) {
        turn(f, p.moved);
    }
}

// The axes of the stack, small: which way x, y and the layers run, and a handle to turn them by.
void drawAxes(StackFrame& s, Vec2 middle, bool strong) {
    PictureFrame& f = s.g.f;
    const OrbitCamera& camera = s.space.camera();
    const double length = 15;
    const TextStyle style{.color = strong ? f.theme.accent : f.theme.muted,
                          .size = f.theme.tinySize,
                          .h = AlignH::Centre,
                          .v = AlignV::Middle,
                          .halo = f.theme.ground};
    struct Named {
        Vec3 direction;
        const char* name;
    };
    for (const Named& axis : {Named{{1, 0, 0}, "*x*"}, {{0, -1, 0}, "*y*"}, {{0, 0, 1}, "*l*"}}) {
        const Vec2 along{dot(camera.right(), axis.direction), -dot(camera.up(), axis.direction)};
        f.painter.line("stack/axes", middle, middle + along * length, {style.color, strong ? 2.0 : 1.4});
        // An axis seen from its end has its name beside it all the same.
        const double size = std::max(std::hypot(along.x, along.y), 1e-6);
        f.painter.text("stack/axes/name", middle + along * length + along * (8 / size), axis.name, style);
    }
}

}  // namespace

void offerLayer(StackFrame& s) {
    PictureFrame& f = s.g.f;
    const double at = s.g.at, layers = static_cast<double>(s.g.grid.layers());
    const Vec2 corner = s.space.leftOf(at);
    const Rect tag{{std::max(s.panel.lo.x, corner.x - 42), corner.y - 10}, {std::max(s.panel.lo.x + 32, corner.x - 8), corner.y + 10}};
    const auto layerAt = [&](Vec2 p) { return s.space.layerBeside(p); };
    const auto grip = f.handles.offer({"layer", "layer shown", "layer " + layerNumber(at), at, 0, layers, 1, tag}, layerAt);
    // The keyboard goes by whole layers, a drag also between them.
    double wanted = grip.moved ? grip.value : at;
    if (grip.held) {
        const Pointer& p = f.handles.pointer();
        wanted = std::clamp(at + layerAt(p.at) - layerAt(p.at - p.moved), 0.0, layers);
    }
    if (std::abs(wanted - at) > 1e-3) {
        f.changes.push_back(Change::param("play", false));
        f.changes.push_back(Change::param("at", wanted));
    }
    f.painter.line("stack/layer/leader", Vec2{tag.hi.x, corner.y}, corner, {f.theme.accent, lively(grip) ? 2.0 : 1.2});
    f.painter.rect("stack/layer/tag", tag, f.theme.accent, 4);
    f.painter.text("stack/layer/now", tag.centre(), layerNumber(at),
                   {.color = f.theme.onAccent, .size = f.theme.smallSize, .h = AlignH::Centre, .v = AlignV::Middle, .bold = true});
}

void offerStart(StackFrame& s) {
    PictureFrame& f = s.g.f;
    const std::string& top = f.state.params.text("top");
    if (top != "dirac" && top != "block") return;
    const std::size_t layer = s.g.grid.layers(), rows = s.g.grid.rows(layer), cols = s.g.grid.cols(layer);
    const double height = s.space.height(static_cast<double>(layer)), lastRow = static_cast<double>(rows) - 1,
                 lastCol = static_cast<double>(cols) - 1;
    const double wish = f.state.params.number("topIndex"), count = static_cast<double>(rows * cols);
    const double centre = std::floor(static_cast<double>(rows) / 2) * static_cast<double>(cols) + std::floor(static_cast<double>(cols) / 2);
    const double index = wish < 0 ? centre : std::min(wish, count - 1);
    const double row = std::floor(index / static_cast<double>(cols)), col = index - row * static_cast<double>(cols);
    const Vec2 foot = s.space.seen(rows, cols, {col, row}, height).at;
    const Rect knob{foot + Vec2{-13, -26}, foot + Vec2{13, 0}};
    const auto unitAt = [&](Vec2 p) {
        const auto cell = s.space.cellUnder(p + foot - knob.centre(), rows, cols, height);
        if (!cell) return index;
        return std::clamp(std::round(cell->y), 0.0, lastRow) * static_cast<double>(cols) + std::clamp(std::round(cell->x), 0.0, lastCol);
    };
    const std::string place = rows == 1 ? "unit " + inWords(col, 6) : "x = " + inWords(col, 6) + ", y = " + inWords(row, 6);
    const auto grip = f.handles.offer({"top", "unit where the capacity starts", place, index, 0, count - 1, 1, knob}, unitAt);
    double wanted = grip.moved ? grip.value : index;
    if (rows > 1) {
        // For the keyboard: the same knob, by whole rows. The first of two handles in one place takes the pointer.
        const auto still = [&](Vec2) { return row; };
        const auto byRow =
            f.handles.offer({"topRow", "row where the capacity starts", "y = " + inWords(row, 6), row, 0, lastRow, 1, knob}, still);
        if (byRow.moved) wanted = byRow.value * static_cast<double>(cols) + col;
    }
    if (wanted != index) f.changes.push_back(Change::param("topIndex", wanted));
    const double size = lively(grip) ? 8.5 : 7;
    const Vec2 arrow[] = {foot + Vec2{-size, -size * 1.5 - 3}, foot + Vec2{size, -size * 1.5 - 3}, foot + Vec2{0, -3}};
    f.painter.polygon("stack/start", arrow, f.theme.accent);
}

void offerSection(StackFrame& s) {
    if (!s.section.shown || s.g.grid.isVector(0)) return;
    PictureFrame& f = s.g.f;
    const bool alongX = s.section.alongX;
    const std::size_t rows = s.g.grid.rows(0), cols = s.g.grid.cols(0), count = alongX ? rows : cols;
    const double line = static_cast<double>(s.section.line(s.g.grid, 0)), height = s.space.height(0);
    const auto end = [&](double side) {
        const double far = side * static_cast<double>(alongX ? cols : rows) - 0.5;
        return s.space.seen(rows, cols, alongX ? Vec2{far, line} : Vec2{line, far}, height).at;
    };
    const Vec2 a = end(0), b = end(1), at = a.y > b.y ? a : b;
    const Rect knob{at + Vec2{-13, -13}, at + Vec2{13, 13}};
    const auto lineAt = [&](Vec2 p) {
        const auto cell = s.space.cellUnder(p, rows, cols, height);
        return cell ? std::clamp(alongX ? cell->y : cell->x, 0.0, static_cast<double>(count) - 1) : line;
    };
    const std::string place = (alongX ? "y = " : "x = ") + inWords(line, 6);
    const auto grip = f.handles.offer(
        {"section", alongX ? "row of the section" : "column of the section", place, line, 0, static_cast<double>(count) - 1, 1, knob},
        lineAt);
    if (grip.moved && grip.value != line) f.changes.push_back(Change::param("sectionAt", grip.value));
    if (f.kept) return;
    f.painter.marker("stack/section/knob", at, lively(grip) ? 7.5 : 6, MarkerShape::Diamond, f.theme.series[2],
                     Stroke{f.theme.ground, 1.5});
}

void offerCamera(StackFrame& s) {
    PictureFrame& f = s.g.f;
    const Vec2 middle{s.panel.lo.x + 26, s.panel.hi.y - 22};
    const Rect knob{middle - Vec2{24, 24}, middle + Vec2{24, 24}};
    const double orbit = f.state.params.number("orbit"), tilt = f.state.params.number("tilt");
    const auto degrees = [](double v) { return inWords(std::round(v), 4) + "°"; };
    const auto byOrbit = f.handles.offer({"orbit", "direction the stack is seen from", degrees(orbit), orbit, -180, 180, 5, knob},
                                         [&](Vec2) { return orbit; });
    const auto byTilt = f.handles.offer({"tilt", "height the stack is seen from", degrees(tilt), tilt, kLeastTilt, kMostTilt, 5, knob},
                                        [&](Vec2) { return tilt; });
    if (byOrbit.held)
        turn(f, f.handles.pointer().moved);
    else if (byOrbit.moved)
        f.changes.push_back(Change::param("orbit", byOrbit.value));
    else if (byTilt.moved)
        f.changes.push_back(Change::param("tilt", byTilt.value));
    drawAxes(s, middle, lively(byOrbit) || lively(byTilt));
    turnFreely(s);
}

namespace {

constexpr double kLeastGap = 24;  // pixels between planes: nearer ones hide each other
constexpr double kWaiting = 0.1;  // ink of layers the flow has not reached

double reachedAt(double layer, double at) { return std::clamp(layer + 1 - at, 0.0, 1.0); }

// As many layers as have room, evenly from the input up, and the output; in place of those at the timeline's own place, the plane that
// moves.
std::vector<Sheet> chooseSheets(const GridFrame& g, const StackSpace& space) {
    const auto layers = static_cast<double>(g.grid.layers());
    const double high = std::abs(space.leftOf(0).y - space.leftOf(layers).y);
    const double step = std::max(1.0, std::ceil(layers / std::clamp(std::floor(high / kLeastGap), 2.0, 40.0)));
    std::vector<Sheet> sheets;
    const auto add = [&](double layer) {
        if (std::abs(layer - g.at) > 0.02)
            sheets.push_back({layer, &g.grid.layer(static_cast<std::size_t>(layer)), reachedAt(layer, g.at), false});
    };
    for (double layer = 0; layer < layers - 0.6 * step; layer += step) add(layer);
    add(layers);
    const auto after = std::find_if(sheets.begin(), sheets.end(), [&](const Sheet& sheet) { return sheet.layer > g.at; });
    sheets.insert(after, {g.at, &g.current, 1, true});
    return sheets;
}

std::vector<Vec2> outlineOf(const StackFrame& s, const Sheet& sheet) {
    const PlaneCorners corners = s.space.corners(sheet.field->rows, sheet.field->cols, s.height(sheet));
    return {corners[0].at, corners[1].at, corners[2].at, corners[3].at};
}

// The ends of the section on a plane.
std::array<Vec2, 2> sectionOn(const StackFrame& s, const Sheet& sheet) {
    const auto rows = static_cast<double>(sheet.field->rows), cols = static_cast<double>(sheet.field->cols);
    const double share = s.section.share;
    if (s.section.alongX) return {s.seen(sheet, Vec2{-0.5, share * rows - 0.5}), s.seen(sheet, Vec2{cols - 0.5, share * rows - 0.5})};
    return {s.seen(sheet, Vec2{share * cols - 0.5, -0.5}), s.seen(sheet, Vec2{share * cols - 0.5, rows - 0.5})};
}

// Its rim all round, and its line on the current plane.
void drawSectionRim(const StackFrame& s) {
    if (!s.section.shown) return;
    std::vector<Vec2> rim, back;
    for (const Sheet& sheet : s.sheets) {
        if (sheet.field->isVector()) continue;
        const auto [a, b] = sectionOn(s, sheet);
        rim.push_back(a), back.push_back(b);
        if (sheet.current) s.g.f.painter.line("stack/section/current", a, b, {s.g.f.theme.series[2].withAlpha(0.7f), 1.2});
    }
    rim.insert(rim.end(), back.rbegin(), back.rend());
    s.g.f.painter.line("stack/section", rim, {s.g.f.theme.series[2].withAlpha(0.35f), 1}, true);
}

void drawContours(const StackFrame& s, const Sheet& sheet) {
    if (sheet.reached <= 0) return;
    const Theme& theme = s.g.f.theme;
    Painter& painter = s.g.f.painter;
    if (sheet.current)
        for (const auto& loop : sheet.field->heldInTheory)
            painter.line("stack/contour/theory", s.seen(sheet, loop), {theme.theory, 1.8, Dash::Dashed}, true);
    const Color color = sheet.current ? theme.accent : s.g.darkInk().withAlpha(static_cast<float>(0.7 * sheet.reached));
    for (const auto& loop : sheet.field->held)
        painter.line("stack/contour/measured", s.seen(sheet, loop), {color, sheet.current ? 2.2 : 1.2}, true);
}

void drawSheet(const StackFrame& s, const Sheet& sheet) {
    const Theme& theme = s.g.f.theme;
    Painter& painter = s.g.f.painter;
    const std::string id = sheet.current ? "stack/current" : "stack/plane/" + layerNumber(sheet.layer);
    const auto outline = outlineOf(s, sheet);
    // A breath of ground: the plane reads as a sheet, yet shows what lies below. (Under all of them it would cost more than their fields.)
    if (sheet.current) painter.polygon(id + "/ground", outline, theme.raised.withAlpha(0.3f));
    Field2D field = s.g.field(*sheet.field);
    field.fadesOut = true;
    const PlaneCorners corners = s.space.corners(sheet.field->rows, sheet.field->cols, s.height(sheet));
    painter.plane(id, corners, field, kWaiting + (1 - kWaiting) * sheet.reached);
    const Color rim = sheet.current ? theme.accent : theme.line.withAlpha(static_cast<float>(0.35 + 0.45 * sheet.reached));
    painter.line(id + "/rim", outline, {rim, sheet.current ? 1.8 : 1.0}, true);
    drawContours(s, sheet);
}

// The cone between two planes: what lies between their contours, seen from outside, with its two silhouettes.
void drawCone(const StackFrame& s, const Sheet& below, const Sheet& above) {
    const auto *low = below.field->outline(), *high = above.field->outline();
    const double reached = std::min(below.reached, above.reached);
    if (!low || !high || reached <= 0) return;
    const auto lowSeen = s.seen(below, *low), highSeen = s.seen(above, *high);
    std::vector<Vec2> both = lowSeen;
    both.insert(both.end(), highSeen.begin(), highSeen.end());
    const auto hull = convexHull(both);
    s.g.f.painter.polygon("stack/cone", hull, s.g.ink().withAlpha(static_cast<float>(0.1 * reached)));
    const auto isHigh = [&](Vec2 p) { return std::find(highSeen.begin(), highSeen.end(), p) != highSeen.end(); };
    for (std::size_t i = 0; i < hull.size(); ++i) {
        const Vec2 a = hull[i], b = hull[(i + 1) % hull.size()];
        if (isHigh(a) != isHigh(b))
            s.g.f.painter.line("stack/cone/side", a, b, {s.g.darkInk().withAlpha(static_cast<float>(0.5 * reached)), 1});
    }
}

}  // namespace

std::string layerNumber(double layer) { return inWords(std::round(layer), 4); }

const Sheet& StackFrame::current() const {
    return *std::find_if(sheets.begin(), sheets.end(), [](const Sheet& sheet) { return sheet.current; });
}

std::vector<Vec2> StackFrame::seen(const Sheet& sheet, const std::vector<Vec2>& loop) const {
    std::vector<Vec2> points;
    points.reserve(loop.size());
    for (const Vec2& p : loop) points.push_back(seen(sheet, p));
    return points;
}

void drawSheets(StackFrame& s) {
    std::vector<double> heights;
    for (const Sheet& sheet : s.sheets) heights.push_back(s.height(sheet));
    const double eye = s.space.camera().position().z;
    for (const std::size_t i : backToFront(s.space.camera(), heights)) {
        drawSheet(s, s.sheets[i]);
        // The piece of the cone between this plane and the next one towards the eye's level.
        if (heights[i] < eye && i + 1 < s.sheets.size()) drawCone(s, s.sheets[i], s.sheets[i + 1]);
        if (heights[i] >= eye && i > 0 && heights[i - 1] >= eye) drawCone(s, s.sheets[i - 1], s.sheets[i]);
    }
    drawSectionRim(s);
}

void drawStack(GridFrame& g, const Section& section, Rect panel) {
    const bool narrow = panel.width() < 420;
    const Rect room = panel.inset(narrow ? 46 : 54, narrow ? 40 : 48, narrow ? 62 : 84, 24);
    const StackSpace space(g.f, g.grid, room);
    StackFrame s{g, space, section, chooseSheets(g, space), panel, room};
    g.f.painter.pushClip(panel);
    drawSheets(s);
    drawStackNames(s);
    offerLayer(s);
    offerStart(s);
    offerSection(s);
    offerCamera(s);
    g.f.painter.popClip();
    drawStackTooltip(s);
}

}  // namespace kappaflow::diffusion
