// Errors and capacity (P2 Fig 6): squared error against the bound 1 − κ as draws arrive, and beside it one direction.
#include "scenes/linear_models/errors_vs_capacity.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include "draw/number_text.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace errors_vs_capacity {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

/// Mean and standard deviation over the draws counted.
struct Mean {
    Vector values, deviation;
};

/// Of the first `counted` rows of so many numbers, the last one in part.
Mean averageOf(const Vector& rows, Size n, double counted) {
    Mean mean{Vector(n), Vector(n)};
    const Size last = static_cast<Size>(std::ceil(counted));
    const auto share = [&](Size draw) { return std::min(1.0, counted - static_cast<double>(draw)); };
    for (Size draw = 0; draw < last; ++draw)
        for (Size i = 0; i < n; ++i) mean.values[i] += share(draw) * rows[draw * n + i] / counted;
    for (Size draw = 0; draw < last; ++draw)
        for (Size i = 0; i < n; ++i) mean.deviation[i] += share(draw) * std::pow(rows[draw * n + i] - mean.values[i], 2);
    for (double& value : mean.deviation) value = std::sqrt(value / std::max(1.0, counted - 1));
    return mean;
}

/// What all panels show: the errors along one kind of direction, over the draws counted, and the direction that stands out.
struct View {
    explicit View(const Seen&);
    std::string name(Size i) const { return lags ? "lag " + std::to_string(i) : "eigenvector " + std::to_string(i + 1); }
    /// Mean over whole draws.
    double capacity(Size i) const {
        double sum = 0;
        for (Size draw = 0; draw < draws(); ++draw) sum += side.boundByDraw[draw * n + i];
        return 1 - sum / static_cast<double>(draws()) * (static_cast<double>(n) - s.result.totalCapacity);
    }
    std::string title() const {
        return name(shown) + ": " + (lags ? "" : "variance " + numberText(s.result.eigenvalues[shown], 2) + ", ") +
               "*κ* = " + fixedText(capacity(shown), 2);
    }
    /// From the largest variance, or the newest input, on.
    Color color(Size i) const {
        const double t = n < 2 ? 0 : static_cast<double>(i) / static_cast<double>(n - 1);
        return sample(ColorMap::Viridis, s.f.theme.dark ? 0.3 + 0.7 * t : 0.62 * t, s.f.theme.dark);
    }
    Size draws() const { return static_cast<Size>(counted + 0.5); }

    Seen s;
    bool lags;
    const Side& side;
    Size n;
    double counted;  ///< draws, with the share of one that is on its way in
    Mean bound, error;
    double right = 0, top = 0;  ///< ends of the axes
    Size shown;                 ///< the direction under the pointer, or else the one picked
};
View::View(const Seen& seen)
    : s(seen),
      lags(seen.params.along == Along::Lags),
      side(lags ? seen.result.alongLags : seen.result.alongComponents),
      n(seen.result.lags.size()),
      counted(std::clamp(seen.params.at, 1.0, static_cast<double>(seen.result.draws.size()))),
      shown(std::min(static_cast<Size>(seen.params.direction), n) - 1) {
    // One axis from the first draws to the last: what moves is the mean, not its scale.
    const double all = static_cast<double>(s.result.draws.size());
    for (const double few : {std::min(10.0, all), all}) {
        right = largest(averageOf(side.boundByDraw, n, few).values, right);
        top = largest(averageOf(side.errorByDraw, n, few).values, top);
    }
    right *= 1.08, top *= 1.15;
    if (!(right > 1e-9)) right = top = 1 / static_cast<double>(n);  // no capacity is missing
    bound = averageOf(side.boundByDraw, n, counted), error = averageOf(side.errorByDraw, n, counted);
}

/// "r = 0.88".
std::string correlationText(double r) { return std::isfinite(r) ? "*r* = " + fixedText(r, 2) : "*r* not defined"; }
double correlationOf(const View& v, const Side& side) { return side.correlationByDraws[v.draws() - 1]; }

// The scatter: a dot for every draw and direction, a disc for their mean.

Vec2 discAt(const View& v, const Plot& plot, Size i) { return plot.toScreen(v.bound.values[i], v.error.values[i]); }

Size nearestDisc(const View& v, const Plot& plot, Vec2 to) {
    const auto apart = [&](Size i) {
        const Vec2 way = discAt(v, plot, i) - to;
        return std::hypot(way.x, way.y);
    };
    Size nearest = 0;
    for (Size i = 1; i < v.n; ++i)
        if (apart(i) < apart(nearest)) nearest = i;
    return nearest;
}

/// A press on a disc picks its direction; the pointer over it shows it.
void offerDirection(View& v, const Plot& plot) {
    constexpr double kReach = 16;
    const Pointer& pointer = v.s.f.handles.pointer();
    const Size picked = v.shown;
    const Vec2 disc = discAt(v, plot, picked);
    Rect rect = around({disc.x, std::max(disc.y, plot.inner().lo.y)}, 12);
    if (pointer.inside && plot.inner().contains(pointer.at)) {
        const Size nearest = nearestDisc(v, plot, pointer.at);
        const Vec2 at = discAt(v, plot, nearest), way = at - pointer.at;
        if (std::hypot(way.x, way.y) < kReach) v.shown = nearest, rect = around(at, 1.6 * kReach);
    }
    const double value = static_cast<double>(picked) + 1;
    const auto grip = v.s.f.handles.offer({"direction", "direction shown", v.name(picked), value, 1, static_cast<double>(v.n), 1, rect},
                                          [&](Vec2 p) { return static_cast<double>(nearestDisc(v, plot, p)) + 1; });
    if (!grip.moved) return;
    v.shown = static_cast<Size>(grip.value) - 1;
    v.s.f.changes.push_back(Change::param("direction", grip.value));
}

void drawDots(const View& v, Plot& plot) {
    const Size last = static_cast<Size>(std::ceil(v.counted));
    std::vector<PointMark> dots;
    for (Size draw = 0; draw < last; ++draw) {
        // The draw on its way in shrinks to its place among the others.
        const double here = std::min(1.0, v.counted - static_cast<double>(draw));
        for (Size i = 0; i < v.n; ++i) {
            const Vec2 at = plot.toScreen(v.side.boundByDraw[draw * v.n + i], v.side.errorByDraw[draw * v.n + i]);
            if (!plot.inner().contains(at)) continue;
            const bool own = i == v.shown;
            const double alpha = (own ? 0.9 : 0.3) * std::min(1.0, 3 * here);
            dots.push_back({at, (own ? 2.6 : 1.7) + 4 * (1 - here), v.color(i).withAlpha(static_cast<float>(alpha))});
        }
    }
    v.s.f.painter.points("scatter/draws", dots);
}

/// The first draws' means may lie above; they glide in as more are counted.
void drawDiscs(const View& v, Plot& plot) {
    v.s.f.painter.pushClip(plot.inner().inset(-8, 0, -8, -8));
    for (Size i = 0; i < v.n; ++i) {
        const double off = v.error.deviation[i] / std::sqrt(v.counted), x = v.bound.values[i], y = v.error.values[i];
        v.s.f.painter.line("scatter/error", plot.toScreen(x, std::max(0.0, y - off)), plot.toScreen(x, y + off),
                           {v.color(i).withAlpha(i == v.shown ? 0.9f : 0.3f), i == v.shown ? 2.0 : 1.0});
    }
    for (Size i = 0; i < v.n; ++i)
        v.s.f.painter.marker("scatter/mean", discAt(v, plot, i), 4.6, MarkerShape::Circle, v.color(i), Stroke{v.s.f.theme.ground, 1});
    v.s.f.painter.marker("scatter/shown", discAt(v, plot, v.shown), 7, MarkerShape::Circle, v.color(v.shown), Stroke{v.s.f.theme.text, 2});
    v.s.f.painter.popClip();
}

/// Which colour is which direction.
void drawKey(const View& v, const Plot& plot) {
    const Rect inner = plot.inner();
    if (inner.width() < 300) return;
    const Vec2 corner = inner.lo + Vec2{14, 12};
    constexpr double kWidth = 90, kHeight = 8;
    constexpr Size kSteps = 30;
    for (Size i = 0; i < kSteps; ++i) {
        const double left = corner.x + kWidth * static_cast<double>(i) / kSteps;
        v.s.f.painter.rect("scatter/key", {{left, corner.y}, {left + kWidth / kSteps + 0.5, corner.y + kHeight}},
                           v.color(i * (v.n - 1) / (kSteps - 1)));
    }
    const double left = corner.x + kWidth + 8;
    const std::vector<std::string> names =
        v.lags ? std::vector<std::string>{"from the newest input to the oldest", "newest to oldest"}
               : std::vector<std::string>{"from the largest variance to the least", "largest variance first"};
    drawFitting(v.s.f, "scatter/key-name", {left, corner.y + kHeight / 2}, names,
                {.color = v.s.f.theme.muted, .size = v.s.f.theme.tinySize, .v = AlignV::Middle, .halo = v.s.f.theme.ground},
                inner.hi.x - left);
}

void drawScatter(View& v, Rect rect) {
    PictureFrame& f = v.s.f;
    Plot plot = plotIn(f, "scatter", rect, {.label = "capacity that is missing: 1 − *κ*, its share", .lo = 0, .hi = v.right},
                       {.label = "squared error, its share", .lo = 0, .hi = v.top});
    const double end = std::min(v.right, v.top);
    const double diagonal[] = {0, end};
    offerDirection(v, plot);
    drawDots(v, plot);
    plot.line("scatter/theory", diagonal, diagonal, {f.theme.theory, Dash::Dashed, 1.8, "Eq 6"});
    drawDiscs(v, plot);
    drawKey(v, plot);
    finishPlot(f, plot, "scatter", rect.width() > 380 ? "dots: single draws; discs: their mean ± its error" : "dots: draws; discs: mean");
}

// The direction that stands out: over the inputs, and in the plane with another one.

Curves vectorOf(const View& v) {
    const Vector &all = v.s.result.eigenvectors, &lags = v.s.result.lags;
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(v.shown * v.n);
    double most = 0;
    for (const double entry : all) most = std::max(most, std::abs(entry));
    return {.id = "vector",
            .title = v.title(),
            .x = {.label = "lag *τ*, the newest at the right",
                  .lo = lags.front() - 0.5,
                  .hi = lags.back() + 0.5,
                  .whole = true,
                  .reversed = true},
            .y = {.label = "its entries", .lo = -1.1 * most, .hi = 1.1 * most},
            .fit = Fit::Given,
            .curves = {{"zero", {lags.front() - 0.5, lags.back() + 0.5}, {0, 0}, Role::Measurement, "", v.s.f.theme.line, 1},
                       {"entries",
                        lags,
                        {first, first + static_cast<std::ptrdiff_t>(v.n)},
                        Role::Measurement,
                        "",
                        v.color(v.shown),
                        2,
                        true,
                        v.n <= 64}}};
}

/// Two directions by their components along the eigenvectors, and what lies in their plane.
struct Plane {
    Size up, across;
    Vector upwards, sideways;
    double covariance(const View& v, const Vector& a, const Vector& b) const {
        double sum = 0;
        for (Size k = 0; k < v.n; ++k) sum += v.s.result.eigenvalues[k] * a[k] * b[k];
        return sum;
    }
    double error(const View& v, Size draw, const Vector& direction) const {
        double sum = 0;
        for (Size k = 0; k < v.n; ++k) sum += v.s.result.errorInBasis[draw * v.n + k] * direction[k];
        return sum;
    }
};
/// An eigenvector beside that of largest variance, or of least variance beside itself; an input beside the one before.
Plane planeOf(const View& v) {
    Plane p{v.shown, 0, Vector(v.n), Vector(v.n)};
    p.across = v.lags ? (v.shown + 1 < v.n ? v.shown + 1 : v.shown - 1) : v.shown == 0 ? v.n - 1 : 0;
    for (Size k = 0; k < v.n; ++k) {
        const double* vector = v.s.result.eigenvectors.data() + k * v.n;
        p.upwards[k] = v.lags ? vector[p.up] : k == p.up, p.sideways[k] = v.lags ? vector[p.across] : k == p.across;
    }
    return p;
}

/// Outline of the points (x, y) with covariance [[xx, xy], [xy, yy]] one standard deviation from the middle.
std::vector<Vec2> ellipse(Vec2 centre, double xx, double xy, double yy, double scale) {
    const double first = std::sqrt(std::max(xx, 1e-300)), mixed = xy / first, second = std::sqrt(std::max(0.0, yy - mixed * mixed));
    std::vector<Vec2> points;
    for (int i = 0; i < 96; ++i) {
        const double t = 2 * std::numbers::pi * i / 96;
        points.push_back(centre + Vec2{first * std::cos(t), -mixed * std::cos(t) - second * std::sin(t)} * scale);
    }
    return points;
}

/// The inputs' spread and the draws' errors in the plane of the direction shown, upwards, and another one.
void drawPlane(const View& v, Rect rect) {
    PictureFrame& f = v.s.f;
    const Plane plane = planeOf(v);
    const TextStyle title{.color = f.theme.text, .size = f.theme.smallSize, .v = AlignV::Middle, .bold = true};
    const std::string errors = "errors of " + std::to_string(v.draws()) + (v.draws() == 1 ? " draw" : " draws");
    drawFitting(f, "plane/title", {rect.lo.x + 6, rect.lo.y + 11},
                {(v.lags ? v.title() + "; " : "") + "filled: spread of the inputs; dots: " + errors,
                 (v.lags ? v.title() + "; " : "") + "filled: inputs; dots: " + errors, "inputs (filled), " + errors, errors},
                title, rect.width() - 8);
    const Rect room = rect.inset(8, 26, 8, 8);
    const Vec2 centre = room.centre();
    const double half = 0.5 * std::min(room.width(), room.height());
    f.painter.line("plane/axis", {room.lo.x, centre.y}, {room.hi.x, centre.y}, {f.theme.line, 1});
    f.painter.line("plane/axis", {centre.x, room.lo.y}, {centre.x, room.hi.y}, {f.theme.line, 1});
    const double xx = plane.covariance(v, plane.sideways, plane.sideways), yy = plane.covariance(v, plane.upwards, plane.upwards);
    const auto inputs =
        ellipse(centre, xx, plane.covariance(v, plane.sideways, plane.upwards), yy, 0.92 * half / std::sqrt(std::max({xx, yy, 1e-300})));
    f.painter.polygon("plane/inputs", inputs, f.theme.series[0].withAlpha(0.2f));
    f.painter.line("plane/inputs", inputs, {f.theme.series[0], 1.6}, true);
    // Two standard deviations of the largest expected error stay in sight.
    const double scale = 0.36 * half / std::sqrt(v.right);
    if (!v.lags)
        f.painter.line("plane/bound", ellipse(centre, v.bound.values[plane.across], 0, v.bound.values[plane.up], scale),
                       {f.theme.muted, 1.6, Dash::Dotted}, true);
    f.painter.pushClip(room);
    for (Size draw = 0; draw < static_cast<Size>(std::ceil(v.counted)); ++draw) {
        const double here = std::min(1.0, v.counted - static_cast<double>(draw));
        const Vec2 error{plane.error(v, draw, plane.sideways), -plane.error(v, draw, plane.upwards)};
        f.painter.marker("plane/error", centre + error * (scale * here), 3.4, MarkerShape::Circle, v.color(plane.up),
                         Stroke{f.theme.ground, 0.8});
    }
    f.painter.popClip();
    TextStyle name{.color = f.theme.muted, .size = f.theme.tinySize, .halo = f.theme.ground};
    f.painter.text("plane/name", {centre.x + 5, room.lo.y}, v.name(plane.up), name);
    name.h = AlignH::Right;
    const double below = v.lags ? 3 : 4 + 0.92 * half * std::sqrt(std::min(yy, 0.2 * xx) / std::max(xx, 1e-300));
    f.painter.text("plane/name", {room.hi.x, centre.y + below}, v.name(plane.across), name);
}

void drawHeadline(const View& v, Rect rect) {
    const Result& r = v.s.result;
    const Size draws = v.draws();
    const bool random = v.s.asked.targets == Targets::Random;
    const auto optimal = std::count_if(r.optimality.begin(), r.optimality.begin() + static_cast<std::ptrdiff_t>(draws),
                                       [](double check) { return check <= linear::kOptimal; });
    const std::string count = std::to_string(draws);
    const std::string drawn =
        count + (random ? " random target" : " random start") + (draws == 1 ? "" : "s") + (random || draws == 1 ? "" : " on one target");
    const std::string ends = drawn + ", " + (static_cast<Size>(optimal) == draws ? "all" : std::to_string(optimal)) + " at an optimum";
    const std::string full = ends + ": " + correlationText(correlationOf(v, r.alongComponents)) + " along eigenvectors, " +
                             numberText(correlationOf(v, r.alongLags), 2) + " along lags";
    const TextStyle style{.color = v.s.f.theme.text, .size = v.s.f.theme.textSize, .v = AlignV::Middle};
    drawFitting(v.s.f, "headline", {rect.lo.x + 3, rect.centre().y}, {full, ends, drawn, count + " draws"}, style, rect.width() - 6);
}

Layout layout(const Seen& s) {
    const auto v = std::make_shared<View>(s);
    std::vector<Layout> beside;
    if (!v->lags) beside.push_back(s.panel(1, {220, 130}, [v](Rect rect) { drawCurves(v->s.f, vectorOf(*v), rect); }));
    beside.push_back(s.panel(v->lags ? 1 : 2, {220, 150}, [v](Rect rect) { drawPlane(*v, rect); }).share(1.3));
    return Layout::rows(
        {s.panel(0, {150, 26}, [v](Rect rect) { drawHeadline(*v, rect); }).share(0.01),
         Layout::columns({s.panel(0, {250, 190}, [v](Rect rect) { drawScatter(*v, rect); }).share(1.6), Layout::rows(std::move(beside))})});
}

}  // namespace
}  // namespace errors_vs_capacity

PictureEntry errors_vs_capacity_picture() { return tablePicture<errors_vs_capacity::kScene, errors_vs_capacity::layout>(); }

}  // namespace kappaflow
