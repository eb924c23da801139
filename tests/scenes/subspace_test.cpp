#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "scenes/linear_models/subspace.h"
#include "support/scene_runs.h"

using namespace kappaflow;
using subspace::dotOf;
using subspace::plus;

namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

Report run(const Settings& settings) { return runChecked("subspace", settings); }

std::string text(double value) { return formatNumber(value); }

/// All kinds of manifolds, seen by several subspaces.
std::vector<Settings> manySettings() {
    std::vector<Settings> all;
    for (const char* curve : {"parabola", "wave", "surface"})
        for (const char* dimension : {"2", "3"})
            for (const char* subspace : {"line", "plane"})
                for (const char* correlation : {"0", "0.6", "-0.8"})
                    for (const char* angle : {"-130", "20"})
                        all.push_back({{"curve", curve},
                                       {"dimension", dimension},
                                       {"subspace", subspace},
                                       {"correlation", correlation},
                                       {"angle", angle}});
    return all;
}

const double* last(const Array& rows) { return rows.row(rows.axes[0].size() - 1); }

bool isPlane(const Report& r) { return r.params.is("dimension", "3") && r.params.is("subspace", "plane"); }

subspace::Point pointOf(const double* x, std::size_t n) {
    subspace::Point p{};
    std::copy_n(x, n, p.begin());
    return p;
}

/// What the scene's question is, read back from a report's params.
struct Question {
    explicit Question(const Report& r) {
        subspace::Params p;
        bindParams(subspace::kScene, r.params, &p);
        manifold = p.manifold(), target = p.target(), rho = p.correlation;
    }
    double loss(const subspace::Point& w) const {
        const auto x = plus(manifold.at(w), target, -1);
        return dotOf(x, subspace::covarianceTimes(rho, x, manifold.spatial));
    }
    subspace::Manifold manifold;
    subspace::Point target{};
    double rho = 0;
};

}  // namespace

TEST_CASE("subspace: a direct sum does not add: (1, 0) and (1, 1) have 1.5 and 0.5 apart, 1 and 1 together") {
    const auto report = run({{"target1", "0"}, {"target2", "-1.2"}, {"w", "-0.8"}, {"angle", "0"}, {"apart", "45"}});
    const double* separate = last(arrayOf(report, "separate"));
    const double* joint = last(arrayOf(report, "joint"));
    CHECK(separate[0] + separate[3] == doctest::Approx(1.5));
    CHECK(separate[1] + separate[4] == doctest::Approx(0.5));
    CHECK(joint[0] == doctest::Approx(1));
    CHECK(joint[1] == doctest::Approx(1));
    CHECK(scalarOf(report, "angleBetween") == doctest::Approx(45));
}

TEST_CASE("subspace: Property 5 holds exactly when the constraints are orthogonal, and fails by at most cos δ") {
    for (const char* dimension : {"2", "3"})
        for (const double apart : {0.0, 20.0, 60.0, 90.0, 135.0}) {
            CAPTURE(apart);
            const auto report = run({{"dimension", dimension}, {"apart", text(apart)}});
            CHECK(scalarOf(report, "largestExcess") == doctest::Approx(std::abs(std::cos(apart * kDegree))).epsilon(1e-9));
            const Array& joint = arrayOf(report, "joint");
            const std::size_t parts = joint.axes[1].size();
            double gap = 0;
            for (std::size_t part = 0; part < parts; ++part) {
                const double* separate = last(arrayOf(report, "separate"));
                const double excess = separate[part] + separate[parts + part] - last(joint)[part];
                CHECK(std::abs(excess) <= std::abs(std::cos(apart * kDegree)) + 1e-9);
                gap = std::max(gap, std::abs(excess));
            }
            CHECK((gap < 1e-9) == (apart == 90));
        }
}

TEST_CASE("subspace: totals add all the same as long as the sum is direct") {
    for (const double apart : {15.0, 45.0, 90.0}) {
        const auto report = run({{"dimension", "3"}, {"apart", text(apart)}});
        const double* joint = last(arrayOf(report, "joint"));
        CHECK(joint[0] + joint[1] + joint[2] == doctest::Approx(2));
    }
    const auto alike = run({{"apart", "0"}});
    const double* same = last(arrayOf(alike, "joint"));
    CHECK(same[0] + same[1] == doctest::Approx(1));
}

TEST_CASE("subspace: Properties 1–4 and 6 hold for every manifold, covariance and subspace") {
    for (const Settings& settings : manySettings()) {
        const auto report = run(settings);
        const double total = scalarOf(report, "totalCapacity"), ofS = scalarOf(report, "capacityOfSubspace");
        CHECK(scalarOf(report, "capacityOtherBases") == doctest::Approx(ofS).epsilon(1e-12));
        const auto& capacity = arrayOf(report, "capacity").values;
        CHECK(std::accumulate(capacity.begin(), capacity.end(), 0.0) == doctest::Approx(total));
        for (const double kappa : capacity) CHECK((kappa >= 0 && kappa <= 1 + 1e-12));
        CHECK((ofS >= 0 && ofS <= std::min(total, isPlane(report) ? 2.0 : 1.0) + 1e-12));
        const Array& joint = arrayOf(report, "joint");
        const std::size_t parts = joint.axes[1].size();
        for (std::size_t step = 0; step < joint.axes[0].size(); ++step)
            for (std::size_t part = 0; part < 2 * parts; ++part)
                CHECK(joint.row(step)[part % parts] - arrayOf(report, "separate").row(step)[part] >= -1e-12);
    }
}

TEST_CASE("subspace: capacity is 1 along the constraint and 0 along the error at rest") {
    const auto report = run({{"correlation", "0.5"}});
    const double* k = last(arrayOf(report, "constraints"));
    const double* x = last(arrayOf(report, "path"));
    const auto along = [&](const double* d) {
        return scalarOf(run({{"correlation", "0.5"}, {"angle", text(std::atan2(d[1], d[0]) / kDegree)}}), "capacityOfSubspace");
    };
    CHECK(along(k) == doctest::Approx(1));
    CHECK(std::abs(along(x)) < 1e-12);
}

TEST_CASE("subspace: a plane and the line orthogonal to it share the total") {
    for (const char* curve : {"parabola", "surface"}) {
        const Settings line{{"dimension", "3"}, {"curve", curve}, {"angle", "40"}, {"height", "-15"}};
        Settings plane = line;
        plane.push_back({"subspace", "plane"});
        const auto first = run(line), second = run(plane);
        CHECK(scalarOf(first, "capacityOfSubspace") + scalarOf(second, "capacityOfSubspace") ==
              doctest::Approx(scalarOf(first, "totalCapacity")));
    }
}

TEST_CASE("subspace: with one direction left the error's shares are n_S − κ_S to rounding (Eq 7)") {
    for (const Settings& settings : manySettings()) {
        const auto report = run(settings);
        const double n = report.params.is("dimension", "3") ? 3 : 2;
        if (n - scalarOf(report, "totalCapacity") != 1) continue;
        const Array& share = arrayOf(report, "errorShare");
        if (std::isnan(last(share)[0])) continue;
        for (std::size_t part = 0; part < share.axes[1].size(); ++part)
            CHECK(last(share)[part] == doctest::Approx(last(arrayOf(report, "expectedShare"))[part]).epsilon(1e-9));
        CHECK(scalarOf(report, "errorOfSubspace") == doctest::Approx(scalarOf(report, "errorBound")).epsilon(1e-9));
    }
}

TEST_CASE("subspace: with two directions left Eq 6 is the mean over them, not each") {
    for (const char* subspace : {"line", "plane"}) {
        const auto report = run({{"dimension", "3"}, {"subspace", subspace}});
        const auto& shares = arrayOf(report, "errorByDirection").values;
        const double mean = std::accumulate(shares.begin(), shares.end() - 1, 0.0) / static_cast<double>(shares.size() - 1);
        const Array& expected = arrayOf(report, "expectedShare");
        CHECK(mean == doctest::Approx(last(expected)[3]).epsilon(1e-12));
        CHECK(*std::max_element(shares.begin(), shares.end()) > mean + 0.05);
    }
    CHECK_FALSE(run({}).array("errorByDirection"));
}

TEST_CASE("subspace: the descent never climbs, ends where Kᵀ X = 0, and tiny plain gradient steps end there too") {
    for (const Settings& settings : manySettings()) {
        const auto report = run(settings);
        const Question question(report);
        const Array& parameters = arrayOf(report, "parameters");
        const std::size_t count = parameters.axes[1].size(), steps = parameters.axes[0].size();
        double before = 1e300;
        for (std::size_t step = 0; step < steps; ++step) {
            const double loss = question.loss(pointOf(parameters.row(step), count));
            CHECK(loss <= before * (1 + 1e-9) + 1e-20);
            before = loss;
        }
        CHECK(scalarOf(report, "optimality") < 1e-9);
        CHECK(scalarOf(report, "loss") == doctest::Approx(before));
        if (scalarOf(report, "curvature") < 0.05) continue;
        auto w = pointOf(parameters.row(steps - 2), count);
        for (int i = 0; i < 20000; ++i) {
            subspace::Point slope{};
            for (std::size_t j = 0; j < count; ++j) {
                auto up = w, down = w;
                up[j] += 1e-5, down[j] -= 1e-5;
                slope[j] = (question.loss(up) - question.loss(down)) / 2e-5;
            }
            w = plus(w, slope, -2e-3);
        }
        CHECK(question.loss(w) == doctest::Approx(scalarOf(report, "loss")).epsilon(1e-6));
    }
}

TEST_CASE("subspace: tangents and second derivatives are those of the manifold") {
    for (const auto shape : {subspace::Shape::Parabola, subspace::Shape::Wave, subspace::Shape::Surface})
        for (const bool spatial : {false, true}) {
            const subspace::Manifold m{shape, spatial, 1.3};
            const subspace::Point w{0.7, -0.4, 0};
            for (std::size_t j = 0; j < m.parameters(); ++j) {
                auto up = w, down = w;
                up[j] += 1e-4, down[j] -= 1e-4;
                for (std::size_t i = 0; i < 3; ++i) {
                    CHECK((m.at(up)[i] - m.at(down)[i]) / 2e-4 == doctest::Approx(m.tangent(w, j)[i]).epsilon(1e-6));
                    for (std::size_t k = 0; k < m.parameters(); ++k)
                        CHECK((m.tangent(up, k)[i] - m.tangent(down, k)[i]) / 2e-4 == doctest::Approx(m.second(w, j, k)[i]).epsilon(1e-6));
                }
            }
        }
}

TEST_CASE("subspace: constraints span Σ ∂A/∂w at every step") {
    for (const Settings& settings : manySettings()) {
        const auto report = run(settings);
        const Question question(report);
        const Array &constraints = arrayOf(report, "constraints"), &parameters = arrayOf(report, "parameters");
        const std::size_t n = constraints.axes[2].size(), count = parameters.axes[1].size();
        for (std::size_t step = 0; step < constraints.axes[0].size(); ++step)
            for (std::size_t j = 0; j < count; ++j) {
                auto rest =
                    subspace::covarianceTimes(question.rho, question.manifold.tangent(pointOf(parameters.row(step), count), j), n == 3);
                for (std::size_t k = 0; k < count; ++k) {
                    const auto direction = pointOf(constraints.row(step) + k * n, n);
                    CHECK(dotOf(direction, direction) == doctest::Approx(1));
                    rest = plus(rest, direction, -dotOf(direction, rest));
                }
                CHECK(dotOf(rest, rest) < 1e-20);
            }
    }
}

TEST_CASE("subspace: a stationary point that is no minimum is named, and its error still lies in the complement") {
    const auto report = run({{"target1", "0"}, {"target2", "1.5"}, {"w", "0"}});
    CHECK(scalarOf(report, "curvature") == doctest::Approx(-3));
    CHECK(scalarOf(report, "optimality") < 1e-12);
    CHECK(report.summary.find("no minimum") != std::string::npos);
    CHECK(scalarOf(run({{"bend", "0"}}), "curvature") == doctest::Approx(1));
}

TEST_CASE("subspace: as many parameters as inputs leave no error, and no shares of it") {
    const auto report = run({{"curve", "surface"}});
    CHECK(scalarOf(report, "totalCapacity") == 2);
    CHECK(scalarOf(report, "squaredError") < 1e-24);
    CHECK(scalarOf(report, "errorBound") == 0);
    CHECK(std::isnan(last(arrayOf(report, "errorShare"))[0]));
    for (const double kappa : arrayOf(report, "capacity").values) CHECK(kappa == doctest::Approx(1));
}

TEST_CASE("subspace: the preset of the cubic curve ends in a local optimum above the best one") {
    const auto report = run({{"curve", "wave"}, {"bend", "1.6"}, {"w", "1.3"}, {"target1", "-0.4"}, {"target2", "-0.4"}});
    const Question question(report);
    double least = 1e300;
    for (double w = -2; w <= 2; w += 1e-3) least = std::min(least, question.loss({w, 0, 0}));
    CHECK(scalarOf(report, "curvature") > 0);
    CHECK(scalarOf(report, "loss") > 1.2 * least);
}
