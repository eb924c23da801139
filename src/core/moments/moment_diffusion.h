#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/rng.h"
#include "core/moments/moment_data.h"

namespace kappaflow {

/// Networks whose log-moments spread with depth (P3 Theorem 1): vanilla, ReLU, He-initialised, without biases, every layer as wide as the
/// input; dense, or convolutions with periodic boundaries over extent^dimensions positions.
struct WalkPlan {
    std::size_t width = 32, layers = 100, samples = 8;
    MomentData data = MomentData::White;
    std::uint64_t seed = 1;
    int dimensions = 0;                ///< 0: dense, whose extent and taps are 1
    std::size_t extent = 1, taps = 1;  ///< a dimension; taps odd

    std::size_t positions() const;
    std::size_t points() const { return samples * positions(); }
    double fanIn() const;  ///< taps^dimensions·width
};
/// Throws InputError where a size is zero or over 1000, or the taps are even.
void validate(const WalkPlan&);

/// One layer of one drawn network. After collapse (every unit off for every sample) increments are 0.
struct WalkStep {
    double increment = 0, noiseIncrement = 0;          ///< δν₂(x^l), δμ₂(dx^l)
    double twinIncrement = 0, twinNoiseIncrement = 0;  ///< of a second set of weights on the same layer below; where twins are wanted
    double variance = 0;                               ///< Var_θ[δν₂] over the layer's weights, exactly, from the layer below
    double noiseVariance = 0;  ///< Var_θ[δμ₂(dx)], the masks taken as independent of the noise: exact for a one-dimensional signal
    double deadInputs = 0;     ///< share of points (samples and positions) whose feature vector is zero
    bool collapsedBefore = false;
};

/// Signal and noise through one drawn network, in the order of their laws but without its weights where these are more numbers than
/// needed: given the layer below, the rows of pre-activations y, dy are independent gaussian vectors with covariance (2/N)·BᵀB, B the 2M
/// columns of signal and noise. For 2M < N only N·2M gaussians are drawn and multiplied by the triangular factor of BᵀB; else N² weights.
/// Of a convolution M counts points, and BᵀB is averaged over the taps: entry (α, β) over the entries (α + k, β + k).
/// Two columns whose directions differ by less than 1e-7 count as one.
class LogMomentWalk {
public:
    LogMomentWalk(const WalkPlan&, std::uint64_t draw, bool twins);
    /// The next layer; false when none is left.
    bool advance();
    std::size_t layer() const { return layer_; }
    const WalkStep& step() const { return step_; }
    /// log ν₂(x^l) − log ν₂(x^0) and the same of μ₂(dx); −∞ after collapse.
    double logNu2() const { return logNu2_; }
    double logMu2Noise() const { return logMu2Noise_; }
    /// Dense: pre-activations of the layer's units at sample 0, in units of their standard deviation over weights, √(2/N)·‖x^0‖.
    const std::vector<double>& preactivations() const { return fixed_; }

    /// Gaussians of the last layer [N][rows of the basis] and the basis they multiplied [rows][2M], √(2/N) in it: for tests.
    const std::vector<double>& gaussians() const { return gaussians_; }
    const Matrix& basis() const { return basis_; }
    /// Signal and noise [channel][2M], each scaled to a mean square of 1: for tests.
    const Matrix& state() const { return state_; }

private:
    struct Sizes {
        double signal = 0, noise = 0;  ///< sums of squares
    };
    void readGram();
    void reduce();
    void drawRows(Rng&);
    Sizes rectify();
    void measureVariances();
    void finish(Sizes before, Sizes after);

    WalkPlan plan_;
    Rng rng_, twinRng_;
    bool twins_;
    Matrix state_, gram_, basis_, rows_;
    std::vector<double> gaussians_, fixed_;
    std::size_t layer_ = 0;
    WalkStep step_;
    double logNu2_ = 0, logMu2Noise_ = 0, fixedUnit_ = 1;
};

/// The exact law of one layer of a He-initialised ReLU network without biases at a single input, or at inputs on one half-line:
/// ‖x^l‖² = ‖x^{l−1}‖²·(2/N)·Σ_c g_c⁺², N independent gaussians g. The terms of the sum that are not zero are k ~ Binomial(N, 1/2), so
/// the sum is χ²_k. To first order in 1/N the logarithm has mean −5/2N and variance 5/N (P3 Theorem 1).
struct OneDimensionalLaw {
    double drift = 0;      ///< E log(‖x^l‖²/‖x^{l−1}‖²) given k ≥ 1
    double variance = 0;   ///< of that logarithm
    double collapse = 0;   ///< P(k = 0) = 2^{−N}: the layer is zero
    double increments[5];  ///< E(‖x^l‖²/‖x^{l−1}‖²)^p, p = 0 … 4, collapse counted: 1, 1, 1 + 5/N, …
};
/// Throws InputError unless 1 <= width <= 1000. Cost: width steps.
OneDimensionalLaw oneDimensionalLaw(std::size_t width);

/// 1 − (1 − 2^{−N})^l: a given input is zero by layer l; all inputs together at the most as often (Theorem 1's events).
double collapseBy(const OneDimensionalLaw&, double layer);

/// Kurtosis over weights of a pre-activation of layer l >= 1 at a fixed input: 3·(1 + 5/N)^{l−1} (P3 Section 8).
double preactivationKurtosis(const OneDimensionalLaw&, double layer);
/// Standard error, as a share of the kurtosis, of its estimate from all units of a layer over so many networks: E y⁸ decides, which grows
/// faster with depth than the kurtosis squared, so that it is known from fewer and fewer layers.
double relativeKurtosisError(const OneDimensionalLaw&, std::size_t width, double layer, double draws);

/// P(|y| > t) of that pre-activation in units of its standard deviation, the log-norm below it taken as normal with its exact mean and
/// variance. Relative error below 1e-6 by the rule. Cost: 129 values of erfc.
double preactivationTail(const OneDimensionalLaw&, double layer, double t);

/// Mean of a number over draws, with its standard error.
struct DrawMean {
    double count = 0, sum = 0, square = 0;

    void add(double value) {
        ++count;
        sum += value;
        square += value * value;
    }
    double mean() const { return sum / count; }
    double variance() const;  ///< unbiased; 0 for a single draw
    double standardError() const;
};

/// Mean, variance, skewness and excess kurtosis of numbers, with the standard errors of the first two.
struct Spread {
    std::size_t count = 0;
    double mean = 0, variance = 0, skewness = 0, excess = 0;
    double meanError = 0, varianceError = 0;
};
Spread spreadOf(const std::vector<double>&);

/// Signal's and noise's part of a layer: increments over all networks alive below, and Eqs 5–7 from the twins among them.
struct IncrementMeans {
    DrawMean increment;  ///< δ: 1 in expectation
    DrawMean predicted;  ///< Var_θ[δ] given the layer below
    DrawMean drift;      ///< log δ = m̲ + s̲ of networks alive after, m̄ being 0
    DrawMean diffusion;  ///< ½(log δ − log δ')² of twins, both alive after: Var s̲ in expectation
};
struct DiffusionLayer {
    IncrementMeans signal, noise;
    DrawMean collapsed;             ///< 0 or 1 a network
    DrawMean dead;                  ///< share of a network's inputs that are zero
    DrawMean square, fourth;        ///< mean over units of y², y⁴ at sample 0, y in units of its standard deviation over weights
    double squareFourth = 0;        ///< sum over draws of their product
    std::vector<double> tailsOver;  ///< units with |y| above each threshold
};

/// Many networks whose log-moments spread (P3 Fig 2, Theorem 1): one walk after the other, each with fresh weights, input and noise.
class MomentDiffusion {
public:
    /// Every `kTwins`-th network draws each layer's weights twice.
    static constexpr std::size_t kTwins = 4;
    /// |y| = 2^{j/2} for j = −14 … 14.
    static constexpr int kLeastTail = -14, kMostTail = 14;

    explicit MomentDiffusion(const WalkPlan&);
    /// One more network; `tick` is called at every layer with the share of them that is through.
    void addDraw(const std::function<void(double)>& tick = [](double) {});
    std::size_t draws() const { return done_; }
    /// Layers 1 … L at [0 … L−1].
    const std::vector<DiffusionLayer>& layers() const { return layers_; }
    /// Of the finished draws that are alive by layer `layer` (0: all, zeros): log ν₂(x^l) − log ν₂(x^0), or the same of μ₂(dx).
    std::vector<double> logsAt(std::size_t layer, bool noise) const;
    /// Kurtosis of pre-activations of layer >= 1 at a fixed input, and its standard error (to first order).
    struct Kurtosis {
        double value = 0, standardError = 0;
    };
    Kurtosis kurtosis(std::size_t layer) const;

    /// Operations and bytes of the whole.
    static double operations(const WalkPlan&, std::size_t draws);
    static double bytes(const WalkPlan&, std::size_t draws);

private:
    void record(const LogMomentWalk&);

    WalkPlan plan_;
    std::size_t done_ = 0;
    std::vector<DiffusionLayer> layers_;
    std::vector<double> signal_, noise_;  ///< [draw][layer 1 … L]
};

}  // namespace kappaflow
