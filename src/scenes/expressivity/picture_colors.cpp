// What the regions are filled by, and the colours of their lines.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/picture_mesh.h"

namespace kappaflow::region_mesh {
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

}  // namespace

/// Neighbours across an early line differ most.
Color patternColor(const Array& pattern, std::size_t region, std::size_t layer, bool dark) {
    const std::vector<Vec2>& turns = directions();
    const std::size_t regions = pattern.rowLength();
    Vec2 all;
    double lightness = 0.5, weight = 1, sum = 0;
    for (std::size_t d = 1; d <= layer; ++d, weight *= 0.72) {
        // By bits: a remainder of so large a number takes longer than all the rest.
        const auto hash = static_cast<std::uint64_t>(pattern.values[d * regions + region]);
        all = all + turns[hash & 4095] * weight;
        lightness += 0.8 * weight * (static_cast<double>(hash >> 12 & 1023) / 1023 - 0.5);
        sum += weight * weight;
    }
    const double size = std::hypot(all.x, all.y) / std::sqrt(std::max(sum, 1.0));
    return palette(dark).at(std::atan2(all.y, all.x) / 6.283185307, layer == 0 ? 0 : 0.35 + 0.65 * std::min(size, 1.0), lightness);
}

std::vector<Color> patternColors(const Array& pattern, std::size_t layer, bool dark) {
    std::vector<Color> colors;
    colors.reserve(pattern.rowLength());
    for (std::size_t r = 0; r < pattern.rowLength(); ++r) colors.push_back(patternColor(pattern, r, layer, dark));
    return colors;
}

const std::vector<Color>& Fills::mixed(const std::vector<Color>& below, const std::vector<Color>& above, double fraction) {
    mixed_.resize(below.size());
    for (std::size_t i = 0; i < below.size(); ++i) mixed_[i] = mix(below[i], above[i], fraction);
    return mixed_;
}

Color plainColor(const Theme& theme) { return palette(theme.dark).at(0, 0, 0.5); }

Color layerColor(const Theme& theme, std::size_t layer) {
    if (layer == 0) return theme.line;
    // The first layer in ink, as the survey draws it; the others in the colours of series.
    return layer == 1 ? mix(theme.ground, theme.text, 0.72) : theme.series[(layer - 2) % theme.series.size()];
}

}  // namespace kappaflow::region_mesh
