// A stack of dilated layers as a tree: from the output at the top right down to the inputs it reaches.
#include <algorithm>
#include <cmath>

#include "scenes/linear_models/wavenet/picture_view.h"

namespace kappaflow::wavenet {
namespace {

using Size = std::size_t;

/// Beyond so many nodes a tree does not grow smoothly but step by step.
constexpr double kSmoothNodes = 6000;

/// A layer that is partly there has a part of its height and of its dilation.
struct Layer {
    double dilation = 1, there = 1;
};

/// Layers from the input up as the step stands: of the stack below it the repeats that come are still on their way.
std::vector<Layer> layersOf(const View& v, Size a, double repeats) {
    const auto whole = static_cast<Size>(repeats), come = static_cast<Size>(std::ceil(repeats));
    const double part = repeats - static_cast<double>(whole);
    const double* all = v.dilations->row(a);
    std::vector<Layer> layers;
    for (Size l = 0; l < v.block * v.repeats; ++l) {
        const bool tiled = v.key(a) == "tiled";
        // The last repeats of the whole stack, counted from the output, come first in its list.
        const Size repeat = tiled ? v.repeats - 1 - l / v.block : l % v.repeats;
        if (repeat >= come) continue;
        layers.push_back({all[l], repeat < whole ? 1 : part});
    }
    return layers;
}

struct Node {
    int whole = 0, part = 0;  ///< lag: the first, and the second times what is there of the layers that come
    friend bool operator==(const Node& x, const Node& y) { return x.whole == y.whole && x.part == y.part; }
    friend bool operator<(const Node& x, const Node& y) { return x.whole != y.whole ? x.whole < y.whole : x.part < y.part; }
    double lag(double there) const { return whole + part * there; }
};

Node moved(Node node, const Layer& layer) {
    (layer.there < 1 ? node.part : node.whole) += static_cast<int>(layer.dilation);
    return node;
}

/// Nodes of every level, the inputs' first.
std::vector<std::vector<Node>> nodesOf(const std::vector<Layer>& layers) {
    std::vector<std::vector<Node>> levels(layers.size() + 1);
    levels.back() = {Node{}};
    for (Size l = layers.size(); l-- > 0;) {
        auto& below = levels[l];
        below = levels[l + 1];
        for (const Node& node : levels[l + 1]) below.push_back(moved(node, layers[l]));
        std::sort(below.begin(), below.end());
        below.erase(std::unique(below.begin(), below.end()), below.end());
    }
    return levels;
}

double mostNodes(const std::vector<Layer>& layers) {
    double whole = 1, part = 1;
    for (const Layer& layer : layers) (layer.there < 1 ? part : whole) += layer.dilation;
    return whole * part;
}

class Tree {
public:
    Tree(PictureFrame& frame, const View& view, Size arrangement, const Ground& on)
        : f(frame), v(view), a(arrangement), ground(on), unit((on.bottom - on.top) / static_cast<double>(view.block * view.repeats)) {
        repeats = v.step.value();
        layers = layersOf(v, a, repeats);
        if (mostNodes(layers) > kSmoothNodes && repeats != std::round(repeats)) layers = layersOf(v, a, repeats = std::round(repeats));
        heights = {0};
        for (const Layer& layer : layers) heights.push_back(heights.back() + layer.there);
        levels = nodesOf(layers);
        for (const Layer& layer : layers)
            if (layer.there < 1) there = layer.there;
    }

    double height(Size level) const { return ground.bottom - heights[level] * unit; }
    Vec2 at(Size level, const Node& node) const { return {ground.plot->toScreen(node.lag(there), 0).x, height(level)}; }
    bool resting() const { return there == 1; }

    /// Meshes are kept by id, so that each tree has its own.
    void drawEdges() const {
        std::vector<Vec2> ends;
        for (Size l = 0; l < layers.size(); ++l)
            for (const Node& node : levels[l + 1])
                for (const Node& input : {node, moved(node, layers[l])}) {
                    ends.push_back(at(l + 1, node));
                    ends.push_back(at(l, input));
                }
        const float alpha = ends.size() > 4000 ? 0.16f : ends.size() > 1200 ? 0.28f : 0.42f;
        f.painter.segments("tree/edges/" + v.key(a), {ends, colorOf(f, v, a).withAlpha(alpha), 1, 1, {}, 0});
    }

    /// Edges on some path from the output to the lit input.
    void drawLit() const {
        const int target = static_cast<int>(v.lit);
        std::vector<std::vector<bool>> leads(levels.size(), std::vector<bool>(v.lags, false));
        if (!resting() || v.lit >= v.lags) return;
        leads[0][v.lit] = true;
        for (Size l = 0; l < layers.size(); ++l)
            for (int lag = 0; lag <= target; ++lag) {
                const int next = lag + static_cast<int>(layers[l].dilation);
                leads[l + 1][static_cast<Size>(lag)] =
                    leads[l][static_cast<Size>(lag)] || (next <= target && leads[l][static_cast<Size>(next)]);
            }
        std::vector<Vec2> ends;
        for (Size l = 0; l < layers.size(); ++l)
            for (const Node& node : levels[l + 1])
                for (const Node& input : {node, moved(node, layers[l])})
                    if (input.whole <= target && leads[l][static_cast<Size>(input.whole)]) {
                        ends.push_back(at(l + 1, node));
                        ends.push_back(at(l, input));
                    }
        const bool dense = ends.size() > 500;
        f.painter.segments("tree/lit/" + v.key(a), {ends, f.theme.text.withAlpha(dense ? 0.5f : 0.8f), dense ? 1.1 : 1.5, 1, {}, 0});
    }

    void drawNodes() const {
        const double spacing = std::abs(ground.plot->toScreen(1, 0).x - ground.plot->toScreen(0, 0).x);
        if (spacing < 6 || unit < 5) return;
        std::vector<PointMark> marks;
        for (Size l = 1; l < levels.size(); ++l)
            for (const Node& node : levels[l]) marks.push_back({at(l, node), 1.7, colorOf(f, v, a)});
        f.painter.points("tree/nodes", marks);
    }

    /// Ink for capacity, as everywhere.
    void drawInputs() const {
        const double spacing = std::abs(ground.plot->toScreen(1, 0).x - ground.plot->toScreen(0, 0).x);
        const double radius = std::clamp(0.3 * spacing, 0.8, 4.0);
        const auto capacity = v.capacity(a);
        std::vector<PointMark> marks;
        for (const Node& node : levels[0]) {
            const auto lag = std::min(v.lags - 1, static_cast<Size>(node.lag(there)));
            const double kappa = std::isnan(capacity[lag]) ? 0 : capacity[lag];
            marks.push_back({at(0, node), radius, sample(ColorMap::Capacity, 0.12 + 0.88 * kappa, f.theme.dark)});
        }
        f.painter.points("tree/inputs", marks);
    }

    void drawDilations() const {
        if (unit < 12.5 || !resting()) return;
        const double x = ground.plot->inner().lo.x - 6;
        for (Size l = 0; l < layers.size(); ++l)
            f.painter.text("tree/dilation", {x, 0.5 * (height(l) + height(l + 1))}, std::to_string(static_cast<int>(layers[l].dilation)),
                           {.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle});
    }

    /// The output, which pulls further repeats up behind it.
    void offerOutput() const {
        const Vec2 place = at(layers.size(), Node{});
        const Handle handle{"repeats",
                            "repeats shown",
                            std::to_string(v.step.nearest + 1),
                            v.step.value(),
                            1,
                            v.step.values.back(),
                            1,
                            {place + Vec2{-12, -12}, place + Vec2{12, 12}}};
        const double one = unit * static_cast<double>(v.block);
        const auto grip = f.handles.offer(handle, [&](Vec2 p) { return (ground.bottom - p.y) / one; });
        drawKnob(f, "tree/output", place, grip);
        if (!grip.moved) return;
        f.changes.push_back(Change::param("play", false));
        f.changes.push_back(Change::param("at", grip.value));
    }

private:
    PictureFrame& f;
    const View& v;
    Size a;
    Ground ground;
    double unit, repeats = 1, there = 1;
    std::vector<Layer> layers;
    std::vector<double> heights;
    std::vector<std::vector<Node>> levels;
};

}  // namespace

void drawTree(PictureFrame& f, const View& v, Size a, const Ground& ground, bool handle) {
    const Tree tree(f, v, a, ground);
    const Rect inner = ground.plot->inner();
    f.painter.pushClip({{inner.lo.x - 6, ground.top - 8}, {inner.hi.x + 8, ground.bottom + 6}});
    tree.drawEdges();
    tree.drawLit();
    tree.drawNodes();
    tree.drawInputs();
    f.painter.popClip();
    tree.drawDilations();
    if (handle && v.step.values.size() > 1) tree.offerOutput();
}

}  // namespace kappaflow::wavenet
