// Theorems 2–4 of P3 beside what is measured: increments, their product, the units behind them, and a badge with the verdict.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/moments/picture_step.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace sensitivity_theorems {
namespace {

/// What the panels read.
struct View {
    std::string net;    ///< key of the network
    double layers = 1;  ///< L
    double at = 1;      ///< layer shown

    std::size_t nearest() const { return static_cast<std::size_t>(at + 0.5); }
    bool residual() const { return net == "resnet" || net == "resnet-plain"; }
    bool normalised() const { return net == "batch-norm" || net == "resnet"; }
    /// "layer", or "unit" of a ResNet.
    const char* step() const { return residual() ? "unit" : "layer"; }
    std::string theorem() const { return net == "vanilla" ? "Theorem 2" : net == "batch-norm" ? "Theorem 3" : "dilution law"; }
};

// Increments of the sensitivity, their product, and the variance of a ResNet's branches, over layers.

struct Range {
    double lo = 1e300, hi = -1e300;
    void include(const std::vector<double>& values) {
        for (const double value : values)
            if (std::isfinite(value)) lo = std::min(lo, value), hi = std::max(hi, value);
    }
    bool empty() const { return !(hi >= lo); }
};

AxisSpec layersOf(const View& view) {
    return {.label = std::string(view.step()) + " *l*", .lo = 0, .hi = view.layers + std::max(0.4, 0.04 * view.layers), .whole = true};
}

/// Values over layers 0 … L; empty where the report has none.
std::vector<double> curveOf(const PictureFrame& f, const char* name) {
    const Array* array = f.report.array(name);
    return array ? array->values : std::vector<double>{};
}

void drawLine(PictureFrame& f, Plot& plot, const std::string& id, const char* name, Color color, Dash dash, double width,
              const char* label) {
    const auto values = curveOf(f, name);
    if (!values.empty()) plot.line(id, countUp(values.size()), values, {color, dash, width, label});
}

void drawPair(PictureFrame& f, Plot& plot, const char* measured, const char* theory, Color color, const char* label) {
    drawLine(f, plot, "increments/measured", measured, color, Dash::Solid, 2, label);
    drawLine(f, plot, "increments/theory", theory, f.theme.theory, Dash::Dashed, 1.6, "");
}

void drawFirstStep(PictureFrame& f, Plot& plot) {
    const Scalar* first = f.report.scalar("firstStep");
    if (!first) return;
    const double x[] = {1}, y[] = {first->value};
    plot.markers("increments/first", x, y, {f.theme.theory, Dash::Solid, 1, "first step"}, MarkerShape::Diamond, 6);
}

/// The upright line of the layer shown, which is also the handle that scrubs.
void offerLayer(PictureFrame& f, const View& view, Plot& plot, const std::string& id) {
    const std::string text = std::string(view.step()) + " " + std::to_string(view.nearest());
    random_nets::offerStep(f, plot, {id, id + "-layer", text, view.at, 1, view.layers});
}

void drawIncrements(PictureFrame& f, const View& view, Rect rect) {
    const auto mean = curveOf(f, "deltaChi"), low = curveOf(f, "deltaChiLow"), high = curveOf(f, "deltaChiHigh");
    Range range;
    for (const char* name : {"deltaChi", "deltaChiTheorem", "deltaBatchNorm", "deltaActivation", "undiluted"})
        range.include(curveOf(f, name));
    if (const Scalar* first = f.report.scalar("firstStep")) range.include({first->value});
    range.include({1});
    // Bounds are drawn where they come; they may lie far above.
    if (!view.residual()) range.include({std::sqrt(2.0)});
    const double room = std::max(0.02, range.hi - range.lo);
    Plot plot(f.painter, f.theme, "increments", rect, layersOf(view),
              {.label = "increment *δχ^{l}*", .lo = range.lo - 0.06 * room, .hi = range.hi + 0.1 * room}, zoomOf(f, "increments"));
    const auto x = countUp(mean.size());
    plot.band("increments/band", x, low, high, f.theme.series[0].withAlpha(0.16f));
    const char* const upper = view.residual() ? "Eq 14" : "√2";
    drawLine(f, plot, "increments/bound", "boundHigh", f.theme.muted, Dash::Dotted, 1.6, upper);
    drawLine(f, plot, "increments/bound", "boundLow", f.theme.muted, Dash::Dotted, 1.6, "");
    drawLine(f, plot, "increments/undiluted", "undiluted", f.theme.muted, Dash::Dashed, 1.4, "without skip: *δ^{H}*");
    drawPair(f, plot, "deltaBatchNorm", "deltaBatchNormTheorem", f.theme.series[2], "batch norm");
    drawPair(f, plot, "deltaActivation", "deltaActivationTheorem", f.theme.series[3], view.residual() ? "ReLU, convolution" : "ReLU");
    drawPair(f, plot, "deltaChi", "deltaChiTheorem", f.theme.series[0], "measured *δχ*");
    drawFirstStep(f, plot);
    offerLayer(f, view, plot, "increments");
    finishPlot(f, plot, "increments", "solid: measured; dashed: " + view.theorem());
}

void drawCumulative(PictureFrame& f, const View& view, Rect rect) {
    Range range;
    range.include(curveOf(f, "chi"));
    range.include(curveOf(f, "chiTheorem"));
    if (range.empty()) range = {1, 2};
    const bool decades = range.hi > 30 * range.lo && range.lo > 0;
    AxisSpec y{.label = "sensitivity *χ^{l}*", .lo = range.lo, .hi = range.hi * 1.15};
    if (decades) y.lo /= 1.3, y.hi *= 1.6, y.scale = Scale::Log;
    Plot plot(f.painter, f.theme, "cumulative", rect, layersOf(view), y, zoomOf(f, "cumulative"));
    drawLine(f, plot, "cumulative/measured", "chi", f.theme.series[0], Dash::Solid, 2.2, "measured");
    drawLine(f, plot, "cumulative/theory", "chiTheorem", f.theme.theory, Dash::Dashed, 1.6, "product of the theorem");
    offerLayer(f, view, plot, "cumulative");
    finishPlot(f, plot, "cumulative", "cumulative, geometric mean");
}

/// Variance of every unit's branch: what Theorem 4 supposes to be bounded.
void drawBranches(PictureFrame& f, const View& view, Rect rect) {
    Range range;
    range.include(curveOf(f, "branchVariance"));
    if (range.empty() || !(range.lo > 0)) range = {1, 2};
    Plot plot(f.painter, f.theme, "branches", rect, layersOf(view),
              {.label = "variance of the branch", .lo = range.lo / 3, .hi = range.hi * 3, .scale = Scale::Log}, zoomOf(f, "branches"));
    drawLine(f, plot, "branches/measured", "branchVariance", f.theme.series[0], Dash::Solid, 2, "");
    offerLayer(f, view, plot, "branches");
    finishPlot(f, plot, "branches", view.normalised() ? "bounded, as Theorem 4 supposes" : "unbounded: no power law");
}

// The units behind a layer's increment, and the verdict in words.

constexpr int kBins = 28;

struct Histogram {
    std::vector<double> middles, counts;
    double spacing = 0;
};
/// Units of a layer by their share; the last bin takes what lies beyond. Empty before the first network came so far.
Histogram histogramOf(const Array& switching, std::size_t layer) {
    Histogram h;
    h.spacing = 0.7 / kBins;
    h.counts.resize(kBins);
    for (int i = 0; i < kBins; ++i) h.middles.push_back((i + 0.5) * h.spacing);
    const double* row = switching.row(layer - 1);
    for (std::size_t c = 0; c < switching.rowLength(); ++c) {
        if (std::isnan(row[c])) return {};
        h.counts[static_cast<std::size_t>(std::clamp(row[c] / h.spacing, 0.0, kBins - 1.0))] += 1;
    }
    return h;
}

std::string weightsOf(const PictureFrame& f, const View& view) {
    const Values& v = f.report.params;
    if (v.is("expectation", "channels")) return "expectation: the drawn channels";
    const bool closed = view.net == "vanilla" && v.is("space", "dense") && v.is("activation", "relu") && v.number("biasVariance") == 0;
    return v.is("expectation", "exact") && closed ? "expectation: all weights, exactly" : "expectation: fresh weights";
}

std::string plusMinus(const Scalar& s) {
    const std::string value = fixedText(s.value, 4);
    return s.standardError && *s.standardError > 0 ? value + " ± " + fixedText(*s.standardError, 4) : value;
}

/// How the units of the layer shown share in the theorem's mean.
void drawSwitching(PictureFrame& f, const View& view, Rect rect) {
    const Array* switching = f.report.array("switching");
    if (!switching || view.nearest() > switching->axes[0].size()) return;
    const Histogram h = histogramOf(*switching, view.nearest());
    const double most = std::max(1.0, largest(h.counts, 1));
    const std::string units = view.residual() ? "channel" : "unit";
    Plot plot(f.painter, f.theme, "switching", rect,
              {.label = std::string("a ") + units + "'s share; 0: always on or off", .lo = 0, .hi = 0.7},
              {.label = units + "s", .lo = 0, .hi = most * 1.3, .whole = true}, zoomOf(f, "switching"));
    if (!h.counts.empty()) plot.bars("switching/measured", h.middles, h.counts, h.spacing * 0.9, f.theme.series[0].withAlpha(0.5f));
    plot.vertical("switching/gaussian", 1 / std::numbers::pi, {f.theme.muted, Dash::Dotted, 1.4, "1/π"});
    const auto means = curveOf(f, "switchingMean");
    const double mean = means.empty() ? std::nan("") : means[view.nearest()];
    if (std::isfinite(mean)) plot.vertical("switching/theory", mean, {f.theme.theory, Dash::Dashed, 1.8, ""});
    std::string title = std::string(view.step()) + " " + numberText(static_cast<double>(view.nearest())) + ": " + units + "s that switch";
    if (std::isfinite(mean) && rect.width() > 300)
        title = std::string(view.step()) + " " + numberText(static_cast<double>(view.nearest())) + ": mean share " + numberText(mean, 3) +
                ", hence *δ* = " + numberText(1 / std::sqrt(1 - mean), 4);
    finishPlot(f, plot, "switching", title);
}

/// In words: how well measurement and theorem agree, and where the theorem's weights come from.
void drawBadge(PictureFrame& f, const View& view, Rect rect) {
    const Scalar *ratio = f.report.scalar("meanRatio"), *deviation = f.report.scalar("deviation"),
                 *identity = f.report.scalar("varianceIdentity");
    std::vector<std::string> lines;
    if (ratio) {
        lines.push_back("measured over theorem: " + plusMinus(*ratio));
        if (deviation) {
            const std::string errors = numberText(deviation->value, 2) + " standard errors";
            lines.push_back(deviation->value < 3 ? "they agree within " + errors : "apart by " + errors + ": finite *N*");
        }
    } else {
        const bool relu = f.report.params.is("activation", "relu");
        lines.push_back(view.net == "vanilla" && !relu ? "Theorem 2 is about the ReLU" : "no value of the theorem here");
    }
    if (view.net == "resnet-plain") lines.push_back("Theorem 4's power law does not apply");
    if (identity) lines.push_back("variance over expected: " + plusMinus(*identity));
    lines.push_back(weightsOf(f, view));
    const double height = 21;
    const auto room = static_cast<std::size_t>(std::max(1.0, rect.height() / height));
    for (std::size_t i = 0; i < std::min(lines.size(), room); ++i) {
        const TextStyle style{.color = i == 0 ? f.theme.text : f.theme.muted,
                              .size = i == 0 ? f.theme.textSize : f.theme.smallSize,
                              .v = AlignV::Middle,
                              .bold = i == 0};
        f.painter.text("badge", {rect.lo.x + 8, rect.lo.y + height * (static_cast<double>(i) + 0.5)},
                       elide(f.painter, lines[i], style, rect.width() - 8), style);
    }
}

bool readView(const PictureFrame& f, View& view) {
    const Array* increments = f.report.array("deltaChi");
    if (!increments) return false;
    view.net = f.report.params.text("net");
    view.layers = increments->axes[0].values.back();
    view.at = std::clamp(f.state.params.number("at"), 1.0, view.layers);
    return true;
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawIncrements(f, view, a);
    const double badge = a.lo.y + 44, split = badge + (a.hi.y - badge) * 0.58;
    drawBadge(f, view, {a.lo, {a.hi.x, badge}});
    drawIncrements(f, view, {{a.lo.x, badge}, {a.hi.x, split - 4}});
    drawSwitching(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.4, 250.0, 460.0), split = a.lo.y + a.height() * 0.56;
    const bool tall = a.height() > 420;
    const double badge = a.lo.y + (tall ? 96.0 : 44.0);
    drawIncrements(f, view, {{a.lo.x, a.lo.y + 4}, {right - 12, tall ? split - 6 : a.hi.y}});
    if (tall) drawCumulative(f, view, {{a.lo.x, split + 6}, {right - 12, a.hi.y}});
    drawBadge(f, view, {{right, a.lo.y + 4}, {a.hi.x, badge}});
    const bool two = tall && view.residual();
    const double middle = badge + (a.hi.y - badge) / 2;
    drawSwitching(f, view, {{right, badge + 6}, {a.hi.x, two ? middle - 4 : a.hi.y}});
    if (two) drawBranches(f, view, {{right, middle + 8}, a.hi});
}

class TheoremsPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "Networks are being drawn.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace sensitivity_theorems

PictureEntry sensitivity_theorems_picture() {
    return {"sensitivity-theorems", [] { return std::unique_ptr<Picture>(std::make_unique<sensitivity_theorems::TheoremsPicture>()); }};
}

}  // namespace kappaflow
