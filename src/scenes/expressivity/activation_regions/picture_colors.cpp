// What the regions are filled by.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions/picture_view.h"

namespace kappaflow::regions {
namespace {

/// A value on a colour map, softened so that lines stay visible on it.
struct Tint {
    ColorMap map;
    double lo, hi;
    Tint(const Array& values, ColorMap m) : map(m), lo(0), hi(1e-300) {
        for (const double v : values.values) lo = std::min(lo, v), hi = std::max(hi, v);
    }
    Color at(double value, const Theme& theme) const {
        return mix(sample(map, mapPosition(map, value, lo, hi, false), theme.dark), theme.ground, map == ColorMap::Diverging ? 0.25 : 0.15);
    }
};

Color firstCutColor(const PictureFrame& f, const View& view, std::size_t region, std::size_t layer) {
    const double cut = view.firstCut->values[region];
    return cut < 1 || cut > static_cast<double>(layer) ? region_mesh::plainColor(f.theme)
                                                       : mix(f.theme.ground, layerColor(f.theme, static_cast<std::size_t>(cut)), 0.45);
}

std::string modeOf(const PictureFrame& f, const View& view) {
    const std::string& mode = f.state.params.text("colour");
    const bool missing = (mode == "output" && !view.vertexOutput) || (mode == "gradient" && !view.gradient);
    return missing ? "pattern" : mode;
}

std::vector<Color> colorsAt(const PictureFrame& f, const View& view, const std::string& mode, std::size_t layer) {
    std::vector<Color> colors;
    if (mode == "output") {
        const Tint scale(*view.vertexOutput, ColorMap::Diverging);
        colors.reserve(view.vertexOutput->values.size());
        for (const double v : view.vertexOutput->values) colors.push_back(scale.at(v, f.theme));
        return colors;
    }
    colors.reserve(view.regions());
    if (mode == "gradient") {
        const Tint scale(*view.gradient, ColorMap::Capacity);
        for (const double v : view.gradient->values) colors.push_back(scale.at(v, f.theme));
    }
    for (std::size_t r = colors.size(); r < view.regions(); ++r)
        colors.push_back(mode == "layer" ? firstCutColor(f, view, r, layer)
                                         : region_mesh::patternColor(*view.pattern, r, layer, f.theme.dark));
    return colors;
}

}  // namespace

bool isShaded(const PictureFrame& f, const View& view) { return modeOf(f, view) == "output"; }

const std::vector<Color>& fillColors(MeshCache& cache, const PictureFrame& f, const View& view) {
    const std::string mode = modeOf(f, view);
    return cache.fills.at(between(view.depth, view.layers), mode, f.theme.dark,
                          [&](std::size_t layer) { return colorsAt(f, view, mode, layer); });
}

}  // namespace kappaflow::regions
