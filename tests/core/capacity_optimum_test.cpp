#include "core/linear/optimum.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/base/rng.h"
#include "core/linear/constraints.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_model.h"
#include "support/linear_models.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

using Vector = std::vector<double>;

HierarchicalModel tree(int layers, int channels, int components = 1) {
    return HierarchicalModel(dilatedTree(layers, 2, channels, components));
}

OptimumOptions frozenBut(std::vector<std::size_t> freeLayers, std::uint64_t seed) {
    return {.freeLayers = std::move(freeLayers), .seed = seed};
}
OptimumOptions randomStart(std::uint64_t seed, int restarts, int iterations) {
    return {.start = OptimumStart::Random, .seed = seed, .restarts = restarts, .iterations = iterations};
}

/// Largest entry of Jᵀ Σ X over the weights of one layer.
double slopeOf(const LinearModel& model, const LinearTask& task, const Vector& weights, std::size_t layer) {
    const Vector gradient = model.gradient(weights, taskSlope(task, model.response(weights)));
    double largest = 0;
    const WeightBlock& block = model.layers()[layer];
    for (std::size_t i = 0; i < block.count; ++i) largest = std::max(largest, std::abs(gradient[block.first + i]));
    return largest;
}

TEST_CASE("trees reach the reference optima to seven digits, and the check of optimality is met") {
    const auto file = reference("case_06_hier_optimum.json");
    for (const auto& c : file["cases"]) {
        const int layers = c["L"], channels = c["c"];
        CAPTURE(layers);
        CAPTURE(channels);
        const auto model = tree(layers, channels);
        const auto task = predictionTask(GaussianProcess{}, model.length());
        const Optimum found = findOptimum(model, task);
        CHECK(found.loss == doctest::Approx(c["loss"].get<double>()).epsilon(1e-7));
        CHECK(found.optimality < 1e-9);
        CHECK(largestDifference(model.response(found.weights), c["A_oldest_first"].get<Vector>()) < 1e-8);
        for (std::size_t i = 1; i < found.history.size(); ++i) CHECK(found.history[i] <= found.history[i - 1]);
    }
}

TEST_CASE("the losses of trees of six layers: 1.327756e-3, 1.225163e-5, 2.894214e-10, and rounding from eight channels on") {
    const auto task = predictionTask(GaussianProcess{}, 64);
    for (const auto& row : {std::pair{1, 1.327756e-3}, {2, 1.225163e-5}, {4, 2.894214e-10}}) {
        const auto channels = row.first;
        const double loss = row.second;
        CAPTURE(channels);
        CHECK(std::abs(findOptimum(tree(6, channels), task).loss / loss - 1) < 4e-7);
    }
    for (int channels : {8, 16, 256}) {
        CAPTURE(channels);
        OptimumSearch search(tree(6, channels), task);
        CHECK_FALSE(search.step());
        CHECK(search.loss() < roundingLoss(task));
    }
}

TEST_CASE("the train next to a response that has one is that response, whatever the taps, components and order of the dilations") {
    const HierarchicalShape mixed{{3, 2, 2}, {1, 3, 6}, {2, 3, 2, 1}}, turned{{2, 2, 3}, {6, 3, 1}, {1, 4, 3, 1}};
    for (const auto& shape : {dilatedTree(5, 2, 3), dilatedTree(3, 3, 2, 3), mixed, turned}) {
        const HierarchicalModel model(shape);
        const Vector response = model.response(model.randomWeights(5));
        const Vector weights = trainWeights(model, response);
        CHECK(largestDifference(model.response(weights), response) < 1e-13);
        double first = 0;
        for (const WeightBlock& block : model.layers()) {
            double norm = 0;
            for (std::size_t i = 0; i < block.count; ++i) norm += weights[block.first + i] * weights[block.first + i];
            if (first == 0) first = norm;
            CHECK(norm == doctest::Approx(first).epsilon(1e-12));
        }
    }
    CHECK(isOneSentence(refusal([] {
        const HierarchicalModel tiled(tiledStack({1, 2}, 2, 2, 2));
        trainWeights(tiled, Vector(tiled.inputs(), 1.0));
    })));
}

TEST_CASE("two layers of one channel: the train next to a matrix is its first singular pair") {
    // Lag k_1 + 2 k_2 as entry (k_2, k_1) of (3, 0; 0, 1): oldest first 1, 0, 0, 3.
    const auto model = tree(2, 1);
    CHECK(largestDifference(model.response(trainWeights(model, {1, 0, 0, 3})), {0, 0, 0, 3}) < 1e-14);
}

TEST_CASE("degenerate targets are met exactly") {
    GaussianProcess process;
    process.kind = ProcessKind::Ar1;
    const auto task = predictionTask(process, 16);
    for (int channels : {1, 2}) CHECK(findOptimum(tree(4, channels), task).loss < 1e-28);
    const auto nothing = withTarget(task, Vector(16, 0.0));
    CHECK(findOptimum(tree(4, 2), nothing).loss == 0);
}

TEST_CASE("freezing redundant layers at random reaches the same optimum, others not (Conjectures 1 and 2)") {
    const auto task = predictionTask(GaussianProcess{}, 64);
    const auto file = reference("case_18_redundancy.json");
    for (const auto& row : file["rows"]) {
        const int channels = row["c"];
        const auto frozen = row["frozen_layers"].get<std::vector<std::size_t>>();
        CAPTURE(channels);
        const auto model = tree(6, channels);
        const double full = findOptimum(model, task).loss;
        for (std::uint64_t seed : {1, 2, 3}) {
            const Optimum found = findOptimum(model, task, frozenBut(layersBut(frozen, 6), seed));
            if (row["equals_full_optimum"])
                CHECK(found.loss == doctest::Approx(full).epsilon(1e-6));
            else
                CHECK(found.loss > 10 * full);
            const Vector before = model.randomWeights(seed, 0);
            for (std::size_t l : frozen) {
                const WeightBlock& block = model.layers()[l - 1];
                for (std::size_t i = 0; i < block.count; ++i) CHECK(found.weights[block.first + i] == before[block.first + i]);
            }
        }
    }
}

TEST_CASE("recurrent units: 8.928e-3, 6.016e-4 and 5.777e-6 with one, two and four of them") {
    const auto task = predictionTask(GaussianProcess{}, 64);
    for (const auto& row : {std::pair<std::size_t, double>{1, 8.928e-3}, {2, 6.016e-4}, {4, 5.777e-6}}) {
        const auto channels = row.first;
        const double loss = row.second;
        CAPTURE(channels);
        const RecurrentModel model(64, channels);
        const Optimum found = findOptimum(model, task);
        CHECK(std::abs(found.loss / loss - 1) < 1e-4);
        CHECK(found.optimality < 1e-7);
    }
    const RecurrentModel two(1, 2), many(8, 6);
    CHECK(findOptimum(two, predictionTask(GaussianProcess{}, 1)).loss < 1e-28);
    CHECK(findOptimum(many, predictionTask(GaussianProcess{}, 8)).loss < 1e-20);
}

TEST_CASE("L-BFGS from random weights stalls with four channels, and is eased by sixteen") {
    const auto task = predictionTask(GaussianProcess{}, 64);
    const Optimum four = findOptimum(tree(6, 4), task, randomStart(1, 1, 300));
    CHECK(four.loss > 100 * 2.894214e-10);
    CHECK(four.optimality > 1e-2);
    CHECK(four.history.size() == 301);
    const Optimum sixteen = findOptimum(tree(6, 16), task, randomStart(2, 1, 300));
    CHECK(sixteen.loss < four.loss / 100);
    const Optimum one = findOptimum(tree(6, 1), task, randomStart(1, 1, 500));
    CHECK(one.loss == doctest::Approx(1.327756e-3).epsilon(1e-6));
}

TEST_CASE("the best of several starts is the best of each alone") {
    const auto task = predictionTask(GaussianProcess{}, 16);
    const auto model = tree(4, 2);
    const Optimum all = findOptimum(model, task, randomStart(3, 3, 40));
    double best = 1e300;
    for (std::uint64_t draw : {0, 1, 2}) {
        const auto alone = lbfgsDescent(model, task, model.randomWeights(3, draw));
        for (int i = 0; i < 40 && alone->step(); ++i) {
        }
        best = std::min(best, alone->loss());
    }
    CHECK(all.loss == best);
    CHECK(taskLoss(task, model.response(all.weights)) == all.loss);
}

TEST_CASE("alternating least squares never raises the loss, and leaves no slope in the layer just solved") {
    const HierarchicalModel model(tiledStack({1, 2, 4}, 2, 2, 2));
    const auto task = predictionTask(GaussianProcess{}, model.length());
    OptimumSearch search(model, task);
    double before = search.loss();
    for (std::size_t i = 0; i < 18; ++i) {
        REQUIRE(search.step());
        CHECK(search.loss() <= before);
        before = search.loss();
        CHECK(slopeOf(model, task, search.weights(), i % 6) < 1e-12);
    }
}

TEST_CASE("damped steps end where no weight has a slope: tiled stacks, where L-BFGS is still on its way") {
    const HierarchicalModel model(tiledStack({1, 2, 4}, 2, 2, 2));
    const auto task = predictionTask(GaussianProcess{}, model.length());
    const Optimum damped = findOptimum(model, task);
    CHECK(damped.optimality < 1e-6);
    CHECK(damped.loss <= findOptimum(model, task, randomStart(1, 1, 300)).loss * (1 + 1e-6));
}

TEST_CASE("several components: optima of trees on four independent inputs a position") {
    const auto task = predictionTask(componentExponents(4), 16);
    const auto model = tree(4, 2, 4);
    const Optimum found = findOptimum(model, task);
    CHECK(found.optimality < 1e-8);
    CHECK(found.loss <= findOptimum(model, task, randomStart(1, 2, 400)).loss * (1 + 1e-9));
}

TEST_CASE("a search can be left at any time: its weights have its loss, its progress rises to 1") {
    const auto task = predictionTask(GaussianProcess{}, 16);
    const auto model = tree(4, 3);
    OptimumSearch search(model, task, randomStart(7, 2, 25));
    double progress = search.progress();
    int steps = 0;
    do {
        CHECK(taskLoss(task, model.response(search.weights())) == search.loss());
        CHECK(search.history().back() == search.loss());
        CHECK(search.progress() >= progress);
        progress = search.progress();
        ++steps;
    } while (search.step());
    CHECK(steps >= 40);
    CHECK(search.iterations() <= 50);
    CHECK(search.progress() == 1);
    CHECK_FALSE(search.step());
}

TEST_CASE("what cannot be searched is refused in a sentence") {
    const auto task = predictionTask(GaussianProcess{}, 16);
    const auto model = tree(4, 2), other = tree(3, 2);
    const auto refused = [&](const LinearModel& m, const OptimumOptions& options) {
        return isOneSentence(refusal([&] { OptimumSearch(m, task, options); }));
    };
    CHECK(refused(other, {}));
    CHECK(refused(model, frozenBut({4}, 1)));
    CHECK(refused(model, randomStart(1, 0, 10)));
    CHECK(refused(model, randomStart(1, 1, 0)));
    auto options = frozenBut({0}, 1);
    options.weights = {1, 2};
    CHECK(refused(model, options));
    CHECK(optimumOperations(model, {}) > 0);
}

}  // namespace
