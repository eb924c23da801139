#include "scenes/capacity_flow/deep_limit/model_simulation.h"

#include <algorithm>
#include <cmath>

#include "core/capacity/augmented_space.h"

namespace kappaflow::deep_limit {
namespace {

using Size = std::size_t;

/// Multiply-adds of one slice: a few milliseconds.
constexpr double kSliceWork = 2e6;
constexpr double kFewest = 100;

DifferentialNetwork checkNetwork(const Setup& setup) {
    DifferentialNetwork network{{}, setup.checkStep, randomFreeDirections(kCheckUnits, 2, setup.seed)};
    for (std::uint64_t layer : {1, 2}) network.features.push_back(randomFeatures(kCheckUnits, kCheckUnits, true, setup.seed, layer));
    return network;
}

}  // namespace

ForwardRun::ForwardRun(const Setup& setup, int layers, std::uint64_t depthIndex)
    : setup_(setup), equation_(setup.forwardAt(layers)), stream_(depthIndex << 32) {
    const Size reach = static_cast<Size>(setup.forwardReach());
    start_.resize(2 * reach + 1);
    start_[reach] = 1;
    kept.assign(kKept, std::vector<double>(start_.size()));
    finished_ = !setup.isSimulated(layers);
}

void ForwardRun::advance() {
    const double work = (equation_.layers + 1.0) * static_cast<double>(start_.size() * (2 * equation_.weights.size() + 8));
    for (double done = 0; done < kSliceWork && !finished_; done += work) {
        const Size draw = static_cast<Size>(squares_.count());
        auto outputs = forwardDraw(equation_, start_, setup_.seed, stream_ + draw).back();
        if (draw < kKept) kept[draw] = outputs;
        double total = 0;
        for (double& y : outputs) total += y *= y;
        outputs.push_back(total);
        squares_.add(outputs);
        finished_ = squares_.count() >= setup_.draws ||
                    (squares_.count() >= kFewest && squares_.standardError().back() <= setup_.precision * squares_.mean().back());
    }
}

double ForwardRun::effectiveDraws() const {
    const double n = squares_.count(), mean = squares_.mean().back(), error = squares_.standardError().back();
    return n / (1 + error * error * (n - 1) / (mean * mean));
}

CheckRun::CheckRun(const Setup& setup) : setup_(setup), network_(checkNetwork(setup)), simulation_(network_, setup.seed) {}

void CheckRun::advance() {
    simulation_.add(1000);
    const auto measured = simulation_.capacities();
    double worst = 0;
    for (Size i = 0; i < kCheckUnits; ++i) worst = std::max(worst, measured.standardError[i] / std::max(measured.capacity[i], 0.1));
    finished_ = simulation_.draws() >= kCheckDraws * setup_.draws || worst <= setup_.precision / 5;
}

std::vector<double> CheckRun::predicted() const {
    std::vector<double> capacity(kCheckUnits);
    for (Size i = 0; i < kCheckUnits; ++i)
        for (Size k = 0; k < network_.free.columns; ++k) capacity[i] += network_.free(i, k) * network_.free(i, k);
    for (Size l = network_.features.size(); l-- > 0;) {
        const Matrix D = differentialMatrix(network_.features[l], network_.epsilon);
        std::vector<double> below(kCheckUnits);
        for (Size i = 0; i < kCheckUnits; ++i)
            for (Size j = 0; j < kCheckUnits; ++j) below[i] += D(i, j) * capacity[j];
        capacity = std::move(below);
    }
    return capacity;
}

double CheckRun::covarianceGap() const {
    const Matrix covariance = simulation_.pathCovariance();
    double gap = 0;
    for (Size r = 0; r < covariance.rows; ++r)
        for (Size c = 0; c < covariance.columns; ++c) gap = std::max(gap, std::abs(covariance(r, c) - (r == c ? 1 : 0)));
    return gap;
}

}  // namespace kappaflow::deep_limit
