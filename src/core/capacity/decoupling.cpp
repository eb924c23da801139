#include "core/capacity/decoupling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace kappaflow {
namespace {

constexpr int kNodes = 16;

struct Rule {
    std::array<double, kNodes> node, weight;  ///< on [−1, 1]
};

// Roots of the Legendre polynomial by Newton's method from the usual cosine guess.
Rule gaussLegendre() {
    Rule rule{};
    for (int i = 0; i < kNodes; ++i) {
        double x = std::cos(std::numbers::pi * (i + 0.75) / (kNodes + 0.5)), slope = 1;
        for (int step = 0; step < 20; ++step) {
            double p = 1, before = 0;
            for (int k = 1; k <= kNodes; ++k) {
                const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
                before = p;
                p = next;
            }
            slope = kNodes * (x * p - before) / (x * x - 1);
            x -= p / slope;
        }
        rule.node[static_cast<std::size_t>(i)] = x;
        rule.weight[static_cast<std::size_t>(i)] = 2 / ((1 - x * x) * slope * slope);
    }
    return rule;
}

// Ends of the panels: half a standard deviation wide, but where |z| < 20 no wider than a half, the scale on which sigmoid and
// tanh bend; every place where an activation has a kink, and 0, is an end.
std::vector<double> panelEnds(double sigma) {
    constexpr double kBends = 20;
    std::vector<double> ends{-6, -2.5, -1, 0, 1, 2.5, 6};
    const double reach = 12 * sigma, fine = 0.5 * std::min(sigma, 1.0), coarse = 0.5 * sigma;
    double z = 0;
    while (z < reach) {
        ends.insert(ends.end(), {-z, z});
        z += z < kBends ? fine : coarse;
    }
    ends.insert(ends.end(), {-reach, reach});
    ends.erase(std::remove_if(ends.begin(), ends.end(), [&](double end) { return std::abs(end) > reach; }), ends.end());
    std::sort(ends.begin(), ends.end());
    return ends;
}

struct Moments {
    double eta = 0, etaSquare = 0, f = 0, fSquare = 0, zf = 0;
};

Moments momentsOf(Activation activation, double slope, double sigma) {
    const Rule rule = gaussLegendre();
    const auto ends = panelEnds(sigma);
    Moments m;
    for (std::size_t panel = 0; panel + 1 < ends.size(); ++panel) {
        const double half = 0.5 * (ends[panel + 1] - ends[panel]), centre = 0.5 * (ends[panel + 1] + ends[panel]);
        for (std::size_t i = 0; i < kNodes && half > 0; ++i) {
            const double z = centre + half * rule.node[i], t = z / sigma;
            const double w = half * rule.weight[i] * std::exp(-0.5 * t * t) / (sigma * std::sqrt(2 * std::numbers::pi));
            const double f = activate(activation, z, slope), eta = f / z;
            m.eta += w * eta;
            m.etaSquare += w * eta * eta;
            m.f += w * f;
            m.fSquare += w * f * f;
            m.zf += w * z * f;
        }
    }
    return m;
}

}  // namespace

double decouplingFactor(Activation activation, double z, double slope, std::uint64_t seed) {
    if (z != 0) return activate(activation, z, slope, seed) / z;
    if (activate(activation, 0, slope, seed) != 0) return std::numeric_limits<double>::infinity();
    return activationDerivative(activation, 0, slope, seed);
}

DecouplingScale decouplingScale(Activation activation, double slope, double sigma) {
    if (!(sigma > 0 && sigma < 1e6)) throw InputError("The standard deviation of an activation's argument must be positive and below 10⁶.");
    DecouplingScale scale;
    if (activation == Activation::PseudoRandom) {
        scale.etaSquare = scale.energy = 1;
        return scale;
    }
    const auto m = momentsOf(activation, slope, sigma);
    scale.etaSquareDiverges = activate(activation, 0, slope) != 0;
    scale.meanEta = m.eta;
    scale.etaSquare = scale.etaSquareDiverges ? std::numeric_limits<double>::infinity() : m.etaSquare;
    scale.energy = m.fSquare / (sigma * sigma);
    if (!scale.etaSquareDiverges) scale.nuIndependent = m.eta * m.eta / m.etaSquare;
    scale.nuEnergy = m.zf * m.zf / (sigma * sigma * m.fSquare);
    scale.nuCorrelation = m.zf * m.zf / (sigma * sigma * (m.fSquare - m.f * m.f));
    return scale;
}

std::optional<TwoSlopes> twoSlopes(Activation activation, double slope) {
    switch (activation) {
        case Activation::Identity:
            return TwoSlopes{1, 1};
        case Activation::Relu:
            return TwoSlopes{0, 1};
        case Activation::LeakyRelu:
            return TwoSlopes{slope, 1};
        case Activation::Abs:
            return TwoSlopes{-1, 1};
        default:
            return std::nullopt;
    }
}

double twoSlopeNu(TwoSlopes s) {
    const double squares = s.negative * s.negative + s.positive * s.positive, sum = s.negative + s.positive;
    if (!(squares > 0)) throw InputError("An activation with two slopes needs one that is not 0.");
    return sum * sum / (2 * squares);
}

double twoSlopeNuCorrelation(double nu) { return nu / (1 - 2 / std::numbers::pi * (1 - nu)); }

}  // namespace kappaflow
