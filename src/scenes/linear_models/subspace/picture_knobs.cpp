// What can be pulled about in the space of errors: the model on its manifold, the manifold, S, the covariance, the view.
#include <algorithm>
#include <cmath>

#include "scenes/linear_models/subspace/picture_view.h"

namespace kappaflow::subspace {

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

}  // namespace kappaflow::subspace
