// Medians of repeated runs, one line each: name|nanoseconds ns. The same program natively and under Node.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/capacity/augmented_space.h"
#include "core/capacity/drawn_network.h"
#include "core/capacity/nu_continuum.h"
#include "core/io/onnx.h"
#include "core/linear/constraints.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_model.h"
#include "core/linear/optimum.h"
#include "core/linear/subspace.h"
#include "scene/scene.h"

using namespace kappaflow;

namespace {

double secondsOf(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Median of at least five runs within about a third of a second, the first one left out.
void measure(const std::string& name, const std::function<void()>& work) {
    work();
    std::vector<double> times;
    double spent = 0;
    while (times.size() < 5 || (spent < 0.3 && times.size() < 2000)) {
        times.push_back(secondsOf(work));
        spent += times.back();
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    std::printf("%-44s|%14.0f ns\n", name.c_str(), 1e9 * times[times.size() / 2]);
}

using Settings = std::vector<std::pair<std::string, std::string>>;

void measureScene(const std::string& name, const std::string& scene, const Settings& settings) {
    const auto& declaration = *findDeclaration(scene);
    Request request;
    request.scene = scene;
    request.params = declaration.defaults();
    for (const auto& [key, text] : settings) request.params.set(key, parseValue(*declaration.param(key), text).value);
    measure(name, [&] { runRequest(request); });
}

// One layer down, with the kernel and by columns.
void measurePropagation(const std::string& name, int channels, int extent) {
    DrawnNetwork n;
    n.kernel = KernelType::Random;
    n.channels = channels;
    n.extent = extent;
    const auto K = capacityKernel(n, 1, layerWeights(n, 1, 0));
    const auto D = explicitLayer(K);
    OffsetMoments top;
    const auto units = static_cast<std::size_t>(extent) * static_cast<std::size_t>(channels);
    top.mass.assign(units, 1.0 / static_cast<double>(units));
    top.first = top.second = std::vector<double>(units);
    double unattributed = 0;
    measure("propagate " + name + ", kernel", [&] { propagate(K, top, unattributed); });
    measure("propagate " + name + ", columns", [&] { propagate(D, top, unattributed); });
}

// Capacity and moments of a whole stack, from one unit or from all of them: then no row of positions is ever empty.
void measureGrid(const std::string& name, bool everywhere) {
    DrawnNetwork n;
    n.space = Space::Grid;
    n.kernel = KernelType::Random;
    n.extent = 64;
    n.channels = 16;
    n.layers = 50;
    std::vector<CapacityKernel> kernels;
    for (int l = 1; l <= n.layers; ++l) kernels.push_back(capacityKernel(n, l, layerWeights(n, l, 0)));
    std::vector<double> top(64 * 64 * 16, everywhere ? 1.0 / (64 * 64 * 16) : 0.0);
    if (!everywhere)
        for (std::size_t c = 0; c < 16; ++c) top[c * 4096 + 32 * 64 + 32] = 1.0 / 16;
    const std::vector<double> none(16);
    measure(name, [&] {
        auto state = top;
        OffsetMoments offsets{std::vector<double>(16, 1.0 / 16), none, none, none, none, none};
        double unattributed = 0;
        for (std::size_t l = kernels.size(); l > 0; --l) {
            state = propagate(kernels[l - 1], state, unattributed);
            offsets = propagate(collapsed(kernels[l - 1]), offsets, unattributed);
        }
    });
}

void measureSamples() {
    for (const auto& sample : sampleNetworks()) {
        const auto bytes = sampleNetworkBytes(sample.id);
        measure("ONNX load " + sample.id, [&] { readOnnx(bytes); });
        measureScene("scene capacity-diffusion, " + sample.id, "capacity-diffusion", {{"network", sample.id}});
    }
}

// Capacity allocation of linear models at random weights: what a frame of an optimisation costs, and the largest sizes of P2.
void measureConstraints(const std::string& name, HierarchicalShape shape) {
    const HierarchicalModel model(std::move(shape));
    const auto covariance = predictionTask(componentExponents(model.components()), model.length()).covariance;
    const auto weights = model.randomWeights(1);
    measure("capacity of " + name, [&] { capacityPerInput(constraints(model, weights, covariance).basis); });
    measure("  its exact rank", [&] { model.exactRank(); });
}

void measureLinearModels() {
    const std::vector<int> block{1, 2, 4, 8, 16, 32, 64, 128};
    measureConstraints("a tree of 64, 4 channels", dilatedTree(6, 2, 4));
    measureConstraints("a tree of 64, 256 channels", dilatedTree(6, 2, 256));
    measureConstraints("64 x 16 components, 16 channels", dilatedTree(6, 2, 16, 16));
    measureConstraints("766 tiled, 4 channels", tiledStack(block, 3, 2, 4));
    measureConstraints("766 repeated, 4 channels", repeatedStack(block, 3, 2, 4));
}

// Optima, the check ‖KᵀX‖/‖X‖ included; the random start's iterations are those of L-BFGS.
void measureOptima() {
    const LinearTask task = predictionTask(GaussianProcess{}, 64);
    for (int channels : {1, 2, 4, 8}) {
        const HierarchicalModel tree(dilatedTree(6, 2, channels));
        measure("optimum of a tree of 64, channels " + std::to_string(channels), [&] { findOptimum(tree, task); });
    }
    const RecurrentModel units(64, 4);
    measure("optimum of 4 recurrent units", [&] { findOptimum(units, task); });
    OptimumOptions random;
    random.start = OptimumStart::Random;
    random.iterations = 20;
    const HierarchicalModel wide(dilatedTree(6, 2, 256));
    measure("20 iterations of L-BFGS, 525312 weights", [&] {
        OptimumSearch search(wide, task, random);
        while (search.step()) {
        }
    });
    measureScene("scene capacity-sweep, default", "capacity-sweep", {});
    measureScene("scene capacity-sweep, optima to 256 channels", "capacity-sweep",
                 {{"start", "best"}, {"channelsList", "1,2,4,8,16,32,64,128,256"}});
}

// What a drag of ν costs: one evaluation of a dense network, and of a ring.
void measureContinuum() {
    constexpr std::size_t kUnits = 64, kLayers = 16;
    for (const std::size_t free : {std::size_t{1}, kUnits}) {
        ContinuumNetwork network{identityMatrix(kUnits), {}, randomFreeDirections(kUnits, free, 1)};
        for (std::size_t l = 1; l <= kLayers; ++l) network.features.push_back(randomFeatures(kUnits, kUnits, true, 1, l));
        measure("continuum 64 units x 16 layers, " + std::to_string(free) + " free", [&] { continuumCapacity(network, 0.125); });
    }
    for (const std::size_t layers : {8, 16, 64}) {
        const ContinuumRing ring{257, std::vector<std::vector<double>>(layers, {1, 1, 1})};
        measure("continuum ring, " + std::to_string(layers) + " layers", [&] { continuumRing(ring, 0.125); });
    }
}

}  // namespace

int main() {
    measureLinearModels();
    measureOptima();
    measureContinuum();
    measurePropagation("65 positions", 1, 65);
    measurePropagation("2048 positions", 1, 2048);
    measurePropagation("129 positions x 16 channels", 16, 129);
    measureScene("scene capacity-diffusion, default", "capacity-diffusion", {});
    measureScene("scene capacity-diffusion, 2048 x 400", "capacity-diffusion", {{"extent", "2048"}, {"layers", "400"}});
    measureScene("scene capacity-diffusion, dense 65 x 24", "capacity-diffusion", {{"space", "dense"}, {"kernel", "random"}});
    measureScene("scene capacity-diffusion, 100 networks", "capacity-diffusion", {{"kernel", "random"}, {"draws", "100"}});
    measureScene("scene capacity-diffusion, gradient", "capacity-diffusion",
                 {{"kernel", "random"}, {"channels", "8"}, {"gradient", "true"}});
    measureGrid("grid 64x64 x 16 channels x 50 layers", false);
    measureGrid("  the same from all units", true);
    measureScene("scene capacity-diffusion, two dimensions", "capacity-diffusion", {{"space", "grid"}, {"extent", "33"}});
    measureScene("scene capacity-diffusion, grid 64 x 16 x 50", "capacity-diffusion",
                 {{"space", "grid"}, {"kernel", "random"}, {"extent", "64"}, {"channels", "16"}, {"layers", "50"}});
    measureSamples();
    measureScene("scene shattering, default", "shattering", {});
    return 0;
}
