// Capacity, weights and loss against channels (P2 Figs 4, 10): what a random start reaches beside the optimum.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "draw/number_text.h"
#include "scenes/linear_models/declaration_linear.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace capacity_sweep {
namespace {

/// What the panels read.
struct View {
    const Array *capacity, *rank, *parameters, *loss, *optimal, *converged, *reached, *descent;
    std::vector<double> channels, iterations;
    double step = 0;         ///< where the iteration shown lies on its axis, an index
    std::size_t chosen = 0;  ///< number of channels looked at
    double rounding = 0, length = 0;
    bool random = false, recurrent = false;

    std::size_t last() const { return channels.size() - 1; }
    double iteration() const;
    /// Loss of one number of channels at the iteration shown; its last one after the end.
    double lossNow(std::size_t channel) const;
};

// The four plots: counts and losses against channels, losses against counts, losses on the way down.

using Vector = std::vector<double>;

/// Numbers of channels that the reader can put at the list's end by pulling at the last point.
constexpr double kMostChannels = 256;

struct Look {
    Color capacity, weights, random, optimal;
};
Look lookOf(const Theme& theme) {
    return {sample(ColorMap::Capacity, theme.dark ? 0.75 : 0.7, theme.dark), theme.series[2], theme.series[3], theme.theory};
}

AxisSpec channelAxis(const View& view) {
    const double last = view.channels.back();
    return {.label = "channels *c*",
            .lo = view.channels.front() / 1.25,
            .hi = std::max(last, view.channels.front() * 2) * 1.6,
            .scale = Scale::Log};
}

AxisSpec lossAxis(const View& view) {
    double highest = 0;
    for (const Array* array : {view.loss, view.optimal})
        for (double value : array->values)
            if (value > highest) highest = value;
    return {.label = "loss *L*", .lo = view.rounding / 30, .hi = std::max(highest * 20, 5.0), .scale = Scale::Log};
}

/// Losses that are rounding lie on one line.
double shownLoss(const View& view, double loss) { return std::isnan(loss) ? loss : std::max(loss, view.rounding); }

Vector shown(const View& view, const Vector& losses) {
    Vector values;
    for (double loss : losses) values.push_back(shownLoss(view, loss));
    return values;
}

/// Filled where an optimum was reached, hollow where the search stopped short of one or is still under way.
void drawSearchPoints(PictureFrame& f, const Plot& plot, const char* id, const View& view, const Vector& x, Color color, double radius) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double loss = shownLoss(view, view.loss->values[i]);
        if (std::isnan(loss)) continue;
        const bool reached = view.converged->values[i] == 1;
        f.painter.marker(id, plot.toScreen(x[i], loss), radius, MarkerShape::Circle, reached ? color : f.theme.ground, Stroke{color, 1.6});
    }
}

Color nowColor(const Theme& theme) { return theme.accent.withAlpha(0.55f); }

/// The upright line of the number of channels looked at, which is also a handle.
void offerChannels(PictureFrame& f, const View& view, Plot& plot) {
    const double c = view.channels[view.chosen];
    plot.vertical("loss/now", c, {nowColor(f.theme), Dash::Solid, 1.2, ""});
    if (view.last() == 0) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(c, 1).x;
    const Handle handle{"channels",
                        "channels looked at",
                        "c = " + inWords(c, 4),
                        static_cast<double>(view.chosen),
                        0,
                        static_cast<double>(view.last()),
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto indexAt = [&](Vec2 p) {
        std::size_t nearest = 0;
        for (std::size_t i = 1; i <= view.last(); ++i)
            if (std::abs(plot.toScreen(view.channels[i], 1).x - p.x) < std::abs(plot.toScreen(view.channels[nearest], 1).x - p.x))
                nearest = i;
        return static_cast<double>(nearest);
    };
    const auto grip = f.handles.offer(handle, indexAt);
    drawKnob(f, "loss/knob", {x, inner.lo.y + 7}, grip);
    if (grip.moved) f.changes.push_back(Change::param("shown", view.channels[static_cast<std::size_t>(std::lround(grip.value))]));
}

/// The upright line of the iteration shown, which scrubs through the search.
void offerIteration(PictureFrame& f, const View& view, Plot& plot) {
    const double at = std::max(view.iteration(), 1.0), last = static_cast<double>(view.iterations.size() - 1);
    plot.vertical("descent/now", at, {nowColor(f.theme), Dash::Solid, 1.2, ""});
    const Rect inner = plot.inner();
    const double x = plot.toScreen(at, 1).x;
    const Handle handle{"iteration",
                        "iteration shown",
                        inWords(std::round(view.iteration()), 5),
                        view.step,
                        0,
                        last,
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto indexAt = [&](Vec2 p) {
        const double iteration = plot.toData(p).x;
        std::size_t k = 0;
        while (k + 1 < view.iterations.size() && view.iterations[k + 1] <= iteration) ++k;
        const double next = k + 1 < view.iterations.size() ? view.iterations[k + 1] : view.iterations[k] + 1;
        return static_cast<double>(k) + std::clamp((iteration - view.iterations[k]) / (next - view.iterations[k]), 0.0, 1.0);
    };
    const auto grip = f.handles.offer(handle, indexAt);
    drawKnob(f, "descent/knob", {x, inner.lo.y + 7}, grip);
    if (!grip.moved) return;
    const Between b = between(std::min(grip.value, last), view.iterations.size() - 1);
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", view.iterations[b.below] + (view.iterations[b.above] - view.iterations[b.below]) * b.fraction));
}

/// The list with its end at 2^exponent: doublings beyond its last entry, or without what lies above.
Vector listUpTo(const Vector& channels, double exponent) {
    const double most = std::ldexp(1.0, static_cast<int>(std::lround(exponent)));
    Vector list;
    for (double c : channels)
        if (c <= most || list.empty()) list.push_back(c);
    while (list.back() < most) list.push_back(std::min(2 * list.back(), most));
    return list;
}

/// The last point is pulled along the axis: more channels, or fewer.
void offerLast(PictureFrame& f, const View& view, const Plot& plot) {
    const double exponent = std::log2(view.channels.back());
    const double loss = shownLoss(view, view.loss->values.back());
    Vec2 at = plot.toScreen(view.channels.back(), std::isnan(loss) ? 1 : loss);
    at.y = std::clamp(at.y, plot.inner().lo.y + 8, plot.inner().hi.y - 24);
    const Handle handle{"most",
                        "largest number of channels",
                        inWords(view.channels.back(), 4),
                        exponent,
                        0,
                        std::log2(kMostChannels),
                        1,
                        {at + Vec2{-14, -14}, at + Vec2{14, 14}}};
    // An axis that grows under the pointer would run away from it: a doubling every 40 pixels.
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return exponent + (p.x - at.x) / 40; });
    if (!f.kept) {
        const bool lively = grip.hovered || grip.held || grip.focused;
        const Vec2 tip = at + Vec2{lively ? 21.0 : 18.0, 0}, arrow[] = {tip + Vec2{-6, -5}, tip, tip + Vec2{-6, 5}};
        f.painter.line("loss/arrow", arrow, Stroke{f.theme.accent, lively ? 2.6 : 1.8});
    }
    if (!grip.moved) return;
    const Vector list = listUpTo(view.channels, grip.value);
    if (list != view.channels && list.size() <= 16) f.changes.push_back(Change::param("channelsList", list));
}

std::string lossTitle(const View& view, bool wide) {
    const std::size_t i = view.chosen;
    const std::string at = "*c* = " + numberText(view.channels[i]) + ": ";
    const auto words = [&](double loss) {
        return std::isnan(loss) ? std::string("…") : loss <= view.rounding ? std::string("0") : numberText(loss, wide ? 3 : 2);
    };
    const std::string best = (view.reached->values[i] == 0 ? "best found " : "optimum ") + words(view.optimal->values[i]);
    if (!view.random) return at + best;
    return at + (wide ? "random start " : "") + words(view.loss->values[i]) + ", " + best;
}

/// Whether none of the losses known is only the best found.
bool allReached(const View& view) {
    const Vector& reached = view.reached->values;
    return std::none_of(reached.begin(), reached.end(), [](double r) { return r == 0; });
}

void drawLosses(PictureFrame& f, const View& view, Rect rect) {
    const Look look = lookOf(f.theme);
    Plot plot(f.painter, f.theme, "loss", rect, channelAxis(view), lossAxis(view), zoomOf(f, "loss"));
    if (const Scalar* full = f.report.scalar("fullyConnectedLoss"))
        plot.horizontal("loss/full", shownLoss(view, full->value), {f.theme.muted, Dash::Dotted, 1.4, ""});
    offerChannels(f, view, plot);
    const Vector optimal = shown(view, view.optimal->values);
    plot.line("loss/optimal", view.channels, optimal, {look.optimal, Dash::Dashed, 1.8, allReached(view) ? "optimum" : "best found"});
    for (std::size_t i = 0; i <= view.last(); ++i) {
        if (std::isnan(optimal[i])) continue;
        const bool reached = view.reached->values[i] == 1;
        f.painter.marker("loss/optimum", plot.toScreen(view.channels[i], optimal[i]), 4, MarkerShape::Diamond,
                         reached ? look.optimal : f.theme.ground, Stroke{look.optimal, 1.4});
    }
    Vector now;
    for (std::size_t i = 0; i <= view.last(); ++i) now.push_back(view.lossNow(i));
    const Color moving = view.random ? look.random : look.optimal;
    plot.line("loss/moving", view.channels, now, {moving.withAlpha(0.45f), Dash::Solid, 5, ""});
    if (view.random) {
        plot.line("loss/random", view.channels, shown(view, view.loss->values), {look.random, Dash::Solid, 2.2, "random start"});
        drawSearchPoints(f, plot, "loss/point", view, view.channels, look.random, 4);
    }
    finishPlot(f, plot, "loss", lossTitle(view, rect.width() > 420));
    offerLast(f, view, plot);
}

void drawCounts(PictureFrame& f, const View& view, Rect rect) {
    const Look look = lookOf(f.theme);
    double most = view.length;
    for (double p : view.parameters->values) most = std::max(most, p);
    Plot plot(f.painter, f.theme, "counts", rect, channelAxis(view),
              {.label = "count", .lo = std::max(1.0, view.capacity->values.front() / 1.6), .hi = most * 2, .scale = Scale::Log},
              zoomOf(f, "counts"));
    plot.horizontal("counts/inputs", view.length, {f.theme.muted, Dash::Dashed, 1.4, ""});
    plot.vertical("counts/now", view.channels[view.chosen], {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    plot.line("counts/weights", view.channels, view.parameters->values, {look.weights, Dash::Solid, 2.2, "weights *p*"});
    plot.markers("counts/weights", view.channels, view.parameters->values, {look.weights, Dash::Solid, 1, ""});
    plot.line("counts/capacity", view.channels, view.capacity->values, {look.capacity, Dash::Solid, 2.4, "capacity *κ*"});
    plot.markers("counts/capacity", view.channels, view.capacity->values, {look.capacity, Dash::Solid, 1, ""});
    if (view.recurrent)
        plot.markers("counts/rank", view.channels, view.rank->values, {look.capacity, Dash::Solid, 1, "rank found"}, MarkerShape::Cross,
                     4.5);
    const std::size_t i = view.chosen;
    finishPlot(f, plot, "counts",
               "*κ* = " + numberText(view.capacity->values[i]) + " of *n* = " + numberText(view.length) +
                   ", *p* = " + numberText(view.parameters->values[i], 6));
}

void drawAgainstCounts(PictureFrame& f, const View& view, Rect rect) {
    const Look look = lookOf(f.theme);
    const auto& p = view.parameters->values;
    const auto& kappa = view.capacity->values;
    Plot plot(f.painter, f.theme, "against", rect,
              {.label = "count",
               .lo = std::max(1.0, kappa.front() / 1.6),
               .hi = std::max(view.length, *std::max_element(p.begin(), p.end())) * 2.5,
               .scale = Scale::Log},
              lossAxis(view), zoomOf(f, "against"));
    const Vector losses = shown(view, view.loss->values);
    if (const Scalar* full = f.report.scalar("fullyConnectedLoss")) {
        const double x[] = {view.length}, y[] = {shownLoss(view, full->value)};
        plot.horizontal("against/full", y[0], {f.theme.muted, Dash::Dotted, 1.4, ""});
        plot.markers("against/full", x, y, {f.theme.muted, Dash::Solid, 1, "full connection"}, MarkerShape::Square, 4.5);
    }
    plot.line("against/weights", p, losses, {look.weights, Dash::Solid, 2, "weights *p*"});
    plot.line("against/capacity", kappa, losses, {look.capacity, Dash::Solid, 2, "capacity *κ*"});
    drawSearchPoints(f, plot, "against/point", view, p, look.weights, 3.4);
    drawSearchPoints(f, plot, "against/point", view, kappa, look.capacity, 3.4);
    const Scalar* exponent = f.report.scalar("exponent");
    finishPlot(f, plot, "against", exponent ? "*L* ∝ *c*^{" + numberText(exponent->value, 2) + "}" : "loss against count");
}

void drawDescents(PictureFrame& f, const View& view, Rect rect) {
    double last = 4;
    for (std::size_t k = 0; k < view.iterations.size(); ++k)
        for (std::size_t i = 0; i < view.channels.size(); ++i)
            if (!std::isnan(view.descent->row(i)[k])) last = std::max(last, view.iterations[k]);
    const AxisSpec losses = lossAxis(view);
    Plot plot(f.painter, f.theme, "descent", rect, {.label = "iteration", .lo = 1, .hi = last, .scale = Scale::Log}, losses,
              zoomOf(f, "descent"));
    const std::size_t chosen = view.chosen;
    const auto draw = [&](std::size_t i) {
        const Vector row = shown(view, Vector(view.descent->row(i), view.descent->row(i) + view.iterations.size()));
        const double share = view.last() == 0 ? 1 : static_cast<double>(i) / static_cast<double>(view.last());
        const Color color = sample(ColorMap::Viridis, f.theme.dark ? 0.35 + 0.6 * share : 0.75 - 0.7 * share, f.theme.dark);
        plot.line("descent/line", view.iterations, row,
                  {i == chosen ? color : color.withAlpha(0.55f), Dash::Solid, i == chosen ? 3.2 : 1.6, numberText(view.channels[i])});
    };
    offerIteration(f, view, plot);
    for (std::size_t i = 0; i < view.channels.size(); ++i)
        if (i != chosen) draw(i);
    draw(chosen);
    const double optimum = shownLoss(view, view.optimal->values[chosen]);
    if (!std::isnan(optimum)) plot.horizontal("descent/optimum", optimum, {lookOf(f.theme).optimal, Dash::Dashed, 1.6, ""});
    finishPlot(f, plot, "descent",
               (view.random      ? "L-BFGS"
                : view.recurrent ? "unit by unit"
                                 : "Gauss–Newton") +
                   (" after " + numberText(std::round(view.iteration()))) +
                   (rect.width() > 330 ? " iterations, by channels" : " iterations"));
}

std::size_t nearestTo(const std::vector<double>& channels, double c) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < channels.size(); ++i)
        if (std::abs(std::log(channels[i] / c)) < std::abs(std::log(channels[nearest] / c))) nearest = i;
    return nearest;
}

double View::iteration() const {
    const Between b = between(step, iterations.size() - 1);
    return iterations[b.below] + (iterations[b.above] - iterations[b.below]) * b.fraction;
}

double View::lossNow(std::size_t channel) const {
    const double* row = descent->row(channel);
    Between b = between(step, iterations.size() - 1);
    while (b.below > 0 && std::isnan(row[b.below])) b = {b.below - 1, b.below - 1, 0};
    const double here = shownLoss(*this, row[b.below]), next = shownLoss(*this, row[b.above]);
    return std::isnan(next) ? here : here * std::pow(next / here, b.fraction);
}

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {
        {&view.capacity, "totalCapacity"}, {&view.rank, "numericalRank"},  {&view.parameters, "parameters"},    {&view.loss, "loss"},
        {&view.optimal, "lossOptimal"},    {&view.converged, "converged"}, {&view.reached, "convergedOptimal"}, {&view.descent, "descent"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    view.channels = view.loss->axes[0].values;
    view.iterations = view.descent->axes[1].values;
    view.step = indexAlong(view.iterations, f.state.params.number("at"));
    view.chosen = nearestTo(view.channels, f.state.params.number("shown"));
    view.rounding = r.scalar("roundingLoss")->value;
    view.random = r.params.is("start", "random");
    view.recurrent = r.params.is("model", "recurrent");
    view.length = view.recurrent ? r.params.number("length") : std::ldexp(1.0, r.params.integer("layers"));
    return true;
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 330) return drawLosses(f, view, a);
    const double split = a.lo.y + a.height() * 0.58;
    drawLosses(f, view, {a.lo, {a.hi.x, split - 4}});
    drawCounts(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double split = a.lo.x + a.width() * 0.56, middle = a.lo.y + a.height() * 0.55;
    if (a.height() < 380) {
        drawLosses(f, view, {a.lo, {split - 8, a.hi.y}});
        return drawCounts(f, view, {{split + 8, a.lo.y}, a.hi});
    }
    drawLosses(f, view, {{a.lo.x, a.lo.y + 4}, {split - 8, middle - 6}});
    drawCounts(f, view, {{split + 8, a.lo.y + 4}, {a.hi.x, middle - 6}});
    drawDescents(f, view, {{a.lo.x, middle + 6}, {split - 8, a.hi.y}});
    drawAgainstCounts(f, view, {{split + 8, middle + 6}, a.hi});
}

class SweepPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The first optimum is being looked for.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace capacity_sweep

PictureEntry capacity_sweep_picture() {
    return {"capacity-sweep", [] { return std::unique_ptr<Picture>(std::make_unique<capacity_sweep::SweepPicture>()); }};
}

}  // namespace kappaflow
