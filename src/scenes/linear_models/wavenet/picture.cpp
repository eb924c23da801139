// Tiled and repeated dilations (P2 Fig 15): both stacks as trees over the capacity of their common inputs.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/linear_models/wavenet/picture_view.h"

namespace kappaflow {
namespace wavenet {

using Size = std::size_t;

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

Color colorOf(const PictureFrame& f, const View& v, Size arrangement) { return f.theme.series[v.key(arrangement) == "tiled" ? 0 : 1]; }

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

namespace {

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
