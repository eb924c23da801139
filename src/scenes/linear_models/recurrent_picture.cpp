// Recurrent models (P2 Figs 9, 11): the echo of every hidden unit and their sum, above the capacity of the lags.
#include <algorithm>
#include <cmath>
#include <optional>

#include "draw/number_text.h"
#include "scenes/linear_models/recurrent.h"
#include "scenes/linear_models/walk_picture.h"

namespace kappaflow {
namespace recurrent {
namespace {

using linear::LagScale;
using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

constexpr Size kMostKnobs = 8;

struct Unit {
    double gain, rec;  ///< in·out, and what is left of an input after each step
    double there = 1;  ///< share of a unit that comes
    double echo(double lag) const { return std::abs(gain) * std::pow(std::abs(rec), lag); }
};

std::vector<Unit> unitsOf(const Result& r, Size frame) {
    std::vector<Unit> units;
    for (Size i = frame * r.units.size(); i < (frame + 1) * r.units.size() && !std::isnan(r.in[i]); ++i)
        units.push_back({r.in[i] * r.out[i], r.recurrent[i]});
    return units;
}

/// Between two frames units of the same place in the order glide, and new ones appear.
std::vector<Unit> unitsAt(const Seen& s, double index) {
    const Between b = between(index, s.result.places().size() - 1);
    const auto before = unitsOf(s.result, b.below);
    if (b.fraction == 0) return before;
    auto units = unitsOf(s.result, b.above);
    for (Size j = 0; j < units.size(); ++j) {
        if (j >= before.size()) {
            units[j].there = b.fraction;
            continue;
        }
        const double from = std::log(std::abs(before[j].gain)), to = std::log(std::abs(units[j].gain));
        units[j].gain = std::copysign(std::exp(from + b.fraction * (to - from)), units[j].gain);
        units[j].rec = before[j].rec + b.fraction * (units[j].rec - before[j].rec);
    }
    return units;
}

Color colorOf(const Seen& s, Size unit) {
    static constexpr Size kOrder[] = {0, 2, 3, 4, 5, 7, 6, 1};
    return s.f.theme.series[kOrder[unit % 8]];
}

/// The least and the largest size of a response that are drawn, the same over the whole timeline.
std::pair<double, double> rangeOf(const Result& r) {
    double least = 1e300, most = 0;
    for (const double a : r.target)
        if (a != 0) least = std::min(least, std::abs(a)), most = std::max(most, std::abs(a));
    for (const double a : r.coefficientsAlong) most = std::max(most, std::abs(a));
    return {std::max(least / 8, 1e-5 * most), 2 * most};
}

/// The network itself (P2 Fig 9): weights into, to itself and out of every unit.
void drawWiring(const Seen& s, const std::vector<Unit>& units, std::optional<Size> held, Rect rect) {
    constexpr Size kMost = 4;
    const Theme& theme = s.f.theme;
    const auto shown = static_cast<double>(std::min(units.size(), kMost));
    const double middle = rect.centre().x, foot = rect.hi.y - 8, spacing = std::min(30.0, (rect.height() - 22) / shown),
                 radius = 0.23 * spacing;
    const double level = rect.lo.y + 0.5 * (foot - rect.lo.y), first = level - 0.5 * spacing * (shown - 1) + radius;
    const Vec2 input{rect.lo.x + 6, first + 0.5 * spacing * (shown - 1)}, output{rect.hi.x - 6, input.y};
    for (Size j = 0; j < units.size() && j < kMost; ++j) {
        const Vec2 at{middle, first + spacing * static_cast<double>(j)};
        const Color color = colorOf(s, j).withAlpha(static_cast<float>(units[j].there));
        std::vector<Vec2> loop;
        for (int i = 0; i <= 20; ++i) {
            const double turn = 3.6 + 0.27 * i;
            loop.push_back(at + Vec2{radius * std::sin(turn), -radius * (1.6 + std::cos(turn))});
        }
        const Stroke stroke{color, j == held ? 2.8 : 1.3};
        s.f.painter.line("wiring/edge", input, at, stroke);
        s.f.painter.line("wiring/edge", at, output, stroke);
        s.f.painter.line("wiring/loop", loop, stroke);
        s.f.painter.marker("wiring/unit", at, 4.5, MarkerShape::Circle, color, Stroke{theme.ground, 1});
    }
    for (const Vec2 end : {input, output}) s.f.painter.marker("wiring/end", end, 4, MarkerShape::Square, theme.muted);
    const std::pair<const char*, double> names[] = {{"in", 0.5 * (input.x + middle)}, {"rec", middle}, {"out", 0.5 * (output.x + middle)}};
    for (const auto& [name, x] : names)
        s.f.painter.text("wiring/name", {x, foot}, name,
                         {.color = theme.muted, .size = theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle});
    if (units.size() > kMost)
        s.f.painter.text("wiring/more", {middle, rect.hi.y + 8}, "four of " + std::to_string(units.size()) + " units",
                         {.color = theme.muted, .size = theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle});
}

/// The two knobs of a unit: its input weight lifts its echo, its recurrent weight tilts it. Whether one is held or pointed at.
bool offerKnobs(const Seen& s, const Plot& plot, const LagScale& scale, const Unit& unit, Size j) {
    const std::string number = std::to_string(j), name = " of unit " + std::to_string(j + 1);
    const auto factorOf = [j](const Vector& factors) { return j < factors.size() ? factors[j] : 1; };
    bool lively = false;
    const auto offer = [&](const char* id, const char* label, const Vector& factors, const char* key, double weight, Vec2 at,
                           MarkerShape shape, const std::function<double(Vec2)>& weightAt) {
        const double factor = factorOf(factors);
        if (!(factor > 0) || !plot.inner().contains(at)) return;
        const auto grip = s.f.handles.offer(
            {id + number, label + name, inWords(weight, 4), std::clamp(factor, 0.0, 2.0), 0, 2, 0.01, around(at, Vec2{11, 10})},
            [&](Vec2 p) { return weightAt(p) / (weight / factor); });
        drawKnob(s.f, "echo/knob", at, grip, shape);
        lively = lively || grip.lively();
        const double wanted = std::abs(grip.value - 1) < 0.002 ? 1 : std::round(grip.value * 1000) / 1000;
        if (grip.moved && wanted != factor) linear::changePull(s.f, factors, j, wanted, key);
    };
    const double oldest = s.result.lags.back(), reach = unit.rec >= 1 ? oldest : std::min(-1 / std::log(unit.rec), oldest);
    offer("input ", "input weight", s.params.pullIn, "pullIn", std::abs(unit.gain), plot.toScreen(0, unit.echo(0)), MarkerShape::Diamond,
          [&](Vec2 p) { return plot.toData(p).y; });
    if (unit.rec > 0)
        offer("memory ", "recurrent weight", s.params.pull, "pull", unit.rec, plot.toScreen(reach, unit.echo(reach)), MarkerShape::Circle,
              [&](Vec2 p) {
                  const double lag = (scale.newest - p.x) / scale.spacing;
                  return lag <= 0.05 ? 0.0 : std::exp(-1 / lag);
              });
    return lively;
}

/// A response of zero or below has no logarithm.
Vector positive(Vector values) {
    for (double& value : values)
        if (!(value > 0)) value = linear::kNone;
    return values;
}

void drawEchoes(const Seen& s, const linear::WalkView& v, const LagScale& scale, Rect rect) {
    const Result& r = s.result;
    if (rect.height() < 70) return;
    const auto units = unitsAt(s, v.index);
    const auto [floor, top] = rangeOf(r);
    const double n = static_cast<double>(r.lags.size());
    // Its axis has no name of its own, so that lags stand over those of the capacities: what is left of it is ticks of the width Plot
    // gives.
    const double tick = s.f.painter.measure(powerOfTenText(-3), {.color = s.f.theme.muted, .size = s.f.theme.tinySize}).x;
    rect.lo.x = scale.inner.lo.x - std::max(30.0, std::ceil(tick / 12) * 12) - 8;
    Plot plot = plotIn(s.f, "echo", rect, {.label = "", .lo = -0.6, .hi = n - 0.4, .whole = true, .ticks = false, .reversed = true},
                       {.label = "", .lo = floor, .hi = top, .scale = Scale::Log});
    const bool still = v.index == static_cast<double>(v.nearest());
    for (Size j = 0; j < units.size(); ++j) {
        Vector echo;
        for (const double lag : r.lags) echo.push_back(units[j].echo(lag));
        const Color color = colorOf(s, j).withAlpha(static_cast<float>(units[j].there));
        plot.area("echo/under", r.lags, echo, color.withAlpha(0.07f * static_cast<float>(units[j].there)));
        plot.line("echo/unit", r.lags, echo,
                  {color, units[j].gain < 0 ? Dash::Dotted : Dash::Solid, 1.6,
                   still && units.size() <= kMostKnobs && rect.height() > 160 ? "rec " + numberText(units[j].rec, 3) : ""});
    }
    plot.line("echo/theory", r.lags, positive(r.target), {s.f.theme.theory, Dash::Dashed, 1.8, "target"});
    plot.line("echo/measured", r.lags, positive(rowAt(r.coefficientsAlong, r.lags.size(), v.index)),
              {s.f.theme.text, Dash::Solid, 2.4, units.size() > 1 ? "sum" : "model"});
    finishPlot(
        s.f, plot, "echo",
        rect.width() > 420 ? "response *a_{τ}* to an impulse: an echo of every unit, and their sum" : "response *a_{τ}*: echoes, sum");
    std::optional<Size> held;
    for (Size j = 0; j < std::min(units.size(), kMostKnobs) && still; ++j)
        if (offerKnobs(s, plot, scale, units[j], j)) held = j;
    const Rect inner = plot.inner();
    if (held) {
        std::vector<Vec2> echo;
        for (const double lag : r.lags) echo.push_back(plot.toScreen(lag, units[*held].echo(lag)));
        s.f.painter.pushClip(inner);
        s.f.painter.line("echo/held", echo, {colorOf(s, *held), 3.2});
        s.f.painter.popClip();
    }
    if (!s.f.compact && inner.width() > 270 && inner.height() > 120)
        drawWiring(s, units, held, {inner.lo + Vec2{16, 6}, inner.lo + Vec2{176, 116}});
}

Layout layout(const Seen& s) {
    linear::WalkView view(s);
    view.counted = "unit";
    const std::string other = s.asked.compare == Compared::Hierarchical ? "tree" : "full connection";
    return walkLayout(view, s.before, other, 0.54, [s, view](const LagScale& scale, Rect rect) { drawEchoes(s, view, scale, rect); });
}

}  // namespace
}  // namespace recurrent

PictureEntry recurrent_picture() { return tablePicture<recurrent::kScene, recurrent::layout>(); }

}  // namespace kappaflow
