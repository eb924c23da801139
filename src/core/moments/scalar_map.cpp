#include "core/moments/scalar_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/net/linear_pieces.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

constexpr double kCounts = 4.5;  ///< spreads from a centre within which outputs are binned
constexpr double kFlat = 1e-12;  ///< of the whole reach: less is no change

/// Means over weighted points, the variance about the mean.
template <class Value, class Slope>
ScalarSensitivity sensitivity(const ScalarMixture& mixture, const Vector& weight, Value value, Slope slope) {
    double sum = 0, first = 0, second = 0, slopes = 0;
    for (Size i = 0; i < weight.size(); ++i) {
        const double s = slope(i);
        sum += weight[i], first += weight[i] * value(i), slopes += weight[i] * s * s;
    }
    ScalarSensitivity out;
    out.mean = first / sum;
    for (Size i = 0; i < weight.size(); ++i) second += weight[i] * (value(i) - out.mean) * (value(i) - out.mean);
    out.variance = second / sum;
    out.slopeSquare = slopes / sum;
    out.rescaling = std::sqrt(out.variance / mixture.variance());
    return out;
}

double ratio(double rms, double rescaling) { return rms == 0 && rescaling == 0 ? 1 : rms / rescaling; }

/// Whether a point lies where the mixture has what is binned.
bool counts(const ScalarMixture& mixture, double x) {
    const double centre = mixture.separation / 2, reach = kCounts * mixture.spread;
    return (mixture.share > 0 && std::abs(x + centre) <= reach) || (mixture.share < 1 && std::abs(x - centre) <= reach);
}

void spreadOver(OutputDensity& out, double lo, double from, double to, double mass) {
    if (from > to) std::swap(from, to);
    const double bins = static_cast<double>(out.at.size()), a = (from - lo) / out.width, b = (to - lo) / out.width;
    const auto binOf = [&](double place) { return static_cast<Size>(std::clamp(std::floor(place), 0.0, bins - 1)); };
    const Size first = binOf(a), last = binOf(b);
    if (first == last) {
        out.density[first] += mass;
        return;
    }
    for (Size bin = first; bin <= last; ++bin) {
        const double left = bin == first ? a : static_cast<double>(bin), right = bin == last ? b : static_cast<double>(bin + 1);
        out.density[bin] += mass * (right - left) / (b - a);
    }
}

}  // namespace

double ScalarSensitivity::chi() const { return ratio(std::sqrt(slopeSquare), rescaling); }

ScalarSensitivity layerSensitivity(const ScalarMixture& mixture, Activation phi, double gain) {
    Vector breaks;
    if (isPiecewiseLinear(phi))
        for (const double threshold : piecewiseLinear(phi).thresholds) breaks.push_back(threshold / gain);
    const ScalarNodes nodes = mixtureNodes(mixture, breaks);
    return sensitivity(
        mixture, nodes.weight, [&](Size i) { return activate(phi, gain * nodes.x[i], 0); },
        [&](Size i) { return gain * activationDerivative(phi, gain * nodes.x[i], 0); });
}

ScalarCurve layerCurve(const ScalarGrid& grid, Activation phi, double gain) {
    ScalarCurve curve;
    for (const double x : grid.x) {
        curve.y.push_back(activate(phi, gain * x, 0));
        curve.slope.push_back(gain * activationDerivative(phi, gain * x, 0));
    }
    return curve;
}

ScalarSensitivity curveSensitivity(const ScalarMixture& mixture, const ScalarGrid& grid, const ScalarCurve& curve) {
    return sensitivity(
        mixture, grid.weight, [&](Size i) { return curve.y[i]; }, [&](Size i) { return curve.slope[i]; });
}

double chiOfChords(const ScalarMixture& mixture, const ScalarGrid& grid, const Vector& y) {
    double slopes = 0;
    for (Size i = 1; i < y.size(); ++i) {
        const double slope = (y[i] - y[i - 1]) / grid.step();
        slopes += mixture.mass(grid.x[i - 1], grid.x[i]) * slope * slope;
    }
    const ScalarSensitivity of = curveSensitivity(mixture, grid, {y, Vector(y.size())});
    return ratio(std::sqrt(slopes), of.rescaling);
}

bool stepShows(double chiOfSlopes, double chiOfChords) {
    constexpr double kNothing = 1e-9;  // of the rescaling's slope: what tails far from all inputs leave
    if (chiOfSlopes < kNothing && chiOfChords < kNothing) return true;
    return chiOfSlopes < kShownFactor * chiOfChords && chiOfChords < kShownFactor * chiOfSlopes;
}

double valueAt(const ScalarGrid& grid, const Vector& y, double x) {
    const double place = (x - grid.x.front()) / grid.step();
    const auto below = static_cast<Size>(std::clamp(std::floor(place), 0.0, static_cast<double>(y.size() - 2)));
    return y[below] + (place - static_cast<double>(below)) * (y[below + 1] - y[below]);
}

Vector pushedNoise(const Vector& points, const std::function<double(double)>& phi, double sigma) {
    constexpr int kHalf = 40;
    constexpr double kStep = 0.125;
    double weight[2 * kHalf + 1], square = 0;
    for (int k = -kHalf; k <= kHalf; ++k) {
        weight[k + kHalf] = std::exp(-kStep * kStep * k * k / 2);
        square += weight[k + kHalf] * kStep * kStep * k * k;
    }
    Vector rms;
    for (const double x : points) {
        const double here = phi(x);
        double sum = 0;
        for (int k = -kHalf; k <= kHalf; ++k) {
            const double change = phi(x + sigma * kStep * k) - here;
            sum += weight[k + kHalf] * change * change;
        }
        rms.push_back(std::sqrt(sum / square));
    }
    return rms;
}

OutputDensity outputDensity(const ScalarMixture& mixture, const ScalarGrid& grid, const Vector& y, Size bins) {
    double lo = std::numeric_limits<double>::infinity(), hi = -lo;
    for (Size i = 0; i < y.size(); ++i)
        if (counts(mixture, grid.x[i])) lo = std::min(lo, y[i]), hi = std::max(hi, y[i]);
    const double reach = hi - lo, pad = reach > 0 ? 0.01 * reach : 0.5;
    lo -= pad, hi += pad;
    OutputDensity out{Vector(bins), Vector(bins), (hi - lo) / static_cast<double>(bins), 0};
    double sum = 0;
    for (Size b = 0; b < bins; ++b) out.at[b] = lo + out.width * (static_cast<double>(b) + 0.5);
    for (Size i = 1; i < y.size(); ++i) {
        const double mass = mixture.mass(grid.x[i - 1], grid.x[i]);
        if (std::abs(y[i] - y[i - 1]) <= kFlat * reach) out.flat += mass;
        spreadOver(out, lo, std::clamp(y[i - 1], lo, hi), std::clamp(y[i], lo, hi), mass);
        sum += mass;
    }
    for (double& density : out.density) density /= sum * out.width;
    out.flat /= sum;
    return out;
}

}  // namespace kappaflow
