#include "core/moments/scalar_mixture.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/errors.h"
#include "core/base/portable_math.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

constexpr double kReachOfGrid = 5, kReachOfNodes = 9, kPanel = 0.1;

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

/// Ends of panels in units of the spread from one component's centre: even ones, and the breaks.
std::vector<double> panelEnds(double centre, double spread, const std::vector<double>& breaks) {
    std::vector<double> ends;
    const auto panels = static_cast<int>(2 * kReachOfNodes / kPanel + 0.5);
    for (int i = 0; i <= panels; ++i) ends.push_back(-kReachOfNodes + kPanel * i);
    for (const double x : breaks)
        if (const double t = (x - centre) / spread; std::abs(t) < kReachOfNodes) ends.push_back(t);
    std::sort(ends.begin(), ends.end());
    return ends;
}

void addComponent(ScalarNodes& nodes, double centre, double spread, double probability, const std::vector<double>& breaks) {
    if (probability == 0) return;
    const auto ends = panelEnds(centre, spread, breaks);
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

ScalarNodes mixtureNodes(const ScalarMixture& mixture, const std::vector<double>& breaks) {
    validate(mixture);
    ScalarNodes nodes;
    addComponent(nodes, -mixture.separation / 2, mixture.spread, mixture.share, breaks);
    addComponent(nodes, mixture.separation / 2, mixture.spread, 1 - mixture.share, breaks);
    return nodes;
}

}  // namespace kappaflow
