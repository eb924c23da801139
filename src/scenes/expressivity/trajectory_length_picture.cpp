// Trajectory length (survey Fig 2): the image of a curve in each layer's principal plane, its length, and how fast it grows.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "draw/number_text.h"
#include "scenes/expressivity/picture_curves.h"
#include "scenes/expressivity/trajectory_length.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace trajectory_length {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

Size lastLayer(const Seen& s) { return s.result.layers.size() - 1; }
double shown(const Seen& s) { return std::clamp(s.params.at, 0.0, static_cast<double>(lastLayer(s))); }
/// The layer shown, or the nearer one of two.
Size nearestLayer(const Seen& s) { return static_cast<Size>(shown(s) + 0.5); }

// The plane of the two inputs, in which the trajectory's ends or corners can be dragged.

/// The curve (a, b) of the params at hand, so that it follows the hand before the layers do.
std::vector<Vec2> inputCurve(const Params& p) {
    if (p.trajectory == Path::Line) return {{1, 0}, {0, 1}};
    std::vector<Vec2> points;
    if (p.trajectory == Path::Drawn) {
        for (Size i = 0; i + 1 < p.path.size(); i += 2) points.push_back({p.path[i], p.path[i + 1]});
        return points;
    }
    const double degree = std::numbers::pi / 180;
    for (int i = 0; i <= 128; ++i) {
        const double angle = (p.start + p.span * i / 128) * degree;
        points.push_back({std::cos(angle), std::sin(angle)});
    }
    return points;
}

/// Coordinates a, b about the origin in the middle of a square.
struct InputPlane {
    Vec2 origin;
    double unit;
    Vec2 at(Vec2 p) const { return {origin.x + unit * p.x, origin.y - unit * p.y}; }
    Vec2 from(Vec2 screen) const { return {(screen.x - origin.x) / unit, (origin.y - screen.y) / unit}; }
    double degrees(Vec2 screen) const {
        const double angle = std::atan2(origin.y - screen.y, screen.x - origin.x) * 180 / std::numbers::pi;
        return std::round(angle < 0 ? angle + 360 : angle);
    }
};

void offerArc(const Seen& s, const InputPlane& plane) {
    const double start = s.params.start, span = s.params.span, degree = std::numbers::pi / 180;
    const auto place = [&](double angle) { return plane.at({std::cos(angle * degree), std::sin(angle * degree)}); };
    // Where the ends of a circle meet, the second knob stands inside.
    const Vec2 begin = place(start), meet = place(start + span), end = span > 340 ? plane.origin + (meet - plane.origin) * 0.66 : meet;
    const auto moved = s.f.handles.offer({"start", "start of the arc", inWords(start) + "°", start, 0, 360, 5, knobRect(begin)},
                                         [&](Vec2 p) { return plane.degrees(p); });
    const auto turned = s.f.handles.offer({"span", "length of the arc", inWords(span) + "°", span, 0, 360, 5, knobRect(end)}, [&](Vec2 p) {
        const double angle = std::fmod(plane.degrees(p) - start + 720, 360);
        // A whole circle and none end in the same place: what is nearer to the span there was.
        return angle < 1 || (span > 300 && angle < 30) ? (span > 180 ? 360.0 : 1.0) : angle;
    });
    drawKnob(s.f, "input/start", begin, moved);
    drawKnob(s.f, "input/end", end, turned);
    if (moved.moved) s.f.changes.push_back(Change::param("start", moved.value));
    if (turned.moved) s.f.changes.push_back(Change::param("span", std::max(turned.value, 1.0)));
}

constexpr double kCornersPerUnit = 20, kCornerStep = 1 / kCornersPerUnit;

double snapped(double x) { return std::round(std::clamp(x, -3.0, 3.0) * kCornersPerUnit) / kCornersPerUnit; }

/// Every corner is dragged in both coordinates; from the keyboard there is one handle for each.
void offerCorners(const Seen& s, const InputPlane& plane, const std::vector<Vec2>& corners, std::span<const Vec2> screen) {
    for (Size i = 0; i < corners.size(); ++i) {
        const std::string name = std::to_string(i + 1);
        const Vec2 at = screen[i];
        Vec2 wanted = corners[i];
        const Handle a{"a" + name, "corner " + name + ", x₀", inWords(wanted.x), wanted.x, -3, 3, kCornerStep, knobRect(at)};
        const auto grip = s.f.handles.offer(a, [&](Vec2 p) {
            wanted = {snapped(plane.from(p).x), snapped(plane.from(p).y)};
            return wanted.x;
        });
        if (grip.moved) wanted.x = snapped(grip.value);
        const Handle b{"b" + name, "corner " + name + ", x₁", inWords(wanted.y), corners[i].y, -3, 3, kCornerStep, {at, at}};
        const auto up = s.f.handles.offer(b);
        if (up.moved) wanted.y = snapped(up.value);
        drawKnob(s.f, "input/corner", at, grip);
        if (wanted == corners[i]) continue;
        Vector path = s.params.path;
        path[2 * i] = wanted.x;
        path[2 * i + 1] = wanted.y;
        s.f.changes.push_back(Change::param("path", std::move(path)));
    }
    offerCornerChanges(s.f, "path", screen, kCornersPerUnit);
}

void drawInput(const Seen& s, Rect rect) {
    const std::vector<Vec2> corners = inputCurve(s.params);
    double reach = 1.2;
    for (const Vec2 p : corners) reach = std::max({reach, std::abs(p.x) * 1.15, std::abs(p.y) * 1.15});
    const InputPlane plane{rect.centre(), (rect.width() / 2 - 6) / reach};
    s.f.painter.rect("input/ground", rect, s.f.theme.ground.withAlpha(0.82f), 6);
    s.f.painter.frame("input/frame", rect, {s.f.theme.line, 1}, 6);
    const Vec2 x = plane.at({1, 0}), y = plane.at({0, 1});
    s.f.painter.line("input/axis", plane.origin, x, {s.f.theme.muted, 1.2});
    s.f.painter.line("input/axis", plane.origin, y, {s.f.theme.muted, 1.2});
    const TextStyle style{.color = s.f.theme.muted, .size = s.f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Top, .italic = true};
    if (rect.width() > 100) {
        s.f.painter.text("input/x0", {x.x - 2, x.y + 3}, "x₀", style);
        s.f.painter.text("input/x1", {y.x - 5, y.y + 3}, "x₁", style);
    }
    std::vector<Vec2> screen, fine;
    for (const Vec2 p : corners) screen.push_back(plane.at(p));
    // Straight stretches change colour along the way too.
    for (Size i = 0; i + 1 < screen.size(); ++i)
        for (int part = 0; part < 16; ++part) fine.push_back(screen[i] + (screen[i + 1] - screen[i]) * (part / 16.0));
    if (!screen.empty()) fine.push_back(screen.back());
    curve_image::drawColored(s.f, "input", fine, 2.4);
    if (s.params.trajectory == Path::Circle) offerArc(s, plane);
    if (s.params.trajectory == Path::Drawn) offerCorners(s, plane, corners, screen);
}

// The image in the layer shown.

/// The first of these sentences that fits.
void drawFitting(PictureFrame& f, std::string_view id, Vec2 at, double width, const TextStyle& style,
                 std::initializer_list<std::string> texts) {
    for (const std::string& text : texts)
        if (f.painter.measure(text, style).x <= width) return f.painter.text(id, at, text, style);
}

/// Length of the image in the layer shown over the input's.
double stretch(const Seen& s) {
    const Vector& length = s.result.length.values;
    return length[0] > 0 ? length[nearestLayer(s)] / length[0] : 0;
}

/// Height that it took.
double drawHeadline(const Seen& s, Rect area) {
    const Size layer = nearestLayer(s);
    const std::string name = layer == 0 ? "Input" : "Layer " + std::to_string(layer);
    const std::string times = name + ": " + numberText(stretch(s), 3) + " times";
    const TextStyle style{.color = s.f.theme.text, .size = s.f.theme.textSize, .bold = true};
    std::string pieces;
    if (layer > 0 && !s.result.pieces.empty() && std::isfinite(s.result.pieces[layer]))
        pieces = ", in " + numberText(s.result.pieces[layer], 5) + (s.result.pieces[layer] == 1 ? " linear piece" : " linear pieces");
    drawFitting(s.f, "headline", area.lo + Vec2{4, 2}, area.width() - 8, style,
                {times + " the input's length" + pieces, times + " the input's length", times, name});
    if (area.height() < 200) return 22;
    const TextStyle small{.color = s.f.theme.muted, .size = s.f.theme.smallSize};
    const std::string share = numberText(100 * s.result.planeShare[layer], 2) + " %";
    drawFitting(s.f, "share", area.lo + Vec2{4, 23}, area.width() - 8, small,
                {"seen in its principal plane, which holds " + share + " of its spread; one scale for all layers",
                 "its principal plane holds " + share + " of its spread", "plane: " + share + " of its spread", ""});
    return 42;
}

/// The image under its headline, the input plane in its lower left corner.
void drawImage(const Seen& s, Rect area) {
    const double top = drawHeadline(s, area);
    const Rect below{area.lo + Vec2{0, top}, area.hi};
    const double side = std::clamp(std::min(below.width() * 0.26, below.height() * 0.34), 0.0, 170.0);
    const bool inset = side >= 64;
    // The image keeps clear of it on the side where there is more room.
    const bool high = below.height() > below.width();
    const Rect clear = high ? Rect{below.lo, below.hi - Vec2{0, side}} : Rect{below.lo + Vec2{side, 0}, below.hi};
    const Rect room = (inset && below.width() > 300 ? clear : below).inset(10, 10, 10, 10);
    const Size points = s.result.place.size();
    const auto screen = curve_image::mixedImage(s.result.image, points, between(shown(s), lastLayer(s)), room);
    s.f.painter.pushClip(below);
    curve_image::drawColored(s.f, "image", screen, curve_image::widthOf(stretch(s)));
    curve_image::drawEnds(s.f, screen);
    s.f.painter.popClip();
    curve_image::drawScaleBar(s.f, curve_image::scaleOf(s.result.image, points, room), below);
    if (inset) drawInput(s, {{below.lo.x, below.hi.y - side}, {below.lo.x + side, below.hi.y}});
}

// Length against depth, and growth against width and weight variance, each with its theory.

/// A log axis around what it must show.
AxisSpec logAxis(std::string label, double room, std::initializer_list<Vector> shown) {
    double lo = 1e300, hi = 0;
    for (const Vector& values : shown)
        for (const double value : values)
            if (value > 1e-12 && value < 1e300) lo = std::min(lo, value), hi = std::max(hi, value);
    if (!(hi > 0)) return {.label = std::move(label), .lo = 0.1, .hi = 1, .scale = Scale::Log};
    return {.label = std::move(label), .lo = lo / room, .hi = hi * room, .scale = Scale::Log};
}

Curves lengths(const Seen& s, bool wide) {
    const Result& r = s.result;
    // A log axis has no place for a band down to 0.
    Vector error = r.length.standardErrors;
    for (Size l = 0; l < error.size(); ++l) error[l] = std::min(error[l], 0.999 * r.length.values[l]);
    std::string title = "×" + numberText(r.growthPerLayer, 4) + " a layer";
    if (wide && r.heGrowth)
        title += ", ×*g*; He's *σ*_{w}^{2} = 2 has *g* = " + numberText(*r.heGrowth, 4);
    else if (wide && r.meanField.empty())
        title += "; weights not random";
    else if (wide)
        title += " (mean field ×" + numberText(*r.meanFieldGrowth, 4) + ")";
    Curves curves{.id = "length",
                  .title = title,
                  .x = {.label = "layer *d*", .lo = 0, .hi = static_cast<double>(std::max<Size>(lastLayer(s), 1)), .whole = true},
                  .y = logAxis("length *l*_{*d*}", 1.4, {r.length.values, r.meanField, r.theoremBase}),
                  .fit = Fit::Given};
    const auto add = [&](const char* id, const Vector& values, Role role, const char* label) {
        const auto color = role == Role::Bound ? std::optional(s.f.theme.muted) : std::nullopt;
        if (!values.empty()) curves.curves.push_back({id, r.layers, values, role, label, color, 1.6});
    };
    add("upper", r.upperBound, Role::Bound, "*σ*_{w}^{*d*}");
    add("theorem", r.theoremBase, Role::Bound, "Theorem 1, *B*^{*d*}");
    curves.curves.push_back(
        {"measured", r.layers, r.length.values, Role::Measurement, "measured", s.f.theme.series[0], 2.4, false, true, std::move(error)});
    if (r.exactLength.empty())
        add("mean-field", r.meanField, Role::Theory, "mean field");
    else
        add("exact", r.exactLength, Role::Theory, "exact *g*^{*d*}");
    curves.more = [&s](PictureFrame& f, Plot& plot) {
        const Vector& layers = s.result.layers;
        scrub(f, plot, "length", {"layer", "layer shown", "layer " + std::to_string(nearestLayer(s)), layers, layers, shown(s)});
    };
    return curves;
}

/// Index of the value nearest in ratio.
Size nearestTo(const Vector& values, double to) {
    Size best = 0;
    for (Size i = 1; i < values.size(); ++i)
        if (std::abs(std::log(values[i] / to)) < std::abs(std::log(values[best] / to))) best = i;
    return best;
}

/// Theorem 2 and the growth of saturated units are drawn, for hard-tanh.
bool saturated(const Seen& s) { return s.params.charts == Charts::Saturation && !s.result.sweepSaturated.empty(); }

/// Lengths layer by layer of the sweep's networks: all widths at the weight variance nearest to the main network's, or all variances at the
/// nearest width, whose own curve is in front.
Curves family(const Seen& s, bool ofWidths, bool wide) {
    const Result& r = s.result;
    const Vector &members = ofWidths ? r.widths : r.variances, &others = ofWidths ? r.variances : r.widths;
    const Size other = nearestTo(others, ofWidths ? s.params.weightVariance : s.params.width),
               front = nearestTo(members, ofWidths ? s.params.width : s.params.weightVariance), layers = r.sweepLayers.size();
    const std::string name = ofWidths ? "*k* = " : "*σ*_{w}^{2} = ",
                      title = (ofWidths ? "*σ*_{w}^{2} = " : "*k* = ") + inWords(others[other]);
    Curves curves{.id = ofWidths ? "lengths-by-width" : "lengths-by-variance",
                  .title = !wide      ? title
                           : ofWidths ? "length layer by layer, " + title + ": widths"
                                      : "length layer by layer, " + title + ": variances",
                  .x = {.label = "layer *d*", .lo = 0, .hi = r.sweepLayers.back(), .whole = true},
                  .fit = Fit::Given};
    Vector all{1};
    std::vector<Curve> theory;
    for (Size i = 0; i < members.size(); ++i) {
        const Size width = ofWidths ? i : other, variance = ofWidths ? other : i, row = width * r.variances.size() + variance;
        const float ink = i == front ? 1.0f : 0.5f;
        Vector lengths = rowAt(r.sweepStretch.values, layers, static_cast<double>(row)), expected;
        all.insert(all.end(), lengths.begin(), lengths.end());
        if (r.sweepExact.empty())
            expected = rowAt(r.sweepStretchMeanField, layers, static_cast<double>(variance));
        else
            for (const double l : r.sweepLayers) expected.push_back(std::pow(r.sweepExact[row], l));
        // In mean field widths do not count.
        if (!ofWidths || i == 0 || !r.sweepExact.empty())
            theory.push_back({"theory", r.sweepLayers, std::move(expected), Role::Theory, "", std::nullopt, 1.3});
        curves.curves.push_back({"measured", r.sweepLayers, std::move(lengths), Role::Measurement, name + inWords(members[i]),
                                 s.f.theme.series[0].withAlpha(ink), i == front ? 2.4 : 1.4, false, true,
                                 rowAt(r.sweepStretch.standardErrors, layers, static_cast<double>(row))});
    }
    if (ofWidths && r.sweepExact.empty()) theory[0].label = "mean field";
    curves.curves.insert(curves.curves.end(), theory.begin(), theory.end());
    curves.y = logAxis("*l*_{*d*}/*l*_{0}", 1.5, {all});
    curves.more = [id = curves.id](PictureFrame& f, Plot& plot) { plot.horizontal(id + "/one", 1, {f.theme.line, Dash::Solid, 1.2, ""}); };
    return curves;
}

/// One chart of the sweep: growth against the width, or else the weight variance; the row nearest to the main network's in front. The
/// main network's own width or variance is dragged along the axis.
Curves growth(const Seen& s, bool byWidth, bool wide) {
    const Result& r = s.result;
    const Vector &x = byWidth ? r.widths : r.variances, &others = byWidth ? r.variances : r.widths;
    const double own = byWidth ? s.params.width : s.params.weightVariance;
    const Size chosen = nearestTo(others, byWidth ? s.params.weightVariance : s.params.width);
    // A row of a [width][variance] array along x.
    const auto along = [&](const Vector& both, Size other) {
        Vector values;
        for (Size i = 0; i < x.size() && !both.empty(); ++i)
            values.push_back(both[byWidth ? i * r.variances.size() + other : other * r.variances.size() + i]);
        return values;
    };
    const std::string otherName = byWidth ? "*σ*_{w}^{2} = " : "*k* = ", chosenName = otherName + inWords(others[chosen]);
    Curves curves{.id = byWidth ? "by-width" : "by-variance",
                  .title = !wide     ? chosenName
                           : byWidth ? "growth against width (" + chosenName + ")"
                                     : "growth against weight variance (" + chosenName + ")",
                  .x = logAxis(byWidth ? "width *k*" : "weight variance *σ*_{w}^{2}", 1.15, {x, {own}}),
                  .y = logAxis("growth a layer", 1.08,
                               {r.sweepGrowth.values, along(saturated(s) ? r.sweepTheoremTwo : r.sweepTheoremBase, chosen), {1}}),
                  .fit = Fit::Given,
                  .now = own};
    for (Size i = 0; i < others.size(); ++i) {
        const bool front = i == chosen, named = !byWidth || i + 1 == others.size();
        curves.curves.push_back({"measured", x, along(r.sweepGrowth.values, i), Role::Measurement,
                                 front   ? "measured"
                                 : named ? otherName + inWords(others[i])
                                         : "",
                                 s.f.theme.series[0].withAlpha(front ? 1.0f : 0.4f), front ? 2.4 : 1.2, false, true,
                                 front ? along(r.sweepGrowth.standardErrors, i) : Vector{}});
    }
    const auto add = [&](const char* id, Vector values, Role role, const char* label) {
        const auto color = role == Role::Bound ? std::optional(s.f.theme.muted) : std::nullopt;
        curves.curves.push_back({id, x, std::move(values), role, label, color, 1.6});
    };
    // One value for each variance, whatever the width.
    const auto ofVariance = [&](const Vector& values) { return byWidth ? Vector(x.size(), values[chosen]) : values; };
    if (r.sweepExact.empty())
        add("mean-field", ofVariance(r.sweepMeanField), Role::Theory, "√*χ*");
    else
        add("exact", along(r.sweepExact, chosen), Role::Theory, "exact *g*");
    if (saturated(s)) {
        add("saturated", along(r.sweepSaturated, chosen), Role::Theory, "all saturated");
        add("second-theorem", along(r.sweepTheoremTwo, chosen), Role::Bound, "Theorem 2");
    } else {
        if (!r.sweepTheoremBase.empty()) add("theorem", along(r.sweepTheoremBase, chosen), Role::Bound, "*B*");
        add("upper", ofVariance(r.sweepUpperBound), Role::Bound, "*σ*_{w}");
    }
    curves.more = [byWidth, own, id = curves.id, bottom = curves.y.lo](PictureFrame& f, Plot& plot) {
        plot.horizontal(id + "/one", 1, {f.theme.line, Dash::Solid, 1.2, ""});
        const double step = byWidth ? 1 : 0.25;
        const auto moved = dragAlong(f, plot,
                                     {.id = byWidth ? "width" : "weightVariance",
                                      .label = byWidth ? "width" : "weight variance",
                                      .valueText = inWords(own),
                                      .value = own,
                                      .min = step,
                                      .max = byWidth ? 512.0 : 100.0,
                                      .step = step,
                                      .x = own,
                                      .y = bottom,
                                      .valueAt = [byWidth](double at) { return byWidth ? std::round(at) : std::round(at * 20) / 20; }});
        if (moved) f.changes.push_back(Change::param(byWidth ? "width" : "weightVariance", std::max(*moved, step)));
    };
    return curves;
}

Layout layout(const Seen& s) {
    if (s.result.image.empty()) return s.panel(0, {}, [&s](Rect) { emptyPicture(s.f, "The trajectory is being followed."); });
    const auto chart = [&s](int rank, double height, auto curves) {
        return s.panel(rank, {230, height}, [&s, curves](Rect rect) { drawCurves(s.f, curves(rect.width() > 300), rect); });
    };
    // What a reader chose to see of many networks comes before the drawn one's length.
    const bool many = s.params.charts != Charts::Growth && !s.result.sweepGrowth.values.empty(),
               widthsFirst = s.params.charts == Charts::Saturation;
    std::vector<Layout> charts{chart(many ? 3 : 1, 170, [&s](bool wide) { return lengths(s, wide); }).share(many ? 0.8 : 1.35)};
    if (!s.result.sweepGrowth.values.empty()) {
        for (const bool byWidth : {true, false})
            charts.push_back(chart(many ? (byWidth == widthsFirst ? 1 : 2) : (byWidth ? 3 : 2), 150, [&s, byWidth](bool wide) {
                return s.params.charts == Charts::Lengths ? family(s, byWidth, wide) : growth(s, byWidth, wide);
            }));
    }
    return Layout::columns(
        {s.panel(0, {260, 240}, [&s](Rect rect) { drawImage(s, rect); }).share(many ? 1 : 1.63), Layout::rows(std::move(charts))});
}

}  // namespace
}  // namespace trajectory_length

PictureEntry trajectory_length_picture() { return tablePicture<trajectory_length::kScene, trajectory_length::layout>(); }

}  // namespace kappaflow
