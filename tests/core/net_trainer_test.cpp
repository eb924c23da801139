#include <doctest/doctest.h>

#include <cmath>

#include "core/net/data_sets.h"
#include "support/bits.h"
#include "support/matrices.h"
#include "support/networks.h"
#include "support/sentence.h"
#include "support/slow_trainer.h"

using namespace kappaflow;

namespace {

constexpr Activation kActivations[] = {Activation::Identity, Activation::Relu,  Activation::LeakyRelu,
                                       Activation::Abs,      Activation::Tanh,  Activation::HardTanh,
                                       Activation::Sigmoid,  Activation::Relu6, Activation::HardSigmoid};

/// widths[0] inputs, an activation after every layer but the last.
Network netOf(const std::vector<int>& widths, Activation activation, std::uint64_t seed = 3) {
    Network network{{1, 1, widths.front()}, {}};
    for (std::size_t l = 1; l < widths.size(); ++l) {
        network.layers.push_back(denseLayer(widths[l - 1], widths[l]));
        if (l + 1 < widths.size()) network.layers.push_back(activationLayer({1, 1, widths[l]}, activation));
    }
    initialise(network, {.kind = Initialiser::He, .biasVariance = 0.1}, seed);
    return network;
}

/// Gaussian points; targets that suit either loss: distributions over the outputs, or one probability.
TrainingData dataOf(std::size_t inputs, std::size_t outputs, std::size_t samples) {
    TrainingData data{gaussianMatrix(inputs, samples, 5), gaussianMatrix(outputs, samples, 6)};
    for (std::size_t s = 0; s < samples; ++s) {
        double sum = outputs == 1 ? 1 : 0;
        for (std::size_t i = 0; i < outputs; ++i) sum += data.targets(i, s) *= data.targets(i, s);
        for (std::size_t i = 0; i < outputs; ++i) data.targets(i, s) /= sum;
    }
    return data;
}

TrainingData pointsOf(DataSet set, std::size_t samples, double noise, Loss loss) {
    LabelledPoints points = drawDataSet(set, samples, noise, 1);
    Matrix targets = classTargets(loss, points.labels, 2, 1);
    return {std::move(points.points), std::move(targets)};
}

TrainingSpec specOf(Loss loss, Optimiser kind, double rate, std::size_t batch) {
    return {.loss = loss, .optimiser = {.kind = kind, .learningRate = rate}, .batch = batch, .seed = 9, .frozen = {}};
}

double lossAt(Network network, const TrainingData& data, Loss loss) {
    return Trainer(std::move(network), data, {.loss = loss, .optimiser = {}, .frozen = {}}).evaluate().loss;
}

/// The gradient of all samples together, as one plain step of rate 1 shows it.
std::vector<double> gradientOf(const Network& network, const TrainingData& data, Loss loss) {
    TrainingSpec spec{
        .loss = loss, .optimiser = {.kind = Optimiser::Momentum, .learningRate = 1, .momentum = 0}, .batch = 1000, .frozen = {}};
    Trainer trainer(network, data, spec);
    const auto before = trainer.checkpoint().parameters;
    REQUIRE(trainer.step());
    auto gradient = trainer.checkpoint().parameters;
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = before[i] - gradient[i];
    return gradient;
}

/// In the order of checkpoints; null for what is kept as it is.
void addParameters(std::vector<Layer>& layers, std::vector<double*>& all) {
    eachLayer(layers, [&](Layer& layer) {
        auto* const own = layer.getIf<Weights>();
        if (!own) return;
        for (auto* numbers : {&own->weights, &own->bias})
            for (double& number : *numbers) all.push_back(layer.is<BatchNorm>() ? nullptr : &number);
    });
}

double& parameter(Network& network, std::size_t i) {
    std::vector<double*> all;
    addParameters(network.layers, all);
    return *all.at(i);
}

/// Blocks of every sort: plain, with a projection, one in another, of convolutions with batch norm; a pooling and a readout.
Network blocks() {
    const Shape grid{2, 4, 4};
    const Window three{{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, Padding::Zero};
    Network network{{1, 4, 4}, {windowLayer<Conv>({1, 4, 4}, 2, three)}};
    network.layers.push_back(residualBlock(grid,
                                           {windowLayer<Conv>(grid, 2, three), layerOf<BatchNorm>(grid, grid),
                                            activationLayer(grid, Activation::Tanh), windowLayer<Conv>(grid, 2, three)},
                                           {}, 1, 0.7));
    network.layers.push_back(layerOf<Flatten>(grid, {1, 1, 32}));
    network.layers.push_back(residualBlock(
        {1, 1, 32}, {denseLayer(32, 6), activationLayer({1, 1, 6}, Activation::Sigmoid), denseLayer(6, 5)}, {denseLayer(32, 5)}));
    const Shape five{1, 1, 5};
    const Layer inner = residualBlock(five, {activationLayer(five, Activation::LeakyRelu), denseLayer(5, 5)}, {}, 0.5);
    network.layers.push_back(residualBlock(five, {inner, activationLayer(five, Activation::Abs)}));
    network.layers.push_back(denseLayer(5, 3));
    initialise(network, {.kind = Initialiser::He, .biasVariance = 0.1}, 4);
    return network;
}

double worstDifference(const Network& a, const Network& b) {
    double worst = 0;
    for (std::size_t l = 0; l < a.layers.size(); ++l) {
        worst = std::max(worst, largestDifference(weightsOf(a.layers[l]).weights, weightsOf(b.layers[l]).weights));
        worst = std::max(worst, largestDifference(weightsOf(a.layers[l]).bias, weightsOf(b.layers[l]).bias));
    }
    return worst;
}

}  // namespace

TEST_CASE("the gradient is the loss's finite difference, for every loss and activation") {
    for (const Loss loss : {Loss::MeanSquare, Loss::CrossEntropy})
        for (const int outputs : {1, 3})
            for (const Activation activation : kActivations) {
                CAPTURE(activationKey(activation));
                CAPTURE(outputs);
                Network network = netOf({3, 5, 4, outputs}, activation);
                const TrainingData data = dataOf(3, static_cast<std::size_t>(outputs), 10);
                const auto gradient = gradientOf(network, data, loss);
                for (std::size_t i = 0; i < gradient.size(); ++i) {
                    const double at = parameter(network, i), h = 1e-6;
                    parameter(network, i) = at + h;
                    const double above = lossAt(network, data, loss);
                    parameter(network, i) = at - h;
                    const double below = lossAt(network, data, loss);
                    parameter(network, i) = at;
                    CHECK(std::abs((above - below) / (2 * h) - gradient[i]) < 1e-8 + 1e-6 * std::abs(gradient[i]));
                }
            }
}

TEST_CASE("the gradient through residual blocks is the loss's finite difference, and batch norm has none") {
    Network network = blocks();
    const TrainingData data = dataOf(16, 3, 6);
    const auto gradient = gradientOf(network, data, Loss::CrossEntropy);
    std::vector<double*> parameters;
    addParameters(network.layers, parameters);
    REQUIRE(gradient.size() == parameters.size());
    std::size_t kept = 0, moved = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        if (!parameters[i]) {
            CHECK(gradient[i] == 0);
            ++kept;
            continue;
        }
        const double at = *parameters[i], h = 1e-6;
        *parameters[i] = at + h;
        const double above = lossAt(network, data, Loss::CrossEntropy);
        *parameters[i] = at - h;
        const double below = lossAt(network, data, Loss::CrossEntropy);
        *parameters[i] = at;
        CHECK(std::abs((above - below) / (2 * h) - gradient[i]) < 1e-8 + 1e-6 * std::abs(gradient[i]));
        moved += gradient[i] != 0;
    }
    CHECK(kept == 4);
    CHECK(moved > gradient.size() / 2);
}

TEST_CASE("residual blocks learn, can be frozen, and any step of theirs can be entered again to the bit") {
    const Network network = blocks();
    TrainingData data = dataOf(16, 3, 40);
    TrainingSpec spec = specOf(Loss::CrossEntropy, Optimiser::Adam, 0.01, 8);
    Trainer trainer(network, data, spec);
    const double before = trainer.evaluate().loss;
    for (int t = 0; t < 100; ++t) REQUIRE(trainer.step());
    const auto middle = trainer.checkpoint();
    for (int t = 0; t < 30; ++t) REQUIRE(trainer.step());
    const auto end = trainer.checkpoint();
    CHECK(trainer.evaluate().loss < before - 0.05);
    trainer.restore(middle);
    for (int t = 0; t < 30; ++t) REQUIRE(trainer.step());
    CHECK(trainer.checkpoint().parameters == end.parameters);
    spec.frozen = {true, true, false, true, false, false};
    Trainer part(network, data, spec);
    for (int t = 0; t < 5; ++t) REQUIRE(part.step());
    for (const std::size_t l : {1, 3}) {
        CHECK(part.network().layers[l].as<Block>().inner[0].as<Weights>().weights ==
              network.layers[l].as<Block>().inner[0].as<Weights>().weights);
        CHECK(trainer.network().layers[l].as<Block>().inner[0].as<Weights>().weights !=
              network.layers[l].as<Block>().inner[0].as<Weights>().weights);
    }
    CHECK(part.network().layers[4].as<Block>().inner[1].as<Weights>().weights !=
          network.layers[4].as<Block>().inner[1].as<Weights>().weights);
}

TEST_CASE("training agrees with the slow trainer, sample by sample") {
    for (const Loss loss : {Loss::MeanSquare, Loss::CrossEntropy})
        for (const Optimiser kind : {Optimiser::Momentum, Optimiser::Adam})
            for (const int outputs : {1, 4})
                for (const Activation activation : {Activation::Relu, Activation::Tanh, Activation::HardTanh}) {
                    CAPTURE(activationKey(activation));
                    const Network network = netOf({3, 7, 5, outputs}, activation);
                    const TrainingData data = dataOf(3, static_cast<std::size_t>(outputs), 23);
                    const TrainingSpec spec = specOf(loss, kind, 0.01, 5);
                    Trainer fast(network, data, spec);
                    SlowTrainer slow(network, data, spec);
                    for (int t = 0; t < 40; ++t) {
                        REQUIRE(fast.step());
                        slow.step();
                    }
                    CHECK(worstDifference(fast.network(), slow.network()) < 1e-9);
                    CHECK(worstDifference(fast.network(), network) > 1e-2);
                }
}

TEST_CASE("any subset of layers can be frozen, and the others train as if by the slow trainer") {
    const Network network = netOf({3, 6, 6, 6, 2}, Activation::Abs);
    const TrainingData data = dataOf(3, 2, 17);
    for (unsigned mask = 0; mask < 16; ++mask) {
        CAPTURE(mask);
        TrainingSpec spec = specOf(Loss::CrossEntropy, Optimiser::Adam, 0.02, 6);
        spec.frozen.assign(network.layers.size(), false);
        for (unsigned d = 0; d < 4; ++d) spec.frozen[2 * d] = (mask >> d) & 1;
        Trainer fast(network, data, spec);
        SlowTrainer slow(network, data, spec);
        for (int t = 0; t < 10; ++t) {
            REQUIRE(fast.step());
            slow.step();
        }
        CHECK(worstDifference(fast.network(), slow.network()) < 1e-9);
        for (unsigned d = 0; d < 4; ++d)
            CHECK((fast.network().layers[2 * d].as<Weights>().weights == network.layers[2 * d].as<Weights>().weights) ==
                  spec.frozen[2 * d]);
    }
}

TEST_CASE("any step can be entered again from a checkpoint, to the bit") {
    for (const Optimiser kind : {Optimiser::Momentum, Optimiser::Adam}) {
        const Network network = netOf({2, 8, 8, 1}, Activation::Relu);
        const TrainingData data = pointsOf(DataSet::Moons, 50, 0.1, Loss::CrossEntropy);
        const TrainingSpec spec = specOf(Loss::CrossEntropy, kind, 0.01, 8);
        Trainer straight(network, data, spec);
        std::vector<TrainingCheckpoint> kept;
        for (int t = 0; t < 60; ++t) {
            kept.push_back(straight.checkpoint());
            REQUIRE(straight.step());
        }
        const auto end = straight.checkpoint();
        for (const std::size_t t : {0, 1, 6, 7, 13, 59}) {
            Trainer again(network, data, spec);
            again.restore(kept[t]);
            CHECK(again.steps() == t);
            while (again.steps() < 60) REQUIRE(again.step());
            CHECK(again.checkpoint().parameters == end.parameters);
            CHECK(again.checkpoint().first == end.first);
            CHECK(again.checkpoint().second == end.second);
        }
        // Back and forth in the same trainer.
        straight.restore(kept[33]);
        while (straight.steps() < 60) REQUIRE(straight.step());
        CHECK(straight.checkpoint().parameters == end.parameters);
    }
}

TEST_CASE("every epoch takes every sample once, in another order") {
    const TrainingData data = dataOf(2, 1, 23);
    const SlowTrainer order(netOf({2, 1}, Activation::Relu), data, specOf(Loss::MeanSquare, Optimiser::Momentum, 0.1, 5));
    std::vector<std::vector<std::size_t>> epochs(2);
    for (std::uint64_t t = 0; t < 10; ++t)
        for (const std::size_t s : order.batchOf(t)) epochs[t / 5].push_back(s);
    CHECK(epochs[0] != epochs[1]);
    for (auto& epoch : epochs) {
        std::sort(epoch.begin(), epoch.end());
        REQUIRE(epoch.size() == 23);
        for (std::size_t s = 0; s < 23; ++s) CHECK(epoch[s] == s);
    }
}

TEST_CASE("nets learn what they are made for: circles, moons, spirals and the checkerboard") {
    struct Lesson {
        DataSet set;
        Activation activation;
        std::vector<int> widths;
        int steps;
        double accuracy;
    };
    for (const Lesson& lesson : {Lesson{DataSet::Circles, Activation::HardTanh, {2, 8, 1}, 400, 0.99},
                                 Lesson{DataSet::Moons, Activation::Abs, {2, 8, 8, 1}, 400, 0.99},
                                 Lesson{DataSet::Spirals, Activation::Relu, {2, 16, 16, 1}, 1000, 0.95},
                                 Lesson{DataSet::Checkerboard, Activation::Relu, {2, 24, 24, 1}, 1000, 0.9}}) {
        CAPTURE(dataSetKey(lesson.set));
        Trainer trainer(netOf(lesson.widths, lesson.activation), pointsOf(lesson.set, 300, 0.02, Loss::CrossEntropy),
                        specOf(Loss::CrossEntropy, Optimiser::Adam, 0.02, 50));
        const Evaluation before = trainer.evaluate();
        for (int t = 0; t < lesson.steps; ++t) REQUIRE(trainer.step());
        CHECK(before.accuracy < 0.8);
        CHECK(trainer.evaluate().accuracy > lesson.accuracy);
        CHECK(trainer.evaluate().loss < before.loss / 2);
    }
}

TEST_CASE("diverging stops with a sentence and loses nothing") {
    const Network network = netOf({2, 8, 8, 1}, Activation::Relu);
    const TrainingData data = pointsOf(DataSet::Spirals, 40, 0, Loss::MeanSquare);
    for (const double rate : {1e3, 1e30, 1e200}) {
        CAPTURE(rate);
        Trainer trainer(network, data, specOf(Loss::MeanSquare, Optimiser::Momentum, rate, 10));
        auto last = trainer.checkpoint();
        int made = 0;
        while (trainer.step() && made < 1000) last = trainer.checkpoint(), ++made;
        REQUIRE(made < 1000);
        CHECK(isOneSentence(trainer.trouble()));
        CHECK(trainer.trouble().find("after step " + std::to_string(made)) != std::string::npos);
        CHECK(trainer.checkpoint().parameters == last.parameters);
        CHECK(trainer.checkpoint().first == last.first);
        for (const double w : last.parameters) REQUIRE(std::isfinite(w));
        CHECK_FALSE(trainer.step());
        CHECK(trainer.steps() == static_cast<std::uint64_t>(made));
    }
}

TEST_CASE("what cannot be trained is refused in a sentence") {
    const Network network = netOf({2, 3, 1}, Activation::Relu);
    const TrainingData data = dataOf(2, 1, 4);
    const auto sentence = [&](Network n, TrainingData d, TrainingSpec s) { return refusal([&] { Trainer(n, d, s); }); };
    CHECK(sentence(network, data, {.optimiser = {}, .frozen = {}}) == "");
    CHECK(isOneSentence(sentence(network, {Matrix(2, 0), Matrix(1, 0)}, {.optimiser = {}, .frozen = {}})));
    CHECK(isOneSentence(sentence(network, dataOf(3, 1, 4), {.optimiser = {}, .frozen = {}})));
    CHECK(isOneSentence(sentence(network, dataOf(2, 2, 4), {.optimiser = {}, .frozen = {}})));
    CHECK(isOneSentence(sentence(network, data, {.optimiser = {}, .batch = 0, .frozen = {}})));
    CHECK(isOneSentence(sentence(network, data, {.optimiser = {}, .frozen = {true}})));
    CHECK(isOneSentence(sentence(network, data, {.optimiser = {.learningRate = -1}, .frozen = {}})));
    TrainingData broken = data;
    broken.inputs(1, 2) = NAN;
    CHECK(isOneSentence(sentence(network, broken, {.optimiser = {}, .frozen = {}})));
}

// Recorded from one platform; all operations of training are portable, so no other one may differ in a bit.
TEST_CASE("500 steps give these bits everywhere") {
    std::uint64_t mixed = 0;
    for (const Activation activation : {Activation::Relu, Activation::Tanh, Activation::HardTanh}) {
        Trainer trainer(netOf({2, 16, 16, 1}, activation), pointsOf(DataSet::Spirals, 200, 0.05, Loss::CrossEntropy),
                        specOf(Loss::CrossEntropy, Optimiser::Adam, 0.02, 32));
        for (int t = 0; t < 500; ++t) REQUIRE(trainer.step());
        for (const double w : trainer.checkpoint().parameters) {
            mixed ^= bitsOf(w);
            mixed = splitmix64(mixed);
        }
    }
    CHECK(mixed == 7909489035423064588u);
}

TEST_CASE("a pooling costs by what its windows read, twice a sample, and not by the units it makes alone") {
    for (const bool largest : {true, false}) {
        const auto cost = [&](int size, std::size_t batch) {
            const int around = size / 2;
            const Window window{{size, size}, {1, 1}, {1, 1}, {around, around}, {around, around}, Padding::Zero};
            return trainingStepOperations(
                {{8, 28, 28}, {largest ? windowLayer<MaxPool>({8, 28, 28}, 8, window) : windowLayer<AveragePool>({8, 28, 28}, 8, window)}},
                batch);
        };
        // 8·28² windows of 15² and of 1 unit.
        const double reads = 8.0 * 28 * 28 * (15 * 15 - 1);
        CHECK(cost(15, 100) - cost(1, 100) > 1.5 * reads * 100);
        CHECK(cost(15, 200) - cost(15, 100) > 1.5 * reads * 100);
    }
    const auto mean = [](int side) {
        return trainingStepOperations({{8, side, side}, {layerOf<GlobalAveragePool>({8, side, side}, {8, 1, 1})}}, 100);
    };
    CHECK(mean(28) - mean(1) > 1.5 * 8 * (28 * 28 - 1) * 100);
}
