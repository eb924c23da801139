#include "core/moments/moment_propagation.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/linalg/matrix.h"
#include "core/moments/moment_fits.h"
#include "core/moments/moment_net.h"

namespace kappaflow {
namespace {

/// Numbers of one block of receptive fields: small enough for the second cache, tall enough that packing the weights is lost beside it.
constexpr std::size_t kBlockNumbers = 1 << 15;

/// Input positions that every output position reads, [output position][tap]; −1: a zero beyond the border.
struct ReceptiveFields {
    std::size_t extent = 1, taps = 1;  ///< outputs a dimension; taps of all dimensions
    std::vector<int> cells;
};

ReceptiveFields receptiveFields(const MomentWeights& w, Padding padding, const PointValues& in) {
    if (in.dimensions == 0) return {1, 1, {0}};
    const int extent = static_cast<int>(in.extent), taps = static_cast<int>(w.taps), stride = static_cast<int>(w.stride);
    if (padding == Padding::Reflect && (taps - 1) / 2 >= extent)
        throw InputError("A reflecting boundary needs more than " + std::to_string(extent) + " positions for a kernel this wide.");
    const std::size_t outputs = (in.extent + w.stride - 1) / w.stride;
    std::vector<int> line;
    for (int a = 0; a < extent; a += stride)
        for (int k = 0; k < taps; ++k) line.push_back(paddedSource(a + k - (taps - 1) / 2, extent, padding));
    if (in.dimensions == 1) return {outputs, w.taps, line};
    ReceptiveFields fields{outputs, w.taps * w.taps, {}};
    for (std::size_t a = 0; a < line.size(); a += w.taps)
        for (std::size_t b = 0; b < line.size(); b += w.taps)
            for (std::size_t k = 0; k < w.taps; ++k)
                for (std::size_t m = 0; m < w.taps; ++m) {
                    const int y = line[a + k], x = line[b + m];
                    fields.cells.push_back(y >= 0 && x >= 0 ? y * extent + x : -1);
                }
    return fields;
}

/// Receptive field of output point `point` as one row.
void copyField(const PointValues& in, const ReceptiveFields& fields, std::size_t point, double* row) {
    const std::size_t outputs = fields.cells.size() / fields.taps, inputs = in.points() / in.samples, channels = in.channels();
    const int* cells = fields.cells.data() + point % outputs * fields.taps;
    const double* sample = in.values.row(point / outputs * inputs);
    for (std::size_t k = 0; k < fields.taps; ++k, row += channels) {
        if (cells[k] < 0)
            std::fill_n(row, channels, 0.0);
        else
            std::memcpy(row, sample + static_cast<std::size_t>(cells[k]) * channels, channels * sizeof(double));
    }
}

void requireFit(const MomentWeights& w, const SignalAndNoise& in) {
    const auto& x = in.signal;
    const auto& dx = in.noise;
    if (x.samples == 0 || x.points() % x.samples != 0 || x.points() != dx.points() || x.channels() != dx.channels())
        throw InputError("Signal and noise must have the same points and channels.");
    double kernel = 1;
    for (int d = 0; d < x.dimensions; ++d) kernel *= static_cast<double>(w.taps);
    if (w.taps % 2 == 0 || w.stride == 0) throw InputError("A convolution needs an odd number of taps and a stride of at least 1.");
    if (x.channels() != w.in || static_cast<double>(w.values.size()) != kernel * static_cast<double>(w.in) * static_cast<double>(w.out) ||
        (!w.bias.empty() && w.bias.size() != w.out))
        throw InputError("The weights of a layer do not fit the " + std::to_string(x.channels()) + " channels that it takes.");
}

/// Shape of the outputs, their old memory kept.
void reshape(PointValues& out, const PointValues& in, const ReceptiveFields& fields, std::size_t channels) {
    out.samples = in.samples, out.dimensions = in.dimensions, out.extent = fields.extent;
    out.values.rows = in.samples * (fields.cells.size() / fields.taps), out.values.columns = channels;
    out.values.values.resize(out.values.rows * channels);
}

}  // namespace

void PointConvolution::apply(const MomentWeights& w, Padding padding, const SignalAndNoise& in, SignalAndNoise& out,
                             const std::function<void()>& tick) {
    requireFit(w, in);
    const ReceptiveFields fields = receptiveFields(w, padding, in.signal);
    const std::size_t R = fields.taps * w.in, N = w.out;
    reshape(out.signal, in.signal, fields, N);
    reshape(out.noise, in.signal, fields, N);
    out.logScale = in.logScale;
    const std::size_t points = out.signal.points(), block = std::clamp<std::size_t>(kBlockNumbers / (2 * R), 16, 256);
    rows_.resize(2 * std::min(block, points) * R);
    products_.resize(2 * std::min(block, points) * N);
    for (std::size_t first = 0; first < points; first += block) {
        tick();
        const std::size_t count = std::min(block, points - first);
        for (std::size_t p = 0; p < count; ++p) {
            copyField(in.signal, fields, first + p, rows_.data() + p * R);
            copyField(in.noise, fields, first + p, rows_.data() + (count + p) * R);
        }
        orderedProduct(MatrixView(rows_.data(), 2 * count, R), MatrixView(w.values.data(), R, N), products_.data());
        std::memcpy(out.signal.values.row(first), products_.data(), count * N * sizeof(double));
        std::memcpy(out.noise.values.row(first), products_.data() + count * N, count * N * sizeof(double));
    }
    if (w.bias.empty()) return;
    for (std::size_t p = 0; p < points; ++p)
        for (std::size_t c = 0; c < N; ++c) out.signal.values(p, c) += w.bias[c];
}

SignalAndNoise convolved(const MomentWeights& w, Padding padding, const SignalAndNoise& in) {
    SignalAndNoise out;
    PointConvolution().apply(w, padding, in, out);
    return out;
}

SignalAndNoise throughStem(const MomentNet& net, const SignalAndNoise& in, const MomentWeights& w) {
    SignalAndNoise out = convolved(w, net.boundary, in);
    const bool fits = out.signal.dimensions == net.dimensions && out.signal.extent == net.extent && w.out == net.inputs;
    if (!fits)
        throw InputError("The stem leaves " + std::to_string(w.out) + " channels at " + std::to_string(out.signal.extent) +
                         " positions a dimension, where the network takes " + std::to_string(net.inputs) + " at " +
                         std::to_string(net.extent) + ".");
    return out;
}

namespace {

/// Variances below this share of the second moment are rounding: samples then differ in their last digits only.
constexpr double kLeastVariance = 1e-24;
/// Second moments beyond these leave doubles when they are squared.
constexpr double kSmallest = 1e-150, kLargest = 1e150;

bool finite(const PointValues& tensor) {
    for (const double value : tensor.values.values)
        if (!std::isfinite(value)) return false;
    return true;
}

void requireInput(const MomentNet& net, const SignalAndNoise& in) {
    for (const PointValues* t : {&in.signal, &in.noise}) {
        const bool fits = t->samples >= 1 && t->dimensions == net.dimensions && t->extent == net.extent &&
                          t->points() == t->samples * net.positions() && t->channels() == net.inputs;
        if (!fits || t->samples != in.signal.samples)
            throw InputError("Signal and noise must have the network's " + std::to_string(net.inputs) + " channels at its " +
                             std::to_string(net.positions()) + " positions, for the same samples.");
        if (!finite(*t)) throw InputError("Signal and noise must be finite numbers.");
    }
    const ChannelMoments moments = channelMoments(in.signal);
    if (!(moments.mu2 > kLeastVariance * moments.nu2))
        throw InputError("The data have zero variance: every sample and position has the same values, so that no sensitivity is defined.");
    if (!(meanSquare(in.noise) > 0)) throw InputError("The noise is zero everywhere, so that no sensitivity is defined.");
    if (!(moments.nu2 > kSmallest && moments.nu2 < kLargest && meanSquare(in.noise) < kLargest))
        throw InputError("The data leave the range of numbers whose squares can be told apart: scale them.");
}

/// e^x where it is a number: the ratio of two χ, of which a dead branch has none.
double chiRatio(double logarithm) { return logarithm < 700 ? std::exp(logarithm) : kUndefined; }

double theoremFactor(double oneMinus) { return oneMinus > 0 ? 1 / std::sqrt(oneMinus) : kUndefined; }

}  // namespace

MomentPropagation::MomentPropagation(const MomentNet& net, SignalAndNoise input, Weights weights, Wanted wanted)
    : net_(net), weights_(std::move(weights)), wanted_(wanted), state_(std::move(input)) {
    validate(net_);
    requireInput(net_, state_);
    LayerMoments layer;
    const ChannelMoments moments = channelMoments(state_.signal);
    const double noise = meanSquare(state_.noise);
    measure(layer, moments, noise);
    measureRanks(layer);
    layer.logChi = 0;
    layers_.push_back(layer);
    moments_ = moments;
    sizes_ = {moments.mu2, noise};
}

std::string MomentPropagation::place() const {
    const std::size_t H = net_.innerLayers(), l = done_ / H + 1;
    if (!net_.residual()) return "layer " + std::to_string(l);
    return "inner layer " + std::to_string(done_ % H + 1) + " of unit " + std::to_string(l);
}

double MomentPropagation::logChiRaw(Sizes sizes, double logScale) const { return std::log(sizes.noise / sizes.signal) / 2 + logScale; }

void MomentPropagation::measure(LayerMoments& layer, const ChannelMoments& m, double noise) const {
    layer.nu1 = m.nu1, layer.nu2 = m.nu2, layer.nu4 = m.nu4, layer.mu2 = m.mu2, layer.mu4 = m.mu4;
    layer.nu1Absolute = m.nu1Absolute, layer.mu1Absolute = m.mu1Absolute;
    layer.logNu2 = std::log(m.nu2), layer.logMu2 = std::log(m.mu2), layer.logMu2Noise = std::log(noise) + 2 * state_.logScale;
    layer.logChiRaw = logChiRaw({m.mu2, noise}, state_.logScale);
    if (layers_.empty()) return;
    const LayerMoments& before = layers_.back();
    layer.logChi = layer.logChiRaw - layers_[0].logChiRaw;
    layer.deltaChi = std::exp(layer.logChi - before.logChi);
    layer.deltaLogNu2 = layer.logNu2 - before.logNu2;
    layer.deltaLogMu2Noise = layer.logMu2Noise - before.logMu2Noise;
}

void MomentPropagation::measureRanks(LayerMoments& layer) const {
    if (!wanted_.ranks) return;
    layer.rankSignal = effectiveRank(state_.signal), layer.rankNoise = effectiveRank(state_.noise);
}

bool MomentPropagation::inRange(const ChannelMoments& m, double noise, const std::string& place) {
    if (!(m.nu2 <= kLargest) || !(noise <= kLargest)) collapsed_ = "The signal or the noise of " + place + " leaves the range of numbers.";
    return collapsed_.empty();
}

bool MomentPropagation::alive(const ChannelMoments& m, double noise, const std::string& place) {
    if (!inRange(m, noise, place)) return false;
    if (m.nu2 == 0 && net_.activation == Activation::Relu)
        collapsed_ = "Every unit of " + place + " is off for every sample.";
    else if (m.nu2 < kSmallest)
        collapsed_ = "The signal of " + place + " shrinks below the range of numbers.";
    else if (m.mu2 <= kLeastVariance * m.nu2)
        collapsed_ = "The signal of " + place + " has zero variance to rounding: all samples are at one point.";
    else if (noise < kSmallest)
        collapsed_ = "No noise is left in " + place + ": every unit is flat there.";
    return collapsed_.empty();
}

bool MomentPropagation::divisible(const ChannelMoments& m, const std::string& place) {
    for (std::size_t c = 0; c < m.variance.size(); ++c)
        if (!(m.variance[c] + net_.epsilon > kLeastVariance * m.mean[c] * m.mean[c])) {
            collapsed_ = "Channel " + std::to_string(c + 1) + " of " + place + " has zero variance, which batch norm cannot divide by.";
            return false;
        }
    return true;
}

bool MomentPropagation::advance(const std::function<void()>& tick) {
    if (!collapsed_.empty() || done_ == net_.linearLayers()) return false;
    const MomentWeights weights = weights_(done_);
    const bool alive = net_.residual() ? innerLayer(weights, tick) : feedforwardLayer(weights, tick);
    if (!alive) return false;
    ++done_;
    return true;
}

void MomentPropagation::finishLayer(LayerMoments&& layer, const ChannelMoments& m, double noise) {
    measure(layer, m, noise);
    measureRanks(layer);
    layers_.push_back(std::move(layer));
    renormaliseNoise(state_, noise);
    moments_ = m;
    sizes_ = {m.mu2, meanSquare(state_.noise)};
}

bool MomentPropagation::normalise(SignalAndNoise& t, ChannelMoments& m, Sizes before, double& batchNormTheorem, double& activationTheorem) {
    if (net_.normalised()) {
        if (!divisible(m, place())) return false;
        if (wanted_.theorems) batchNormTheorem = std::sqrt(meanOf(normalisedNoise(t.noise, m)) / (before.noise / before.signal));
        batchNormalise(t, m, net_.epsilon);
    }
    m = channelMoments(t.signal);
    if (net_.normalised() && wanted_.theorems && net_.activation == Activation::Relu)
        activationTheorem = theoremFactor(1 - 2 * m.splitProduct);
    return true;
}

double MomentPropagation::feedforwardTheorem(const LayerMoments& layer, const ChannelMoments& preactivation) const {
    if (net_.normalised()) return layer.batchNormTheorem * layer.activationTheorem;
    if (!wanted_.theorems || net_.activation != Activation::Relu) return kUndefined;
    // Weights s times He's: signal and noise grow by s² both, so that only the split is to be brought back.
    return theoremFactor(1 - preactivation.splitProduct / (net_.weightScale * net_.weightScale * sizes_.signal));
}

bool MomentPropagation::feedforwardLayer(const MomentWeights& weights, const std::function<void()>& tick) {
    convolution_.apply(weights, net_.boundary, state_, next_, tick);
    LayerMoments layer;
    ChannelMoments m = net_.normalised() ? channelVariances(next_.signal) : ChannelMoments{};
    if (!normalise(next_, m, sizes_, layer.batchNormTheorem, layer.activationTheorem)) return false;
    layer.theorem = feedforwardTheorem(layer, m);
    layer.mu4Normalised = m.mu4, layer.nu1AbsoluteNormalised = m.nu1Absolute, layer.mu2Normalised = m.mu2;
    layer.coactivation = coactivation(next_.signal);
    const double before = logChiRaw(sizes_, next_.logScale), middle = logChiRaw({m.mu2, meanSquare(next_.noise)}, next_.logScale);
    layer.logChiNormalised = middle - layers_[0].logChiRaw;

    activatePoints(next_, net_.activation);
    m = channelMoments(next_.signal);
    const double noise = meanSquare(next_.noise);
    if (!alive(m, noise, place())) return false;
    if (net_.normalised()) {
        layer.deltaBatchNorm = std::exp(middle - before);
        layer.deltaActivation = std::exp(logChiRaw({m.mu2, noise}, next_.logScale) - middle);
    }
    std::swap(state_, next_);
    finishLayer(std::move(layer), m, noise);
    return true;
}

bool MomentPropagation::innerLayer(const MomentWeights& weights, const std::function<void()>& tick) {
    if (done_ % net_.inner == 0) unit_ = {}, branch_ = state_, branchSizes_ = sizes_, branchMoments_ = moments_, branchGrowth_ = {};
    InnerMoments inner;
    ChannelMoments m = branchMoments_;
    const double before = logChiRaw(branchSizes_, branch_.logScale);
    if (!normalise(branch_, m, branchSizes_, inner.batchNormTheorem, inner.activationTheorem)) return false;
    const double middle = logChiRaw({m.mu2, meanSquare(branch_.noise)}, branch_.logScale);
    if (net_.normalised()) inner.deltaBatchNorm = chiRatio(middle - before);
    inner.mu4 = m.mu4, inner.nu1Absolute = m.nu1Absolute, inner.mu2Normalised = m.mu2;
    if (unit_.inner.empty()) unit_.coactivation = coactivation(branch_.signal), unit_.logChiNormalised = middle - layers_[0].logChiRaw;

    activatePoints(branch_, net_.activation);
    inner.mu2X = channelVariances(branch_.signal).mu2;
    inner.deltaActivationOnly = chiRatio(logChiRaw({inner.mu2X, meanSquare(branch_.noise)}, branch_.logScale) - middle);
    if (wanted_.ranks) inner.rankSignal = effectiveRank(branch_.signal), inner.rankNoise = effectiveRank(branch_.noise);

    convolution_.apply(weights, net_.boundary, branch_, next_, tick);
    std::swap(branch_, next_);
    branchMoments_ = channelVariances(branch_.signal);
    branchSizes_ = {branchMoments_.mu2, meanSquare(branch_.noise)};
    // A branch may die: the skip goes on.
    if (!inRange(branchMoments_, branchSizes_.noise, place())) return false;
    const double after = logChiRaw(branchSizes_, branch_.logScale);
    inner.mu2Y = branchSizes_.signal, inner.logMu2Dy = std::log(branchSizes_.noise) + 2 * branch_.logScale;
    inner.chi = chiRatio(after - layers_[0].logChiRaw), inner.deltaChi = chiRatio(after - before);
    inner.deltaActivation = chiRatio(after - middle);
    unit_.inner.push_back(inner);
    return unit_.inner.size() < net_.inner || finishUnit();
}

bool MomentPropagation::finishUnit() {
    const double s = net_.skipScale;
    branchGrowth_ = {branchSizes_.signal / sizes_.signal, branchSizes_.noise / sizes_.noise};
    for (std::size_t i = 0; i < state_.signal.values.values.size(); ++i) {
        state_.signal.values.values[i] = s * state_.signal.values.values[i] + branch_.signal.values.values[i];
        state_.noise.values.values[i] = s * state_.noise.values.values[i] + branch_.noise.values.values[i];
    }
    const ChannelMoments m = channelMoments(state_.signal);
    const double noise = meanSquare(state_.noise);
    if (!alive(m, noise, "unit " + std::to_string(done_ / net_.inner + 1))) return false;
    const InnerMoments& first = unit_.inner.front();
    unit_.mu2Branch = branchMoments_.mu2;
    unit_.deltaBatchNorm = first.deltaBatchNorm, unit_.deltaActivation = first.deltaActivation;
    unit_.batchNormTheorem = first.batchNormTheorem, unit_.activationTheorem = first.activationTheorem;
    unit_.mu4Normalised = first.mu4, unit_.nu1AbsoluteNormalised = first.nu1Absolute, unit_.mu2Normalised = first.mu2Normalised;
    if (wanted_.theorems) {
        // (*) with the growth Π (δχ^{l,h})² written out, so that a dead branch gives 1; its cross terms are zero in the variance, too.
        unit_.theorem = std::sqrt((s * s + branchSizes_.noise / sizes_.noise) / (s * s + branchSizes_.signal / sizes_.signal));
    }
    finishLayer(std::move(unit_), m, noise);
    return true;
}

}  // namespace kappaflow
