// Realizations of random nets with all their moments, best of five, with their share of a plain Eigen product of the same sizes; and the
// ensembles of the reference's table that tests have no time for, beside its numbers. The same program natively and under Node.
//   moments_bench [tables]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/linalg/matrix.h"
#include "core/moments/moment_data.h"
#include "core/moments/moment_fits.h"
#include "core/moments/moment_propagation.h"
#include "core/moments/moment_theory.h"

using namespace kappaflow;

namespace {

template <class Work>
double bestSeconds(const Work& work) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int run = 0; run < 5; ++run) {
        const auto start = Clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best;
}

MomentNet netOf(MomentKind kind, int dimensions, std::size_t extent, std::size_t width, std::size_t layers) {
    MomentNet net;
    net.kind = kind, net.dimensions = dimensions, net.extent = extent, net.taps = dimensions == 0 ? 1 : 3;
    net.width = net.inputs = width, net.layers = layers;
    return net;
}

/// One layer's products, signal and noise, by the library; in operations a second.
double plainRate(const MomentNet& net, std::size_t samples) {
    const std::size_t rows = 2 * samples * net.positions(), inner = drawMomentWeights(net, 0, 1, 0).values.size() / net.width;
    std::vector<double> A(rows * inner, 0.5), B(inner * net.width, 0.25), C(rows * net.width);
    const double seconds = bestSeconds([&] { matrixProduct(A, B, inner, C); });
    return 2.0 * static_cast<double>(rows * inner * net.width) / seconds;
}

void time(const char* name, const MomentNet& net, std::size_t samples, bool ranks) {
    const SignalAndNoise input = drawMomentInput(net, MomentData::White, samples, 1, 0);
    const auto weights = [&](std::size_t l) { return drawMomentWeights(net, l, 1, 0); };
    const double seconds = bestSeconds([&] {
        MomentPropagation run(net, input, weights, {ranks, true});
        while (run.advance()) continue;
    });
    const double operations = 4.0 * static_cast<double>(samples * net.positions() * weights(0).values.size() * net.linearLayers());
    const double products = bestSeconds([&] { convolved(weights(0), net.boundary, input); });
    const double product = 4.0 * static_cast<double>(samples * net.positions() * weights(0).values.size()) / products;
    std::printf("%-46s|%9.1f| ms, whole %5.2f, products %5.2f, Eigen %5.2f GFLOP/s\n", name, 1e3 * seconds, operations / seconds / 1e9,
                product / 1e9, plainRate(net, samples) / 1e9);
    std::fflush(stdout);
}

std::vector<double> logChiOf(const std::vector<LayerMoments>& layers) {
    std::vector<double> curve;
    for (const LayerMoments& layer : layers) curve.push_back(layer.logChi);
    return curve;
}

void print(const char* what, const std::vector<double>& own, const char* reference) {
    const DrawBand band = drawBand(own);
    const double spread = band.standardError * std::sqrt(static_cast<double>(own.size()));
    std::printf("    %-28s %10.4g ± %-9.3g median %-9.4g reference %s\n", what, band.mean, spread, median(own), reference);
}

struct Row {
    const char* name;
    MomentNet net;
    MomentData data;
    std::size_t samples, draws, from;
    const char *chi, *rate, *slope, *exponent, *rank;
};

void table(const Row& row) {
    std::vector<double> chi, rates, slopes, exponents, ranks;
    for (std::uint64_t draw = 0; draw < row.draws; ++draw) {
        MomentPropagation run(row.net, drawMomentInput(row.net, row.data, row.samples, 21, draw),
                              [&](std::size_t l) { return drawMomentWeights(row.net, l, 21, draw); }, {false, true});
        while (run.advance()) continue;
        const auto curve = logChiOf(run.layers());
        double inner = 0;
        for (const LayerMoments& layer : run.layers())
            if (!layer.inner.empty()) inner += layer.inner[0].deltaChi / static_cast<double>(row.net.layers);
        chi.push_back(std::exp(curve.back()));
        rates.push_back(exponentialRate(curve, row.from, row.net.layers));
        slopes.push_back(powerLaw(curve, std::max<std::size_t>(1, row.from), row.net.layers));
        exponents.push_back(predictedExponent(inner, row.net.inner));
        ranks.push_back(effectiveRank(run.state().signal));
    }
    std::printf("  %s, %zu realizations, fits from layer %zu\n", row.name, row.draws, row.from);
    if (*row.chi) print("chi of the last layer", chi, row.chi);
    if (*row.rate) print("rate", rates, row.rate);
    if (*row.slope) print("log-log slope", slopes, row.slope);
    if (*row.exponent) print("exponent from increments", exponents, row.exponent);
    if (*row.rank) print("effective rank", ranks, row.rank);
    std::fflush(stdout);
}

void tables() {
    constexpr auto kVanilla = MomentKind::Vanilla, kNorm = MomentKind::BatchNorm, kResnet = MomentKind::Resnet;
    constexpr auto kImages = MomentData::Images, kWhite = MomentData::White, kContrast = MomentData::Contrast;
    const Row rows[] = {
        {"1-D, width 64, vanilla", netOf(kVanilla, 1, 16, 64, 50), kImages, 32, 64, 0, "5.3 ± 3.1 (median 4.5)", "", "", "", "1.23 ± .18"},
        {"1-D, width 64, batch norm", netOf(kNorm, 1, 16, 64, 50), kImages, 32, 64, 0, "", ".176 ± .004", "", "", ""},
        {"1-D, width 64, resnet", netOf(kResnet, 1, 16, 64, 50), kImages, 32, 64, 0, "11.6 ± 1.5", "", ".495 ± .032", ".703", ""},
        {"2-D, width 64, vanilla", netOf(kVanilla, 2, 8, 64, 50), kImages, 16, 32, 0, "7.9 ± 5.9 (median 5.9)", "", "", "", "1.38 ± .41"},
        {"2-D, width 64, batch norm", netOf(kNorm, 2, 8, 64, 50), kImages, 16, 32, 25, "", ".167 ± .009", "", "", ""},
        {"2-D, width 64, resnet", netOf(kResnet, 2, 8, 64, 50), kImages, 16, 32, 10, "6.27 ± .50", "", ".485 ± .029", ".565", ""},
        {"dense, width 64, spread norms", netOf(kVanilla, 0, 1, 64, 50), kContrast, 256, 100, 0, "3.52 ± 2.22 (median 2.95)", "", "", "",
         "1.032 ± .039"},
        {"dense, width 64, deep", netOf(kVanilla, 0, 1, 64, 200), kWhite, 256, 60, 0, "median 6.84", "", "", "", "1.005"},
        {"dense, width 64, deep batch norm", netOf(kNorm, 0, 1, 64, 200), kWhite, 256, 60, 0, "median 10^16.4", ".1896 ± .0045", "", "",
         ""},
        {"dense, width 64, deep resnet", netOf(kResnet, 0, 1, 64, 200), kWhite, 256, 60, 40, "13.6 ± 1.5", "", ".574 ± .043", ".615", ""},
        {"dense, width 512, batch norm", netOf(kNorm, 0, 1, 512, 200), kWhite, 64, 6, 0, "", ".2065 ± .0008", "", "", "10-12"},
        {"dense, width 512, resnet", netOf(kResnet, 0, 1, 512, 100), kWhite, 64, 4, 20, "", "", ".619", ".665", ""},
    };
    for (const Row& row : rows) table(row);
}

}  // namespace

int main(int count, char** words) {
    if (count > 1 && std::strcmp(words[1], "tables") == 0) {
        tables();
        return 0;
    }
    time("dense 128, 100 layers, 64 samples", netOf(MomentKind::Vanilla, 0, 1, 128, 100), 64, true);
    time("dense 128, 100 layers, without ranks", netOf(MomentKind::Vanilla, 0, 1, 128, 100), 64, false);
    time("dense 128, 100 layers, batch norm", netOf(MomentKind::BatchNorm, 0, 1, 128, 100), 64, true);
    time("dense 128, 50 residual units", netOf(MomentKind::Resnet, 0, 1, 128, 50), 64, true);
    time("2-D 8x8, 64 wide, 50 layers, 16 samples", netOf(MomentKind::Vanilla, 2, 8, 64, 50), 16, true);
    time("2-D 8x8, 64 wide, 50 layers, batch norm", netOf(MomentKind::BatchNorm, 2, 8, 64, 50), 16, true);
}
