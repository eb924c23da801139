// Loss against channels (P2 Figs 4, 10): what a random start reaches beside the optimum, the network that grows, and one search.
#include "scenes/linear_models/capacity_sweep.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace capacity_sweep {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

/// Numbers of channels that the reader can put at the list's end by pulling at the last point.
constexpr double kMostChannels = 256;

bool isRandom(const Seen& s) { return s.asked.start == Start::Random; }
bool isRecurrent(const Seen& s) { return s.asked.model == Models::Recurrent; }
double lengthOf(const Seen& s) { return isRecurrent(s) ? s.asked.length : std::ldexp(1.0, s.asked.layers); }

Color weightsInk(const Theme& theme) { return theme.series[2]; }
Color randomInk(const Theme& theme) { return theme.series[3]; }

/// Index up to which losses have arrived; what is behind the point is how far the next one has come.
double arrived(const Seen& s) { return indexAlong(s.result.channels, s.params.upTo); }
bool allArrived(const Seen& s) { return s.params.upTo >= s.result.channels.back(); }

/// Number of channels looked at: the last that has arrived, or, once all have, the nearest of the list.
Size chosen(const Seen& s) {
    const Vector& channels = s.result.channels;
    if (s.params.upTo <= channels.back()) return static_cast<Size>(arrived(s));
    Size nearest = 0;
    for (Size i = 1; i < channels.size(); ++i)
        if (std::abs(std::log(channels[i] / s.params.shown)) < std::abs(std::log(channels[nearest] / s.params.shown))) nearest = i;
    return nearest;
}

/// Losses that are rounding lie on one line.
double shownLoss(const Seen& s, double loss) { return std::isnan(loss) ? loss : std::max(loss, s.result.roundingLoss); }
Vector shownLosses(const Seen& s, Vector losses) {
    for (double& loss : losses) loss = shownLoss(s, loss);
    return losses;
}

/// Loss of one number of channels at an index of the reported iterations; its last one after the end.
double lossAt(const Seen& s, Size channel, double index) {
    const Size steps = s.result.iterations.size();
    const double* row = &s.result.descent[channel * steps];
    Between b = between(index, steps - 1);
    while (b.below > 0 && std::isnan(row[b.below])) b = {b.below - 1, b.below - 1, 0};
    const double here = shownLoss(s, row[b.below]), next = shownLoss(s, row[b.above]);
    return std::isnan(next) ? here : here * std::pow(next / here, b.fraction);
}
/// The reported iteration nearest to the one that is looked at.
double iterationShown(const Seen& s) {
    return s.result.iterations[static_cast<Size>(std::lround(indexAlong(s.result.iterations, s.params.at)))];
}
/// At the iteration that is looked at.
double lossNow(const Seen& s, Size channel) { return lossAt(s, channel, indexAlong(s.result.iterations, s.params.at)); }

AxisSpec channelAxis(const Seen& s) {
    const double first = s.result.channels.front(), last = s.result.channels.back();
    return {.label = "channels *c*", .lo = first / 1.25, .hi = std::max(last, first * 2) * 1.6, .scale = Scale::Log};
}

AxisSpec lossAxis(const Seen& s) {
    double highest = 0;
    for (const Vector* losses : {&s.result.loss, &s.result.lossOptimal, &s.result.descent})
        for (const double value : *losses)
            if (value > highest) highest = value;
    return {.label = "loss *L*", .lo = s.result.roundingLoss / 30, .hi = std::max(highest * 5, 5.0), .scale = Scale::Log};
}

/// The upright line of the number of channels looked at, which is also a handle.
void offerChannels(const Seen& s, Plot& plot) {
    const Vector& channels = s.result.channels;
    const Size now = chosen(s);
    plot.vertical("loss/now", channels[now], {s.f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (channels.size() < 2) return;
    const Rect inner = plot.inner();
    const auto xOf = [&](Size i) { return plot.toScreen(channels[i], 1).x; };
    const double x = xOf(now);
    const Handle handle{"channels",
                        "channels looked at",
                        "c = " + inWords(channels[now], 4),
                        static_cast<double>(now),
                        0,
                        static_cast<double>(channels.size() - 1),
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = s.f.handles.offer(handle, [&](Vec2 p) {
        Size nearest = 0;
        for (Size i = 1; i < channels.size(); ++i)
            if (std::abs(xOf(i) - p.x) < std::abs(xOf(nearest) - p.x)) nearest = i;
        return static_cast<double>(nearest);
    });
    drawKnob(s.f, "loss/knob", {x, inner.lo.y + 7}, grip);
    if (!grip.moved) return;
    s.f.changes.push_back(Change::param("shown", channels[static_cast<Size>(std::lround(grip.value))]));
    if (s.params.upTo > channels.back()) return;
    s.f.changes.push_back(Change::param("play", false));
    s.f.changes.push_back(Change::param("upTo", 300.0));
}

/// The list with its end at 2^exponent: doublings beyond its last entry, or without what lies above.
Vector listUpTo(const Vector& channels, double exponent) {
    const double most = std::ldexp(1.0, static_cast<int>(std::lround(exponent)));
    Vector list;
    for (const double c : channels)
        if (c <= most || list.empty()) list.push_back(c);
    while (list.back() < most) list.push_back(std::min(2 * list.back(), most));
    return list;
}

/// The last point is pulled along the axis: more channels, or fewer.
void offerLast(const Seen& s, const Plot& plot) {
    const Vector& channels = s.result.channels;
    const double exponent = std::log2(channels.back()), loss = shownLoss(s, s.result.loss.back());
    Vec2 at = plot.toScreen(channels.back(), std::isnan(loss) ? 1 : loss);
    at.y = std::max(plot.inner().lo.y + 8, std::min(at.y, plot.inner().hi.y - 24));
    const Handle handle{"most",        "largest number of channels", inWords(channels.back(), 4), exponent, 0, std::log2(kMostChannels), 1,
                        around(at, 14)};
    // An axis that grows under the pointer would run away from it: a doubling every 40 pixels.
    const auto grip = s.f.handles.offer(handle, [&](Vec2 p) { return exponent + (p.x - at.x) / 40; });
    if (!s.f.kept) {
        const bool lively = grip.lively();
        const Vec2 tip = at + Vec2{lively ? 21.0 : 18.0, 0}, arrow[] = {tip + Vec2{-6, -5}, tip, tip + Vec2{-6, 5}};
        s.f.painter.line("loss/arrow", arrow, Stroke{s.f.theme.accent, lively ? 2.6 : 1.8});
    }
    if (!grip.moved) return;
    const Vector list = listUpTo(channels, grip.value);
    if (list != channels && list.size() <= 16) s.f.changes.push_back(Change::param("channelsList", list));
}

std::string lossTitle(const Seen& s, bool wide) {
    const Size i = chosen(s);
    const std::string at = "*c* = " + numberText(s.result.channels[i]) + ": ";
    const auto words = [&](double loss) {
        return std::isnan(loss) ? std::string("…") : loss <= s.result.roundingLoss ? std::string("0") : numberText(loss, wide ? 3 : 2);
    };
    const std::string best = (s.result.convergedOptimal[i] == 0 ? "best found " : "optimum ") + words(s.result.lossOptimal[i]);
    return isRandom(s) ? at + (wide ? "random start " : "") + words(s.result.loss[i]) + ", " + best : at + best;
}

/// The fitted power law of the search's losses above rounding, with its slope.
void drawPowerLaw(const Seen& s, Plot& plot) {
    const Result& r = s.result;
    if (!isRandom(s) || !r.exponent || !allArrived(s)) return;
    double n = 0, x = 0, y = 0;
    for (Size i = 0; i < r.loss.size(); ++i)
        if (r.loss[i] > 10 * r.roundingLoss) ++n, x += std::log(r.channels[i]), y += std::log(r.loss[i]);
    Vector law;
    for (const double c : r.channels) law.push_back(std::exp(y / n + *r.exponent * (std::log(c) - x / n)));
    plot.line("loss/law", r.channels, law, {s.f.theme.muted, Dash::Solid, 1.4, "*L* ∝ *c*^{" + numberText(*r.exponent, 2) + "}"});
}

/// Where the search began, or was at the iteration looked at, and where it ended: filled at an optimum, hollow where it stopped short.
void drawSearches(const Seen& s, Plot& plot) {
    const Result& r = s.result;
    const Theme& theme = s.f.theme;
    const Color ink = isRandom(s) ? randomInk(theme) : theme.theory;
    const double all = allArrived(s) ? static_cast<double>(r.channels.size()) : arrived(s);
    Vector ends, begun, starts;
    for (Size i = 0; i < r.channels.size(); ++i) {
        const double come = std::clamp(all - static_cast<double>(i) + 1, 0.0, 1.0), from = lossNow(s, i);
        ends.push_back(come == 1 ? shownLoss(s, r.loss[i]) : std::nan(""));
        if (come == 0 || std::isnan(from)) continue;
        // On its way down; iterations are evenly apart in the logarithm.
        const double now = come == 1 ? ends.back() : lossAt(s, i, come * static_cast<double>(r.iterations.size() - 1));
        if (std::isnan(now)) continue;
        const Vec2 start = plot.toScreen(r.channels[i], from), end = plot.toScreen(r.channels[i], std::min(now, from));
        if (end.y > start.y + 1) s.f.painter.line("loss/way", start, end, Stroke{ink.withAlpha(0.4f), 2.2});
        begun.push_back(r.channels[i]), starts.push_back(from);
        const Color fill = come == 1 && r.converged[i] == 1 ? ink : theme.ground;
        s.f.painter.marker("loss/point", end, 4.6, MarkerShape::Circle, fill, Stroke{ink, 1.8});
    }
    const double iteration = iterationShown(s);
    const std::string name = !isRandom(s) ? "" : iteration == 0 ? "start" : "iteration " + numberText(iteration);
    plot.markers("loss/from", begun, starts, {ink, Dash::Solid, 1, name}, MarkerShape::Circle, 3.6);
    // What the searches leave above the optimum.
    if (isRandom(s) && std::none_of(ends.begin(), ends.end(), [](double end) { return std::isnan(end); }))
        plot.band("loss/left", r.channels, shownLosses(s, r.lossOptimal), ends, ink.withAlpha(0.1f));
    if (isRandom(s)) plot.line("loss/random", r.channels, ends, {ink, Dash::Solid, 2.2, "random start"});
}

void drawOptima(const Seen& s, Plot& plot) {
    const Result& r = s.result;
    const Theme& theme = s.f.theme;
    Vector optimal = shownLosses(s, r.lossOptimal);
    for (Size i = 0; i < optimal.size(); ++i)
        if (!allArrived(s) && static_cast<double>(i) >= arrived(s) + 1) optimal[i] = std::nan("");
    const bool allReached = std::none_of(r.convergedOptimal.begin(), r.convergedOptimal.end(), [](double c) { return c == 0; });
    plot.line("loss/optimal", r.channels, optimal, {theme.theory, Dash::Dashed, 1.8, allReached ? "optimum" : "best found"});
    for (Size i = 0; i < r.channels.size(); ++i)
        if (!std::isnan(optimal[i]))
            s.f.painter.marker("loss/optimum", plot.toScreen(r.channels[i], optimal[i]), 4, MarkerShape::Diamond,
                               r.convergedOptimal[i] == 1 ? theme.theory : theme.ground, Stroke{theme.theory, 1.4});
}

void drawLosses(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const Theme& theme = s.f.theme;
    Plot plot = plotIn(s.f, "loss", rect, channelAxis(s), lossAxis(s));
    if (r.fullyConnectedLoss)
        plot.horizontal("loss/full", shownLoss(s, *r.fullyConnectedLoss), {theme.muted, Dash::Dotted, 1.4, "full connection"});
    offerChannels(s, plot);
    drawPowerLaw(s, plot);
    drawOptima(s, plot);
    drawSearches(s, plot);
    finishPlot(s.f, plot, "loss", lossTitle(s, rect.width() > 420));
    if (allArrived(s)) offerLast(s, plot);
}

// The network with the number of channels looked at.

/// A band of weights between two rows of units, line by line where they are few.
void drawWeights(const Seen& s, const Vector& below, double yBelow, const Vector& above, double yAbove) {
    constexpr Size kMostLines = 100;
    const Color color = weightsInk(s.f.theme);
    const double lines = static_cast<double>(below.size() * above.size());
    if (below.size() * above.size() > kMostLines) {
        const Vec2 corners[] = {{below.front(), yBelow}, {below.back(), yBelow}, {above.back(), yAbove}, {above.front(), yAbove}};
        s.f.painter.polygon("network/weights", corners, color.withAlpha(0.5f));
        return;
    }
    const Stroke stroke{color.withAlpha(static_cast<float>(std::clamp(6 / std::sqrt(lines) * 0.3, 0.16, 0.8))), 1};
    for (const double x : below)
        for (const double y : above) s.f.painter.line("network/weights", {x, yBelow}, {y, yAbove}, stroke);
}

/// Layers of c channels from the lags, at the bottom, to the prediction; or c recurrent units beside one another.
void drawLayers(const Seen& s, Rect rect) {
    const double channels = s.result.channels[chosen(s)], middle = rect.centre().x;
    const auto rowOf = [&](double units) {
        // As many as can be told apart; the row is as wide as if all were drawn, up to the rectangle's width.
        const double drawn = std::min(units, 64.0), spacing = drawn > 1 ? std::min(26.0, (rect.width() - 12) / (drawn - 1)) : 0;
        Vector row;
        for (double i = 0; i < drawn; ++i) row.push_back(middle + spacing * (i - (drawn - 1) / 2));
        return row;
    };
    const Size hidden = isRecurrent(s) ? 1 : static_cast<Size>(s.asked.layers) - 1;
    const double pitch = rect.height() / static_cast<double>(hidden + 1);
    std::vector<Vector> rows{rowOf(1)};
    for (Size l = 0; l < hidden; ++l) rows.push_back(rowOf(channels));
    rows.push_back(rowOf(1));
    const auto heightOf = [&](Size l) { return rect.hi.y - pitch * static_cast<double>(l); };
    for (Size l = 0; l + 1 < rows.size(); ++l) drawWeights(s, rows[l], heightOf(l), rows[l + 1], heightOf(l + 1));
    for (Size l = 0; l < rows.size(); ++l)
        for (const double x : rows[l]) {
            s.f.painter.marker("network/unit", {x, heightOf(l)}, rows[l].size() > 24 ? 1.8 : 3.2, MarkerShape::Circle, s.f.theme.text);
            if (isRecurrent(s) && l == 1 && rows[l].size() <= 24)
                s.f.painter.marker("network/memory", {x, heightOf(l) - 6}, 4.5, MarkerShape::Circle, Color{0, 0, 0, 0},
                                   Stroke{weightsInk(s.f.theme), 1.4});
        }
}

void drawNetwork(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const Theme& theme = s.f.theme;
    const Size now = chosen(s);
    const double n = lengthOf(s), capacity = r.totalCapacity[now], found = r.numericalRank[now];
    const TextStyle style{.color = theme.text, .size = theme.smallSize};
    const std::string channels = "*c* = " + numberText(r.channels[now]), weights = inWords(r.parameters[now], 7) + " weights";
    const std::string units = isRecurrent(s) ? " recurrent unit" : " channel", plural = r.channels[now] == 1 ? "" : "s";
    drawFitting(s.f, "network/title", rect.lo + Vec2{2, 0},
                {channels + units + plural + (isRecurrent(s) ? ": " : " a layer: ") + weights, channels + ": " + weights}, style,
                rect.width() - 4);
    drawLayers(s, rect.inset(16, 34, 16, 62));
    const double left = rect.lo.x + 2, right = rect.hi.x - 8, top = rect.hi.y - 18;
    const std::string moved = "capacity *κ* = " + numberText(capacity), of = " of *n* = " + numberText(n) + " directions";
    const std::string seen = !std::isnan(found) && found < capacity ? ", found " + numberText(found) : std::string();
    drawFitting(s.f, "network/capacity", {left, top - 20}, {moved + of + seen, moved + of, "*κ* = " + numberText(capacity) + of}, style,
                right - left);
    s.f.painter.rect("network/all", {{left, top}, {right, top + 10}}, theme.muted.withAlpha(0.2f), 2);
    s.f.painter.rect("network/share", {{left, top}, {left + (right - left) * capacity / n, top + 10}}, capacityColor(theme), 2);
    if (!seen.empty())
        s.f.painter.rect("network/unseen", {{left + (right - left) * found / n, top + 3}, {left + (right - left) * capacity / n, top + 7}},
                         theme.ground);
}

/// The search from random weights with the number of channels looked at.
Curves descent(const Seen& s) {
    const Result& r = s.result;
    const Size now = chosen(s), steps = r.iterations.size();
    double last = 4;
    for (Size i = 0; i < r.descent.size(); ++i)
        if (!std::isnan(r.descent[i])) last = std::max(last, r.iterations[i % steps]);
    Curves curves{.id = "descent",
                  .title = "L-BFGS from random weights, *c* = " + numberText(r.channels[now]),
                  .x = {.label = "iteration", .lo = 1, .hi = last, .scale = Scale::Log},
                  .y = lossAxis(s),
                  .fit = Fit::Given};
    curves.curves.push_back({"line", r.iterations, shownLosses(s, rowAt(r.descent, steps, static_cast<double>(now))), Role::Measurement,
                             "random start", randomInk(s.f.theme), 2.4});
    curves.more = [s, now](PictureFrame& f, Plot& plot) {
        const double optimum = shownLoss(s, s.result.lossOptimal[now]);
        if (!std::isnan(optimum))
            plot.horizontal("descent/optimum", optimum,
                            {f.theme.theory, Dash::Dashed, 1.6, s.result.convergedOptimal[now] == 1 ? "optimum" : "best found"});
        // The axis begins at 1.
        Vector places = s.result.iterations;
        places.front() = std::max(places.front(), 1.0);
        scrub(f, plot, "descent",
              {"iteration", "iteration shown", inWords(iterationShown(s), 5), s.result.iterations, places, s.params.at});
    };
    return curves;
}

Layout layout(const Seen& s) {
    std::vector<Layout> beside{s.panel(1, {200, 170}, [s](Rect rect) { drawNetwork(s, rect); })};
    // From the best known start there is next to nothing left to search.
    if (isRandom(s)) beside.push_back(s.panel(2, {200, 150}, descent(s)));
    return Layout::columns({s.panel(0, {260, 190}, [s](Rect rect) { drawLosses(s, rect); }).share(1.7), Layout::rows(std::move(beside))});
}

}  // namespace
}  // namespace capacity_sweep

PictureEntry capacity_sweep_picture() { return tablePicture<capacity_sweep::kScene, capacity_sweep::layout>(); }

}  // namespace kappaflow
