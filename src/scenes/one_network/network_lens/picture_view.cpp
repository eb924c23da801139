#include "scenes/one_network/network_lens/picture_view.h"

#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "scenes/moments/picture_step.h"

namespace kappaflow::lens {

namespace {

/// Places of the states before an edit among those after it.
std::vector<double> placesOf(const View& view) {
    const Array *before = view.array("stateBefore"), *total = view.array("total");
    std::vector<double> places;
    if (!before) return places;
    std::size_t count = total ? total->values.size() : 1;
    for (const double state : before->values)
        if (std::isfinite(state)) count = std::max(count, static_cast<std::size_t>(state) + 1);
    places.assign(count, std::nan(""));
    for (std::size_t l = 0; l < before->values.size(); ++l)
        if (std::isfinite(before->values[l])) places[static_cast<std::size_t>(before->values[l])] = static_cast<double>(l);
    for (std::size_t b = 0; b < count; ++b) {
        if (std::isfinite(places[b])) continue;
        const auto next =
            std::find_if(places.begin() + static_cast<std::ptrdiff_t>(b), places.end(), [](double x) { return std::isfinite(x); });
        const double low = b > 0 ? places[b - 1] : 0;
        places[b] = next == places.end() ? low : (low + *next) / 2;
    }
    return places;
}

}  // namespace

const char* keyOf(Lens lens) {
    constexpr const char* kKeys[] = {"capacity", "regions", "trajectory", "sensitivity"};
    return kKeys[static_cast<std::size_t>(lens)];
}

const char* nameOf(Lens lens) {
    constexpr const char* kNames[] = {"Capacity", "Regions", "Trajectory", "Sensitivity"};
    return kNames[static_cast<std::size_t>(lens)];
}

std::string View::layerName(std::size_t layer) const {
    return layer == 0 ? "input" : layer == layers ? "output" : "layer " + std::to_string(layer);
}

double View::scalar(const char* name) const {
    const Scalar* found = report->scalar(name);
    return found ? found->value : std::nan("");
}

double View::placeAfter(double state) const {
    if (places.empty()) return state;
    const double last = static_cast<double>(places.size()) - 1, at = std::clamp(state, 0.0, last);
    const auto b = static_cast<std::size_t>(at);
    return b + 1 < places.size() ? places[b] + (at - static_cast<double>(b)) * (places[b + 1] - places[b]) : places[b];
}

double View::placeBefore(double state) const {
    if (places.empty()) return state;
    for (std::size_t b = 1; b < places.size(); ++b)
        if (state < places[b])
            return static_cast<double>(b) - 1 + std::clamp((state - places[b - 1]) / (places[b] - places[b - 1]), 0.0, 1.0);
    return static_cast<double>(places.size()) - 1;
}

std::optional<std::size_t> View::before(std::size_t state) const {
    if (!everywhere) return state;
    const auto found = std::find(places.begin(), places.end(), static_cast<double>(state));
    return found == places.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - places.begin()));
}

double View::depthAt(double state) const {
    const Array* states = array("stateOfDepth");
    if (!states) return 0;
    const auto& at = states->values;
    for (std::size_t d = 1; d < at.size(); ++d)
        if (state < at[d])
            return static_cast<double>(d) - 1 + std::clamp((state - at[d - 1]) / std::max(at[d] - at[d - 1], 1e-9), 0.0, 1.0);
    return static_cast<double>(at.size()) - 1;
}

std::size_t View::depthOf(std::size_t state) const {
    const Array* states = array("stateOfDepth");
    std::size_t last = 0;
    for (std::size_t d = 1; states && d < states->values.size(); ++d)
        if (states->values[d] == static_cast<double>(state)) last = d;
    return last;
}

std::string View::depthName(std::size_t depth) const {
    const Array *states = array("stateOfDepth"), *inside = array("insideOfDepth");
    if (depth == 0) return "window";
    if (!states || !inside) return "layer " + std::to_string(depth);
    const double state = states->values[depth], place = inside->values[depth];
    const std::string name = layerName(static_cast<std::size_t>(state));
    if (place == 0) return name;
    if (place < 0) return name + ", sum";
    const bool several =
        place > 1 || (depth + 1 < states->values.size() && states->values[depth + 1] == state && inside->values[depth + 1] > 1);
    return name + ", inner" + (several ? " " + std::to_string(static_cast<int>(place)) : "");
}

bool readView(const PictureFrame& f, View& view) {
    view.report = &f.report;
    const Array* units = f.report.array("units");
    if (!units || units->values.size() < 2) return false;
    view.units.assign(units->values.begin(), units->values.end());
    view.layers = view.units.size() - 1;
    view.at = std::clamp(f.state.params.number("at"), 0.0, static_cast<double>(view.layers));
    view.places = placesOf(view);
    view.everywhere = !view.places.empty() && f.report.params.flag("editAll");
    view.training = f.report.array("loss") != nullptr;
    return true;
}

std::optional<region_mesh::Source> sourceOf(const View& view) {
    const region_mesh::Source source{view.array("vertices"),       view.array("polygons"),  view.array("polygonEnds"),
                                     view.array("edges"),          view.array("edgeLayer"), view.array("pattern"),
                                     view.array("regionsByDepth"), view.array("window"),    view.array("decisionBoundary")};
    for (const Array* array : {source.vertices, source.polygons, source.polygonEnds, source.edges, source.edgeLayer, source.pattern,
                               source.regionsByDepth, source.window})
        if (!array) return std::nullopt;
    return source.regions() > 0 ? std::optional(source) : std::nullopt;
}

void fillCache(Cache& cache, const PictureFrame& f, const View& view) {
    if (cache.filled && cache.version == f.reportVersion) return;
    cache = {};
    cache.version = f.reportVersion;
    cache.filled = true;
    if (const auto source = sourceOf(view)) {
        cache.mesh = region_mesh::meshOf(*source);
        cache.hasMesh = true;
    }
    const double bin = view.scalar("flowBin");
    if (!(bin >= 1) || !view.places.empty()) return;
    std::vector<double> bins;
    for (const std::size_t units : view.units) bins.push_back(std::min(bin, static_cast<double>(units)));
    cache.flow = capacity_flow::stackFlow(f.report, bins);
}

std::optional<Vec2> Scene::over(const Rect& rect) const {
    const Pointer p = f.handles.freePointer();
    return p.inside && !p.down && !f.kept && rect.contains(p.at) ? std::optional(p.at) : std::nullopt;
}

AxisSpec layerAxis(const View& view) { return {.label = "layer *l*", .lo = 0, .hi = static_cast<double>(view.layers), .whole = true}; }

void moveLayer(PictureFrame& f, const View& view, double to) {
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", std::clamp(to, 0.0, static_cast<double>(view.layers))));
}

void drawLayerMark(Scene& s, Plot& plot, const std::string& id) {
    const double x = plot.toScreen(s.view.at, 1).x;
    const Rect inner = plot.inner();
    s.scales.push_back({inner, plot.toScreen(0, 1).x, plot.toScreen(static_cast<double>(s.view.layers), 1).x, true});
    if (x < inner.lo.x - 0.5 || x > inner.hi.x + 0.5) return;
    random_nets::offerStep(s.f, plot,
                           {id, "layer " + id, s.view.layerName(s.view.layer()), s.view.at, 0, static_cast<double>(s.view.layers)});
}

}  // namespace kappaflow::lens
