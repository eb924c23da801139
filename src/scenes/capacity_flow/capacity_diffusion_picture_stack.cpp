// The stack of layers in perspective: planes filled with capacity, and around its bulk a line on each plane, joined into a widening cone.
#include <algorithm>
#include <array>
#include <numbers>

#include "draw/camera.h"
#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/capacity_flow/capacity_diffusion_picture.h"

namespace kappaflow::capacity_diffusion {
namespace {

using Size = std::size_t;

/// For lines over fields.
Color darkInk(const Theme& theme) { return sample(ColorMap::Capacity, 0.92, theme.dark); }

/// One plane of the stack as it is drawn: a whole layer, or the one that moves with the timeline.
struct Sheet {
    double layer;
    const PlaneLayer* field;
    double reached;  ///< 0 … 1: how far the flow from the top has filled it
    bool current;
};

/// Level planes one above the other, the input at the bottom, in proportion to their sizes; the largest one is 2 wide. Row 0 lies at the
/// back, columns run to the right. Places on a layer are in cells (cell (r, c) has its middle at whole numbers).
class Stack {
public:
    Stack(const Seen& seen, const Planes& layers, Rect all);

    double height(double layer) const { return halfHeight_ * (2 * layer / depth() - 1); }
    double depth() const { return static_cast<double>(std::max<Size>(planes.layers(), 1)); }
    ProjectedPoint project(Size rows, Size cols, Vec2 colRow, double height) const;
    PlaneCorners corners(const Sheet&) const;
    Vec2 on(const Sheet& sheet, Vec2 colRow) const { return project(sheet.field->rows, sheet.field->cols, colRow, height(sheet.layer)).at; }
    std::vector<Vec2> on(const Sheet& sheet, const std::vector<Vec2>& loop) const {
        std::vector<Vec2> points;
        for (const Vec2& p : loop) points.push_back(on(sheet, p));
        return points;
    }
    /// The cell under a place on the screen, as (column, row); outside the plane too.
    std::optional<Vec2> cellUnder(Vec2 screen, Size rows, Size cols, double height) const;
    /// A vertical line at the stack's left end as it is seen, at a layer: beside it stand the layers' names. Falls with the layer.
    Vec2 leftOf(double layer) const;
    /// The layer beside a place on the screen: leftOf's inverse.
    double layerBeside(Vec2 screen) const;
    /// Two lines of text stand beside the stack's right end where they have room, else they are shorter.
    bool narrow() const { return panel.width() < 420; }
    const Sheet& current() const {
        return *std::find_if(sheets.begin(), sheets.end(), [](const Sheet& sheet) { return sheet.current; });
    }
    /// Indices of the sheets as they are to be drawn.
    std::vector<Size> drawingOrder() const;

    const Seen& s;
    PictureFrame& f;
    const Planes& planes;
    SectionLine section;
    Rect panel;
    OrbitCamera camera;
    std::vector<Sheet> sheets;  ///< from the input up

private:
    void chooseSheets();
    Vec2 half(Size rows, Size cols) const;
    Vec2 most_;  ///< half extents of the largest plane
    double unit_ = 1, halfHeight_ = 1;
};

Stack::Stack(const Seen& seen, const Planes& layers, Rect all)
    : s(seen), f(seen.f), planes(layers), section(sectionOf(seen, layers)), panel(all) {
    constexpr double kDistance = 14;   // of the camera: some perspective, no distortion
    constexpr double kUsualTilt = 25;  // the stack is as high as fills the room at this one, and keeps its height when it is tilted
    const Rect room = panel.inset(narrow() ? 46 : 54, narrow() ? 40 : 48, narrow() ? 62 : 84, 24);
    unit_ = 1 / static_cast<double>(std::max(planes.mostRows(), planes.mostCols()));
    most_ = {static_cast<double>(planes.mostCols()) * unit_, static_cast<double>(planes.mostRows()) * unit_};
    const double radius = std::hypot(most_.x, most_.y), sine = std::sin(kUsualTilt * std::numbers::pi / 180);
    const double wish = radius * (room.height() / std::max(room.width(), 1.0) - sine) / std::sqrt(1 - sine * sine);
    halfHeight_ = std::clamp(wish, 0.55, 3.2);
    camera.azimuth = s.params.orbit;
    camera.elevation = s.params.tilt;
    camera.distance = kDistance;
    fitCylinder(camera, radius, halfHeight_, room);
    camera.centre = room.centre() + (camera.centre - room.centre()) * s.params.zoom;
    camera.scale *= s.params.zoom;
    chooseSheets();
}

/// As many layers as have room, evenly from the input up, and the output; in place of those at the timeline's own place, the plane that
/// moves.
void Stack::chooseSheets() {
    constexpr double kLeastGap = 24;  // pixels between planes: nearer ones hide each other
    const double top = static_cast<double>(planes.layers()), high = std::abs(leftOf(0).y - leftOf(top).y), at = planes.at();
    const double step = std::max(1.0, std::ceil(top / std::clamp(std::floor(high / kLeastGap), 2.0, 40.0)));
    const auto add = [&](double layer) {
        const auto* field = std::abs(layer - at) > 0.02 ? planes.layer(static_cast<Size>(layer), layer == 0 || layer == top) : nullptr;
        if (field) sheets.push_back({layer, field, std::clamp(layer + 1 - at, 0.0, 1.0), false});
    };
    for (double layer = 0; layer < top - 0.6 * step; layer += step) add(layer);
    add(top);
    const auto above = std::find_if(sheets.begin(), sheets.end(), [&](const Sheet& sheet) { return sheet.layer > at; });
    sheets.insert(above, {at, &planes.current(), 1, true});
}

Vec2 Stack::half(Size rows, Size cols) const {
    constexpr double kLongestRow = 1, kShortestRow = 0.3, kThinnestRow = 0.03;  // of units without a second axis
    const Vec2 cells{static_cast<double>(cols) * unit_, static_cast<double>(rows) * unit_};
    if (rows > 1) return cells;
    return {std::clamp(cells.x, kShortestRow, kLongestRow), std::max(cells.y, kThinnestRow)};
}

ProjectedPoint Stack::project(Size rows, Size cols, Vec2 colRow, double height) const {
    const Vec2 size = half(rows, cols);
    return camera.project({size.x * (2 * (colRow.x + 0.5) / static_cast<double>(cols) - 1),
                           size.y * (1 - 2 * (colRow.y + 0.5) / static_cast<double>(rows)), height});
}

PlaneCorners Stack::corners(const Sheet& sheet) const {
    const Size rows = sheet.field->rows, cols = sheet.field->cols;
    const double right = static_cast<double>(cols) - 0.5, front = static_cast<double>(rows) - 0.5, level = height(sheet.layer);
    return {project(rows, cols, {-0.5, -0.5}, level), project(rows, cols, {right, -0.5}, level), project(rows, cols, {right, front}, level),
            project(rows, cols, {-0.5, front}, level)};
}

std::optional<Vec2> Stack::cellUnder(Vec2 screen, Size rows, Size cols, double height) const {
    const auto point = camera.onLevel(screen, height);
    if (!point) return std::nullopt;
    const Vec2 size = half(rows, cols);
    return Vec2{(point->x / size.x + 1) / 2 * static_cast<double>(cols) - 0.5,
                (1 - point->y / size.y) / 2 * static_cast<double>(rows) - 0.5};
}

Vec2 Stack::leftOf(double layer) const {
    // The corner of the largest plane that is seen farthest to the left.
    Vec2 best;
    double farthest = -1e9;
    for (const double sx : {-1.0, 1.0})
        for (const double sy : {-1.0, 1.0}) {
            const double out = -dot(camera.right(), {sx * most_.x, sy * most_.y, 0});
            if (out > farthest) farthest = out, best = camera.project({sx * most_.x, sy * most_.y, height(layer)}).at;
        }
    return best;
}

double Stack::layerBeside(Vec2 screen) const {
    double low = 0, high = depth();
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        (leftOf(middle).y > screen.y ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

std::vector<Size> Stack::drawingOrder() const {
    std::vector<double> heights;
    for (const Sheet& sheet : sheets) heights.push_back(height(sheet.layer));
    return backToFront(camera, heights);
}

void drawSheet(const Stack& stack, const Sheet& sheet) {
    constexpr double kWaiting = 0.1;  // ink of layers the flow has not reached
    const Theme& theme = stack.f.theme;
    Painter& painter = stack.f.painter;
    const std::string id = sheet.current ? "stack/current" : "stack/plane/" + layerNumber(sheet.layer);
    const PlaneCorners corners = stack.corners(sheet);
    const std::vector<Vec2> outline{corners[0].at, corners[1].at, corners[2].at, corners[3].at};
    // A breath of ground: the plane reads as a sheet, yet shows what lies below. (Under all of them it would cost more than their fields.)
    if (sheet.current) painter.polygon(id + "/ground", outline, theme.raised.withAlpha(0.3f));
    Field2D field = stack.planes.field(*sheet.field);
    field.fadesOut = true;
    painter.plane(id, corners, field, kWaiting + (1 - kWaiting) * sheet.reached);
    const Color rim = sheet.current ? theme.accent : theme.line.withAlpha(static_cast<float>(0.35 + 0.45 * sheet.reached));
    painter.line(id + "/rim", outline, {rim, sheet.current ? 1.8 : 1.0}, true);
    if (sheet.reached <= 0) return;
    if (sheet.current)
        for (const auto& loop : sheet.field->heldInTheory)
            painter.line("stack/contour/theory", stack.on(sheet, loop), {theme.theory, 1.8, Dash::Dashed}, true);
    const Color color = sheet.current ? theme.accent : darkInk(theme).withAlpha(static_cast<float>(0.7 * sheet.reached));
    for (const auto& loop : sheet.field->held)
        painter.line("stack/contour/measured", stack.on(sheet, loop), {color, sheet.current ? 2.2 : 1.2}, true);
}

/// What lies between the contours of two planes, seen from outside, with its two silhouettes.
void drawCone(const Stack& stack, const Sheet& below, const Sheet& above) {
    const auto *low = below.field->outline(), *high = above.field->outline();
    const double reached = std::min(below.reached, above.reached);
    if (!low || !high || reached <= 0) return;
    const auto highSeen = stack.on(above, *high);
    std::vector<Vec2> both = stack.on(below, *low);
    both.insert(both.end(), highSeen.begin(), highSeen.end());
    const auto hull = convexHull(both);
    const Theme& theme = stack.f.theme;
    stack.f.painter.polygon("stack/cone", hull, capacityColor(theme).withAlpha(static_cast<float>(0.1 * reached)));
    const auto isHigh = [&](Vec2 p) { return std::find(highSeen.begin(), highSeen.end(), p) != highSeen.end(); };
    for (Size i = 0; i < hull.size(); ++i) {
        const Vec2 a = hull[i], b = hull[(i + 1) % hull.size()];
        if (isHigh(a) == isHigh(b)) continue;
        stack.f.painter.line("stack/cone/side", a, b, {darkInk(theme).withAlpha(static_cast<float>(0.5 * reached)), 1});
    }
}

/// The section's rim all round, and its line on the current plane.
void drawSectionRim(const Stack& stack) {
    if (!stack.section.shown) return;
    const Color color = stack.f.theme.series[2];
    std::vector<Vec2> rim, back;
    for (const Sheet& sheet : stack.sheets) {
        if (sheet.field->isVector()) continue;
        const auto rows = static_cast<double>(sheet.field->rows), cols = static_cast<double>(sheet.field->cols);
        const double y = stack.section.share * rows - 0.5, x = stack.section.share * cols - 0.5;
        rim.push_back(stack.on(sheet, stack.section.alongX ? Vec2{-0.5, y} : Vec2{x, -0.5}));
        back.push_back(stack.on(sheet, stack.section.alongX ? Vec2{cols - 0.5, y} : Vec2{x, rows - 0.5}));
        if (sheet.current) stack.f.painter.line("stack/section/current", rim.back(), back.back(), {color.withAlpha(0.7f), 1.2});
    }
    rim.insert(rim.end(), back.rbegin(), back.rend());
    stack.f.painter.line("stack/section", rim, {color.withAlpha(0.35f), 1}, true);
}

void drawSheets(const Stack& stack) {
    const auto& sheets = stack.sheets;
    const double eye = stack.camera.position().z;
    const auto below = [&](Size i) { return stack.height(sheets[i].layer) < eye; };
    for (const Size i : stack.drawingOrder()) {
        drawSheet(stack, sheets[i]);
        // The piece of the cone between this plane and the next one towards the eye's level.
        if (below(i) && i + 1 < sheets.size()) drawCone(stack, sheets[i], sheets[i + 1]);
        if (!below(i) && i > 0 && !below(i - 1)) drawCone(stack, sheets[i - 1], sheets[i]);
    }
    drawSectionRim(stack);
}

void drawParcels(const Stack& stack) {
    const Planes& planes = stack.planes;
    std::vector<PointMark> marks;
    for (const Parcel& parcel : parcelsAt(stack.s.result, planes.at())) {
        const auto place = [&](Size layer, Size position) {
            const Size cols = planes.cols(layer);
            return stack
                .project(planes.rows(layer), cols, {static_cast<double>(position % cols), static_cast<double>(position / cols)},
                         stack.height(parcel.layer))
                .at;
        };
        const Vec2 from = place(parcel.above, parcel.from), to = place(parcel.below, parcel.to);
        marks.push_back({from + (to - from) * parcel.hopped, 2, parcelColor(stack.f.theme)});
    }
    stack.f.painter.points("parcels", marks);
}

// What is written beside the stack, and what the pointer reads off it.

/// What the numbers of the layer shown say; nothing that they do not.
std::string heading(const Stack& stack) {
    const Planes& planes = stack.planes;
    const Size layer = planes.nearest(), passed = planes.layers() - layer;
    const std::string here = "layer " + layerNumber(planes.at());
    if (planes.oneChannel()) return "channel " + inWords(stack.s.asked.channel, 5) + " of " + here;
    if (passed == 0) return "the output layer, where the capacity starts";
    const double x = planes.deviation(layer, 1), y = planes.deviation(layer, 0);
    if (planes.current().isVector() || std::isnan(x) || std::isnan(y)) return here;
    const std::string depth = passed == 1 ? "1 layer down" : std::to_string(passed) + " layers down";
    const std::string sx = fixedText(x, 2), sy = fixedText(y, 2);
    if (sx == sy) return depth + ": *σ* = " + sx + (stack.narrow() ? " positions" : " positions along both axes");
    return depth + ": *σ_{x}* = " + sx + ", *σ_{y}* = " + sy + " positions";
}

TextStyle quiet(const PictureFrame& f, AlignH h) {
    return {.color = f.theme.muted, .size = f.theme.tinySize, .h = h, .v = AlignV::Middle, .halo = f.theme.ground};
}

void drawLayerNumbers(const Stack& stack) {
    const double at = stack.leftOf(stack.planes.at()).y;
    std::vector<double> taken{at};
    const auto place = [&](const Sheet& sheet) {
        const Vec2 beside = stack.leftOf(sheet.layer) + Vec2{-10, 0};
        const auto near = [&](double y) { return std::abs(y - beside.y) < (y == at ? 18 : 14.5); };
        if (sheet.current || std::any_of(taken.begin(), taken.end(), near)) return;
        taken.push_back(beside.y);
        stack.f.painter.text("stack/layer", beside, layerNumber(sheet.layer), quiet(stack.f, AlignH::Right));
    };
    place(stack.sheets.front());
    place(stack.sheets.back());
    for (const Sheet& sheet : stack.sheets) place(sheet);
}

/// Title, layers, output and input at the right end, and between them what the line on the current plane means.
void drawNames(const Stack& stack) {
    PictureFrame& f = stack.f;
    const TextStyle title{.color = f.theme.text, .size = f.theme.smallSize, .bold = true};
    const double left = stack.panel.lo.x + 4;
    f.painter.text("stack/title", {left, stack.panel.lo.y + 4}, elide(f.painter, heading(stack), title, stack.panel.hi.x - left - 4),
                   title);
    drawLayerNumbers(stack);
    TextStyle style = quiet(f, AlignH::Left);
    const auto rightEnd = [&](const Sheet& sheet) {
        const PlaneCorners corners = stack.corners(sheet);
        return std::max_element(corners.begin(), corners.end(), [](const auto& a, const auto& b) { return a.at.x < b.at.x; })->at;
    };
    const Vec2 top = rightEnd(stack.sheets.back()) + Vec2{8, 0}, bottom = rightEnd(stack.sheets.front()) + Vec2{8, 0};
    f.painter.text("stack/output", top, "output", style);
    f.painter.text("stack/input", bottom, "input", style);
    const auto* outline = stack.planes.current().outline();
    if (!outline) return;
    const auto seen = stack.on(stack.current(), *outline);
    const Vec2 from = *std::max_element(seen.begin(), seen.end(), [](Vec2 a, Vec2 b) { return a.x < b.x; });
    Vec2 at{rightEnd(stack.current()).x + 8, from.y};
    const double room = 33;
    if (at.y < top.y + room) at.y = top.y + room;
    if (at.y > bottom.y - room) at.y = bottom.y - room;
    style.color = f.theme.accent;
    f.painter.line("stack/held/leader", from, at + Vec2{-4, 0}, {f.theme.accent.withAlpha(0.6f), 1});
    f.painter.text("stack/held", at + Vec2{0, -8}, stack.narrow() ? "68 % of" : "68 % of the", style);
    f.painter.text("stack/held", at + Vec2{0, 8}, "capacity", style);
}

/// The nearest plane with visible capacity under the pointer; the current one counts where it is empty, too.
void drawTooltip(const Stack& stack) {
    PictureFrame& f = stack.f;
    const Pointer p = f.handles.freePointer();
    if (!p.inside || p.down || !stack.panel.contains(p.at)) return;
    const Sheet* found = nullptr;
    Size row = 0, col = 0;
    auto order = stack.drawingOrder();
    std::reverse(order.begin(), order.end());
    for (const Size i : order) {
        const Sheet& sheet = stack.sheets[i];
        const PlaneLayer& field = *sheet.field;
        const auto cell = stack.cellUnder(p.at, field.rows, field.cols, stack.height(sheet.layer));
        if (!cell || cell->x < -0.5 || cell->y < -0.5) continue;
        const auto y = static_cast<Size>(cell->y + 0.5), x = static_cast<Size>(cell->x + 0.5);
        if (y >= field.rows || x >= field.cols) continue;
        const double ink = mapPosition(ColorMap::Capacity, stack.planes.capacity(field)[y * field.cols + x], stack.planes.low(),
                                       stack.planes.high(), stack.planes.logarithmic());
        const bool visible = sheet.reached > 0 && ink > 0.15;
        if (visible || sheet.current) found = &sheet, row = y, col = x;
        if (visible) break;
    }
    if (!found) return;
    const PlaneLayer& field = *found->field;
    const Vec2 middle{static_cast<double>(col), static_cast<double>(row)};
    std::vector<Vec2> cell;
    for (const Vec2 corner : {Vec2{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) cell.push_back(stack.on(*found, middle + corner));
    f.painter.line("stack/hover", cell, {f.theme.text, 1.5}, true);
    const std::string unit =
        field.isVector() ? "unit " + std::to_string(col) : "(*x*, *y*) = (" + std::to_string(col) + ", " + std::to_string(row) + ")";
    tooltip(
        f, p.at,
        {"layer " + layerNumber(found->layer) + ", " + unit, "*κ* = " + numberText(stack.planes.capacity(field)[row * field.cols + col])});
}

// What can be pulled about: the layer shown, the unit where the capacity starts, the section, the camera. Drawn where they are held.

void offerLayer(const Stack& stack) {
    PictureFrame& f = stack.f;
    const double at = stack.planes.at(), layers = static_cast<double>(stack.planes.layers());
    const Vec2 corner = stack.leftOf(at);
    const double left = stack.panel.lo.x;
    const Rect tag{{std::max(left, corner.x - 42), corner.y - 10}, {std::max(left + 32, corner.x - 8), corner.y + 10}};
    const auto layerAt = [&](Vec2 p) { return stack.layerBeside(p); };
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
    f.painter.line("stack/layer/leader", Vec2{tag.hi.x, corner.y}, corner, {f.theme.accent, grip.lively() ? 2.0 : 1.2});
    f.painter.rect("stack/layer/tag", tag, f.theme.accent, 4);
    f.painter.text("stack/layer/now", tag.centre(), layerNumber(at),
                   {.color = f.theme.onAccent, .size = f.theme.smallSize, .h = AlignH::Centre, .v = AlignV::Middle, .bold = true});
}

void offerStart(const Stack& stack) {
    if (stack.s.params.top != Top::Dirac && stack.s.params.top != Top::Block) return;
    PictureFrame& f = stack.f;
    const Size layer = stack.planes.layers(), rows = stack.planes.rows(layer), cols = stack.planes.cols(layer);
    const double level = stack.height(static_cast<double>(layer)), height = static_cast<double>(rows), width = static_cast<double>(cols);
    const double wish = stack.s.params.topIndex, centre = std::floor(height / 2) * width + std::floor(width / 2);
    const double index = wish < 0 ? centre : std::min(wish, height * width - 1);
    const double row = std::floor(index / width), col = index - row * width;
    const Vec2 foot = stack.project(rows, cols, {col, row}, level).at;
    const Rect knob{foot + Vec2{-13, -26}, foot + Vec2{13, 0}};
    const auto unitAt = [&](Vec2 p) {
        const auto cell = stack.cellUnder(p + foot - knob.centre(), rows, cols, level);
        if (!cell) return index;
        return std::clamp(std::round(cell->y), 0.0, height - 1) * width + std::clamp(std::round(cell->x), 0.0, width - 1);
    };
    const std::string place = rows == 1 ? "unit " + inWords(col, 6) : "x = " + inWords(col, 6) + ", y = " + inWords(row, 6);
    const auto grip = f.handles.offer({"top", "unit where the capacity starts", place, index, 0, height * width - 1, 1, knob}, unitAt);
    double wanted = grip.moved ? grip.value : index;
    if (rows > 1) {
        // For the keyboard: the same knob, by whole rows. The first of two handles in one place takes the pointer.
        const auto byRow =
            f.handles.offer({"topRow", "row where the capacity starts", "y = " + inWords(row, 6), row, 0, height - 1, 1, knob});
        if (byRow.moved) wanted = byRow.value * width + col;
    }
    if (wanted != index) f.changes.push_back(Change::param("topIndex", wanted));
    const double size = grip.lively() ? 8.5 : 7;
    const Vec2 arrow[] = {foot + Vec2{-size, -size * 1.5 - 3}, foot + Vec2{size, -size * 1.5 - 3}, foot + Vec2{0, -3}};
    f.painter.polygon("stack/start", arrow, f.theme.accent);
}

void offerSection(const Stack& stack) {
    if (!stack.section.shown || stack.planes.isVector(0)) return;
    PictureFrame& f = stack.f;
    const bool alongX = stack.section.alongX;
    const Size rows = stack.planes.rows(0), cols = stack.planes.cols(0);
    const double line = static_cast<double>(stack.section.line(stack.planes, 0)), level = stack.height(0);
    const double last = static_cast<double>(alongX ? rows : cols) - 1;
    const auto end = [&](double side) {
        const double far = side * static_cast<double>(alongX ? cols : rows) - 0.5;
        return stack.project(rows, cols, alongX ? Vec2{far, line} : Vec2{line, far}, level).at;
    };
    const Vec2 a = end(0), b = end(1), at = a.y > b.y ? a : b;
    const auto lineAt = [&](Vec2 p) {
        const auto cell = stack.cellUnder(p, rows, cols, level);
        return cell ? std::clamp(alongX ? cell->y : cell->x, 0.0, last) : line;
    };
    const auto grip = f.handles.offer({"section", alongX ? "row of the section" : "column of the section",
                                       (alongX ? "y = " : "x = ") + inWords(line, 6), line, 0, last, 1, knobRect(at)},
                                      lineAt);
    if (grip.moved && grip.value != line) f.changes.push_back(Change::param("sectionAt", grip.value));
    if (f.kept) return;
    f.painter.marker("stack/section/knob", at, grip.lively() ? 7.5 : 6, MarkerShape::Diamond, f.theme.series[2],
                     Stroke{f.theme.ground, 1.5});
}

constexpr double kLeastTilt = 5, kMostTilt = 85;

void turn(const Stack& stack, Vec2 moved) {
    constexpr double kDegreesPerPixel = 0.4;
    if (moved == Vec2{}) return;
    const auto tenth = [](double v) { return std::round(v * 10) / 10; };
    const double orbit = stack.s.params.orbit - kDegreesPerPixel * moved.x, tilt = stack.s.params.tilt + kDegreesPerPixel * moved.y;
    // Half a turn right is half a turn left.
    stack.f.changes.push_back(Change::param("orbit", tenth(orbit - 360 * std::round(orbit / 360))));
    stack.f.changes.push_back(Change::param("tilt", tenth(std::clamp(tilt, kLeastTilt, kMostTilt))));
}

/// The axes of the stack, small: which way x, y and the layers run, and a handle to turn them by. Where no handle is, dragging turns too,
/// the wheel and two fingers zoom, a double click puts the camera back.
void offerCamera(const Stack& stack) {
    constexpr double kLeastZoom = 0.5, kMostZoom = 4;
    PictureFrame& f = stack.f;
    const Vec2 middle{stack.panel.lo.x + 26, stack.panel.hi.y - 22};
    const Rect knob = around(middle, 24);
    const Params& view = stack.s.params;
    const auto degrees = [](double v) { return inWords(std::round(v), 4) + "°"; };
    const auto byOrbit =
        f.handles.offer({"orbit", "direction the stack is seen from", degrees(view.orbit), view.orbit, -180, 180, 5, knob});
    const auto byTilt =
        f.handles.offer({"tilt", "height the stack is seen from", degrees(view.tilt), view.tilt, kLeastTilt, kMostTilt, 5, knob});
    if (byOrbit.held)
        turn(stack, f.handles.pointer().moved);
    else if (byOrbit.moved)
        f.changes.push_back(Change::param("orbit", byOrbit.value));
    else if (byTilt.moved)
        f.changes.push_back(Change::param("tilt", byTilt.value));

    const bool strong = byOrbit.lively() || byTilt.lively();
    TextStyle style = quiet(f, AlignH::Centre);
    if (strong) style.color = f.theme.accent;
    const std::pair<Vec3, const char*> axes[] = {{{1, 0, 0}, "*x*"}, {{0, -1, 0}, "*y*"}, {{0, 0, 1}, "*l*"}};
    for (const auto& [direction, name] : axes) {
        const Vec2 along = Vec2{dot(stack.camera.right(), direction), -dot(stack.camera.up(), direction)} * 15;
        f.painter.line("stack/axes", middle, middle + along, {style.color, strong ? 2.0 : 1.4});
        // An axis seen from its end has its name beside it all the same.
        const double size = std::max(std::hypot(along.x, along.y) / 15, 1e-6);
        f.painter.text("stack/axes/name", middle + along + along * (8 / (15 * size)), name, style);
    }

    const Pointer p = f.handles.freePointer();
    if (!p.inside || !stack.panel.contains(p.down ? p.pressedAt : p.at)) return;
    if (p.doubleClicked) {
        const Params standard;
        f.changes.push_back(Change::param("orbit", standard.orbit));
        f.changes.push_back(Change::param("tilt", standard.tilt));
        f.changes.push_back(Change::param("zoom", standard.zoom));
    } else if (p.wheel != 0) {
        const double zoom = std::clamp(view.zoom * std::pow(1.2, p.wheel), kLeastZoom, kMostZoom);
        f.changes.push_back(Change::param("zoom", std::round(zoom * 100) / 100));
    } else if (p.down && !p.pressed && !p.touch) {
        turn(stack, p.moved);
    }
}

}  // namespace

void drawStack(const Seen& s, const Planes& planes, Rect panel) {
    const Stack stack(s, planes, panel);
    s.f.painter.pushClip(panel);
    drawSheets(stack);
    if (planes.unfinished()) s.f.animating = true;
    drawParcels(stack);
    drawNames(stack);
    offerLayer(stack);
    offerStart(stack);
    offerSection(stack);
    offerCamera(stack);
    s.f.painter.popClip();
    drawTooltip(stack);
}

}  // namespace kappaflow::capacity_diffusion
