// Feature vectors of a layer in their principal plane, with and without noise.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/moments/moments/picture_view.h"

namespace kappaflow::moments {
namespace {

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

}  // namespace kappaflow::moments
