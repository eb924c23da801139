#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "scenes/linear_models/subspace.h"
#include "support/linear_summaries.h"
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
subspace::Task taskOf(const Report& r) {
    subspace::Params p;
    bindParams(subspace::kScene, r.params, &p);
    return {p.manifold(), p.target(), p.correlation};
}
double lossAt(const subspace::Task& task, const subspace::Point& w) { return task.lossOf(task.errorAt(w)); }

}  // namespace

const SummaryOf kSummary{"subspace",
                         {{},
                          {{{"w", "0.4"}}},
                          {{"capacity", Of::All}, {"capacity", Of::Count}, {"errorShare", Of::All}, {"expectedShare", Of::All}},
                          {{"At the optimum", optimal}},
                          [](const Report& r, Numbers& n) {
                              if (valueIn(r, "squaredError") > 0) n.push_back(valueIn(r, "errorOfSubspace") / valueIn(r, "squaredError"));
                              n.push_back(static_cast<double>(r.array("constraints")->axes[1].size()));
                          }}};

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

TEST_CASE("subspace: Properties 1–4 and 6, and Eq 7, hold for every manifold, covariance and subspace") {
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
        // Eq 7: with one direction left the error's shares are n_S − κ_S to rounding.
        const Array& share = arrayOf(report, "errorShare");
        if (static_cast<double>(capacity.size()) - total != 1 || std::isnan(last(share)[0])) continue;
        for (std::size_t part = 0; part < parts; ++part)
            CHECK(last(share)[part] == doctest::Approx(last(arrayOf(report, "expectedShare"))[part]).epsilon(1e-9));
        CHECK(scalarOf(report, "errorOfSubspace") == doctest::Approx(scalarOf(report, "errorBound")).epsilon(1e-9));
    }
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
        const auto task = taskOf(report);
        const Array& parameters = arrayOf(report, "parameters");
        const std::size_t count = parameters.axes[1].size(), steps = parameters.axes[0].size();
        double before = 1e300;
        for (std::size_t step = 0; step < steps; ++step) {
            const double loss = lossAt(task, pointOf(parameters.row(step), count));
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
                slope[j] = (lossAt(task, up) - lossAt(task, down)) / 2e-5;
            }
            w = plus(w, slope, -2e-3);
        }
        CHECK(lossAt(task, w) == doctest::Approx(scalarOf(report, "loss")).epsilon(1e-6));
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
        const auto task = taskOf(report);
        const Array &constraints = arrayOf(report, "constraints"), &parameters = arrayOf(report, "parameters");
        const std::size_t n = constraints.axes[2].size(), count = parameters.axes[1].size();
        for (std::size_t step = 0; step < constraints.axes[0].size(); ++step)
            for (std::size_t j = 0; j < count; ++j) {
                auto rest = task.times(task.manifold.tangent(pointOf(parameters.row(step), count), j));
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

TEST_CASE("subspace: the preset of the cubic curve ends in a local optimum above the best one") {
    const auto report = run({{"curve", "wave"}, {"bend", "1.6"}, {"w", "1.3"}, {"target1", "-0.4"}, {"target2", "-0.4"}});
    const auto task = taskOf(report);
    double least = 1e300;
    for (double w = -2; w <= 2; w += 1e-3) least = std::min(least, lossAt(task, {w, 0, 0}));
    CHECK(scalarOf(report, "curvature") > 0);
    CHECK(scalarOf(report, "loss") > 1.2 * least);
}
