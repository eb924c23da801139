#include "scenes/linear_models/subspace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/linalg/decompositions.h"
#include "core/linear/subspace.h"
#include "scene/typed_model.h"

namespace kappaflow {
namespace subspace {
namespace {

using namespace table;
using Size = std::size_t;
using Vector = std::vector<double>;

bool spatial(const Params& p) { return p.spatial(); }
bool surface(const Params& p) { return p.curve == Shape::Surface; }
bool oneParameter(const Params& p) { return !surface(p); }
bool bends(const Params& p) { return !surface(p) || p.spatial(); }

constexpr OptionRow kDimensions[] = {{"2"}, {"3"}};
constexpr OptionRow kCurves[] = {{"parabola", "a parabola"}, {"wave", "a cubic curve"}, {"surface", "two parameters"}};
constexpr OptionRow kSubspaces[] = {{"line", "a line"}, {"plane", "a plane"}};
constexpr const char* kTargetHelp = "A coordinate of the target A*; the errors are X = A_w − A*.";

constexpr ParamRow kParams[] = {
    choice<&Params::dimension>("dimension", "inputs", kDimensions, "Dimension n of the input space, which is the space of errors too.",
                               "P2 Fig 2"),
    choice<&Params::curve>("curve", "models", kCurves,
                           "The manifold of models A_w: (w, b(w² − 1/2)), (w, b(w³ − w)), or (w₁, w₂); with a third coordinate b w³/2, "
                           "b(w² − 1/2) or b w₁w₂.",
                           "P2 Fig 2; Eqs 11–13"),
    number<&Params::w>("w", "w", "start", {-1.6, 1.6}, "Parameter from which the loss is descended.", "P2 Eqs 14–15"),
    number<&Params::w2>("w2", "w₂", "start, second parameter", {-1.6, 1.6}, "The second parameter at the start.", "P2 Eqs 14–15") |
        when<surface>,
    number<&Params::correlation>("correlation", "ρ", "correlation of inputs", {-0.9, 0.9},
                                 "The inputs' covariance is Σ_ij = ρ^|i − j|; the constraints are K̃ = Σ ∂A/∂W.", "P2 Eqs 14, 16"),
    choice<&Params::subspace>("subspace", "subspace S", kSubspaces, "S is the line along its arrow, or the plane orthogonal to it.",
                              "P2 Eq 2") |
        when<spatial>,
    number<&Params::angle>("angle", "", "direction of S", {-180, 180}, "Angle of S's arrow from the first axis, in degrees.", "P2 Eq 2"),
    number<&Params::height>("height", "", "height of S", {-90, 90}, "Angle of S's arrow above the first two axes, in degrees.", "P2 Eq 2") |
        when<spatial>,
    number<&Params::apart>("apart", "δ", "angle of K₁, K₂", {0, 180},
                           "Angle from the model's constraint to a second one, in degrees; two parameters have two constraints of their "
                           "own.",
                           "P2 Properties 5–6") |
        when<oneParameter>,
    number<&Params::bend>("bend", "b", "bend", {-2, 2}, "How strongly the manifold is curved; 0 is a linear model.", "P2 Fig 2") |
        when<bends> | more,
    number<&Params::target1>("target1", "A*₁", "target, first coordinate", {-2, 2}, kTargetHelp, "P2 Eq 13") | more,
    number<&Params::target2>("target2", "A*₂", "target, second coordinate", {-2, 2}, kTargetHelp, "P2 Eq 13") | more,
    number<&Params::target3>("target3", "A*₃", "target, third coordinate", {-2, 2}, kTargetHelp, "P2 Eq 13") | when<spatial> | more,
    shownAt<&Params::at>("", "step", 12, "Step of the descent that is shown.", "P2 Eqs 14–15"),
    plays<&Params::play>("Whether the descent passes by itself.", "P2 Eqs 14–15"),
    number<&Params::orbit>("orbit", "", "direction of view", {-180, 180}, "Where three dimensions are seen from, in degrees.", "P2 Fig 2") |
        hidden | ofView,
    number<&Params::tilt>("tilt", "", "height of view", {-85, 85}, "Height from which they are seen, in degrees.", "P2 Fig 2") | hidden |
        ofView};

constexpr AxisRow kPoint = axis<&Result::points>("point"), kAxis = axis<&Result::axisNumbers>("axis"), kStep = axis<&Result::steps>("step"),
                  kWeight = axis<&Result::weights>("parameter"), kConstraint = axis<&Result::constraintNumbers>("constraint"),
                  kPart = axis<&Result::parts>("part"), kSet = axis<&Result::setNumbers>("set"),
                  kDirection = axis<&Result::directions>("direction");

constexpr FieldRow kFields[] = {
    measured<&Result::errors>("errors", "X", {kPoint, kAxis},
                              "The errors' manifold, A_w − A*; for two parameters a square grid of points, w₁ first."),
    measured<&Result::path>("path", "X", {kStep, kAxis}, "Errors along the descent; the last is where it comes to rest."),
    measured<&Result::parameters>("parameters", "w", {kStep, kWeight}, "Parameters along the descent."),
    measured<&Result::constraints>("constraints", "K", {kStep, kConstraint, kAxis}, "Orthonormal constraints, a basis of span Σ ∂A/∂w."),
    measured<&Result::residual>("residual", "‖KᵀX‖/‖X‖", {kStep}, "Share of the error that the constraints still see: 0 at an optimum."),
    measured<&Result::capacity>("capacity", "κ", {kAxis}, "Capacity of every axis at rest."),
    measured<&Result::capacityByStep>("capacityByStep", "κ", {kStep, kPart}, "Capacity of every axis and of S."),
    measured<&Result::errorShare>("errorShare", "e²", {kStep, kPart},
                                  "Share of the squared error in every axis and in S; not defined where no error is left.") |
        gaps,
    limiting<&Result::expectedShare>("expectedShare", "", {kStep, kPart}, "(n_S − κ_S)/(n − κ), the share that Eq 6 expects."),
    measured<&Result::sets>("sets", "", {kStep, kSet, kAxis}, "Unit vectors that span the constraint spaces K₁ and K₂."),
    measured<&Result::separate>("separate", "κ", {kStep, kSet, kPart}, "Capacity under K₁ alone and under K₂ alone."),
    measured<&Result::joint>("joint", "κ", {kStep, kPart},
                             "Capacity under K₁ + K₂; less one of the above it is the conditional capacity (Eq 9)."),
    measured<&Result::errorByDirection>("errorByDirection", "e²", {kDirection},
                                        "Three inputs, one constraint: share in S of an error in each direction K allows, in degrees."),
    measured<&Result::angleBetween>("angleBetween", "", {}, "Angle between K₁ and K₂ in degrees."),
    measured<&Result::largestExcess>("largestExcess", "cos δ", {},
                                     "Largest κ₁ + κ₂ − κ₁₂ of any line; 0 only when K₁ and K₂ are orthogonal (Property 5)."),
    measured<&Result::totalCapacity>("totalCapacity", "κ", {}, "Total capacity, the dimension of K (Property 2)."),
    measured<&Result::capacityOfSubspace>("capacityOfSubspace", "κ(S)", {}, "Capacity of S at rest, ‖KᵀS‖² (Eq 2)."),
    measured<&Result::capacityOtherBases>("capacityOtherBases", "κ(S)", {},
                                          "The same from other orthonormal bases of K and S (Property 1)."),
    measured<&Result::squaredError>("squaredError", "‖X‖²", {}, "Squared error at rest."),
    measured<&Result::errorOfSubspace>("errorOfSubspace", "e_S²", {}, "Squared error in S."),
    limiting<&Result::errorBound>("errorBound", "ε_S", {},
                                  "Squared error in S that Eq 6 expects; with κ = n − 1 it is e_S² itself (Eq 7)."),
    measured<&Result::loss>("loss", "", {}, "XᵀΣX at rest."),
    measured<&Result::optimality>("optimality", "‖KᵀX‖/‖X‖", {}, "The residual at rest; 0 when no error is left."),
    measured<&Result::curvature>("curvature", "", {},
                                 "Least second derivative of half the loss along the manifold, relative to JᵀΣJ; above 0 at a minimum.")};

constexpr PresetRow kPresets[] = {
    {"A curve of models in the plane (Fig 2)"},
    preset<[](Params& p) { p.target1 = 0, p.target2 = -1.2, p.w = -0.8, p.angle = 0; }>(
        "Property 5: direct is not enough",
        "Two constraints at 45° to one another span the whole plane, yet their capacities do not add; at 90° they would."),
    preset<[](Params& p) { p.correlation = 0.7; }>(
        "Correlated inputs turn the constraint",
        "Correlated inputs turn the constraint and its complement: equal loss is an ellipse now, no longer a circle."),
    preset<[](Params& p) { p.dimension = Dimension::Three, p.w = -0.6; }>(
        "Three inputs, one parameter (Eq 6)",
        "One parameter imposes one constraint on three inputs; the share of the squared error in S ends at 0.32, where Eq 6 expects 0.24."),
    preset<[](Params& p) {
        p.dimension = Dimension::Three, p.curve = Shape::Surface, p.w = -0.9, p.target1 = 0.3, p.target2 = -0.6, p.target3 = -1;
    }>("Three inputs, two parameters (Eq 7)",
       "Two parameters leave one direction to the error: S has capacity 0.997, and 0.3 % of the squared error ends in it."),
    preset<[](Params& p) { p.curve = Shape::Wave, p.bend = 1.6, p.w = 1.3, p.target1 = -0.4, p.target2 = -0.4; }>(
        "A local optimum",
        "The descent ends in a local optimum of a wavy curve: there the error lies in the complement too, and Eq 7 is exact."),
    preset<[](Params& p) { p.curve = Shape::Surface, p.w = -0.5; }>(
        "As many parameters as inputs",
        "With as many parameters as inputs the model reaches its target: all capacities are 1, and no error is left.")};

/// The curve is drawn for parameters up to this, and the surface up to the other.
constexpr double kCurveReach = 2, kSurfaceReach = 1.4;
constexpr Size kCurvePoints = 161, kDirections = 37;
/// Errors below this are none: their direction would be rounding.
constexpr double kNoError = 1e-9;
constexpr double kDegree = 0.017453292519943295;

Matrix columnOf(const Point& x, Size rows) { return {rows, 1, {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(rows)}}; }

Point pointOf(const Matrix& m, Size column) {
    Point x{};
    for (Size i = 0; i < m.rows; ++i) x[i] = m(i, column);
    return x;
}

/// The axis that a direction is least along (ties: the first).
Size leastAxis(const Point& x) {
    Size least = 0;
    for (Size i = 1; i < 3; ++i)
        if (std::abs(x[i]) < std::abs(x[least]) - 1e-9) least = i;
    return least;
}

/// The unit vector orthogonal to `x` that points towards an axis.
Point towards(Size axis, const Point& x) {
    if (std::abs(x[axis]) > 0.99) axis = leastAxis(x);
    Point along{};
    along[axis] = 1;
    return unit(plus(along, x, -x[axis]));
}

Matrix orthogonalPlane(const Point& s) {
    const Point u = towards(leastAxis(s), s), v = crossOf(s, u);
    Matrix plane(3, 2);
    for (Size i = 0; i < 3; ++i) plane(i, 0) = u[i], plane(i, 1) = v[i];
    return plane;
}

/// κ of the axes and of S.
Vector partsOf(const Matrix& constraints, const Matrix& subspace) {
    auto parts = capacityPerInput(constraints);
    parts.push_back(capacityOfSubspace(constraints, subspace));
    return parts;
}

/// Orthonormal columns with the span of independent ones.
Matrix basisOf(const Matrix& m) { return {m.rows, m.columns, orthonormalColumns(m.values, m.rows, m.columns)}; }

Matrix weightedJacobian(const Task& task, const Point& w) {
    const Size n = task.manifold.dimension(), p = task.manifold.parameters();
    Matrix jacobian(n, p);
    for (Size j = 0; j < p; ++j) {
        const Point column = task.times(task.manifold.tangent(w, j));
        for (Size i = 0; i < n; ++i) jacobian(i, j) = column[i];
    }
    return jacobian;
}

/// Unit vectors that span 𝒦₁ and 𝒦₂: the spaces of the two parameters, or the one parameter's and a line at an angle to it, turned
/// towards an axis.
std::array<Point, 2> setsOf(const Params& p, const Matrix& jacobian, const Matrix& constraints, Size axis) {
    if (jacobian.columns == 2) return {unit(pointOf(jacobian, 0)), unit(pointOf(jacobian, 1))};
    const Point k = pointOf(constraints, 0);
    const SineCosine turn = portableSineCosine(p.apart * kDegree);
    const Point beside = p.spatial() ? towards(axis, k) : Point{-k[1], k[0], 0};
    return {k, plus(plus({}, k, turn.cosine), beside, turn.sine)};
}

/// Columns that point where those of the step before did, so that nothing flips over in motion.
void orient(Matrix& constraints, const Matrix& before) {
    for (Size k = 0; k < constraints.columns; ++k) {
        double along = 0;
        for (Size i = 0; i < constraints.rows; ++i) along += constraints(i, k) * before(i, k);
        for (Size i = 0; i < constraints.rows && along < 0; ++i) constraints(i, k) = -constraints(i, k);
    }
}

/// κ(S) once more from other bases of both spaces (Property 1).
double capacityFromOtherBases(const Matrix& constraints, const Matrix& subspace) {
    // Columns mixed by unit triangular matrices span the same spaces; what is orthonormal among them is another basis.
    const auto other = [](Matrix m) {
        for (Size i = 0; i < m.rows; ++i)
            for (Size k = 1; k < m.columns; ++k) m(i, 0) += 0.7 * static_cast<double>(k) * m(i, k);
        for (double& value : m.values) value *= -1.5;
        return basisOf(m);
    };
    return capacityOfSubspace(other(constraints), other(subspace));
}

/// Orthonormal basis of 𝒦₁ + 𝒦₂.
Matrix jointOf(const std::array<Point, 2>& sets, Size dimension) {
    CapacityChain chain(dimension);
    for (const Point& k : sets) chain.add(columnOf(k, dimension));
    return chain.constraints();
}

/// max over unit vectors s of κ_1(s) + κ_2(s) − κ_{1+2}(s): the cosine of the angle between two lines, 0 only when orthogonal.
double largestExcess(const std::array<Point, 2>& sets, Size dimension) {
    const Matrix joint = jointOf(sets, dimension);
    Matrix excess(dimension, dimension);
    for (Size i = 0; i < dimension; ++i)
        for (Size j = 0; j < dimension; ++j) {
            for (const Point& k : sets) excess(i, j) += k[i] * k[j];
            for (Size k = 0; k < joint.columns; ++k) excess(i, j) -= joint(i, k) * joint(j, k);
        }
    return std::max(0.0, symmetricEigen(excess).values.back());
}

void append(Vector& all, const Vector& more) { all.insert(all.end(), more.begin(), more.end()); }
void append(Vector& all, const Point& x, Size dimension) {
    all.insert(all.end(), x.begin(), x.begin() + static_cast<std::ptrdiff_t>(dimension));
}

void addManifold(const Task& task, Result& r) {
    const bool surface = task.manifold.shape == Shape::Surface;
    const Size side = surface ? kSurfacePoints : 1, along = surface ? kSurfacePoints : kCurvePoints;
    const double reach = surface ? kSurfaceReach : kCurveReach;
    const auto place = [&](Size i, Size count) {
        return count < 2 ? 0 : reach * (2.0 * static_cast<double>(i) / static_cast<double>(count - 1) - 1);
    };
    r.points = countUp(side * along);
    for (Size j = 0; j < side; ++j)
        for (Size i = 0; i < along; ++i) append(r.errors, task.errorAt({place(i, along), place(j, side), 0}), task.manifold.dimension());
}

/// Three inputs under one constraint: errors of the same size in every direction that the constraint allows.
void addDirections(const Matrix& constraints, const Matrix& subspace, Result& r) {
    if (constraints.rows != 3 || constraints.columns != 1) return;
    CapacityChain chain(3);
    chain.add(constraints);
    chain.add(identityMatrix(3));
    const Matrix& basis = chain.constraints();  // K, then its complement
    for (Size d = 0; d < kDirections; ++d) {
        r.directions.push_back(180.0 * static_cast<double>(d) / (kDirections - 1));
        const SineCosine turn = portableSineCosine(r.directions.back() * 3.14159265358979323846 / 180);
        Matrix x(3, 1);
        for (Size i = 0; i < 3; ++i) x(i, 0) = turn.cosine * basis(i, 1) + turn.sine * basis(i, 2);
        r.errorByDirection.push_back(capacityOfSubspace(subspace, x));
    }
}

/// All of it takes less than a millisecond.
Result run(const Opened<Params>& opened, Progress&) {
    const Params& p = opened.params;
    const Task task{p.manifold(), p.target(), p.correlation};
    const Size n = task.manifold.dimension(), parameters = task.manifold.parameters();
    const Matrix subspace = p.planeIsS() ? orthogonalPlane(p.arrow()) : columnOf(p.arrow(), n);
    const Descent descent = descend(task, {p.w, parameters == 2 ? p.w2 : 0, 0});
    Result r;
    r.axisNumbers = countUp(n, 1);
    r.steps = countUp(descent.weights.size());
    r.weights = r.constraintNumbers = countUp(parameters, 1);
    r.setNumbers = {1, 2};
    for (Size i = 1; i <= n; ++i) r.parts.push_back("axis " + std::to_string(i));
    r.parts.emplace_back("subspace");
    addManifold(task, r);
    // 𝒦₂ turns towards one axis from the first step to the last, the best one at rest.
    const Size axis = leastAxis(pointOf(basisOf(weightedJacobian(task, descent.weights.back())), 0));
    Matrix constraints;
    std::array<Point, 2> sets{};
    for (const Point& w : descent.weights) {
        const Point error = task.errorAt(w);
        const Matrix jacobian = weightedJacobian(task, w), before = std::exchange(constraints, basisOf(jacobian));
        if (before.columns > 0) orient(constraints, before);
        append(r.path, error, n);
        append(r.parameters, w, parameters);
        append(r.constraints, transposed(constraints).values);
        const Vector capacity = partsOf(constraints, subspace);
        append(r.capacityByStep, capacity);
        const double size = normOf(error);
        const Matrix x = columnOf(size > kNoError ? unit(error) : Point{}, n);
        r.residual.push_back(std::sqrt(capacityOfSubspace(constraints, x)));
        for (Size part = 0; part <= n; ++part) {
            const double along = part < n ? x(part, 0) * x(part, 0) : capacityOfSubspace(subspace, x);
            r.errorShare.push_back(size > kNoError ? along : std::numeric_limits<double>::quiet_NaN());
            r.expectedShare.push_back(expectedErrorShare(part < n ? 1 : static_cast<double>(subspace.columns), capacity[part],
                                                         static_cast<double>(n), static_cast<double>(constraints.columns)));
        }
        sets = setsOf(p, jacobian, constraints, axis);
        for (const Point& k : sets) {
            append(r.sets, k, n);
            append(r.separate, partsOf(columnOf(k, n), subspace));
        }
        append(r.joint, partsOf(jointOf(sets, n), subspace));
    }
    const Point error = task.errorAt(descent.weights.back());
    const double share = r.errorShare.back();
    addDirections(constraints, subspace, r);
    r.capacity = capacityPerInput(constraints);
    r.angleBetween = std::acos(std::fmin(1.0, std::abs(dotOf(sets[0], sets[1])))) * 180 / 3.14159265358979323846;
    r.largestExcess = largestExcess(sets, n);
    r.totalCapacity = static_cast<double>(constraints.columns);
    r.capacityOfSubspace = r.capacityByStep.back();
    r.capacityOtherBases = capacityFromOtherBases(constraints, subspace);
    r.squaredError = dotOf(error, error);
    r.errorOfSubspace = std::isnan(share) ? 0 : share * r.squaredError;
    r.errorBound = r.expectedShare.back() * r.squaredError;
    r.loss = task.lossOf(error);
    r.optimality = r.residual.back();
    r.curvature = descent.curvature;
    return r;
}

std::string errorSentence(const Params& p, const Result& r) {
    const double share = r.errorShare.back();
    if (std::isnan(share)) return " No error is left, so there is nothing for Eqs 6 and 7 to share out.";
    const std::string found = " The share of the squared error in S is " + inWords(share);
    if (static_cast<double>(r.capacity.size()) - r.totalCapacity == 1)
        return found + ", exactly n_S − κ(S) = " + inWords((p.planeIsS() ? 2 : 1) - r.capacityOfSubspace) + " (Eq 7).";
    return found + ", where Eq 6 expects " + inWords(r.expectedShare.back()) + " on average.";
}

std::string summary(const Params& p, const Result& r) {
    const Size n = r.capacity.size();
    std::string text = r.curvature > 0 ? "At the optimum" : "At the stationary point reached, which is no minimum,";
    text += " the model imposes " + inWords(r.totalCapacity) + (r.totalCapacity == 1 ? " constraint" : " constraints") + " on " +
            std::to_string(n) + " inputs; their capacities are ";
    for (Size i = 0; i < n; ++i) text += (i == 0 ? "" : i + 1 == n ? " and " : ", ") + inWords(r.capacity[i]);
    text += ", and that of the chosen subspace S is " + inWords(r.capacityOfSubspace) + ".";
    return text + errorSentence(p, r);
}

Cost cost(const Opened<Params>&) { return {2e6, 1e6}; }

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "subspace",
     .title = "Capacity of a subspace",
     .claim = "An optimum is where the errors meet the constraints' complement; capacity is how much of a direction they tie down.",
     .group = "Linear models",
     .icon = "0734845707 4640 314051",
     .source = "P2 Fig 2; Section 3, Properties 1–6, Eqs 1–10, 14–18",
     .lookAt = "As the model descends, its constraint turns until the error lies in the complement, which no capacity sees.",
     .tryThis = "Turn S, drag the curve, and open the angle δ to 90°: only then do the two capacities add.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "step", "step", false, 0.45}});

}  // namespace subspace

Declaration subspace_declaration() { return declare(subspace::kScene); }
Model subspace_model() { return sceneModel<subspace::kScene, subspace::run, subspace::cost, subspace::summary>(); }

}  // namespace kappaflow
