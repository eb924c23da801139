// The units behind a layer's increment, and the verdict in words.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/moments/sensitivity_theorems/picture_view.h"

namespace kappaflow::sensitivity_theorems {
namespace {

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

}  // namespace

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

}  // namespace kappaflow::sensitivity_theorems
