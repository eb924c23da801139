// Capacity of the inputs while ν goes from a linear layer to complete decoupling (P1 2.4–2.5).
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/capacity_flow/nu_continuum.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace nu_continuum {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

/// Where ν stands among the rows computed so far.
struct View {
    explicit View(const Seen&);
    const Vector& nu() const { return s.result.nu; }
    const Vector& inputs() const { return s.result.inputs; }
    bool few() const { return inputs().size() <= 8 && !ring; }
    /// Row of [nu, …] where ν stands: between two computed rows in motion, each of them exactly when at rest on it.
    Vector row(const Vector& rows) const;
    /// One number for every computed ν, of [nu] or of one of [nu, input]; the last left out where the total jumps there.
    Vector curve(const Vector& rows, Size input = 0) const;
    double largestCapacity() const;
    Color colorOf(Size input) const { return few() ? s.f.theme.series[input % s.f.theme.series.size()] : capacityColor(s.f.theme); }

    const Seen& s;
    PictureFrame& f;
    bool ring, tree, jumps = false;
    double at;                ///< ν as the reader has it
    std::vector<Size> known;  ///< indices of the ν computed so far, ascending
    Between rows;             ///< ν between two entries of `known`
    Size nearest = 0;         ///< index of the computed ν that words and numbers speak of
};

View::View(const Seen& seen)
    : s(seen),
      f(seen.f),
      ring(seen.asked.kernel == Kernel::Ring3),
      tree(seen.asked.kernel == Kernel::Tree),
      at(std::clamp(seen.params.nu, 0.0, 1.0)) {
    const Vector& total = s.result.total;
    for (Size i = 0; i < total.size(); ++i)
        if (!std::isnan(total[i])) known.push_back(i);
    if (known.empty()) return;
    jumps = total[known.front()] != total[known.back()];
    if (known.size() > 1) {
        Size upper = 1;
        while (upper + 1 < known.size() && nu()[known[upper]] < at) ++upper;
        // As a curve is drawn: straight on the scale of ν. At a jump nothing lies between.
        const auto place = [](double value) { return std::asinh(value / kAsinhUnit); };
        const double low = place(nu()[known[upper - 1]]), high = place(nu()[known[upper]]);
        const double fraction = std::clamp((place(at) - low) / (high - low), 0.0, 1.0);
        const bool across = jumps && known[upper] + 1 == nu().size();
        rows = {upper - 1, upper, across && fraction < 1 ? 0 : fraction};
    }
    nearest = known[rows.fraction < 0.5 ? rows.below : rows.above];
}

Vector View::row(const Vector& values) const {
    const Size length = values.size() / nu().size();
    Vector mixed = rowAt(values, length, static_cast<double>(known[rows.below]));
    if (rows.fraction == 0) return mixed;
    const Vector high = rowAt(values, length, static_cast<double>(known[rows.above]));
    for (Size i = 0; i < length; ++i) mixed[i] = rows.fraction == 1 ? high[i] : mixed[i] + (high[i] - mixed[i]) * rows.fraction;
    return mixed;
}

Vector View::curve(const Vector& values, Size input) const {
    const Size length = values.size() / nu().size();
    Vector along;
    for (const Size i : known)
        if (!jumps || i + 1 < nu().size()) along.push_back(values[i * length + input]);
    return along;
}

double View::largestCapacity() const {
    double top = 1e-12;
    for (const double value : s.result.capacity)
        if (value > top) top = value;
    return top;
}

std::string percent(double share) { return numberText(std::round(100 * share), 3) + " %"; }
std::string inputName(const View& v) { return v.ring ? "position, from the top unit" : v.tree ? "lag *τ*" : "input *i*"; }
/// Of the linear network: black, white at night.
Color linearColor(const View& v) { return v.f.theme.text; }
AxisSpec nuAxis() { return {.label = "decoupling coefficient *ν*", .lo = 0, .hi = 1, .scale = Scale::Asinh}; }

std::string linearWords(const View& v) {
    if (!v.jumps) return v.tree ? "the model is linear" : "a linear network: amplitudes of paths add before they are squared";
    const Vector& total = v.s.result.total;
    return "the total falls from " + inWords(total[v.known[v.known.size() - 2]], 4) + " to " + inWords(total.back(), 4) +
           ", all that a linear map can hold";
}

/// The sentence over the picture: where ν stands and what that means, in words made from the numbers; shorter ones follow.
std::vector<std::string> headlines(const View& v) {
    const Result& r = v.s.result;
    const double nu = r.nu[v.nearest];
    const std::string head = "*ν* = " + numberText(nu, 3);
    if (v.nearest + 1 == r.nu.size()) return {head + ": " + linearWords(v), head + (v.jumps ? ": the total falls" : ": linear"), head};
    const std::string middle = v.ring ? ": variance " + numberText(r.variance[v.nearest]) : "";
    std::string end, half, brief;
    if (nu == 0) {
        end = v.tree            ? ": paths that part anywhere are independent"
              : v.ring          ? ", pure diffusion"
              : r.equation25Gap ? ": Eq 25 needs independent inputs, here it is off by up to " + numberText(*r.equation25Gap, 2)
                                : ": every path stands alone, capacity diffuses";
    } else if (!r.share.empty()) {
        const std::string share = percent(r.share[v.nearest]) + " of the way";
        brief = ": " + share;
        end = (v.ring ? ", " : ": ") + share + " from " + (v.tree ? "decoupled to linear" : "diffusion to interference");
        if (r.crossover) half = "; half-way at *ν* = " + numberText(*r.crossover, 2);
    }
    return {head + middle + end + half, head + middle + end, head + (v.ring ? middle : brief), head};
}

void drawHeadline(const View& v, Rect rect) {
    const TextStyle style{
        .color = v.f.theme.text, .size = rect.width() < 600 ? v.f.theme.smallSize : v.f.theme.textSize, .v = AlignV::Middle};
    for (const auto& sentence : headlines(v)) {
        if (v.f.painter.measure(sentence, style).x > rect.width() - 8) continue;
        return v.f.painter.text("headline", {rect.lo.x + 4, rect.centre().y}, sentence, style);
    }
}

/// Of a ring only where there is capacity.
AxisSpec inputAxis(const View& v, std::string label) {
    const Vector &inputs = v.inputs(), &capacity = v.s.result.capacity;
    double lo = inputs.front(), hi = inputs.back();
    if (v.ring) {
        const double least = 1e-3 * v.largestCapacity();
        double reach = 3;
        for (Size i = 0; i < capacity.size(); ++i)
            if (capacity[i] > least) reach = std::max(reach, std::abs(inputs[i % inputs.size()]));
        lo = std::max(lo, -reach), hi = std::min(hi, reach);
    }
    return {.label = std::move(label), .lo = lo - 0.5, .hi = hi + 0.5, .whole = true, .ticks = true};
}

/// The line at ν, and the handle that drags it from one computed ν to the next.
void dragNu(const View& v, Plot& plot) {
    PictureFrame& f = v.f;
    const double x = plot.toScreen(v.at, 0).x;
    const Rect inner = plot.inner();
    const auto index = static_cast<double>(std::find(v.known.begin(), v.known.end(), v.nearest) - v.known.begin());
    const auto nearest = [&](Vec2 p) {
        const auto apart = [&](Size known) { return std::abs(plot.toScreen(v.nu()[known], 0).x - p.x); };
        const auto best = std::min_element(v.known.begin(), v.known.end(), [&](Size a, Size b) { return apart(a) < apart(b); });
        return static_cast<double>(best - v.known.begin());
    };
    const Handle knob{"nu",
                      "decoupling coefficient ν",
                      "ν = " + inWords(v.nu()[v.nearest], 3),
                      index,
                      0,
                      static_cast<double>(v.known.size() - 1),
                      1,
                      {{x - 12, inner.lo.y - 4}, {x + 12, inner.hi.y + 4}}};
    const auto grip = f.handles.offer(knob, nearest);
    const double wanted = grip.held ? nearest(f.handles.pointer().at) : grip.moved ? std::round(grip.value) : index;
    if (wanted != index) {
        f.changes.push_back(Change::param("play", false));
        f.changes.push_back(Change::param("nu", v.nu()[v.known[static_cast<Size>(wanted)]]));
    }
    const bool lively = grip.lively();
    plot.vertical("curves/now", v.at, {f.theme.accent.withAlpha(lively ? 1.0f : 0.7f), Dash::Solid, lively ? 2.4 : 1.6, ""});
    const double size = lively ? 7.5 : 6;
    const Vec2 arrow[] = {{x - size, inner.lo.y + 1}, {x + size, inner.lo.y + 1}, {x, inner.lo.y + 1 + size * 1.4}};
    f.painter.polygon("curves/handle", arrow, f.theme.accent);
}

/// What holds at ν = 1 alone: a dot, and a ring where the curve below it ends.
void drawJump(const View& v, Plot& plot, const std::string& id, const Vector& values, Size input, Color color) {
    if (!v.jumps) return;
    const Size length = values.size() / v.nu().size(), end = v.known[v.known.size() - 2], rest = v.known.back();
    const Vec2 open = plot.toScreen(1, values[end * length + input]), closed = plot.toScreen(1, values[rest * length + input]);
    const Rect reach = plot.inner().inset(-1, -1, -1, -1);
    if (!reach.contains(open) || !reach.contains(closed)) return;
    v.f.painter.marker(id + "/open", open, 3.4, MarkerShape::Circle, v.f.theme.ground, Stroke{color, 1.6});
    v.f.painter.marker(id + "/closed", closed, 3.6, MarkerShape::Circle, color, Stroke{v.f.theme.ground, 1});
}

/// Capacity against ν, a curve for each of few inputs.
Curves capacityCurves(const View& v) {
    const Result& r = v.s.result;
    Curves curves{.id = "curves",
                  .title = "capacity against *ν*",
                  .x = nuAxis(),
                  .y = {.label = "capacity *κ*", .lo = 0, .hi = v.largestCapacity() * 1.1},
                  .fit = Fit::Given};
    for (Size i = 0; i < r.inputs.size(); ++i)
        curves.curves.push_back({"capacity", v.curve(r.nu), v.curve(r.capacity, i), Role::Measurement,
                                 (v.tree ? "lag " : "input ") + std::to_string(i), v.colorOf(i), 2.2});
    curves.more = [v](PictureFrame& f, Plot& plot) {
        const Result& result = v.s.result;
        if (result.crossover) plot.vertical("curves/half", *result.crossover, {f.theme.muted, Dash::Dotted, 1.2, ""});
        for (Size i = 0; i < result.inputs.size(); ++i) drawJump(v, plot, "curves/jump", result.capacity, i, v.colorOf(i));
        dragNu(v, plot);
        const Vector now = v.row(result.capacity);
        for (Size i = 0; i < now.size(); ++i) {
            const double x[] = {v.at}, y[] = {now[i]};
            plot.markers("curves/here", x, y, {v.colorOf(i), Dash::Solid, 2, ""}, MarkerShape::Circle, 4.5);
        }
    };
    return curves;
}

/// Of many inputs: a field below ν = 1. A ν not computed yet borrows the nearest one's column.
void drawCapacityField(const View& v, Rect rect) {
    const Result& r = v.s.result;
    const Size n = r.inputs.size(), length = r.nu.size() - 1;
    Vector values(n * length);
    for (Size i = 0; i < length; ++i) {
        Size nearest = v.known.front();
        for (const Size k : v.known)
            if (k < length && std::max(k, i) - std::min(k, i) < std::max(nearest, i) - std::min(nearest, i)) nearest = k;
        for (Size k = 0; k < n; ++k) values[k * length + i] = r.capacity[nearest * n + k];
    }
    const double top = v.largestCapacity();
    const bool bar = rect.width() >= 300;
    const Rect map{rect.lo, {rect.hi.x - (bar ? 58 : 6), rect.hi.y}};
    Plot plot = plotIn(v.f, "curves", map, nuAxis(), inputAxis(v, v.ring && rect.height() < 200 ? "position" : inputName(v)));
    plot.heat("curves/field", {r.nu.data(), length}, r.inputs, {n, length, values, 0, top, false, ColorMap::Capacity});
    if (r.crossover) plot.vertical("curves/half", *r.crossover, {v.f.theme.muted, Dash::Dotted, 1.2, ""});
    dragNu(v, plot);
    finishPlot(v.f, plot, "curves", v.ring ? "diffusion (left) becomes interference (right)" : "capacity against *ν*");
    if (bar)
        colorBar(v.f.painter, v.f.theme, "curves/colors", {{map.hi.x + 6, plot.inner().lo.y}, {rect.hi.x, plot.inner().hi.y}},
                 ColorMap::Capacity, {.label = "*κ*", .lo = 0, .hi = top});
}

/// What the marks on the bars are, at the right of the title.
void drawLegend(const View& v, const Rect& inner) {
    if (inner.width() < 270) return;
    double right = inner.hi.x;
    const auto entry = [&](const char* id, const std::string& text, MarkerShape shape, Color color) {
        const TextStyle style{.color = color, .size = v.f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle};
        v.f.painter.text(id, {right, inner.lo.y - 10}, text, style);
        right -= v.f.painter.measure(text, style).x + 8;
        v.f.painter.marker(id, {right, inner.lo.y - 10}, 4, shape, color);
        right -= 14;
    };
    if (!v.s.result.linear.empty()) entry("bars/legend-1", "linear", MarkerShape::Diamond, linearColor(v));
    if (!v.s.result.diffused.empty())
        entry("bars/legend-0", v.s.asked.layers == 1 ? "Eq 25" : "Eq 28", MarkerShape::Circle, v.f.theme.theory);
}

/// Capacity of the inputs at this ν, and of both ends by theory: bars, or a curve of many.
void drawBars(const View& v, Rect rect) {
    const Result& r = v.s.result;
    const Theme& theme = v.f.theme;
    const double top = largest(r.linear, largest(r.diffused, v.largestCapacity()));
    const Vector now = v.row(r.capacity);
    Plot plot = plotIn(v.f, "bars", rect, inputAxis(v, inputName(v)), {.label = "capacity *κ*", .lo = 0, .hi = top * 1.12});
    if (v.ring || now.size() > 64) {
        plot.area("bars/capacity", r.inputs, now, capacityColor(theme).withAlpha(0.25f));
        plot.line("bars/capacity", r.inputs, now, {capacityColor(theme), Dash::Solid, 2.2, ""});
        if (!r.diffused.empty()) plot.line("bars/theory-0", r.inputs, r.diffused, {theme.theory, Dash::Dashed, 1.4, "diffusion"});
        if (!r.linear.empty()) plot.line("bars/theory-1", r.inputs, r.linear, {linearColor(v), Dash::Dashed, 1.4, "linear"});
    } else {
        for (Size i = 0; i < now.size(); ++i) {
            const double x[] = {r.inputs[i]}, y[] = {now[i]};
            plot.bars("bars/capacity", x, y, 0.72, v.colorOf(i).withAlpha(v.few() ? 0.85f : 1.0f));
        }
        // More marks than these hide the bars.
        const bool marks = now.size() <= 24;
        if (!r.diffused.empty() && marks)
            plot.markers("bars/theory-0", r.inputs, r.diffused, {theme.theory, Dash::Solid, 2, ""}, MarkerShape::Circle, 4.5);
        if (!r.linear.empty() && marks)
            plot.markers("bars/theory-1", r.inputs, r.linear, {linearColor(v), Dash::Solid, 2, ""}, MarkerShape::Diamond, 4.5);
        if (marks) drawLegend(v, plot.inner());
    }
    finishPlot(v.f, plot, "bars", "*ν* = " + numberText(v.nu()[v.nearest], 3) + ", total " + numberText(r.total[v.nearest]));
}

/// How much of the change is made, and λ; of rings the variance.
Curves changeCurves(const View& v) {
    const Result& r = v.s.result;
    const Color blue = capacityColor(v.f.theme);
    Curves curves{.id = "change", .x = nuAxis(), .y = {.label = "share of the change", .lo = 0}, .fit = Fit::Given, .now = v.at};
    if (v.ring) {
        curves.title = "how far one unit's capacity spreads", curves.y.label = "variance";
        curves.curves = {{"measured", v.curve(r.nu), v.curve(r.variance), Role::Measurement, "", blue, 2.2}};
    } else {
        const double ratio = r.crossover && r.predictedCrossover ? *r.crossover / *r.predictedCrossover : 0;
        curves.title = !r.crossover                 ? "how much of the change is made"
                       : !r.predictedCrossover      ? "half of the change is made by *ν* = " + numberText(*r.crossover, 2)
                       : ratio > 0.6 && ratio < 1.6 ? "half of the change is made near 1/√*m*"
                                                    : "half of the change is made, but not near 1/√*m*";
        if (!r.coherence.empty())
            curves.curves = {{"theory", v.curve(r.nu), v.curve(r.coherence), Role::Theory, "*λ* of one layer", std::nullopt, 1.6}};
        curves.curves.push_back({"measured", v.curve(r.nu), v.curve(r.share), Role::Measurement, "change", blue, 2.2});
    }
    const double ends = std::max(r.varianceDiffused.value_or(0), r.varianceLinear.value_or(0));
    curves.y.hi = 1.15 * std::max(ends, largest(curves.curves.back().y, v.ring ? 1e-9 : 1));
    curves.more = [v](PictureFrame& f, Plot& plot) {
        const Result& result = v.s.result;
        if (result.varianceDiffused)
            plot.horizontal("change/theory-0", *result.varianceDiffused, {f.theme.theory, Dash::Dashed, 1.4, "diffusion"});
        if (result.varianceLinear)
            plot.horizontal("change/theory-1", *result.varianceLinear, {linearColor(v), Dash::Dashed, 1.4, "linear"});
        if (result.crossover)
            plot.vertical("change/half", *result.crossover,
                          {f.theme.muted, Dash::Dotted, 1.2, "half: " + numberText(*result.crossover, 2)});
        if (result.predictedCrossover)
            plot.vertical("change/theory", *result.predictedCrossover,
                          {f.theme.theory, Dash::Dashed, 1.2, "1/√*m* = " + numberText(*result.predictedCrossover, 2)});
    };
    return curves;
}

Curves totalCurve(const View& v) {
    const Result& r = v.s.result;
    Curves curves{.id = "total",
                  .title = "the total jumps at *ν* = 1",
                  .x = nuAxis(),
                  .y = {.label = "total", .lo = 0, .hi = largest(v.curve(r.total), 1) * 1.25, .whole = true},
                  .fit = Fit::Given,
                  .now = v.at};
    curves.curves = {{"capacity", v.curve(r.nu), v.curve(r.total), Role::Measurement, "", capacityColor(v.f.theme), 2.2}};
    curves.more = [v](PictureFrame& f, Plot& plot) { drawJump(v, plot, "total/jump", v.s.result.total, 0, capacityColor(f.theme)); };
    return curves;
}

/// A field of rows above the bars, which shares their inputs.
void drawField(const View& v, const std::string& id, Rect rect, AxisSpec x, std::string label, std::string_view title, const Field2D& field,
               const Vector& columns, const Vector& rows) {
    x.ticks = false;
    Plot plot =
        plotIn(v.f, id, rect, x, {.label = std::move(label), .lo = -0.5, .hi = static_cast<double>(field.rows) - 0.5, .whole = true});
    plot.heat(id + "/field", columns, rows, field);
    finishPlot(v.f, plot, id, title);
}

void drawLayers(const View& v, Rect rect) {
    const Result& r = v.s.result;
    const Size layers = r.layerIndices.size(), units = r.units.size();
    const Vector values = v.row(r.layerCapacity);
    double top = 1e-12;
    // The top unit holds all: the scale is that of the layers below it.
    for (Size i = 0; i < (layers - 1) * units; ++i)
        if (values[i] > top) top = values[i];
    AxisSpec x = inputAxis(v, "");
    if (!v.ring) x.hi = r.units.back() + 0.5;
    drawField(v, "layers", rect, x, "layer *l*", "on its way down to the inputs",
              {layers, units, values, v.ring ? top * 1e-3 : 0, top, v.ring, ColorMap::Capacity}, r.units, r.layerIndices);
}

/// p_ij u_j above the bars they make.
void drawAmplitudes(const View& v, Rect rect) {
    const Result& r = v.s.result;
    const Size inputs = r.inputs.size(), features = r.features.size();
    Vector values(r.amplitude.size());
    double top = 1e-12;
    for (Size i = 0; i < values.size(); ++i) {
        values[i % features * inputs + i / features] = r.amplitude[i];
        top = std::max(top, std::abs(r.amplitude[i]));
    }
    drawField(v, "amplitudes", rect, inputAxis(v, ""), "feature *j*", "amplitudes *p*_{*ij*}*u*_{*j*} of the paths",
              {features, inputs, values, -top, top, false, ColorMap::Diverging}, r.inputs, r.features);
}

Layout layout(const Seen& s) {
    const View v(s);
    const auto of = [v](void (*draw)(const View&, Rect)) { return [v, draw](Rect rect) { draw(v, rect); }; };
    if (v.known.empty()) return s.panel(0, {200, 100}, [&s](Rect) { emptyPicture(s.f, "The capacity is being computed."); });
    std::vector<Layout> left, right;
    const bool layers = s.result.layerIndices.size() > 2 && !s.result.layerCapacity.empty();
    if (layers || !s.result.amplitude.empty()) left.push_back(s.panel(4, {200, 120}, of(layers ? drawLayers : drawAmplitudes)).share(0.72));
    left.push_back(s.panel(1, {200, 140}, of(drawBars)));
    right.push_back(v.few() ? s.panel(0, {200, 150}, capacityCurves(v)) : s.panel(0, {200, 150}, of(drawCapacityField)));
    if (v.ring || !s.result.share.empty()) right.push_back(s.panel(2, {200, 150}, changeCurves(v)).share(0.62));
    if (v.jumps) right.push_back(s.panel(3, {200, 110}, totalCurve(v)).share(0.5));
    return Layout::rows({s.panel(0, {200, 22}, of(drawHeadline)).share(0.01),
                         Layout::columns({Layout::rows(std::move(left)).share(0.85), Layout::rows(std::move(right))})});
}

}  // namespace
}  // namespace nu_continuum

PictureEntry nu_continuum_picture() { return tablePicture<nu_continuum::kScene, nu_continuum::layout>(); }

}  // namespace kappaflow
