// Capacity of the inputs while ν goes from a linear layer to complete decoupling (P1 2.4–2.5).
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/capacity_flow/nu_continuum/picture_view.h"

namespace kappaflow {
namespace continuum {
namespace {

using Size = std::size_t;

double place(double nu) { return std::asinh(nu / kAsinhUnit); }

// As a curve is drawn: straight on the scale of ν. At a jump nothing lies between.
Between betweenKnown(const View& v) {
    Size upper = 1;
    while (upper + 1 < v.known.size() && v.nu()[v.known[upper]] < v.at) ++upper;
    if (v.known.size() < 2) return {0, 0, 0};
    const double low = v.nu()[v.known[upper - 1]], high = v.nu()[v.known[upper]];
    const double fraction = std::clamp((place(v.at) - place(low)) / (place(high) - place(low)), 0.0, 1.0);
    const bool across = v.jumps && v.known[upper] + 1 == v.nu().size();
    return {upper - 1, upper, across && fraction < 1 ? 0 : fraction};
}

std::string percent(double share) { return inWords(std::round(100 * share), 3) + " %"; }

std::string linearWords(const View& v) {
    if (!v.jumps) return v.tree ? "the model is linear" : "a linear network: amplitudes of paths add before they are squared";
    const auto& total = v.total->values;
    return "the total falls from " + inWords(total[v.known[v.known.size() - 2]], 4) + " to " + inWords(total.back(), 4) +
           ", all that a linear map can hold";
}

}  // namespace

std::vector<double> View::row(const Array& array) const {
    const double *low = array.row(known[rows.below]), *high = array.row(known[rows.above]);
    std::vector<double> mixed(array.rowLength());
    for (Size i = 0; i < mixed.size(); ++i)
        mixed[i] = rows.fraction == 0 ? low[i] : rows.fraction == 1 ? high[i] : low[i] + (high[i] - low[i]) * rows.fraction;
    return mixed;
}

std::vector<double> View::curve(const Array& array, Size input) const {
    std::vector<double> values(curveLength());
    for (Size i = 0; i < values.size(); ++i) values[i] = array.row(known[i])[input];
    return values;
}

std::vector<double> View::knownNu() const {
    std::vector<double> values(curveLength());
    for (Size i = 0; i < values.size(); ++i) values[i] = nu()[known[i]];
    return values;
}

bool readView(const PictureFrame& f, View& v) {
    const Report& r = f.report;
    v.capacity = r.array("capacity");
    v.total = r.array("total");
    if (!v.capacity || !v.total) return false;
    v.variance = r.array("variance"), v.share = r.array("share"), v.coherence = r.array("coherence");
    v.diffused = r.array("diffused"), v.linear = r.array("linear");
    v.amplitude = r.array("amplitude"), v.layers = r.array("layerCapacity");
    v.crossover = r.scalar("crossover"), v.predicted = r.scalar("predictedCrossover");
    v.equation25Gap = r.scalar("equation25Gap");
    v.ring = v.variance != nullptr;
    v.tree = !v.ring && !v.diffused;
    for (Size i = 0; i < v.nu().size(); ++i)
        if (!std::isnan(v.total->values[i])) v.known.push_back(i);
    if (v.known.empty()) return false;
    v.jumps = v.known.size() > 1 && v.total->values[v.known.front()] != v.total->values[v.known.back()];
    v.at = std::clamp(f.state.params.number("nu"), 0.0, 1.0);
    v.rows = betweenKnown(v);
    v.nearest = v.known[v.rows.fraction < 0.5 ? v.rows.below : v.rows.above];
    return true;
}

Color inputColor(const PictureFrame& f, const View& v, Size input) {
    return v.few() ? f.theme.series[input % f.theme.series.size()] : capacityBlue(f);
}

Color capacityBlue(const PictureFrame& f) { return sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark); }

std::string inputName(const View& v) { return v.ring ? "position, from the top unit" : v.tree ? "lag *τ*" : "input *i*"; }

std::vector<std::string> headlines(const View& v) {
    const double nu = v.nu()[v.nearest];
    const std::string head = "*ν* = " + numberText(nu, 3);
    if (v.atOne()) return {head + ": " + linearWords(v), head + (v.jumps ? ": the total falls" : ": linear"), head};
    std::string middle, end;
    if (v.ring) middle = ": variance " + numberText(v.variance->values[v.nearest]);
    if (nu == 0)
        end = v.tree            ? ": paths that part anywhere are independent"
              : v.ring          ? ", pure diffusion"
              : v.equation25Gap ? ": Eq 25 needs independent inputs, here it is off by up to " + numberText(v.equation25Gap->value, 2)
                                : ": every path stands alone, capacity diffuses";
    else if (v.share)
        end = (v.ring ? ", " : ": ") + percent(v.share->values[v.nearest]) + " of the way from " +
              (v.tree ? "decoupled to linear" : "diffusion to interference");
    std::string half;
    if (v.crossover && nu != 0) half = "; half-way at *ν* = " + numberText(v.crossover->value, 2);
    const std::string brief = v.share && nu != 0 ? ": " + percent(v.share->values[v.nearest]) + " of the way" : "";
    return {head + middle + end + half, head + middle + end, head + (v.ring ? middle : brief), head};
}

namespace {

// Bars, curves against ν, and what stands beside them.

/// Of the linear network: black, white at night.
Color linearColor(const PictureFrame& f) { return f.theme.text; }

AxisSpec nuAxis() { return {.label = "decoupling coefficient *ν*", .lo = 0, .hi = 1, .scale = Scale::Asinh}; }

double largestKnown(const View& v) {
    double top = 1e-12;
    for (const Size i : v.known)
        for (Size k = 0; k < v.inputs().size(); ++k) top = std::max(top, v.capacity->row(i)[k]);
    return top;
}

/// Of a ring only where there is capacity.
AxisSpec inputAxis(const View& v, std::string label) {
    double lo = v.inputs().front(), hi = v.inputs().back();
    if (v.ring) {
        const double least = 1e-3 * largestKnown(v);
        double reach = 3;
        for (const Size i : v.known)
            for (Size k = 0; k < v.inputs().size(); ++k)
                if (v.capacity->row(i)[k] > least) reach = std::max(reach, std::abs(v.inputs()[k]));
        lo = std::max(lo, -reach), hi = std::min(hi, reach);
    }
    return {.label = std::move(label), .lo = lo - 0.5, .hi = hi + 0.5, .whole = true, .ticks = true};
}

/// The line at ν; where `grip` is asked for, also the handle that drags it from one computed ν to the next.
void drawNow(PictureFrame& f, const View& v, Plot& plot, const std::string& id, bool handle) {
    const double x = plot.toScreen(v.at, 0).x;
    if (!handle) return plot.vertical(id + "/now", v.at, {f.theme.accent.withAlpha(0.5f), Dash::Solid, 1.2, ""});
    const Rect inner = plot.inner();
    const auto last = static_cast<double>(v.known.size() - 1);
    const auto index = static_cast<double>(std::find(v.known.begin(), v.known.end(), v.nearest) - v.known.begin());
    const Handle knob{"nu",
                      "decoupling coefficient ν",
                      "ν = " + inWords(v.nu()[v.nearest], 3),
                      index,
                      0,
                      last,
                      1,
                      {{x - 12, inner.lo.y - 4}, {x + 12, inner.hi.y + 4}}};
    const auto nearest = [&](Vec2 p) {
        Size best = 0;
        for (Size i = 0; i < v.known.size(); ++i)
            if (std::abs(plot.toScreen(v.nu()[v.known[i]], 0).x - p.x) < std::abs(plot.toScreen(v.nu()[v.known[best]], 0).x - p.x))
                best = i;
        return static_cast<double>(best);
    };
    const auto grip = f.handles.offer(knob, nearest);
    const double wanted = grip.held ? nearest(f.handles.pointer().at) : grip.moved ? std::round(grip.value) : index;
    if (wanted != index) {
        f.changes.push_back(Change::param("play", false));
        f.changes.push_back(Change::param("nu", v.nu()[v.known[static_cast<Size>(wanted)]]));
    }
    const bool lively = grip.hovered || grip.held || grip.focused;
    plot.vertical(id + "/now", v.at, {f.theme.accent.withAlpha(lively ? 1.0f : 0.7f), Dash::Solid, lively ? 2.4 : 1.6, ""});
    const double size = lively ? 7.5 : 6;
    const Vec2 arrow[] = {{x - size, inner.lo.y + 1}, {x + size, inner.lo.y + 1}, {x, inner.lo.y + 1 + size * 1.4}};
    f.painter.polygon(id + "/handle", arrow, f.theme.accent);
}

/// What holds at ν = 1 alone: a dot, and a ring where the curve below it ends.
void drawJump(PictureFrame& f, const View& v, Plot& plot, const std::string& id, const Array& array, Size input, Color color) {
    if (!v.jumps) return;
    const Size end = v.known[v.known.size() - 2], rest = v.known.back();
    const Vec2 open = plot.toScreen(1, array.row(end)[input]), closed = plot.toScreen(1, array.row(rest)[input]);
    const Rect reach = plot.inner().inset(-1, -1, -1, -1);
    if (!reach.contains(open) || !reach.contains(closed)) return;
    f.painter.marker(id + "/open", open, 3.4, MarkerShape::Circle, f.theme.ground, Stroke{color, 1.6});
    f.painter.marker(id + "/closed", closed, 3.6, MarkerShape::Circle, color, Stroke{f.theme.ground, 1});
}

void drawCurveLines(PictureFrame& f, const View& v, Rect rect) {
    Plot plot(f.painter, f.theme, "curves", rect, nuAxis(), {.label = "capacity *κ*", .lo = 0, .hi = largestKnown(v) * 1.1},
              zoomOf(f, "curves"));
    if (v.crossover) plot.vertical("curves/half", v.crossover->value, {f.theme.muted, Dash::Dotted, 1.2, ""});
    const auto nu = v.knownNu();
    const auto now = v.row(*v.capacity);
    for (Size i = 0; i < v.inputs().size(); ++i) {
        const Color color = inputColor(f, v, i);
        const std::string name = v.tree ? "lag " : "input ";
        plot.line("curves/capacity", nu, v.curve(*v.capacity, i), {color, Dash::Solid, 2.2, name + std::to_string(i)});
        drawJump(f, v, plot, "curves/jump", *v.capacity, i, color);
    }
    drawNow(f, v, plot, "curves", true);
    for (Size i = 0; i < now.size(); ++i) {
        const double x[] = {v.at}, y[] = {now[i]};
        plot.markers("curves/here", x, y, {inputColor(f, v, i), Dash::Solid, 2, ""}, MarkerShape::Circle, 4.5);
    }
    finishPlot(f, plot, "curves", "capacity against *ν*");
}

/// Of many inputs: a field below ν = 1. A ν not computed yet borrows the nearest one's column.
void drawCurveField(PictureFrame& f, const View& v, Rect rect) {
    const Size n = v.inputs().size(), length = v.nu().size() - 1;
    const std::vector<double> xs(v.nu().begin(), v.nu().end() - 1);
    std::vector<double> values(n * length);
    for (Size i = 0; i < length; ++i) {
        Size nearest = v.known.front();
        for (const Size k : v.known)
            if (k < length && std::max(k, i) - std::min(k, i) < std::max(nearest, i) - std::min(nearest, i)) nearest = k;
        for (Size k = 0; k < n; ++k) values[k * length + i] = v.capacity->row(nearest)[k];
    }
    const double top = largestKnown(v);
    const Rect map{rect.lo, {rect.hi.x - (f.compact ? 6 : 58), rect.hi.y}};
    const std::string name = v.ring && rect.height() < 200 ? "position" : inputName(v);
    Plot plot(f.painter, f.theme, "curves", map, nuAxis(), inputAxis(v, name), zoomOf(f, "curves"));
    plot.heat("curves/field", xs, v.inputs(), {n, length, values, 0, top, false, ColorMap::Capacity});
    if (v.crossover) plot.vertical("curves/half", v.crossover->value, {f.theme.muted, Dash::Dotted, 1.2, ""});
    drawNow(f, v, plot, "curves", true);
    finishPlot(f, plot, "curves", v.ring ? "diffusion (left) becomes interference (right)" : "capacity against *ν*");
    if (!f.compact)
        colorBar(f.painter, f.theme, "curves/colors", {{map.hi.x + 6, plot.inner().lo.y}, {rect.hi.x, plot.inner().hi.y}},
                 ColorMap::Capacity, {.label = "*κ*", .lo = 0, .hi = top});
}

std::string halfWords(const View& v) {
    if (!v.crossover) return "how much of the change is made";
    if (!v.predicted) return "half of the change is made by *ν* = " + numberText(v.crossover->value, 2);
    const double ratio = v.crossover->value / v.predicted->value;
    return ratio > 0.6 && ratio < 1.6 ? "half of the change is made near 1/√*m*" : "half of the change is made, but not near 1/√*m*";
}

void drawProfile(PictureFrame& f, const View& v, Plot& plot, const std::vector<double>& now) {
    const Color blue = capacityBlue(f);
    plot.area("bars/capacity", v.inputs(), now, blue.withAlpha(0.25f));
    plot.line("bars/capacity", v.inputs(), now, {blue, Dash::Solid, 2.2, ""});
    if (v.diffused) plot.line("bars/theory-0", v.inputs(), v.diffused->values, {f.theme.theory, Dash::Dashed, 1.4, "diffusion"});
    if (v.linear) plot.line("bars/theory-1", v.inputs(), v.linear->values, {linearColor(f), Dash::Dashed, 1.4, "linear"});
}

/// What the marks on the bars are, at the right of the title.
void drawLegend(PictureFrame& f, const View& v, const Rect& inner) {
    if (inner.width() < 270) return;
    const TextStyle style{.color = f.theme.theory, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle};
    const auto entry = [&](const char* id, double right, const std::string& text, MarkerShape shape, Color color) {
        TextStyle mine = style;
        mine.color = color;
        f.painter.text(id, {right, inner.lo.y - 10}, text, mine);
        const double left = right - f.painter.measure(text, mine).x - 8;
        f.painter.marker(id, {left, inner.lo.y - 10}, 4, shape, color);
        return left - 14;
    };
    double right = inner.hi.x;
    if (v.linear) right = entry("bars/legend-1", right, "linear", MarkerShape::Diamond, linearColor(f));
    if (v.diffused)
        entry("bars/legend-0", right, f.report.params.number("layers") == 1 ? "Eq 25" : "Eq 28", MarkerShape::Circle, f.theme.theory);
}

}  // namespace

void drawBars(PictureFrame& f, const View& v, Rect rect) {
    double top = largestKnown(v);
    for (const Array* theory : {v.diffused, v.linear})
        if (theory) top = largest(theory->values, top);
    const auto now = v.row(*v.capacity);
    Plot plot(f.painter, f.theme, "bars", rect, inputAxis(v, inputName(v)), {.label = "capacity *κ*", .lo = 0, .hi = top * 1.12},
              zoomOf(f, "bars"));
    if (v.ring || now.size() > 64) {
        drawProfile(f, v, plot, now);
    } else {
        for (Size i = 0; i < now.size(); ++i) {
            const double x[] = {v.inputs()[i]}, y[] = {now[i]};
            plot.bars("bars/capacity", x, y, 0.72, inputColor(f, v, i).withAlpha(v.few() ? 0.85f : 1.0f));
        }
        // More marks than these hide the bars.
        const bool marks = now.size() <= 24;
        if (v.diffused && marks)
            plot.markers("bars/theory-0", v.inputs(), v.diffused->values, {f.theme.theory, Dash::Solid, 2, ""}, MarkerShape::Circle, 4.5);
        if (v.linear && marks)
            plot.markers("bars/theory-1", v.inputs(), v.linear->values, {linearColor(f), Dash::Solid, 2, ""}, MarkerShape::Diamond, 4.5);
        if (marks && rect.height() >= 110) drawLegend(f, v, plot.inner());
    }
    finishPlot(f, plot, "bars", "*ν* = " + numberText(v.nu()[v.nearest], 3) + ", total " + numberText(v.total->values[v.nearest]));
}

void drawCurves(PictureFrame& f, const View& v, Rect rect) {
    if (v.few())
        drawCurveLines(f, v, rect);
    else
        drawCurveField(f, v, rect);
}

void drawChange(PictureFrame& f, const View& v, Rect rect) {
    const auto nu = v.knownNu();
    const Array* shown = v.ring ? v.variance : v.share;
    if (!shown) return;
    const auto values = v.curve(*shown);
    const Scalar *diffused = f.report.scalar("varianceDiffused"), *linear = f.report.scalar("varianceLinear");
    double top = largest(values, v.ring ? 1e-9 : 1);
    if (diffused && linear) top = std::max({top, diffused->value, linear->value});
    Plot plot(f.painter, f.theme, "change", rect, nuAxis(),
              {.label = v.ring ? "variance" : "share of the change", .lo = 0, .hi = top * 1.15}, zoomOf(f, "change"));
    if (diffused) plot.horizontal("change/theory-0", diffused->value, {f.theme.theory, Dash::Dashed, 1.4, "diffusion"});
    if (linear) plot.horizontal("change/theory-1", linear->value, {linearColor(f), Dash::Dashed, 1.4, "linear"});
    if (v.coherence) plot.line("change/theory", nu, v.curve(*v.coherence), {f.theme.theory, Dash::Dashed, 1.6, "*λ* of one layer"});
    plot.line("change/measured", nu, values, {capacityBlue(f), Dash::Solid, 2.2, v.ring ? "" : "change"});
    if (v.crossover)
        plot.vertical("change/half", v.crossover->value, {f.theme.muted, Dash::Dotted, 1.2, "half: " + numberText(v.crossover->value, 2)});
    if (v.predicted)
        plot.vertical("change/theory", v.predicted->value,
                      {f.theme.theory, Dash::Dashed, 1.2, "1/√*m* = " + numberText(v.predicted->value, 2)});
    drawNow(f, v, plot, "change", false);
    finishPlot(f, plot, "change", v.ring ? "how far one unit's capacity spreads" : halfWords(v));
}

void drawTotal(PictureFrame& f, const View& v, Rect rect) {
    Plot plot(f.painter, f.theme, "total", rect, nuAxis(),
              {.label = "total", .lo = 0, .hi = largest(v.total->values, 1) * 1.25, .whole = true});
    plot.line("total/capacity", v.knownNu(), v.curve(*v.total), {capacityBlue(f), Dash::Solid, 2.2, ""});
    drawJump(f, v, plot, "total/jump", *v.total, 0, capacityBlue(f));
    drawNow(f, v, plot, "total", false);
    finishPlot(f, plot, "total", v.jumps ? "the total jumps at *ν* = 1" : "the total never changes");
}

void drawLayers(PictureFrame& f, const View& v, Rect rect) {
    const Size layers = v.layers->axes[1].size(), units = v.layers->axes[2].size();
    const auto values = v.row(*v.layers);
    double top = 1e-12;
    // The top unit holds all: the scale is that of the layers below it.
    for (Size i = 0; i < (layers - 1) * units; ++i)
        if (values[i] > top) top = values[i];
    AxisSpec x = inputAxis(v, "");
    if (!v.ring) x.hi = v.layers->axes[2].values.back() + 0.5;
    x.ticks = false;
    Plot plot(f.painter, f.theme, "layers", rect, x,
              {.label = "layer *l*", .lo = -0.5, .hi = static_cast<double>(layers) - 0.5, .whole = true}, zoomOf(f, "layers"));
    plot.heat("layers/field", v.layers->axes[2].values, v.layers->axes[1].values,
              {layers, units, values, v.ring ? top * 1e-3 : 0, top, v.ring, ColorMap::Capacity});
    finishPlot(f, plot, "layers", "on its way down to the inputs");
}

void drawAmplitudes(PictureFrame& f, const View& v, Rect rect) {
    const auto& inputs = v.amplitude->axes[0].values;
    const auto& features = v.amplitude->axes[1].values;
    std::vector<double> values(v.amplitude->values.size());
    double top = 1e-12;
    for (Size i = 0; i < inputs.size(); ++i)
        for (Size j = 0; j < features.size(); ++j) {
            const double a = v.amplitude->values[i * features.size() + j];
            values[j * inputs.size() + i] = a;
            top = std::max(top, std::abs(a));
        }
    AxisSpec x = inputAxis(v, "");
    x.ticks = false;
    Plot plot(f.painter, f.theme, "amplitudes", rect, x,
              {.label = "feature *j*", .lo = -0.5, .hi = static_cast<double>(features.size()) - 0.5, .whole = true});
    plot.heat("amplitudes/field", inputs, features, {features.size(), inputs.size(), values, -top, top, false, ColorMap::Diverging});
    finishPlot(f, plot, "amplitudes", "amplitudes *p*_{*ij*}*u*_{*j*} of the paths");
}

namespace {

constexpr double kGap = 8;

void drawHeadline(PictureFrame& f, const View& v, Rect rect) {
    const TextStyle style{.color = f.theme.text, .size = f.compact ? f.theme.smallSize : f.theme.textSize, .v = AlignV::Middle};
    for (const auto& sentence : headlines(v)) {
        if (f.painter.measure(sentence, style).x > rect.width()) continue;
        f.painter.text("headline", {rect.lo.x, rect.centre().y}, sentence, style);
        return;
    }
}

// What is above the bars and shares their inputs: layers, or the amplitudes that add up.
bool hasUpper(const View& v) { return (v.layers && v.layers->axes[1].size() > 2) || v.amplitude; }

void drawUpper(PictureFrame& f, const View& v, Rect rect) {
    if (v.layers && v.layers->axes[1].size() > 2)
        drawLayers(f, v, rect);
    else
        drawAmplitudes(f, v, rect);
}

void drawColumns(PictureFrame& f, const View& v, Rect area) {
    const double middle = area.lo.x + area.width() * 0.46;
    const Rect left{area.lo, {middle - kGap, area.hi.y}}, right{{middle + kGap, area.lo.y}, area.hi};
    const bool tall = area.height() > 380;
    const double split = tall && hasUpper(v) ? left.lo.y + left.height() * 0.42 : left.lo.y;
    if (split > left.lo.y) drawUpper(f, v, {left.lo, {left.hi.x, split - kGap / 2}});
    drawBars(f, v, {{left.lo.x, split}, left.hi});
    const bool change = tall && (v.ring || v.share), total = tall && v.jumps;
    const double panels = 1 + (change ? 0.62 : 0) + (total ? 0.5 : 0), unit = right.height() / panels;
    const double first = right.lo.y + unit, second = change ? first + 0.62 * unit : first;
    drawCurves(f, v, {right.lo, {right.hi.x, first - kGap / 2}});
    if (change) drawChange(f, v, {{right.lo.x, first}, {right.hi.x, second - kGap / 2}});
    if (total) drawTotal(f, v, {{right.lo.x, second}, right.hi});
}

void drawStacked(PictureFrame& f, const View& v, Rect area) {
    if (area.height() < 190) return drawCurves(f, v, area);
    const double split = area.lo.y + area.height() * 0.54;
    drawCurves(f, v, {area.lo, {area.hi.x, split - kGap / 2}});
    drawBars(f, v, {{area.lo.x, split}, area.hi});
}

class NuContinuumPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The capacity is being computed.");
        f.compact = f.compact && f.area.width() < 600;
        const double headline = f.compact ? 20 : 26;
        drawHeadline(f, view, {f.area.lo + Vec2{4, 0}, {f.area.hi.x - 4, f.area.lo.y + headline}});
        const Rect area{{f.area.lo.x, f.area.lo.y + headline + 2}, f.area.hi};
        if (f.compact)
            drawStacked(f, view, area);
        else
            drawColumns(f, view, area);
    }
};

}  // namespace
}  // namespace continuum

PictureEntry nu_continuum_picture() {
    return {"nu-continuum", [] { return std::unique_ptr<Picture>(std::make_unique<continuum::NuContinuumPicture>()); }};
}

}  // namespace kappaflow
