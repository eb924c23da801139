// Transitions against length for all curves, and layer by layer for the drawn network.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/transitions/picture_view.h"

namespace kappaflow::transitions {
namespace {

struct Range {
    double lo = 1e300, hi = 0;
    void include(double value) {
        if (value > 1e-9) lo = std::min(lo, value), hi = std::max(hi, value);
    }
    AxisSpec axis(std::string label, bool logarithmic, double room) const {
        if (!(hi > 0)) return {.label = std::move(label), .lo = 0, .hi = 1};
        if (!logarithmic) return {.label = std::move(label), .lo = 0, .hi = hi * (1 + room / 8)};
        return {.label = std::move(label), .lo = lo / 1.3, .hi = hi * (1 + room), .scale = Scale::Log};
    }
};

/// Transitions of every layer beside the length that it reads: the first entry is layer 1.
struct Points {
    std::vector<double> length, transitions, predicted;
};
Points pointsOf(const View& view, std::size_t curve) {
    Points points;
    for (std::size_t l = 1; l <= view.layers; ++l) {
        points.length.push_back(view.length->row(curve)[l - 1]);
        points.transitions.push_back(view.transitions->row(curve)[l]);
        points.predicted.push_back(view.predicted->row(curve)[l]);
    }
    return points;
}

Color colorOf(const PictureFrame& f, std::size_t curve) {
    static constexpr std::size_t kOrder[] = {0, 2, 1, 3, 5, 6, 7, 4};
    return f.theme.series[kOrder[curve % 8]];
}

std::string nameOf(const View& view, std::size_t curve) {
    if (!view.widths) return "";
    return "*k* " + numberText(view.widths->values[curve]) + ", *σ*² " + numberText(view.variances->values[curve], 3);
}

/// The upright line of the layer shown, which is also the handle that scrubs.
void offerLayer(PictureFrame& f, const View& view, Plot& plot) {
    plot.vertical("layers/now", view.at + 1, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (view.last < 1) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(view.at + 1, 1).x;
    const Handle handle{"layer",
                        "layer shown",
                        "layer " + std::to_string(view.nearest()),
                        view.at,
                        0,
                        view.last,
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return plot.toData(p).x - 1; });
    drawKnob(f, "layers/knob", {x, inner.hi.y - 7}, grip);
    if (!grip.moved) return;
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", grip.value));
}

/// Whether the first curve's rows hold the same numbers, or none.
bool sameRow(const Array& a, const Array& b) {
    return std::equal(a.row(0), a.row(0) + a.rowLength(), b.row(0),
                      [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

}  // namespace

void drawProportion(PictureFrame& f, const View& view, Rect rect) {
    const bool logarithmic = f.state.params.is("axes", "logarithmic");
    Range lengths, counts;
    for (std::size_t c = 0; c < view.curves; ++c) {
        const Points p = pointsOf(view, c);
        for (std::size_t i = 0; i < p.length.size(); ++i)
            if (!std::isnan(p.transitions[i])) {
                lengths.include(p.length[i]);
                counts.include(p.transitions[i]);
                counts.include(p.predicted[i]);
            }
    }
    Plot plot(f.painter, f.theme, "proportion", rect, lengths.axis("length of the image", logarithmic, 1.2),
              counts.axis("sign changes of a unit", logarithmic, 0.6), zoomOf(f, "proportion"));
    for (std::size_t c = view.curves; c-- > 0;) {
        const Points p = pointsOf(view, c);
        const Color color = colorOf(f, c);
        plot.line("proportion/theory", p.length, p.predicted, {color, Dash::Dashed, 1.4, ""});
        plot.markers("proportion/measured", p.length, p.transitions, {color, Dash::Solid, 1, nameOf(view, c)}, MarkerShape::Circle,
                     c == 0 ? 4.2 : 3);
    }
    const std::size_t next = view.nearest() + 1;
    if (next <= view.layers && !std::isnan(view.transitions->row(0)[next])) {
        const double x[] = {view.length->row(0)[next - 1]}, y[] = {view.transitions->row(0)[next]};
        plot.markers("proportion/now", x, y, {f.theme.accent, Dash::Solid, 1, ""}, MarkerShape::Diamond, 6.5);
    }
    const Scalar* slope = f.report.scalar("slope");
    std::string title = view.widths ? "dashed: length/π" : "dashed: random units";
    if (slope && rect.width() > 330)
        title = "slope " + numberText(slope->value, 3) + ", *r*² " + numberText(f.report.scalar("r2")->value, 4);
    finishPlot(f, plot, "proportion", title);
}

void drawLayers(PictureFrame& f, const View& view, Rect rect) {
    struct Kind {
        const Array *measured, *theory;
        Color color;
        const char* label;
    };
    const bool apart = view.hardTanh || !sameRow(*view.saturations, *view.transitions);
    std::vector<Kind> kinds{{view.pieces, view.piecesPredicted, f.theme.series[2], "patterns"},
                            {view.transitions, view.predicted, f.theme.series[0], apart ? "sign" : "sign changes"}};
    if (apart) kinds.push_back({view.saturations, view.saturationsPredicted, f.theme.series[3], view.hardTanh ? "±1" : "bends"});
    std::vector<double> layers;
    Range range;
    for (std::size_t l = 1; l <= view.layers; ++l) {
        layers.push_back(static_cast<double>(l));
        for (const Kind& kind : kinds) range.include(kind.measured->row(0)[l]);
    }
    Plot plot(f.painter, f.theme, "layers", rect,
              {.label = "layer that reads",
               .lo = 0.6,
               .hi = static_cast<double>(view.layers) + std::max(1.0, 0.16 * static_cast<double>(view.layers)),
               .whole = true},
              range.axis("a unit's changes; patterns", true, 1), zoomOf(f, "layers"));
    for (const Kind& kind : kinds) {
        plot.line("layers/measured", layers, std::span(kind.measured->row(0) + 1, view.layers), {kind.color, Dash::Solid, 2.2, kind.label});
        plot.line("layers/theory", layers, std::span(kind.theory->row(0) + 1, view.layers), {f.theme.theory, Dash::Dashed, 1.5, ""});
    }
    offerLayer(f, view, plot);
    finishPlot(f, plot, "layers", "counted, and length/π");
}

}  // namespace kappaflow::transitions
