#include "core/moments/point_values.h"

#include <cmath>

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

}  // namespace kappaflow
