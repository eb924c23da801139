#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/capacity/deep_limit.h"
#include "core/capacity/differential_layers.h"
#include "core/capacity/ensemble_mean.h"
#include "scene/scene.h"

namespace kappaflow::deep_limit {

/// A request read once and for all.
struct Setup {
    bool differential = false;
    LimitKernel kernel;
    std::vector<double> weights;  ///< p_k of differential layers, an odd number
    double squaredNorm = 0;       ///< |p|² of differential layers
    double exponent = 0.5;
    std::vector<int> depths;  ///< rising; residual: none below Σ Δ_k
    bool raised = false;      ///< some were
    double draws = 0, precision = 0, checkStep = 0;
    std::uint64_t seed = 1;
    std::vector<std::string> warnings;

    /// Share of Δ that one of L layers moves. Residual layers with an exponent below 1/2 would move more than there is: they move all.
    double step(int layers, double exponent) const;
    double step(int layers) const { return step(layers, exponent); }
    double meanAt(int layers) const;
    double varianceAt(int layers, double exponent) const;
    bool isCritical() const { return exponent == 0.5; }
    /// Residual layers with so small an exponent that a layer moves all a unit has.
    bool isSaturated() const;
    bool moves() const { return kernel.total() > 0; }

    /// The forward equation at a depth. Its mean square grows as (1 + ε |p|²)^L and is carried by ever rarer draws: beyond e^kMaxGrowth
    /// no simulation meets them.
    static constexpr double kMaxGrowth = 10;
    ForwardEquation forwardAt(int layers) const;
    double logGrowth(int layers) const;
    bool isSimulated(int layers) const { return differential && logGrowth(layers) <= kMaxGrowth; }
    /// Positions on either side of the forward network's ring: eight standard deviations of the widest simulated depth.
    int forwardReach() const;
};
Setup readSetup(const Values&);

/// Inputs, and units of each layer, of the two-layer check.
constexpr std::size_t kCheckUnits = 3;
/// The check takes at most this many times as many draws as the forward equation.
constexpr double kCheckDraws = 20;

Cost costOf(const Request&);
std::string costliestOf(const Request&);

/// The forward network of one depth for the input δ, draw after draw.
class ForwardRun {
public:
    ForwardRun(const Setup&, int layers, std::uint64_t depthIndex);
    /// Some milliseconds of draws.
    void advance();
    bool finished() const { return finished_; }
    double progress() const { return finished_ ? 1 : squares_.count() / setup_.draws; }

    /// Mean squares of the outputs, −reach … reach, and of all together behind them.
    const EnsembleMean& squares() const { return squares_; }
    double effectiveDraws() const;
    /// The first solutions, kKept of them (zeros while they are not drawn).
    static constexpr std::size_t kKept = 5;
    std::vector<std::vector<double>> kept;

private:
    const Setup& setup_;
    ForwardEquation equation_;
    std::vector<double> start_;
    std::uint64_t stream_;
    EnsembleMean squares_;
    bool finished_ = false;
};

/// Two pseudo-random differential layers on three inputs, and what D says of them.
class CheckRun {
public:
    explicit CheckRun(const Setup&);
    void advance();
    bool finished() const { return finished_; }
    double progress() const { return finished_ ? 1 : simulation_.draws() / (kCheckDraws * setup_.draws); }

    /// Enough draws for sixteen batches to have a rank.
    bool hasResult() const { return simulation_.draws() >= 1000; }
    const DifferentialSimulation& simulation() const { return simulation_; }
    /// D₁ D₂ κ².
    std::vector<double> predicted() const;
    /// max |Σ̃ − I|.
    double covarianceGap() const;

private:
    const Setup& setup_;
    DifferentialNetwork network_;
    DifferentialSimulation simulation_;
    bool finished_ = false;
};

/// What is known so far: all chains, and the simulations as far as they are.
struct Progress {
    std::vector<LatticeDistribution> chains;  ///< [depth]
    LatticeDistribution flow, gaussian;
    std::vector<std::unique_ptr<ForwardRun>> forward;  ///< [depth], of differential layers
    std::unique_ptr<CheckRun> check;
};

Report makeReport(const Setup&, const Progress&, bool finished);

}  // namespace kappaflow::deep_limit
