// Growth of trajectories in wide networks and tables of dichotomies, larger than tests have time for: their numbers and how long they take.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/expressivity/growth_theory.h"
#include "scene/scene.h"

using namespace kappaflow;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Hard-tanh, no biases, layers 4 to 12, beside mean field and an independent program's numbers (4 networks each, to about 0.02).
void growth(double width, std::size_t draws) {
    constexpr double kVariances[] = {1, 2, 3, 4, 8, 16, 64, 100};
    constexpr double kKnown[] = {0.982, 1.153, 1.262, 1.343, 1.564, 1.833, 2.528, 2.805};
    GrowthSweepPlan plan;
    plan.draws = draws;
    for (const double variance : kVariances) plan.settings.push_back({Activation::HardTanh, 0, width, variance, 0});
    const auto start = Clock::now();
    GrowthSweep sweep(plan);
    while (sweep.advance()) {
    }
    const double seconds = secondsSince(start);
    std::printf("growth a layer, k = %g, %zu networks: %.2f s, %.2f GFLOP/s\n", width, draws, seconds,
                2e-9 * GrowthSweep::operations(plan) / seconds);
    for (std::size_t i = 0; i < plan.settings.size(); ++i) {
        const SampledLength measured = sweep.growth(i);
        std::printf("  variance %5g | %6.3f ± %5.3f | known %6.3f | mean field %6.3f\n", kVariances[i], measured.value,
                    measured.standardError, kKnown[i], std::sqrt(meanFieldFixedPoint(plan.settings[i]).chi));
    }
}

/// Label vectors of 15 samples while the first layer's weights turn, for 0 to `depth` layers that remain.
void dichotomies(const std::string& widths, const std::string& depth, const std::string& draws) {
    const Declaration& scene = *findDeclaration("dichotomies");
    Request request;
    request.scene = scene.id;
    const std::string first = widths.substr(0, widths.find(','));
    for (const auto& [key, text] :
         {std::pair<const char*, std::string>{"widths", widths}, {"width", first}, {"depthRemaining", depth}, {"draws", draws}})
        request.params.set(key, parseValue(*scene.param(key), text).value);
    const auto start = Clock::now();
    const Report report = runRequest(request);
    std::printf("dichotomies, %s networks each: %.2f s\n", draws.c_str(), secondsSince(start));
    const Array &table = *report.array("dichotomies"), &curves = *report.array("curveWidth");
    for (std::size_t c = 0; c < curves.values.size(); ++c) {
        std::printf("  k = %4g |", curves.values[c]);
        for (std::size_t r = 0; r < table.rowLength(); ++r) std::printf(" %7.1f", table.row(c)[r]);
        std::printf("\n");
    }
}

}  // namespace

int main() {
    growth(256, 8);
    dichotomies("4,16", "8", "6");
    dichotomies("64", "7", "2");
    dichotomies("128", "5", "1");
    return 0;
}
