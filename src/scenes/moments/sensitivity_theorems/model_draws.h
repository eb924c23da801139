#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/moments/fresh_theorems.h"
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
    double branch = kUndefined;  ///< μ₂(y^{l,H})
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

}  // namespace kappaflow::sensitivity_theorems
