#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/linear/optimum.h"
#include "scene/scene.h"

namespace kappaflow::capacity_sweep {

/// A request read once and for all.
struct Setup {
    bool recurrent = false, random = true;
    int layers = 6;
    std::size_t length = 64;
    std::vector<int> channels;  ///< rising
    GaussianProcess process;
    OptimumOptions options;  ///< of the random starts

    std::unique_ptr<LinearModel> model(int channels) const;
    /// In double, from the sizes alone.
    double parameters(int channels) const;
};
Setup readSetup(const Values&);

/// Losses of a descent are reported after 0, 1, 2, 4, 8, … iterations with three steps between, at most this many.
std::vector<int> reportedIterations(int most);

Cost costOf(const Request&);
std::string costliestOf(const Request&);

}  // namespace kappaflow::capacity_sweep
