// Remaining depth (survey Fig 6): the same network several times, in each of which one layer is lit and trained; over each its accuracy at
// one epoch, against the layers behind; beside them the accuracies epoch by epoch.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "draw/number_text.h"
#include "scenes/expressivity/remaining_depth.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace remaining_depth {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

/// Last epoch that all layers have, and the one that stands out.
Size lastKnown(const Seen& s) {
    const Size epochs = s.result.epochs.size();
    const double* highest = &s.result.train.values[(s.result.trainedLayers.size() - 1) * epochs];
    Size known = 0;
    while (known + 1 < epochs && !std::isnan(highest[known + 1])) ++known;
    return known;
}
double place(const Seen& s) { return std::clamp(s.params.at, 0.0, static_cast<double>(lastKnown(s))); }
Size shown(const Seen& s) { return static_cast<Size>(std::round(place(s))); }
std::string epochName(const Seen& s) { return "epoch " + numberText(static_cast<double>(shown(s)), 4); }

/// Index of the trained layer that is looked at.
Size chosen(const Seen& s) { return std::min(static_cast<Size>(std::max(s.params.layer, 1)), s.result.trainedLayers.size()) - 1; }
std::string weightsName(const Seen& s, Size layer) { return "*W*^{" + numberText(s.result.trainedLayers[layer]) + "}"; }
double at(const Seen& s, const Vector& accuracies, Size layer, Size epoch) { return accuracies[layer * s.result.epochs.size() + epoch]; }
std::string percent(double share) { return std::isnan(share) ? "–" : numberText(100 * share, 3) + " %"; }

AxisSpec accuracyAxis(const Seen& s) {
    double hi = 0;
    for (const auto* accuracies : {&s.result.train.values, &s.result.test.values}) hi = largest(*accuracies, hi);
    return {.label = "named rightly", .lo = 0, .hi = std::min(1.04, hi * 1.15 + 0.02)};
}

Color layerColor(const Seen& s, Size layer) {
    const Size layers = s.result.trainedLayers.size();
    return orderColor(s.f.theme, layers > 1 ? static_cast<double>(layer) / static_cast<double>(layers - 1) : 0);
}

// The networks, and a pair of bars over each.

constexpr double kBar = 0.36;  ///< of the room of a network

/// Weights of one network from the input's, at the bottom, to the readout's: below the trained ones grey, behind them tinted.
void drawNetwork(const Seen& s, Size layer, Rect rect) {
    const Theme& theme = s.f.theme;
    const Size trained = s.result.trainedLayers.size(), plates = trained + 2;
    const Color color = layerColor(s, layer);
    const double pitch = rect.height() / static_cast<double>(plates), gap = std::min(4.0, 0.28 * pitch);
    for (Size i = 0; i < plates; ++i) {
        const double bottom = rect.hi.y - pitch * static_cast<double>(i);
        const Rect plate{{rect.lo.x, bottom - pitch + gap}, {rect.hi.x, bottom}};
        const bool lit = i == layer + 1, behind = i > layer + 1;
        s.f.painter.rect(lit ? "network/trained" : "network/frozen", plate,
                         lit      ? color
                         : behind ? color.withAlpha(0.26f)
                                  : theme.muted.withAlpha(0.2f),
                         2);
        const TextStyle style{.color = theme.ground, .size = theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle, .bold = true};
        if (lit && plate.height() >= 14 && plate.width() >= 26)
            s.f.painter.text("network/name", plate.centre(), weightsName(s, layer), style);
    }
    if (layer == chosen(s)) s.f.painter.frame("network/chosen", rect.inset(-4, -1, -4, -4), {theme.accent, 1.6}, 4);
}

/// A press on a network, or the keyboard, chooses it.
void offerLayer(const Seen& s, const std::vector<Rect>& networks) {
    const Size now = chosen(s);
    const double last = static_cast<double>(networks.size());
    const auto nearest = [&](Vec2 p) {
        Size best = 0;
        for (Size l = 1; l < networks.size(); ++l)
            if (std::abs(networks[l].centre().x - p.x) < std::abs(networks[best].centre().x - p.x)) best = l;
        return static_cast<double>(best + 1);
    };
    const auto grip = s.f.handles.offer({"layer", "trained layer looked at", "W " + inWords(s.result.trainedLayers[now]),
                                         static_cast<double>(now + 1), 1, last, 1, networks[now].inset(-4, -4, -4, -4)},
                                        nearest);
    if (grip.moved) s.f.changes.push_back(Change::param("layer", std::round(grip.value)));
    const Pointer& p = s.f.handles.pointer();
    for (const Rect& network : networks)
        if (p.inside && p.pressed && !grip.held && network.contains(p.at)) s.f.changes.push_back(Change::param("layer", nearest(p.at)));
}

void drawBars(const Seen& s, Plot& plot, const std::string& id, const Estimates& accuracies, double side, bool solid) {
    const Size epochs = s.result.epochs.size();
    for (Size l = 0; l < s.result.trainedLayers.size(); ++l) {
        const Vector row(accuracies.values.begin() + static_cast<std::ptrdiff_t>(l * epochs),
                         accuracies.values.begin() + static_cast<std::ptrdiff_t>((l + 1) * epochs));
        const double value = rowAt(row, 1, place(s))[0], x = s.result.remainingDepth[l] + side;
        if (std::isnan(value)) continue;
        plot.bars(id, {&x, 1}, {&value, 1}, kBar, layerColor(s, l).withAlpha(solid ? 1 : 0.38f));
        const double error = accuracies.standardErrors[l * epochs + shown(s)], xs[] = {x, x}, ys[] = {value - error, value + error};
        if (error > 0) plot.line(id + "/error", xs, ys, {s.f.theme.text.withAlpha(0.7f), Dash::Solid, 1.2, ""});
    }
}

/// Which bar is which, and what all did before training; where no bar ever reaches so high.
void drawKey(const Seen& s, Plot& plot) {
    const Theme& theme = s.f.theme;
    const TextStyle style{.color = theme.muted, .size = theme.tinySize, .v = AlignV::Middle};
    Vec2 key = plot.inner().lo + Vec2{8, 12};
    const Rect room{plot.inner().lo, key + Vec2{22 + s.f.painter.measure("samples learnt from", style).x, 48}};
    for (Size l = 0; l < s.result.trainedLayers.size(); ++l)
        for (const double value : rowAt(s.result.train.values, s.result.epochs.size(), static_cast<double>(l)))
            if (const Vec2 top = plot.toScreen(s.result.remainingDepth[l] - kBar, value); top.x < room.hi.x && top.y < room.hi.y) return;
    for (const bool solid : {true, false}) {
        s.f.painter.rect("order/key", around(key + Vec2{4, 0}, 4.5), layerColor(s, 0).withAlpha(solid ? 1 : 0.38f));
        s.f.painter.text("order/key", key + Vec2{14, 0}, solid ? "samples learnt from" : "samples held out", style);
        key.y += 17;
    }
    s.f.painter.line("order/key", key - Vec2{1, 0}, key + Vec2{9, 0}, Stroke{theme.muted, 1.2});
    s.f.painter.text("order/key", key + Vec2{14, 0}, "before training", style);
    // Before training all are the same network.
    plot.horizontal("order/before", s.result.train.values.front(), {theme.muted, Dash::Solid, 1.2, ""});
}

void drawNetworks(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const Size layers = r.trainedLayers.size();
    const double height = std::clamp(rect.height() * 0.34, 60.0, 34.0 * static_cast<double>(layers + 2));
    Plot plot = plotIn(s.f, "order", {rect.lo, {rect.hi.x, rect.hi.y - height - 6}},
                       {.label = "layers behind the trained one", .lo = -0.6, .hi = r.remainingDepth.front() + 0.6, .whole = true},
                       accuracyAxis(s));
    drawBars(s, plot, "order/train", r.train, -kBar / 2, true);
    drawBars(s, plot, "order/test", r.test, kBar / 2, false);
    drawKey(s, plot);
    const Size now = chosen(s), epoch = shown(s);
    finishPlot(s.f, plot, "order",
               epochName(s) + ", " + weightsName(s, now) + " trained: " + percent(at(s, r.train.values, now, epoch)) + " learnt, " +
                   percent(at(s, r.test.values, now, epoch)) + " of new ones");
    std::vector<Rect> networks;
    const double pitch = plot.toScreen(1, 0).x - plot.toScreen(0, 0).x, half = std::min(0.5 * kBar * 2 * pitch, 44.0);
    for (Size l = 0; l < layers; ++l) {
        const double x = plot.toScreen(r.remainingDepth[l], 0).x;
        networks.push_back({{x - half, rect.hi.y - height}, {x + half, rect.hi.y - 8}});
        drawNetwork(s, l, networks.back());
    }
    offerLayer(s, networks);
}

// Epoch by epoch.

/// Where names stand, at least `apart` from one another, near the heights they would like; fewer of them where there is no room.
std::vector<std::pair<Size, double>> spread(const Vector& heights, double top, double bottom, double apart) {
    std::vector<Size> order(heights.size());
    std::iota(order.begin(), order.end(), Size{0});
    std::stable_sort(order.begin(), order.end(), [&](Size a, Size b) { return heights[a] < heights[b]; });
    if (apart * static_cast<double>(order.size() - 1) > bottom - top) order = {order.front(), order.back()};
    std::vector<std::pair<Size, double>> places;
    for (const Size i : order) places.emplace_back(i, std::max(heights[i], places.empty() ? top : places.back().second + apart));
    double below = bottom;
    for (auto place = places.rbegin(); place != places.rend(); ++place, below -= apart) place->second = std::min(place->second, below);
    return places;
}

/// The names of the lines behind their ends, each tied to its own.
void nameEnds(const Seen& s, const Plot& plot) {
    const Size layers = s.result.trainedLayers.size(), last = lastKnown(s);
    Vector heights;
    std::vector<Size> named;
    for (Size l = 0; l < layers; ++l)
        if (const double y = plot.toScreen(0, at(s, s.result.train.values, l, last)).y; std::isfinite(y))
            heights.push_back(y), named.push_back(l);
    if (heights.empty() || last == 0) return;
    const Rect inner = plot.inner();
    const double end = plot.toScreen(static_cast<double>(last), 0).x, from = end + 4, to = end + 13;
    for (const auto& place : spread(heights, inner.lo.y + 8, inner.hi.y - 8, 15)) {
        const Size layer = named[place.first];
        const Vec2 tie[] = {{from, heights[place.first]}, {to, place.second}};
        s.f.painter.line("train/tie", tie, Stroke{layerColor(s, layer).withAlpha(0.6f), 1});
        s.f.painter.text("train/name", {to + 3, place.second}, weightsName(s, layer),
                         {.color = layerColor(s, layer), .size = s.f.theme.smallSize, .v = AlignV::Middle, .bold = layer == chosen(s)});
    }
}

Curves overEpochs(const Seen& s) {
    const Result& r = s.result;
    const Size epochs = r.epochs.size(), now = chosen(s);
    const double last = r.epochs.back();
    Curves curves{.id = "train",
                  .title = "samples learnt from, epoch by epoch",
                  .x = {.label = "epoch", .lo = 0, .hi = last * 1.2, .whole = true},
                  .y = accuracyAxis(s),
                  .fit = Fit::Given};
    // What is still to come is faint.
    const double here = place(s);
    Vector until(r.epochs.begin(), r.epochs.begin() + static_cast<std::ptrdiff_t>(here) + 1);
    until.push_back(here);
    const auto add = [&](Size l) {
        const Vector all = rowAt(r.train.values, epochs, static_cast<double>(l)),
                     errors = rowAt(r.train.standardErrors, epochs, static_cast<double>(l));
        Vector values, error;
        for (const double epoch : until) values.push_back(rowAt(all, 1, epoch)[0]), error.push_back(rowAt(errors, 1, epoch)[0]);
        const Color color = layerColor(s, l);
        curves.curves.push_back({"coming", r.epochs, all, Role::Measurement, "", color.withAlpha(0.3f), 1.2});
        curves.curves.push_back({"layer", until, values, Role::Measurement, "", color.withAlpha(l == now ? 1.0f : 0.8f),
                                 l == now ? 3.2 : 1.8, false, false, error, l == now ? 0.2f : 0.08f});
    };
    for (Size l = r.trainedLayers.size(); l-- > 0;)
        if (l != now) add(l);
    add(now);
    curves.more = [&s, here](PictureFrame& f, Plot& plot) {
        for (Size l = 0; l < s.result.trainedLayers.size(); ++l) {
            const Vector row = rowAt(s.result.train.values, s.result.epochs.size(), static_cast<double>(l));
            const double value = rowAt(row, 1, here)[0];
            plot.markers("train/here", {&here, 1}, {&value, 1}, {layerColor(s, l), Dash::Solid, 1, ""}, MarkerShape::Circle, 3.6);
        }
        nameEnds(s, plot);
        const Vector known = countUp(lastKnown(s) + 1);
        scrub(f, plot, "train", {"epoch", "epoch", epochName(s), known, known, place(s)});
    };
    return curves;
}

Layout layout(const Seen& s) {
    return Layout::columns(
        {s.panel(0, {250, 290}, [&s](Rect rect) { drawNetworks(s, rect); }).share(1.3), s.panel(1, {220, 150}, overEpochs(s))});
}

}  // namespace
}  // namespace remaining_depth

PictureEntry remaining_depth_picture() { return tablePicture<remaining_depth::kScene, remaining_depth::layout>(); }

}  // namespace kappaflow
