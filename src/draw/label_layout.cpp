#include "draw/label_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "draw/stroke.h"

namespace kappaflow {
namespace {

constexpr double kGap = 3;            // between a line and its label
constexpr std::size_t kPoints = 160;  // of a line that are looked at: labels are tens of pixels wide

bool overlap(const Rect& a, const Rect& b) { return a.lo.x < b.hi.x && b.lo.x < a.hi.x && a.lo.y < b.hi.y && b.lo.y < a.hi.y; }
bool within(const Rect& a, const Rect& area) {
    return a.lo.x >= area.lo.x && a.hi.x <= area.hi.x && a.lo.y >= area.lo.y && a.hi.y <= area.hi.y;
}

std::vector<Vec2> thinned(const std::vector<Vec2>& line) {
    if (line.size() <= kPoints) return line;
    std::vector<Vec2> kept;
    for (std::size_t i = 0; i < kPoints; ++i) kept.push_back(line[i * (line.size() - 1) / (kPoints - 1)]);
    return kept;
}

bool crosses(const std::vector<Vec2>& line, const Rect& rect) {
    for (std::size_t i = 1; i < line.size(); ++i) {
        Vec2 a = line[i - 1], b = line[i];
        if (std::max(a.x, b.x) < rect.lo.x || std::min(a.x, b.x) > rect.hi.x) continue;
        if (clipSegment(a, b, rect)) return true;
    }
    return false;
}

/// Extent of the line over [left, right], so that a label there clears it.
std::optional<std::pair<double, double>> heights(const std::vector<Vec2>& line, double left, double right) {
    double top = std::numeric_limits<double>::infinity(), bottom = -top;
    constexpr double kFar = 1e7;
    for (std::size_t i = 1; i < line.size(); ++i) {
        Vec2 a = line[i - 1], b = line[i];
        if (!clipSegment(a, b, {{left, -kFar}, {right, kFar}})) continue;
        top = std::min({top, a.y, b.y}), bottom = std::max({bottom, a.y, b.y});
    }
    if (line.size() == 1 && line[0].x >= left && line[0].x <= right) top = bottom = line[0].y;
    if (top > bottom) return std::nullopt;
    return std::pair{top, bottom};
}

struct Scene {
    const Rect& area;
    const std::vector<std::vector<Vec2>>& lines;
    std::vector<Rect> taken;

    bool isFree(const Rect& rect) const {
        return within(rect, area) && std::none_of(taken.begin(), taken.end(), [&](const Rect& other) { return overlap(rect, other); });
    }
    double crossings(const Rect& rect) const {
        return static_cast<double>(std::count_if(lines.begin(), lines.end(), [&](const auto& line) { return crosses(line, rect); }));
    }
};

std::optional<Rect> besideLine(const Scene& scene, const LabelWish& wish, const std::vector<Vec2>& line) {
    if (line.empty() || wish.size.x > scene.area.width()) return std::nullopt;
    const auto [first, last] = std::minmax_element(line.begin(), line.end(), [](Vec2 a, Vec2 b) { return a.x < b.x; });
    const double begin = first->x, end = last->x;
    std::optional<Rect> best;
    double least = std::numeric_limits<double>::infinity();
    constexpr int kPlaces = 12;
    for (int i = 0; i < kPlaces; ++i) {
        const double right = std::clamp(end - (end - begin) * i / kPlaces, scene.area.lo.x + wish.size.x, scene.area.hi.x);
        const auto extent = heights(line, right - wish.size.x, right);
        if (!extent) continue;
        // Off a steep stretch a label stands far from most of its line: that costs as well.
        const double distance = 0.15 * i + 0.02 * (extent->second - extent->first);
        for (const bool above : {true, false}) {
            const double top = above ? extent->first - kGap - wish.size.y : extent->second + kGap;
            const Rect rect{{right - wish.size.x, top}, {right, top + wish.size.y}};
            if (!scene.isFree(rect)) continue;
            const double cost = 3 * scene.crossings(rect) + distance + (above ? 0 : 0.1);
            if (cost < least) best = rect, least = cost;
        }
    }
    return best;
}

std::optional<Rect> anywhereAtTheRight(const Scene& scene, Vec2 size) {
    for (double top = scene.area.lo.y; top + size.y <= scene.area.hi.y; top += 2) {
        const Rect rect{{scene.area.hi.x - size.x, top}, {scene.area.hi.x, top + size.y}};
        if (scene.isFree(rect)) return rect;
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::optional<Rect>> placeLabels(const Rect& area, std::span<const LabelWish> wishes, std::span<const std::vector<Vec2>> lines,
                                             std::span<const Rect> occupied) {
    std::vector<std::vector<Vec2>> thin;
    for (const auto& line : lines) thin.push_back(thinned(line));
    Scene scene{area, thin, {occupied.begin(), occupied.end()}};
    std::vector<std::optional<Rect>> places;
    for (const LabelWish& wish : wishes) {
        auto place = besideLine(scene, wish, thinned(wish.line));
        if (!place) place = anywhereAtTheRight(scene, wish.size);
        if (place) scene.taken.push_back(*place);
        places.push_back(place);
    }
    return places;
}

}  // namespace kappaflow
