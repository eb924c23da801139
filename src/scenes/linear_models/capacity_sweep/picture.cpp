// Capacity, weights and loss against channels (P2 Figs 4, 10): what a random start reaches beside the optimum.
#include <algorithm>
#include <cmath>

#include "scenes/linear_models/capacity_sweep/picture_view.h"

namespace kappaflow {

namespace capacity_sweep {
namespace {

std::size_t nearestTo(const std::vector<double>& channels, double c) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < channels.size(); ++i)
        if (std::abs(std::log(channels[i] / c)) < std::abs(std::log(channels[nearest] / c))) nearest = i;
    return nearest;
}

}  // namespace

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
    const std::pair<const Array**, const char*> needed[] = {{&view.capacity, "totalCapacity"},       {&view.rank, "numericalRank"},
                                                            {&view.parameters, "parameters"},        {&view.loss, "loss"},
                                                            {&view.optimal, "lossOptimal"},          {&view.converged, "converged"},
                                                            {&view.optimality, "optimalityOptimal"}, {&view.descent, "descent"}};
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

double shownLoss(const View& view, double loss) { return std::isnan(loss) ? loss : std::max(loss, view.rounding); }

namespace {

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
