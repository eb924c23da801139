// Increments, effective ranks and the signs of a pathology, layer by layer.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/moments/moments/picture_view.h"

namespace kappaflow::moments {
namespace {

Drawn measured(const View& view, const std::string& name, Color color, std::string label) {
    return {view.curve(name), view.curve(name + "Low"), view.curve(name + "High"), color, std::move(label)};
}

Drawn theory(const PictureFrame& f, const View& view, const std::string& name, std::string label) {
    return {view.curve(name), {}, {}, f.theme.theory, std::move(label), Dash::Dashed};
}

/// One curve a network, of those compared.
std::vector<Drawn> comparedCurves(const PictureFrame& f, const View& view, const std::string& name, bool banded) {
    std::vector<Drawn> all;
    for (std::size_t k = 0; k < view.nets.size(); ++k)
        all.push_back({view.compared(name + "Compared", k), banded ? view.compared(name + "ComparedLow", k) : std::vector<double>{},
                       banded ? view.compared(name + "ComparedHigh", k) : std::vector<double>{}, colorOfNet(f, view.nets[k]),
                       shortNameOf(view.nets[k])});
    return all;
}

std::vector<Drawn> incrementsOf(const PictureFrame& f, const View& view) {
    if (view.comparing()) return comparedCurves(f, view, "deltaChi", false);
    std::vector<Drawn> all;
    const bool resnet = view.residual();
    all.push_back(measured(view, "deltaChi", f.theme.series[0], resnet ? "unit" : view.normalised() ? "*δχ*" : ""));
    if (resnet) all.push_back(measured(view, "deltaChiInner", f.theme.series[5], "layer of a branch"));
    if (view.normalised()) {
        all.push_back(measured(view, "deltaBatchNorm", f.theme.series[3], "batch norm"));
        all.push_back(measured(view, "deltaActivation", f.theme.series[2], "activation"));
        all.push_back(theory(f, view, "deltaBatchNormTheory", ""));
        all.push_back(theory(f, view, "deltaActivationTheory", ""));
    }
    all.push_back(theory(f, view, "deltaChiTheory", ""));
    return all;
}

bool wide(const Range& range, double ratio) { return range.lo > 0 && range.hi > ratio * range.lo; }

void drawAll(PictureFrame& f, Plot& plot, const std::string& id, const std::vector<Drawn>& curves) {
    for (const Drawn& drawn : curves)
        if (!drawn.mean.empty()) drawCurve(f, plot, id, drawn);
}

std::string signsTitle(PictureFrame& f, const View& view, double width) {
    if (view.given()) return fitting(f, {"*μ*₂/*ν*₂ → 0: a point; dots: coactivation", "dots: coactivation"}, width);
    const Scalar *ceiling = view.report->scalar("kurtosisCeiling"), *points = view.report->scalar("points");
    if (!ceiling || !points) return fitting(f, {"zero-dimensional as *μ*₂/*ν*₂ → 0", "*μ*₂/*ν*₂ → 0: a point", "variance left"}, width);
    const std::string count = numberText(points->value, 5), most = numberText(ceiling->value, 4);
    return fitting(f, {"tails: " + count + " points allow *μ*₄ ≤ " + most, count + " points: *μ*₄ ≤ " + most, "tails"}, width);
}

}  // namespace

void drawIncrements(PictureFrame& f, const View& view, Rect rect) {
    const std::vector<Drawn> curves = incrementsOf(f, view);
    Range range;
    for (const Drawn& drawn : curves) range.include(drawn);
    range.include(1);
    Plot plot(f.painter, f.theme, "increments", rect, layerAxis(view, false), range.linear("increment *δχ*^{*l*}", 0.12),
              zoomOf(f, "increments"));
    plot.horizontal("increments/one", 1, {f.theme.muted.withAlpha(0.7f), Dash::Solid, 1, ""});
    drawAll(f, plot, "increments", curves);
    drawLayerShown(f, view, plot, "increments", false);
    const bool theorem = !view.comparing() && !view.curve("deltaChiTheory").empty();
    const char* which = view.net == "vanilla"      ? "Theorem 2"
                        : view.net == "batch-norm" ? "Theorem 3"
                        : view.net == "resnet"     ? "Theorems 3, 4"
                                                   : "dilution";
    finishPlot(f, plot, "increments",
               view.given()
                   ? fitting(f, {"increments; no theorem: given weights", "increments, no theorem", "increments"}, rect.width() - 30)
               : theorem ? fitting(f, {std::string("increments; dashed: ") + which, std::string("dashed: ") + which}, rect.width() - 30)
                         : "increments");
}

void drawRanks(PictureFrame& f, const View& view, Rect rect) {
    std::vector<Drawn> curves;
    if (view.comparing()) {
        curves = comparedCurves(f, view, "rankSignal", true);
    } else {
        curves.push_back(measured(view, "rankNoise", f.theme.series[1], "noise"));
        curves.push_back(measured(view, "rankSignal", f.theme.series[0], "signal"));
    }
    Range range;
    for (const Drawn& drawn : curves) range.include(drawn);
    range.include(1);
    Plot plot(f.painter, f.theme, "ranks", rect, layerAxis(view, false),
              wide(range, 4) ? range.logarithmic("effective rank") : range.linear("effective rank", 0.12), zoomOf(f, "ranks"));
    plot.horizontal("ranks/one", 1, {f.theme.muted.withAlpha(0.7f), Dash::Solid, 1, ""});
    drawAll(f, plot, "ranks", curves);
    drawLayerShown(f, view, plot, "ranks", false);
    finishPlot(f, plot, "ranks",
               fitting(f, {view.comparing() ? "effective rank of the signal" : "effective ranks; 1: a line", "ranks"}, rect.width() - 30));
}

void drawSigns(PictureFrame& f, const View& view, Rect rect) {
    const bool tails = view.normalised();
    std::vector<Drawn> curves;
    if (tails) {
        curves.push_back(measured(view, "kurtosis", f.theme.series[3], "*μ*₄"));
        curves.push_back(measured(view, "nu1", f.theme.series[5], "*ν*₁(|*z*|)"));
    } else {
        curves.push_back(measured(view, "varianceRatio", f.theme.series[3], "*μ*₂/*ν*₂"));
        curves.push_back(measured(view, "coactivation", f.theme.series[5], "coactivation"));
    }
    Range range;
    for (const Drawn& drawn : curves) range.include(drawn);
    const Scalar* ceiling = view.report->scalar("kurtosisCeiling");
    const bool bounded = tails && ceiling && ceiling->value < 8 * range.hi;
    if (bounded) range.include(ceiling->value);
    const std::string label = tails ? "moments of *z*^{*l*}" : "share";
    Plot plot(f.painter, f.theme, "signs", rect, layerAxis(view, false),
              tails || wide(range, 100) ? range.logarithmic(label) : range.linear(label, 0.12), zoomOf(f, "signs"));
    if (bounded) plot.horizontal("signs/bound", ceiling->value, {f.theme.muted, Dash::Dotted, 1.6, ""});
    drawAll(f, plot, "signs", curves);
    if (view.given()) drawDots(plot, view, "signs", curves[1]);
    drawLayerShown(f, view, plot, "signs", false);
    finishPlot(f, plot, "signs", signsTitle(f, view, rect.width() - 30));
}

namespace {

// χ over layers, beside the theorems, the power law and where an infinitely wide network would level off; and what was fitted over which
// layers.

std::vector<Drawn> drawnSensitivities(const PictureFrame& f, const View& view) {
    std::vector<Drawn> all;
    if (view.comparing()) {
        for (std::size_t k = view.nets.size(); k-- > 0;)
            all.push_back({view.compared("chiCompared", k), view.compared("chiComparedLow", k), view.compared("chiComparedHigh", k),
                           colorOfNet(f, view.nets[k]), shortNameOf(view.nets[k])});
        return all;
    }
    all.push_back({view.curve("chi"), view.curve("chiLow"), view.curve("chiHigh"), f.theme.series[0], "*χ*^{*l*}"});
    const char* name = view.net == "vanilla" ? "Theorem 2" : view.net == "batch-norm" ? "Theorem 3" : "dilution";
    all.push_back({view.curve("chiTheory"), {}, {}, f.theme.theory, name, Dash::Dashed});
    all.push_back({view.curve("powerLaw"), {}, {}, f.theme.series[2], "*C l*^{*τ*}", Dash::Dashed});
    return all;
}

struct Axes {
    bool logarithmicX = false, logarithmicY = false;
};
Axes axesOf(const PictureFrame& f, const Range& range) {
    const std::string& wish = f.state.params.text("axes");
    if (wish == "fitting") return {false, range.lo > 0 && range.hi > 30 * range.lo};
    return {wish == "double", wish != "linear"};
}

/// "0.185 ± 0.002".
std::string estimated(const Scalar& scalar) {
    const double error = scalar.standardError.value_or(0);
    const int decimals = error > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(error))), 2, 4) : 3;
    return fixedText(scalar.value, decimals) + (error > 0 ? " ± " + fixedText(error, decimals) : "");
}

std::string changes(double rate) { return rate < 0 ? "changes by " : "grows "; }

std::string from(double layer) { return "*l* ≥ " + numberText(std::max(1.0, std::floor(layer)), 4); }

/// The power law of a ResNet, or the rate of the others, with the layers that it was fitted to.
std::string fitTitle(PictureFrame& f, const View& view, double width) {
    const Report& r = *view.report;
    if (view.comparing()) return fitting(f, {"sensitivity *χ*: noise over signal", "sensitivity *χ*"}, width);
    if (view.given()) {
        const auto chi = view.curve("chi");
        const std::string last = std::isfinite(chi.back()) ? ": *χ* = " + numberText(chi.back(), 3) + " at the output" : "";
        return fitting(f, {"sensitivity" + last + "; dots: activations", "sensitivity" + last, "sensitivity *χ*"}, width);
    }
    const Scalar* fitted = r.scalar("fittedLayers");
    const double last = fitted ? fitted->value : view.layers;
    const Scalar *exponent = r.scalar("exponent"), *late = r.scalar("exponentLate"), *tau = r.scalar("exponentPredicted"),
                 *rate = r.scalar("rate"), *rateLate = r.scalar("rateLate");
    if (tau && exponent && late) {
        const std::string fit = "*χ* ~ *l*^{" + fixedText(exponent->value, 2) + "}", deep = fixedText(late->value, 2);
        const std::string paper = "; *τ* = " + fixedText(tau->value, 2);
        return fitting(f,
                       {fit + ", *l*^{" + deep + "} from *l* = " + numberText(std::max(1.0, std::floor(last / 5)), 4) + paper, fit + paper,
                        "*τ* = " + fixedText(tau->value, 2)},
                       width);
    }
    if (!rate) return "sensitivity";
    const Scalar* plateau = r.scalar("plateau");
    if (plateau && rateLate && view.pathologyOf(0) != "exploding sensitivity") {
        const std::string slow = "log *χ* " + changes(rateLate->value) + fixedText(rateLate->value, 4) + " a layer, " + from(last / 2);
        return fitting(f, {"limited, not bounded: " + slow, slow, "sensitivity"}, width);
    }
    const std::string growth = "log *χ* " + changes(rate->value) + estimated(*rate) + " a layer";
    return fitting(f, {growth + ", *l* = 1…" + numberText(last, 4), growth, fixedText(rate->value, 3) + " a layer"}, width);
}

void drawPlateau(PictureFrame& f, const View& view, Plot& plot, const Range& range) {
    const Scalar* plateau = view.report->scalar("plateau");
    if (!plateau || view.comparing() || plateau->value > range.hi * 1.001) return;
    const double x[] = {0, view.layers}, y[] = {plateau->value, plateau->value};
    plot.line("sensitivity/plateau", x, y, {f.theme.muted, Dash::Dashed, 1.4, "*N* → ∞, from the data's norms"});
}

}  // namespace

void drawSensitivity(PictureFrame& f, const View& view, Rect rect) {
    const std::vector<Drawn> curves = drawnSensitivities(f, view);
    Range range;
    for (const Drawn& drawn : curves) range.include(drawn);
    if (const Scalar* plateau = view.report->scalar("plateau"); plateau && !view.comparing() && plateau->value < 3 * range.hi)
        range.include(plateau->value);
    const Axes axes = axesOf(f, range);
    const std::string label = "sensitivity *χ*^{*l*}";
    Plot plot(f.painter, f.theme, "sensitivity", rect, layerAxis(view, axes.logarithmicX),
              axes.logarithmicY ? range.logarithmic(label) : range.linear(label, 0.1), zoomOf(f, "sensitivity"));
    drawPlateau(f, view, plot, range);
    for (const Drawn& drawn : curves)
        if (!drawn.mean.empty()) drawCurve(f, plot, "sensitivity", drawn);
    if (view.given()) drawDots(plot, view, "sensitivity", curves[0]);
    drawLayerShown(f, view, plot, "sensitivity", true);
    finishPlot(f, plot, "sensitivity", fitTitle(f, view, rect.width() - 40));
}

}  // namespace kappaflow::moments
