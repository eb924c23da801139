#include "core/net/data_sets.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "core/base/errors.h"
#include "core/base/geometry.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"

namespace kappaflow {
namespace {

constexpr double kTurns = 1.5;
constexpr int kSquares = 4;

constexpr std::pair<DataSet, std::string_view> kSetKeys[] = {
    {DataSet::Spirals, "spirals"}, {DataSet::Moons, "moons"}, {DataSet::Circles, "circles"}, {DataSet::Checkerboard, "checkerboard"}};

Vec2 polar(double radius, double angle) {
    const SineCosine at = portableSineCosine(angle);
    return {radius * at.cosine, radius * at.sine};
}

Vec2 squareOf(int label, Rng& rng) {
    const int row = static_cast<int>(rng.below(kSquares)), column = 2 * static_cast<int>(rng.below(kSquares / 2)) + (row + label) % 2;
    const auto place = [&](int square) { return (square + rng.uniform()) * 2 / kSquares - 1; };
    const double x = place(column);
    return {x, place(row)};
}

Vec2 drawPoint(DataSet kind, int label, Rng& rng) {
    if (kind == DataSet::Checkerboard) return squareOf(label, rng);
    const double t = rng.uniform();
    switch (kind) {
        case DataSet::Spirals:
            return polar(std::sqrt(t), 2 * std::numbers::pi * kTurns * std::sqrt(t) + std::numbers::pi * label);
        case DataSet::Moons: {
            // Centres half a radius apart in height, one radius across; together 3 wide.
            const Vec2 upper = polar(1, std::numbers::pi * t);
            return (label == 0 ? upper + Vec2{-0.5, -0.25} : Vec2{0.5, 0.25} - upper) * (2.0 / 3);
        }
        default:
            return polar(label == 0 ? 1 : 0.5, 2 * std::numbers::pi * t);
    }
}

}  // namespace

std::string_view dataSetKey(DataSet set) {
    for (const auto& [value, key] : kSetKeys)
        if (value == set) return key;
    return "";
}

DataSet dataSetFromKey(std::string_view text) {
    std::string known;
    for (const auto& [value, key] : kSetKeys) {
        if (key == text) return value;
        known += (known.empty() ? "" : ", ") + std::string(key);
    }
    throw InputError("Unknown data set \"" + std::string(text) + "\": it is one of " + known + ".");
}

LabelledPoints drawDataSet(DataSet kind, std::size_t samples, double noise, std::uint64_t seed) {
    if (samples < 2 || samples > kMaxSamples)
        throw InputError("A data set has from 2 to " + std::to_string(kMaxSamples) + " samples, not " + std::to_string(samples) + ".");
    if (!(noise >= 0 && noise <= 10)) throw InputError("The noise of a data set lies between 0 and 10.");
    LabelledPoints set{Matrix(2, samples), std::vector<int>(samples), {"first class", "second class"}};
    for (std::size_t i = 0; i < samples; ++i) {
        Rng rng(seed, Purpose::Data, i);
        set.labels[i] = static_cast<int>(i % 2);
        const Vec2 point = drawPoint(kind, set.labels[i], rng);
        const double dx = rng.gaussian();
        set.points(0, i) = point.x + noise * dx;
        set.points(1, i) = point.y + noise * rng.gaussian();
    }
    standardise(set.points);
    return set;
}

void standardise(Matrix& points) {
    for (std::size_t r = 0; r < points.rows; ++r) {
        double *row = points.row(r), sum = 0, squares = 0;
        const double count = static_cast<double>(points.columns);
        for (std::size_t s = 0; s < points.columns; ++s) sum += row[s];
        const double mean = sum / count;
        for (std::size_t s = 0; s < points.columns; ++s) row[s] -= mean;
        for (std::size_t s = 0; s < points.columns; ++s) squares += row[s] * row[s];
        const double deviation = std::sqrt(squares / count);
        // What rounding of the mean leaves of equal values is no spread.
        const bool spread = deviation > 1e-12 * std::abs(mean);
        for (std::size_t s = 0; s < points.columns; ++s) row[s] = spread ? row[s] / deviation : 0;
    }
}

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
