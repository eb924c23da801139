// Capacity of a subspace (P2 Fig 2, Section 3): the space of errors with what can be pulled about, and readings beside it.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/linear_models/subspace_picture.h"

namespace kappaflow {
namespace subspace {
namespace {

using Size = std::size_t;

/// Coarse for angles, fine for coordinates.
double stepOf(const Param& p) { return p.max - p.min > 20 ? 5 : 0.05; }

double rounded(const Param& p, double value) {
    const double unit = p.max - p.min > 20 ? 2 : 200;
    return std::clamp(std::round(value * unit) / unit, p.min, p.max) + 0.0;
}

/// A param of a knob, as it is declared.
struct Knob {
    const Param& param;
    double Params::*value;
};

/// Params that bring the place under a point: Newton's steps of least length.
void solveFor(const Stage& s, std::span<const Knob> knobs, Place place, Vec2 wanted, Params& params) {
    for (int step = 0; step < 4; ++step) {
        const Vec2 at = place(s, params), gap = wanted - at;
        std::vector<Vec2> slopes;
        double a = 1e-6, b = 0, c = 1e-6;
        for (const Knob& k : knobs) {
            Params beside = params;
            const double h = (k.param.max - k.param.min) * 1e-4;
            beside.*k.value += h;
            slopes.push_back((place(s, beside) - at) * (1 / h));
            const Vec2 d = slopes.back();
            a += d.x * d.x, b += d.x * d.y, c += d.y * d.y;
        }
        const double determinant = a * c - b * b;
        const Vec2 solved{(c * gap.x - b * gap.y) / determinant, (a * gap.y - b * gap.x) / determinant};
        for (Size i = 0; i < knobs.size(); ++i) {
            const Param& p = knobs[i].param;
            const double moved = slopes[i].x * solved.x + slopes[i].y * solved.y, most = (p.max - p.min) / 6;
            params.*knobs[i].value = std::clamp(params.*knobs[i].value + std::clamp(moved, -most, most), p.min, p.max);
        }
    }
}

}  // namespace

View::View(const Sight<Params, Result>& s, double shown)
    : f(s.f),
      now(s.params),
      asked(s.asked),
      r(s.result),
      manifold(s.asked.manifold()),
      target(s.asked.target()),
      arrow(s.asked.arrow()),
      at(std::clamp(shown, 0.0, static_cast<double>(s.result.steps.size() - 1))),
      last(s.result.steps.size() - 1) {
    const auto parameters = row(r.parameters), constraints = row(r.constraints), sets = row(r.sets);
    std::copy(parameters.begin(), parameters.end(), weights.begin());
    error = plus(manifold.at(weights), target, -1);
    for (Size k = 0; k < r.constraintNumbers.size(); ++k) {
        Point x = pointIn(constraints, k, dimension());
        for (const Point& before : K) x = plus(x, before, -dotOf(before, x));
        K.push_back(unit(x));
    }
    for (Size k = 0; k < 2; ++k) pair[k] = unit(pointIn(sets, k, dimension()));
    capacity = row(r.capacityByStep), share = row(r.errorShare), expected = row(r.expectedShare);
    separate = row(r.separate), joint = row(r.joint);
    residual = row(r.residual)[0];
}

Point View::projected(const Point& x) const {
    Point shadow{};
    for (const Point& k : K) shadow = plus(shadow, k, dotOf(k, x));
    return shadow;
}

void Stage::label(std::string_view id, std::string_view text, std::span<const Vec2> places, Color color) {
    const PictureFrame& f = v.f;
    const TextStyle style{.color = color, .size = f.theme.textSize, .h = AlignH::Centre, .v = AlignV::Middle, .halo = f.theme.ground};
    const Vec2 half = f.painter.measure(text, style) * 0.5 + Vec2{2, 1};
    for (const Vec2& place : places) {
        const Vec2 at{std::round(place.x - half.x) + half.x, std::round(place.y - half.y) + half.y};  // letters stand on whole pixels
        const Rect box{at - half, at + half};
        if (box.lo.x < rect.lo.x || box.lo.y < rect.lo.y || box.hi.x > rect.hi.x || box.hi.y > rect.hi.y) continue;
        const auto covers = [&](const Rect& other) { return overlap(box, other); };
        if (std::any_of(taken.begin(), taken.end(), covers)) continue;
        f.painter.text(id, at, text, style);
        taken.push_back(box);
        return;
    }
}

void Stage::labelBeside(std::string_view id, std::string_view text, const Point& direction, Color color) {
    const Vec2 along{dotOf(right, direction), -dotOf(up, direction)};
    const double size = std::hypot(along.x, along.y);
    if (size < 0.05) return;
    const Vec2 d = along * (1 / size), across{-d.y, d.x};
    // As far out as the line is in sight.
    const double reach = std::min(std::abs(d.x) > 1e-9 ? rect.width() / 2 / std::abs(d.x) : 1e9,
                                  std::abs(d.y) > 1e-9 ? rect.height() / 2 / std::abs(d.y) : 1e9);
    std::vector<Vec2> places;
    for (const double out : {0.93, 0.84, 0.75, 0.66})
        for (const double end : {1.0, -1.0})
            for (const double side : {14.0, -14.0}) places.push_back(centre + d * (reach * out * end) + across * side);
    label(id, text, places, color);
}

bool offerKnob(Stage& s, std::initializer_list<Dragged> dragged, const Params& from, Place place, MarkerShape shape, Color color) {
    PictureFrame& f = s.v.f;
    const Declaration& declaration = requireDeclaration(kScene.id);
    std::vector<Knob> knobs;
    for (const auto& [key, value] : dragged) knobs.push_back({*declaration.param(key), value});
    // A place out of sight has its knob at the border.
    const Vec2 real = place(s, from);
    const Vec2 at{std::max(s.rect.lo.x + 6, std::min(real.x, s.rect.hi.x - 6)),
                  std::max(s.rect.lo.y + 6, std::min(real.y, s.rect.hi.y - 6))};
    const Rect rect = around(at, 13);
    Params to = from;
    bool lively = false, moved = false;
    for (const auto& [p, member] : knobs) {
        const double value = std::clamp(from.*member, p.min, p.max);
        std::optional<Vec2> pulled;
        const auto grip = f.handles.offer({p.key, p.label, inWords(value), value, p.min, p.max, stepOf(p), rect}, [&](Vec2 pointer) {
            pulled = pointer;
            return value;
        });
        lively = lively || grip.lively();
        // (What a drag makes of the value as it is, rounded to a step, is no wish.)
        if (grip.moved && !pulled) to.*member = grip.value, moved = true;
        const Vec2 gap = pulled ? *pulled - at : Vec2{};
        if (std::hypot(gap.x, gap.y) > 1) solveFor(s, knobs, place, real + gap, to), moved = true;
    }
    bool changed = false;
    for (const auto& [p, member] : knobs) {
        const double value = rounded(p, to.*member);
        if (!moved || value == s.v.now.*member) continue;
        f.changes.push_back(Change::param(p.key, value));
        changed = true;
    }
    if (!f.kept)
        f.painter.marker(std::string("knob/") + dragged.begin()->key, at, lively ? 7.5 : 5.5, shape, color, Stroke{f.theme.ground, 1.5});
    return changed;
}

// What can be pulled about in the space of errors: the model on its manifold, the manifold, S, the covariance, the view.

Vec2 placeOfCorrelation(const Stage& s, const Params& p) {
    const double level = dotOf(s.v.error, covarianceTimes(s.v.asked.correlation, s.v.error, false));
    const double x = -std::sqrt(std::max(level, 0.02) / (2 * (1 + p.correlation)));
    return s.seen({x, x, 0});
}

namespace {

constexpr double kBendAt = 1.25;  ///< parameter at which the manifold is bent

/// Error of the model at these parameters, the second only on a surface.
Vec2 placeOfError(const Stage& s, const Params& p, double w, double w2) {
    return s.seen(plus(p.manifold().at({w, s.v.surface() ? w2 : 0, 0}), p.target(), -1));
}
Vec2 placeOfModel(const Stage& s, const Params& p) { return placeOfError(s, p, p.w, p.w2); }
Vec2 placeOfTarget(const Stage& s, const Params& p) { return placeOfError(s, p, 0, 0); }
Vec2 placeOfBend(const Stage& s, const Params& p) { return placeOfError(s, p, kBendAt, kBendAt); }
Vec2 placeOfArrow(const Stage& s, const Params& p) { return s.seen(p.arrow()); }

void offerKnobs(Stage& s) {
    const View& v = s.v;
    const Params& now = v.now;
    const Theme& theme = v.f.theme;
    // The report may lag behind the state by a job that changes the dimension or the model.
    if (now.spatial() != v.spatial() || now.curve != v.manifold.shape) return;
    constexpr Dragged kW{"w", &Params::w}, kAngle{"angle", &Params::angle}, kTarget1{"target1", &Params::target1},
        kTarget2{"target2", &Params::target2};
    Params here = now;
    if (v.at > 0) {
        here.w = v.weights[0];
        if (v.surface()) here.w2 = v.weights[1];
    }
    const bool moved = v.surface() ? offerKnob(s, {kW, {"w2", &Params::w2}}, here, placeOfModel, MarkerShape::Circle, theme.accent)
                                   : offerKnob(s, {kW}, here, placeOfModel, MarkerShape::Circle, theme.accent);
    if (moved) {
        v.f.changes.push_back(Change::param("play", false));
        v.f.changes.push_back(Change::param("at", 0.0));
    }
    if (v.spatial()) {
        offerKnob(s, {kAngle, {"height", &Params::height}}, now, placeOfArrow, MarkerShape::Circle, v.subspaceColor());
        offerKnob(s, {kTarget1, kTarget2, {"target3", &Params::target3}}, now, placeOfTarget, MarkerShape::Square, theme.text);
    } else {
        offerKnob(s, {kAngle}, now, placeOfArrow, MarkerShape::Circle, v.subspaceColor());
        offerKnob(s, {kTarget1, kTarget2}, now, placeOfTarget, MarkerShape::Square, theme.text);
    }
    if (v.spatial() || !v.surface()) offerKnob(s, {{"bend", &Params::bend}}, now, placeOfBend, MarkerShape::Diamond, theme.text);
    if (!v.spatial()) offerKnob(s, {{"correlation", &Params::correlation}}, now, placeOfCorrelation, MarkerShape::Diamond, v.errorColor());
}

/// The keyboard turns the view by two handles on a small knob; the pointer turns it anywhere beside the knobs.
void offerView(Stage& s) {
    if (!s.v.spatial()) return;
    PictureFrame& f = s.v.f;
    const double orbit = s.v.now.orbit, tilt = s.v.now.tilt;
    const Vec2 at = s.rect.lo + Vec2{18, 18};
    const Rect knob = around(at, 12);
    const auto degrees = [](double value) { return inWords(std::round(value), 4) + "°"; };
    const auto turned = f.handles.offer({"orbit", "direction of view", degrees(orbit), orbit, -180, 180, 5, knob});
    const auto tilted = f.handles.offer({"tilt", "height of view", degrees(tilt), tilt, -85, 85, 5, knob});
    if (turned.moved) f.changes.push_back(Change::param("orbit", turned.value));
    if (tilted.moved) f.changes.push_back(Change::param("tilt", tilted.value));
    const Pointer free = f.handles.freePointer();
    const bool drags = turned.held || (free.inside && free.down && !free.pressed && !free.touch && s.rect.contains(free.pressedAt));
    const Vec2 moved = f.handles.pointer().moved;
    if (drags && moved != Vec2{}) {
        const double azimuth = orbit - 0.4 * moved.x;
        f.changes.push_back(Change::param("orbit", std::round(10 * (azimuth - 360 * std::round(azimuth / 360))) / 10));
        f.changes.push_back(Change::param("tilt", std::round(10 * std::clamp(tilt + 0.4 * moved.y, -85.0, 85.0)) / 10));
    }
    if (!f.kept)
        f.painter.text("space/turn", at, "⟲",
                       {.color = turned.hovered || turned.focused || tilted.focused ? f.theme.accent : f.theme.muted,
                        .size = f.theme.titleSize,
                        .h = AlignH::Centre,
                        .v = AlignV::Middle});
}

}  // namespace

void offerSpace(Stage& s) {
    offerKnobs(s);
    offerView(s);
}

namespace {

std::vector<std::string> headlinesOf(const View& v) {
    const std::string seen = "the constraint sees " + numberText(100 * v.residual, 2) + " % of the error";
    const auto step = std::to_string(std::lround(v.at));
    if (v.K.size() == v.dimension() && v.atRest())
        return {"Full capacity: as many constraints as inputs, no error is left", "Full capacity: no error is left"};
    if (v.atRest())
        return {"At rest: the error lies in 𝒦^{⊥}, which no constraint sees", "At rest: *X* lies in 𝒦^{⊥}", "*X* lies in 𝒦^{⊥}"};
    return {"Step " + step + ": " + seen, "Step " + step};
}

void drawHeadline(const View& v, Rect rect) {
    const TextStyle style{.color = v.f.theme.text, .size = v.f.theme.textSize, .v = AlignV::Middle};
    drawFitting(v.f, "headline", {rect.lo.x + 3, rect.centre().y}, headlinesOf(v), style, rect.width() - 6);
}

Layout layout(const Sight<Params, Result>& s) {
    const View v(s, s.params.at), told(s, std::round(s.params.at));  // sentences are about one step
    const auto panel = [&s](int rank, Vec2 least, const View& v, void (*draw)(const View&, Rect)) {
        return s.panel(rank, least, [v, draw](Rect rect) { draw(v, rect); });
    };
    std::vector<Layout> readings{panel(1, {190, capacityBarsHeight(v)}, v, drawCapacityBars).share(0.9),
                                 panel(3, {250, setsHeight(v)}, v, drawSets), panel(2, {190, 60}, told, drawLedger).share(1.2)};
    // Where the error's share depends on its direction, the mean is all that Eq 6 says of the optimum.
    if (!v.r.directions.empty())
        readings.push_back(s.panel(4, {220, 150}, [v](Rect rect) {
                                if (v.atRest()) drawCurves(v.f, directions(v), rect);
                            }).share(1.3));
    return Layout::columns(
        {Layout::rows({panel(0, {150, 26}, told, drawHeadline).share(0.01), panel(0, {200, 200}, v, drawSpace)}).share(1.5),
         Layout::rows(std::move(readings))});
}

}  // namespace
}  // namespace subspace

PictureEntry subspace_picture() { return tablePicture<subspace::kScene, subspace::layout>(); }

}  // namespace kappaflow
