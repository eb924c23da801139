// Tiled and repeated dilations (P2 Fig 15): both stacks as trees over the capacity of their common inputs.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/linear_models/wavenet.h"
#include "scenes/linear_models/wide_stacks_picture.h"

namespace kappaflow {
namespace wavenet {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;
using linear::Place;

Size layersOf(const Seen& s) { return s.result.layerNumbers.size(); }
Size blockOf(const Seen& s) { return layersOf(s) / s.result.repeats.size(); }
Size litLag(const Seen& s) { return std::min(s.result.lags.size() - 1, static_cast<Size>(s.params.lag)); }
Color colorOf(const Seen& s, Size a) { return s.f.theme.series[s.result.arrangements[a] == "tiled" ? 0 : 1]; }

/// Of [arrangement][repeats], at the nearest number of repeats.
double nearest(const Seen& s, const Place& place, const Vector& values, Size a) {
    return values[a * s.result.repeats.size() + place.nearest()];
}

/// How much of each dilation of a block's next repeat has come: they come one after the other, whatever the arrangement.
double comeOf(const Seen& s, double repeats, Size dilation) {
    return std::clamp((repeats - std::floor(repeats)) * static_cast<double>(blockOf(s)) - static_cast<double>(dilation), 0.0, 1.0);
}

/// Largest lag that is reached, between two stacks that of the dilations that have come.
double reachOf(const Seen& s, const Place& place) {
    double block = 0, come = 0;
    for (Size b = 0; b < blockOf(s); ++b) {
        const double dilation = s.asked.block[b];
        block += dilation, come += dilation * comeOf(s, place.value(), b);
    }
    return std::floor(place.value()) * block + come;
}

/// Capacity of every lag as the timeline stands; NaN beyond the inputs that are reached.
Vector capacityOf(const Seen& s, const Place& place, Size a) {
    const Size n = s.result.lags.size();
    const Vector grown = rowAt(s.result.grown, n * s.result.repeats.size(), static_cast<double>(a));
    const double reach = reachOf(s, place);
    Vector values = linear::definedRowAt(grown, n, place.index);
    for (Size lag = 0; lag < n; ++lag)
        if (static_cast<double>(lag) > reach + 1e-9) values[lag] = std::nan("");
    return values;
}

// A stack of dilated layers as a tree: from the output at the top right down to the inputs it reaches.

/// The one layer that is partly there has a part of its height and of its dilation: what it takes slides away from what it leaves.
struct TreeLayer {
    int dilation = 1;
    double there = 1;
};
struct Node {
    int whole = 0, part = 0;  ///< its lag is whole + part times what is there of the layer that comes
    auto operator<=>(const Node&) const = default;
    Node below(const TreeLayer& layer) const {
        return layer.there < 1 ? Node{whole, part + layer.dilation} : Node{whole + layer.dilation, part};
    }
};
struct Tree {
    std::vector<TreeLayer> layers;          ///< from the input up
    std::vector<std::vector<Node>> levels;  ///< nodes of every level, the inputs' first
    double there = 1;                       ///< share of the layer that comes
};

/// Layers from the input up for that many repeats: those of the last one come one by one.
std::vector<TreeLayer> treeLayers(const Seen& s, Size a, double repeats) {
    const Size block = blockOf(s), all = s.result.repeats.size();
    const auto whole = static_cast<Size>(repeats);
    const bool tiled = s.result.arrangements[a] == "tiled";
    std::vector<TreeLayer> layers;
    for (Size l = 0; l < layersOf(s); ++l) {
        // The last repeats of the whole stack, counted from the output, come first in its list.
        const Size repeat = tiled ? all - 1 - l / block : l % all;
        const double there = repeat < whole ? 1 : repeat > whole ? 0 : comeOf(s, repeats, tiled ? l % block : l / all);
        if (there > 0) layers.push_back({static_cast<int>(s.result.dilations[a * layersOf(s) + l]), there});
    }
    return layers;
}

Tree treeOf(const Seen& s, const Place& place, Size a) {
    Tree tree{treeLayers(s, a, place.value()), {}, 1};
    for (const TreeLayer& layer : tree.layers) tree.there = std::min(tree.there, layer.there);
    tree.levels.assign(tree.layers.size() + 1, {Node{}});
    for (Size l = tree.layers.size(); l-- > 0;) {
        auto& nodes = tree.levels[l] = tree.levels[l + 1];
        for (const Node& node : tree.levels[l + 1]) nodes.push_back(node.below(tree.layers[l]));
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    }
    return tree;
}

/// [level][lag] from where paths lead down to the lag, along layers that are wholly there.
std::vector<std::vector<bool>> leadingTo(const Tree& tree, Size lag) {
    std::vector<std::vector<bool>> leads(tree.levels.size(), std::vector<bool>(lag + 1));
    leads[0][lag] = true;
    for (Size l = 0; l < tree.layers.size(); ++l)
        for (Size from = 0; from <= lag; ++from) {
            const Size below = from + static_cast<Size>(tree.layers[l].dilation);
            leads[l + 1][from] = leads[l][from] || (tree.layers[l].there == 1 && below <= lag && leads[l][below]);
        }
    return leads;
}

/// The tree over the abscissae of the plot below it, the paths of the lit lag strong; the first one's output pulls further repeats up
/// behind it.
void drawTree(const Seen& s, const Place& place, Size a, const Plot& plot, Rect rect) {
    Painter& painter = s.f.painter;
    const Tree tree = treeOf(s, place, a);
    const std::string& name = s.result.arrangements[a];
    const Rect inner = plot.inner();
    const double top = rect.lo.y + 10, bottom = rect.hi.y - 5, unit = (bottom - top) / static_cast<double>(layersOf(s));
    Vector heights{bottom};
    for (const TreeLayer& layer : tree.layers) heights.push_back(heights.back() - layer.there * unit);
    const auto at = [&](Size level, const Node& node) {
        return Vec2{plot.toScreen(node.whole + node.part * tree.there, 0).x, heights[level]};
    };
    const auto leads = leadingTo(tree, litLag(s));
    std::vector<Vec2> edges, lit;
    for (Size l = 0; l < tree.layers.size(); ++l)
        for (const Node& node : tree.levels[l + 1])
            for (const Node& input : {node, node.below(tree.layers[l])}) {
                const Vec2 ends[] = {at(l + 1, node), at(l, input)};
                edges.insert(edges.end(), ends, ends + 2);
                const auto lag = static_cast<Size>(input.whole);
                if (input.part == 0 && lag <= litLag(s) && leads[l][lag] && leads.back()[0]) lit.insert(lit.end(), ends, ends + 2);
            }
    const float alpha = edges.size() > 4000 ? 0.16f : edges.size() > 1200 ? 0.28f : 0.42f;
    const bool dense = lit.size() > 500;
    const double spacing = std::abs(plot.toScreen(1, 0).x - plot.toScreen(0, 0).x);
    std::vector<PointMark> nodes, inputs;
    for (Size l = 1; l < tree.levels.size() && spacing >= 6 && unit >= 5; ++l)
        for (const Node& node : tree.levels[l]) nodes.push_back({at(l, node), 1.7, colorOf(s, a)});
    // Ink for capacity, as everywhere.
    const Vector capacity = capacityOf(s, place, a);
    for (const Node& node : tree.levels[0]) {
        const auto lag = std::min(capacity.size() - 1, static_cast<Size>(node.whole + node.part * tree.there));
        const double kappa = std::isnan(capacity[lag]) ? 0 : capacity[lag];
        inputs.push_back(
            {at(0, node), std::clamp(0.3 * spacing, 0.8, 4.0), sample(ColorMap::Capacity, 0.12 + 0.88 * kappa, s.f.theme.dark)});
    }
    // Meshes are kept by id, so that each tree has its own.
    painter.pushClip({{inner.lo.x - 6, top - 8}, {inner.hi.x + 8, bottom + 6}});
    painter.segments("tree/edges/" + name, {edges, colorOf(s, a).withAlpha(alpha), 1, 1, {}, 0});
    painter.segments("tree/lit/" + name, {lit, s.f.theme.text.withAlpha(dense ? 0.5f : 0.8f), dense ? 1.1 : 1.5, 1, {}, 0});
    painter.points("tree/nodes", nodes);
    painter.points("tree/inputs", inputs);
    painter.popClip();
    for (Size l = 0; l < tree.layers.size() && unit >= 12.5; ++l)
        if (tree.layers[l].there > 0.95)
            painter.text("tree/dilation", {inner.lo.x - 6, 0.5 * (heights[l] + heights[l + 1])}, std::to_string(tree.layers[l].dilation),
                         {.color = s.f.theme.muted, .size = s.f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle});
    if (a > 0 || place.steps.size() < 2) return;
    const Vec2 output = at(tree.layers.size(), Node{});
    const auto grip = s.f.handles.offer(
        {"repeats", "repeats shown", std::to_string(place.nearest() + 1), place.value(), 1, place.steps.back(), 1, knobRect(output)},
        [&](Vec2 p) { return (bottom - p.y) / (unit * static_cast<double>(blockOf(s))); });
    drawKnob(s.f, "tree/output", output, grip);
    if (!grip.moved) return;
    s.f.changes.push_back(Change::param("play", false));
    s.f.changes.push_back(Change::param("at", grip.value));
}

void drawName(const Seen& s, const Place& place, Size a, Vec2 at, double width) {
    const TextStyle style{.color = colorOf(s, a), .size = s.f.theme.smallSize, .v = AlignV::Middle, .bold = true, .halo = s.f.theme.ground};
    const std::string name = s.result.arrangements[a] + ": *κ* = " + numberText(nearest(s, place, s.result.total, a));
    std::string order;
    for (Size l = 0; l < std::min<Size>(layersOf(s), 7); ++l)
        order += (l > 0 ? ", " : " (") + numberText(s.result.dilations[a * layersOf(s) + l]);
    order += layersOf(s) > 7 ? ", …)" : ")";
    const bool room = s.f.painter.measure(name + order, style).x < width;
    s.f.painter.text("tree/name", at, room ? name + order : name, style);
}

/// A dot for each of the dilations a block may have when they double from layer to layer, with a knob on their number.
void offerDoublings(const Seen& s, Vec2 from) {
    constexpr double kStep = 15, kMost = 8;
    const TextStyle style{.color = s.f.theme.muted, .size = s.f.theme.tinySize, .v = AlignV::Middle};
    const std::string name = "dilations a block";
    const double count = std::min(kMost, static_cast<double>(s.params.block.size()));
    const Vec2 first = from + Vec2{s.f.painter.measure(name, style).x + 12, 0};
    const auto wanted = chooseCount(s.f, {"block", name, "dots", count, 1, kMost, first, kStep});
    s.f.painter.text("dots/name", from, name, style);
    if (!wanted) return;
    Vector doubled;
    for (int k = 0; k < static_cast<int>(*wanted); ++k) doubled.push_back(std::exp2(k));
    s.f.changes.push_back(Change::param("block", std::move(doubled)));
}

/// Sentences over the picture, the longest first.
std::vector<std::string> headlines(const Seen& s, const Place& place) {
    const Result& r = s.result;
    const std::string n = numberText(r.inputs[place.nearest()]);
    const auto held = [&](Size a) { return numberText(nearest(s, place, r.total, a)); };
    const bool two = r.arrangements.size() == 2;
    if (place.nearest() == 0 && two && r.repeats.size() > 1)
        return {"One block: both arrangements are the same stack, with " + held(0) + " of " + n + " units of capacity",
                "One block: both are the same stack", "One block"};
    const std::string both = r.arrangements[0] + " " + held(0) + (two ? ", " + r.arrangements[1] + " " + held(1) : "");
    const std::string weights = numberText(r.parameters[place.nearest()]) + " weights";
    return {"The same " + weights + ", as many paths to every input; capacity held, of " + n + ": " + both,
            weights + "; capacity held, of " + n + ": " + both, "of " + n + ": " + both, both};
}

std::string litWords(const Seen& s, const Place& place) {
    const double paths = s.result.paths[place.nearest() * s.result.lags.size() + litLag(s)];
    std::string text = "lag " + std::to_string(litLag(s)) + ": " + numberText(paths, 6) + (paths == 1 ? " path" : " paths");
    for (Size a = 0; a < s.result.arrangements.size(); ++a) {
        const double kappa = capacityOf(s, {place.steps, static_cast<double>(place.nearest())}, a)[litLag(s)];
        if (!std::isnan(kappa)) text += (a == 0 ? ", *κ* " : " and ") + fixedText(kappa, 2);
    }
    return text;
}

/// The line of the lag whose paths are lit: wherever it is pressed, it is dragged.
void offerLag(const Seen& s, const Place& place, const Plot& plot) {
    const Rect inner = plot.inner();
    const auto lag = static_cast<double>(litLag(s));
    const double x = plot.toScreen(lag, 0).x;
    if (x < inner.lo.x - 1 || x > inner.hi.x + 1) return;
    const AxisHandle handle{.id = "lag",
                            .label = "lag whose paths are lit",
                            .valueText = litWords(s, place),
                            .value = lag,
                            .min = 0,
                            .max = s.result.lags.back(),
                            .step = 1,
                            .x = lag,
                            .line = "lit"};
    if (const auto moved = dragAlong(s.f, plot, handle)) s.f.changes.push_back(Change::param("lag", std::round(*moved)));
}

/// Capacity of every lag, and in the rectangles above it the trees, whose inputs stand over their lags.
void drawCurves(const Seen& s, const Place& place, const std::vector<Rect>& trees, Rect rect) {
    const Result& r = s.result;
    const std::string symbol = "*κ*_{*τ*}";
    Plot plot = plotIn(s.f, "curves", rect, linear::lagAxis(r.lags.size()),
                       {.label = rect.height() > 150 ? "capacity " + symbol : symbol, .lo = 0, .hi = 1.1});
    const Rect inner = plot.inner();
    for (Size a = 0; a < trees.size(); ++a) {
        const Vec2 corner{inner.lo.x, trees[a].lo.y};
        drawTree(s, place, a, plot, trees[a]);
        drawName(s, place, a, corner + Vec2{0, 9}, inner.width() * 0.5);
        if (a == 0 && trees[a].height() > 110 && rect.width() > 560) offerDoublings(s, corner + Vec2{0, 29});
    }
    plot.vertical("lit/line", static_cast<double>(litLag(s)), {s.f.theme.accent.withAlpha(0.6f), Dash::Solid, 1.2, ""});
    for (Size a = 0; a < r.arrangements.size(); ++a)
        plot.area("curves/area", r.lags, capacityOf(s, place, a), colorOf(s, a).withAlpha(0.1f));
    for (Size a = 0; a < r.arrangements.size(); ++a) {
        const Vector capacity = capacityOf(s, place, a);
        plot.line("curves/capacity", r.lags, capacity, {colorOf(s, a), Dash::Solid, 2, r.arrangements[a]});
        if (static_cast<double>(r.lags.size() * 9) < inner.width())
            plot.markers("curves/points", r.lags, capacity, {colorOf(s, a), Dash::Solid, 1, ""}, MarkerShape::Circle, 2.6);
        const Vector means = rowAt(r.found.meanLag, r.repeats.size(), static_cast<double>(a));
        const double mean = linear::definedRowAt(means, 1, place.index)[0];
        const bool named = inner.height() > 90;
        plot.vertical("curves/mean", mean,
                      {colorOf(s, a), Dash::Dotted, 1.6, named ? (a == 0 ? "mean lag " : "") + numberText(means[place.nearest()], 3) : ""});
    }
    offerLag(s, place, plot);
    finishPlot(s.f, plot, "curves", litWords(s, place));
}

Layout layout(const Seen& s) {
    const Result& r = s.result;
    Vector known;  // NaN until all arrangements are
    for (Size k = 0; k < r.repeats.size(); ++k) known.push_back(r.total[k] + r.total[r.total.size() - r.repeats.size() + k]);
    const Place place = linear::placeOf(r.repeats, known, s.params.at);
    if (place.steps.empty()) return linear::waiting(s.f);
    // The plot below them decides where the trees' inputs stand, so that it draws them.
    const auto trees = std::make_shared<std::vector<Rect>>();
    std::vector<Layout> rows{linear::headline(s.f, headlines(s, place))};
    for (Size a = 0; a < r.arrangements.size(); ++a)
        rows.push_back(
            s.panel(2, {240, 66}, [trees](Rect rect) { trees->push_back(rect); }).share(r.arrangements.size() == 2 ? 0.29 : 0.5));
    rows.push_back(s.panel(0, {220, 118}, [&s, place, trees](Rect rect) {
                        drawCurves(s, place, *trees, rect);
                    }).share(r.arrangements.size() == 2 ? 0.42 : 0.5));
    return Layout::rows(std::move(rows));
}

}  // namespace
}  // namespace wavenet

PictureEntry wavenet_picture() { return tablePicture<wavenet::kScene, wavenet::layout>(); }

}  // namespace kappaflow
