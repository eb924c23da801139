#include "scenes/expressivity/picture_curve.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::curve_image {
namespace {

constexpr std::size_t kColors = 64;

/// How a layer's points fill a rectangle: about `centre`, times `scale`.
struct Fit {
    Vec2 centre;
    double scale = 0;
    Vec2 at(const double* p) const { return {(p[0] - centre.x) * scale, (centre.y - p[1]) * scale}; }
};
Fit fitOf(const Array& image, std::size_t layer, Rect rect) {
    const double* row = image.row(layer);
    Vec2 lo{row[0], row[1]}, hi = lo;
    for (std::size_t i = 0; i < image.rowLength(); i += 2) {
        lo = {std::min(lo.x, row[i]), std::min(lo.y, row[i + 1])};
        hi = {std::max(hi.x, row[i]), std::max(hi.y, row[i + 1])};
    }
    const Vec2 size = hi - lo;
    const double most = std::max(size.x / rect.width(), size.y / rect.height());
    return {(lo + hi) * 0.5, most > 1e-12 ? 1 / most : 0};
}

}  // namespace

Color alongColor(const Theme& theme, double share) {
    // The ramp's palest end would be lost on either ground.
    return sample(ColorMap::Viridis, theme.dark ? 0.22 + 0.78 * share : 0.82 * share, theme.dark);
}

std::vector<Vec2> mixedImage(const Array& image, const Between& layers, Rect rect) {
    const double eased = layers.fraction * layers.fraction * (3 - 2 * layers.fraction);
    const Fit from = fitOf(image, layers.below, rect), to = fitOf(image, layers.above, rect);
    std::vector<Vec2> points;
    for (std::size_t i = 0; i < image.rowLength(); i += 2)
        points.push_back(rect.centre() + from.at(image.row(layers.below) + i) * (1 - eased) + to.at(image.row(layers.above) + i) * eased);
    return points;
}

void drawColored(PictureFrame& f, std::string_view id, const std::vector<Vec2>& points, double width) {
    const std::size_t each = std::max<std::size_t>((points.size() + kColors - 2) / kColors, 1);
    for (std::size_t i = 0; i + 1 < points.size(); i += each) {
        const std::size_t end = std::min(i + each, points.size() - 1);
        const double share = (static_cast<double>(i) + 0.5 * static_cast<double>(each)) / static_cast<double>(points.size());
        f.painter.line(id, std::span(points).subspan(i, end - i + 1), {alongColor(f.theme, std::min(share, 1.0)), width});
    }
}

void drawEnds(PictureFrame& f, const std::vector<Vec2>& points) {
    f.painter.marker("image/start", points.front(), 4.5, MarkerShape::Circle, alongColor(f.theme, 0), Stroke{f.theme.ground, 1.5});
    f.painter.marker("image/end", points.back(), 4.5, MarkerShape::Square, alongColor(f.theme, 1), Stroke{f.theme.ground, 1.5});
}

double widthOf(double times) { return std::clamp(2.8 - 0.25 * std::log2(std::max(times, 1.0)), 1.2, 2.8); }

}  // namespace kappaflow::curve_image
