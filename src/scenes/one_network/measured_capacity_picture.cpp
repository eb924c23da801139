// Capacity measured on data: the profiles of one layer by two rules and as measured, their distances while the network trains, and what
// the gates of each layer have in common.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "draw/number_text.h"
#include "scenes/one_network/measured_capacity.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace measured_capacity {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

Size shown(const Seen& s) { return shownLook(s.result.looks, s.params.at); }
double lookIndex(const Seen& s) { return indexAlong(s.result.looks, s.params.at); }
Size layerShown(const Seen& s) { return std::min(static_cast<Size>(std::max(s.params.layer, 0)), s.result.layers.size() - 1); }
bool trained(const Seen& s) { return s.asked.network.empty(); }
std::string stepName(const Seen& s) {
    if (!trained(s)) return "on " + numberText(s.result.samplesSeen, 6) + " samples";
    return shown(s) == 0 ? "before training" : "step " + numberText(s.result.looks[shown(s)], 6);
}
/// Of inputs that follow one another in time.
bool inTime(const Seen& s) {
    return layerShown(s) == 0 && (s.result.inputRows == 1 || (s.asked.data == "signals" && s.result.widths[0] == 24));
}
std::string layerName(const Seen& s) {
    return layerShown(s) == 0 ? "inputs" : "units of layer " + numberText(s.result.layers[layerShown(s)]);
}

/// How one of the three profiles is named and drawn.
struct Rule {
    std::string id, name, brief;
    const Vector* values;
    const Estimates* distance;  ///< from what is measured; none: it is what is measured
    Role role;
    Color color;
};
bool isKnown(const Vector& profiles) {
    return std::any_of(profiles.begin(), profiles.end(), [](double x) { return std::isfinite(x); });
}
std::vector<Rule> rulesOf(const Seen& s) {
    const Result& r = s.result;
    const Theme& theme = s.f.theme;
    std::vector<Rule> rules{{"measured", "measured", "measured", &r.measured.values, nullptr, Role::Measurement, capacityColor(theme)}};
    if (isKnown(r.decoupled))
        rules.push_back({"decoupled", "*D* = *P*∘*P*", "*P*∘*P*", &r.decoupled, &r.toDecoupled, Role::Theory, theme.theory});
    if (isKnown(r.channel))
        rules.push_back({"channel", "channel with measured *C*", "channel", &r.channel, &r.toChannel, Role::Theory, theme.series[2]});
    return rules;
}

/// The units of the layer shown, at the place of the timeline.
Vector profile(const Seen& s, const Vector& all) {
    const Size units = s.result.units.size(), layer = layerShown(s);
    const Vector row = rowAt(all, units * s.result.layers.size(), lookIndex(s));
    const auto from = row.begin() + static_cast<std::ptrdiff_t>(layer * units);
    return {from, from + static_cast<std::ptrdiff_t>(s.result.widths[layer])};
}

/// Of all steps, for axes and colours that stay as they are.
double largestShare(const Seen& s) {
    const Result& r = s.result;
    const Size units = r.units.size(), layers = r.layers.size(), layer = layerShown(s);
    double top = 1e-9;
    for (const Rule& rule : rulesOf(s)) {
        Vector rows;
        for (Size look = 0; look < r.looks.size(); ++look)
            for (Size i = 0; i < units; ++i) {
                const double share = (*rule.values)[(look * layers + layer) * units + i];
                rows.push_back(std::isfinite(share) ? share : 0);
            }
        top = std::max(top, topOverSteps(rows, units));
    }
    return top;
}

/// Rows of the inputs where they are shown as an image.
double rowsShown(const Seen& s) { return layerShown(s) > 0 || inTime(s) ? 0 : s.result.inputRows.value_or(0); }

std::string distanceText(const Seen& s, const Rule& rule) {
    const Size at = shown(s) * s.result.layers.size() + layerShown(s);
    const double distance = rule.distance->values[at];
    return std::isfinite(distance) ? numberText(distance, 2) + " away" : "not measured";
}

/// The three profiles as images of the inputs.
void drawMaps(const Seen& s, Rect rect) {
    const Theme& theme = s.f.theme;
    const auto rules = rulesOf(s);
    const double count = static_cast<double>(rules.size()), bar = rect.width() >= 420 ? 64 : 0, gap = 12;
    const double rows = rowsShown(s), columns = s.result.widths[0] / rows, room = rect.width() - bar;
    const double widest = (room - gap * (count - 1)) / count, highest = rect.height() - 42,
                 cell = std::min(widest / columns, highest / rows);
    const double size = std::max(cell * columns, std::min(widest, 60.0)), height = std::max(cell * rows, std::min(highest, 30.0));
    const double left = rect.lo.x + (room - count * size - gap * (count - 1)) / 2, top = rect.lo.y + 20;
    const double most = largestShare(s);
    const TextStyle name{.color = theme.text, .size = theme.smallSize, .h = AlignH::Centre},
        note{.color = theme.muted, .size = theme.smallSize, .h = AlignH::Centre};
    for (Size k = 0; k < rules.size(); ++k) {
        const Rule& rule = rules[k];
        const double x = left + static_cast<double>(k) * (size + gap);
        const Rect field{{x, top}, {x + size, top + height}};
        const Vector values = profile(s, *rule.values);
        s.f.painter.field("maps/" + rule.id, field,
                          {static_cast<Size>(rows), static_cast<Size>(columns), values, 0, most, false, ColorMap::Capacity});
        s.f.painter.frame("maps/" + rule.id + "-frame", field, {theme.line, 1});
        const double middle = x + size / 2;
        const auto fits = [&](const std::string& text) { return s.f.painter.measure(text, name).x <= size; };
        s.f.painter.text("maps/name", {middle, rect.lo.y + 2}, fits(rule.name) ? rule.name : rule.brief, name);
        const std::string below = rule.distance ? distanceText(s, rule) : stepName(s);
        if (fits(below)) s.f.painter.text("maps/distance", {middle, top + height + 4}, below, note);
    }
    if (bar > 0)
        colorBar(s.f.painter, theme, "maps/colors",
                 {{left + count * (size + gap) + 2, top}, {left + count * (size + gap) + bar, top + height}}, ColorMap::Capacity,
                 {.label = "*κ*_{*i*}", .lo = 0, .hi = most});
}

/// Places of a curve of units at the most.
constexpr Size kMostPlaces = 128;

/// Units in the order of what is measured at the last step; values of a signal stay in time.
std::vector<Size> orderOf(const Seen& s) {
    const Result& r = s.result;
    const Size units = r.units.size(), layer = layerShown(s);
    std::vector<Size> order(static_cast<Size>(r.widths[layer]));
    std::iota(order.begin(), order.end(), Size{0});
    if (inTime(s)) return order;
    const double* last = &r.measured.values[((r.looks.size() - 1) * r.layers.size() + layer) * units];
    std::stable_sort(order.begin(), order.end(), [last](Size a, Size b) { return last[a] > last[b]; });
    return order;
}

Curves profiles(const Seen& s) {
    const Result& r = s.result;
    const std::vector<Size> order = orderOf(s);
    const double top = largestShare(s);
    // Of many units the means of so many that follow one another: single ones of a rule would hide everything.
    const Size joined = (order.size() + kMostPlaces - 1) / kMostPlaces;
    Vector x;
    for (Size from = 0; from < order.size(); from += joined)
        x.push_back((static_cast<double>(from + std::min(from + joined, order.size())) + 1) / 2);
    const auto ordered = [&](const Vector& all) {
        const Vector row = profile(s, all);
        Vector sorted;
        for (Size from = 0; from < order.size(); from += joined) {
            const Size to = std::min(from + joined, order.size());
            double sum = 0;
            for (Size i = from; i < to; ++i) sum += row[order[i]];
            sorted.push_back(sum / static_cast<double>(to - from));
        }
        return sorted;
    };
    const std::string units = numberText(r.widths[layerShown(s)]) + " " + layerName(s) + ", " + stepName(s);
    Curves curves{.id = "profile",
                  .title = (joined > 1 ? "means of " + std::to_string(joined) + " of " : "share of each of ") + units,
                  .x = {.label = inTime(s)    ? "place in the signal *i*"
                                 : trained(s) ? "order of what is measured at the last step"
                                              : "order of what is measured",
                        .lo = 0.5,
                        .hi = static_cast<double>(order.size()) + 0.5,
                        .whole = true},
                  .y = {.label = "capacity *κ*_{*i*}", .lo = -0.06 * top, .hi = 1.12 * top},
                  .fit = Fit::Given};
    for (const Rule& rule : rulesOf(s)) {
        const bool measured = !rule.distance;
        curves.curves.push_back({.id = rule.id,
                                 .x = x,
                                 .y = ordered(*rule.values),
                                 .role = rule.role,
                                 .label = rule.name,
                                 .color = rule.color,
                                 .width = measured ? 2.6 : 1.7,
                                 .error = measured && joined == 1 ? ordered(r.measured.standardErrors) : Vector()});
    }
    return curves;
}

/// A value of every look, of the layer shown.
Vector along(const Seen& s, const Vector& all) {
    Vector values;
    for (Size look = 0; look < s.result.looks.size(); ++look) values.push_back(all[look * s.result.layers.size() + layerShown(s)]);
    return values;
}

/// Distances of both rules while the network trains; of one that does not, layer by layer.
Curves distances(const Seen& s) {
    const Result& r = s.result;
    const bool steps = trained(s);
    Vector x;
    for (const double look : r.looks) x.push_back(look + 1);
    if (!steps) x = r.layers;
    const auto of = [&](const Vector& all) { return steps ? along(s, all) : all; };
    Curves curves{
        .id = "distance",
        .title = "distance from what is measured",
        .x = {.label = "training step *t* + 1", .lo = 1, .hi = std::max(1.0 * s.asked.steps, r.looks.back()) + 1, .scale = Scale::Log},
        .y = {.label = "total variation", .lo = 0, .hi = 0},
        .fit = Fit::Given};
    if (!steps) curves.x = {.label = "layer *l*, 0 the inputs", .lo = 0, .hi = std::max(1.0, x.back()), .whole = true};
    double top = 0.1;
    for (const Rule& rule : rulesOf(s)) {
        if (!rule.distance) continue;
        const Vector values = of(rule.distance->values), errors = of(rule.distance->standardErrors);
        for (Size i = 0; i < values.size(); ++i)
            if (std::isfinite(values[i])) top = std::max(top, values[i] + errors[i]);
        curves.curves.push_back({.id = rule.id,
                                 .x = x,
                                 .y = values,
                                 .role = Role::Measurement,
                                 .label = rule.id == "channel" ? rule.brief : rule.name,
                                 .color = rule.color,
                                 .width = 2.2,
                                 .dotted = true,
                                 .error = errors});
    }
    curves.curves.push_back(
        {.id = "alone", .x = x, .y = of(r.byError), .role = Role::Bound, .label = "errors alone", .color = s.f.theme.muted, .width = 1.5});
    curves.y.hi = std::min(1.05, 1.15 * top);
    if (steps)
        curves.more = [&s, &r, x](PictureFrame& f, Plot& plot) {
            scrub(f, plot, "distance", {"step", "training step", stepName(s), r.looks, x, r.looks[shown(s)]});
        };
    return curves;
}

/// ν with what it leaves out, and Λ, layer by layer; the upright line chooses the layer.
Curves gates(const Seen& s) {
    const Result& r = s.result;
    const Vector &x = r.gateLayers, now = rowAt(r.nu, x.size(), lookIndex(s)), spread = rowAt(r.nuSpread, x.size(), lookIndex(s));
    double low = 0;
    for (Size i = 0; i < r.nu.size(); ++i)
        if (std::isfinite(r.nu[i])) low = std::min(low, r.nu[i] - r.nuSpread[i]);
    const double layer = s.result.layers[layerShown(s)], last = r.layers.back();
    Curves curves{.id = "gates",
                  .title = "what the gates of a layer have in common",
                  .x = {.label = "layer *l*", .lo = 0, .hi = last + 0.4, .whole = true},
                  .y = {.label = "*ν*_{*l*}, *Λ*_{*l*}", .lo = low < 0 ? std::max(-1.05, 1.1 * low) : 0, .hi = 1.05},
                  .fit = Fit::Given,
                  .now = layer};
    if (trained(s) && shown(s) > 0)
        curves.curves.push_back({.id = "before",
                                 .x = x,
                                 .y = rowAt(r.nu, x.size(), 0),
                                 .label = "*ν* before training",
                                 .color = s.f.theme.muted,
                                 .width = 1.3,
                                 .dotted = true});
    curves.curves.push_back({.id = "nu",
                             .x = x,
                             .y = now,
                             .label = "*ν* co-activation",
                             .color = s.f.theme.series[0],
                             .width = 2.4,
                             .dotted = true,
                             .error = spread,
                             .bandAlpha = 0.16f});
    curves.curves.push_back({.id = "overlap",
                             .x = x,
                             .y = rowAt(r.overlap, x.size(), lookIndex(s)),
                             .label = "*Λ* overlap",
                             .color = s.f.theme.series[3],
                             .width = 1.8,
                             .dotted = true});
    curves.more = [&s, layer, last, bottom = curves.y.lo](PictureFrame& f, Plot& plot) {
        const auto moved = dragAlong(f, plot,
                                     {.id = "layer",
                                      .label = "layer shown",
                                      .valueText = layerName(s),
                                      .value = layer,
                                      .min = 0,
                                      .max = last,
                                      .step = 1,
                                      .x = layer,
                                      .y = bottom,
                                      .valueAt = [](double at) { return std::round(at); },
                                      .line = "gates"});
        if (moved) f.changes.push_back(Change::param("layer", *moved));
    };
    return curves;
}

/// C of the layer shown; of the first one beside the inputs.
struct Together {
    Size layer = 0, units = 0;
    Vector values;
};
Together coactivation(const Seen& s) {
    const Result& r = s.result;
    Together c{std::max<Size>(layerShown(s), 1), 0, {}};
    const Size most = r.gateUnits.size();
    if (r.coactivation.empty() || c.layer > r.gateLayers.size()) return c;
    const double* from = &r.coactivation[(shown(s) * r.gateLayers.size() + c.layer - 1) * most * most];
    c.units = static_cast<Size>(r.widths[c.layer]);
    if (c.units > most || !std::isfinite(from[0])) return c.units = 0, c;
    for (Size j = 0; j < c.units; ++j) c.values.insert(c.values.end(), from + j * most, from + j * most + c.units);
    return c;
}

void drawCoactivation(const Seen& s, const Together& c, Rect rect) {
    const Theme& theme = s.f.theme;
    const bool negative = std::any_of(c.values.begin(), c.values.end(), [](double x) { return x < -1e-9; }), bar = rect.width() >= 190;
    const ColorMap map = negative ? ColorMap::Diverging : ColorMap::Capacity;
    const double lo = negative ? -1 : 0, last = static_cast<double>(c.units) + 0.5;
    const double side = std::min(rect.width() - (bar ? 104 : 44), rect.height() - 58);
    const Rect square{rect.lo, rect.lo + Vec2{side + 44, side + 58}};
    const Vector units = countUp(c.units, 1);
    AxisSpec x{.label = "unit *j*", .lo = 0.5, .hi = last, .whole = true}, y{.label = "unit *k*", .lo = 0.5, .hi = last, .whole = true};
    Plot plot = plotIn(s.f, "together", square, x, y);
    plot.heat("together/field", units, units, {c.units, c.units, c.values, lo, 1, false, map});
    finishPlot(s.f, plot, "together", "*C*_{*jk*} of layer " + std::to_string(c.layer));
    if (bar)
        colorBar(s.f.painter, theme, "together/colors", {{square.hi.x + 6, plot.inner().lo.y}, {square.hi.x + 60, plot.inner().hi.y}}, map,
                 {.label = "", .lo = lo, .hi = 1});
}

Layout layout(const Seen& s) {
    std::vector<Layout> left, right;
    if (rowsShown(s) > 0) left.push_back(s.panel(0, {280, 140}, [&s](Rect rect) { drawMaps(s, rect); }).share(0.5));
    left.push_back(s.panel(rowsShown(s) > 0 ? 1 : 0, {250, 170}, profiles(s)));
    right.push_back(s.panel(rowsShown(s) > 0 ? 2 : 1, {220, 150}, distances(s)));
    if (std::any_of(s.result.nu.begin(), s.result.nu.end(), [](double nu) { return std::isfinite(nu); }))
        right.push_back(s.panel(3, {220, 150}, gates(s)));
    if (const Together c = coactivation(s); c.units > 1)
        right.push_back(s.panel(4, {200, 170}, [&s, c](Rect rect) { drawCoactivation(s, c, rect); }));
    return Layout::columns({Layout::rows(std::move(left)).share(1.5), Layout::rows(std::move(right))});
}

}  // namespace
}  // namespace measured_capacity

PictureEntry measured_capacity_picture() { return tablePicture<measured_capacity::kScene, measured_capacity::layout>(); }

}  // namespace kappaflow
