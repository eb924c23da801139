// Capacity on its way back from the chosen output: a column of units for every state, the share of a unit as its ink.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/one_network/network_lens/picture_view.h"

namespace kappaflow::lens {
namespace {

Color colorOf(const Scene& s, const Flow& flow, double capacity) {
    const double t = capacity_flow::ink(capacity, flow.largest, flow.decades);
    return t > 0.02 ? sample(ColorMap::Capacity, 0.1 + 0.9 * t, s.theme().dark) : s.theme().line;
}

void drawDots(Scene& s, const Flow& flow, const Column& c) {
    const double radius = std::clamp(0.4 * c.spacing, 2.0, 7.5);
    std::vector<PointMark> marks;
    for (std::size_t i = 0; i < c.units.size(); ++i) {
        const Vec2 at = c.at(i);
        if (!flow.edited) {
            marks.push_back({at, radius, colorOf(s, flow, c.units[i])});
            continue;
        }
        const double apart = std::min(radius + 1, 0.25 * flow.rect.width() / static_cast<double>(flow.columns.size()));
        if (i < c.before.size()) marks.push_back({at - Vec2{apart, 0}, radius, colorOf(s, flow, c.before[i])});
        marks.push_back({at + Vec2{c.before.empty() ? 0 : apart, 0}, radius, colorOf(s, flow, c.units[i])});
    }
    s.painter().points("capacity/units", marks);
}

void drawCells(Scene& s, const Flow& flow, const std::vector<double>& capacities, Rect rect, std::size_t rows, std::size_t columns) {
    std::vector<double> inks;
    for (const double capacity : capacities) inks.push_back(capacity_flow::ink(capacity, flow.largest, flow.decades));
    s.painter().field("capacity/cells", rect, {rows, columns, inks, 0, 1, false, ColorMap::Capacity});
    s.painter().frame("capacity/rim", rect, {s.theme().line, 1});
}

void drawColumn(Scene& s, const Flow& flow, const Column& c) {
    if (c.units.empty()) return;
    if (c.dots) return drawDots(s, flow, c);
    if (c.rows > 0) return drawCells(s, flow, c.units, c.rect, c.rows, c.columns);
    if (!flow.edited || c.before.empty()) return drawCells(s, flow, c.units, c.rect, c.units.size(), 1);
    const double share = static_cast<double>(c.before.size()) / static_cast<double>(c.units.size());
    const Rect left{c.rect.lo, {c.x - 1, std::min(c.rect.lo.y + share * c.rect.height(), flow.rect.hi.y)}};
    drawCells(s, flow, c.before, left, c.before.size(), 1);
    drawCells(s, flow, c.units, {{c.x + 1, c.rect.lo.y}, c.rect.hi}, c.units.size(), 1);
}

void drawRibbons(Scene& s, const Flow& flow) {
    if (flow.edited || s.cache.flow.size() + 1 != flow.columns.size()) return;
    const double scale = std::clamp(0.09 * flow.rect.height(), 6.0, 26.0);
    const Color color = capacity_flow::flowColor(s.theme());
    std::vector<Ribbon> ribbons;
    for (std::size_t l = 0; l < s.cache.flow.size(); ++l) {
        const Column &below = flow.columns[l], &above = flow.columns[l + 1];
        const auto at = [&](const Column& c, double unit) {
            return Vec2{c.x, c.rect.centre().y + c.spacing * (unit - 0.5 * (static_cast<double>(c.units.size()) - 1))};
        };
        const double along = s.view.at - static_cast<double>(l);
        const bool here = along >= 0 && along <= 1, moving = along > 0 && along < 1;
        for (const auto& edge : s.cache.flow[l]) {
            const Vec2 from = at(above, edge.from) + Vec2{0, edge.fromAt * scale}, to = at(below, edge.to) + Vec2{0, edge.toAt * scale};
            if (const auto ribbon =
                    capacity_flow::ribbonOf(from, to, edge.amount * scale, color, here ? 0.62 : 0.4, moving ? 1 - along : -1))
                ribbons.push_back(*ribbon);
        }
    }
    s.painter().pushClip(flow.rect);
    s.painter().ribbons("capacity/flow", ribbons, {-1, 0});
    s.painter().popClip();
}

/// Whether the columns are of other states than the ones marked.
bool apart(const Scene& s, const Flow& flow) { return flow.edited && !s.view.everywhere; }

/// The column at the state marked; with an edit, its place among the edited network's.
double columnAt(const Scene& s, const Flow& flow, double state) {
    return std::min(apart(s, flow) ? s.view.placeAfter(state) : state, static_cast<double>(flow.columns.size()) - 1);
}

double stateAt(const Scene& s, const Flow& flow, double column) { return apart(s, flow) ? s.view.placeBefore(column) : column; }

double columnX(const Flow& flow, double column) {
    return flow.rect.lo.x + flow.rect.width() * (column + 0.5) / static_cast<double>(flow.columns.size());
}

void drawMark(Scene& s, const Flow& flow, Rect names) {
    const double gap = flow.rect.width() / static_cast<double>(flow.columns.size()), x = columnX(flow, columnAt(s, flow, s.view.at));
    const double half = std::min(0.42 * gap, 24.0), last = static_cast<double>(s.view.layers);
    s.painter().rect("capacity/now", {{x - half, flow.rect.lo.y - 4}, {x + half, flow.rect.hi.y + 4}}, s.theme().accent.withAlpha(0.13f),
                     5);
    if (!apart(s, flow)) s.scales.push_back({flow.rect, columnX(flow, 0), columnX(flow, last), false});
    const Vec2 knob{x, names.lo.y};
    const auto grip = s.f.handles.offer({"layer capacity",
                                         "layer shown",
                                         s.view.layerName(s.view.layer()),
                                         s.view.at,
                                         0,
                                         last,
                                         1,
                                         {knob - Vec2{12, 9}, knob + Vec2{12, 9}}},
                                        [&](Vec2 p) {
                                            const double column = (p.x - columnX(flow, 0)) / std::max(gap, 1.0);
                                            return std::clamp(stateAt(s, flow, column), 0.0, last);
                                        });
    drawKnob(s.f, "capacity/knob", knob, grip);
    if (grip.moved) moveLayer(s.f, s.view, grip.value);
}

/// Under every column how many units hold its capacity, as many as there is room for.
void drawHolders(Scene& s, const Flow& flow, double y) {
    const Array* holders = s.view.array(flow.edited ? "editedHolders" : "holders");
    if (!holders) return;
    const TextStyle style{.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Centre, .v = AlignV::Middle};
    double taken = -1e9;
    for (std::size_t l = 0; l < std::min(flow.columns.size(), holders->values.size()); ++l) {
        if (!std::isfinite(holders->values[l])) continue;
        const std::string text = numberText(holders->values[l], 2);
        const double half = s.painter().measure(text, style).x / 2 + 3, x = flow.columns[l].x;
        if (x - half < taken || x - half < s.f.area.lo.x || x + half > s.f.area.hi.x) continue;
        s.painter().text("capacity/holders", {x, y}, text, style);
        taken = x + half;
    }
}

/// A press on an output, or the keyboard, chooses where the capacity starts.
void offerOutput(Scene& s, const Flow& flow) {
    const Column& top = flow.columns.back();
    const auto outputs = static_cast<double>(s.view.units.back());
    if (outputs < 2 || top.units.empty() || top.rows > 0) return;
    const double unit = std::clamp(s.f.state.params.number("unit"), 0.0, outputs - 1);
    const Vec2 at = top.at(static_cast<std::size_t>(unit));
    const auto grip =
        s.f.handles.offer({"unit", "output unit", inWords(unit, 5), unit, 0, outputs - 1, 1, {at - Vec2{12, 12}, at + Vec2{12, 12}}},
                          [&](Vec2 p) { return static_cast<double>(top.unitAt(p.y)); });
    const Pointer p = s.f.handles.freePointer();
    double wanted = grip.moved ? grip.value : unit;
    if (p.inside && p.pressed && top.rect.inset(-8, -8, -8, -8).contains(p.at)) wanted = static_cast<double>(top.unitAt(p.at.y));
    if (wanted != unit) s.f.changes.push_back(Change::param("unit", wanted));
    const bool lively = grip.hovered || grip.held || grip.focused;
    const double radius = top.dots ? std::clamp(0.4 * top.spacing, 2.0, 7.5) + 3 : 7;
    const Rect ring{at - Vec2{radius, radius}, at + Vec2{radius, radius}};
    s.painter().frame("capacity/output", ring, {lively ? s.theme().accent : s.theme().text, lively ? 2.2 : 1.6}, radius);
}

std::size_t cellAt(double share, std::size_t count) {
    return static_cast<std::size_t>(std::clamp(share, 0.0, 0.999) * static_cast<double>(count));
}

void hoverUnits(Scene& s, const Flow& flow) {
    const auto p = s.over(flow.rect);
    if (!p) return;
    for (std::size_t l = 0; l < flow.columns.size(); ++l) {
        const Column& c = flow.columns[l];
        if (c.units.empty() || !c.rect.inset(-5, -4, -5, -4).contains(*p)) continue;
        const std::string state = apart(s, flow) ? "state " + std::to_string(l) : s.view.layerName(l);
        if (c.rows > 0) {
            const std::size_t row = cellAt((p->y - c.rect.lo.y) / c.rect.height(), c.rows);
            const std::size_t column = cellAt((p->x - c.rect.lo.x) / c.rect.width(), c.columns);
            s.tip = {state + ", row " + std::to_string(row) + ", column " + std::to_string(column),
                     "*κ* = " + numberText(c.units[row * c.columns + column], 3) + " over its channels"};
            return;
        }
        const std::size_t unit = c.unitAt(p->y);
        s.tip = {state + ", unit " + std::to_string(unit), "*κ* = " + numberText(c.units[unit], 3)};
        if (flow.edited) s.tip.push_back(unit < c.before.size() ? "before the edit " + numberText(c.before[unit], 3) : "new");
        if (c.dots) s.painter().frame("capacity/hover", {c.at(unit) - Vec2{9, 9}, c.at(unit) + Vec2{9, 9}}, {s.theme().text, 1.5}, 9);
        return;
    }
}

/// What the edit moved, from the longest sentence to the shortest.
std::vector<std::string> editTexts(const Scene& s) {
    const double moved = s.view.scalar("moved"), change = s.view.scalar("functionChange");
    const std::string sides = "left before, right after";
    if (!std::isfinite(moved)) return {sides};
    const std::string share = numberText(100 * moved, 3) + " %";
    const std::string most = sides + "; " + share + " of the inputs’ capacity moved";
    const std::string outputs = std::isfinite(change) ? ", outputs by " + numberText(100 * change, 3) + " %" : "";
    return {most + outputs, most, sides + "; " + share + " of it moved", sides};
}

/// What the edit did, or why there is none, under the heading. Height that it took.
double drawEditLine(Scene& s, const Flow& flow, Rect rect) {
    const std::string* why = s.report().note("edit");
    if (rect.height() < 120 || !(flow.edited || why)) return 0;
    const TextStyle style{.color = why ? s.theme().warning : s.theme().muted, .size = s.theme().tinySize, .v = AlignV::Middle};
    std::string text = why ? elide(s.painter(), *why, style, rect.width() - 8) : "";
    for (const std::string& words : why ? std::vector<std::string>{} : editTexts(s))
        if (text.empty() && s.painter().measure(words, style).x <= rect.width() - 8) text = words;
    s.painter().text("capacity/edit", {rect.lo.x + 4, rect.lo.y + 7}, text, style);
    return 18;
}

}  // namespace

void drawCapacity(Scene& s, Rect rect) {
    const std::string output = s.view.units.back() > 1 ? " from output " + inWords(s.f.state.params.number("unit"), 5) : " from the output";
    const std::string edit = s.f.state.params.is("edit", "none") ? "" : ", what if: " + s.f.state.params.text("edit");
    rect = drawHeading(s, Lens::Capacity, rect,
                       {"Capacity *κ* flowing back" + output + edit, "Capacity *κ*" + output + edit, "Capacity *κ*" + output, "Capacity"});
    Flow flow = readFlow(s.view);
    if (flow.columns.size() < 2) return drawReason(s, Lens::Capacity, rect, "There is no capacity to show.");
    rect.hi.y -= drawRemark(s, Lens::Capacity, rect);
    rect.lo.y += drawEditLine(s, flow, rect);
    const double below = rect.height() > 130 ? 44 : 12;  // with the numbers of holders, or the knob alone
    const Rect names{{rect.lo.x, rect.hi.y - below}, rect.hi};
    placeColumns(flow, {{rect.lo.x + 4, rect.lo.y + 6}, {rect.hi.x - 4, names.lo.y - 10}});
    drawMark(s, flow, names);
    drawRibbons(s, flow);
    for (const Column& column : flow.columns) drawColumn(s, flow, column);
    if (below > 20) {
        drawHolders(s, flow, names.lo.y + 18);
        s.painter().text("capacity/held", {rect.centre().x, names.lo.y + 35}, "units that hold it, from input to output",
                         {.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Centre, .v = AlignV::Middle});
    }
    offerOutput(s, flow);
    hoverUnits(s, flow);
}

namespace {

// Normalised sensitivity and effective ranks over the layers.

struct Line {
    const char* id;
    const Array* values;
    std::size_t color;
    const char* label;
};

struct Extent {
    double lo = 1e300, hi = -1e300;
    void include(const Array* array) {
        for (const double v : array ? array->values : std::vector<double>{})
            if (std::isfinite(v) && v > 0) lo = std::min(lo, v), hi = std::max(hi, v);
    }
    AxisSpec axis(std::string label) const {
        if (!(hi > 0)) return {.label = std::move(label), .lo = 0, .hi = 1};
        if (hi > 15 * lo) return {.label = std::move(label), .lo = lo / 1.4, .hi = hi * 1.8, .scale = Scale::Log};
        const double room = std::max(hi - std::min(lo, 1.0), 0.05 * hi);
        return {.label = std::move(label), .lo = std::max(0.0, std::min(lo, 1.0) - 0.1 * room), .hi = hi + 0.16 * room};
    }
};

/// One standard error to either side.
void drawErrors(Plot& plot, const Line& line, const std::vector<double>& layers, Color color) {
    const auto &values = line.values->values, &errors = line.values->standardError;
    if (errors.size() != values.size()) return;
    std::vector<double> low, high;
    for (std::size_t l = 0; l < values.size(); ++l) low.push_back(values[l] - errors[l]), high.push_back(values[l] + errors[l]);
    plot.band(std::string(line.id) + "/error", layers, low, high, color.withAlpha(0.2f));
}

void drawLines(Scene& s, const std::string& id, Rect rect, std::string label, std::initializer_list<Line> lines) {
    Extent extent;
    for (const Line& line : lines) extent.include(line.values);
    Plot plot(s.painter(), s.theme(), id, rect, layerAxis(s.view), extent.axis(std::move(label)), zoomOf(s.f, id));
    for (const Line& line : lines) {
        if (!line.values) continue;
        const auto layers = countUp(line.values->values.size());
        const Color color = s.theme().series[line.color];
        drawErrors(plot, line, layers, color);
        plot.line(std::string(line.id) + "/measured", layers, line.values->values, {color, Dash::Solid, 2.2, line.label});
        plot.markers(std::string(line.id) + "/measured", layers, line.values->values, {color, Dash::Solid, 1, ""}, MarkerShape::Circle, 3);
    }
    drawLayerMark(s, plot, id);
    finishPlot(s.f, plot, id, "");
}

}  // namespace

void drawSensitivity(Scene& s, Rect rect) {
    const Array *chi = s.view.array("chi"), *signal = s.view.array("rankSignal"), *noise = s.view.array("rankNoise");
    const double last = chi && !chi->values.empty() ? chi->values.back() : std::nan("");
    const std::string value = std::isfinite(last) ? " *χ* = " + numberText(last, 3) + " at the output" : "";
    rect = drawHeading(s, Lens::Sensitivity, rect,
                       {"Sensitivity" + value + ", and effective ranks", "Sensitivity" + value, "Sensitivity and ranks", "Sensitivity"});
    if (!chi || !signal) return drawReason(s, Lens::Sensitivity, rect, "There is no sensitivity to show.");
    rect.hi.y -= drawRemark(s, Lens::Sensitivity, rect);
    rect = withoutTitle(rect);
    const Line ranks[] = {{"signal", signal, 2, "signal"}, {"noise", noise, 1, "noise"}};
    const bool upright = rect.height() > 1.15 * rect.width();
    if (!upright && rect.width() < 260) return drawLines(s, "chi", rect, "sensitivity *χ*", {{"chi", chi, 0, "*χ*"}});
    const double middle = upright ? rect.lo.y + rect.height() / 2 : rect.lo.x + rect.width() / 2;
    const Rect first = upright ? Rect{rect.lo, {rect.hi.x, middle - 3}} : Rect{rect.lo, {middle - 3, rect.hi.y}};
    const Rect second = upright ? Rect{{rect.lo.x, middle + 3}, rect.hi} : Rect{{middle + 3, rect.lo.y}, rect.hi};
    drawLines(s, "chi", first, "sensitivity *χ*", {{"chi", chi, 0, "*χ*"}});
    drawLines(s, "ranks", second, "effective rank *r*", {ranks[0], ranks[1]});
}

}  // namespace kappaflow::lens
