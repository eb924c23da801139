#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/moments/moment_theory.h"
#include "scenes/moments/model_nets.h"

namespace kappaflow::sensitivity_theorems {

/// Where the theorem's expectation over weights comes from.
enum class Expectation { Fresh, Channels, Exact };

struct Setup {
    random_nets::NetSetup nets;
    Expectation expectation = Expectation::Fresh;                      ///< what is used: Exact only where there is a closed form
    std::size_t fresh() const { return nets.net.residual() ? 2 : 1; }  ///< sets of weights a layer
};
Expectation expectationOf(const Values&, const MomentNet&);

/// What is compared in a layer or residual unit of one network.
struct LayerRecord {
    double deltaChi = kUndefined, theorem = kUndefined;
    double batchNorm = kUndefined, batchNormTheorem = kUndefined;
    double activation = kUndefined, activationTheorem = kUndefined;
    double logChi = 0, logTheorem = 0;  ///< of the product of increments
    double variance = kUndefined;       ///< of x^l over that of y^l's or z^l's, doubled: δ_φ^{−2} in expectation
    double inner = kUndefined;          ///< product of a unit's inner increments
    double innerLow = kUndefined, innerHigh = kUndefined;
    double branch = kUndefined;  ///< μ₂(y^{l,H}); of layer 0 μ₂(y⁰)
};

/// One network, layer by layer, with the theorem's value taken before each layer is drawn.
class TheoremRun {
public:
    TheoremRun(const Setup&, std::size_t draw);
    /// One linear layer; false when the network is through.
    bool advance();
    std::size_t linearLayersDone() const { return network_.linearLayersDone(); }
    const std::vector<LayerRecord>& records() const { return records_; }              ///< [0] is the input
    const std::vector<std::vector<double>>& switching() const { return switching_; }  ///< [layer 1 …][unit]; of draw 0
    double firstStep() const { return firstStep_; }  ///< closed form of the first increment; NaN where there is none; of draw 0
    const std::string& collapsed() const { return network_.collapsed(); }

private:
    void expect();
    void finishLayer();
    double closedFirstStep() const;

    Setup setup_;
    std::size_t draw_;
    MomentPropagation network_;
    FreshTheorems expected_;
    std::vector<LayerRecord> records_;
    std::vector<std::vector<double>> switching_;
    double firstStep_ = kUndefined;
};

/// What is known so far.
struct Progress {
    std::vector<std::vector<LayerRecord>> draws;  ///< whole ones: [draw][layer 0 …]
    std::vector<std::vector<double>> switching;   ///< of the first network, as far as it came
    double firstStep = kUndefined;
    std::string collapse;  ///< why the first network that died did
    bool finished = false;
};

/// Mean over layers of (mean over draws of a)/(mean over draws of b), with the standard error of its spread over draws to first order; NaN
/// without a layer where both are known. Layers that a draw does not reach are left out of that draw.
struct MeanRatio {
    double value = kUndefined, standardError = 0;
    std::size_t draws = 0;
};
using Part = double LayerRecord::*;
MeanRatio meanRatio(const Progress&, std::size_t layers, Part measured, Part theorem);
/// The same of δ_φ's variance and the theorem's increment to the power −2.
MeanRatio varianceRatio(const Progress&, std::size_t layers, Part theorem);

/// Ratios nearer to 1 are equal to rounding, and a standard error that small says nothing; nor does one of fewer draws.
inline constexpr double kEqualRatios = 1e-6, kLeastError = 1e-6;
inline constexpr std::size_t kDrawsForError = 3;

Report makeReport(const Setup&, const Progress&);
std::string summaryOf(const Setup&, const Progress&, const Report&);

}  // namespace kappaflow::sensitivity_theorems
