#include "scenes/activation_regions/picture_view.h"

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
    if (cache.filled && cache.version == f.reportVersion && cache.ends.size() == view.regions()) return;
    cache = {};
    cache.version = f.reportVersion;
    cache.filled = true;
    const Vec2 centre = view.reportCentre();
    const double scale = 1 / view.reportHalf();
    const auto placed = [&](const double* p) { return Vec2{(p[0] - centre.x) * scale, (p[1] - centre.y) * scale}; };
    const auto& vertices = view.vertices->values;
    cache.points.reserve(vertices.size() / 2);
    for (std::size_t v = 0; v + 1 < vertices.size(); v += 2) cache.points.push_back(placed(&vertices[v]));
    cache.corners.assign(view.polygons->values.begin(), view.polygons->values.end());
    cache.ends.assign(view.polygonEnds->values.begin(), view.polygonEnds->values.end());
    cache.edges.resize(view.layers + 1);
    const double* ends = view.edges->values.data();
    for (const double layer : view.edgeLayer->values) {
        auto& of = cache.edges[std::min(static_cast<std::size_t>(layer), view.layers)];
        for (int end = 0; end < 2; ++end) of.push_back(cache.points[static_cast<std::size_t>(*ends++)]);
    }
    for (std::size_t s = 0; view.decision && s < view.decision->axes[0].size(); ++s)
        for (std::size_t end = 0; end < 2; ++end) cache.decisions.push_back(placed(view.decision->row(s) + 2 * end));
}

Stage stageOf(const PictureFrame& f, Rect square) {
    const auto& centre = f.state.params.list("centre");
    return {square, {centre.empty() ? 0 : centre[0], centre.size() < 2 ? 0 : centre[1]}, f.state.params.number("half")};
}

std::optional<std::size_t> regionAt(const MeshCache& cache, const View& view, Vec2 plane) {
    const Vec2 p = (plane - view.reportCentre()) * (1 / view.reportHalf());
    for (std::size_t region = 0, begin = 0; region < cache.ends.size(); begin = cache.ends[region++]) {
        const std::size_t end = cache.ends[region];
        bool inside = end > begin + 2;
        for (std::size_t i = begin; inside && i < end; ++i) {
            const Vec2 a = cache.points[cache.corners[i]], b = cache.points[cache.corners[i + 1 < end ? i + 1 : begin]];
            inside = (b.x - a.x) * (p.y - a.y) >= (b.y - a.y) * (p.x - a.x);
        }
        if (inside) return region;
    }
    return std::nullopt;
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
