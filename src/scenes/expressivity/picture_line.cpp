#include "scenes/expressivity/picture_line.h"

#include <algorithm>
#include <cmath>

namespace kappaflow {
namespace {

constexpr double kMouseReach = 9, kFingerReach = 20;

double distance(Vec2 a, Vec2 b) { return std::hypot(b.x - a.x, b.y - a.y); }

/// A place on the line: behind corner `after`, a share of the way to the next.
struct Place {
    std::size_t after = 0;
    double share = 0, away = 1e300;
};

Place nearestPlace(std::span<const Vec2> line, Vec2 to) {
    Place best;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        const Vec2 along = line[i + 1] - line[i], from = to - line[i];
        const double square = along.x * along.x + along.y * along.y;
        const double share = square > 0 ? std::clamp((from.x * along.x + from.y * along.y) / square, 0.0, 1.0) : 0;
        const double away = distance(line[i] + along * share, to);
        if (away < best.away) best = {i, share, away};
    }
    return best;
}

std::size_t longestStretch(const std::vector<double>& list) {
    std::size_t longest = 0;
    double most = 0;
    for (std::size_t i = 0; i + 3 < list.size(); i += 2) {
        const double length = std::hypot(list[i + 2] - list[i], list[i + 3] - list[i + 1]);
        if (length > most) most = length, longest = i / 2;
    }
    return longest;
}

void addCorner(std::vector<double>& list, const Place& at, double perUnit) {
    const double* from = list.data() + 2 * at.after;
    double corner[2];
    for (int k = 0; k < 2; ++k) corner[k] = std::round((from[k] + at.share * (from[k + 2] - from[k])) * perUnit) / perUnit;
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(2 * at.after + 2), corner, corner + 2);
}

}  // namespace

bool offerCornerChanges(PictureFrame& f, const char* key, std::span<const Vec2> screen, double perUnit) {
    const std::size_t corners = screen.size(), most = static_cast<std::size_t>(findDeclaration(f.state.scene)->param(key)->maxLength) / 2;
    if (corners < 2) return false;
    const std::vector<double>& before = f.state.params.list(key);
    std::vector<double> list(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(2 * corners));
    const auto count = static_cast<double>(corners);
    const auto grip = f.handles.offer({std::string(key) + "Corners",
                                       "corners of the line",
                                       std::to_string(corners),
                                       count,
                                       2,
                                       static_cast<double>(most),
                                       1,
                                       {screen[0], screen[0]}},
                                      [&](Vec2) { return count; });
    const auto wanted = 2 * static_cast<std::size_t>(grip.value);
    while (list.size() < wanted) addCorner(list, {longestStretch(list), 0.5}, perUnit);
    list.resize(std::min(list.size(), wanted));

    const Pointer& p = f.handles.pointer();
    bool meant = false;
    if (p.inside && p.doubleClicked) {
        const double reach = p.touch ? kFingerReach : kMouseReach;
        std::size_t corner = 0;
        for (std::size_t i = 1; i < corners; ++i)
            if (distance(screen[i], p.at) < distance(screen[corner], p.at)) corner = i;
        const Place place = nearestPlace(screen, p.at);
        meant = place.away <= reach;
        if (distance(screen[corner], p.at) <= reach + 4) {
            const auto at = list.begin() + static_cast<std::ptrdiff_t>(2 * corner);
            if (corners > 2) list.erase(at, at + 2);
            meant = true;
        } else if (meant && corners < most) {
            addCorner(list, place, perUnit);
        }
    }
    // The knobs have other numbers now: none of them is held.
    if (meant) f.handles.letGo();
    if (list.size() != 2 * corners) f.changes.push_back(Change::param(key, std::move(list)));
    return meant;
}

}  // namespace kappaflow
