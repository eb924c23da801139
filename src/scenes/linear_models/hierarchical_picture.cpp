// Hierarchical models (P2 Figs 1, 3, 5, 14): the tree with the capacity of its inputs flowing down it, and its weights.
#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/linear_models/hierarchical.h"
#include "scenes/linear_models/walk_picture.h"

namespace kappaflow {
namespace hierarchical {
namespace {

using linear::LagScale;
using Seen = Sight<Params, Result>;

/// A layer's nodes are the lags that the layers above read; with its edges down to the nodes of the next.
struct Edge {
    std::size_t layer, tap;  ///< counted from 0, the lowest layer first
    double from, to;         ///< lags
};
struct Tree {
    std::vector<std::vector<double>> nodes;  ///< [layer 0 … L]: inputs first, the output last
    std::vector<Edge> edges;
    bool branches = true;  ///< no input is reached twice: every node has inputs of its own
    std::size_t taps = 1;
    std::size_t layers() const { return nodes.size() - 1; }
};

constexpr std::size_t kMostEdges = 4000;

/// Lags below a node of a layer: of a tree, those from its own on, as many as the product of the taps below.
Tree treeOf(const std::vector<double>& dilations, std::size_t taps) {
    Tree tree;
    tree.taps = taps;
    tree.nodes.assign(dilations.size() + 1, {});
    tree.nodes.back() = {0};
    for (std::size_t l = dilations.size(); l-- > 0;) {
        auto& below = tree.nodes[l];
        for (const double lag : tree.nodes[l + 1])
            for (std::size_t k = 0; k < taps; ++k) {
                below.push_back(lag + static_cast<double>(k) * dilations[l]);
                tree.edges.push_back({l, k, lag, below.back()});
            }
        std::sort(below.begin(), below.end());
        const auto last = std::unique(below.begin(), below.end());
        tree.branches = tree.branches && last == below.end();
        below.erase(last, below.end());
        if (tree.edges.size() > kMostEdges) break;
    }
    return tree;
}

/// Where a tree stands on the screen.
class Stage {
public:
    Stage(const Tree& tree, const LagScale& scale, Rect rect) : tree_(tree), scale_(scale), rect_(rect) {}

    double y(std::size_t layer) const {
        return rect_.hi.y - 4 - (rect_.height() - 12) * static_cast<double>(layer) / static_cast<double>(tree_.layers());
    }
    /// Lags below a node of a layer, when the tree branches.
    double span(std::size_t layer) const {
        double inputs = 1;
        for (std::size_t l = 0; l < layer; ++l) inputs *= static_cast<double>(tree_.taps);
        return inputs;
    }
    /// A branching tree's nodes stand above the middle of their inputs, others above their newest.
    Vec2 at(std::size_t layer, double lag) const { return {scale_.x(lag + (tree_.branches ? 0.5 * (span(layer) - 1) : 0)), y(layer)}; }
    double spacing() const { return scale_.spacing; }
    const Rect& rect() const { return rect_; }

private:
    const Tree& tree_;
    const LagScale& scale_;
    Rect rect_;
};

/// Capacity of `count` lags from `first` on.
double capacityOf(const std::vector<double>& capacity, double first, double count) {
    double sum = 0;
    const auto begin = static_cast<std::size_t>(first), end = std::min(capacity.size(), begin + static_cast<std::size_t>(count));
    for (std::size_t i = begin; i < end; ++i) sum += capacity[i];
    return sum;
}

/// A band of one width all the way, upright at both ends: what leaves is what arrives.
void drawBand(PictureFrame& f, Vec2 from, Vec2 to, double width, Color color) {
    constexpr int kSteps = 10;
    std::array<Vec2, 2 * (kSteps + 1)> outline;
    for (int i = 0; i <= kSteps; ++i) {
        const double t = static_cast<double>(i) / kSteps, eased = t * t * (3 - 2 * t);
        const Vec2 middle{from.x + (to.x - from.x) * eased, from.y + (to.y - from.y) * t};
        outline[static_cast<std::size_t>(i)] = middle - Vec2{0.5 * width, 0};
        outline[outline.size() - 1 - static_cast<std::size_t>(i)] = middle + Vec2{0.5 * width, 0};
    }
    f.painter.polygon("tree/flow", outline, color);
}

/// From each node as much flows to the nodes below as lies on their inputs: widths are lags' widths times capacity.
void drawFlow(PictureFrame& f, const Tree& tree, const Stage& stage, const std::vector<double>& capacity) {
    const double scale = 0.92 * stage.spacing();
    for (const Edge& edge : tree.edges) {
        const double below = stage.span(edge.layer), above = stage.span(edge.layer + 1), flow = capacityOf(capacity, edge.to, below);
        if (flow * scale < 0.3) continue;
        // Side by side at the upper node, the newest at the right.
        const double newer = capacityOf(capacity, edge.from, edge.to - edge.from), whole = capacityOf(capacity, edge.from, above);
        const Vec2 from = stage.at(edge.layer + 1, edge.from) + Vec2{(0.5 * whole - newer - 0.5 * flow) * scale, 0};
        drawBand(f, from, stage.at(edge.layer, edge.to), flow * scale,
                 sample(ColorMap::Capacity, 0.16 + 0.62 * std::clamp(flow / below, 0.0, 1.0), f.theme.dark));
    }
}

struct Sizes {
    std::vector<double> values;  ///< [layer][tap], of the frame shown
    std::size_t taps;
    double of(std::size_t layer, std::size_t tap) const { return values[layer * taps + tap]; }
    /// Over the largest of its layer.
    double share(std::size_t layer, std::size_t tap) const {
        double most = 1e-300;
        for (std::size_t k = 0; k < taps; ++k) most = std::max(most, std::abs(of(layer, k)));
        return std::abs(of(layer, tap)) / most;
    }
};

void drawWeights(PictureFrame& f, const Tree& tree, const Stage& stage, const Sizes& sizes) {
    for (const Edge& edge : tree.edges) {
        const Vec2 from = stage.at(edge.layer + 1, edge.from), to = stage.at(edge.layer, edge.to);
        const double room = stage.spacing() * (tree.branches ? stage.span(edge.layer) : 4);
        if (room < 3) continue;
        const bool negative = sizes.of(edge.layer, edge.tap) < 0;
        const double width = 0.4 + std::min(2.0, room / 5) * sizes.share(edge.layer, edge.tap);
        f.painter.line("tree/weight", from, to, {negative ? f.theme.series[1] : f.theme.text.withAlpha(0.6f), width});
    }
}

void drawNodes(PictureFrame& f, const Tree& tree, const Stage& stage, const std::vector<double>& capacity) {
    for (std::size_t l = 0; l < tree.nodes.size(); ++l) {
        const double room = stage.spacing() * (tree.branches ? stage.span(l) : 1), radius = std::clamp(0.4 * room, 0.0, l == 0 ? 4.0 : 3.5);
        if (radius < 0.8) continue;
        for (const double lag : tree.nodes[l]) {
            const auto index = static_cast<std::size_t>(lag);
            const Color fill =
                l > 0 ? f.theme.raised : sample(ColorMap::Capacity, index < capacity.size() ? 0.9 * capacity[index] : 0, f.theme.dark);
            f.painter.marker("tree/node", stage.at(l, lag), radius, MarkerShape::Circle, fill, Stroke{f.theme.muted, 1});
        }
    }
}

/// A knob on one edge of each tap, slid towards the upper node for a larger weight: tap 0 on the newest way, others on the oldest.
void offerPull(const Seen& s, const Tree& tree, const Stage& stage, std::size_t layer, std::size_t tap) {
    const double node = tap > 0 ? tree.nodes[layer + 1].back() : 0;
    const Edge* edge = nullptr;
    for (const Edge& e : tree.edges)
        if (e.layer == layer && e.tap == tap && e.from == node) edge = &e;
    if (!edge) return;
    const auto& factors = s.params.pull;
    const std::size_t turn = layer * tree.taps + tap;
    const double factor = turn < factors.size() ? factors[turn] : 1;
    const Vec2 lower = stage.at(layer, edge->to), upper = stage.at(layer + 1, edge->from), way = upper - lower;
    const Vec2 at = lower + way * (0.15 + 0.35 * factor);
    if (!stage.rect().contains(at)) return;
    const double length = way.x * way.x + way.y * way.y;
    const Handle handle{"weight " + std::to_string(layer + 1) + " " + std::to_string(tap),
                        "weight of layer " + std::to_string(layer + 1) + ", tap " + std::to_string(tap),
                        "times " + inWords(factor),
                        factor,
                        0,
                        2,
                        0.05,
                        around(at, 11)};
    const auto grip =
        s.f.handles.offer(handle, [&](Vec2 p) { return (((p.x - lower.x) * way.x + (p.y - lower.y) * way.y) / length - 0.15) / 0.35; });
    const bool lively = grip.lively();
    const Theme& theme = s.f.theme;
    if (!s.f.kept || factor != 1)
        s.f.painter.marker("tree/knob", at, lively ? 6.5 : 3.6, MarkerShape::Circle, factor == 1 ? theme.accent : theme.warning,
                           Stroke{theme.ground, 1.2});
    // One is worth meeting exactly: it is the optimum.
    const double wanted = std::abs(grip.value - 1) < 0.03 ? 1 : std::round(grip.value * 100) / 100;
    if (grip.moved && wanted != factor) linear::changePull(s.f, factors, turn, wanted);
}

void drawTree(const Seen& s, double index, const LagScale& scale, Rect rect) {
    const Result& r = s.result;
    const std::size_t taps = r.taps.size();
    if (rect.height() < 40) return;
    const Tree tree = treeOf(r.dilations, taps);
    if (tree.edges.size() > kMostEdges) return;
    const Rect room{{scale.inner.lo.x, rect.lo.y}, {scale.inner.hi.x, rect.hi.y}};
    const Stage stage(tree, scale, room);
    const auto capacity = rowAt(r.capacityAlong, r.lags.size(), index);
    s.f.painter.pushClip(room);
    if (tree.branches) drawFlow(s.f, tree, stage, capacity);
    drawWeights(s.f, tree, stage, {rowAt(r.weightSizes, r.dilations.size() * taps, index), taps});
    drawNodes(s.f, tree, stage, capacity);
    s.f.painter.popClip();
    if (rect.height() < 100) return;
    for (std::size_t l = 0; l < tree.layers(); ++l)
        for (std::size_t k = 0; k < taps; ++k)
            if ((l + 1) * taps <= 32) offerPull(s, tree, stage, l, k);
}

Layout layout(const Seen& s) {
    const linear::WalkView view(s);
    const std::string other = s.asked.compare != Compared::Full ? counted(s.asked.otherChannels, "recurrent unit") : "full connection";
    return walkLayout(view, s.before, other, 0.4,
                      [s, index = view.index](const LagScale& scale, Rect rect) { drawTree(s, index, scale, rect); });
}

}  // namespace
}  // namespace hierarchical

PictureEntry hierarchical_picture() { return tablePicture<hierarchical::kScene, hierarchical::layout>(); }

}  // namespace kappaflow
