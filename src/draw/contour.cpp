#include "draw/contour.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace kappaflow {
namespace {

/// The field with a rim of zeros, and the crossings of the level with the edges of its squares.
class Squares {
public:
    Squares(std::size_t rows, std::size_t cols, std::span<const double> values, double level)
        : rows_(rows + 2), cols_(cols + 2), level_(level), padded_(rows_ * cols_, 0.0) {
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < cols; ++c) {
                const double value = values[r * cols + c];
                padded_[(r + 1) * cols_ + c + 1] = std::isnan(value) ? 0 : value;
            }
    }

    std::vector<std::vector<Vec2>> loops() {
        link();
        std::vector<std::vector<Vec2>> found;
        for (std::size_t start = 0; start < next_.size(); ++start) {
            std::vector<Vec2> loop;
            for (std::size_t edge = start; next_[edge] != kNone;) {
                loop.push_back(crossing(edge));
                edge = std::exchange(next_[edge], kNone);
            }
            if (loop.size() > 2) found.push_back(std::move(loop));
        }
        return found;
    }

private:
    static constexpr std::size_t kNone = ~std::size_t{0};
    std::size_t rows_, cols_;
    double level_;
    std::vector<double> padded_;
    std::vector<std::size_t> next_;  ///< from the edge where a line enters a square to the one where it leaves

    double at(std::size_t r, std::size_t c) const { return padded_[r * cols_ + c]; }
    // Edges: 2 · corner to the right of it, 2 · corner + 1 downwards.
    std::size_t across(std::size_t r, std::size_t c) const { return 2 * (r * cols_ + c); }
    std::size_t down(std::size_t r, std::size_t c) const { return across(r, c) + 1; }

    Vec2 crossing(std::size_t edge) const {
        const std::size_t corner = edge / 2, r = corner / cols_, c = corner % cols_;
        const double a = padded_[corner], b = edge % 2 ? at(r + 1, c) : at(r, c + 1), t = (level_ - a) / (b - a);
        const Vec2 p{static_cast<double>(c) - 1 + (edge % 2 ? 0 : t), static_cast<double>(r) - 1 + (edge % 2 ? t : 0)};
        const auto inside = [](double v, std::size_t padded) { return std::clamp(v, -0.5, static_cast<double>(padded) - 2.5); };
        return {inside(p.x, cols_), inside(p.y, rows_)};
    }

    void link() {
        next_.assign(2 * padded_.size(), kNone);
        for (std::size_t r = 0; r + 1 < rows_; ++r)
            for (std::size_t c = 0; c + 1 < cols_; ++c) linkSquare(r, c);
    }

    void linkSquare(std::size_t r, std::size_t c) {
        // Corners and edges clockwise from the top left: edge i lies between corners i and i + 1.
        const double corner[] = {at(r, c), at(r, c + 1), at(r + 1, c + 1), at(r + 1, c)};
        const std::size_t edge[] = {across(r, c), down(r, c + 1), across(r + 1, c), down(r, c)};
        const auto high = [&](int i) { return corner[i & 3] > level_; };
        const bool saddle = high(0) == high(2) && high(1) == high(3) && high(0) != high(1);
        const bool joined = saddle && corner[0] + corner[1] + corner[2] + corner[3] > 4 * level_;
        for (int i = 0; i < 4; ++i) {
            // Clockwise from low to high: here a line goes out, with the high corner on its right.
            if (high(i) || !high(i + 1)) continue;
            int in = i + 1;
            if (joined)
                in = i - 1;  // round the low corner i instead of the high one
            else
                while (high(in + 1)) ++in;
            next_[edge[in & 3]] = edge[i];
        }
    }
};

}  // namespace

double levelHolding(std::span<const double> values, double share) {
    std::vector<double> sorted;
    sorted.reserve(values.size());
    for (const double value : values)
        if (value > 0) sorted.push_back(value);
    const double wanted = share * std::accumulate(sorted.begin(), sorted.end(), 0.0);
    if (!(wanted > 0)) return std::numeric_limits<double>::quiet_NaN();
    // The largest values hold the share: they are sorted a part at a time, as many again as before.
    const std::size_t count = sorted.size();
    std::size_t ordered = 0;
    const auto largest = [&](std::size_t i) {
        if (i >= ordered) {
            const std::size_t more = std::min(std::max<std::size_t>(64, 2 * ordered), count);
            const auto from = sorted.end() - static_cast<std::ptrdiff_t>(more), to = sorted.end() - static_cast<std::ptrdiff_t>(ordered);
            std::nth_element(sorted.begin(), from, to);
            std::sort(from, to);
            ordered = more;
        }
        return sorted[count - 1 - i];
    };
    double above = 0, heldBefore = 0, levelBefore = largest(0);
    for (std::size_t i = 0; i < count;) {
        const double level = largest(i);
        double sum = 0;
        while (i < count && largest(i) >= level * (1 - 1e-9)) sum += largest(i++);
        const double held = above + 0.5 * sum;
        if (held >= wanted) return levelBefore + (level - levelBefore) * (wanted - heldBefore) / (held - heldBefore);
        levelBefore = level, heldBefore = held;
        above += sum;
    }
    return levelBefore * (above - wanted) / (above - heldBefore);
}

std::vector<std::vector<Vec2>> contourLoops(std::size_t rows, std::size_t cols, std::span<const double> values, double level) {
    if (rows == 0 || cols == 0 || values.size() / cols < rows || !(level > 0)) return {};
    return Squares(rows, cols, values, level).loops();
}

double loopArea(std::span<const Vec2> loop) {
    double twice = 0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
        const Vec2 a = loop[i], b = loop[(i + 1) % loop.size()];
        twice += a.x * b.y - b.x * a.y;
    }
    return 0.5 * twice;
}

std::vector<Vec2> convexHull(std::vector<Vec2> points) {
    std::sort(points.begin(), points.end(), [](Vec2 a, Vec2 b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() < 3) return points;
    const auto turnsLeft = [](Vec2 a, Vec2 b, Vec2 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) <= 0; };
    std::vector<Vec2> hull;
    const auto chain = [&](auto begin, auto end) {
        const std::size_t base = hull.size();
        for (auto p = begin; p != end; ++p) {
            while (hull.size() >= base + 2 && turnsLeft(hull[hull.size() - 2], hull.back(), *p)) hull.pop_back();
            hull.push_back(*p);
        }
        hull.pop_back();
    };
    chain(points.begin(), points.end());
    chain(points.rbegin(), points.rend());
    return hull;
}

}  // namespace kappaflow
