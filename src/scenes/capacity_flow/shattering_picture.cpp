// Paths through residual and plain layers as strands (P1 4.2); heaviest weight and entropy of all paths against depth.
#include <algorithm>
#include <cmath>

#include "scenes/capacity_flow/shattering.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace shattering {
namespace {

using Size = std::size_t;
using Seen = Sight<Params, Result>;

Size depth(const Seen& s) { return s.result.layers.size() - 1; }
double shown(const Seen& s) { return std::clamp(s.params.at, 0.0, static_cast<double>(depth(s))); }
Color colorOf(const Seen& s, Size kind) { return s.f.theme.series[s.result.kinds[kind] == "residual" ? 0 : 2]; }
std::string nameOf(const Seen& s, Size kind) { return s.result.kinds[kind] == "residual" ? "residual" : "plain"; }

/// Points of all strands in one frame, and corners of one.
constexpr Size kMostPoints = 25000, kMostRows = 100;

struct Line {
    std::vector<double> x, y;
};

/// A strand of a kind from layer `from` down to layer `to`, each whole or between two, with a corner every so many layers.
Line strandBetween(const Seen& s, Size kind, Size strand, double from, double to, Size every) {
    const double* position = &s.result.strandPosition[(kind * s.result.strands.size() + strand) * (depth(s) + 1)];
    Line line;
    const auto add = [&](double layer) {
        const auto above = static_cast<Size>(std::ceil(layer));
        const double part = static_cast<double>(above) - layer;
        line.x.push_back(part > 0 ? position[above] + (position[above - 1] - position[above]) * part : position[above]);
        line.y.push_back(layer);
    };
    add(from);
    for (auto l = static_cast<Size>(std::ceil(from)); l-- > 0 && static_cast<double>(l) > to;)
        if ((depth(s) - l) % every == 0) add(static_cast<double>(l));
    if (to < from) add(to);
    return line;
}

/// A strand's ink is its weight at the layer shown, logarithmic over six decades: in a plain network all strands fade together, in a
/// residual one the straight strand keeps its ink. Where they will go is there in pale from the start.
void drawStrands(const Seen& s, Size kind, Rect rect) {
    constexpr double kDecades = 6;
    const Size all = s.result.strands.size(), every = 1 + depth(s) / (kMostRows + 1);
    const Size drawn = std::min(all, kMostPoints / (s.result.kinds.size() * (depth(s) / every + 3)));
    if (drawn < all) {
        rect.hi.y -= 16;
        const std::string note = std::to_string(drawn) + " of the " + std::to_string(all) + " paths are drawn.";
        const TextStyle style{.color = s.f.theme.muted, .size = s.f.theme.tinySize, .v = AlignV::Middle};
        if (kind == 0) s.f.painter.text("strands/thinned", {rect.lo.x + 4, rect.hi.y + 8}, note, style);
    }
    double reach = 3;
    for (const double position : s.result.strandPosition) reach = std::max(reach, 1.05 * std::abs(position));
    const std::string id = "strands/" + s.result.kinds[kind];
    Plot plot(s.f.painter, s.f.theme, id, rect, {.label = "position, from the output unit", .lo = -reach, .hi = reach, .whole = true},
              {.label = "layer *l*", .lo = 0, .hi = static_cast<double>(depth(s)), .whole = true});
    for (Size strand = 0; strand < drawn && shown(s) > 0; ++strand) {
        const Line line = strandBetween(s, kind, strand, shown(s), 0, every);
        plot.line(id + "/waiting", line.x, line.y, {s.f.theme.muted.withAlpha(0.10f), Dash::Solid, 1, ""});
    }
    const auto layer = static_cast<Size>(std::ceil(shown(s))), nearest = static_cast<Size>(std::round(shown(s)));
    // The heaviest path comes first in the result and is drawn last, on top.
    for (Size strand = drawn; strand-- > 0;) {
        const double weight = s.result.strandWeight[(kind * all + strand) * (depth(s) + 1) + layer];
        const double ink = std::clamp(1 + std::log10(std::max(weight, 1e-300)) / kDecades, 0.0, 1.0);
        const double alpha = strand == 0 ? 0.25 + 0.75 * ink : 0.14 + 0.5 * ink * ink;
        const Line line = strandBetween(s, kind, strand, static_cast<double>(depth(s)), shown(s), every);
        plot.line(id + "/path", line.x, line.y,
                  {colorOf(s, kind).withAlpha(static_cast<float>(alpha)), Dash::Solid, strand == 0 ? 1.5 + 4.5 * ink : 1.1, ""});
    }
    plot.horizontal(id + "/front", shown(s), {s.f.theme.accent.withAlpha(0.5f), Dash::Solid, 1, ""});
    finishPlot(s.f, plot, id, nameOf(s, kind) + ", heaviest " + powerInWords(s.result.log10Heaviest[kind * (depth(s) + 1) + nearest]));
}

/// Measured and predicted values of all kinds against the layers crossed.
Curves againstDepth(const Seen& s, const char* id, const std::vector<double>& measured, const std::vector<double>& predicted) {
    const Size rows = depth(s) + 1;
    Curves curves{.id = id, .x = {.label = "layers crossed, *L* − *l*", .hi = static_cast<double>(depth(s)), .whole = true}};
    std::vector<double> crossed;
    for (const double layer : s.result.layers) crossed.push_back(static_cast<double>(depth(s)) - layer);
    curves.more = [&s, id, crossed](PictureFrame& f, Plot& plot) {
        const std::string now = "layer " + inWords(std::round(shown(s)), 4);
        scrub(f, plot, id, {std::string(id) + "-layer", "layer shown", now, s.result.layers, crossed, shown(s)});
    };
    for (Size k = 0; k < s.result.kinds.size(); ++k) {
        const std::string &kind = s.result.kinds[k], name = nameOf(s, k);
        curves.curves.push_back({kind, crossed, rowAt(measured, rows, k), Role::Measurement, name, colorOf(s, k), 2.4});
        curves.curves.push_back({"theory/" + kind, crossed, rowAt(predicted, rows, k), Role::Theory});
    }
    return curves;
}

Curves profiles(const Seen& s) {
    const Size rows = depth(s) + 1, width = s.result.positions.size();
    Curves curves{
        .id = "profile",
        .title = "capacity at layer " + inWords(std::round(shown(s)), 4),
        .x = {.label = "position, from the output unit", .lo = s.result.positions.front(), .hi = s.result.positions.back(), .whole = true},
        .y = {.label = "capacity *κ*^{*l*}", .hi = 1.1 * topOverSteps(s.result.capacity, width)},
        .fit = Fit::Given};
    for (Size k = 0; k < s.result.kinds.size(); ++k) {
        const auto row = rowAt(s.result.capacity, width, static_cast<double>(k * rows) + shown(s));
        curves.curves.push_back({s.result.kinds[k], s.result.positions, row, Role::Measurement, nameOf(s, k), colorOf(s, k)});
        curves.curves.back().filled = true;
    }
    return curves;
}

/// The residual line's end, pulled down: the step size with which the straight path keeps as much, (1 − a ε)^L.
void pullStep(const Seen& s, PictureFrame& f, Plot& plot) {
    const auto found = std::find(s.result.kinds.begin(), s.result.kinds.end(), "residual");
    const double layers = static_cast<double>(depth(s));
    if (found == s.result.kinds.end() || s.result.epsilon.empty() || layers < 1) return;
    const Size kind = static_cast<Size>(found - s.result.kinds.begin());
    double mean = 0;
    for (const double epsilon : s.result.epsilon) mean += epsilon / layers;
    const double kept = s.result.heaviest[kind * (depth(s) + 1)], lost = 1 - std::pow(kept, 1 / layers), own = s.params.epsilon;
    const double loss = mean > 1e-9 && lost > 1e-12 ? lost / mean : 1;
    const auto moved =
        dragAlong(f, plot,
                  {.id = "step",
                   .label = "step size of the residual layers",
                   .valueText = "ε = " + inWords(own < 0 ? mean : own, 3),
                   .value = own < 0 ? mean : own,
                   .min = 0,
                   .max = 1,
                   .step = 0.005,
                   .x = layers,
                   .y = kept,
                   .upright = true,
                   .valueAt = [layers, loss](double y) { return (1 - std::pow(std::clamp(y, 1e-300, 1.0), 1 / layers)) / loss; }});
    if (moved) f.changes.push_back(Change::param("epsilon", std::round(std::clamp(*moved, 0.0, 1.0) * 1000) / 1000));
}

Layout layout(const Seen& s) {
    Curves weight = againstDepth(s, "weight", s.result.heaviest, s.result.heaviestPredicted);
    weight.title = "weight of the heaviest path", weight.y.label = "largest path weight", weight.fit = Fit::Decades;
    for (Size k = 0; k < s.result.kinds.size(); ++k)
        weight.curves[2 * k + 1].label = s.result.kinds[k] == "residual" ? "e^{∫Δ}" : "*r*^{−(*L*−*l*)}";
    // Where the layer's knob would cover the step's, its line alone.
    weight.now = static_cast<double>(depth(s)) - shown(s);
    weight.more = [&s](PictureFrame& f, Plot& plot) { pullStep(s, f, plot); };
    Curves entropy = againstDepth(s, "entropy", s.result.entropy, s.result.entropyPredicted);
    entropy.title = "e^{*H*} paths share the capacity", entropy.y.label = "path entropy *H* (nats)";
    std::vector<Layout> strands;
    for (Size k = 0; k < s.result.kinds.size(); ++k)
        strands.push_back(s.panel(0, {130, 190}, [&s, k](Rect rect) { drawStrands(s, k, rect); }));
    return Layout::columns({Layout::rows({Layout::columns(std::move(strands)).share(2.3), s.panel(3, {220, 120}, profiles(s))}).share(1.6),
                            Layout::rows({s.panel(1, {220, 150}, std::move(weight)), s.panel(2, {220, 150}, std::move(entropy))})});
}

}  // namespace
}  // namespace shattering

PictureEntry shattering_picture() { return tablePicture<shattering::kScene, shattering::layout>(); }

}  // namespace kappaflow
