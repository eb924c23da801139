#pragma once
#include "core/linear/optimum.h"
#include "core/linear/subspace.h"
#include "scenes/linear_models/model_task.h"
#include "scenes/linear_models/model_tree.h"

namespace kappaflow::contributions {

/// A request read once and for all.
struct Setup {
    HierarchicalShape shape;
    GaussianProcess process;
    bool backward = false;
    std::vector<std::size_t> freeze;  ///< 0-based, rising, each once
    std::size_t draws = 1;
    std::uint64_t seed = 1;
    std::vector<std::string> warnings;

    /// All that are not frozen.
    std::vector<std::size_t> freeLayers() const;
};
Setup readSetup(const Values&);

/// What was found so far. Layers from the input up, lags from the newest.
struct Found {
    std::vector<double> weights;
    double loss = 0, optimality = 0;
    std::vector<ChainLink> chain, reverse, alone, marginal;  ///< empty before the analysis
    std::vector<double> chainExact, marginalExact;           ///< empty where counting would take too long
    std::vector<double> capacity;
    double exactRank = 0, rank = 0, freeCapacity = 0;
    std::vector<double> frozenLosses;
};
void analyseLayers(const Setup&, const HierarchicalModel&, const LinearTask&, Found&);
/// Whether ranks of parts of the layers are counted modulo 2³¹ − 1 too.
bool countsExactly(const Setup&);
Report reportOf(const Setup&, const Found&, bool finished);

}  // namespace kappaflow::contributions
