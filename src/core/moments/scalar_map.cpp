#include "core/moments/scalar_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/linalg/matrix.h"
#include "core/net/network.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

constexpr double kReachOfGrid = 5, kReachOfNodes = 9;
constexpr int kPanels = 180;

/// Gauss and Legendre with 8 nodes on [−1, 1], the positive half.
constexpr double kNode[] = {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959, 0.96028985649753623168};
constexpr double kWeight[] = {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054, 0.10122853629037625915};

/// e^{−t²/2}/√(2π).
double bell(double t) { return portableExp(-t * t / 2) / std::sqrt(2 * std::numbers::pi); }

/// Probability of [a, b] under N(0, 1), relative accuracy in both tails.
double normalMass(double a, double b) {
    const double root = std::sqrt(2.0);
    return a > 0 ? (std::erfc(a / root) - std::erfc(b / root)) / 2 : (std::erfc(-b / root) - std::erfc(-a / root)) / 2;
}

/// Nodes and weights of Gauss and Legendre for means over the mixture, panels of a tenth of the spread about each centre. They end at
/// `breaks` as well, where the integrand or a derivative jumps.
struct ScalarNodes {
    Vector x, weight;
};
void addComponent(ScalarNodes& nodes, double centre, double spread, double probability, const Vector& breaks) {
    if (probability == 0) return;
    Vector ends;  // in units of the spread from the centre
    for (int i = 0; i <= kPanels; ++i) ends.push_back(-kReachOfNodes + 2 * kReachOfNodes / kPanels * i);
    for (const double x : breaks)
        if (const double t = (x - centre) / spread; std::abs(t) < kReachOfNodes) ends.push_back(t);
    std::sort(ends.begin(), ends.end());
    for (Size i = 1; i < ends.size(); ++i) {
        const double middle = (ends[i] + ends[i - 1]) / 2, half = (ends[i] - ends[i - 1]) / 2;
        if (half <= 0) continue;
        for (Size n = 0; n < 4; ++n)
            for (const double side : {-1.0, 1.0}) {
                const double t = middle + side * half * kNode[n];
                nodes.x.push_back(centre + spread * t);
                nodes.weight.push_back(probability * half * kWeight[n] * bell(t));
            }
    }
}

}  // namespace

double ScalarMixture::mean() const { return separation * (0.5 - share); }
double ScalarMixture::variance() const { return spread * spread + share * (1 - share) * separation * separation; }

double ScalarMixture::density(double x) const {
    const double left = bell((x + separation / 2) / spread), right = bell((x - separation / 2) / spread);
    return (share * left + (1 - share) * right) / spread;
}

double ScalarMixture::mass(double a, double b) const {
    const auto under = [&](double centre) { return normalMass((a - centre) / spread, (b - centre) / spread); };
    return share * under(-separation / 2) + (1 - share) * under(separation / 2);
}

void validate(const ScalarMixture& mixture) {
    if (!(mixture.separation >= 0 && mixture.separation < 1e6))
        throw InputError("The separation of the mixture must be from 0 to a million.");
    if (!(mixture.spread > 0 && mixture.spread < 1e6))
        throw InputError("The spread of the mixture must be positive: without it nothing varies.");
    if (!(mixture.share >= 0 && mixture.share <= 1)) throw InputError("The share of the left component must be from 0 to 1.");
}

ScalarGrid scalarGrid(const ScalarMixture& mixture, double margin, Size points) {
    validate(mixture);
    if (points < 3 || points % 2 == 0) throw InputError("A grid about 0 takes an odd number of points, at least 3.");
    const double reach = mixture.separation / 2 + kReachOfGrid * mixture.spread + margin, half = static_cast<double>(points / 2);
    ScalarGrid grid;
    double sum = 0;
    for (Size i = 0; i < points; ++i) {
        grid.x.push_back(reach * (static_cast<double>(i) - half) / half);
        grid.weight.push_back(mixture.density(grid.x.back()));
        sum += grid.weight.back();
    }
    for (double& weight : grid.weight) weight /= sum;
    return grid;
}

namespace {

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
    validate(mixture);
    ScalarNodes nodes;
    addComponent(nodes, -mixture.separation / 2, mixture.spread, mixture.share, breaks);
    addComponent(nodes, mixture.separation / 2, mixture.spread, 1 - mixture.share, breaks);
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

namespace {

constexpr double kEpsilon = 1e-3;

Matrix drawMatrix(Size in, Size out, std::uint64_t seed, std::uint64_t stream) {
    Matrix weights(in, out);
    Rng rng(seed, Purpose::Weights, stream);
    for (double& weight : weights.values) weight = drawWeight(rng, std::sqrt(2.0 / static_cast<double>(in)));
    return weights;
}

/// BN: column by column the weighted mean is taken off and both are divided by the root of the weighted variance plus ε.
void normalise(Matrix& y, Matrix& dy, const std::vector<double>& weight) {
    std::vector<double> mean(y.columns), variance(y.columns);
    for (Size p = 0; p < y.rows; ++p)
        for (Size c = 0; c < y.columns; ++c) mean[c] += weight[p] * y(p, c);
    for (Size p = 0; p < y.rows; ++p)
        for (Size c = 0; c < y.columns; ++c) {
            const double centred = y(p, c) -= mean[c];
            variance[c] += weight[p] * centred * centred;
        }
    for (double& v : variance) v = 1 / std::sqrt(v + kEpsilon);
    for (Size p = 0; p < y.rows; ++p)
        for (Size c = 0; c < y.columns; ++c) y(p, c) *= variance[c], dy(p, c) *= variance[c];
}

}  // namespace

std::vector<ScalarCurve> batchNormCurves(const ScalarGrid& grid, Activation phi, Size width, Size layers, std::uint64_t seed,
                                         const LookAtCurves& look) {
    constexpr double kMultiplyAdds = 4e6;  // between two looks
    if (width == 0 || layers == 0) throw InputError("A batch-normalised net takes at least one unit and one layer.");
    const Size points = grid.size();
    Matrix signal(points, 1, grid.x), tangent(points, 1, Vector(points, 1.0));
    std::vector<ScalarCurve> curves{{grid.x, tangent.values}};
    for (Size layer = 1;; ++layer) {
        const Matrix readout = drawMatrix(signal.columns, 1, seed, 2 * layer + 1);
        Matrix y(points, 1), dy(points, 1);
        orderedProduct(signal, readout, y.values.data());
        orderedProduct(tangent, readout, dy.values.data());
        normalise(y, dy, grid.weight);
        double together = 0;
        for (Size p = 0; p < points; ++p) together += grid.weight[p] * y(p, 0) * curves.back().y[p];
        if (together < 0)
            for (Matrix* m : {&y, &dy})
                for (double& value : m->values) value = -value;
        curves.push_back({std::move(y.values), std::move(dy.values)});
        if (look) look(curves, layers > 1 ? static_cast<double>(layer - 1) / static_cast<double>(layers - 1) : 1);
        if (layer == layers) return curves;

        const Matrix weights = drawMatrix(signal.columns, width, seed, 2 * layer + 2);
        Matrix nextSignal(points, width), nextTangent(points, width);
        const Size some = static_cast<Size>(kMultiplyAdds / (2.0 * static_cast<double>(signal.columns * width))) + 16;
        for (Size row = 0; row < points; row += some) {
            const Size count = std::min(points - row, some);
            orderedProduct(MatrixView(signal.row(row), count, signal.columns), weights, nextSignal.row(row));
            orderedProduct(MatrixView(tangent.row(row), count, signal.columns), weights, nextTangent.row(row));
            const double inside = static_cast<double>(row) / static_cast<double>(points);
            if (look) look(curves, (static_cast<double>(layer - 1) + inside) / static_cast<double>(layers - 1));
        }
        normalise(nextSignal, nextTangent, grid.weight);
        for (Size i = 0; i < nextSignal.values.size(); ++i) {
            double& z = nextSignal.values[i];
            nextTangent.values[i] *= activationDerivative(phi, z, 0);
            z = activate(phi, z, 0);
        }
        signal = std::move(nextSignal), tangent = std::move(nextTangent);
    }
}

}  // namespace kappaflow
