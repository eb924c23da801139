#include "core/capacity/decoupling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/linalg/decompositions.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

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

DecouplingScale exactDecouplingScale(Activation activation, double slope, double sigma) {
    DecouplingScale scale = decouplingScale(activation, slope, sigma);
    if (const auto slopes = twoSlopes(activation, slope)) {
        scale.nuIndependent = scale.nuEnergy = twoSlopeNu(*slopes);
        scale.nuCorrelation = twoSlopeNuCorrelation(scale.nuEnergy);
        scale.meanEta = (slopes->negative + slopes->positive) / 2;
        scale.etaSquare = (slopes->negative * slopes->negative + slopes->positive * slopes->positive) / 2;
    }
    return scale;
}

namespace {

/// q_j = Σ p_j/√(p_jᵀ Σ p_j) as columns; 0 for a feature without variance.
Matrix standardised(const Matrix& features, const Matrix& sigma) {
    Matrix q = product(sigma, features);
    for (Size j = 0; j < q.columns; ++j) {
        double variance = 0;
        for (Size i = 0; i < q.rows; ++i) variance += features(i, j) * q(i, j);
        for (Size i = 0; i < q.rows; ++i) q(i, j) = variance > 0 ? q(i, j) / std::sqrt(variance) : 0;
    }
    return q;
}

std::vector<double> deviations(const Matrix& features, const Matrix& sigma) {
    const Matrix variances = congruence(features, sigma);
    std::vector<double> result;
    for (Size j = 0; j < features.columns; ++j) result.push_back(std::sqrt(std::max(0.0, variances(j, j))));
    return result;
}

// E[sgn z_i sgn z_j Y Yᵀ] at one entry, from the Hermite expansion of the two signs.
double signBlock(double rho, double sigma, double qi, double qj, double ri, double rj) {
    if (1 - std::abs(rho) < 1e-14) return rho > 0 ? sigma : -sigma;
    return 2 / std::numbers::pi * (std::asin(rho) * sigma + (qi * rj + qj * ri - rho * (qi * ri + qj * rj)) / std::sqrt(1 - rho * rho));
}

void requireShapes(const Matrix& features, const Matrix& sigma) {
    if (sigma.rows != sigma.columns || features.rows != sigma.rows)
        throw InputError("The features have as many rows as the covariance matrix, which is square.");
}

}  // namespace

Matrix approximateSigmaTilde(double nu, Size copies, const Matrix& sigma) {
    const Size n = sigma.rows;
    Matrix tilde(copies * n, copies * n);
    for (Size r = 0; r < tilde.rows; ++r)
        for (Size c = 0; c < tilde.columns; ++c) tilde(r, c) = (r / n == c / n ? 1 : nu) * sigma(r % n, c % n);
    return tilde;
}

Matrix exactSigmaTilde(TwoSlopes slopes, const Matrix& features, const Matrix& sigma) {
    requireShapes(features, sigma);
    const Size n = sigma.rows, m = features.columns;
    const double nu = twoSlopeNu(slopes);
    const Matrix q = standardised(features, sigma);
    const auto sd = deviations(features, sigma);
    Matrix tilde(m * n, m * n);
    for (Size i = 0; i < m; ++i)
        for (Size j = 0; j < m; ++j) {
            double rho = 0;
            for (Size k = 0; k < n && sd[j] > 0; ++k) rho += q(k, i) * features(k, j) / sd[j];
            for (Size k = 0; k < n; ++k)
                for (Size l = 0; l < n; ++l) {
                    const double block = i == j ? sigma(k, l) : signBlock(rho, sigma(k, l), q(k, i), q(k, j), q(l, i), q(l, j));
                    tilde(i * n + k, j * n + l) = nu * sigma(k, l) + (1 - nu) * block;
                }
        }
    return tilde;
}

double relativeDifference(const Matrix& a, const Matrix& b) {
    assert(a.values.size() == b.values.size());
    double difference = 0, norm = 0;
    for (Size i = 0; i < a.values.size(); ++i) {
        difference += (a.values[i] - b.values[i]) * (a.values[i] - b.values[i]);
        norm += b.values[i] * b.values[i];
    }
    return std::sqrt(difference / norm);
}

SigmaTildeMeasurement::SigmaTildeMeasurement(Matrix features, const Matrix& sigma, Activation activation, double slope, std::uint64_t seed)
    : features_(std::move(features)), activation_(activation), slope_(slope), rng_(seed, Purpose::MonteCarlo) {
    requireShapes(features_, sigma);
    factor_ = choleskyFactor(sigma);
    const Size size = features_.rows * features_.columns;
    sums_ = squares_ = Matrix(size, size);
    for (double deviation : deviations(features_, sigma)) {
        if (!(deviation > 0)) throw InputError("Every feature needs a weight that is not 0, else its η is never drawn.");
        const auto scale = decouplingScale(activation, slope, deviation);
        etaScale_.push_back(1 / std::sqrt(scale.etaSquareDiverges ? scale.energy : scale.etaSquare));
    }
}

std::vector<double> SigmaTildeMeasurement::draw() {
    const Size n = features_.rows, m = features_.columns;
    std::vector<double> normal(n), y(n), augmented(n * m);
    for (double& value : normal) value = rng_.gaussian();
    for (Size i = 0; i < n; ++i)
        for (Size k = 0; k <= i; ++k) y[i] += factor_(i, k) * normal[k];
    for (Size j = 0; j < m; ++j) {
        double z = 0;
        for (Size i = 0; i < n; ++i) z += features_(i, j) * y[i];
        const double eta = etaScale_[j] * decouplingFactor(activation_, z, slope_, j);
        for (Size i = 0; i < n; ++i) augmented[j * n + i] = eta * y[i];
    }
    return augmented;
}

void SigmaTildeMeasurement::add(Size draws) {
    for (Size d = 0; d < draws; ++d) {
        const auto y = draw();
        for (Size r = 0; r < y.size(); ++r) {
            double *sum = sums_.row(r), *square = squares_.row(r);
            for (Size c = r; c < y.size(); ++c) {
                const double value = y[r] * y[c];
                sum[c] += value;
                square[c] += value * value;
            }
        }
    }
    draws_ += static_cast<double>(draws);
}

Matrix SigmaTildeMeasurement::mean() const {
    Matrix result(sums_.rows, sums_.columns);
    for (Size r = 0; r < result.rows; ++r)
        for (Size c = r; c < result.columns; ++c) result(r, c) = result(c, r) = draws_ > 0 ? sums_(r, c) / draws_ : 0;
    return result;
}

Matrix SigmaTildeMeasurement::standardError() const {
    Matrix result(sums_.rows, sums_.columns);
    for (Size r = 0; r < result.rows && draws_ > 1; ++r)
        for (Size c = r; c < result.columns; ++c) {
            const double spread = std::max(0.0, squares_(r, c) - sums_(r, c) * sums_(r, c) / draws_);
            result(r, c) = result(c, r) = std::sqrt(spread / (draws_ - 1) / draws_);
        }
    return result;
}

double SigmaTildeMeasurement::largestStandardError() const {
    const auto errors = standardError().values;
    return *std::max_element(errors.begin(), errors.end());
}

}  // namespace kappaflow
