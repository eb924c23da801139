// χ over layers, beside the theorems, the power law and where an infinitely wide network would level off; and what was fitted over which
// layers.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/moments/moments/picture_view.h"

namespace kappaflow::moments {
namespace {

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
