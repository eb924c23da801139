// Training steps and the plain Eigen products inside them, best of five runs each. The same program natively and under Node.
#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/net/data_sets.h"
#include "core/net/trainer.h"

using namespace kappaflow;

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Network netOf(const std::vector<int>& widths) {
    Network network{{1, 1, widths.front()}, {}};
    for (std::size_t l = 1; l < widths.size(); ++l) {
        const Shape in{1, 1, widths[l - 1]}, out{1, 1, widths[l]};
        network.layers.push_back({in, out, Dense{}});
        if (l + 1 < widths.size()) network.layers.push_back({out, out, Pointwise{.activation = Activation::HardTanh}});
    }
    initialise(network, {Initialiser::Gaussian, 2, 0.01}, 1);
    return network;
}

TrainingData dataOf(std::size_t inputs, std::size_t outputs, std::size_t samples) {
    Rng rng(1, Purpose::Data);
    TrainingData data{Matrix(inputs, samples), {}};
    std::vector<int> labels;
    for (double& x : data.inputs.values) x = rng.gaussian();
    const int classes = outputs == 1 ? 2 : static_cast<int>(outputs);
    for (std::size_t s = 0; s < samples; ++s) labels.push_back(static_cast<int>(rng.below(static_cast<std::uint64_t>(classes))));
    data.targets = classTargets(Loss::CrossEntropy, labels, classes, outputs);
    return data;
}

/// Best of five runs of about a tenth of a second, in microseconds a call.
template <class Work>
double bestOf(Work&& work) {
    using Clock = std::chrono::steady_clock;
    const auto secondsOf = [&](int calls) {
        const auto start = Clock::now();
        for (int i = 0; i < calls; ++i) work();
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    const int calls = std::max(1, static_cast<int>(0.1 / std::max(1e-7, secondsOf(1))));
    double best = 1e9;
    for (int run = 0; run < 5; ++run) best = std::min(best, secondsOf(calls) / calls);
    return 1e6 * best;
}

/// All products of a step and nothing else, by the library: z = W x, Wᵀ g above the first layer, g xᵀ.
double productsOf(const std::vector<int>& widths, int batch) {
    std::vector<RowMajor> weights, states{RowMajor::Random(widths[0], batch)}, gradients = states, slopes;
    for (std::size_t l = 1; l < widths.size(); ++l) {
        weights.push_back(RowMajor::Random(widths[l], widths[l - 1]));
        slopes.push_back(weights.back());
        states.push_back(RowMajor::Random(widths[l], batch));
        gradients.push_back(states.back());
    }
    return bestOf([&] {
        for (std::size_t l = 0; l < weights.size(); ++l) states[l + 1].noalias() = weights[l] * states[l];
        for (std::size_t l = weights.size(); l-- > 0;) {
            slopes[l].noalias() = gradients[l + 1] * states[l].transpose();
            if (l > 0) gradients[l].noalias() = weights[l].transpose() * gradients[l + 1];
        }
    });
}

void measure(const std::string& name, const std::vector<int>& widths, int batch) {
    const double products = productsOf(widths, batch);
    for (const Optimiser kind : {Optimiser::Adam, Optimiser::Momentum}) {
        TrainingSpec spec;
        spec.optimiser = {.kind = kind, .learningRate = 1e-3};
        spec.batch = static_cast<std::size_t>(batch);
        Trainer trainer(netOf(widths), dataOf(static_cast<std::size_t>(widths.front()), static_cast<std::size_t>(widths.back()), 1000),
                        spec);
        const double step = bestOf([&] { trainer.step(); });
        std::printf("%-28s %-8s batch %4d  step %10.2f µs  Eigen's products %10.2f µs  ratio %5.2f%s\n", name.c_str(),
                    kind == Optimiser::Adam ? "Adam" : "momentum", batch, step, products, step / products,
                    trainer.trouble().empty() ? "" : "  (diverged)");
    }
}

}  // namespace

int main() {
    measure("784-100x8-10", {784, 100, 100, 100, 100, 100, 100, 100, 100, 10}, 100);
    measure("2-16-16-1", {2, 16, 16, 1}, 32);
    measure("2-24-24-1", {2, 24, 24, 1}, 32);
    measure("2-64-64-64-64-1", {2, 64, 64, 64, 64, 1}, 32);
    return 0;
}
