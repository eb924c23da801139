#include "core/moments/point_values.h"

#include <cmath>

namespace kappaflow {
namespace {

/// Sums of one channel over points; first raw, then about the mean.
struct ChannelSums {
    std::vector<double> first, second, fourth, absolute, positive;
    explicit ChannelSums(std::size_t channels)
        : first(channels), second(channels), fourth(channels), absolute(channels), positive(channels) {}

    void add(const double* row, const double* centre) {
        for (std::size_t c = 0; c < first.size(); ++c) {
            const double value = row[c] - centre[c], square = value * value;
            first[c] += value;
            second[c] += square;
            fourth[c] += square * square;
            absolute[c] += std::abs(value);
            positive[c] += value > 0 ? value : 0;
        }
    }
};

ChannelSums sumsAbout(const Matrix& values, const std::vector<double>& centre) {
    ChannelSums sums(values.columns);
    for (std::size_t p = 0; p < values.rows; ++p) sums.add(values.row(p), centre.data());
    return sums;
}

double sumOf(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
}

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
        // |f| = 2f⁺ − f, so that f⁻ = f⁺ − f.
        const double positive = raw.positive[c] / P, negative = (raw.absolute[c] - raw.positive[c]) / P;
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

}  // namespace kappaflow
