// Signal and noise through the layers of random networks (P3 Figs 3–5): clouds of feature vectors, χ, its increments, effective ranks.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/moments/moments/picture_view.h"
#include "scenes/moments/picture_step.h"

namespace kappaflow {
namespace moments {

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
    return code >= 0 && code <= kCannotTell ? kPathologies[static_cast<std::size_t>(code)] : "";
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

namespace {

// Feature vectors of a layer in their principal plane, with and without noise.

constexpr double kReach = 2.9;  ///< half the height of the window, in units of the whole cloud's spread

/// The points of one layer, or on their way between two.
struct Cloud {
    std::vector<Vec2> signal, noisy;
    double strength = 0;  ///< noise over signal in the plane
    bool defined() const { return !signal.empty() && std::isfinite(strength) && std::isfinite(signal[0].x); }
};

double mixed(double a, double b, double t) { return a + (b - a) * t; }

/// Largest of a row, as 1 where there is none.
double peakOf(const double* row, std::size_t size) {
    double peak = 0;
    for (std::size_t i = 0; i < size; ++i)
        if (std::isfinite(row[i])) peak = std::max(peak, row[i]);
    return peak > 0 ? peak : 1;
}

/// Signal and noise are brought to a common spread of 1: as the noise grows, the signal shrinks.
Cloud cloudAt(const View& view, std::size_t net) {
    const Report& r = *view.report;
    const Array &signal = *r.array("cloudSignal"), &noise = *r.array("cloudNoise"), &size = *r.array("cloudNoiseSize"),
                &spread = *r.array("cloudSpread");
    const std::size_t layers = signal.axes[1].size(), points = signal.axes[2].size();
    std::size_t last = layers - 1;
    while (last > 0 && std::isnan(size.row(net)[last])) --last;
    const Between b = between(view.at, last);
    const double logSize = mixed(std::log(size.row(net)[b.below]), std::log(size.row(net)[b.above]), b.fraction);
    Cloud cloud;
    cloud.strength = view.noise * std::exp(logSize);
    double unit = 1 / std::sqrt(1 + cloud.strength * cloud.strength);
    if (view.inSize) unit *= mixed(spread.row(net)[b.below], spread.row(net)[b.above], b.fraction) / peakOf(spread.row(net), last + 1);
    const auto at = [&](const Array& array, std::size_t point, std::size_t coordinate) {
        const double* row = array.row(net);
        const std::size_t entry = 2 * point + coordinate;
        return mixed(row[b.below * points * 2 + entry], row[b.above * points * 2 + entry], b.fraction);
    };
    for (std::size_t i = 0; i < points; ++i) {
        cloud.signal.push_back({unit * at(signal, i, 0), unit * at(signal, i, 1)});
        const double moved = unit * cloud.strength;
        cloud.noisy.push_back({cloud.signal[i].x + moved * at(noise, i, 0), cloud.signal[i].y + moved * at(noise, i, 1)});
    }
    return cloud;
}

void drawPoints(PictureFrame& f, Plot& plot, const Cloud& cloud, double radius) {
    std::vector<double> x, y, noisyX, noisyY, linkX, linkY;
    const double gap = std::nan("");
    for (std::size_t i = 0; i < cloud.signal.size(); ++i) {
        x.push_back(cloud.signal[i].x), y.push_back(cloud.signal[i].y);
        noisyX.push_back(cloud.noisy[i].x), noisyY.push_back(cloud.noisy[i].y);
        linkX.insert(linkX.end(), {x.back(), noisyX.back(), gap});
        linkY.insert(linkY.end(), {y.back(), noisyY.back(), gap});
    }
    plot.line("cloud/noise", linkX, linkY, {f.theme.series[1].withAlpha(0.4f), Dash::Solid, 1, ""});
    plot.markers("cloud/noisy", noisyX, noisyY, {f.theme.series[1], Dash::Solid, 1, ""}, MarkerShape::Circle, radius * 0.7);
    plot.markers("cloud/signal", x, y, {f.theme.series[0], Dash::Solid, 1, ""}, MarkerShape::Circle, radius);
}

/// "13 of 20 draws end early", or "" when all reach the last layer.
std::string lossOf(const View& view) {
    const auto alive = view.curve("alive");
    if (alive.empty() || !(alive.back() < alive[0])) return "";
    return numberText(alive[0] - alive.back()) + " of " + numberText(alive[0]) + " draws end early";
}

/// What the two colours are, and what becomes of the signal in depth.
void drawNotes(PictureFrame& f, const View& view, const Rect& inner, std::size_t net) {
    TextStyle style{.color = f.theme.series[0], .size = f.theme.tinySize, .h = AlignH::Left, .v = AlignV::Top, .halo = f.theme.ground};
    const double line = f.painter.measure("0", style).y;
    if (net == 0 && inner.height() > 90) {
        f.painter.text("cloud/legend", inner.lo + Vec2{7, 4}, "signal", style);
        const double width = f.painter.measure("signal", style).x + 12;
        style.color = f.theme.series[1];
        f.painter.text("cloud/legend", inner.lo + Vec2{7 + width, 4}, "with noise", style);
        style.color = f.theme.warning;
        if (const std::string loss = lossOf(view); !loss.empty() && inner.height() > 120 && f.report.status == Status::Ok)
            f.painter.text("cloud/loss", inner.lo + Vec2{7, 6 + line}, elide(f.painter, loss, style, inner.width() - 14), style);
    }
    const std::string verdict = view.pathologyOf(net), one = verdict.substr(0, verdict.find(' '));
    if (verdict.empty() || inner.height() < 3 * line) return;
    style.color = verdict == "well-behaved" ? f.theme.text : f.theme.warning;
    style.size = inner.width() > 260 ? f.theme.smallSize : f.theme.tinySize;
    style.bold = true, style.v = AlignV::Bottom;
    const std::string text = fitting(f, {view.comparing() ? verdict : "in depth: " + verdict, verdict, one}, inner.width() - 14);
    f.painter.text("cloud/verdict", {inner.lo.x + 7, inner.hi.y - 4}, text, style);
}

std::string cloudTitle(PictureFrame& f, const View& view, std::size_t net, double width) {
    const std::string layer = view.layerName(view.nearest());
    if (view.comparing()) return shortNameOf(view.nets[net]);
    const auto chi = view.curve("chi"), rank = view.curve("rankSignal");
    if (view.nearest() >= chi.size() || std::isnan(chi[view.nearest()])) return layer;
    const std::string c = layer + ": *χ* = " + numberText(chi[view.nearest()], 3);
    return fitting(
        f,
        {c + ", effective rank " + numberText(rank[view.nearest()], 3), c + ", *r*_{eff} " + numberText(rank[view.nearest()], 3), c, layer},
        width);
}

}  // namespace

void drawCloud(PictureFrame& f, const View& view, Rect rect, std::size_t net) {
    const bool large = rect.height() > 200 && rect.width() > 220;
    const double width = std::max(40.0, rect.width() - 24), height = std::max(40.0, rect.height() - 45), half = std::min(width, height);
    const std::string id = view.comparing() ? "cloud-" + view.nets[net] : "cloud";
    Plot plot(
        f.painter, f.theme, id, rect,
        {.label = large ? "first principal direction" : "", .lo = -kReach * width / half, .hi = kReach * width / half, .ticks = false},
        {.label = large ? "second" : "", .lo = -kReach * height / half, .hi = kReach * height / half, .ticks = false}, zoomOf(f, id));
    const Cloud cloud = cloudAt(view, net);
    if (cloud.defined()) drawPoints(f, plot, cloud, large ? 3.6 : 2.6);
    finishPlot(f, plot, id, cloudTitle(f, view, net, rect.width() - 16));
    drawNotes(f, view, plot.inner(), net);
}

namespace {

/// The k-th of n equal parts of a row.
Rect part(const Rect& row, std::size_t k, std::size_t n) {
    const double gap = 8, width = (row.width() - gap * static_cast<double>(n - 1)) / static_cast<double>(n);
    const double left = row.lo.x + (width + gap) * static_cast<double>(k);
    return {{left, row.lo.y}, {left + width, row.hi.y}};
}

void drawClouds(PictureFrame& f, const View& view, const Rect& rect, std::size_t columns) {
    const std::size_t rows = (view.nets.size() + columns - 1) / columns;
    const double height = rect.height() / static_cast<double>(rows);
    for (std::size_t k = 0; k < view.nets.size(); ++k) {
        const double top = rect.lo.y + height * static_cast<double>(k / columns);
        drawCloud(f, view, part({{rect.lo.x, top}, {rect.hi.x, top + height - 4}}, k % columns, columns), k);
    }
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return view.comparing() ? drawSensitivity(f, view, a) : drawCloud(f, view, part(a, 0, 1), 0);
    const double split = a.lo.y + a.height() * 0.56;
    const Rect top{a.lo, {a.hi.x, split - 4}}, bottom{{a.lo.x, split + 4}, a.hi};
    drawClouds(f, view, top, view.comparing() ? 2 : 1);
    drawSensitivity(f, view, bottom);
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const bool tall = a.height() > 420;
    const double split = tall ? a.lo.y + a.height() * (view.comparing() ? 0.44 : 0.56) : a.hi.y;
    const Rect top{{a.lo.x, a.lo.y + 4}, {a.hi.x, tall ? split - 4 : split}}, bottom{{a.lo.x, split + 4}, a.hi};
    if (view.comparing() && tall) {
        drawClouds(f, view, top, view.nets.size());
        drawSensitivity(f, view, part(bottom, 0, 3));
        drawIncrements(f, view, part(bottom, 1, 3));
        drawRanks(f, view, part(bottom, 2, 3));
        return;
    }
    const double middle = a.lo.x + std::min(a.width() * 0.48, top.height() * 1.15);
    drawClouds(f, view, {top.lo, {middle - 4, top.hi.y}}, view.comparing() ? 2 : 1);
    drawSensitivity(f, view, {{middle + 4, top.lo.y}, top.hi});
    if (!tall) return;
    drawIncrements(f, view, part(bottom, 0, 3));
    drawRanks(f, view, part(bottom, 1, 3));
    drawSigns(f, view, part(bottom, 2, 3));
}

class MomentsPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "Signal and noise are on their way through the layers.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace moments

PictureEntry moments_picture() {
    return {"moments", [] { return std::unique_ptr<Picture>(std::make_unique<moments::MomentsPicture>()); }};
}

}  // namespace kappaflow
