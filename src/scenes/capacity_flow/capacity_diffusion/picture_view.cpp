#include "scenes/capacity_flow/capacity_diffusion/picture_view.h"

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

std::vector<std::vector<Edge>> flowOf(const Report& report, std::size_t layers) {
    const Array* binSize = report.array("flowBinSize");
    return binSize ? capacity_flow::stackFlow(report, binSize->values) : std::vector<std::vector<Edge>>(layers);
}

}  // namespace kappaflow::diffusion
