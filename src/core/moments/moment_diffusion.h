#pragma once
#include <optional>
#include <vector>

#include "core/moments/log_moment_walk.h"
#include "core/moments/one_dimensional_law.h"

namespace kappaflow {

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

    MomentDiffusion(const WalkPlan&, std::size_t draws);
    /// Some layers of the draw whose turn it is; false when all draws are done.
    bool advance(double operations);
    double progress() const;
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
    void record();

    WalkPlan plan_;
    std::size_t wanted_, done_ = 0;
    std::optional<LogMomentWalk> walk_;
    std::vector<DiffusionLayer> layers_;
    std::vector<double> signal_, noise_;  ///< [draw][layer 1 … L]
};

}  // namespace kappaflow
