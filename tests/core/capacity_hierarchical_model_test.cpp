#include "core/linear/hierarchical_model.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/linear_models.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

TEST_CASE("responses, Jacobians, losses and gradients are the reference's") {
    const auto reference04 = reference("case_04_hier_explicit.json");
    for (const auto& c : reference04["cases"]) {
        const HierarchicalModel model(shapeOf(c));
        const auto w = c["w"].get<Vector>();
        CHECK(model.length() == c["n"].get<Size>());
        CHECK(model.parameters() == c["p"].get<Size>());
        const auto A = model.response(w);
        CHECK(largestDifference(A, c["A_oldest_first"].get<Vector>()) < 1e-14);
        CHECK(largestDifference(model.jacobian(w), matrixFrom(c["J"])) < 1e-14);
        const auto task = predictionTask(InputCovariance(c["autocov"].get<Vector>()));
        CHECK(taskLoss(task, A) == doctest::Approx(c["loss"].get<double>()).epsilon(1e-12));
        CHECK(largestDifference(model.gradient(w, taskSlope(task, A)), c["grad"].get<Vector>()) < 1e-13);
    }
}

TEST_CASE("the response is the sum over all paths, the Jacobian its derivative, the gradient Jᵀ times the slope") {
    std::uint64_t seed = 0;
    for (const auto& shape : manyShapes()) {
        const HierarchicalModel model(shape);
        INFO("shape " << seed);
        const auto w = model.randomWeights(++seed);
        CHECK(largestDifference(model.response(w), slowResponse(model, w)) < 1e-13);
        const auto J = model.jacobian(w);
        CHECK(largestDifference(J, differenceJacobian(model, w, 1)) < 1e-12);
        const auto slope = gaussianMatrix(model.inputs(), 1, seed);
        CHECK(largestDifference(model.gradient(w, slope.values), slowProduct(transposed(J), slope).values) < 1e-12);
    }
}

TEST_CASE("random weights make responses of order one for whatever number of channels, different in each draw") {
    for (const int channels : {1, 8, 64}) {
        const HierarchicalModel model(dilatedTree(6, 2, channels));
        double sum = 0;
        for (std::uint64_t draw = 0; draw < 40; ++draw)
            for (double a : model.response(model.randomWeights(1, draw))) sum += a * a / 40;
        // E ‖A‖² = 1 exactly; the variance of one draw, 3^6 − 1 at one channel, is far less for many.
        CHECK(sum < 1 + 5 * std::sqrt(728.0 / 40));
        CHECK(sum > 0.02);
        CHECK(model.randomWeights(1, 0) != model.randomWeights(1, 1));
        CHECK(model.randomWeights(1, 0) != model.randomWeights(2, 0));
        CHECK(model.randomWeights(1, 3) == model.randomWeights(1, 3));
    }
}

TEST_CASE("shapes and their trains: which lags are reached once, tiled and repeated stacks, sizes") {
    CHECK(isTensorTrain(dilatedTree(6, 2, 4)));
    CHECK(isTensorTrain({{2, 2, 2}, {4, 2, 1}, {1, 2, 2, 1}}));
    CHECK(isTensorTrain({{3, 2}, {2, 7}, {1, 4, 1}}));
    CHECK(isTensorTrain({{1, 2}, {1, 1}, {1, 4, 1}}));
    CHECK(!isTensorTrain(tiledStack({1, 2}, 2, 2, 1)));
    CHECK(!isTensorTrain({{3, 2}, {1, 2}, {1, 4, 1}}));
    CHECK(tiledStack({1, 2, 4}, 2, 2, 3).dilations == std::vector<int>{1, 2, 4, 1, 2, 4});
    CHECK(repeatedStack({1, 2, 4}, 2, 2, 3).dilations == std::vector<int>{1, 1, 2, 2, 4, 4});
    CHECK(tiledStack({1, 2, 4}, 2, 2, 3, 5).channels == std::vector<int>{5, 3, 3, 3, 3, 3, 1});
    CHECK(receptiveField(tiledStack({1, 2, 4, 8, 16, 32, 64, 128}, 3, 2, 4)) == 766);
    CHECK(parameterCount(repeatedStack({1, 2, 4, 8, 16, 32, 64, 128}, 3, 2, 4)) == 720);
    CHECK(parameterCount(dilatedTree(6, 2, 256)) == 525312);
    CHECK(lagDigits({{3, 2}, {2, 7}, {1, 4, 1}})[1].empty());
    CHECK(lagDigits(dilatedTree(4, 3, 1))[0 + 2 * 3 + 1 * 27] == std::vector<int>{0, 2, 0, 1});
}

TEST_CASE("impossible shapes, weights and slopes are refused in one sentence") {
    const auto sentence = [](const HierarchicalShape& shape) { return refusal([&] { HierarchicalModel model(shape); }); };
    for (const auto& shape : {HierarchicalShape{},
                              HierarchicalShape{{2}, {}, {1, 1}},
                              HierarchicalShape{{2}, {1}, {1}},
                              HierarchicalShape{{2}, {1}, {1, 2}},
                              HierarchicalShape{{0}, {1}, {1, 1}},
                              HierarchicalShape{{2}, {0}, {1, 1}},
                              HierarchicalShape{{2}, {-4}, {1, 1}},
                              HierarchicalShape{{2, 2}, {1, 2}, {1, 0, 1}},
                              HierarchicalShape{{2, 2}, {1, 2}, {0, 1, 1}},
                              HierarchicalShape{{2, 2}, {1, 2}, {1, 257, 1}},
                              HierarchicalShape{{17}, {1}, {1, 1}},
                              HierarchicalShape{{2}, {4097}, {1, 1}},
                              dilatedTree(13, 2, 1),
                              dilatedTree(65, 1, 1),
                              dilatedTree(1 << 30, 2, 1),
                              dilatedTree(-1, 2, 1),
                              dilatedTree(5, -7, 1),
                              dilatedTree(12, 2, 256),
                              tiledStack({}, 4, 2, 1),
                              tiledStack({1}, 1 << 30, 2, 1),
                              repeatedStack({1, 2}, -3, 2, 1),
                              repeatedStack({1000, 4000}, 1, 2, 1)})
        CHECK(isOneSentence(sentence(shape)));
    CHECK(sentence({{2, 2}, {1, -3}, {1, 1, 1}}).find("Layer 2 has the dilation -3") != std::string::npos);
    CHECK(sentence(dilatedTree(12, 2, 1)).empty());
    CHECK(isOneSentence(refusal([] { lagDigits(tiledStack({1, 2}, 2, 2, 1)); })));

    const HierarchicalModel model(dilatedTree(3, 2, 1));
    auto w = model.randomWeights(1);
    CHECK(isOneSentence(refusal([&] { model.response(Vector(5)); })));
    CHECK(isOneSentence(refusal([&] { model.gradient(w, Vector(3)); })));
    w[3] = std::nan("");
    CHECK(refusal([&] { model.response(w); }).find("Weight 4") != std::string::npos);
    CHECK(isOneSentence(refusal([&] { model.gradient(w, Vector(8)); })));
    CHECK(isOneSentence(refusal([&] { model.jacobian(w); })));
    CHECK(isOneSentence(refusal([&] { model.tangent(w); })));
    const HierarchicalModel wide(dilatedTree(6, 2, 256));
    CHECK(isOneSentence(refusal([&] { wide.jacobian(wide.randomWeights(1)); })));
}
