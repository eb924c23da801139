#include "scenes/linear_models/subspace/model.h"

#include <cmath>
#include <limits>

#include "core/linear/subspace.h"
#include "scene/filled_report.h"

namespace kappaflow::subspace {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

constexpr Size kDirections = 37;

class Builder {
public:
    Builder(const Question& question, const std::vector<Reading>& readings, const Descent& descent)
        : q(question), steps(readings), last(readings.back()), rest(descent), n(question.task.manifold.dimension()), r("subspace") {}

    Axis parts() const {
        Axis axis{"part", {}, {}};
        for (Size i = 1; i <= n; ++i) axis.keys.push_back("axis " + std::to_string(i));
        axis.keys.push_back("subspace");
        return axis;
    }
    Axis step() const { return countedAxis("step", steps.size()); }
    static Axis from1(const char* name, Size count) {
        Axis axis = countedAxis(name, count);
        for (double& value : axis.values) ++value;
        return axis;
    }
    /// A row of every step.
    template <class Of>
    Vector rows(Of&& of) const {
        Vector values;
        for (const Reading& reading : steps) {
            const Vector row = of(reading);
            values.insert(values.end(), row.begin(), row.end());
        }
        return values;
    }
    Vector coordinates(const Point& x) const { return {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n)}; }

    const Question& q;
    const std::vector<Reading>& steps;
    const Reading& last;
    const Descent& rest;
    Size n;
    FilledReport r;
};

void addManifold(Builder& b) {
    const Manifold& m = b.q.task.manifold;
    const bool surface = m.shape == Shape::Surface;
    const Size side = surface ? kSurfacePoints : 1, along = surface ? kSurfacePoints : kCurvePoints;
    const double reach = surface ? kSurfaceReach : kCurveReach;
    const auto place = [&](Size i, Size count) {
        return count < 2 ? 0 : reach * (2.0 * static_cast<double>(i) / static_cast<double>(count - 1) - 1);
    };
    Vector points;
    for (Size j = 0; j < side; ++j)
        for (Size i = 0; i < along; ++i) {
            const Vector x = b.coordinates(b.q.task.errorAt({place(i, along), place(j, side), 0}));
            points.insert(points.end(), x.begin(), x.end());
        }
    b.r.add("errors", {countedAxis("point", side * along), Builder::from1("axis", b.n)}, std::move(points));
}

void addPath(Builder& b) {
    const Size parameters = b.q.task.manifold.parameters(), total = b.last.constraints.columns;
    const Axis axes = Builder::from1("axis", b.n);
    b.r.add("path", {b.step(), axes}, b.rows([&](const Reading& s) { return b.coordinates(s.error); }));
    b.r.add("parameters", {b.step(), Builder::from1("parameter", parameters)}, b.rows([&](const Reading& s) {
        return Vector(s.weights.begin(), s.weights.begin() + static_cast<std::ptrdiff_t>(parameters));
    }));
    b.r.add("constraints", {b.step(), Builder::from1("constraint", total), axes},
            b.rows([&](const Reading& s) { return transposed(s.constraints).values; }));
    b.r.add("residual", {b.step()}, b.rows([](const Reading& s) { return Vector{s.residual}; }));
}

void addCapacities(Builder& b) {
    b.r.add("capacity", {Builder::from1("axis", b.n)}, capacityPerInput(b.last.constraints));
    b.r.add("capacityByStep", {b.step(), b.parts()}, b.rows([](const Reading& s) { return s.capacity; }));
    b.r.add("errorShare", {b.step(), b.parts()}, b.rows([](const Reading& s) { return s.share; })).mayBeUndefined = true;
    b.r.add("expectedShare", {b.step(), b.parts()}, b.rows([](const Reading& s) { return s.expected; }));
}

void addSets(Builder& b) {
    const Axis sets{"set", {1, 2}, {}};
    b.r.add("sets", {b.step(), sets, Builder::from1("axis", b.n)}, b.rows([&](const Reading& s) {
        Vector both = b.coordinates(s.sets[0]);
        for (const double x : b.coordinates(s.sets[1])) both.push_back(x);
        return both;
    }));
    b.r.add("separate", {b.step(), sets, b.parts()}, b.rows([](const Reading& s) {
        Vector both = s.separate[0];
        both.insert(both.end(), s.separate[1].begin(), s.separate[1].end());
        return both;
    }));
    b.r.add("joint", {b.step(), b.parts()}, b.rows([](const Reading& s) { return s.joint; }));
    const double cosine = std::fmin(1.0, std::abs(dotOf(b.last.sets[0], b.last.sets[1])));
    b.r.add("angleBetween", std::acos(cosine) * 180 / 3.14159265358979323846);
    b.r.add("largestExcess", largestExcess(b.last, b.n));
}

/// Three inputs under one constraint: errors of the same size in every direction that the constraint allows.
void addDirections(Builder& b) {
    const Matrix& K = b.last.constraints;
    if (b.n != 3 || K.columns != 1) return;
    CapacityChain chain(3);
    chain.add(K);
    chain.add(identityMatrix(3));
    const Matrix& basis = chain.constraints();  // K, then its complement
    Axis directions{"direction", {}, {}};
    Vector shares;
    for (Size d = 0; d < kDirections; ++d) {
        const double angle = 180.0 * static_cast<double>(d) / (kDirections - 1);
        const SineCosine turn = portableSineCosine(angle * 3.14159265358979323846 / 180);
        Matrix x(3, 1);
        for (Size i = 0; i < 3; ++i) x(i, 0) = turn.cosine * basis(i, 1) + turn.sine * basis(i, 2);
        directions.values.push_back(angle);
        shares.push_back(capacityOfSubspace(b.q.subspace, x));
    }
    b.r.add("errorByDirection", {directions}, std::move(shares));
}

void addScalars(Builder& b) {
    const double squared = dotOf(b.last.error, b.last.error), share = b.last.share.back();
    b.r.add("totalCapacity", static_cast<double>(b.last.constraints.columns));
    b.r.add("capacityOfSubspace", b.last.capacity.back());
    b.r.add("capacityOtherBases", capacityFromOtherBases(b.last.constraints, b.q.subspace));
    b.r.add("squaredError", squared);
    b.r.add("errorOfSubspace", std::isnan(share) ? 0 : share * squared);
    b.r.add("errorBound", b.last.expected.back() * squared);
    b.r.add("loss", b.q.task.lossOf(b.last.error));
    b.r.add("optimality", b.last.residual);
    b.r.add("curvature", b.rest.curvature);
}

std::string errorSentence(const Builder& b) {
    if (std::isnan(b.last.share.back())) return " No error is left, so there is nothing for Eqs 6 and 7 to share out.";
    const double dimension = b.q.dimensionOf(b.n), total = static_cast<double>(b.last.constraints.columns), n = static_cast<double>(b.n);
    const std::string found = inWords(b.last.share.back()), bound = inWords(b.last.expected.back());
    if (n - total == 1)
        return " The share of the squared error in S is " + found +
               ", exactly n_S − κ(S) = " + inWords(dimension - b.last.capacity.back()) + " (Eq 7).";
    return " The share of the squared error in S is " + found + ", where Eq 6 expects " + bound + " on average.";
}

std::string summaryOf(const Builder& b) {
    const std::string n = std::to_string(b.n), total = std::to_string(b.last.constraints.columns);
    std::string text = b.rest.curvature > 0 ? "At the optimum" : "At the stationary point reached, which is no minimum,";
    text += " the model imposes " + total + (total == "1" ? " constraint" : " constraints") + " on " + n + " inputs; their capacities are ";
    for (Size i = 0; i < b.n; ++i) text += (i == 0 ? "" : i + 1 == b.n ? " and " : ", ") + inWords(b.last.capacity[i]);
    text += ", and that of the chosen subspace S is " + inWords(b.last.capacity.back()) + ".";
    return text + errorSentence(b);
}

}  // namespace

Report reportOf(const Values& values) {
    const Question question = questionOf(values);
    const Point start{values.number("w"), question.task.manifold.parameters() == 2 ? values.number("w2") : 0, 0};
    const Descent descent = descend(question.task, start);
    const auto readings = readingsOf(question, descent);
    Builder b(question, readings, descent);
    addManifold(b);
    addPath(b);
    addCapacities(b);
    addSets(b);
    addDirections(b);
    addScalars(b);
    b.r.report.summary = summaryOf(b);
    b.r.report.status = Status::Ok;
    b.r.report.message.clear();
    return std::move(b.r.report);
}

}  // namespace kappaflow::subspace
