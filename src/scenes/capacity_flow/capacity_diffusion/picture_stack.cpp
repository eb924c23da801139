// The stack of layers in perspective: planes filled with capacity, and around its bulk a line on each plane, joined into a widening cone.
#include "scenes/capacity_flow/capacity_diffusion/picture_stack.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kappaflow::diffusion {
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
