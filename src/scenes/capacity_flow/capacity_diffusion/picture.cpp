// Capacity flowing back through a network (P1 Fig 4), the profile at the layer shown, and what its width and total do with depth.
#include <algorithm>
#include <cmath>
#include <map>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "draw/stroke.h"
#include "scenes/capacity_flow/capacity_diffusion/picture_grid.h"
#include "scenes/capacity_flow/capacity_diffusion/picture_view.h"

namespace kappaflow {
namespace diffusion {

std::size_t View::widest() const { return *std::max_element(widths.begin(), widths.end()); }

View readView(const PictureFrame& f) {
    View view;
    const Report& report = f.report;
    view.capacity = report.array("capacity");
    if (!view.capacity || view.capacity->axes.size() < 2 || view.capacity->values.empty()) return {};
    view.gaussian = report.array("gaussian");
    view.gradient = report.array("gradient");
    view.variance = report.array("variance");
    view.total = report.array("total");
    view.centres = report.array("centres");
    view.wander = report.array("centreWanderByLayer");
    view.within = report.array("deviationWithin");
    // Networks of one fixed kernel are all alike.
    if (!view.wander || !view.within || !(largest(view.wander->values, 0) > 0)) view.centres = nullptr;
    view.unattributed = report.array("unattributed");
    view.layers = view.capacity->axes[0].size() - 1;
    for (std::size_t l = 0; l <= view.layers; ++l) view.widths.push_back(std::max<std::size_t>(definedRow(*view.capacity, l).size(), 1));
    view.evenWidths = std::all_of(view.widths.begin(), view.widths.end(), [&](std::size_t w) { return w == view.widths[0]; });
    view.ordered = view.variance != nullptr;
    view.at = std::clamp(f.state.params.number("at"), 0.0, static_cast<double>(view.layers));
    view.largestCapacity = 1e-12;
    for (double value : view.capacity->values)
        if (value > view.largestCapacity) view.largestCapacity = value;
    return view;
}

std::vector<std::vector<Edge>> flowOf(const Report& report, std::size_t layers) {
    const Array* binSize = report.array("flowBinSize");
    return binSize ? capacity_flow::stackFlow(report, binSize->values) : std::vector<std::vector<Edge>>(layers);
}

namespace {

// Beside the stack: the current layer seen from above, and how wide the capacity has spread on its way.

void drawLoops(GridFrame& g, const Plot& plot, std::string_view id, const Loops& loops, const Stroke& stroke) {
    for (const auto& loop : loops) {
        std::vector<Vec2> points;
        for (const Vec2& p : loop) points.push_back(plot.toScreen(p.x, p.y));
        points.push_back(points.front());
        for (const auto& part : clipPolyline(points, plot.inner())) g.f.painter.line(id, part, stroke);
    }
}

void drawUnits(GridFrame& g, Rect rect, const std::string& title) {
    const std::size_t n = g.current.cols;
    Plot plot(g.f.painter, g.f.theme, "plane", rect, {.label = "unit", .lo = -0.5, .hi = static_cast<double>(n) - 0.5, .whole = true},
              {.label = "capacity *κ*^{*l*}", .lo = 0, .hi = 1.12 * largest(g.current.capacity, 1e-12)}, zoomOf(g.f, "plane"));
    plot.bars("plane/capacity", countUp(n), g.current.capacity, 0.78, g.ink());
    finishPlot(g.f, plot, "plane", title);
}

/// Both axes against the layers passed.
struct Spread {
    std::vector<double> passed;
    std::vector<double> measured[2], predicted[2];  ///< of y, of x
    bool anyTheory = false;
};

Spread readSpread(const GridReport& grid) {
    Spread spread;
    for (std::size_t i = 0; i <= grid.layers(); ++i) {
        const std::size_t layer = grid.layers() - i;
        spread.passed.push_back(static_cast<double>(i));
        for (const std::size_t axis : {0, 1}) {
            spread.measured[axis].push_back(std::sqrt(std::max(grid.moment("variance", layer, axis), 0.0)));
            spread.predicted[axis].push_back(grid.moment("standardDeviationPredicted", layer, axis));
            spread.anyTheory = spread.anyTheory || !std::isnan(spread.predicted[axis].back());
        }
    }
    return spread;
}

// Within 3 % of σ_L √(passed/L) at every layer, on both axes.
bool growsAsRoot(const Spread& spread) {
    const double last = spread.passed.back();
    for (const auto& measured : spread.measured)
        for (std::size_t i = 0; i < measured.size(); ++i) {
            const double expected = measured.back() * std::sqrt(spread.passed[i] / last);
            if (!(std::abs(measured[i] - expected) <= 0.03 * expected)) return false;
        }
    return last >= 2;
}

bool sameOnBothAxes(const Spread& spread) {
    for (std::size_t i = 0; i < spread.passed.size(); ++i)
        if (std::abs(spread.measured[0][i] - spread.measured[1][i]) > 0.01 * spread.measured[1][i]) return false;
    return true;
}

}  // namespace

void drawPlaneView(GridFrame& g, const Section& section, Rect rect) {
    PictureFrame& f = g.f;
    const std::string title = "layer " + inWords(std::round(g.at), 4) + " from above";
    if (g.current.isVector()) return drawUnits(g, rect, "layer " + inWords(std::round(g.at), 4));
    const auto rows = static_cast<double>(g.current.rows), cols = static_cast<double>(g.current.cols);
    Plot plot(f.painter, f.theme, "plane", rect, {.label = "position *x*", .lo = -0.5, .hi = cols - 0.5, .whole = true},
              {.label = "position *y*", .lo = -0.5, .hi = rows - 0.5, .whole = true, .reversed = true});
    plot.heat("plane/field", countUp(g.current.cols), countUp(g.current.rows), g.field(g.current));
    if (section.shown) {
        const double share = section.share;
        const Vec2 a = section.alongX ? plot.toScreen(-0.5, share * rows - 0.5) : plot.toScreen(share * cols - 0.5, -0.5);
        const Vec2 b = section.alongX ? plot.toScreen(cols - 0.5, share * rows - 0.5) : plot.toScreen(share * cols - 0.5, rows - 0.5);
        f.painter.line("plane/section", a, b, {f.theme.series[2].withAlpha(0.6f), 1});
    }
    drawLoops(g, plot, "plane/contour/gradient", g.current.heldByGradient, {f.theme.series[1], 1.6});
    drawLoops(g, plot, "plane/contour/measured", g.current.held, {f.theme.accent, 2.2});
    drawLoops(g, plot, "plane/contour/theory", g.current.heldInTheory, {f.theme.theory, 1.8, Dash::Dashed});
    finishPlot(f, plot, "plane", title);
}

void drawSpreadBothAxes(GridFrame& g, Rect rect) {
    PictureFrame& f = g.f;
    const Spread spread = readSpread(g.grid);
    const double last = std::max(spread.passed.back(), 1.0);
    double top = 1e-3;
    for (const std::size_t axis : {0, 1}) top = largest(spread.predicted[axis], largest(spread.measured[axis], top));
    Plot plot(f.painter, f.theme, "spread", rect, {.label = "layers crossed, *L* − *l*", .lo = 0, .hi = last, .whole = true},
              {.label = "spread *σ*", .lo = 0, .hi = 1.15 * top}, zoomOf(f, "spread"));
    const double now = spread.passed.back() - g.at;
    plot.vertical("spread/now", now, {f.theme.accent.withAlpha(0.5f), Dash::Solid, 1, ""});
    const bool same = sameOnBothAxes(spread), root = growsAsRoot(spread);
    const Color colors[] = {f.theme.series[2], f.theme.series[0]};
    const char* names[] = {"*σ_{y}*", "*σ_{x}*"};
    const Between b = between(now, g.grid.layers());
    for (const std::size_t axis : {1, 0}) {
        if (same && axis == 0) break;
        const auto& sigma = spread.measured[axis];
        plot.line("spread/measured", spread.passed, sigma, {colors[axis], Dash::Solid, 2.2, same ? "*σ_{x}* = *σ_{y}*" : names[axis]});
        if (spread.anyTheory)
            plot.line("spread/theory", spread.passed, spread.predicted[axis],
                      {f.theme.theory, Dash::Dashed, 1.8, axis == 1 ? (root ? "theory √(2*𝒟* *t*)" : "theory") : ""});
        const double here[] = {now}, value[] = {sigma[b.below] + (sigma[b.above] - sigma[b.below]) * b.fraction};
        plot.markers("spread/here", here, value, {f.theme.accent, Dash::Solid, 2, ""}, MarkerShape::Circle, 4.5);
    }
    finishPlot(f, plot, "spread", root ? "width grows as √depth" : "width against depth");
}

namespace {

struct Panels {
    Rect start, network, profile, spread, image, total;  ///< empty where there is no room
};

Panels arrange(Rect area, bool compact, bool withImage) {
    const double right = compact ? 0 : std::clamp(area.width() * 0.34, 210.0, 360.0);
    const Rect main{area.lo, {area.hi.x - right, area.hi.y}};
    const double profileHeight = std::clamp(main.height() * (compact ? 0.34 : 0.3), 110.0, 230.0);
    Panels p;
    p.start = {main.lo + Vec2{0, 6}, {main.hi.x, main.lo.y + 40}};
    p.network = {{main.lo.x, p.start.hi.y + 4}, {main.hi.x, main.hi.y - profileHeight - 6}};
    p.profile = {{main.lo.x, main.hi.y - profileHeight}, main.hi};
    if (!compact) {
        // A low figure has no room for the total, which is the same in every layer.
        const double split =
            area.height() < (withImage ? 520 : 340) ? area.hi.y + 8 : area.lo.y + area.height() * (withImage ? 0.76 : 0.62);
        const double first = withImage ? area.lo.y + (split - area.lo.y) * 0.55 : split;
        p.spread = {{main.hi.x + 14, area.lo.y + 6}, {area.hi.x, first - 8}};
        if (withImage) p.image = {{main.hi.x + 14, first}, {area.hi.x, split - 8}};
        if (split < area.hi.y) p.total = {{main.hi.x + 14, split}, area.hi};
    }
    return p;
}

std::string layerName(double at) { return "layer " + inWords(std::round(at), 4); }

class CapacityDiffusionPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        if (planes_.draw(f)) return;
        const View view = readView(f);
        if (!view.capacity || !view.total) return emptyPicture(f, "The capacity is being computed.");
        if (f.reportVersion != version_ || flow_.size() != view.layers) {
            flow_ = flowOf(f.report, view.layers);
            version_ = f.reportVersion;
        }
        // A figure in a text may be compact and still wide enough for two columns.
        f.compact = f.compact && f.area.width() < 600;
        const std::size_t side = imageSide(f, view);
        const Panels panels = arrange(f.area, f.compact, side > 0);
        const Rect columns = drawProfile(f, view, panels.profile);
        const Grid grid{
            {{columns.lo.x, panels.network.lo.y + 10}, {columns.hi.x, panels.network.hi.y - 12}}, columns.lo.x, columns.hi.x, view.layers};
        drawNetwork(f, view, grid, panels.network, flow_);
        drawStart(f, view, grid, {{grid.left, panels.start.lo.y}, {grid.right, panels.start.hi.y}});
        if (f.compact) return;
        if (view.centres)
            drawWidths(f, view, panels.spread);
        else if (view.ordered)
            drawSpread(f, view, panels.spread);
        else
            drawShares(f, view, panels.spread);
        if (side > 0) drawImage(f, view, panels.image, side);
        if (panels.total.height() > 0) drawTotal(f, view, panels.total);
    }

private:
    GridPicture planes_;
    std::vector<std::vector<Edge>> flow_;
    std::uint64_t version_ = ~std::uint64_t{0};

    /// Returns the plot's inner rectangle, whose columns the network above shares.
    static Rect drawProfile(PictureFrame& f, const View& view, Rect rect) {
        const double at = view.evenWidths ? view.at : std::round(view.at);
        const std::size_t width = view.widths[static_cast<std::size_t>(std::round(view.at))];
        auto capacity = rowAt(*view.capacity, at);
        capacity.resize(width);
        double top = largest(capacity, 1e-12);
        std::vector<double> gaussian, gradient;
        if (view.gaussian) gaussian = rowAt(*view.gaussian, at), gaussian.resize(width), top = largest(gaussian, top);
        if (view.gradient) gradient = rowAt(*view.gradient, at), gradient.resize(width), top = largest(gradient, top);
        const auto x = countUp(width);
        Plot plot(f.painter, f.theme, "profile", {rect.lo, {rect.hi.x - (f.compact ? 8 : 64), rect.hi.y}},
                  {.label = view.ordered ? "position *x*" : "unit", .lo = -0.5, .hi = static_cast<double>(width) - 0.5, .whole = true},
                  {.label = "capacity *κ*^{*l*}", .lo = 0, .hi = top * 1.12}, zoomOf(f, "profile"));
        const Color blue = sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark);
        if (view.ordered) {
            plot.area("profile/capacity", x, capacity, blue.withAlpha(0.25f));
            plot.line("profile/capacity", x, capacity, {blue, Dash::Solid, 2, "capacity"});
        } else {
            plot.bars("profile/capacity", x, capacity, 0.78, blue);
        }
        if (!gradient.empty()) plot.line("profile/gradient", x, gradient, {f.theme.series[1], Dash::Solid, 1.8, "gradient²"});
        if (!gaussian.empty()) plot.line("profile/theory", x, gaussian, {f.theme.theory, Dash::Dashed, 1.8, "Gaussian (Eq 32)"});
        finishPlot(f, plot, "profile", "capacity at " + layerName(view.at));
        return plot.inner();
    }

    static void drawSpread(PictureFrame& f, const View& view, Rect rect) {
        // One unit and equal layers give the pure law; a wide start, growing dilations or strides bend it.
        const Values& shown = f.report.params;
        const bool squareRoot = shown.is("top", "dirac") && shown.number("dilation") == 1 && shown.number("stride") == 1;
        const std::size_t n = view.layers + 1;
        std::vector<double> depth(n), spread(n), theory(n);
        const Array* law = f.report.array("standardDeviationPredicted");
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t layer = view.layers - i;
            depth[i] = static_cast<double>(i);
            spread[i] = std::sqrt(std::max(view.variance->values[layer], 0.0));
            theory[i] = law ? law->values[layer] : std::nan("");
        }
        Plot plot(f.painter, f.theme, "spread", rect,
                  {.label = "layers crossed, *L* − *l*",
                   .lo = 0,
                   .hi = static_cast<double>(std::max<std::size_t>(view.layers, 1)),
                   .whole = true},
                  {.label = "spread *σ* (positions)", .lo = 0, .hi = largest(theory, largest(spread, 1e-3)) * 1.12}, zoomOf(f, "spread"));
        const Color blue = sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark);
        const double now = static_cast<double>(view.layers) - view.at;
        plot.vertical("spread/now", now, {f.theme.accent.withAlpha(0.5f), Dash::Solid, 1, ""});
        plot.line("spread/measured", depth, spread, {blue, Dash::Solid, 2.2, "measured"});
        if (law) plot.line("spread/theory", depth, theory, {f.theme.theory, Dash::Dashed, 1.8, squareRoot ? "√(2*𝒟* *t*)" : "theory"});
        const Between b = between(now, view.layers);
        const double here[] = {now}, value[] = {spread[b.below] + (spread[b.above] - spread[b.below]) * b.fraction};
        plot.markers("spread/here", here, value, {f.theme.accent, Dash::Solid, 2, ""}, MarkerShape::Circle, 5);
        finishPlot(f, plot, "spread", squareRoot ? "width grows as √depth" : "width against depth");
    }

    static void drawShares(PictureFrame& f, const View& view, Rect rect) {
        const Array *shares = f.report.array("shares"), *offsets = f.report.array("sharesOffsets");
        if (!shares || !offsets || view.layers == 0) return;
        // The matrix in use: from layer `above` down to layer `above − 1`.
        const auto above = static_cast<std::size_t>(std::clamp(std::ceil(view.at), 1.0, static_cast<double>(view.layers)));
        const std::size_t rows = view.widths[above - 1], cols = view.widths[above];
        const auto begin = static_cast<std::size_t>(offsets->values[above - 1]);
        if (begin + rows * cols > shares->values.size()) return;
        const std::span<const double> values(shares->values.data() + begin, rows * cols);
        double top = 1e-12;
        for (double value : values)
            if (value > top) top = value;
        const Rect map{rect.lo, {rect.hi.x - 62, rect.hi.y}};
        Plot plot(f.painter, f.theme, "shares", map,
                  {.label = "unit *j* of " + layerName(static_cast<double>(above)),
                   .lo = -0.5,
                   .hi = static_cast<double>(cols) - 0.5,
                   .whole = true},
                  {.label = "unit *i* of " + layerName(static_cast<double>(above) - 1),
                   .lo = -0.5,
                   .hi = static_cast<double>(rows) - 0.5,
                   .whole = true,
                   .reversed = true});
        plot.heat("shares/field", countUp(cols), countUp(rows), {rows, cols, values, 0, top, false, ColorMap::Capacity});
        finishPlot(f, plot, "shares", "shares *D*_{*ij*} of this layer");
        colorBar(f.painter, f.theme, "shares/colors", {{map.hi.x + 8, plot.inner().lo.y}, {rect.hi.x, plot.inner().hi.y}},
                 ColorMap::Capacity, {.label = "*D*_{*ij*}", .lo = 0, .hi = top});
    }

    /// Side of the square that a network file's inputs make as an image, 0 where they make none.
    static std::size_t imageSide(const PictureFrame& f, const View& view) {
        const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(view.widths.front()))));
        return !f.state.params.text("network").empty() && side >= 4 && side * side == view.widths.front() ? side : 0;
    }

    static void drawImage(PictureFrame& f, const View& view, Rect rect, std::size_t side) {
        const auto inputs = definedRow(*view.capacity, 0);
        const double size = std::min(rect.width() - 70, rect.height() - 26), half = static_cast<double>(side) - 0.5;
        const Rect square{{rect.lo.x, rect.lo.y}, {rect.lo.x + size + 10, rect.lo.y + size + 26}};
        const AxisSpec axis{.label = "", .lo = -0.5, .hi = half, .ticks = false};
        AxisSpec down = axis;
        down.reversed = true;
        Plot plot(f.painter, f.theme, "image", square, axis, down);
        const double top = largest(inputs, 1e-12);
        plot.heat("image/field", countUp(side), countUp(side), {side, side, inputs, 0, top, false, ColorMap::Capacity});
        finishPlot(f, plot, "image", "inputs as pixels");
        colorBar(f.painter, f.theme, "image/colors", {{square.hi.x + 8, plot.inner().lo.y}, {square.hi.x + 62, plot.inner().hi.y}},
                 ColorMap::Capacity, {.label = "*κ*^{0}", .lo = 0, .hi = top});
    }

    static void drawTotal(PictureFrame& f, const View& view, Rect rect) {
        const auto layer = countUp(view.layers + 1);
        const auto& total = view.total->values;
        const double top = largest(total, 1e-12);
        Plot plot(f.painter, f.theme, "total", rect,
                  {.label = "layer *l*", .lo = 0, .hi = static_cast<double>(std::max<std::size_t>(view.layers, 1)), .whole = true},
                  {.label = "total capacity", .lo = 0, .hi = top * 1.25}, zoomOf(f, "total"));
        const Color blue = sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark);
        plot.area("total/capacity", layer, total, blue.withAlpha(0.18f));
        plot.line("total/capacity", layer, total, {blue, Dash::Solid, 2.2, "total"});
        const bool dead = view.unattributed && largest(view.unattributed->values, 0) > 0;
        if (dead) plot.line("total/unattributed", layer, view.unattributed->values, {f.theme.series[1], Dash::Solid, 1.8, "dead units"});
        finishPlot(f, plot, "total", dead ? "dead units keep their capacity" : "nothing is lost on the way");
    }
};

}  // namespace
}  // namespace diffusion

PictureEntry capacity_diffusion_picture() {
    return {"capacity-diffusion", [] { return std::unique_ptr<Picture>(std::make_unique<diffusion::CapacityDiffusionPicture>()); }};
}

}  // namespace kappaflow
