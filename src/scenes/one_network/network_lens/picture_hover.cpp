// What the pointer is over in one panel, shown in all that know it: a layer, a place on the curve, a region with its stretch of the curve.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/one_network/network_lens/picture_view.h"

namespace kappaflow::lens {
namespace {

constexpr double kNear = 9;  ///< pixels

/// Point of a curve on the screen at a place between its own.
std::optional<Vec2> pointAt(const CurveOnScreen& curve, double place) {
    const auto& places = curve.places;
    if (places.empty() || place < places.front() - 1e-9 || place > places.back() + 1e-9) return std::nullopt;
    const auto above = static_cast<std::size_t>(std::lower_bound(places.begin(), places.end(), place) - places.begin());
    const std::size_t j = std::min(above, places.size() - 1), i = j > 0 ? j - 1 : 0;
    const double width = places[j] - places[i], t = width > 0 ? std::clamp((place - places[i]) / width, 0.0, 1.0) : 1;
    return curve.points[i] + (curve.points[j] - curve.points[i]) * t;
}

/// Place on a curve's line under the pointer, when one is near.
std::optional<double> placeUnder(const CurveOnScreen& curve, Vec2 p) {
    std::optional<double> best;
    double nearest = kNear;
    for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
        const Vec2 a = curve.points[i], along = curve.points[i + 1] - a;
        const double length = dot(along, along), t = length > 0 ? std::clamp(dot(p - a, along) / length, 0.0, 1.0) : 0;
        const Vec2 away = p - (a + along * t);
        if (std::hypot(away.x, away.y) >= nearest) continue;
        nearest = std::hypot(away.x, away.y);
        best = curve.places[i] + t * (curve.places[i + 1] - curve.places[i]);
    }
    return best;
}

std::optional<double> hoveredPlace(const Scene& s) {
    for (const CurveOnScreen& curve : s.curves)
        if (const auto p = s.over(curve.clip))
            if (const auto place = placeUnder(curve, *p)) return place;
    return std::nullopt;
}

void drawPlace(Scene& s, double place) {
    for (const CurveOnScreen& curve : s.curves) {
        const auto at = pointAt(curve, place);
        if (at && curve.clip.contains(*at))
            s.painter().marker("hover/place", *at, 6, MarkerShape::Circle, s.theme().accent, Stroke{s.theme().ground, 2});
    }
}

/// The final regions that make up one region of a layer.
struct Union {
    const region_mesh::Mesh& mesh;
    std::vector<std::size_t> parts;
    std::size_t last = 0;  ///< where the point before was found: neighbours are asked for in turn
    bool contains(Vec2 p) {
        if (parts.empty()) return false;
        if (region_mesh::holds(mesh, parts[last], p)) return true;
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (region_mesh::holds(mesh, parts[i], p)) return last = i, true;
        return false;
    }
};

/// The stretches of the image that lie in the region under the pointer.
void drawStretch(Scene& s, const region_mesh::Source& source, std::size_t layer, std::size_t region) {
    if (s.curves.size() < 2) return;
    const CurveOnScreen &onSlice = s.curves[0], &image = s.curves[1];
    const double* patterns = source.pattern->row(layer);
    Union all{s.cache.mesh, {}};
    for (std::size_t r = 0; r < source.regions(); ++r)
        if (patterns[r] == patterns[region]) all.parts.push_back(r);
    // A frame has no time for more; so many parts are a region of an early layer, which holds most of the curve.
    if (static_cast<double>(all.parts.size()) * static_cast<double>(image.points.size()) > 2e6) return;
    std::vector<Vec2> run;
    for (std::size_t i = 0; i <= image.points.size(); ++i) {
        const auto at = i < image.points.size() ? pointAt(onSlice, image.places[i]) : std::nullopt;
        if (at && all.contains((s.stage->toPlane(*at) - source.centre()) * (1 / source.half()))) {
            run.push_back(image.points[i]);
            continue;
        }
        if (run.size() > 1) s.painter().line("hover/stretch", run, {s.theme().accent, 5}, false);
        run.clear();
    }
}

void hoverRegion(Scene& s) {
    const auto source = s.cache.hasMesh ? sourceOf(s.view) : std::nullopt;
    if (!source || !s.stage) return;
    const auto p = s.over(s.stage->square);
    if (!p) return;
    const region_mesh::Seen seen{s.cache.mesh, s.stage->placeOf(source->centre(), source->half()), s.view.depthAt(s.view.at),
                                 s.f.reportVersion};
    const auto region = region_mesh::regionAt(s.cache.mesh, (s.stage->toPlane(*p) - source->centre()) * (1 / source->half()));
    if (!region) return;
    const std::size_t depth = std::min(static_cast<std::size_t>(seen.depth + 0.5), source->layers());
    s.painter().pushClip(s.stage->square);
    region_mesh::drawMarked(s.f, seen, *source->pattern, depth, *region);
    s.painter().popClip();
    drawStretch(s, *source, depth, *region);
    s.tip = {"one of " + inWords(source->regionsByDepth->values[depth], 9) + " regions"};
    if (const Array* output = s.view.array("output"); output && *region < output->values.size())
        s.tip.push_back("output " + numberText(output->values[*region], 3) + " in its middle");
}

/// The state under the pointer as a fine line in all other panels over states.
void hoverLayer(Scene& s) {
    const double layers = static_cast<double>(s.view.layers);
    for (const LayerScale& scale : s.scales) {
        const auto p = s.over(scale.rect);
        const double step = (scale.last - scale.first) / std::max(layers, 1.0);
        if (!p || step <= 0) continue;
        const double layer = std::clamp(std::round((p->x - scale.first) / step), 0.0, layers);
        for (const LayerScale& other : s.scales) {
            const double x = s.painter().crisp(other.first + (other.last - other.first) * layer / std::max(layers, 1.0));
            if ((other.plotted && &other == &scale) || x < other.rect.lo.x - 1 || x > other.rect.hi.x + 1) continue;
            s.painter().line("hover/layer", Vec2{x, other.rect.lo.y}, Vec2{x, other.rect.hi.y}, {s.theme().text.withAlpha(0.45f), 1});
        }
        if (!scale.plotted && s.tip.empty()) {
            const auto l = static_cast<std::size_t>(layer);
            s.tip = {s.view.layerName(l) + ": " + inWords(static_cast<double>(s.view.units[l]), 7) +
                     (s.view.units[l] == 1 ? " unit" : " units")};
            if (const Array* parameters = s.view.array("parameters"); parameters && l > 0 && std::isfinite(parameters->values[l]))
                s.tip.push_back(inWords(parameters->values[l], 9) + " parameters");
        }
        return;
    }
}

}  // namespace

void drawHover(Scene& s) {
    if (const auto place = hoveredPlace(s)) {
        drawPlace(s, *place);
        s.tip = {inWords(100 * *place, 3) + " % of the way from A to B"};
    } else {
        hoverRegion(s);
    }
    hoverLayer(s);
    if (!s.tip.empty() && !s.f.kept) tooltip(s.f, s.f.handles.pointer().at, s.tip);
}

}  // namespace kappaflow::lens
