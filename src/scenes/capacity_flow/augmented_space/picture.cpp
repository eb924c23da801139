// A layer redrawn as its augmented, path-decoupled form (P1 Figs 1 and 2), with Σ̃ and the capacities by both routes.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/capacity_flow/augmented_space/picture_redrawing.h"
#include "scenes/capacity_flow/picture_blocks.h"

namespace kappaflow {
namespace augmented {

// Every block slides from the whole square to its place as the inputs are repeated, and takes its own values as the copies take their η.
void drawCovariance(PictureFrame& f, const View& v, Vec2 at, double side) {
    const TextStyle text{.color = f.theme.text, .size = f.theme.tinySize};
    const bool roomy = side > 150;
    const std::string title = v.carried > 0.5  ? (roomy ? "*Σ*^{~} of the copies" : "*Σ*^{~}")
                              : v.spread > 0.5 ? (roomy ? "*Σ* repeated (Eq 10)" : "*Σ* repeated")
                              : roomy          ? "*Σ* of the inputs"
                                               : "*Σ*";
    f.painter.text("covariance/title", at, elide(f.painter, title, text, side), text);
    const double row = decoupling::blockLines(f, false);
    const Rect square{at + Vec2{0, row}, at + Vec2{side, row + side}};
    const std::size_t n = v.inputs, m = v.units, size = n * m;
    std::vector<double> values(n * n), all(size * size);
    const auto& tilde = v.sigmaTilde->values;
    const double cell = side / static_cast<double>(m);
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t k = 0; k < m; ++k) {
            for (std::size_t r = 0; r < n; ++r)
                for (std::size_t c = 0; c < n; ++c) {
                    const double sigma = tilde[r * size + c], own = tilde[(j * n + r) * size + k * n + c];
                    values[r * n + c] = all[(j * n + r) * size + k * n + c] = sigma + (own - sigma) * v.carried;
                }
            const Vec2 home = square.lo + Vec2{cell * static_cast<double>(k), cell * static_cast<double>(j)};
            const Vec2 lo = square.lo + (home - square.lo) * v.spread;
            const double length = side + (cell - side) * v.spread;
            const Rect block{lo, lo + Vec2{length, length}};
            f.painter.field("covariance", block, {.rows = n, .cols = n, .values = values, .lo = -1, .hi = 1, .map = ColorMap::Diverging});
            f.painter.frame("covariance/block", block, {mix(f.theme.line, colorOf(f, j), j == k ? v.spread : 0.0), j == k ? 1.5 : 1.0});
        }
    if (v.spread > 0.99) decoupling::readOffBlocks(f, {"covariance", "", "", all, n, m}, square);
}

void drawCapacities(PictureFrame& f, const View& v, Rect rect) {
    const double n = static_cast<double>(v.inputs);
    double top = largest(v.direct->values, largest(v.capacity->values, 1e-9));
    Plot plot(f.painter, f.theme, "bars", rect, {.label = rect.height() > 150 ? "input *i*" : "", .lo = 0.4, .hi = n + 0.6, .whole = true},
              {.label = "capacity *κ*", .lo = 0, .hi = std::max(top * 1.2, 1.0)});
    for (std::size_t i = 0; i < v.inputs; ++i) {
        const double x = static_cast<double>(i) + 1;
        double sum = 0;
        for (std::size_t j = 0; j < v.units; ++j) {
            const double part = v.copies->values[j * v.inputs + i];
            const Vec2 a = plot.toScreen(x - 0.3, sum + part), b = plot.toScreen(x + 0.3, sum);
            f.painter.rect("bars/copy", {a, b}, colorOf(f, j).withAlpha(0.75f));
            sum += part;
        }
        const double level = v.direct->values[i];
        const Vec2 ends[] = {plot.toScreen(x - 0.38, level), plot.toScreen(x + 0.38, level)};
        f.painter.line("bars/theory", ends, {f.theme.theory, 2, Dash::Dashed});
    }
    // A heading of two facts: what stands dashed, and how far it is.
    const Scalar* difference = f.report.scalar("difference");
    const bool linear = f.report.scalar("repetition");
    const std::string apart = difference ? numberText(difference->value, 2) : "";
    std::string title = linear ? "direct route dashed: " + apart + " apart" : "dashed: if it were linear, ≤ " + apart + " apart";
    if (f.painter.measure(title, {.color = f.theme.text, .size = f.theme.smallSize}).x > rect.width() - 44)
        title = linear ? "dashed: direct" : "dashed: linear";
    finishPlot(f, plot, "bars", title);
}

}  // namespace augmented

namespace {

using namespace augmented;

class AugmentedPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        const View view = readView(f);
        if (view.units == 0) return emptyPicture(f, "The layer is being redrawn.");
        const Rect a = f.area;
        if (!f.compact) return layDesk(f, view, a);
        a.width() > 1.25 * a.height() ? layRow(f, view, a) : layColumn(f, view, a);
    }

private:
    void layDesk(PictureFrame& f, const View& v, Rect a) {
        const double right = std::clamp(a.width() * 0.36, 240.0, 460.0), lines = decoupling::blockLines(f, false), bar = 58;
        const double side = std::min(right - bar, a.height() * 0.54 - lines);
        drawRedrawing(f, v, {a.lo, {a.hi.x - right - 24, a.hi.y}});
        const Vec2 at{a.hi.x - right, a.lo.y + 4};
        drawCovariance(f, v, at, side);
        colorBar(f.painter, f.theme, "covariance/bar", {{at.x + side + 10, at.y + lines}, {at.x + side + bar, at.y + lines + side}},
                 ColorMap::Diverging, {.label = "", .lo = -1, .hi = 1});
        drawCapacities(f, v, {{at.x - 6, at.y + lines + side + 10}, a.hi});
    }
    // Side by side: the redrawing, Σ̃, and the bars where three fit.
    void layRow(PictureFrame& f, const View& v, Rect a) {
        const double lines = decoupling::blockLines(f, false);
        const bool three = a.width() >= 600;
        const double side = std::min(a.height() - lines - 8, a.width() * (three ? 0.29 : 0.42));
        const double bars = three ? std::min(a.width() * 0.28, 240.0) : 0, left = a.width() - side - bars - (three ? 28 : 14);
        drawRedrawing(f, v, {a.lo, {a.lo.x + left, a.hi.y}});
        drawCovariance(f, v, {a.lo.x + left + 12, a.lo.y + 2}, side);
        if (three) drawCapacities(f, v, {{a.hi.x - bars, a.lo.y}, a.hi});
    }
    void layColumn(PictureFrame& f, const View& v, Rect a) {
        const double lines = decoupling::blockLines(f, false), side = std::min(a.width() * 0.44, a.height() * 0.4 - lines);
        const double split = a.hi.y - side - lines - 8;
        drawRedrawing(f, v, {a.lo, {a.hi.x, split}});
        drawCovariance(f, v, {a.lo.x + 6, split + 4}, side);
        drawCapacities(f, v, {{a.lo.x + side + 14, split}, a.hi});
    }
};

}  // namespace

PictureEntry augmented_space_picture() {
    return {"augmented-space", [] { return std::unique_ptr<Picture>(std::make_unique<AugmentedPicture>()); }};
}

}  // namespace kappaflow
