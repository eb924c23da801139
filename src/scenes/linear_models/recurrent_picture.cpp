// Recurrent models (P2 Figs 9, 11): what every hidden unit remembers of every input, above the capacity of these inputs.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/linear_models/recurrent.h"
#include "scenes/linear_models/walk_picture.h"

namespace kappaflow {
namespace recurrent {
namespace {

using linear::LagScale;
using Size = std::size_t;
using Seen = Sight<Params, Result>;

constexpr Size kMostLanes = 16;

struct Unit {
    double in, rec, out;
    /// Share of an input that is still there `lag` steps later, of what there is most of.
    double memory(double lag, double lags) const {
        const double kept = std::pow(std::abs(rec), lag);
        return kept / std::max(1.0, std::pow(std::abs(rec), lags - 1));
    }
};

std::vector<Unit> unitsOf(const Result& r, Size frame) {
    std::vector<Unit> units;
    for (Size i = frame * r.units.size(); i < (frame + 1) * r.units.size() && !std::isnan(r.in[i]); ++i)
        units.push_back({r.in[i], r.recurrent[i], r.out[i]});
    return units;
}

void drawLane(const Seen& s, const LagScale& scale, const Unit& unit, Rect lane, double strongest) {
    const double n = static_cast<double>(s.result.lags.size()), half = 0.42 * lane.height(), y = lane.centre().y;
    std::vector<Vec2> upper, lower;
    const Size points = std::min<Size>(s.result.lags.size(), 200);
    for (Size i = 0; i < points; ++i) {
        const double lag = points < 2 ? 0 : (n - 1) * static_cast<double>(i) / static_cast<double>(points - 1);
        const double h = std::max(half * unit.memory(lag, n), 0.3);
        upper.push_back({scale.x(lag), y - h});
        lower.push_back({scale.x(lag), y + h});
    }
    const double gain = unit.in * unit.out, share = std::min(1.0, std::abs(gain) / strongest);
    const Color color = gain < 0 ? s.f.theme.series[1] : capacityColor(s.f.theme);
    s.f.painter.pushClip(lane);
    s.f.painter.strip("lanes/memory", upper, lower, color.withAlpha(static_cast<float>(0.25 + 0.55 * share)));
    s.f.painter.popClip();
}

/// Slides along its lane to the lag at which the memory has fallen to 1/e.
void offerMemory(const Seen& s, const LagScale& scale, const Unit& unit, Size j, Rect lane) {
    const auto& factors = s.params.pull;
    const double factor = j < factors.size() ? factors[j] : 1;
    if (!(factor > 0) || !(unit.rec > 0)) return;
    const double optimum = unit.rec / factor, oldest = static_cast<double>(s.result.lags.size()) - 1;
    const double reach = unit.rec >= 1 ? oldest : std::min(-1 / std::log(unit.rec), oldest);
    const Vec2 at{std::max(scale.x(reach), scale.inner.lo.x), lane.centre().y};
    const Handle handle{"memory " + std::to_string(j),
                        "recurrent weight of unit " + std::to_string(j + 1),
                        inWords(unit.rec, 4),
                        std::clamp(factor, 0.0, 2.0),
                        0,
                        2,
                        0.01,
                        around(at, Vec2{11, 10})};
    const auto grip = s.f.handles.offer(handle, [&](Vec2 p) {
        const double pulled = (scale.newest - p.x) / scale.spacing;
        return (pulled <= 0.05 ? 0.0 : std::exp(-1 / pulled)) / optimum;
    });
    drawKnob(s.f, "lanes/knob", at, grip);
    const double wanted = std::abs(grip.value - 1) < 0.002 ? 1 : std::round(grip.value * 1000) / 1000;
    if (grip.moved && wanted != factor) linear::changePull(s.f, factors, j, wanted);
}

void drawLanes(const Seen& s, Size frame, const LagScale& scale, Rect rect) {
    const auto units = unitsOf(s.result, frame);
    if (units.empty() || rect.height() < 40) return;
    double strongest = 1e-300;
    for (const Unit& unit : units) strongest = std::max(strongest, std::abs(unit.in * unit.out));
    const Size lanes = std::min(units.size(), kMostLanes);
    const double height = (rect.height() - 8) / static_cast<double>(lanes);
    for (Size j = 0; j < lanes; ++j) {
        const Rect lane{{scale.inner.lo.x, rect.lo.y + height * static_cast<double>(j)},
                        {scale.inner.hi.x, rect.lo.y + height * static_cast<double>(j + 1)}};
        drawLane(s, scale, units[j], lane, strongest);
        if (height < 15) continue;
        s.f.painter.text("lanes/name", {scale.inner.lo.x - 6, lane.centre().y}, numberText(units[j].rec, 3),
                         {.color = s.f.theme.muted, .size = s.f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle});
        offerMemory(s, scale, units[j], j, lane);
    }
}

Layout layout(const Seen& s) {
    const linear::WalkView view(s);
    const std::string other = s.asked.compare == Compared::Hierarchical ? "hierarchical" : "full";
    return walkLayout(view, s.before, other,
                      [s, frame = view.nearest()](const LagScale& scale, Rect rect) { drawLanes(s, frame, scale, rect); });
}

}  // namespace
}  // namespace recurrent

PictureEntry recurrent_picture() { return tablePicture<recurrent::kScene, recurrent::layout>(); }

}  // namespace kappaflow
