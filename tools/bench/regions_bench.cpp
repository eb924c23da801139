// Regions a second of the exact partition, best of several builds, beside a plain product of the same shapes in the same run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/linalg/matrix.h"
#include "core/regions/partition.h"

using namespace kappaflow;

namespace {

double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Network heNetwork(const std::vector<int>& widths, double biasDeviation, std::uint64_t seed) {
    Network network;
    network.input = {1, 1, widths[0]};
    for (std::size_t l = 1; l < widths.size(); ++l) {
        const Shape in{1, 1, widths[l - 1]}, out{1, 1, widths[l]};
        network.layers.push_back({in, out, Dense{}});
        network.layers.push_back({out, out, Pointwise{.activation = Activation::Relu}});
    }
    initialise(network, {Initialiser::He, 2, biasDeviation * biasDeviation}, seed);
    return network;
}

std::string nameOf(const std::vector<int>& widths, double biasDeviation) {
    std::string name;
    for (int width : widths) name += (name.empty() ? "" : "-") + std::to_string(width);
    return name + ", biases " + (biasDeviation < 0.5 ? "0.1" : "1");
}

/// GFLOP/s of a product of the last layer's shape over 4096 vertices.
double productRate(int width) {
    const std::size_t rows = 4096, columns = static_cast<std::size_t>(width);
    const std::vector<double> a(rows * columns, 0.5), b(columns * columns, 0.25);
    std::vector<double> c(rows * columns);
    double best = 1e9;
    for (int run = 0; run < 5; ++run) {
        const auto start = std::chrono::steady_clock::now();
        matrixProduct(a, b, columns, c);
        best = std::min(best, secondsSince(start));
    }
    return 2e-9 * static_cast<double>(rows * columns * columns) / best;
}

void measure(const std::vector<int>& widths, double biasDeviation, int seeds, int runs) {
    Partition partition;
    PartitionOptions options;
    options.outputs = false;
    options.regionBudget = options.byteBudget = 1e9;
    double most = 0, least = 1e18, proof = 0, faces = 0, milliseconds = 0;
    for (int seed = 0; seed < seeds; ++seed) {
        const Network network = heNetwork(widths, biasDeviation, static_cast<std::uint64_t>(seed) + 1);
        double best = 1e9;
        for (int run = 0; run < runs; ++run) {
            // Another window in between, so that nothing is taken over from the build before.
            partition.start(network, sliceOfInputs(2), rectangle({-1, -1}, {0.5, 0.5}), {0, 1e9, 0, false});
            partition.finish();
            const auto start = std::chrono::steady_clock::now();
            partition.start(network, sliceOfInputs(2), rectangle({-1, -1}, {1, 1}), options);
            partition.finish();
            best = std::min(best, secondsSince(start));
        }
        const auto start = std::chrono::steady_clock::now();
        if (!partition.certificate().holds()) std::puts("CERTIFICATE FAILS");
        proof = std::max(proof, secondsSince(start));
        faces = static_cast<double>(partition.mesh().faces());
        most = std::max(most, faces / best);
        least = std::min(least, faces / best);
        milliseconds = 1e3 * best;
    }
    std::printf("%-28s| %8.0f regions %10.3f ms | %6.2f to %6.2f M regions/s | certificate %8.3f ms | product %5.1f GFLOP/s\n",
                nameOf(widths, biasDeviation).c_str(), faces, milliseconds, 1e-6 * least, 1e-6 * most, 1e3 * proof,
                productRate(widths.back()));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    measure({2, 16, 16}, 0.1, 5, 20 * runs);
    measure({2, 16, 16}, 1, 5, 20 * runs);
    measure({2, 32, 32, 32}, 0.1, 5, runs);
    measure({2, 32, 32, 32}, 1, 5, runs);
    measure({2, 8, 8, 8, 8, 8, 8, 8, 8}, 0.1, 5, runs);
    measure({2, 64, 64, 64, 64}, 1, 3, runs);
    measure({2, 64, 64, 64, 64}, 0.1, 3, runs);
    measure({2, 128, 128, 128}, 0.1, 1, runs);
    if (argc > 2) measure({2, 1000}, 0.1, 1, 1);
    return 0;
}
