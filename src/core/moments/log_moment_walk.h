#pragma once
#include <cstdint>
#include <vector>

#include "core/base/rng.h"
#include "core/moments/moment_data.h"

namespace kappaflow {

/// Networks whose log-moments spread with depth (P3 Theorem 1): dense, vanilla, ReLU, He-initialised, without biases, every layer as wide
/// as the input.
struct WalkPlan {
    std::size_t width = 32, layers = 100, samples = 8;
    MomentData data = MomentData::White;
    std::uint64_t seed = 1;
};
/// Throws InputError where a size is zero or over 1000.
void validate(const WalkPlan&);

/// One layer of one drawn network. After collapse (every unit off for every sample) increments are 0.
struct WalkStep {
    double increment = 0, noiseIncrement = 0;          ///< δν₂(x^l), δμ₂(dx^l)
    double twinIncrement = 0, twinNoiseIncrement = 0;  ///< of a second set of weights on the same layer below; where twins are wanted
    double variance = 0;                               ///< Var_θ[δν₂] over the layer's weights, exactly, from the layer below
    double noiseVariance = 0;  ///< Var_θ[δμ₂(dx)], the masks taken as independent of the noise: exact for a one-dimensional signal
    double deadInputs = 0;     ///< share of samples whose feature vector is zero
    bool collapsedBefore = false;
};

/// Signal and noise through one drawn network, in the order of their laws but without its weights where these are more numbers than
/// needed: given the layer below, the rows of pre-activations y, dy are independent gaussian vectors with covariance (2/N)·BᵀB, B the 2M
/// columns of signal and noise. For 2M < N only N·2M gaussians are drawn and multiplied by the triangular factor of BᵀB; else N² weights.
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
    /// Pre-activations of the layer's units at sample 0, in units of their standard deviation over weights, √(2/N)·‖x^0‖.
    const std::vector<double>& preactivations() const { return fixed_; }
    double operations() const;  ///< of one layer

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

}  // namespace kappaflow
