// Effect of training (survey Figs 4–5): an arc of images between two samples, what a layer makes of it before training and at one step,
// lengths layer by layer at both, and the accuracy.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/expressivity/picture_curves.h"
#include "scenes/expressivity/training_tradeoff.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace training_tradeoff {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

bool transitions(const Seen& s) { return s.params.show == Show::Transitions; }
const Estimates& betweenSamples(const Seen& s) { return transitions(s) ? s.result.transitions : s.result.length; }
const Estimates& betweenRandom(const Seen& s) { return transitions(s) ? s.result.transitionsRandom : s.result.lengthRandom; }
/// Transitions begin behind the first layer.
Size firstLayer(const Seen& s) { return transitions(s) ? 1 : 0; }

/// The look nearest to the step that stands out.
Size shown(const Seen& s) {
    const Vector& looks = s.result.looks;
    Size nearest = 0;
    for (Size i = 0; i < looks.size(); ++i)
        if (std::abs(looks[i] - s.params.at) <= std::abs(looks[nearest] - s.params.at)) nearest = i;
    return nearest;
}
std::string stepName(const Seen& s) {
    const Size now = shown(s);
    return now == 0 ? "before training" : "step " + numberText(s.result.looks[now], 6);
}
/// Step that the run goes to.
double lastStep(const Seen& s) { return std::max(1.0 * s.asked.steps, s.result.looks.back()); }

Size layerDrawn(const Seen& s) {
    return std::clamp(static_cast<Size>(std::max(s.params.layer, 0)), firstLayer(s), s.result.layers.size() - 1);
}

Color nowColor(const Theme& theme) { return theme.series[0]; }
Color startColor(const Theme& theme) { return theme.muted; }

// The arc's images, and what the layer makes of it.

double drawnAngle(const Seen& s) { return std::clamp(s.params.angle, 0.0, 90.0); }

/// Pixels a side, and channels one after the other; none where the samples are no images.
struct ImageShape {
    Size side = 0, channels = 0;
};
ImageShape shapeOf(Size inputs) {
    for (const Size channels : {Size{1}, Size{3}}) {
        const auto side = static_cast<Size>(std::lround(std::sqrt(static_cast<double>(inputs) / static_cast<double>(channels))));
        if (side >= 8 && side * side * channels == inputs) return {side, channels};
    }
    return {};
}

/// Grey values of the image at an angle of the arc.
Vector imageAt(const Seen& s, double degrees, const ImageShape& shape) {
    const Vector& ends = s.result.endImages;
    const Size inputs = s.result.pixels.size(), pixels = shape.side * shape.side;
    const double angle = degrees * 0.017453292519943295, c = std::cos(angle), d = std::sin(angle);
    Vector grey(pixels);
    for (Size i = 0; i < inputs; ++i) grey[i % pixels] += (c * ends[i] + d * ends[inputs + i]) / static_cast<double>(shape.channels);
    return grey;
}

/// Where the images of the strip stand, and the line under them along which the marked place is dragged.
struct Strip {
    double left, right, line, side;
    Size count;
    double angle(Size i) const { return count > 1 ? 90.0 * static_cast<double>(i) / static_cast<double>(count - 1) : 0; }
    double at(double degrees) const { return left + (right - left) * degrees / 90; }
};

Strip stripIn(Rect rect, bool images) {
    const double side = images ? std::clamp(rect.height() * 0.16, 30.0, 52.0) : 0, room = rect.width() - 12;
    const auto count = static_cast<Size>(std::clamp(std::floor((room + 6) / (std::max(side, 40.0) + 6)), 3.0, 9.0));
    const double left = rect.lo.x + 6 + std::max(side, 12.0) / 2;
    return {left, rect.hi.x - (left - rect.lo.x), rect.lo.y + side + 14, side, count};
}

void markEnds(const Seen& s, const char* id, Vec2 start, Vec2 end, Color color) {
    s.f.painter.marker(id, start, 5, MarkerShape::Circle, color, Stroke{s.f.theme.ground, 1.5});
    s.f.painter.marker(id, end, 5, MarkerShape::Square, color, Stroke{s.f.theme.ground, 1.5});
}

/// Images along the arc in order; a knob moves the place that is marked on its image below.
void drawStrip(const Seen& s, const Strip& strip) {
    const ImageShape shape = shapeOf(s.result.pixels.size());
    // From the mean on, which is the ground that strokes stand out from; photographs whole.
    double lo = 1e300, hi = -1e300, sum = 0;
    for (const double value : s.result.endImages) lo = std::min(lo, value), hi = std::max(hi, value), sum += value;
    if (shape.channels == 1) lo = sum / static_cast<double>(s.result.endImages.size());
    for (Size i = 0; i < strip.count && shape.side > 0; ++i) {
        const Vec2 middle{strip.at(strip.angle(i)), strip.line - 12 - strip.side / 2};
        const Vector grey = imageAt(s, strip.angle(i), shape);
        s.f.painter.field("arc/image", around(middle, strip.side / 2),
                          {shape.side, shape.side, grey, lo, std::max(hi, lo + 1e-12), false, ColorMap::Capacity});
        s.f.painter.frame("arc/image", around(middle, strip.side / 2), {s.f.theme.line, 1});
    }
    s.f.painter.line("arc/line", {strip.left, strip.line}, {strip.right, strip.line}, {nowColor(s.f.theme), 1.8});
    for (Size i = 1; i + 1 < strip.count; ++i)
        s.f.painter.marker("arc/place", {strip.at(strip.angle(i)), strip.line}, 2.6, MarkerShape::Circle, nowColor(s.f.theme));
    markEnds(s, "arc/end", {strip.left, strip.line}, {strip.right, strip.line}, nowColor(s.f.theme));
    const double angle = drawnAngle(s);
    const Vec2 knob{strip.at(angle), strip.line};
    const auto grip = s.f.handles.offer({"angle", "place on the arc", inWords(angle) + "°", angle, 0, 90, 2.5, knobRect(knob)},
                                        [&](Vec2 p) { return 90 * (p.x - strip.left) / (strip.right - strip.left); });
    s.f.painter.marker("arc/marked", knob, grip.lively() ? 7.5 : 6, MarkerShape::Circle, s.f.theme.accent, Stroke{s.f.theme.ground, 1.5});
    if (grip.moved) s.f.changes.push_back(Change::param("angle", std::round(grip.value * 2) / 2));
}

/// The layer's images of the arc at all steps, [step][angle][coordinate].
Vector imagesIn(const Seen& s, Size layer) {
    const Size row = 2 * s.result.angles.size(), step = row * s.result.layers.size();
    Vector all;
    for (Size from = layer * row; from < s.result.image.size(); from += step) {
        const auto begin = s.result.image.begin() + static_cast<std::ptrdiff_t>(from);
        all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(row));
    }
    return all;
}

void drawImages(const Seen& s, const Strip& strip, Rect rect) {
    const Theme& theme = s.f.theme;
    const Size points = s.result.angles.size();
    const Vector images = imagesIn(s, layerDrawn(s));
    const Rect inside = rect.inset(8, 8, 8, 22);
    const Between at = between(indexAlong(s.result.looks, s.params.at), s.result.looks.size() - 1);
    const auto start = curve_image::mixedImage(images, points, {}, inside), now = curve_image::mixedImage(images, points, at, inside);
    const auto placeOf = [&](double degrees) {
        return std::min(static_cast<Size>(std::lround(degrees / 90 * static_cast<double>(points - 1))), points - 1);
    };
    s.f.painter.pushClip(rect);
    s.f.painter.line("image/start", start, Stroke{startColor(theme).withAlpha(0.55f), 1.3});
    s.f.painter.line("image/now", now, Stroke{nowColor(theme), 2});
    for (Size i = 1; i + 1 < strip.count; ++i)
        s.f.painter.marker("image/place", now[placeOf(strip.angle(i))], 2.6, MarkerShape::Circle, nowColor(theme));
    markEnds(s, "image/end", now.front(), now.back(), nowColor(theme));
    const Size marked = placeOf(drawnAngle(s));
    s.f.painter.marker("image/marked", start[marked], 4, MarkerShape::Circle, theme.ground, Stroke{startColor(theme), 1.5});
    s.f.painter.marker("image/marked", now[marked], 6, MarkerShape::Circle, theme.accent, Stroke{theme.ground, 1.5});
    s.f.painter.popClip();
    const TextStyle style{.color = startColor(theme), .size = theme.smallSize, .v = AlignV::Middle, .halo = theme.ground};
    TextStyle ours = style;
    ours.color = nowColor(theme);
    const Vec2 key{rect.lo.x + 4, rect.hi.y - 9};
    s.f.painter.text("image/key", key, "before training", style);
    if (shown(s) > 0) s.f.painter.text("image/key", key + Vec2{s.f.painter.measure("before training", style).x + 14, 0}, stepName(s), ours);
    curve_image::drawScaleBar(s.f, curve_image::scaleOf(images, points, inside), rect);
}

/// "hidden layer 3".
std::string layerName(const Seen& s) {
    const Size layer = layerDrawn(s);
    return layer == 0 ? "the input" : "layer " + numberText(s.result.layers[layer]);
}

void drawArc(const Seen& s, Rect rect) {
    const Theme& theme = s.f.theme;
    const Size layers = s.result.layers.size(), layer = layerDrawn(s), now = shown(s);
    const std::string from = escapeMarkup(s.result.ends[0]), to = escapeMarkup(s.result.ends[1]), name = layerName(s);
    const double before = betweenSamples(s).values[layer], ratio = betweenSamples(s).values[now * layers + layer] / before;
    std::string news;
    if (before > 0 && layer > 0 && now > 0)
        news = (transitions(s) ? ": " : ": arcs ") + numberText(ratio, 2) +
               (transitions(s) ? " times the transitions" : " times as long as before");
    const TextStyle style{.color = theme.text, .size = theme.smallSize};
    drawFitting(s.f, "arc/title", rect.lo + Vec2{2, 0}, {"the arc from a " + from + " to a " + to, from + " to " + to}, style,
                rect.width() - 4);
    const Rect below = rect.inset(0, 20, 0, 0);
    const Strip strip = stripIn(below, shapeOf(s.result.pixels.size()).side > 0);
    drawStrip(s, strip);
    const Vec2 heading{rect.lo.x + 2, strip.line + 14};
    drawFitting(s.f, "image/title", heading, {"in " + name + news, name + news, name}, style, rect.width() - 4);
    drawImages(s, strip, {{rect.lo.x, heading.y + 20}, rect.hi});
}

// Charts.

/// Of both panels together, so that they compare at a glance.
AxisSpec valueAxis(const Seen& s) {
    double lo = 1e300, hi = 0;
    for (const auto* panel : {&betweenSamples(s), &betweenRandom(s)})
        for (const double value : panel->values)
            if (value > 1e-9) lo = std::min(lo, value), hi = std::max(hi, value);
    if (!(hi > 0)) lo = hi = 1;
    return {.label = transitions(s) ? "transitions" : "length of the arc's image", .lo = lo / 1.25, .hi = hi * 1.5, .scale = Scale::Log};
}

/// Lengths or transitions layer by layer, before training and at the step that stands out, ± its standard error over arcs.
Curves byLayer(const Seen& s, const std::string& id, const std::string& title, const Estimates& means) {
    const Vector& layers = s.result.layers;
    const auto first = static_cast<std::ptrdiff_t>(firstLayer(s));
    const Vector x(layers.begin() + first, layers.end());
    const auto row = [&](const Vector& rows, double look) {
        Vector all = rowAt(rows, layers.size(), look);
        all.erase(all.begin(), all.begin() + first);
        return all;
    };
    const double now = indexAlong(s.result.looks, s.params.at);
    Curves curves{
        .id = id,
        .title = title + ": mean of " + counted(s.asked.arcs, "arc"),
        .x = {.label = "hidden layer *d*", .lo = x.front() - 0.15, .hi = x.back() + 0.3, .whole = true},
        .y = valueAxis(s),
        .fit = Fit::Given,
        .curves = {{"before", x, row(means.values, 0), Role::Measurement, "before training", startColor(s.f.theme), 1.6, false, true}}};
    if (now > 0)
        curves.curves.push_back({"now", x, row(means.values, now), Role::Measurement, shown(s) > 0 ? stepName(s) : "", nowColor(s.f.theme),
                                 2.6, false, true, row(means.standardErrors, now), 0.2f});
    return curves;
}

/// Its upright line chooses the layer whose images are drawn.
Curves lengths(const Seen& s) {
    Curves curves = byLayer(s, "samples", "samples", betweenSamples(s));
    const double layer = s.result.layers[layerDrawn(s)], first = static_cast<double>(firstLayer(s)), last = s.result.layers.back();
    curves.now = layer;
    if (last > first)
        curves.more = [&s, layer, first, last, bottom = curves.y.lo](PictureFrame& f, Plot& plot) {
            const auto moved = dragAlong(f, plot,
                                         {.id = "layer",
                                          .label = "layer drawn",
                                          .valueText = layerName(s),
                                          .value = layer,
                                          .min = first,
                                          .max = last,
                                          .step = 1,
                                          .x = layer,
                                          .y = bottom,
                                          .valueAt = [](double at) { return std::round(at); },
                                          .line = "samples"});
            if (moved) f.changes.push_back(Change::param("layer", *moved));
        };
    return curves;
}

/// Accuracy over the steps; the step that stands out can be dragged.
Curves accuracy(const Seen& s) {
    const Result& r = s.result;
    const Size now = shown(s);
    constexpr double kLearnt = 0.8, kGeneral = 0.4;  // what is named rightly, and how much of that holds for new ones
    const bool byHeart = r.accuracy[now] >= kLearnt && r.testAccuracy[now] < kGeneral * r.accuracy[now];
    const auto percent = [&](const Vector& shares) { return numberText(100 * shares[now], 3) + " %"; };
    Curves curves{.id = "accuracy",
                  .title = stepName(s) + ": " + percent(r.accuracy) + (byHeart ? " learnt by heart, " : " learnt, ") +
                           percent(r.testAccuracy) + " of new ones",
                  .x = {.label = "training step *t*", .lo = 0, .hi = lastStep(s) * 1.02, .whole = true},
                  .y = {.label = "named rightly", .lo = 0, .hi = 1.04},
                  .fit = Fit::Given};
    curves.curves = {{"held", r.looks, r.testAccuracy, Role::Measurement, "held out", s.f.theme.muted, 1.6},
                     {"learnt", r.looks, r.accuracy, Role::Measurement, "learnt from", s.f.theme.text, 1.8}};
    curves.more = [&s, &r, now](PictureFrame& f, Plot& plot) {
        scrub(f, plot, "accuracy", {"step", "training step", stepName(s), r.looks, r.looks, r.looks[now]});
    };
    return curves;
}

Layout layout(const Seen& s) {
    return Layout::columns(
        {Layout::rows({s.panel(0, {250, 250}, [&s](Rect rect) { drawArc(s, rect); }).share(2.3), s.panel(2, {220, 130}, accuracy(s))})
             .share(1.3),
         Layout::rows(
             {s.panel(1, {220, 135}, lengths(s)), s.panel(3, {220, 150}, byLayer(s, "random", "random points", betweenRandom(s)))})});
}

}  // namespace
}  // namespace training_tradeoff

PictureEntry training_tradeoff_picture() { return tablePicture<training_tradeoff::kScene, training_tradeoff::layout>(); }

}  // namespace kappaflow
