// Capacity on its way back from the chosen output: a column of units for every state, the share of a unit as its ink.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "scenes/one_network/network_lens_picture.h"

namespace kappaflow::network_lens {
namespace {

/// What stands in one column: a state of the network, and of the edited one where there is an edit.
struct Column {
    std::vector<double> units, before;  ///< capacity now (after an edit), and before it
    Size rows = 0, columns = 0;         ///< of an image; 0: a list of units
    double x = 0, width = 0;            ///< on the screen
    Rect rect;
    bool dots = false;
    double spacing = 1;
    Vec2 at(Size unit) const {
        return {x, rect.centre().y + spacing * (static_cast<double>(unit) - 0.5 * (static_cast<double>(units.size()) - 1))};
    }
    /// The unit under a height of a list.
    Size unitAt(double y) const {
        const double place = (y - rect.centre().y) / spacing + 0.5 * (static_cast<double>(units.size()) - 1);
        return static_cast<Size>(std::clamp(std::round(place), 0.0, static_cast<double>(units.size()) - 1));
    }
};

struct Flow {
    std::vector<Column> columns;
    bool edited = false;
    Rect rect;
    double largest = 1, decades = capacity_flow::kDecades;
};

// The columns of units of the capacity's panel: what stands in them, and where.

/// A row without the padding at its end.
std::vector<double> rowOf(const std::vector<double>& rows, Size length, Size index) {
    if ((index + 1) * length > rows.size()) return {};
    std::vector<double> row = rowAt(rows, length, static_cast<double>(index));
    while (!row.empty() && std::isnan(row.back())) row.pop_back();
    return row;
}

/// Channels of an image laid over each other.
std::vector<double> flattened(const std::vector<double>& units, Size pixels) {
    std::vector<double> sum(pixels, 0.0);
    for (Size i = 0; i < units.size(); ++i) sum[i % pixels] += units[i];
    return sum;
}

/// Numbers of the columns, without places.
Flow readFlow(const Result& r) {
    Flow flow;
    if (r.capacity.empty()) return flow;
    flow.edited = !r.editedCapacity.empty() && !r.stateBefore.empty();
    const Size width = r.unitNumbers.size();
    for (Size l = 0; l < (flow.edited ? r.editedStates : r.states).size(); ++l) {
        Column column;
        column.units = flow.edited ? rowOf(r.editedCapacity, r.editedUnitNumbers.size(), l) : rowOf(r.capacity, width, l);
        if (flow.edited && std::isfinite(r.stateBefore[l])) column.before = rowOf(r.capacity, width, static_cast<Size>(r.stateBefore[l]));
        if (!flow.edited && l < r.heights.size() && r.heights[l] > 1 && r.columns[l] > 1) {
            column.rows = static_cast<Size>(r.heights[l]), column.columns = static_cast<Size>(r.columns[l]);
            column.units = flattened(column.units, column.rows * column.columns);
        }
        flow.columns.push_back(std::move(column));
    }
    flow.largest = 1e-12;
    for (const Column& column : flow.columns) flow.largest = kappaflow::largest(column.units, flow.largest);
    // What hundreds of inputs share must not be as pale as nothing.
    double least = flow.largest;
    for (const Column& column : flow.columns) least = std::min(least, 1 / std::max(1.0, static_cast<double>(column.units.size())));
    flow.decades = std::clamp(std::log10(flow.largest / least) + 1.2, capacity_flow::kDecades, 6.0);
    return flow;
}

/// One column beside the other in the rectangle, the input at the left.
void placeColumns(Flow& flow, Rect rect) {
    flow.rect = rect;
    const double count = static_cast<double>(flow.columns.size()), gap = rect.width() / count;
    double most = 1;
    for (const Column& column : flow.columns) most = std::max(most, static_cast<double>(column.units.size()));
    for (Size l = 0; l < flow.columns.size(); ++l) {
        Column& c = flow.columns[l];
        const auto units = static_cast<double>(std::max<Size>(c.units.size(), 1));
        c.x = rect.lo.x + gap * (static_cast<double>(l) + 0.5);
        c.width = std::clamp(0.34 * gap, 4.0, 18.0);
        const double high = rect.height() * (0.4 + 0.6 * std::log1p(units) / std::log1p(most));
        c.spacing = std::min(high / units, 22.0);
        c.dots = c.rows == 0 && c.spacing >= 6;
        double height = c.spacing * units;
        if (c.rows > 0) {
            const double side = std::min({0.86 * gap, 0.9 * rect.height(), 130.0});
            const auto rows = static_cast<double>(c.rows), columns = static_cast<double>(c.columns), scale = side / std::max(rows, columns);
            c.width = scale * columns, height = scale * rows, c.spacing = height / units;
        }
        c.rect = {{c.x - c.width / 2, rect.centre().y - height / 2}, {c.x + c.width / 2, rect.centre().y + height / 2}};
    }
}

Color colorOf(const Frame& s, const Flow& flow, double capacity) {
    const double t = capacity_flow::ink(capacity, flow.largest, flow.decades);
    return t > 0.02 ? sample(ColorMap::Capacity, 0.1 + 0.9 * t, s.theme().dark) : s.theme().line;
}

void drawDots(Frame& s, const Flow& flow, const Column& c) {
    const double radius = std::clamp(0.4 * c.spacing, 2.0, 7.5);
    std::vector<PointMark> marks;
    for (Size i = 0; i < c.units.size(); ++i) {
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

void drawCells(Frame& s, const Flow& flow, const std::vector<double>& capacities, Rect rect, Size rows, Size columns) {
    std::vector<double> inks;
    for (const double capacity : capacities) inks.push_back(capacity_flow::ink(capacity, flow.largest, flow.decades));
    s.painter().field("capacity/cells", rect, {rows, columns, inks, 0, 1, false, ColorMap::Capacity});
    s.painter().frame("capacity/rim", rect, {s.theme().line, 1});
}

void drawColumn(Frame& s, const Flow& flow, const Column& c) {
    if (c.units.empty()) return;
    if (c.dots) return drawDots(s, flow, c);
    if (c.rows > 0) return drawCells(s, flow, c.units, c.rect, c.rows, c.columns);
    if (!flow.edited || c.before.empty()) return drawCells(s, flow, c.units, c.rect, c.units.size(), 1);
    const double share = static_cast<double>(c.before.size()) / static_cast<double>(c.units.size());
    const Rect left{c.rect.lo, {c.x - 1, std::min(c.rect.lo.y + share * c.rect.height(), flow.rect.hi.y)}};
    drawCells(s, flow, c.before, left, c.before.size(), 1);
    drawCells(s, flow, c.units, {{c.x + 1, c.rect.lo.y}, c.rect.hi}, c.units.size(), 1);
}

void drawRibbons(Frame& s, const Flow& flow) {
    if (flow.edited || s.cache.flow.size() + 1 != flow.columns.size()) return;
    const double scale = std::clamp(0.09 * flow.rect.height(), 6.0, 26.0);
    const Color color = capacity_flow::flowColor(s.theme());
    std::vector<Ribbon> ribbons;
    for (Size l = 0; l < s.cache.flow.size(); ++l) {
        const Column &below = flow.columns[l], &above = flow.columns[l + 1];
        const auto at = [&](const Column& c, double unit) {
            return Vec2{c.x, c.rect.centre().y + c.spacing * (unit - 0.5 * (static_cast<double>(c.units.size()) - 1))};
        };
        const double along = s.at - static_cast<double>(l);
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
bool apart(const Frame& s, const Flow& flow) { return flow.edited && !s.everywhere; }

/// The column at the state marked; with an edit, its place among the edited network's.
double columnAt(const Frame& s, const Flow& flow, double state) {
    return std::min(apart(s, flow) ? s.placeAfter(state) : state, static_cast<double>(flow.columns.size()) - 1);
}

double stateAt(const Frame& s, const Flow& flow, double column) { return apart(s, flow) ? s.placeBefore(column) : column; }

double columnX(const Flow& flow, double column) {
    return flow.rect.lo.x + flow.rect.width() * (column + 0.5) / static_cast<double>(flow.columns.size());
}

void drawMark(Frame& s, const Flow& flow, Rect names) {
    const double gap = flow.rect.width() / static_cast<double>(flow.columns.size()), x = columnX(flow, columnAt(s, flow, s.at));
    const double half = std::min(0.42 * gap, 24.0), last = static_cast<double>(s.layers);
    s.painter().rect("capacity/now", {{x - half, flow.rect.lo.y - 4}, {x + half, flow.rect.hi.y + 4}}, s.theme().accent.withAlpha(0.13f),
                     5);
    if (!apart(s, flow)) s.scales.push_back({flow.rect, columnX(flow, 0), columnX(flow, last), false});
    const Vec2 knob{x, names.lo.y};
    const auto grip = s.f.handles.offer(
        {"layer capacity", "layer shown", s.layerName(s.layer()), s.at, 0, last, 1, around(knob, Vec2{12, 9})}, [&](Vec2 p) {
            const double column = (p.x - columnX(flow, 0)) / std::max(gap, 1.0);
            return std::clamp(stateAt(s, flow, column), 0.0, last);
        });
    drawKnob(s.f, "capacity/knob", knob, grip);
    if (grip.moved) moveLayer(s, grip.value);
}

/// Under every column how many units hold its capacity, as many as there is room for.
void drawHolders(Frame& s, const Flow& flow, double y) {
    const auto& holders = flow.edited ? s.r.editedHolders : s.r.holders;
    const TextStyle style{.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Centre, .v = AlignV::Middle};
    double taken = -1e9;
    for (Size l = 0; l < std::min(flow.columns.size(), holders.size()); ++l) {
        if (!std::isfinite(holders[l])) continue;
        const std::string text = numberText(holders[l], 2);
        const double half = s.painter().measure(text, style).x / 2 + 3, x = flow.columns[l].x;
        if (x - half < taken || x - half < s.f.area.lo.x || x + half > s.f.area.hi.x) continue;
        s.painter().text("capacity/holders", {x, y}, text, style);
        taken = x + half;
    }
}

/// A press on an output, or the keyboard, chooses where the capacity starts.
void offerOutput(Frame& s, const Flow& flow) {
    const Column& top = flow.columns.back();
    const auto outputs = s.r.units.back();
    if (outputs < 2 || top.units.empty() || top.rows > 0) return;
    const double unit = std::clamp(static_cast<double>(s.p.unit), 0.0, outputs - 1);
    const Vec2 at = top.at(static_cast<Size>(unit));
    const auto grip = s.f.handles.offer({"unit", "output unit", inWords(unit, 5), unit, 0, outputs - 1, 1, around(at, 12)},
                                        [&](Vec2 p) { return static_cast<double>(top.unitAt(p.y)); });
    const Pointer p = s.f.handles.freePointer();
    double wanted = grip.moved ? grip.value : unit;
    if (p.inside && p.pressed && top.rect.inset(-8, -8, -8, -8).contains(p.at)) wanted = static_cast<double>(top.unitAt(p.at.y));
    if (wanted != unit) s.f.changes.push_back(Change::param("unit", wanted));
    const bool lively = grip.lively();
    const double radius = top.dots ? std::clamp(0.4 * top.spacing, 2.0, 7.5) + 3 : 7;
    const Rect ring = around(at, radius);
    s.painter().frame("capacity/output", ring, {lively ? s.theme().accent : s.theme().text, lively ? 2.2 : 1.6}, radius);
}

Size cellAt(double share, Size count) { return static_cast<Size>(std::clamp(share, 0.0, 0.999) * static_cast<double>(count)); }

void hoverUnits(Frame& s, const Flow& flow) {
    const auto p = s.over(flow.rect);
    if (!p) return;
    for (Size l = 0; l < flow.columns.size(); ++l) {
        const Column& c = flow.columns[l];
        if (c.units.empty() || !c.rect.inset(-5, -4, -5, -4).contains(*p)) continue;
        const std::string state = apart(s, flow) ? "state " + std::to_string(l) : s.layerName(l);
        if (c.rows > 0) {
            const Size row = cellAt((p->y - c.rect.lo.y) / c.rect.height(), c.rows);
            const Size column = cellAt((p->x - c.rect.lo.x) / c.rect.width(), c.columns);
            s.tip = {state + ", row " + std::to_string(row) + ", column " + std::to_string(column),
                     "*κ* = " + numberText(c.units[row * c.columns + column], 3) + " over its channels"};
            return;
        }
        const Size unit = c.unitAt(p->y);
        s.tip = {state + ", unit " + std::to_string(unit), "*κ* = " + numberText(c.units[unit], 3)};
        if (flow.edited) s.tip.push_back(unit < c.before.size() ? "before the edit " + numberText(c.before[unit], 3) : "new");
        if (c.dots) s.painter().frame("capacity/hover", {c.at(unit) - Vec2{9, 9}, c.at(unit) + Vec2{9, 9}}, {s.theme().text, 1.5}, 9);
        return;
    }
}

/// What the edit moved, from the longest sentence to the shortest.
std::vector<std::string> editTexts(const Frame& s) {
    const std::string sides = "left before, right after";
    if (!s.r.moved) return {sides};
    const std::string share = numberText(100 * *s.r.moved, 3) + " %";
    const std::string most = sides + "; " + share + " of the inputs’ capacity moved";
    const std::string outputs = s.r.functionChange ? ", outputs by " + numberText(100 * *s.r.functionChange, 3) + " %" : "";
    return {most + outputs, most, sides + "; " + share + " of it moved", sides};
}

/// What the edit did, or why there is none, under the heading. Height that it took.
double drawEditLine(Frame& s, const Flow& flow, Rect rect) {
    const std::string* why = s.note("edit");
    if (rect.height() < 120 || !(flow.edited || why)) return 0;
    const TextStyle style{.color = why ? s.theme().warning : s.theme().muted, .size = s.theme().tinySize, .v = AlignV::Middle};
    std::string text = why ? elide(s.painter(), *why, style, rect.width() - 8) : "";
    for (const std::string& words : why ? std::vector<std::string>{} : editTexts(s))
        if (text.empty() && s.painter().measure(words, style).x <= rect.width() - 8) text = words;
    s.painter().text("capacity/edit", {rect.lo.x + 4, rect.lo.y + 7}, text, style);
    return 18;
}

}  // namespace

void drawCapacity(Frame& s, Rect rect) {
    const std::string output = s.r.units.back() > 1 ? " from output " + inWords(s.p.unit, 5) : " from the output";
    const std::string edit = s.p.edit == EditKind::None ? "" : std::string(", what if: ") + keyOf(s.p.edit);
    rect = drawHeading(s, Lens::Capacity, rect,
                       {"Capacity *κ* flowing back" + output + edit, "Capacity *κ*" + output + edit, "Capacity *κ*" + output, "Capacity"});
    Flow flow = readFlow(s.r);
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
    const std::vector<double>&values, &errors;
    Size color;
    const char* label;
};

AxisSpec axisOf(const char* label, const std::vector<Line>& lines) {
    double lo = 1e300, hi = -1e300;
    for (const Line& line : lines)
        for (const double v : line.values)
            if (std::isfinite(v) && v > 0) lo = std::min(lo, v), hi = std::max(hi, v);
    if (!(hi > 0)) return {.label = label, .lo = 0, .hi = 1};
    if (hi > 15 * lo) return {.label = label, .lo = lo / 1.4, .hi = hi * 1.8, .scale = Scale::Log};
    const double room = std::max(hi - std::min(lo, 1.0), 0.05 * hi);
    return {.label = label, .lo = std::max(0.0, std::min(lo, 1.0) - 0.1 * room), .hi = hi + 0.16 * room};
}

void drawLines(Frame& s, const char* id, const char* label, const std::vector<Line>& lines, Rect rect) {
    Curves curves{.id = id, .x = layerAxis(s), .y = axisOf(label, lines), .fit = Fit::Given};
    for (const Line& line : lines)
        curves.curves.push_back({line.id, s.r.shownStates, line.values, Role::Measurement, line.label, s.theme().series[line.color], 2.2,
                                 false, true, line.errors, 0.2f});
    curves.more = [&s, id](PictureFrame&, Plot& plot) { drawLayerMark(s, plot, id); };
    drawCurves(s.f, std::move(curves), rect);
}

}  // namespace

void drawSensitivity(Frame& s, Rect rect) {
    const auto& chi = s.r.chi.values;
    const std::string value = !chi.empty() && std::isfinite(chi.back()) ? " *χ* = " + numberText(chi.back(), 3) + " at the output" : "";
    rect = drawHeading(s, Lens::Sensitivity, rect,
                       {"Sensitivity" + value + ", and effective ranks", "Sensitivity" + value, "Sensitivity and ranks", "Sensitivity"});
    if (chi.empty()) return drawReason(s, Lens::Sensitivity, rect, "There is no sensitivity to show.");
    rect.hi.y -= drawRemark(s, Lens::Sensitivity, rect);
    static const std::vector<double> kExact;
    const auto drawChi = [&](Rect r) { drawLines(s, "chi", "sensitivity *χ*", {{"measured", chi, s.r.chi.standardErrors, 0, "*χ*"}}, r); };
    const auto drawRanks = [&](Rect r) {
        drawLines(s, "ranks", "effective rank *r*",
                  {{"signal", s.r.rankSignal, kExact, 2, "signal"}, {"noise", s.r.rankNoise, kExact, 1, "noise"}}, r);
    };
    pair(rect, {Layout(0, {130, 90}, drawChi), Layout(1, {130, 90}, drawRanks)}).draw(withoutTitle(rect));
}

}  // namespace kappaflow::network_lens
