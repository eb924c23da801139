#pragma once
#include <optional>

#include "core/linear/hierarchical_model.h"
#include "core/linear/input_covariance.h"
#include "core/linear/optimum.h"
#include "scene/scene.h"

namespace kappaflow::errors_vs_capacity {

/// Bound and squared error of one draw, or means over draws; each of a profile sums to 1 (to 0 where no capacity is missing).
struct Profile {
    std::vector<double> bound, error;
};

/// What one search ended with.
struct DrawResult {
    Profile lags, components;  ///< newest lag first; eigenvectors of Σ, largest eigenvalue first
    double loss = 0, optimality = 0;
};

/// A request read once and for all.
struct Setup {
    HierarchicalShape shape;
    bool random = true;  ///< a target a draw, from the tensor train next to it; else the process's own, from random weights
    std::size_t draws = 1;
    int iterations = 1;
    std::uint64_t seed = 1;
};
Setup readSetup(const Values&);

/// Searches draw after draw, in slices.
class DrawRun {
public:
    explicit DrawRun(const Values&);
    /// Some milliseconds; false when all draws are through.
    bool advance();
    double progress() const;

    const Setup& setup() const { return setup_; }
    const HierarchicalModel& model() const { return model_; }
    const std::vector<DrawResult>& results() const { return results_; }

private:
    void begin();
    DrawResult read() const;

    Setup setup_;
    HierarchicalModel model_;
    LinearTask task_;  ///< of the process
    Matrix eigenvectors_;
    std::optional<LinearTask> drawn_;   ///< with the target of the draw under way
    std::unique_ptr<Descent> descent_;  ///< null between two draws
    int iterations_ = 0;                ///< of it
    std::vector<DrawResult> results_;
};

Cost costOf(const Request&);
std::string costliestOf(const Request&);

}  // namespace kappaflow::errors_vs_capacity
