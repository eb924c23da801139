#include "core/moments/unit_switching.h"

#include <cmath>

#include "core/linalg/ordered_product.h"
#include "core/moments/moment_convolution.h"
#include "core/moments/rectified_pairs.h"

namespace kappaflow {
namespace {

/// ν_{1,c}((t − centre)⁺)·ν_{1,c}((t − centre)⁻) of every channel.
std::vector<double> splitsAbout(const PointValues& t, const std::vector<double>& centres) {
    const std::size_t N = t.channels(), P = t.points();
    std::vector<double> positive(N), negative(N), splits;
    for (std::size_t p = 0; p < P; ++p)
        for (std::size_t c = 0; c < N; ++c) {
            const double value = t.values(p, c) - centres[c];
            (value > 0 ? positive : negative)[c] += std::abs(value);
        }
    for (std::size_t c = 0; c < N; ++c) splits.push_back(positive[c] / static_cast<double>(P) * (negative[c] / static_cast<double>(P)));
    return splits;
}

std::vector<double> normalisedSwitching(const PointValues& y, double epsilon) {
    const ChannelMoments moments = channelMoments(y);
    std::vector<double> shares = splitsAbout(y, moments.mean);
    for (std::size_t c = 0; c < shares.size(); ++c) {
        const double square = moments.variance[c] + epsilon;
        shares[c] = square > 0 ? 2 * shares[c] / square : 0;
    }
    return shares;
}

}  // namespace

std::vector<double> unitSwitching(const MomentNet& net, const SignalAndNoise& before, const MomentWeights& weights) {
    if (net.kind == MomentKind::Resnet) return normalisedSwitching(before.signal, net.epsilon);
    const ChannelMoments moments = channelMoments(before.signal);
    if (net.kind == MomentKind::ResnetPlain) {
        // Its first activation reads y^{l−1} itself, whose variance is what the splits are shares of, each unit's twice.
        std::vector<double> shares = splitsAbout(before.signal, std::vector<double>(before.signal.channels()));
        for (double& share : shares) share *= 2 / moments.mu2;
        return shares;
    }
    const PointValues y = convolved(weights, net.boundary, before).signal;
    if (net.kind == MomentKind::BatchNorm) return normalisedSwitching(y, net.epsilon);
    std::vector<double> shares = splitsAbout(y, std::vector<double>(y.channels()));
    for (double& share : shares) share /= net.weightScale * net.weightScale * moments.mu2;
    return shares;
}

bool hasExactIncrement(const MomentNet& net) {
    return net.kind == MomentKind::Vanilla && net.dimensions == 0 && net.activation == Activation::Relu && net.biasVariance == 0;
}

double exactIncrement(const PointValues& before) {
    const Matrix& x = before.values;
    const double variance = channelMoments(before).mu2, M = static_cast<double>(x.rows);
    if (!(variance > 0)) throw InputError("A signal without variance has no increment of its sensitivity.");
    Matrix gram(x.rows, x.rows);
    orderedProduct(x, MatrixView(x).transposed(), gram.values.data());
    double sum = 0;
    for (std::size_t m = 0; m < x.rows; ++m)
        for (std::size_t n = 0; n < m; ++n) {
            const double norms = std::sqrt(gram(m, m)) * std::sqrt(gram(n, n));
            if (norms > 0) sum += 2 * norms * oppositeParts(gram(m, n) / norms);
        }
    const double expectation = 2 / static_cast<double>(x.columns) * sum / (M * M);
    return 1 / std::sqrt(1 - expectation / variance);
}

}  // namespace kappaflow
