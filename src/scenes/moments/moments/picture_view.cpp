#include "scenes/moments/moments/picture_view.h"

#include <algorithm>
#include <cmath>

#include "scenes/moments/picture_step.h"

namespace kappaflow::moments {

std::vector<double> View::curve(const std::string& name) const {
    const Array* array = report->array(name);
    return array ? array->values : std::vector<double>{};
}

std::vector<double> View::compared(const std::string& name, std::size_t index) const {
    const Array* array = report->array(name);
    if (!array) return {};
    return {array->row(index), array->row(index) + array->rowLength()};
}

std::string View::pathologyOf(std::size_t index) const {
    double code = std::nan("");
    if (const Array* codes = report->array("pathologyCompared"); codes && index < codes->values.size()) code = codes->values[index];
    if (const Scalar* own = report->scalar("pathology"); own && index == 0) code = own->value;
    return code >= 0 && code <= 3 ? kPathologies[static_cast<std::size_t>(code)] : "";
}

std::string View::layerName(std::size_t layer) const {
    if (layer == 0) return "input";
    const auto kinds = curve("layerKind");
    const std::string name = "layer " + std::to_string(layer);
    return layer < kinds.size() ? name + " (" + kLayerKinds[static_cast<std::size_t>(kinds[layer])] + ")" : name;
}

bool readView(const PictureFrame& f, View& view) {
    view.report = &f.report;
    const Array *chi = f.report.array("chi"), *cloud = f.report.array("cloudSignal");
    if (!chi || !cloud) return false;
    view.net = f.report.params.is("network", "") ? f.report.params.text("net") : kGivenNet;
    view.nets = cloud->axes[0].keys;
    view.layers = static_cast<double>(chi->axes[0].size() - 1);
    const Array& share = *f.report.array("cloudShare");
    const std::size_t row = share.rowLength();
    for (std::size_t i = 0; i < share.values.size(); ++i)
        if (std::isfinite(share.values[i])) view.reached = std::max(view.reached, static_cast<double>(i % row));
    view.at = std::clamp(f.state.params.number("at"), 0.0, view.reached);
    view.noise = f.state.params.number("noise");
    view.inSize = f.state.params.is("cloud", "size");
    return true;
}

const char* shortNameOf(const std::string& net) {
    if (net == kGivenNet) return "given";
    return net == "vanilla" ? "vanilla" : net == "batch-norm" ? "batch norm" : net == "resnet" ? "BN-ResNet" : "plain ResNet";
}

Color colorOfNet(const PictureFrame& f, const std::string& net) {
    return f.theme.series[net == "vanilla" ? 0 : net == "batch-norm" ? 1 : net == "resnet" ? 2 : 3];
}

std::string fitting(PictureFrame& f, const std::vector<std::string>& texts, double width) {
    const TextStyle style{.color = f.theme.text, .size = f.theme.smallSize, .bold = true};
    for (const auto& text : texts)
        if (f.painter.measure(text, style).x <= width) return text;
    return texts.back();
}

void Range::include(double value) {
    if (std::isfinite(value)) lo = std::min(lo, value), hi = std::max(hi, value);
}

void Range::include(const Drawn& drawn) {
    for (const double value : drawn.mean) include(value);
    if (!(hi >= lo)) return;
    const double room = hi - lo, least = lo - room, most = hi + room;
    for (const double value : drawn.low) include(std::max(value, least));
    for (const double value : drawn.high) include(std::min(value, most));
}

AxisSpec Range::linear(std::string label, double room) const {
    if (!(hi >= lo)) return {.label = std::move(label)};
    const double width = std::max(hi - lo, 1e-3 * std::max(std::abs(hi), 1e-6));
    return {.label = std::move(label), .lo = lo - 0.06 * width, .hi = hi + room * width};
}

AxisSpec Range::logarithmic(std::string label) const {
    if (!(hi >= lo) || !(hi > 0)) return {.label = std::move(label), .lo = 0.1, .hi = 10, .scale = Scale::Log};
    const double least = std::max(lo, hi * 1e-300), stretch = std::pow(hi / least, 0.06) * 1.15;
    return {.label = std::move(label), .lo = least / stretch, .hi = hi * stretch * stretch, .scale = Scale::Log};
}

AxisSpec layerAxis(const View& view, bool logarithmic) {
    const std::string name = view.comparing() ? "layer or unit *l*" : view.residual() ? "unit *l*" : "layer *l*";
    if (logarithmic) return {.label = name, .lo = 1, .hi = std::max(2.0, view.layers), .scale = Scale::Log};
    return {.label = name, .lo = 0, .hi = std::max(1.0, view.layers), .whole = true};
}

void drawCurve(PictureFrame& f, Plot& plot, const std::string& id, const Drawn& drawn) {
    const auto layers = countUp(drawn.mean.size());
    const bool measured = drawn.dash == Dash::Solid;
    if (!drawn.low.empty() && !drawn.high.empty())
        plot.band(id + "/band", layers, drawn.low, drawn.high, drawn.color.withAlpha(f.theme.dark ? 0.24f : 0.18f));
    plot.line(id + (measured                     ? "/measured"
                    : drawn.dash == Dash::Dashed ? "/theory"
                                                 : "/bound"),
              layers, drawn.mean, {drawn.color, drawn.dash, measured ? 2.2 : 1.6, drawn.label});
}

void drawDots(Plot& plot, const View& view, const std::string& id, const Drawn& drawn) {
    const auto kinds = view.curve("layerKind");
    std::vector<double> x, y;
    for (std::size_t l = 0; l < std::min(kinds.size(), drawn.mean.size()); ++l)
        if (kinds[l] == kActivationKind && std::isfinite(drawn.mean[l])) x.push_back(static_cast<double>(l)), y.push_back(drawn.mean[l]);
    plot.markers(id + "/activations", x, y, {drawn.color, Dash::Solid, 1, ""}, MarkerShape::Circle, 3.4);
}

void drawLayerShown(PictureFrame& f, const View& view, Plot& plot, const std::string& id, bool scrubs) {
    const double x = plot.toScreen(std::max(view.at, 1e-9), 1).x;
    const Rect inner = plot.inner();
    if (!(x >= inner.lo.x - 0.5 && x <= inner.hi.x + 0.5)) return;
    random_nets::offerStep(f, plot, {id, "layer", view.layerName(view.nearest()), view.at, 0, scrubs ? view.reached : 0});
}

}  // namespace kappaflow::moments
