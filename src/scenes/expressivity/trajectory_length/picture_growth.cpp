// Length against depth, and growth against width and weight variance, each with its theory.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/trajectory_length/picture_view.h"

namespace kappaflow::trajectory_length {
namespace {

using Vector = std::vector<double>;

/// Positive ends of a log axis around what it must show.
struct Range {
    double lo = 1e300, hi = 0;
    void include(const Vector& values) {
        for (const double value : values)
            if (value > 1e-12 && value < 1e300) lo = std::min(lo, value), hi = std::max(hi, value);
    }
    AxisSpec axis(std::string label, double room) const {
        if (!(hi > 0)) return {.label = std::move(label), .lo = 0.1, .hi = 1, .scale = Scale::Log};
        return {.label = std::move(label), .lo = lo / room, .hi = hi * room, .scale = Scale::Log};
    }
};

Series dashed(const Theme& theme, std::string label) { return {theme.theory, Dash::Dashed, 1.6, std::move(label)}; }
Series dotted(const Theme& theme, std::string label) { return {theme.muted, Dash::Dotted, 1.6, std::move(label)}; }

void drawLayer(PictureFrame& f, const View& view, Plot& plot) {
    plot.vertical("length/now", view.at, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (view.layers == 0) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(view.at, 1).x, last = static_cast<double>(view.layers);
    const Handle handle{
        "layer", "layer shown", "layer " + std::to_string(view.layer()), view.at, 0, last, 1, {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return plot.toData(p).x; });
    drawKnob(f, "length/knob", {x, inner.hi.y - 7}, grip);
    if (!grip.moved) return;
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", std::clamp(grip.value, 0.0, last)));
}

/// Index of the value nearest in ratio.
std::size_t nearest(const Vector& values, double to) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < values.size(); ++i)
        if (std::abs(std::log(values[i] / to)) < std::abs(std::log(values[best] / to))) best = i;
    return best;
}

/// A [width, weightVariance] array along one axis, at one index of the other.
Vector along(const Array& both, bool width, std::size_t other) {
    const std::size_t columns = both.axes[1].size();
    Vector values;
    for (std::size_t i = 0; i < both.axes[width ? 0 : 1].size(); ++i)
        values.push_back(both.values[width ? i * columns + other : other * columns + i]);
    return values;
}

Vector errorsAlong(const Array& both, bool width, std::size_t other) {
    Array errors = both;
    errors.values = both.standardError;
    return along(errors, width, other);
}

/// A param of the main network on a chart's axis, dragged along it.
void offerParam(PictureFrame& f, Plot& plot, const char* key, const char* label, double most, double step) {
    const double value = f.state.params.number(key);
    plot.vertical(std::string(key) + "/now", value, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    const Rect inner = plot.inner();
    const Vec2 at{plot.toScreen(value, 1).x, inner.hi.y - 7};
    if (at.x < inner.lo.x - 1 || at.x > inner.hi.x + 1) return;
    const Handle handle{key, label, inWords(value), value, step, most, step, knobRect(at)};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) {
        const double wanted = plot.toData({p.x, at.y}).x;
        return step == 1 ? std::round(wanted) : std::round(wanted * 20) / 20;
    });
    drawKnob(f, std::string(key) + "/knob", at, grip);
    if (grip.moved) f.changes.push_back(Change::param(key, std::max(grip.value, step)));
}

/// One chart of the sweep: growth along `width` or along the variance, the row nearest to the main network's in front.
class GrowthChart {
public:
    GrowthChart(PictureFrame& frame, const View& view, bool width)
        : f_(frame),
          view_(view),
          width_(width),
          x_(view.sweep->axes[width ? 0 : 1].values),
          others_(view.sweep->axes[width ? 1 : 0].values),
          chosen_(nearest(others_, frame.state.params.number(width ? "weightVariance" : "width"))) {}

    void draw(Rect rect) {
        const std::string id = width_ ? "by-width" : "by-variance", key = width_ ? "width" : "weightVariance";
        const double own = f_.state.params.number(key);
        Range across, up;
        across.include(x_);
        across.include({own});
        up.include(view_.sweep->values);
        up.include(line(view_.sweepTheoremBase));
        up.include({1});
        Plot plot(f_.painter, f_.theme, id, rect, across.axis(width_ ? "width *k*" : "weight variance *σ*_{w}^{2}", 1.15),
                  up.axis("growth a layer", 1.08), zoomOf(f_, id));
        plot.horizontal(id + "/one", 1, {f_.theme.line, Dash::Solid, 1.2, ""});
        drawMeasured(plot, id);
        drawTheory(plot, id);
        if (width_)
            offerParam(f_, plot, "width", "width", 512, 1);
        else
            offerParam(f_, plot, "weightVariance", "weight variance", 100, 0.25);
        finishPlot(f_, plot, id, title(rect));
    }

private:
    Vector line(const Array* both) const { return both ? along(*both, width_, chosen_) : Vector{}; }

    std::string title(Rect rect) const {
        const std::string other = width_ ? "*σ*_{w}^{2} = " + inWords(others_[chosen_]) : "*k* = " + inWords(others_[chosen_]);
        const std::string what = width_ ? "growth against width" : "growth against weight variance";
        return rect.width() > 300 ? what + " (" + other + ")" : other;
    }

    void drawMeasured(Plot& plot, const std::string& id) {
        for (std::size_t i = 0; i < others_.size(); ++i) {
            const bool front = i == chosen_;
            const Vector growth = along(*view_.sweep, width_, i), errors = errorsAlong(*view_.sweep, width_, i);
            const Color color = front ? f_.theme.series[0] : f_.theme.series[0].withAlpha(0.4f);
            if (front) {
                Vector low = growth, high = growth;
                for (std::size_t j = 0; j < growth.size(); ++j) {
                    low[j] -= errors[j];
                    high[j] += errors[j];
                }
                plot.band(id + "/band", x_, low, high, color.withAlpha(0.2f));
            }
            const bool named = !width_ || i == 0 || i + 1 == others_.size();
            const std::string name = named ? (width_ ? "*σ*_{w}^{2} = " : "*k* = ") + inWords(others_[i]) : "";
            plot.line(id + "/measured", x_, growth, {color, Dash::Solid, front ? 2.4 : 1.2, front ? "measured" : name});
            plot.markers(id + "/measured", x_, growth, {color, Dash::Solid, 1, ""}, MarkerShape::Circle, front ? 3 : 2);
        }
    }

    void drawTheory(Plot& plot, const std::string& id) {
        Vector meanField = view_.sweepMeanField->values, upper = view_.sweepUpperBound->values;
        if (width_) {
            meanField.assign(x_.size(), meanField[chosen_]);
            upper.assign(x_.size(), upper[chosen_]);
        }
        if (view_.sweepExact)
            plot.line(id + "/exact", x_, line(view_.sweepExact), dashed(f_.theme, "exact *g*"));
        else
            plot.line(id + "/mean-field", x_, meanField, dashed(f_.theme, "√*χ*"));
        if (view_.sweepTheoremBase) plot.line(id + "/theorem", x_, line(view_.sweepTheoremBase), dotted(f_.theme, "*B*"));
        plot.line(id + "/upper", x_, upper, dotted(f_.theme, "*σ*_{w}"));
    }

    PictureFrame& f_;
    const View& view_;
    bool width_;
    const Vector &x_, &others_;
    std::size_t chosen_;
};

}  // namespace

void drawLengths(PictureFrame& f, const View& view, Rect rect) {
    const Vector layers = countUp(view.layers + 1);
    const Array& length = *view.length;
    Vector low = length.values, high = length.values;
    for (std::size_t l = 0; l < low.size(); ++l) {
        low[l] = std::max(low[l] - length.standardError[l], 1e-300);
        high[l] += length.standardError[l];
    }
    Range range;
    range.include(length.values);
    if (view.meanField) range.include(view.meanField->values);
    if (view.theoremBase) range.include(view.theoremBase->values);
    Plot plot(f.painter, f.theme, "length", rect,
              {.label = "layer *d*", .lo = 0, .hi = static_cast<double>(std::max<std::size_t>(view.layers, 1)), .whole = true},
              range.axis("length *l*_{*d*}", 1.4), zoomOf(f, "length"));
    if (view.upperBound) plot.line("length/upper", layers, view.upperBound->values, dotted(f.theme, "*σ*_{w}^{*d*}"));
    if (view.theoremBase) plot.line("length/theorem", layers, view.theoremBase->values, dotted(f.theme, "Theorem 1, *B*^{*d*}"));
    plot.band("length/band", layers, low, high, f.theme.series[0].withAlpha(0.22f));
    plot.line("length/measured", layers, length.values, {f.theme.series[0], Dash::Solid, 2.4, "measured"});
    plot.markers("length/measured", layers, length.values, {f.theme.series[0], Dash::Solid, 1, ""}, MarkerShape::Circle, 2.6);
    if (view.exactLength)
        plot.line("length/exact", layers, view.exactLength->values, dashed(f.theme, "exact *g*^{*d*}"));
    else if (view.meanField)
        plot.line("length/mean-field", layers, view.meanField->values, dashed(f.theme, "mean field"));
    drawLayer(f, view, plot);
    const bool wide = rect.width() > 300;
    const auto grows = [&](const char* name) { return "×" + numberText(f.report.scalar(name)->value, 4); };
    std::string title = grows("growthPerLayer") + " a layer";
    if (f.report.scalar("heGrowth"))
        title += wide ? ", ×*g*; He's *σ*_{w}^{2} = 2 has *g* = " + numberText(f.report.scalar("heGrowth")->value, 4) : "";
    else if (!view.meanField)
        title += wide ? "; no theory: the weights are not random" : "";
    else if (wide)
        title += " (mean field " + grows("meanFieldGrowth") + ")";
    finishPlot(f, plot, "length", title);
}

void drawGrowthByWidth(PictureFrame& f, const View& view, Rect rect) { GrowthChart(f, view, true).draw(rect); }
void drawGrowthByVariance(PictureFrame& f, const View& view, Rect rect) { GrowthChart(f, view, false).draw(rect); }

}  // namespace kappaflow::trajectory_length
