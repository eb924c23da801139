#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/linear_models/subspace/picture_view.h"

namespace kappaflow {
namespace subspace {
namespace {

using Size = std::size_t;

Point pointIn(const std::vector<double>& row, Size index, Size dimension) {
    Point x{};
    for (Size i = 0; i < dimension; ++i) x[i] = row[index * dimension + i];
    return x;
}

Point unit(const Point& x) {
    const double size = std::sqrt(dotOf(x, x));
    return size > 1e-9 ? plus({}, x, 1 / size) : x;
}

/// Coarse for angles, fine for coordinates.
double stepOf(const Param& p) { return p.max - p.min > 20 ? 5 : 0.05; }

double rounded(const Param& p, double value) {
    const double unit = p.max - p.min > 20 ? 2 : 200;
    return std::clamp(std::round(value * unit) / unit, p.min, p.max) + 0.0;
}

/// Values of the params that bring the place under a point: Newton's steps of least length.
void solveFor(const Stage& s, std::span<const Param* const> params, Place place, Vec2 wanted, Values& values) {
    for (int step = 0; step < 4; ++step) {
        const Vec2 at = place(s, values), gap = wanted - at;
        std::vector<Vec2> slopes;
        double a = 1e-6, b = 0, c = 1e-6;
        for (const Param* p : params) {
            Values beside = values;
            const double h = (p->max - p->min) * 1e-4;
            beside.set(p->key, values.number(p->key) + h);
            slopes.push_back((place(s, beside) - at) * (1 / h));
            const Vec2 d = slopes.back();
            a += d.x * d.x, b += d.x * d.y, c += d.y * d.y;
        }
        const double determinant = a * c - b * b;
        const Vec2 solved{(c * gap.x - b * gap.y) / determinant, (a * gap.y - b * gap.x) / determinant};
        for (Size i = 0; i < params.size(); ++i) {
            const double moved = slopes[i].x * solved.x + slopes[i].y * solved.y, most = (params[i]->max - params[i]->min) / 6;
            const double value = values.number(params[i]->key) + std::clamp(moved, -most, most);
            values.set(params[i]->key, std::clamp(value, params[i]->min, params[i]->max));
        }
    }
}

}  // namespace

bool readView(const PictureFrame& f, View& v) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {{&v.errors, "errors"},
                                                            {&v.path, "path"},
                                                            {&v.parameters, "parameters"},
                                                            {&v.constraints, "constraints"},
                                                            {&v.residual, "residual"},
                                                            {&v.capacity, "capacityByStep"},
                                                            {&v.share, "errorShare"},
                                                            {&v.expected, "expectedShare"},
                                                            {&v.sets, "sets"},
                                                            {&v.separate, "separate"},
                                                            {&v.joint, "joint"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    v.directions = r.array("errorByDirection");
    v.manifold = manifoldOf(r.params);
    v.spatial = v.manifold.spatial;
    v.surface = v.manifold.shape == Shape::Surface;
    v.plane = v.spatial && r.params.is("subspace", "plane");
    v.target = targetOf(r.params);
    v.arrow = directionOf(r.params);
    v.rho = r.params.number("correlation");
    v.last = v.path->axes[0].size() - 1;
    v.at = std::clamp(f.state.params.number("at"), 0.0, static_cast<double>(v.last));
    const auto weights = v.row(*v.parameters);
    for (Size j = 0; j < weights.size(); ++j) v.weights[j] = weights[j];
    v.error = plus(v.manifold.at(v.weights), v.target, -1);
    const auto constraints = v.row(*v.constraints), sets = v.row(*v.sets);
    for (Size k = 0; k < v.constraints->axes[1].size(); ++k) {
        Point x = pointIn(constraints, k, v.dimension());
        for (const Point& before : v.K) x = plus(x, before, -dotOf(before, x));
        v.K.push_back(unit(x));
    }
    for (Size k = 0; k < 2; ++k) v.pair[k] = unit(pointIn(sets, k, v.dimension()));
    return true;
}

Point View::projected(const Point& x) const {
    Point shadow{};
    for (const Point& k : K) shadow = plus(shadow, k, dotOf(k, x));
    return shadow;
}

Color constraintColor(const PictureFrame& f) { return sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark); }

std::vector<Vec2> Stage::seen(std::span<const Point> points) const {
    std::vector<Vec2> all;
    for (const Point& x : points) all.push_back(seen(x));
    return all;
}

void Stage::label(std::string_view id, std::string_view text, std::span<const Vec2> places, Color color) {
    const TextStyle style{.color = color, .size = f.theme.textSize, .h = AlignH::Centre, .v = AlignV::Middle, .halo = f.theme.ground};
    const Vec2 half = f.painter.measure(text, style) * 0.5 + Vec2{2, 1};
    for (const Vec2& place : places) {
        const Vec2 at{std::round(place.x - half.x) + half.x, std::round(place.y - half.y) + half.y};  // letters stand on whole pixels
        const Rect box{at - half, at + half};
        if (box.lo.x < rect.lo.x || box.lo.y < rect.lo.y || box.hi.x > rect.hi.x || box.hi.y > rect.hi.y) continue;
        const auto covers = [&](const Rect& other) {
            return box.lo.x < other.hi.x && other.lo.x < box.hi.x && box.lo.y < other.hi.y && other.lo.y < box.hi.y;
        };
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

bool offerKnob(Stage& s, std::initializer_list<const char*> keys, const Values& from, Place place, MarkerShape shape, Color color) {
    PictureFrame& f = s.f;
    const Declaration& declaration = requireDeclaration(f.state.scene);
    std::vector<const Param*> params;
    for (const char* key : keys) params.push_back(declaration.param(key));
    // A place out of sight has its knob at the border.
    const Vec2 real = place(s, from);
    const Vec2 at{std::clamp(real.x, s.rect.lo.x + 6, s.rect.hi.x - 6), std::clamp(real.y, s.rect.lo.y + 6, s.rect.hi.y - 6)};
    const Rect knob{at - Vec2{13, 13}, at + Vec2{13, 13}};
    Values to = from;
    bool lively = false, moved = false;
    for (const Param* p : params) {
        const double value = std::clamp(from.number(p->key), p->min, p->max);
        std::optional<Vec2> pulled;
        const auto grip = f.handles.offer({p->key, p->label, inWords(value), value, p->min, p->max, stepOf(*p), knob}, [&](Vec2 pointer) {
            pulled = pointer;
            return value;
        });
        lively = lively || grip.hovered || grip.held || grip.focused;
        // (What a drag makes of the value as it is, rounded to a step, is no wish.)
        if (grip.moved && !pulled) to.set(p->key, grip.value), moved = true;
        const Vec2 gap = pulled ? *pulled - at : Vec2{};
        if (std::hypot(gap.x, gap.y) > 1) solveFor(s, params, place, real + gap, to), moved = true;
    }
    bool changed = false;
    for (const Param* p : params) {
        const double value = rounded(*p, to.number(p->key));
        if (!moved || value == f.state.params.number(p->key)) continue;
        f.changes.push_back(Change::param(p->key, value));
        changed = true;
    }
    if (!f.kept) f.painter.marker(std::string("knob/") + *keys.begin(), at, lively ? 7.5 : 5.5, shape, color, Stroke{f.theme.ground, 1.5});
    return changed;
}

// What can be pulled about in the space of errors: the model on its manifold, the manifold, S, the covariance, the view.

Vec2 placeOfCorrelation(const Stage& s, const Values& p) {
    const double level = dotOf(s.v.error, covarianceTimes(s.v.rho, s.v.error, false));
    const double x = -std::sqrt(std::max(level, 0.02) / (2 * (1 + p.number("correlation"))));
    return s.seen({x, x, 0});
}

namespace {

constexpr double kBendAt = 1.25;  ///< parameter at which the manifold is bent

Vec2 placeOfModel(const Stage& s, const Values& p) {
    const Manifold m = manifoldOf(p);
    return s.seen(plus(m.at({p.number("w"), s.v.surface ? p.number("w2") : 0, 0}), targetOf(p), -1));
}
Vec2 placeOfTarget(const Stage& s, const Values& p) { return s.seen(plus(manifoldOf(p).at({}), targetOf(p), -1)); }
Vec2 placeOfBend(const Stage& s, const Values& p) {
    return s.seen(plus(manifoldOf(p).at({kBendAt, s.v.surface ? kBendAt : 0, 0}), targetOf(p), -1));
}
Vec2 placeOfArrow(const Stage& s, const Values& p) { return s.seen(directionOf(p)); }
void offerKnobs(Stage& s) {
    const View& v = s.v;
    const Values& now = s.f.state.params;
    // The report may lag behind the state by a job that changes the dimension or the model.
    const Manifold wanted = manifoldOf(now);
    if (wanted.spatial != v.spatial || wanted.shape != v.manifold.shape) return;
    Values here = now;
    if (v.at > 0) {
        here.set("w", v.weights[0]);
        if (v.surface) here.set("w2", v.weights[1]);
    }
    const bool moved = v.surface ? offerKnob(s, {"w", "w2"}, here, placeOfModel, MarkerShape::Circle, s.f.theme.accent)
                                 : offerKnob(s, {"w"}, here, placeOfModel, MarkerShape::Circle, s.f.theme.accent);
    if (moved) {
        s.f.changes.push_back(Change::param("play", false));
        s.f.changes.push_back(Change::param("at", 0.0));
    }
    if (v.spatial)
        offerKnob(s, {"angle", "height"}, now, placeOfArrow, MarkerShape::Circle, subspaceColor(s.f));
    else
        offerKnob(s, {"angle"}, now, placeOfArrow, MarkerShape::Circle, subspaceColor(s.f));
    if (v.spatial)
        offerKnob(s, {"target1", "target2", "target3"}, now, placeOfTarget, MarkerShape::Square, s.f.theme.text);
    else
        offerKnob(s, {"target1", "target2"}, now, placeOfTarget, MarkerShape::Square, s.f.theme.text);
    if (v.spatial || !v.surface) offerKnob(s, {"bend"}, now, placeOfBend, MarkerShape::Diamond, s.f.theme.text);
    if (!v.spatial) offerKnob(s, {"correlation"}, now, placeOfCorrelation, MarkerShape::Diamond, errorColor(s.f));
}

/// The keyboard turns the view by two handles on a small knob; the pointer turns it anywhere beside the knobs.
void offerView(Stage& s) {
    if (!s.v.spatial) return;
    PictureFrame& f = s.f;
    const double orbit = f.state.params.number("orbit"), tilt = f.state.params.number("tilt");
    const Vec2 at = s.rect.lo + Vec2{18, 18};
    const Rect knob{at - Vec2{12, 12}, at + Vec2{12, 12}};
    const auto degrees = [](double value) { return inWords(std::round(value), 4) + "°"; };
    const auto turned =
        f.handles.offer({"orbit", "direction of view", degrees(orbit), orbit, -180, 180, 5, knob}, [&](Vec2) { return orbit; });
    const auto tilted = f.handles.offer({"tilt", "height of view", degrees(tilt), tilt, -85, 85, 5, knob}, [&](Vec2) { return tilt; });
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
    const std::string residual = "‖*K*^{T}*X*‖/‖*X*‖ = " + numberText(v.now(*v.residual), 2);
    const auto step = std::to_string(std::lround(v.at));
    if (v.K.size() == v.dimension() && v.atRest())
        return {"Full capacity: as many constraints as inputs, no error is left", "Full capacity: no error is left"};
    if (v.atRest()) return {"At rest: the error lies in 𝒦^{⊥}, " + residual, "At rest: *X* lies in 𝒦^{⊥}", "*X* lies in 𝒦^{⊥}"};
    return {"Step " + step + ": the constraint still sees the error, " + residual, "Step " + step + ": " + residual, "Step " + step};
}

void drawHeadline(PictureFrame& f, const View& v, Rect rect) {
    const TextStyle style{.color = f.theme.text, .size = f.theme.textSize, .v = AlignV::Middle, .bold = false};
    const auto lines = headlinesOf(v);
    for (const auto& line : lines)
        if (&line == &lines.back() || f.painter.measure(line, style).x <= rect.width() - 6)
            return f.painter.text("headline", {rect.lo.x + 3, rect.centre().y}, elide(f.painter, line, style, rect.width() - 6), style);
}

/// Readings from the top down, as many as there is room for; what is left makes the first two taller.
void drawReadings(PictureFrame& f, const View& v, Rect rect) {
    constexpr double kGap = 14, kLedger = 7 * 19, kPlot = 130;
    const bool plot = v.directions && v.atRest();
    const double spare = rect.height() - capacityBarsHeight(v) - setsHeight(v) - kLedger - 2 * kGap - (v.directions ? 220 + kGap : 0);
    const double taller = std::clamp(spare / 2, 0.0, 70.0);
    double y = rect.lo.y;
    const auto take = [&](double height, auto draw) {
        if (y + height > rect.hi.y + 0.5) return;
        draw(f, v, Rect{{rect.lo.x, y}, {rect.hi.x, y + height}});
        y += height + kGap;
    };
    take(capacityBarsHeight(v) + 0.6 * taller, drawCapacityBars);
    if (rect.width() >= 250) take(setsHeight(v) + 0.4 * taller, drawSets);
    take(std::min(kLedger, std::max(19.0, rect.hi.y - y)), drawLedger);
    if (plot && rect.hi.y - y > kPlot) take(std::min(rect.hi.y - y, 220.0), drawDirections);
}

void drawWide(PictureFrame& f, const View& v, Rect a) {
    const double right = a.hi.x - std::clamp(a.width() * 0.4, 190.0, 420.0);
    drawHeadline(f, v, {a.lo, {right - 14, a.lo.y + 26}});
    drawSpace(f, v, {{a.lo.x, a.lo.y + 28}, {right - 14, a.hi.y}});
    drawReadings(f, v, {{right, a.lo.y + 4}, a.hi});
}

void drawTall(PictureFrame& f, const View& v, Rect a) {
    drawHeadline(f, v, {a.lo, {a.hi.x, a.lo.y + 24}});
    const double bars = capacityBarsHeight(v), rest = a.height() - 26 - bars - 8;
    const bool room = rest >= 150;
    drawSpace(f, v, {{a.lo.x, a.lo.y + 26}, {a.hi.x, room ? a.lo.y + 26 + rest : a.hi.y}});
    if (room) drawCapacityBars(f, v, {{a.lo.x, a.hi.y - bars}, a.hi});
}

class SubspacePicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View v{};
        if (!readView(f, v)) return emptyPicture(f, "The descent is being computed.");
        const bool wide = f.area.width() >= 460 && f.area.width() > f.area.height() * 1.1;
        wide ? drawWide(f, v, f.area) : drawTall(f, v, f.area);
    }
};

}  // namespace
}  // namespace subspace

PictureEntry subspace_picture() {
    return {"subspace", [] { return std::unique_ptr<Picture>(std::make_unique<subspace::SubspacePicture>()); }};
}

}  // namespace kappaflow
