// The curve from sample A to sample B: its image in a layer's principal plane, and its length behind every layer.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/picture_curve.h"
#include "scenes/one_network/network_lens/picture_view.h"

namespace kappaflow::lens {
namespace {

/// Whether positive values are so far apart that only a logarithm shows them all.
bool spreadOut(const std::vector<double>& values, double times) {
    double lo = 1e300, hi = 0;
    for (const double v : values)
        if (v > 0 && std::isfinite(v)) lo = std::min(lo, v), hi = std::max(hi, v);
    return hi > times * lo;
}

void drawLengthPlot(Scene& s, const Array& length, Rect rect) {
    const auto& values = length.values;
    const bool logarithmic = spreadOut(values, 12);
    double lo = 1e300, hi = 1e-12;
    for (const double v : values)
        if (v > 1e-300 && std::isfinite(v)) lo = std::min(lo, v), hi = std::max(hi, v);
    const AxisSpec up = logarithmic ? AxisSpec{.label = "length *ℓ*", .lo = lo / 1.4, .hi = hi * 1.6, .scale = Scale::Log}
                                    : AxisSpec{.label = "length *ℓ*", .lo = 0, .hi = 1.12 * hi};
    Plot plot(s.painter(), s.theme(), "length", rect, layerAxis(s.view), up, zoomOf(s.f, "length"));
    const auto layers = countUp(values.size());
    if (!length.standardError.empty()) {
        std::vector<double> low = values, high = values;
        for (std::size_t i = 0; i < values.size(); ++i) low[i] -= length.standardError[i], high[i] += length.standardError[i];
        plot.band("length/band", layers, low, high, s.theme().series[0].withAlpha(0.2f));
    }
    plot.line("length/measured", layers, values, {s.theme().series[0], Dash::Solid, 2.2, "*ℓ*"});
    plot.markers("length/measured", layers, values, {s.theme().series[0], Dash::Solid, 1, ""}, MarkerShape::Circle, 3);
    drawLayerMark(s, plot, "length");
    finishPlot(s.f, plot, "length", "");
}

/// "layer 2: 3.1 times as long, 14 pieces".
std::string factsAt(const View& view, std::size_t layer) {
    const Array *length = view.array("length"), *pieces = view.array("pieces");
    std::string text = view.layerName(layer);
    if (layer < length->values.size() && length->values[0] > 0)
        text += ": " + numberText(length->values[layer] / length->values[0], 3) + " ×";
    if (pieces && layer < pieces->values.size() && std::isfinite(pieces->values[layer]) && layer > 0)
        text += ", " + numberText(pieces->values[layer], 5) + (pieces->values[layer] == 1 ? " piece" : " pieces");
    return text;
}

/// A and B beside the ends, away from each other.
void nameEnds(Scene& s, const std::vector<Vec2>& points) {
    const TextStyle style{.color = s.theme().text,
                          .size = s.theme().tinySize,
                          .h = AlignH::Centre,
                          .v = AlignV::Middle,
                          .bold = true,
                          .halo = s.theme().ground};
    const Vec2 a = points.front(), b = points.back(), away = b - a;
    const double length = std::hypot(away.x, away.y);
    const Vec2 out = length > 1 ? away * (13 / length) : Vec2{0, 13};
    s.painter().text("image/A", a - out, "A", style);
    s.painter().text("image/B", b + out, "B", style);
}

void drawImage(Scene& s, const Array& image, Rect rect) {
    const Array &length = *s.view.array("length"), *share = s.view.array("planeShare"), *place = s.view.array("place");
    const std::size_t last = image.axes[0].size() - 1, layer = std::min(s.view.layer(), last);
    const TextStyle style{.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Centre, .v = AlignV::Bottom};
    const std::string facts = factsAt(s.view, layer), name = s.view.layerName(layer);
    const Rect inner = rect.inset(22, 22, 22, 44);
    const auto points = curve_image::mixedImage(image, between(s.view.at, last), inner);
    const double first = std::max(length.values[0], 1e-300);
    curve_image::drawColored(s.f, "image", points, curve_image::widthOf(length.values[std::min(layer, length.values.size() - 1)] / first));
    curve_image::drawEnds(s.f, points);
    if (place) s.curves.push_back({points, place->values, rect});
    const std::string spread =
        share && layer < share->values.size() ? ", " + numberText(100 * share->values[layer], 3) + " % of its spread" : "";
    for (const std::string& text : {facts + spread, facts, name}) {
        if (s.painter().measure(text, style).x > rect.width() - 6) continue;
        s.painter().text("image/facts", {rect.centre().x, rect.hi.y - 4}, text, style);
        break;
    }
    nameEnds(s, points);
}

}  // namespace

void drawTrajectory(Scene& s, Rect rect) {
    const Array *image = s.view.array("image"), *length = s.view.array("length");
    const double ratio = s.view.scalar("lengthRatio");
    const std::string times = std::isfinite(ratio) ? ": " + numberText(ratio, 3) + " times as long at the output" : "";
    rect = drawHeading(s, Lens::Trajectory, rect,
                       {"Trajectory from A to B" + times, "Trajectory" + times, "Trajectory from A to B", "Trajectory"});
    if (!length) return drawReason(s, Lens::Trajectory, rect, "There is no curve to follow.");
    rect.hi.y -= drawRemark(s, Lens::Trajectory, rect);
    if (!image || image->values.empty()) return drawLengthPlot(s, *length, withoutTitle(rect));
    const bool upright = rect.height() > 1.15 * rect.width();
    if (!upright && rect.width() < 220) return drawImage(s, *image, rect);
    const double split = upright ? rect.lo.y + 0.56 * rect.height() : rect.lo.x + std::min(0.5 * rect.width(), 1.25 * rect.height());
    drawImage(s, *image, upright ? Rect{rect.lo, {rect.hi.x, split}} : Rect{rect.lo, {split, rect.hi.y}});
    drawLengthPlot(s, *length, upright ? Rect{{rect.lo.x, split + 4}, rect.hi} : withoutTitle({{split + 4, rect.lo.y}, rect.hi}));
}

}  // namespace kappaflow::lens
