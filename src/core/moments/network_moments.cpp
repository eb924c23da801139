#include "core/moments/network_moments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/rng.h"
#include "core/moments/layer_moments.h"
#include "core/moments/moment_net.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// What a layer says of the states beside it: positions that are points, units of a vector, or nothing.
enum class Reading { Grid, Vector, None };

Reading readingOf(const Layer& layer, bool first);

/// Of the first of the layers that says anything, or of the last.
Reading readingOf(const std::vector<Layer>& layers, bool first) {
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (const Reading r = readingOf(layers[first ? i : layers.size() - 1 - i], first); r != Reading::None) return r;
    return Reading::None;
}

Reading readingOf(const Layer& layer, bool first) {
    switch (traitsOf(layer).positions) {
        case Positions::Window:
        case Positions::Together:
            return Reading::Grid;
        case Positions::Vector:
            return Reading::Vector;
        case Positions::Inside:
            return readingOf(layer.as<Block>().inner, first);
        default:
            return Reading::None;
    }
}

}  // namespace

/// What made a state or what reads it runs over positions.
std::vector<bool> statesOnGrid(const Network& network) {
    const std::size_t L = network.layers.size();
    std::vector<bool> onGrid(L + 1);
    Reading made = Reading::None;
    for (std::size_t l = 0; l <= L; ++l) {
        if (l > 0)
            if (const Reading r = readingOf(network.layers[l - 1], false); r != Reading::None) made = r;
        if (made == Reading::Grid) onGrid[l] = true;
    }
    Reading read = Reading::None;
    for (std::size_t l = L + 1; l-- > 0;) {
        if (l < L)
            if (const Reading r = readingOf(network.layers[l], true); r != Reading::None) read = r;
        if (read == Reading::Grid) onGrid[l] = true;
    }
    return onGrid;
}

Batch batchOf(const PointValues& t) {
    const std::size_t cells = t.points() / t.samples;
    Batch batch(t.channels() * cells, t.samples);
    for (std::size_t p = 0; p < t.points(); ++p)
        for (std::size_t c = 0; c < t.channels(); ++c) batch(c * cells + p % cells, p / cells) = t.values(p, c);
    return batch;
}

std::size_t cellsPerSample(const Shape& shape, bool onGrid) {
    return onGrid ? static_cast<std::size_t>(shape.height) * static_cast<std::size_t>(shape.width) : 1;
}

PointValues pointsOf(const Batch& batch, const Shape& shape, bool onGrid) {
    const std::size_t cells = cellsPerSample(shape, onGrid);
    const std::size_t features = batch.rows / cells, points = cells * batch.columns;
    PointValues values{points, 0, 1, Matrix(points, features)};
    for (std::size_t unit = 0; unit < batch.rows; ++unit)
        for (std::size_t s = 0; s < batch.columns; ++s) values.values(s * cells + unit % cells, unit / cells) = batch(unit, s);
    return values;
}

double logReadings(const Batch& batch, const Shape& shape) {
    const ChannelMoments grid = channelVariances(pointsOf(batch, shape, true)), vector = channelVariances(pointsOf(batch, shape, false));
    const auto varies = [](const ChannelMoments& m) { return m.mu2 > kRoundingOfVariance * m.nu2; };
    return varies(grid) && varies(vector) ? std::log(grid.mu2 / vector.mu2) / 2 : kUndefined;
}

namespace {

/// As in moment_propagation.cpp: second moments beyond these leave the doubles when they are squared.
constexpr double kFaintest = 1e-150, kLoudest = 1e150;

const Shape& shapeOf(const Network& network, std::size_t state) { return state == 0 ? network.input : network.layers[state - 1].out; }

bool allFinite(const Batch& batch) {
    return std::all_of(batch.values.begin(), batch.values.end(), [](double value) { return std::isfinite(value); });
}

void requireWeights(const std::vector<Layer>& layers, const std::string& place) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::string here = place + "layer " + std::to_string(l + 1);
        if (weightsOf(layers[l]).weights.empty() && weightCount(layers[l]) > 0)
            throw InputError("The network has no weights at " + here + ".");
        if (const auto* block = layers[l].getIf<Block>()) requireWeights(block->inner, here + ", inner ");
    }
}

void requireBatches(const Network& network, const Batch& signal, const Batch& noise) {
    const std::size_t units = network.input.units();
    if (signal.rows != units || noise.rows != units || signal.columns != noise.columns || signal.columns == 0)
        throw InputError("Signal and noise must have the " + std::to_string(units) +
                         " numbers that the network takes, for the same samples.");
    if (!allFinite(signal) || !allFinite(noise)) throw InputError("Signal and noise must be finite numbers.");
}

/// Measured: 0.33 ns a multiply-add, of signal and of noise.
constexpr double kOperationsAUse = 0.66;

Batch columnsOf(const Batch& batch, std::size_t from, std::size_t to) {
    Batch some(batch.rows, to - from);
    for (std::size_t i = 0; i < batch.rows; ++i) std::copy(batch.row(i) + from, batch.row(i) + to, some.row(i));
    return some;
}

void putColumns(const Batch& some, std::size_t from, Batch& batch) {
    for (std::size_t i = 0; i < some.rows; ++i) std::copy(some.row(i), some.row(i) + some.columns, batch.row(i) + from);
}

/// Some samples at a time, whole panels of a product, where all together take longer than between two ticks.
ValuesAndTangents throughLayer(const Layer& layer, const ValuesAndTangents& in, const std::function<void()>& tick) {
    constexpr double kOperations = 1e7, kPanel = 4;
    const std::size_t samples = in.values.columns;
    const double panels = std::max(1.0, std::floor(kOperations / (kPanel * kOperationsAUse * (costOfTangents(layer).uses + 1))));
    const auto some = static_cast<std::size_t>(std::min(kPanel * panels, static_cast<double>(samples)));
    if (some == samples) return withTangents(layer, in);
    ValuesAndTangents out{Batch(layer.out.units(), samples), Batch(layer.out.units(), samples)};
    for (std::size_t from = 0; from < samples; from += some) {
        const std::size_t to = std::min(samples, from + some);
        const ValuesAndTangents part = withTangents(layer, {columnsOf(in.values, from, to), columnsOf(in.tangents, from, to)});
        putColumns(part.values, from, out.values);
        putColumns(part.tangents, from, out.tangents);
        tick();
    }
    return out;
}

bool inRange(const ChannelMoments& m, double noise) { return m.nu2 <= kLoudest && noise <= kLoudest; }

/// Why a state has no χ; empty where it has.
std::string reasonFor(const ChannelMoments& m, double noise, const std::string& place) {
    if (!inRange(m, noise)) return "The signal or the noise of " + place + " leaves the range of numbers.";
    if (m.nu2 == 0) return "Every unit of " + place + " is 0 for every sample.";
    if (m.nu2 < kFaintest) return "The signal of " + place + " shrinks below the range of numbers.";
    if (m.mu2 <= kRoundingOfVariance * m.nu2)
        return "The signal of " + place + " has zero variance to rounding: all samples are at one point.";
    if (noise < kFaintest) return "No noise is left in " + place + ": every unit is flat there.";
    return "";
}

}  // namespace

Batch drawInputNoise(std::size_t units, std::size_t samples, std::uint64_t seed, std::uint64_t draw) {
    Batch noise(units, samples);
    for (std::size_t s = 0; s < samples; ++s) {
        Rng rng(seed, Purpose::MonteCarlo, draw << 32 | s);
        for (std::size_t unit = 0; unit < units; ++unit) noise(unit, s) = rng.gaussian();
    }
    return noise;
}

NetworkMoments::NetworkMoments(const Network& network, Batch signal, Batch noise, bool ranks, std::vector<std::string> places)
    : network_(network), ranks_(ranks), places_(std::move(places)), now_{std::move(signal), std::move(noise)} {
    validate(network_);
    requireWeights(network_.layers, "");
    requireBatches(network_, now_.values, now_.tangents);
    onGrid_ = statesOnGrid(network_);
    StateMoments input = measure();
    if (!input.undefined.empty()) throw InputError(input.undefined);
    logChiRaw0_ = input.logChi;
    input.logChi = 0;
    states_.push_back(std::move(input));
    renormalise();
}

std::string NetworkMoments::placeOf(std::size_t state) const {
    if (state < places_.size()) return places_[state];
    return state == 0 ? "the input" : "layer " + std::to_string(state);
}

double NetworkMoments::noiseSize() const {
    double sum = 0;
    for (const double value : now_.tangents.values) sum += value * value;
    return sum / static_cast<double>(now_.tangents.values.size());
}

StateMoments NetworkMoments::measure() {
    StateMoments state;
    const std::size_t l = state.layer = states_.size();
    state.afterActivation = l > 0 && network_.layers[l - 1].is<Pointwise>();
    const PointValues points = pointsOf(now_.values, shapeOf(network_, l), onGrid_[l]);
    state.points = points.points(), state.features = points.channels();
    const ChannelMoments m = channelMoments(points);
    const double noise = noiseSize();
    state.undefined = reasonFor(m, noise, placeOf(l));
    if (!inRange(m, noise)) {
        ended_ = state.undefined;
        return state;
    }
    const bool varies = m.mu2 > kRoundingOfVariance * m.nu2;
    if (m.nu2 > 0) state.logNu2 = std::log(m.nu2), state.varianceRatio = varies ? m.mu2 / m.nu2 : 0;
    if (varies) state.logMu2 = std::log(m.mu2);
    if (noise > 0) state.logMu2Noise = std::log(noise) + 2 * logScale_;
    if (state.undefined.empty()) state.undefined = uncarried_;
    if (!state.undefined.empty()) return state;
    state.logChi = std::log(noise / m.mu2) / 2 + logScale_ - logChiRaw0_;
    if (!ranks_) return state;
    state.rankSignal = effectiveRank(points);
    state.rankNoise = effectiveRank(pointsOf(now_.tangents, shapeOf(network_, l), onGrid_[l]));
    return state;
}

SignalAndNoise NetworkMoments::points() const {
    const std::size_t l = layersDone();
    const Shape& shape = shapeOf(network_, l);
    return {pointsOf(now_.values, shape, onGrid_[l]), pointsOf(now_.tangents, shape, onGrid_[l]), logScale_};
}

std::vector<std::size_t> NetworkMoments::middles(std::size_t most) const {
    const Shape& shape = shapeOf(network_, layersDone());
    const std::size_t cells = cellsPerSample(shape, onGrid_[layersDone()]);
    const std::size_t middle = cells == 1 ? 0 : static_cast<std::size_t>(shape.height / 2 * shape.width + shape.width / 2);
    std::vector<std::size_t> points;
    for (std::size_t s = 0; s < std::min(most, now_.values.columns); ++s) points.push_back(s * cells + middle);
    return points;
}

void NetworkMoments::renormalise() {
    const double square = noiseSize();
    if (!(square > 0)) return;
    const double size = std::sqrt(square);
    for (double& value : now_.tangents.values) value /= size;
    logScale_ += std::log(square) / 2;
}

void NetworkMoments::carryAcross(std::size_t state, double sign) {
    const double log = logReadings(now_.values, shapeOf(network_, state));
    logChiRaw0_ -= sign * log;
    if (std::isfinite(log)) return;
    uncarried_ = "Over samples the signal of " + placeOf(state) + " has zero variance to rounding.";
}

bool NetworkMoments::step(const std::function<void()>& tick) {
    const std::size_t done = layersDone();
    if (done == network_.layers.size()) return false;
    const Layer& layer = network_.layers[done];
    if (!ended_.empty()) {
        StateMoments& beyond = states_.emplace_back();
        beyond.layer = done + 1, beyond.undefined = ended_;
        beyond.afterActivation = layer.is<Pointwise>();
        return true;
    }
    double agreement = kUndefined;
    if (layer.is<Pointwise>()) agreement = coactivation(pointsOf(now_.values, layer.in, onGrid_[done]));
    if (onGrid_[done] && !onGrid_[done + 1]) carryAcross(done, -1);
    now_ = throughLayer(layer, now_, tick);
    if (!onGrid_[done] && onGrid_[done + 1]) carryAcross(done + 1, 1);
    states_.push_back(measure());
    states_.back().coactivation = agreement;
    renormalise();
    return true;
}

namespace {

/// Units that go through an exponential.
double smoothUnits(const std::vector<Layer>& layers) {
    double units = 0;
    eachLayer(layers, [&](const Layer& layer) {
        const bool smooth = layer.is<Softmax>() || (layer.is<Pointwise>() && !isPiecewiseLinear(layer));
        units += smooth ? static_cast<double>(layer.out.units()) : 0;
    });
    return units;
}

}  // namespace

Cost costOfNetworkMoments(const Network& network, double samples, bool ranks) {
    // Measured: 30 ns for the passes over a number of the state.
    const std::vector<bool> onGrid = statesOnGrid(network);
    Cost cost{1e5 + 130 * smoothUnits(network.layers) * samples, 1e5};  // measured: 130 ns for a value and its derivative
    double units = static_cast<double>(network.input.units());
    for (std::size_t l = 0; l <= network.layers.size(); ++l) {
        const Shape& shape = shapeOf(network, l);
        const double numbers = static_cast<double>(shape.units()) * samples;
        const double cells = static_cast<double>(cellsPerSample(shape, onGrid[l]));
        const double points = cells * samples, features = numbers / points, least = std::min(points, features);
        cost.operations += 30 * numbers + (ranks ? 30 * numbers + least * least * (0.6 * std::max(points, features) + 140) : 0);
        cost.bytes = std::max(cost.bytes, 8 * (ranks ? 4 * numbers + 3 * least * least : 0));
        if (l == network.layers.size()) break;
        const LayerCost layer = costOfTangents(network.layers[l]);
        cost.operations += kOperationsAUse * layer.uses * samples;
        units = std::max(units, layer.units);
    }
    cost.bytes += 8 * 6 * units * samples;
    return cost;
}

namespace {

/// Images that fit an input, and their channels; a line where the grid has one row or column.
struct FittingImages {
    ImageGrid grid;
    Size channels = 1;
};
FittingImages imagesFor(const Network& network) {
    const Shape& in = network.input;
    if (statesOnGrid(network)[0]) {
        const bool line = in.height == 1 || in.width == 1;
        if ((line || in.height == in.width) && (in.channels == 1 || in.channels == 3))
            return {{line ? 1 : 2, static_cast<Size>(std::max(in.height, in.width))}, static_cast<Size>(in.channels)};
    } else {
        for (const Size colours : {Size{1}, Size{3}}) {
            const auto side = static_cast<Size>(std::lround(std::sqrt(static_cast<double>(in.units() / colours))));
            if (side > 1 && colours * side * side == in.units()) return {{2, side}, colours};
        }
    }
    throw InputError("The network takes " + std::to_string(in.channels) + "×" + std::to_string(in.height) + "×" + std::to_string(in.width) +
                     " numbers, which are no square image of one or three colours: choose Gaussian data.");
}

/// Channels in place of colours: all of them, or so many times their mean.
PointValues recoloured(PointValues images, Size channels) {
    const Size colours = images.channels();
    if (colours == channels) return images;
    PointValues out{images.samples, images.dimensions, images.extent, Matrix(images.points(), channels)};
    for (Size p = 0; p < images.points(); ++p) {
        double mean = 0;
        for (Size c = 0; c < colours; ++c) mean += images.values(p, c) / static_cast<double>(colours);
        for (Size c = 0; c < channels; ++c) out.values(p, c) = mean;
    }
    standardiseChannels(out);
    return out;
}

}  // namespace

NetworkInput drawNetworkInput(const Network& network, MomentData data, Size samples, std::uint64_t seed, std::uint64_t draw,
                              const ImageSet* set) {
    NetworkInput input;
    if (data == MomentData::Images) {
        const FittingImages fit = imagesFor(network);
        input.signal = batchOf(recoloured(drawImages(fit.grid, set, samples, seed, draw), fit.channels));
    } else {
        const Shape& in = network.input;
        MomentNet like;
        like.inputs = in.units();
        if (statesOnGrid(network)[0]) {
            like.dimensions = 1, like.inputs = static_cast<Size>(in.channels);
            like.extent = static_cast<Size>(in.height) * static_cast<Size>(in.width);
        }
        input.signal = batchOf(drawMomentInput(like, data, samples, seed, draw).signal);
    }
    input.noise = drawInputNoise(input.signal.rows, samples, seed, draw);
    return input;
}

}  // namespace kappaflow
