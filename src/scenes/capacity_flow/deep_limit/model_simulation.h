#pragma once
#include "core/capacity/differential_layers.h"
#include "core/capacity/ensemble_mean.h"
#include "scenes/capacity_flow/deep_limit/model_setup.h"

namespace kappaflow::deep_limit {

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

}  // namespace kappaflow::deep_limit
