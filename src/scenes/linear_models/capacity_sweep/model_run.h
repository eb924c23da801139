#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/linear/constraints.h"
#include "core/linear/optimum.h"
#include "scenes/linear_models/capacity_sweep/model_setup.h"

namespace kappaflow::capacity_sweep {

/// Where a search is, or ended.
struct Reached {
    double loss = 0;
    std::optional<double> optimality;  ///< ‖KᵀX‖/‖X‖, once it has ended
    bool converged = false;
    double iterations = 0;
    std::vector<double> history;
};

/// One number of channels.
class Point {
public:
    Point(const Setup&, const LinearTask&, int channels);
    int channels() const { return channels_; }
    double parameters() const { return static_cast<double>(model_->parameters()); }
    double exactRank() const { return exactRank_; }

    /// Some milliseconds of a search; false when it has ended.
    bool seekOptimum();
    bool descend();
    /// Share of its iterations, 0 … 1.
    double progress() const;

    std::optional<Reached> optimum, random;  ///< none before the first slice
    std::optional<double> numericalRank;

private:
    void check(Reached&, const std::vector<double>& weights, bool ofOptimum);
    bool advance(OptimumSearch&, Reached&) const;

    const Setup& setup_;
    const LinearTask& task_;
    int channels_;
    std::unique_ptr<LinearModel> model_;
    double exactRank_ = 0;
    std::unique_ptr<OptimumSearch> search_;
};

}  // namespace kappaflow::capacity_sweep
