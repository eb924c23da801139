#include <doctest/doctest.h>

#include <cmath>

#include "core/expressivity/trajectory_sweep.h"
#include "support/reference.h"
#include "support/slow_trajectory.h"

using namespace kappaflow;
using Vector = std::vector<double>;

namespace {

CurveLayer layerOf(const nlohmann::json& listed) {
    Vector weights;
    for (const auto& row : listed["W"])
        for (const auto& weight : row) weights.push_back(weight.get<double>());
    const auto& act = listed["act"];
    const bool leaky = act.is_object();
    const std::string name = leaky ? "leaky-relu" : act.get<std::string>() == "hardtanh" ? "hard-tanh" : act.get<std::string>();
    return curveLayer(weights, listed["b"].get<Vector>(), listed["W"][0].size(), activationFromKey(name),
                      leaky ? act["leaky"].get<double>() : 0);
}

std::vector<CurveLayer> layersOf(const nlohmann::json& row) {
    std::vector<CurveLayer> layers;
    for (const auto& listed : row["net"]) layers.push_back(layerOf(listed));
    return layers;
}

CurvePieces arcOf(const nlohmann::json& row) {
    return arcCurve(row["x0"].get<Vector>(), row["x1"].get<Vector>(), row["t0"].get<double>(), row["t1"].get<double>());
}

/// The reference's lengths: one panel of 20 points on each piece, however long.
double onePanelLength(const CurvePieces& curve) {
    const GaussRule& gauss = gaussRule20();
    double sum = 0;
    for (std::size_t i = 0; i < curve.pieces(); ++i) {
        const double half = (curve.ends[i + 1] - curve.ends[i]) / 2, middle = (curve.ends[i + 1] + curve.ends[i]) / 2;
        for (int n = 0; n < 20; ++n) {
            double slope[3], square = 0;
            basisSlopeAt(curve.form, middle + half * gauss.node[n], slope);
            for (std::size_t u = 0; u < curve.units; ++u) {
                const double* c = curve.piece(i) + u;
                const double speed = slope[0] * c[0] + slope[1] * c[curve.units];
                square += speed * speed;
            }
            sum += half * gauss.weight[n] * std::sqrt(square);
        }
    }
    return sum;
}

}  // namespace

TEST_CASE("Circles through all reference networks have the reference's pieces and transitions, and by its rule its lengths to 1e-9") {
    const auto cases = reference("circle_trajectories.json");
    REQUIRE(cases.size() == 13);
    for (const auto& row : cases) {
        CAPTURE(row["name"].get<std::string>());
        const auto layers = layersOf(row);
        const auto& expected = row["expect"]["layers"];
        TrajectorySweep sweep(layers, arcOf(row), {});
        CHECK(onePanelLength(sweep.image()) == doctest::Approx(row["expect"]["length0"].get<double>()).epsilon(1e-9));
        for (std::size_t l = 0; l < layers.size(); ++l) {
            CAPTURE(l);
            while (sweep.exactLayers() == l) sweep.advance();
            const CurvePassage& passage = sweep.passages().back();
            CHECK(passage.pieces == expected[l]["pieces"].get<std::size_t>());
            CHECK(passage.transitions == expected[l]["transitions"].get<double>());
            CHECK(onePanelLength(sweep.image()) == doctest::Approx(expected[l]["length"].get<double>()).epsilon(1e-9));
            CHECK(passage.length == doctest::Approx(expected[l]["length"].get<double>()).epsilon(1e-5));
        }
    }
}

TEST_CASE("Points along the circle, halved where a state changes, count the same pieces, transitions and sign changes") {
    const auto cases = reference("circle_trajectories.json");
    for (const auto& row : cases) {
        const auto layers = layersOf(row);
        if (layers[0].out > 8) continue;
        CAPTURE(row["name"].get<std::string>());
        const CurvePieces start = arcOf(row);
        const SlowTrajectory slow(layers, start, 1000);
        const auto passages = sweepTrajectory(layers, start);
        for (std::size_t l = 0; l < layers.size(); ++l) {
            CAPTURE(l);
            CHECK(static_cast<double>(slow.layers()[l].pieces) == static_cast<double>(passages[l + 1].pieces));
            CHECK(slow.layers()[l].transitions == passages[l + 1].transitions);
            CHECK(slow.layers()[l].signs == passages[l + 1].signTransitions);
            CHECK(slow.layers()[l].length == doctest::Approx(passages[l + 1].length).epsilon(1e-4));
        }
    }
}
