#include "core/net/autoregressive_signals.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/errors.h"
#include "core/base/rng.h"

namespace kappaflow {
namespace {

constexpr std::size_t kLongestSignal = 4096;

void checkSignals(const std::vector<Autoregression>& processes, std::size_t samples, std::size_t length) {
    if (processes.size() < 2) throw InputError("Signals to tell apart come from two processes or more.");
    if (!std::all_of(processes.begin(), processes.end(), isStationary))
        throw InputError("An autoregression is stationary only when |second| < 1 and |first| < 1 − second.");
    if (samples < 2 || samples > kMaxSamples)
        throw InputError("A data set has from 2 to " + std::to_string(kMaxSamples) + " samples, not " + std::to_string(samples) + ".");
    if (length < 2 || length > kLongestSignal)
        throw InputError("A signal has from 2 to " + std::to_string(kLongestSignal) + " values, not " + std::to_string(length) + ".");
}

void drawSignal(const Autoregression& process, Rng& rng, Matrix& points, std::size_t sample) {
    const std::vector<double> rho = autocorrelation(process, 3);
    const double scale = std::sqrt(1 - process.first * rho[1] - process.second * rho[2]);
    double older = rng.gaussian(), newer = rho[1] * older + std::sqrt(1 - rho[1] * rho[1]) * rng.gaussian();
    points(0, sample) = older;
    points(1, sample) = newer;
    for (std::size_t t = 2; t < points.rows; ++t) {
        const double next = process.first * newer + process.second * older + scale * rng.gaussian();
        older = newer;
        newer = points(t, sample) = next;
    }
}

}  // namespace

bool isStationary(const Autoregression& process) { return std::abs(process.second) < 1 && std::abs(process.first) < 1 - process.second; }

std::vector<double> autocorrelation(const Autoregression& process, std::size_t lags) {
    std::vector<double> rho(lags, 1);
    if (lags > 1) rho[1] = process.first / (1 - process.second);
    for (std::size_t k = 2; k < lags; ++k) rho[k] = process.first * rho[k - 1] + process.second * rho[k - 2];
    return rho;
}

LabelledPoints autoregressiveSignals(const std::vector<Autoregression>& processes, std::size_t samples, std::size_t length,
                                     std::uint64_t seed) {
    checkSignals(processes, samples, length);
    LabelledPoints set{Matrix(length, samples), std::vector<int>(samples), {}};
    for (std::size_t c = 0; c < processes.size(); ++c) set.classes.push_back("process " + std::to_string(c + 1));
    for (std::size_t i = 0; i < samples; ++i) {
        Rng rng(seed, Purpose::Data, i);
        set.labels[i] = static_cast<int>(i % processes.size());
        drawSignal(processes[i % processes.size()], rng, set.points, i);
    }
    return set;
}

}  // namespace kappaflow
