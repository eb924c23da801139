#include "scenes/capacity_flow/picture_flow.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::capacity_flow {
namespace {

/// Side by side in the order of the other end, so that no two edges of a unit cross where they leave it.
void stack(std::vector<Edge>& edges, float Edge::*unit, float Edge::*other, float Edge::*place) {
    std::sort(edges.begin(), edges.end(),
              [&](const Edge& a, const Edge& b) { return a.*unit != b.*unit ? a.*unit < b.*unit : a.*other < b.*other; });
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t j = i;
        float sum = 0;
        for (; j < edges.size() && edges[j].*unit == edges[i].*unit; ++j) {
            edges[j].*place = sum + edges[j].amount / 2;
            sum += edges[j].amount;
        }
        for (; i < j; ++i) edges[i].*place -= sum / 2;
    }
}

}  // namespace

double ink(double capacity, double largest, double decades) {
    if (!(capacity > 0)) return 0;
    return std::clamp(1 + std::log10(capacity / largest) / decades, 0.0, 1.0);
}

std::vector<std::vector<Edge>> stackFlow(const std::vector<double>& from, const std::vector<double>& to, const std::vector<double>& amount,
                                         const std::vector<double>& offsets, const std::vector<double>& binSize) {
    std::vector<std::vector<Edge>> flow(binSize.empty() ? 0 : binSize.size() - 1);
    if (offsets.size() < binSize.size()) return flow;
    const auto middle = [&](std::size_t layer, double bin) {
        const double size = binSize[layer];
        return static_cast<float>(bin * size + (size - 1) / 2);
    };
    for (std::size_t l = 0; l < flow.size(); ++l) {
        const auto begin = static_cast<std::size_t>(offsets[l]), end = static_cast<std::size_t>(offsets[l + 1]);
        auto& edges = flow[l];
        for (std::size_t e = begin; e < end; ++e)
            edges.push_back({middle(l + 1, from[e]), middle(l, to[e]), 0, 0, static_cast<float>(amount[e])});
        stack(edges, &Edge::to, &Edge::from, &Edge::toAt);
        stack(edges, &Edge::from, &Edge::to, &Edge::fromAt);
    }
    return flow;
}

Color flowColor(const Theme& theme) { return sample(ColorMap::Capacity, theme.dark ? 0.8 : 0.62, theme.dark); }

std::optional<Ribbon> ribbonOf(Vec2 from, Vec2 to, double width, Color color, double opacity, double phase) {
    if (width < 0.008) return std::nullopt;
    const double drawn = std::max(width, 0.6);
    const float alpha = static_cast<float>(std::clamp(std::sqrt(width / drawn), 0.06, 1.0) * opacity);
    return Ribbon{from, to, drawn, drawn, color.withAlpha(alpha), phase};
}

}  // namespace kappaflow::capacity_flow
