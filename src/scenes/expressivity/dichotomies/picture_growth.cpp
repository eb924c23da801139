// Dichotomies against the layers that remain, beside what infinitely wide networks would flip, and the numbers of the drawn strips.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/dichotomies/picture_view.h"

namespace kappaflow::dichotomies {
namespace {

/// The upright line of the strips' depth, which is also the handle that chooses them.
void offerDepth(PictureFrame& f, const View& view, Plot& plot) {
    const double shown = static_cast<double>(view.shown);
    plot.vertical("growth/shown", shown, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (view.deepest == 0) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(shown, 1).x;
    const Handle handle{"depth", "remaining depth of the strips",           numberText(shown), shown, 0, static_cast<double>(view.deepest),
                        1,       {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return plot.toData(p).x; });
    const bool lively = grip.hovered || grip.held || grip.focused;
    if (!f.kept)
        f.painter.marker("growth/knob", {x, inner.hi.y - 7}, lively ? 7.5 : 5.5, MarkerShape::Circle, f.theme.accent,
                         Stroke{f.theme.ground, 1.5});
    const double wanted = std::round(grip.value);
    if (grip.moved && wanted != f.state.params.number("shown")) f.changes.push_back(Change::param("shown", wanted));
}

void drawCurve(PictureFrame& f, const View& view, Plot& plot, std::size_t curve, const std::vector<double>& depths) {
    static constexpr std::size_t kOthers[] = {2, 1, 3, 5, 6, 7, 4};
    const bool own = curve == view.shownCurve;
    const Color color = f.theme.series[own ? 0 : kOthers[curve % 7]];
    const std::span row(view.dichotomies->row(curve), depths.size());
    plot.line("growth/measured", depths, row, {color, Dash::Solid, own ? 2.6 : 1.8, view.curveName(curve)});
    plot.markers("growth/measured", depths, row, {color, Dash::Solid, 1, ""}, MarkerShape::Circle, own ? 3.5 : 2.5);
}

}  // namespace

void drawGrowth(PictureFrame& f, const View& view, Rect rect) {
    const auto& depths = view.dichotomies->axes[1].values;
    double lo = 1e300, hi = 2;
    for (const double value : view.dichotomies->values)
        if (value > 0) lo = std::min(lo, value), hi = std::max(hi, value);
    hi = largest(view.flipsMeanField->values, hi);
    lo = std::min(lo, largest({view.flipsMeanField->values[0]}, 1));
    const bool capInSight = view.cap <= 120 * hi;
    Plot plot(f.painter, f.theme, "growth", rect,
              {.label = "remaining depth *r*", .lo = -0.3, .hi = std::max(1.0, depths.back()) + 0.3, .whole = true},
              {.label = "dichotomies", .lo = lo / 1.4, .hi = std::max(hi, capInSight ? view.cap : 0) * 1.6, .scale = Scale::Log},
              zoomOf(f, "growth"));
    if (capInSight) {
        const double x[] = {depths.front() - 0.3, std::max(1.0, depths.back()) + 0.3}, y[] = {view.cap, view.cap};
        plot.line("growth/bound", x, y, {f.theme.muted, Dash::Dotted, 1.6, "2^{" + numberText(static_cast<double>(view.samples)) + "}"});
    }
    plot.line("growth/theory", depths, view.flipsMeanField->values, {f.theme.theory, Dash::Dashed, 1.6, "flips, *k* → ∞"});
    for (std::size_t curve = 0; curve < view.curves; ++curve) drawCurve(f, view, plot, curve, depths);
    offerDepth(f, view, plot);
    const Scalar* growth = f.report.scalar("growth");
    const std::string factor = growth ? "each layer × " + numberText(growth->value, 3) : "dichotomies and depth";
    finishPlot(f, plot, "growth", view.everyLayer ? "only what remains counts" : factor);
}

void drawReadings(PictureFrame& f, const View& view, Rect rect) {
    const auto at = [&](const Array& array) { return numberText(array.row(view.shownCurve)[view.shown], 4); };
    const auto value = [&](const char* name) {
        const Scalar* scalar = f.report.scalar(name);
        return scalar ? numberText(scalar->value, 3) : std::string("–");
    };
    const std::string lines[] = {"*r* = " + numberText(static_cast<double>(view.shown)) + ", mean over draws:",
                                 "dichotomies " + at(*view.dichotomies) + ", label flips " + at(*view.flips),
                                 "flips by Crofton (length/π) " + at(*view.flipsPredicted),
                                 "flips for *k* → ∞ " + numberText(view.flipsMeanField->values[view.shown], 4),
                                 "growth a layer " + value("growth") + "; √χ = " + value("growthMeanField")};
    const double height = std::min(24.0, rect.height() / 5);
    for (std::size_t i = 0; i < 5; ++i)
        f.painter.text("readings", {rect.lo.x, rect.lo.y + height * (static_cast<double>(i) + 0.5)}, lines[i],
                       {.color = i == 0 ? f.theme.muted : f.theme.text, .size = f.theme.smallSize, .v = AlignV::Middle});
}

}  // namespace kappaflow::dichotomies
