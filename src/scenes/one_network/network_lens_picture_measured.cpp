// Capacity as it is measured on samples, beside the rules.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenes/one_network/network_lens_picture.h"

namespace kappaflow::network_lens {
namespace {

struct Rule {
    const char *id, *name;
    const std::vector<double>& profiles;
    const Estimates* distance;
    Color color;
};

bool anyKnown(const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

std::vector<Rule> rulesOf(const Frame& s) {
    std::vector<Rule> rules;
    if (anyKnown(s.r.decoupled)) rules.push_back({"decoupled", "*D* = *P*∘*P*", s.r.decoupled, &s.r.toDecoupled, s.theme().theory});
    if (anyKnown(s.r.channel)) rules.push_back({"channel", "channel", s.r.channel, &s.r.toChannel, s.theme().series[2]});
    return rules;
}

/// Draws the share of a layer's capacity that its first units hold together, in the order of what is measured: both axes are shares, so
/// that they suit layers of all widths. Takes the marked layer, or below the last one measured, where capacity starts and all rules agree.
void drawProfile(Frame& s, Rect rect) {
    constexpr Size kMostPlaces = 200;
    const auto& states = s.r.measuredStates;
    const auto above = std::upper_bound(states.begin(), states.end() - (states.size() > 1 ? 1 : 0), static_cast<double>(s.layer()));
    const Size units = s.r.measuredUnits.size(), row = above == states.begin() ? 0 : static_cast<Size>(above - states.begin()) - 1,
               state = static_cast<Size>(states[row]), count = std::min(s.units(state), units);
    const double* const measured = &s.r.measured.values[row * units];
    std::vector<Size> order(count);
    std::iota(order.begin(), order.end(), Size{0});
    std::stable_sort(order.begin(), order.end(), [&](Size a, Size b) { return measured[a] > measured[b]; });
    const Size every = (count + kMostPlaces - 1) / kMostPlaces;
    std::vector<double> places;
    const auto together = [&](const std::vector<double>& all) {
        std::vector<double> sums{0};
        places = {0};
        double sum = 0;
        for (Size i = 0; i < count; ++i) {
            sum += all[row * units + order[i]];
            if ((i + 1) % every != 0 && i + 1 < count) continue;
            places.push_back(static_cast<double>(i + 1) / static_cast<double>(count));
            sums.push_back(sum);
        }
        return sums;
    };
    const bool roomy = rect.width() >= 300 && rect.height() >= 200;
    Curves curves{.id = "profile",
                  .x = {.label = "share of a layer’s units", .lo = 0, .hi = 1},
                  .y = {.label = roomy ? "share of the capacity" : "capacity", .lo = 0, .hi = 1.08},
                  .fit = Fit::Given};
    const auto add = [&](const char* id, const char* name, const std::vector<double>& all, Role role, Color color, double width) {
        std::vector<double> sums = together(all);
        curves.curves.push_back({.id = id,
                                 .x = places,
                                 .y = std::move(sums),
                                 .role = role,
                                 .label = name,
                                 .color = color,
                                 .width = width,
                                 .dotted = count <= 24});
    };
    // Where there is little room the rules are named beside their distances only.
    for (const Rule& rule : rulesOf(s)) add(rule.id, roomy ? rule.name : "", rule.profiles, Role::Theory, rule.color, 1.7);
    add("measured", "measured", s.r.measured.values, Role::Measurement, capacityColor(s.theme()), 2.6);
    curves.more = [&s, state](PictureFrame& f, Plot& plot) {
        if (plot.inner().height() < 90) return;
        f.painter.text("profile/layer", plot.inner().hi - Vec2{6, 6}, s.layerName(state),
                       {.color = f.theme.muted, .size = f.theme.smallSize, .h = AlignH::Right, .v = AlignV::Bottom});
    };
    drawCurves(s.f, std::move(curves), rect);
}

void drawDistances(Frame& s, Rect rect) {
    double top = 0.05;
    Curves curves{.id = "distance", .x = layerAxis(s), .y = {.label = "total variation", .lo = 0}, .fit = Fit::Given};
    for (const Rule& rule : rulesOf(s)) {
        const auto &values = rule.distance->values, &errors = rule.distance->standardErrors;
        for (Size i = 0; i < values.size(); ++i)
            if (std::isfinite(values[i])) top = std::max(top, values[i] + errors[i]);
        curves.curves.push_back({.id = rule.id,
                                 .x = s.r.measuredStates,
                                 .y = values,
                                 .role = Role::Measurement,
                                 .label = rule.name,
                                 .color = rule.color,
                                 .width = 2.2,
                                 .dotted = true,
                                 .error = errors});
    }
    curves.y.hi = std::min(1.05, 1.2 * top);
    curves.more = [&s](PictureFrame&, Plot& plot) { drawLayerMark(s, plot, "distance"); };
    drawCurves(s.f, std::move(curves), rect);
}

}  // namespace

void drawMeasured(Frame& s, Rect rect) {
    const auto& apart = s.r.toDecoupled.values;
    const std::string rule = "Measured capacity, and *D* = *P*∘*P*";
    const std::string value = !apart.empty() && std::isfinite(apart.front())
                                  ? "Measured capacity: *D* = *P*∘*P* differs by " + numberText(100 * apart.front(), 2) + " % at the inputs"
                                  : rule;
    rect = drawHeading(s, Lens::Measured, rect, {value, rule, "Measured capacity", "Measured"});
    if (s.r.measured.values.empty()) return drawReason(s, Lens::Measured, rect, "There is no measured capacity to show.");
    rect.hi.y -= drawRemark(s, Lens::Measured, rect);
    pair(rect, {Layout(0, {130, 90}, [&s](Rect r) { drawProfile(s, r); }), Layout(1, {130, 90}, [&s](Rect r) { drawDistances(s, r); })})
        .draw(withoutTitle(rect));
}

}  // namespace kappaflow::network_lens
