// Beside the stack: the current layer seen from above, and how wide the capacity has spread on its way.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "draw/stroke.h"
#include "scenes/capacity_flow/capacity_diffusion/picture_grid.h"

namespace kappaflow::diffusion {
namespace {

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

}  // namespace kappaflow::diffusion
