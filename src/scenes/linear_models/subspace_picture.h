#pragma once
#include <cmath>
#include <span>

#include "scenes/linear_models/subspace.h"
#include "scenes/panels.h"

namespace kappaflow::subspace {

/// What the result says at the step that is shown.
struct View {
    View(const Sight<Params, Result>&, double at);

    PictureFrame& f;
    const Params &now, &asked;
    const Result& r;
    Manifold manifold;
    Point target, arrow;  ///< arrow: S's unit vector
    double at;            ///< step
    std::size_t last;
    Point weights{}, error{};
    std::vector<Point> K;  ///< orthonormal
    std::array<Point, 2> pair{};
    std::vector<double> capacity, share, expected, separate, joint;  ///< [part]; separate: [set][part]
    double residual = 0;

    bool spatial() const { return manifold.spatial; }
    bool surface() const { return manifold.shape == Shape::Surface; }
    std::size_t dimension() const { return manifold.dimension(); }
    std::size_t parts() const { return dimension() + 1; }
    bool atRest() const { return at > static_cast<double>(last) - 0.02; }
    /// Row of a table of steps.
    std::vector<double> row(const std::vector<double>& steps) const { return rowAt(steps, steps.size() / (last + 1), at); }
    /// Of the nearest step, for numbers that are written.
    std::vector<double> told(const std::vector<double>& steps) const { return rowAt(steps, steps.size() / (last + 1), std::round(at)); }
    /// On 𝒦.
    Point projected(const Point& x) const;

    Color constraintColor() const { return capacityColor(f.theme); }
    Color subspaceColor() const { return f.theme.series[2]; }
    Color secondColor() const { return f.theme.series[1]; }
    Color errorColor() const { return f.theme.series[3]; }
};

/// A place on the screen as params put it.
struct Stage;
using Place = Vec2 (*)(const Stage&, const Params&);
/// A param that knobs drag.
struct Dragged {
    const char* key;
    double Params::*value;
};

/// The space of errors as it is seen: a parallel view, from straight above in the plane.
struct Stage {
    const View& v;
    Rect rect;
    Vec2 centre;
    double scale = 1;  ///< pixels a unit
    Point right{1, 0, 0}, up{0, 1, 0};
    std::vector<Rect> taken{};  ///< by labels

    Vec2 seen(const Point& x) const { return {centre.x + scale * dotOf(right, x), centre.y - scale * dotOf(up, x)}; }
    /// Writes at the first of these places where it covers no other label, if there is one.
    void label(std::string_view id, std::string_view text, std::span<const Vec2> places, Color);
    void labelBeside(std::string_view id, std::string_view text, const Point& direction, Color);
};

/// Offers a knob that sets these params (the first is dragged, each has its own step for the keyboard): dragging solves for the values
/// that bring `place` under the pointer. What is changed.
bool offerKnob(Stage&, std::initializer_list<Dragged>, const Params& from, Place, MarkerShape, Color);

/// The knob of ρ, on the ellipse of equal loss where both errors are alike: XᵀΣX = 2(1 + ρ)x².
Vec2 placeOfCorrelation(const Stage&, const Params&);

void drawSpace(const View&, Rect);
/// Its knobs, and the view in three dimensions.
void offerSpace(Stage&);
/// Capacities of the axes and of S as bars, and where the error's share ends.
void drawCapacityBars(const View&, Rect);
double capacityBarsHeight(const View&);
/// Two constraints at an angle, and what their capacities add up to (Property 5).
void drawSets(const View&, Rect);
double setsHeight(const View&);
/// Properties 1–6 and the error bound as lines with numbers; as many as fit.
void drawLedger(const View&, Rect);
/// Three inputs, one constraint: the error's share in S in every direction left.
Curves directions(const View&);

}  // namespace kappaflow::subspace
