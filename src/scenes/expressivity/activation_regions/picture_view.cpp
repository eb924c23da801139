#include "scenes/expressivity/activation_regions/picture_view.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::regions {

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {{&view.vertices, "vertices"},
                                                            {&view.polygons, "polygons"},
                                                            {&view.polygonEnds, "polygonEnds"},
                                                            {&view.edges, "edges"},
                                                            {&view.edgeLayer, "edgeLayer"},
                                                            {&view.edgeUnit, "edgeUnit"},
                                                            {&view.area, "area"},
                                                            {&view.firstCut, "firstCut"},
                                                            {&view.pattern, "pattern"},
                                                            {&view.regionsByDepth, "regionsByDepth"},
                                                            {&view.edgesByDepth, "edgesByDepth"},
                                                            {&view.verticesByDepth, "verticesByDepth"},
                                                            {&view.units, "unitsByDepth"},
                                                            {&view.typical, "typicalByDepth"},
                                                            {&view.bound, "boundByDepth"},
                                                            {&view.window, "window"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    const std::pair<const Array**, const char*> more[] = {{&view.states, "states"},
                                                          {&view.output, "output"},
                                                          {&view.vertexOutput, "vertexOutput"},
                                                          {&view.gradient, "gradient"},
                                                          {&view.decision, "decisionBoundary"},
                                                          {&view.path, "path"},
                                                          {&view.breaks, "pathBreaks"},
                                                          {&view.widths, "widths"},
                                                          {&view.weights, "weights"},
                                                          {&view.weightLayer, "weightLayer"},
                                                          {&view.weightTo, "weightTo"},
                                                          {&view.weightFrom, "weightFrom"}};
    for (const auto& [array, name] : more) *array = r.array(name);
    view.layers = view.regionsByDepth->values.size() - 1;
    view.depth = std::clamp(f.state.params.number("depth"), 0.0, static_cast<double>(view.layers));
    const Scalar* certificate = r.scalar("certificate");
    view.certain = !certificate || certificate->value == 1;
    return view.regions() > 0;
}

void fillCache(MeshCache& cache, const PictureFrame& f, const View& view) {
    if (cache.filled && cache.version == f.reportVersion && cache.mesh.ends.size() == view.regions()) return;
    cache = {f.reportVersion, true, region_mesh::meshOf(view.source()), {}};
}

std::optional<std::size_t> regionAt(const MeshCache& cache, const View& view, Vec2 plane) {
    const region_mesh::Source source = view.source();
    return region_mesh::regionAt(cache.mesh, (plane - source.centre()) * (1 / source.half()));
}

bool hasNetwork(const View& view) { return view.widths && view.weights && view.weightTo && view.weightFrom && view.weightLayer; }

Chosen chosenOf(const PictureFrame& f, const View& view) {
    const auto& list = f.state.params.list("chosen");
    const auto entry = [&](std::size_t i, double most) {
        return static_cast<std::size_t>(std::clamp(i < list.size() ? std::round(list[i]) : 0.0, i == 0 ? 1.0 : 0.0, most));
    };
    if (!hasNetwork(view)) return {};
    Chosen chosen;
    chosen.layer = entry(0, static_cast<double>(view.widths->values.size()) - 1);
    chosen.unit = entry(1, view.widths->values[chosen.layer] - 1);
    return chosen;
}

}  // namespace kappaflow::regions
