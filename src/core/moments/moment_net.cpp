#include "core/moments/moment_net.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/portable_math.h"
#include "core/base/rng.h"

namespace kappaflow {
namespace {

constexpr std::size_t kTogether = 4;

/// Sums over points of the powers 1, 2, 4 and the size of a channel less a centre.
struct ChannelSums {
    std::vector<double> first, second, fourth, absolute;
    explicit ChannelSums(std::size_t channels) : first(channels), second(channels), fourth(channels), absolute(channels) {}
};

/// `count` <= kTogether channels from c on: their sums stay in registers while the points pass.
template <std::size_t count>
void addChannels(const Matrix& values, const double* centre, std::size_t c, ChannelSums& sums) {
    double first[count]{}, second[count]{}, fourth[count]{}, absolute[count]{};
    const double* entry = values.values.data() + c;
    for (std::size_t p = 0; p < values.rows; ++p, entry += values.columns)
        for (std::size_t i = 0; i < count; ++i) {
            const double value = entry[i] - centre[c + i], square = value * value;
            first[i] += value;
            second[i] += square;
            fourth[i] += square * square;
            absolute[i] += std::abs(value);
        }
    for (std::size_t i = 0; i < count; ++i) {
        sums.first[c + i] = first[i], sums.second[c + i] = second[i];
        sums.fourth[c + i] = fourth[i], sums.absolute[c + i] = absolute[i];
    }
}

ChannelSums sumsAbout(const Matrix& values, const std::vector<double>& centre) {
    ChannelSums sums(values.columns);
    std::size_t c = 0;
    for (; c + kTogether <= values.columns; c += kTogether) addChannels<kTogether>(values, centre.data(), c, sums);
    for (; c < values.columns; ++c) addChannels<1>(values, centre.data(), c, sums);
    return sums;
}

double sumOf(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

ChannelMoments channelMoments(const PointValues& tensor) {
    const std::size_t N = tensor.channels();
    const double P = static_cast<double>(tensor.points()), entries = P * static_cast<double>(N);
    ChannelMoments m;
    if (entries == 0) return m;
    const ChannelSums raw = sumsAbout(tensor.values, std::vector<double>(N));
    m.mean.resize(N);
    for (std::size_t c = 0; c < N; ++c) {
        m.mean[c] = raw.first[c] / P;
        // f⁺ = (|f| + f)/2, f⁻ = (|f| − f)/2: exactly 0 for a unit that is always on, whose two sums are the same.
        const double positive = (raw.absolute[c] + raw.first[c]) / (2 * P), negative = (raw.absolute[c] - raw.first[c]) / (2 * P);
        m.splitProduct += positive * negative / static_cast<double>(N);
    }
    const ChannelSums centred = sumsAbout(tensor.values, m.mean);
    m.variance.resize(N);
    for (std::size_t c = 0; c < N; ++c) m.variance[c] = centred.second[c] / P;
    m.nu1 = sumOf(raw.first) / entries, m.nu2 = sumOf(raw.second) / entries, m.nu4 = sumOf(raw.fourth) / entries;
    m.nu1Absolute = sumOf(raw.absolute) / entries, m.mu1Absolute = sumOf(centred.absolute) / entries;
    m.mu2 = sumOf(centred.second) / entries, m.mu4 = sumOf(centred.fourth) / entries;
    return m;
}

ChannelMoments channelVariances(const PointValues& tensor) {
    const std::size_t N = tensor.channels();
    const double P = static_cast<double>(tensor.points()), entries = P * static_cast<double>(N);
    ChannelMoments m;
    if (entries == 0) return m;
    m.mean.resize(N), m.variance.resize(N);
    for (std::size_t p = 0; p < tensor.points(); ++p) {
        const double* row = tensor.values.row(p);
        for (std::size_t c = 0; c < N; ++c) m.mean[c] += row[c];
    }
    for (double& mean : m.mean) mean /= P;
    for (std::size_t p = 0; p < tensor.points(); ++p) {
        const double* row = tensor.values.row(p);
        for (std::size_t c = 0; c < N; ++c) m.variance[c] += (row[c] - m.mean[c]) * (row[c] - m.mean[c]);
    }
    for (std::size_t c = 0; c < N; ++c) {
        m.variance[c] /= P;
        m.nu1 += m.mean[c] / static_cast<double>(N);
        m.mu2 += m.variance[c] / static_cast<double>(N);
        m.nu2 += (m.variance[c] + m.mean[c] * m.mean[c]) / static_cast<double>(N);
    }
    return m;
}

double meanSquare(const PointValues& tensor) {
    if (tensor.values.values.empty()) return 0;
    double sum = 0;
    for (std::size_t p = 0; p < tensor.points(); ++p) {
        const double* row = tensor.values.row(p);
        double rowSum = 0;
        for (std::size_t c = 0; c < tensor.channels(); ++c) rowSum += row[c] * row[c];
        sum += rowSum;
    }
    return sum / static_cast<double>(tensor.values.values.size());
}

namespace {

void require(bool holds, const char* sentence) {
    if (!holds) throw InputError(sentence);
}

double power(std::size_t base, int exponent) {
    double value = 1;
    for (int i = 0; i < exponent; ++i) value *= static_cast<double>(base);
    return value;
}

void requireSizes(const MomentNet& net) {
    require(net.dimensions >= 0 && net.dimensions <= 2, "A network of moments is dense or has one or two dimensions.");
    require(net.extent >= 1 && net.inputs >= 1 && net.width >= 1 && net.layers >= 1 && net.inner >= 1,
            "Extent, inputs, width, layers and inner layers must be at least 1.");
    require(net.taps % 2 == 1, "The number of taps must be odd, so that kernels have a middle.");
    require(net.dimensions > 0 || (net.extent == 1 && net.taps == 1), "A dense network has extent 1 and one tap.");
    require(!net.residual() || net.inputs == net.width, "A residual network takes as many channels as it is wide.");
    require(net.boundary != Padding::Reflect || (net.taps - 1) / 2 < net.extent,
            "A reflecting boundary needs more positions than half the taps.");
    const double kernel = power(net.taps, net.dimensions) * static_cast<double>(net.width);
    require(kernel * static_cast<double>(net.width) <= kMaxNetworkWeights && kernel * static_cast<double>(net.inputs) <= kMaxNetworkWeights,
            "One layer has more weights than are possible: lower the width or the taps.");
    require(power(net.extent, net.dimensions) * static_cast<double>(net.width) <= kMaxLayerUnits,
            "One layer has more units than are possible: lower the width or the extent.");
    require(static_cast<double>(net.layers) * static_cast<double>(net.inner) < 4294967296.0, "There are more layers than can be drawn.");
}

}  // namespace

std::size_t MomentNet::positions() const {
    std::size_t count = 1;
    for (int d = 0; d < dimensions; ++d) count *= extent;
    return count;
}

std::size_t MomentNet::linearLayers() const { return layers * innerLayers(); }

void validate(const MomentNet& net) {
    requireSizes(net);
    const Activation phi = net.activation;
    require(phi == Activation::Relu || phi == Activation::Tanh || phi == Activation::Identity,
            "The activation of a network of moments is relu, tanh or identity.");
    require(std::isfinite(net.epsilon) && net.epsilon >= 0, "The epsilon of batch norm must be finite and not negative.");
    require(std::isfinite(net.skipScale), "The scale of the skip connection must be finite.");
    require(std::isfinite(net.weightScale) && net.weightScale > 0, "The scale of the weights must be finite and positive.");
    require(std::isfinite(net.biasVariance) && net.biasVariance >= 0, "The variance of the biases must be finite and not negative.");
}

MomentWeights drawMomentWeights(const MomentNet& net, std::size_t index, std::uint64_t seed, std::uint64_t draw) {
    const std::size_t in = index == 0 ? net.inputs : net.width;
    const double R = power(net.taps, net.dimensions) * static_cast<double>(in);
    const std::uint64_t key = draw << 32 | index;
    MomentWeights weights{net.taps, in, net.width, 1, std::vector<double>(static_cast<std::size_t>(R) * net.width), {}};
    Rng rng(seed, Purpose::Weights, key);
    const double scale = net.weightScale * std::sqrt(2 / R);
    fillGaussian(rng, weights.values.data(), weights.values.size());
    for (double& weight : weights.values) weight = static_cast<double>(static_cast<float>(weight * scale));
    if (net.biasVariance == 0) return weights;
    weights.bias.resize(net.width);
    Rng biases(seed, Purpose::Biases, key);
    for (double& bias : weights.bias) bias = drawWeight(biases, std::sqrt(net.biasVariance));
    return weights;
}

void batchNormalise(SignalAndNoise& t, const ChannelMoments& moments, double epsilon) {
    const std::size_t N = t.signal.channels();
    std::vector<double> factor(N);
    for (std::size_t c = 0; c < N; ++c) factor[c] = 1 / std::sqrt(moments.variance[c] + epsilon);
    for (std::size_t p = 0; p < t.signal.points(); ++p) {
        double *y = t.signal.values.row(p), *dy = t.noise.values.row(p);
        for (std::size_t c = 0; c < N; ++c) {
            y[c] = (y[c] - moments.mean[c]) * factor[c];
            dy[c] *= factor[c];
        }
    }
}

void activatePoints(SignalAndNoise& t, Activation phi) {
    std::vector<double>&y = t.signal.values.values, &dy = t.noise.values.values;
    if (phi == Activation::Relu)
        for (std::size_t i = 0; i < y.size(); ++i) {
            const bool on = y[i] > 0;
            y[i] = on ? y[i] : 0;
            dy[i] = on ? dy[i] : 0;
        }
    if (phi == Activation::Tanh)
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] = portableTanh(y[i]);
            dy[i] *= (1 - y[i]) * (1 + y[i]);
        }
}

void renormaliseNoise(SignalAndNoise& t, double square) {
    const double size = std::sqrt(square);
    for (double& value : t.noise.values.values) value /= size;
    t.logScale += std::log(square) / 2;
}

double coactivation(const PointValues& preactivations) {
    const std::size_t N = preactivations.channels(), P = preactivations.points();
    std::vector<std::size_t> on(N);
    for (std::size_t p = 0; p < P; ++p)
        for (std::size_t c = 0; c < N; ++c) on[c] += preactivations.values(p, c) > 0;
    double sum = 0;
    for (const std::size_t count : on) sum += static_cast<double>(std::max(count, P - count));
    return sum / (static_cast<double>(N) * static_cast<double>(P));
}

std::vector<double> normalisedNoise(const PointValues& noise, const ChannelMoments& signal) {
    std::vector<double> shares(noise.channels());
    for (std::size_t p = 0; p < noise.points(); ++p) {
        const double* row = noise.values.row(p);
        for (std::size_t c = 0; c < shares.size(); ++c) shares[c] += row[c] * row[c];
    }
    for (std::size_t c = 0; c < shares.size(); ++c) shares[c] /= static_cast<double>(noise.points()) * signal.variance[c];
    return shares;
}

}  // namespace kappaflow
