#include "scenes/capacity_diffusion/picture_view.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kappaflow::diffusion {

std::size_t View::widest() const { return *std::max_element(widths.begin(), widths.end()); }

View readView(const PictureFrame& f) {
    View view;
    const Report& report = f.report;
    view.capacity = report.array("capacity");
    if (!view.capacity || view.capacity->axes.size() < 2 || view.capacity->values.empty()) return {};
    view.gaussian = report.array("gaussian");
    view.gradient = report.array("gradient");
    view.variance = report.array("variance");
    view.total = report.array("total");
    view.centres = report.array("centres");
    view.wander = report.array("centreWanderByLayer");
    view.within = report.array("deviationWithin");
    // Networks of one fixed kernel are all alike.
    if (!view.wander || !view.within || !(largest(view.wander->values, 0) > 0)) view.centres = nullptr;
    view.unattributed = report.array("unattributed");
    view.layers = view.capacity->axes[0].size() - 1;
    for (std::size_t l = 0; l <= view.layers; ++l) view.widths.push_back(std::max<std::size_t>(definedRow(*view.capacity, l).size(), 1));
    view.evenWidths = std::all_of(view.widths.begin(), view.widths.end(), [&](std::size_t w) { return w == view.widths[0]; });
    view.ordered = view.variance != nullptr;
    view.at = std::clamp(f.state.params.number("at"), 0.0, static_cast<double>(view.layers));
    view.largestCapacity = 1e-12;
    for (double value : view.capacity->values)
        if (value > view.largestCapacity) view.largestCapacity = value;
    return view;
}

std::vector<std::vector<Edge>> stackFlow(const Report& report, std::size_t layers) {
    const Array *from = report.array("flowFrom"), *to = report.array("flowTo"), *amount = report.array("flowAmount"),
                *offsets = report.array("flowOffsets");
    std::vector<std::vector<Edge>> flow(layers);
    const Array* binSize = report.array("flowBinSize");
    if (!from || !to || !amount || !offsets || !binSize || offsets->values.size() < layers + 1) return flow;
    const auto middle = [&](std::size_t layer, double bin) {
        const double size = binSize->values[layer];
        return static_cast<float>(bin * size + (size - 1) / 2);
    };
    for (std::size_t l = 0; l < layers; ++l) {
        const auto begin = static_cast<std::size_t>(offsets->values[l]), end = static_cast<std::size_t>(offsets->values[l + 1]);
        auto& edges = flow[l];
        for (std::size_t e = begin; e < end; ++e)
            edges.push_back({middle(l + 1, from->values[e]), middle(l, to->values[e]), 0, 0, static_cast<float>(amount->values[e])});
        // Side by side in the order of the other end, so that no two edges of a unit cross where they leave it.
        const auto stack = [&](float Edge::*unit, float Edge::*other, float Edge::*place) {
            std::sort(edges.begin(), edges.end(),
                      [&](const Edge& a, const Edge& b) { return a.*unit != b.*unit ? a.*unit < b.*unit : a.*other < b.*other; });
            for (std::size_t i = 0; i < edges.size();) {
                std::size_t j = i;
                float sum = 0;
                for (; j < edges.size() && edges[j].*unit == edges[i].*unit; ++j) {
                    edges[j].*place = sum + edges[j].amount / 2;
                    sum += edges[j].amount;
                }
                for (; i < j; ++i) edges[i].*place -= sum / 2;
            }
        };
        stack(&Edge::to, &Edge::from, &Edge::toAt);
        stack(&Edge::from, &Edge::to, &Edge::fromAt);
    }
    return flow;
}

}  // namespace kappaflow::diffusion
