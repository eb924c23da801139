#include <doctest/doctest.h>

#include <functional>

#include "scenes/expressivity/training_model.h"
#include "support/networks.h"
#include "support/scene_runs.h"

using namespace kappaflow;
using training_runs::Run;
using training_runs::Task;

namespace {

/// A signal through every layer with settings beside its weights, which a few samples are learnt with.
Task taskOfSettings(std::uint64_t steps) {
    const Shape signal{2, 1, 8};
    const Window ring = window1d(3, 1, 1, 1, 1, Padding::Periodic);
    Task task;
    task.start.input = signal;
    task.start.layers = {withNumbers(windowLayer<Conv>(signal, 2, ring), 1),
                         withNumbers(layerOf<BatchNorm>(signal, signal), 2),
                         activationLayer(signal, Activation::PseudoRandom),
                         windowLayer<AveragePool>(signal, 2, window1d(3, 1, 1, 1, 1, Padding::Zero)),
                         layerOf<Flatten>(signal, {1, 1, 16}),
                         withNumbers(denseLayer(16, 3), 3)};
    task.data.inputs = Matrix(16, 6, gaussians(96, 4));
    task.data.targets = classTargets(Loss::CrossEntropy, {0, 1, 2, 0, 1, 2}, 3, 3);
    task.spec.batch = 4;
    task.steps = task.step = steps;
    return task;
}

Network trained(Run& run, Task task) {
    run.begin(std::move(task));
    while (run.advance()) continue;
    return run.network();
}

}  // namespace

TEST_CASE("a training run is taken over for no network that differs in a setting") {
    const std::vector<std::function<void(std::vector<Layer>&)>> changes = {
        [](std::vector<Layer>& layers) { layers[0].as<Conv>().window.padding = Padding::Zero; },
        [](std::vector<Layer>& layers) { layers[1].as<Norm>().epsilon = 0.1; },
        [](std::vector<Layer>& layers) { layers[2].as<Pointwise>().seed = 77; },
        [](std::vector<Layer>& layers) { layers[2].as<Pointwise>().activation = Activation::Tanh; },
        [](std::vector<Layer>& layers) { layers[3].as<AveragePool>().countsPadding = true; },
        [](std::vector<Layer>& layers) { layers[3].as<Pooling>().window.padding = Padding::Reflect; },
    };
    for (std::size_t change = 0; change < changes.size(); ++change) {
        CAPTURE(change);
        Run run, fresh;
        const Network before = trained(run, taskOfSettings(5));
        Task other = taskOfSettings(5);
        changes[change](other.start.layers);
        const Network after = trained(run, other), expected = trained(fresh, other);
        CHECK(after.layers[5].as<Weights>().weights == expected.layers[5].as<Weights>().weights);
        CHECK(after.layers[5].as<Weights>().weights != before.layers[5].as<Weights>().weights);
    }
}

TEST_CASE("the curves of a training run end with its last step, whether or not it falls on their spacing") {
    // Up to 200 points have every step; 401 steps have every third, and the last.
    for (const std::uint64_t steps : {std::uint64_t{40}, std::uint64_t{401}}) {
        Run run;
        trained(run, taskOfSettings(steps));
        run.look();
        const training_runs::History all = run.history();
        REQUIRE_FALSE(all.loss.empty());
        CHECK(all.steps.back() == static_cast<double>(steps));
        for (const double value : all.loss) CHECK(!std::isnan(value));
        CHECK(all.loss.back() == run.seen().loss);
        CHECK(all.accuracy.back() == run.seen().accuracy);
    }
}
