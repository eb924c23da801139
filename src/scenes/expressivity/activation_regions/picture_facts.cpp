// What is known of one region.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions/picture_view.h"

namespace kappaflow::regions {
namespace {

constexpr std::size_t kMostUnitsInWords = 32, kMostLayersInWords = 6;

std::size_t beginOf(const View& view, std::size_t region) {
    return region == 0 ? 0 : static_cast<std::size_t>(view.polygonEnds->values[region - 1]);
}

Vec2 vertexOf(const View& view, std::size_t corner) {
    const double* p = view.vertices->row(static_cast<std::size_t>(view.polygons->values[corner]));
    return {p[0], p[1]};
}

std::string statesOf(const View& view, std::size_t layer, std::size_t region) {
    const std::size_t units = view.unitsOf(layer);
    std::string text;
    for (std::size_t u = 0; u < units && units <= kMostUnitsInWords; ++u) {
        const int state = stateOf(view, layer, u, region);
        if (state < 0) return {};
        text += static_cast<char>('0' + state);
    }
    return text;
}

/// The affine function through three corners that lie well apart.
std::string mapOf(const View& view, std::size_t region) {
    const std::size_t begin = beginOf(view, region), end = static_cast<std::size_t>(view.polygonEnds->values[region]);
    double best = 0, slopeX = 0, slopeY = 0, constant = 0;
    for (std::size_t i = begin + 1; i < end; ++i)
        for (std::size_t j = i + 1; j < end && j < i + 12; ++j) {
            const Vec2 o = vertexOf(view, begin), a = vertexOf(view, i) - o, b = vertexOf(view, j) - o;
            const double area = a.x * b.y - a.y * b.x;
            if (std::abs(area) <= best) continue;
            best = std::abs(area);
            const auto value = [&](std::size_t corner) {
                return view.vertexOutput->values[static_cast<std::size_t>(view.polygons->values[corner])];
            };
            const double c = value(begin), da = value(i) - c, db = value(j) - c;
            slopeX = (da * b.y - db * a.y) / area, slopeY = (db * a.x - da * b.x) / area;
            constant = c - slopeX * o.x - slopeY * o.y;
        }
    const auto term = [](double v, const char* name) { return (v < 0 ? " − " : " + ") + inWords(std::abs(v)) + " *" + name + "*"; };
    return "output " + inWords(constant) + term(slopeX, "x") + term(slopeY, "y");
}

}  // namespace

int stateOf(const View& view, std::size_t layer, std::size_t unit, std::size_t region) {
    if (!view.states || layer < 1 || layer > view.layers) return -1;
    const double packed = view.states->row(layer - 1)[region];
    if (std::isnan(packed)) return -1;
    const double base = view.baseOf(layer);
    return static_cast<int>(std::fmod(std::floor(packed / std::pow(base, static_cast<double>(unit))), base));
}

std::vector<std::string> factsOf(const View& view, std::size_t region) {
    const std::size_t layer = view.layer();
    const double* patterns = view.pattern->row(layer);
    double area = 0;
    for (std::size_t r = 0; r < view.regions(); ++r)
        if (patterns[r] == patterns[region]) area += view.area->values[r];
    std::vector<std::string> lines{"one of " + inWords(view.regionsByDepth->values[layer], 9) + " regions"};
    std::string size = "area " + inWords(area);
    if (view.whole())
        size += ", " + std::to_string(static_cast<std::size_t>(view.polygonEnds->values[region]) - beginOf(view, region)) + " sides";
    lines.push_back(size);
    for (std::size_t l = 1; l <= std::min(layer, kMostLayersInWords); ++l) {
        const std::string states = statesOf(view, l, region);
        if (!states.empty()) lines.push_back("layer " + std::to_string(l) + ": " + states);
    }
    if (view.whole() && view.vertexOutput) lines.push_back(mapOf(view, region));
    return lines;
}

}  // namespace kappaflow::regions
