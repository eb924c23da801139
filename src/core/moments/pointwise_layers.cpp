#include "core/moments/pointwise_layers.h"

#include <algorithm>
#include <cmath>

#include "core/base/portable_math.h"

namespace kappaflow {

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

std::vector<double> channelSquares(const PointValues& tensor) {
    std::vector<double> squares(tensor.channels());
    for (std::size_t p = 0; p < tensor.points(); ++p) {
        const double* row = tensor.values.row(p);
        for (std::size_t c = 0; c < squares.size(); ++c) squares[c] += row[c] * row[c];
    }
    for (double& square : squares) square /= static_cast<double>(tensor.points());
    return squares;
}

double normalisedNoise(const PointValues& noise, const ChannelMoments& signal, double epsilon) {
    const std::vector<double> squares = channelSquares(noise);
    double sum = 0;
    for (std::size_t c = 0; c < squares.size(); ++c) sum += squares[c] / (signal.variance[c] + epsilon);
    return sum / static_cast<double>(squares.size());
}

}  // namespace kappaflow
