// Recurrent models (P2 Figs 9, 11): what every hidden unit remembers of every input, above the capacity of these inputs.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/linear_models/picture_view.h"

namespace kappaflow {
namespace {

using linear::LagScale;
using linear::View;

constexpr double kMostLanes = 16;

struct Unit {
    double in, rec, out;
    /// Share of an input that is still there `lag` steps later, of what there is most of.
    double memory(double lag, double lags) const {
        const double kept = std::pow(std::abs(rec), lag);
        return kept / std::max(1.0, std::pow(std::abs(rec), lags - 1));
    }
};

std::vector<Unit> unitsOf(const PictureFrame& f, const View& view) {
    const Array *in = f.report.array("inWeights"), *rec = f.report.array("recWeights"), *out = f.report.array("outWeights");
    std::vector<Unit> units;
    if (!in || !rec || !out) return units;
    const std::size_t frame = view.nearest();
    for (std::size_t j = 0; j < in->rowLength() && !std::isnan(in->row(frame)[j]); ++j)
        units.push_back({in->row(frame)[j], rec->row(frame)[j], out->row(frame)[j]});
    return units;
}

/// Lag at which a memory has fallen to 1/e.
double reachOf(double rec) { return rec <= 0 ? 0 : rec >= 1 ? 1e9 : -1 / std::log(rec); }

void drawLane(PictureFrame& f, const View& view, const LagScale& scale, const Unit& unit, Rect lane, double strongest) {
    const double n = static_cast<double>(view.lags), half = 0.42 * lane.height(), y = lane.centre().y;
    std::vector<Vec2> upper, lower;
    const std::size_t points = std::min<std::size_t>(view.lags, 200);
    for (std::size_t i = 0; i < points; ++i) {
        const double lag = points < 2 ? 0 : (n - 1) * static_cast<double>(i) / static_cast<double>(points - 1);
        const double h = std::max(half * unit.memory(lag, n), 0.3);
        upper.push_back({scale.x(lag), y - h});
        lower.push_back({scale.x(lag), y + h});
    }
    const double gain = unit.in * unit.out, share = std::min(1.0, std::abs(gain) / strongest);
    const Color color = gain < 0 ? f.theme.series[1] : capacityColor(f.theme);
    f.painter.strip("lanes/memory", upper, lower, color.withAlpha(static_cast<float>(0.25 + 0.55 * share)));
}

/// Slides along its lane to the lag at which the memory has fallen to 1/e.
void offerMemory(PictureFrame& f, const LagScale& scale, const Unit& unit, std::size_t j, Rect lane, double lags) {
    const auto& factors = f.state.params.list("pull");
    const double factor = j < factors.size() ? factors[j] : 1;
    if (!(factor > 0) || j >= 16 || !(unit.rec > 0)) return;
    const double optimum = unit.rec / factor;
    const Vec2 at{std::max(scale.x(std::min(reachOf(unit.rec), lags - 1)), scale.inner.lo.x), lane.centre().y};
    const Handle handle{"memory " + std::to_string(j),
                        "recurrent weight of unit " + std::to_string(j + 1),
                        inWords(unit.rec, 4),
                        std::clamp(factor, 0.0, 2.0),
                        0,
                        2,
                        0.01,
                        {at + Vec2{-11, -10}, at + Vec2{11, 10}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) {
        const double reach = (scale.newest - p.x) / scale.spacing;
        return (reach <= 0.05 ? 0.0 : std::exp(-1 / reach)) / optimum;
    });
    drawKnob(f, "lanes/knob", at, grip);
    const double wanted = std::abs(grip.value - 1) < 0.002 ? 1 : std::round(grip.value * 1000) / 1000;
    if (grip.moved && wanted != factor) linear::pull(f, factors, j, wanted);
}

void drawLanes(PictureFrame& f, const View& view, const LagScale& scale, Rect rect) {
    const auto units = unitsOf(f, view);
    if (units.empty() || rect.height() < 40) return;
    double strongest = 1e-300;
    for (const Unit& unit : units) strongest = std::max(strongest, std::abs(unit.in * unit.out));
    const double rows = std::min(static_cast<double>(units.size()), kMostLanes), height = (rect.height() - 8) / rows;
    for (std::size_t j = 0; j < static_cast<std::size_t>(rows); ++j) {
        const Rect lane{{scale.inner.lo.x, rect.lo.y + height * static_cast<double>(j)},
                        {scale.inner.hi.x, rect.lo.y + height * static_cast<double>(j + 1)}};
        f.painter.pushClip(lane);
        drawLane(f, view, scale, units[j], lane, strongest);
        f.painter.popClip();
        if (height < 15) continue;
        f.painter.text("lanes/name", {scale.inner.lo.x - 6, lane.centre().y}, numberText(units[j].rec, 3),
                       {.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle});
        offerMemory(f, scale, units[j], j, lane, static_cast<double>(view.lags));
    }
}

class RecurrentPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view{};
        if (!linear::readView(f, view)) return emptyPicture(f, "The optimum is being looked for.");
        follow_.draw(f);
        linear::drawScene(f, view, drawLanes, f.report.params.is("compare", "hierarchical") ? "hierarchical" : "full");
    }

private:
    linear::FollowChannels follow_;
};

}  // namespace

PictureEntry recurrent_picture() {
    return {"recurrent", [] { return std::unique_ptr<Picture>(std::make_unique<RecurrentPicture>()); }};
}

}  // namespace kappaflow
