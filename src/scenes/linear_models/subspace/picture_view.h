#pragma once
#include <span>

#include "scenes/linear_models/subspace/manifold.h"
#include "scenes/picture.h"

namespace kappaflow::subspace {

/// What the report says at the step that is shown.
struct View {
    const Array *errors, *path, *parameters, *constraints, *residual, *capacity, *share, *expected, *sets, *separate, *joint;
    const Array* directions = nullptr;  ///< three inputs, one constraint
    bool spatial = false, surface = false, plane = false;
    Manifold manifold;
    Point target{}, arrow{};  ///< arrow: S's unit vector
    double rho = 0, at = 0;
    std::size_t last = 0;
    Point weights{}, error{};
    std::vector<Point> K;  ///< orthonormal
    std::array<Point, 2> pair{};

    std::size_t dimension() const { return spatial ? 3 : 2; }
    std::size_t parts() const { return dimension() + 1; }
    double sizeOf(std::size_t part) const { return part == dimension() && plane ? 2 : 1; }
    bool atRest() const { return at > static_cast<double>(last) - 0.02; }
    std::vector<double> row(const Array& array) const { return rowAt(array, at); }
    double now(const Array& array) const { return rowAt(array, at)[0]; }
    double capacityOfS() const { return row(*capacity).back(); }
    Point projected(const Point& x) const;
};
bool readView(const PictureFrame&, View&);

Color constraintColor(const PictureFrame&);
inline Color subspaceColor(const PictureFrame& f) { return f.theme.series[2]; }
inline Color secondColor(const PictureFrame& f) { return f.theme.series[1]; }
inline Color errorColor(const PictureFrame& f) { return f.theme.series[3]; }

/// A place on the screen as values of params put it.
struct Stage;
using Place = Vec2 (*)(const Stage&, const Values&);

/// The space of errors as it is seen: a parallel view, from straight above in the plane.
struct Stage {
    PictureFrame& f;
    const View& v;
    Rect rect;
    Vec2 centre;
    double scale = 1;  ///< pixels a unit
    Point right{1, 0, 0}, up{0, 1, 0};
    Vec2 dial{};  ///< middle of the small picture of the two constraints
    double dialRadius = 0;
    std::vector<Rect> taken{};  ///< by labels

    Vec2 seen(const Point& x) const { return {centre.x + scale * dotOf(right, x), centre.y - scale * dotOf(up, x)}; }
    std::vector<Vec2> seen(std::span<const Point> points) const;
    /// Writes at the first of these places where it covers no other label, if there is one.
    void label(std::string_view id, std::string_view text, std::span<const Vec2> places, Color);
    void labelBeside(std::string_view id, std::string_view text, const Point& direction, Color);
};

/// Offers a knob that sets these params (the first is dragged, each has its own step for the keyboard): dragging solves for the values
/// that bring `place` under the pointer. What is changed.
bool offerKnob(Stage&, std::initializer_list<const char*> keys, const Values& from, Place, MarkerShape, Color);

/// The knob of ρ, on the ellipse of equal loss where both errors are alike: XᵀΣX = 2(1 + ρ)x².
Vec2 placeOfCorrelation(const Stage&, const Values&);

void drawSpace(PictureFrame&, const View&, Rect);
/// Its knobs, and the view in three dimensions.
void offerSpace(Stage&);
/// Capacities of the axes and of S as bars, and where the error's share ends.
double capacityBarsHeight(const View&);
void drawCapacityBars(PictureFrame&, const View&, Rect);
/// Two constraints at an angle, and what their capacities add up to (Property 5).
double setsHeight(const View&);
void drawSets(PictureFrame&, const View&, Rect);
/// Properties 1–6 and the error bound as lines with numbers; as many as fit.
void drawLedger(PictureFrame&, const View&, Rect);
/// Three inputs, one constraint: the error's share in S in every direction left.
void drawDirections(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::subspace
