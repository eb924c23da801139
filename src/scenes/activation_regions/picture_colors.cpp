// What the regions are filled by.
#include <algorithm>
#include <cmath>

#include "scenes/activation_regions/picture_view.h"

namespace kappaflow::regions {
namespace {

/// Soft colours on a grid of hue, chroma and lightness: few enough to be made once, and for a figure to write each once.
struct Palette {
    static constexpr std::size_t kHues = 48, kChromas = 5, kLightnesses = 4;
    std::vector<Color> colors;
    explicit Palette(bool dark) {
        for (std::size_t h = 0; h < kHues; ++h)
            for (std::size_t c = 0; c < kChromas; ++c)
                for (std::size_t l = 0; l < kLightnesses; ++l) {
                    const double lightness = dark ? 24 + 5.5 * static_cast<double>(l) : 80 + 4.2 * static_cast<double>(l);
                    const double chroma = (dark ? 5.5 : 7.5) * static_cast<double>(c);
                    colors.push_back(fromLch(lightness, chroma, 360.0 * static_cast<double>(h) / kHues));
                }
    }
    Color at(double hue, double chroma, double lightness) const {
        const auto index = [](double share, std::size_t count) {
            return static_cast<std::size_t>(std::clamp(share * static_cast<double>(count - 1) + 0.5, 0.0, static_cast<double>(count - 1)));
        };
        const auto h = static_cast<std::size_t>((hue - std::floor(hue)) * kHues) % kHues;
        return colors[(h * kChromas + index(chroma, kChromas)) * kLightnesses + index(lightness, kLightnesses)];
    }
};

const Palette& palette(bool dark) {
    static const Palette light(false), night(true);
    return dark ? night : light;
}

/// Unit vectors of the 4096 directions that a pattern's number may choose.
const std::vector<Vec2>& directions() {
    static const std::vector<Vec2> all = [] {
        std::vector<Vec2> made;
        for (int i = 0; i < 4096; ++i) made.push_back({std::cos(6.283185307 * i / 4096), std::sin(6.283185307 * i / 4096)});
        return made;
    }();
    return all;
}

/// A cell keeps to the colour of the cell it was cut from, the less the later it was cut: neighbours across an early line differ most.
Color patternColor(const View& view, std::size_t region, std::size_t layer, bool dark) {
    const std::vector<Vec2>& turns = directions();
    Vec2 all;
    double lightness = 0.5, weight = 1, sum = 0;
    for (std::size_t d = 1; d <= layer; ++d, weight *= 0.72) {
        // By bits: a remainder of so large a number takes longer than all the rest.
        const auto hash = static_cast<std::uint64_t>(view.pattern->values[d * view.regions() + region]);
        all = all + turns[hash & 4095] * weight;
        lightness += 0.8 * weight * (static_cast<double>(hash >> 12 & 1023) / 1023 - 0.5);
        sum += weight * weight;
    }
    const double size = std::hypot(all.x, all.y) / std::sqrt(std::max(sum, 1.0));
    return palette(dark).at(std::atan2(all.y, all.x) / 6.283185307, layer == 0 ? 0 : 0.35 + 0.65 * std::min(size, 1.0), lightness);
}

Color plain(const Theme& theme) { return palette(theme.dark).at(0, 0, 0.5); }

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
    return cut < 1 || cut > static_cast<double>(layer) ? plain(f.theme)
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
        colors.push_back(mode == "layer" ? firstCutColor(f, view, r, layer) : patternColor(view, r, layer, f.theme.dark));
    return colors;
}

const std::vector<Color>& fillAt(MeshCache& cache, const PictureFrame& f, const View& view, std::size_t layer) {
    const std::string mode = modeOf(f, view);
    // Two neighbouring layers are asked for in turn: each has a place of its own.
    MeshCache::Fill& fill = cache.fills[layer % 2];
    if (fill.colors.empty() || fill.mode != mode || fill.layer != layer || fill.dark != f.theme.dark)
        fill = {mode, layer, f.theme.dark, colorsAt(f, view, mode, layer)};
    return fill.colors;
}

}  // namespace

bool isShaded(const PictureFrame& f, const View& view) { return modeOf(f, view) == "output"; }

const std::vector<Color>& fillColors(MeshCache& cache, const PictureFrame& f, const View& view) {
    const Between b = between(view.depth, view.layers);
    const auto& below = fillAt(cache, f, view, b.below);
    if (b.fraction == 0) return below;
    const auto& above = fillAt(cache, f, view, b.above);
    cache.mixed.resize(below.size());
    for (std::size_t i = 0; i < below.size(); ++i) cache.mixed[i] = mix(below[i], above[i], b.fraction);
    return cache.mixed;
}

Color layerColor(const Theme& theme, std::size_t layer) {
    if (layer == 0) return theme.line;
    // The first layer in ink, as the survey draws it; the others in the colours of series.
    return layer == 1 ? mix(theme.ground, theme.text, 0.72) : theme.series[(layer - 2) % theme.series.size()];
}

}  // namespace kappaflow::regions
