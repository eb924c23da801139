#include "scenes/linear_models/subspace/model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/linalg/decompositions.h"
#include "core/linalg/matrix.h"
#include "core/linear/subspace.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace subspace {
namespace {

using Size = std::size_t;

constexpr double kShare = 0.33;          ///< of a Newton step, while it is watched
constexpr double kLeastCurvature = 0.1;  ///< relative: below it the second derivatives are shifted up to this
constexpr std::size_t kSteps = 100, kHalvings = 40;
constexpr double kRounding = 1e-12;  ///< of the loss: a step that raises it by less is a step of Newton's at rest

/// A symmetric 2×2 matrix; of one parameter only `a` counts.
struct Square {
    double a = 0, b = 0, c = 1;
    double determinant() const { return a * c - b * b; }
    Square plus(const Square& other, double scale) const { return {a + scale * other.a, b + scale * other.b, c + scale * other.c}; }
};

/// Half the loss about a point: slope, JᵀΣJ and second derivatives.
struct Local {
    Point slope{};
    Square metric, second;
};

Local localOf(const Task& task, const Point& w) {
    const Manifold& m = task.manifold;
    const Point weighted = task.times(task.errorAt(w));
    const auto metric = [&](std::size_t j, std::size_t k) { return dotOf(m.tangent(w, j), task.times(m.tangent(w, k))); };
    const auto bent = [&](std::size_t j, std::size_t k) { return metric(j, k) + dotOf(m.second(w, j, k), weighted); };
    Local local;
    for (std::size_t j = 0; j < m.parameters(); ++j) local.slope[j] = dotOf(m.tangent(w, j), weighted);
    local.metric.a = metric(0, 0), local.second.a = bent(0, 0);
    if (m.parameters() == 1) return local;
    local.metric = {metric(0, 0), metric(0, 1), metric(1, 1)};
    local.second = {bent(0, 0), bent(0, 1), bent(1, 1)};
    return local;
}

/// Least λ of H v = λ G v.
double leastCurvature(const Local& local, std::size_t parameters) {
    const Square &G = local.metric, &H = local.second;
    if (parameters == 1) return H.a / G.a;
    const double trace = (H.a * G.c - 2 * H.b * G.b + H.c * G.a) / G.determinant(), product = H.determinant() / G.determinant();
    return trace / 2 - std::sqrt(std::max(0.0, trace * trace / 4 - product));
}

Point newtonStep(const Local& local, std::size_t parameters) {
    const double shift = std::max(0.0, kLeastCurvature - leastCurvature(local, parameters));
    const Square A = local.second.plus(local.metric, shift);
    const Point& g = local.slope;
    if (parameters == 1) return {g[0] / A.a, 0, 0};
    const double d = A.determinant();
    return {(A.c * g[0] - A.b * g[1]) / d, (A.a * g[1] - A.b * g[0]) / d, 0};
}

}  // namespace

Descent descend(const Task& task, const Point& start) {
    Descent descent{{start}, 1};
    const std::size_t parameters = task.manifold.parameters();
    Point w = start;
    for (std::size_t step = 0; step < kSteps; ++step) {
        const Point full = newtonStep(localOf(task, w), parameters);
        const double loss = task.lossOf(task.errorAt(w));
        double share = step < kShortSteps ? kShare : 1;
        std::size_t halvings = 0;
        while (task.lossOf(task.errorAt(plus(w, full, -share))) > loss * (1 + kRounding) && ++halvings < kHalvings) share /= 2;
        const Point next = halvings < kHalvings ? plus(w, full, -share) : w;
        const bool watched = step < kShortSteps;
        if (watched) descent.weights.push_back(next);
        if (next == w && !watched) break;
        w = next;
    }
    descent.weights.push_back(w);
    descent.curvature = leastCurvature(localOf(task, w), parameters);
    return descent;
}

namespace {

double normOf(const Point& x) { return std::sqrt(dotOf(x, x)); }

Point unit(const Point& x) { return plus({}, x, 1 / normOf(x)); }

Matrix columnOf(const Point& x, Size rows) { return {rows, 1, {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(rows)}}; }

Point pointOf(const Matrix& m, Size column) {
    Point x{};
    for (Size i = 0; i < m.rows; ++i) x[i] = m(i, column);
    return x;
}

Point cross(const Point& a, const Point& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }

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
    const Point u = towards(leastAxis(s), s), v = cross(s, u);
    Matrix plane(3, 2);
    for (Size i = 0; i < 3; ++i) plane(i, 0) = u[i], plane(i, 1) = v[i];
    return plane;
}

/// κ of the axes and of S.
std::vector<double> partsOf(const Matrix& constraints, const Matrix& subspace) {
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

void readErrors(const Question& q, Size n, Reading& r) {
    const double size = normOf(r.error), total = static_cast<double>(r.constraints.columns);
    const Matrix x = columnOf(size > kNoError ? unit(r.error) : Point{}, n);
    r.residual = std::sqrt(capacityOfSubspace(r.constraints, x));
    for (Size part = 0; part <= n; ++part) {
        const double along = part < n ? x(part, 0) * x(part, 0) : capacityOfSubspace(q.subspace, x);
        r.share.push_back(size > kNoError ? along : std::numeric_limits<double>::quiet_NaN());
        r.expected.push_back(expectedErrorShare(q.dimensionOf(part), r.capacity[part], static_cast<double>(n), total));
    }
}

/// 𝒦₁ and 𝒦₂: the spaces of the two parameters, or the one parameter's and a line at an angle to it.
void readSets(const Question& q, const Matrix& jacobian, Size axis, Reading& r) {
    const Size n = q.task.manifold.dimension();
    if (jacobian.columns == 2) {
        r.sets = {unit(pointOf(jacobian, 0)), unit(pointOf(jacobian, 1))};
    } else {
        const Point k = pointOf(r.constraints, 0);
        const SineCosine turn = portableSineCosine(q.apart * 0.017453292519943295);
        const Point beside = n == 3 ? towards(axis, k) : Point{-k[1], k[0], 0};
        r.sets = {k, plus(plus({}, k, turn.cosine), beside, turn.sine)};
    }
    CapacityChain chain(n);
    for (Size set = 0; set < 2; ++set) {
        const Matrix line = columnOf(r.sets[set], n);
        chain.add(line);
        r.separate[set] = partsOf(line, q.subspace);
    }
    r.joint = partsOf(chain.constraints(), q.subspace);
}

/// Columns that point where those of the step before did, so that nothing flips over in motion.
void orient(Matrix& constraints, const Matrix& before) {
    for (Size k = 0; k < constraints.columns; ++k) {
        double along = 0;
        for (Size i = 0; i < constraints.rows; ++i) along += constraints(i, k) * before(i, k);
        for (Size i = 0; i < constraints.rows && along < 0; ++i) constraints(i, k) = -constraints(i, k);
    }
}

}  // namespace

Question questionOf(const Values& v) {
    Question q{{manifoldOf(v), targetOf(v), v.number("correlation")}, {}, v.number("apart")};
    const Point s = directionOf(v);
    const bool spatial = q.task.manifold.spatial;
    q.subspace = spatial && v.is("subspace", "plane") ? orthogonalPlane(s) : columnOf(s, spatial ? 3 : 2);
    return q;
}

std::vector<Reading> readingsOf(const Question& q, const Descent& descent) {
    const Size n = q.task.manifold.dimension();
    // 𝒦₂ turns towards one axis from the first step to the last, the best one at rest.
    const Size axis = leastAxis(pointOf(basisOf(weightedJacobian(q.task, descent.weights.back())), 0));
    std::vector<Reading> readings;
    for (const Point& w : descent.weights) {
        Reading r;
        r.weights = w;
        r.error = q.task.errorAt(w);
        const Matrix jacobian = weightedJacobian(q.task, w);
        r.constraints = basisOf(jacobian);
        if (!readings.empty()) orient(r.constraints, readings.back().constraints);
        r.capacity = partsOf(r.constraints, q.subspace);
        readErrors(q, n, r);
        readSets(q, jacobian, axis, r);
        readings.push_back(std::move(r));
    }
    return readings;
}

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

double largestExcess(const Reading& r, std::size_t dimension) {
    CapacityChain chain(dimension);
    for (const Point& k : r.sets) chain.add(columnOf(k, dimension));
    const Matrix& joint = chain.constraints();
    Matrix excess(dimension, dimension);
    for (Size i = 0; i < dimension; ++i)
        for (Size j = 0; j < dimension; ++j) {
            for (const Point& k : r.sets) excess(i, j) += k[i] * k[j];
            for (Size k = 0; k < joint.columns; ++k) excess(i, j) -= joint(i, k) * joint(j, k);
        }
    return std::max(0.0, symmetricEigen(excess).values.back());
}

namespace {

/// All of it takes less than a millisecond: one slice.
class SubspaceComputation final : public Computation {
public:
    explicit SubspaceComputation(const Request& request) : values_(request.params) {}

    bool step() override {
        report_ = reportOf(values_);
        finished_ = true;
        return false;
    }
    double progress() const override { return finished_ ? 1 : 0; }
    Report report() const override { return report_; }

private:
    Values values_;
    Report report_;
    bool finished_ = false;
};

Cost costOf(const Request&) { return {2e6, 1e6}; }
std::string costliestOf(const Request&) { return "w"; }
std::unique_ptr<Computation> start(const Request& request) { return std::make_unique<SubspaceComputation>(request); }

}  // namespace
}  // namespace subspace

Model subspace_model() { return stepwise<subspace::costOf, subspace::costliestOf, subspace::start>("subspace"); }

}  // namespace kappaflow
