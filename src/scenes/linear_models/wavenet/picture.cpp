// Tiled and repeated dilations (P2 Fig 15): both stacks as trees over the capacity of their common inputs.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "draw/number_text.h"
#include "scenes/linear_models/picture_wide.h"

namespace kappaflow {
namespace wavenet {
namespace {

/// What the report says, in the shapes the picture needs.
struct View {
    const Array *grown, *total, *meanLag, *optimality, *dilations, *paths, *inputs, *parameters;
    wide::Step step;                ///< over the repeats whose capacities are known
    std::size_t lags = 0, lit = 0;  ///< inputs of all repeats; the lag whose paths are lit
    std::size_t repeats = 0, block = 0;

    std::size_t arrangements() const { return grown->axes[0].size(); }
    const std::string& key(std::size_t a) const { return grown->axes[0].keys[a]; }
    /// Of [arrangement, repeats], at the nearest number of repeats.
    double of(const Array& array, std::size_t a) const { return array.row(a)[step.nearest]; }
    /// Capacity of every lag as the step stands; NaN beyond what any of the two stacks reaches.
    std::vector<double> capacity(std::size_t a) const;
};

/// Where a tree stands: its inputs over the abscissae of the plot below it.
struct Ground {
    const Plot* plot;
    double top, bottom;
};

// A stack of dilated layers as a tree: from the output at the top right down to the inputs it reaches.

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

Color colorOf(const PictureFrame& f, const View& v, Size arrangement) { return f.theme.series[v.key(arrangement) == "tiled" ? 0 : 1]; }

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

/// The stack as a tree from the output at the top right down to the inputs, the paths of the lit lag strong; `handle`: its output can be
/// pulled up and down.
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

bool readView(const PictureFrame& f, View& v) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {
        {&v.grown, "grown"},         {&v.total, "grownTotal"}, {&v.meanLag, "grownMeanLag"}, {&v.optimality, "grownOptimality"},
        {&v.dilations, "dilations"}, {&v.paths, "paths"},      {&v.inputs, "inputs"},        {&v.parameters, "parameters"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    v.repeats = v.inputs->values.size();
    v.block = v.dilations->axes[1].size() / v.repeats;
    v.lags = v.paths->axes[1].size();
    Size known = 0;
    const auto complete = [&](Size k) {
        for (Size a = 0; a < v.arrangements(); ++a)
            if (std::isnan(v.total->row(a)[k])) return false;
        return true;
    };
    while (known < v.repeats && complete(known)) ++known;
    if (known == 0) return false;
    v.step = wide::stepOf(f, v.inputs->axes[0], known);
    v.lit = std::min(v.lags - 1, static_cast<Size>(f.state.params.number("lag")));
    return true;
}

std::vector<double> View::capacity(Size a) const {
    const double *below = grown->row(a) + step.between.below * lags, *above = grown->row(a) + step.between.above * lags;
    std::vector<double> values(lags);
    for (Size i = 0; i < lags; ++i) values[i] = std::isnan(above[i]) ? above[i] : wide::mixed(step, below[i], above[i]);
    return values;
}

/// Sentences over the picture, the longest first.
std::vector<std::string> headlines(const View& v) {
    const double n = v.inputs->values[v.step.nearest];
    const auto holds = [&](Size a) { return v.key(a) + " " + numberText(v.of(*v.total, a)); };
    const std::string both = v.arrangements() == 2 ? holds(0) + ", " + holds(1) : holds(0);
    if (v.step.nearest == 0 && v.arrangements() == 2 && v.repeats > 1)
        return {"One block: both arrangements are the same stack, with " + numberText(v.of(*v.total, 0)) + " of " + numberText(n) +
                    " units of capacity",
                "One block: both are the same stack", "One block"};
    const std::string weights = numberText(v.parameters->values[v.step.nearest]) + " weights";
    return {"The same " + weights + ", as many paths to every input; capacity held, of " + numberText(n) + ": " + both,
            weights + "; capacity held, of " + numberText(n) + ": " + both, "of " + numberText(n) + ": " + both, both};
}

std::string litWords(const View& v) {
    const double paths = v.paths->row(v.step.nearest)[v.lit];
    std::string text = "lag " + std::to_string(v.lit) + ": " + numberText(paths, 6) + (paths == 1 ? " path" : " paths");
    for (Size a = 0; a < v.arrangements(); ++a) {
        const double kappa = v.capacity(a)[v.lit];
        if (!std::isnan(kappa)) text += (a == 0 ? ", *κ* " : " and ") + fixedText(kappa, 2);
    }
    return text;
}

/// Capacity of every lag for both arrangements with the line of the lit lag; the caller finishes the plot.
void drawCurves(PictureFrame& f, const View& v, Plot& plot) {
    const auto lags = wide::lagsOf(v.lags);
    plot.vertical("lit/line", static_cast<double>(v.lit), {f.theme.accent.withAlpha(0.6f), Dash::Solid, 1.2, ""});
    for (Size a = 0; a < v.arrangements(); ++a) plot.area("curves/area", lags, v.capacity(a), colorOf(f, v, a).withAlpha(0.1f));
    for (Size a = 0; a < v.arrangements(); ++a) {
        const auto capacity = v.capacity(a);
        plot.line("curves/capacity", lags, capacity, {colorOf(f, v, a), Dash::Solid, 2, v.key(a)});
        if (v.lags * 9 < plot.inner().width())
            plot.markers("curves/points", lags, capacity, {colorOf(f, v, a), Dash::Solid, 1, ""}, MarkerShape::Circle, 2.6);
        const double mean = wide::mixed(v.step, v.meanLag->row(a)[v.step.between.below], v.meanLag->row(a)[v.step.between.above]);
        const bool named = plot.inner().height() > 90 && plot.inner().width() > 400;
        plot.vertical("curves/mean", mean,
                      {colorOf(f, v, a), Dash::Dotted, 1.6, named ? (a == 0 ? "mean lag " : "") + numberText(mean, 3) : ""});
    }
}

void offerLag(PictureFrame& f, const View& v, const Plot& plot) {
    const Rect inner = plot.inner();
    const double x = plot.toScreen(static_cast<double>(v.lit), 0).x;
    if (x < inner.lo.x - 1 || x > inner.hi.x + 1) return;
    const Handle handle{"lag", "lag whose paths are lit",       litWords(v), static_cast<double>(v.lit),
                        0,     static_cast<double>(v.lags - 1), 1,           {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return std::round(plot.toData(p).x); });
    drawKnob(f, "lit/knob", {x, inner.hi.y - 7}, grip);
    if (grip.moved) f.changes.push_back(Change::param("lag", std::round(grip.value)));
}

void drawName(PictureFrame& f, const View& v, Size a, Vec2 at, double width) {
    const TextStyle style{.color = colorOf(f, v, a), .size = f.theme.smallSize, .v = AlignV::Middle, .bold = true, .halo = f.theme.ground};
    const std::string name = v.key(a) + ": *κ* = " + numberText(v.of(*v.total, a));
    const double* d = v.dilations->row(a);
    std::string order;
    for (Size l = 0; l < std::min<Size>(v.block * v.repeats, 7); ++l) order += (l > 0 ? ", " : " (") + numberText(d[l]);
    order += v.block * v.repeats > 7 ? ", …)" : ")";
    const bool room = f.painter.measure(name + order, style).x < width;
    f.painter.text("tree/name", at, room ? name + order : name, style);
}

/// Dots for the dilations a block may have when they double from layer to layer.
void offerDoublings(PictureFrame& f, Vec2 from) {
    const auto& block = f.state.params.list("block");
    const TextStyle style{.color = f.theme.muted, .size = f.theme.tinySize};
    const std::string name = "dilations a block";
    const double count = std::min(8.0, static_cast<double>(block.size()));
    const double moved = wide::offerDots(f, "block", name, from + Vec2{f.painter.measure(name, style).x + 12 + 15 * 7, 0}, count, 8);
    if (moved == 0) return;
    std::vector<double> doubled(static_cast<Size>(moved));
    for (Size k = 0; k < doubled.size(); ++k) doubled[k] = std::exp2(static_cast<double>(k));
    f.changes.push_back(Change::param("block", std::move(doubled)));
}

void drawPanels(PictureFrame& f, const View& v, Rect area) {
    const bool small = area.height() < 230;
    const double each = small ? 0 : area.height() * (v.arrangements() == 2 ? 0.29 : 0.5);
    const double forest = each * static_cast<double>(v.arrangements());
    const Rect rect{{area.lo.x, area.lo.y + forest}, area.hi};
    Plot plot(f.painter, f.theme, "curves", rect, wide::lagAxis(v.lags),
              {.label = rect.height() > 150 ? "capacity *κ*_{*τ*}" : "*κ*_{*τ*}", .lo = 0, .hi = 1.1}, zoomOf(f, "curves"));
    const double left = plot.inner().lo.x;
    for (Size a = 0; a < v.arrangements() && !small; ++a) {
        const double top = area.lo.y + each * static_cast<double>(a);
        drawTree(f, v, a, {&plot, top + 10, top + each - 5}, a == 0);
        drawName(f, v, a, {left, top + 9}, plot.inner().width() * 0.5);
        if (a == 0 && each > 110 && area.width() > 560) offerDoublings(f, {left, top + 29});
    }
    drawCurves(f, v, plot);
    offerLag(f, v, plot);
    finishPlot(f, plot, "curves", litWords(v));
}

class WavenetPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "Weights are being looked for.");
        f.compact = f.compact && f.area.width() < 600;
        const double headline = f.area.height() < 200 ? 0 : f.compact ? 20 : 26;
        if (headline > 0) wide::drawHeadline(f, headlines(view), {f.area.lo + Vec2{4, 0}, {f.area.hi.x - 4, f.area.lo.y + headline}});
        drawPanels(f, view, {{f.area.lo.x, f.area.lo.y + headline + 2}, f.area.hi});
    }
};

}  // namespace
}  // namespace wavenet

PictureEntry wavenet_picture() {
    return {"wavenet", [] { return std::unique_ptr<Picture>(std::make_unique<wavenet::WavenetPicture>()); }};
}

}  // namespace kappaflow
