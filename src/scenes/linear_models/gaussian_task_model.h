#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_task.h"
#include "core/linear/optimum.h"
#include "scenes/linear_models/gaussian_task.h"

namespace kappaflow::linear {

/// The process that the params name.
GaussianProcess processOf(const TaskParams&);

/// Newest first, as reports count lags, of what the core keeps oldest first.
std::vector<double> newestFirst(std::vector<double> oldestFirst);

/// All of the second at the end of the first.
inline void append(std::vector<double>& all, const std::vector<double>& more) { all.insert(all.end(), more.begin(), more.end()); }

/// The stack that params of kTreeParams describe, with so many channels. Any values give one, be it over the core's limits.
HierarchicalShape treeShape(Dilation, int layers, int taps, const std::vector<int>& dilations, int channels);
template <class Params>
HierarchicalShape treeShape(const Params& p, int channels) {
    return treeShape(p.dilation, p.layers, p.taps, p.dilations, channels);
}
/// Larger than scenes analyse: spectra and eigenvectors grow as n³. Such a request costs kOversized.
bool oversized(const HierarchicalShape&);
inline constexpr Cost kOversized{1e12, 1e9};

/// A stack's weights as convolutions are printed everywhere: [out][in][tap].
std::vector<ReportLayer> printedLayers(const HierarchicalModel&, const std::vector<double>& weights);

/// The same response from weights in general position. A tensor train makes use of bondDimensions of its channels, and a search may leave
/// the others at 0; what a layer can do by itself, the others constant, then looks smaller than it is. Such a channel gets random
/// weights on one side of its bond (N(0, 1/c), stream (seed, Weights, 5000 + bond)): those that read it where the layers below fill the
/// bond, those that write it where the layers above do. Channels that are in use stay as they are.
std::vector<double> fillUnusedChannels(const HierarchicalModel&, std::vector<double> weights, std::uint64_t seed);

/// "2.89·10⁻¹⁰".
std::string lossInWords(double);

/// Trees reach their optimum within some thirty steps of the best search, or stay at rounding.
inline constexpr int kTreeIterations = 100;

/// Returns whether the model is a hierarchical one whose responses are tensor trains.
bool isTrain(const LinearModel&);
/// Returns whether the best search begins at its target, and ends there: the model is a train that has every response.
bool beginsAtTarget(const LinearModel&);

/// Returns whether few weights say nearly all about the next sample of the process: an autoregression, or a power law of large exponent.
bool isEasy(const TaskParams&);

/// Operations of a search: the core's estimate, less where the process or the model is known to end it early. Tensor trains take one
/// step to twenty, recurrent units few for autoregressions.
double optimumCost(const TaskParams&, const LinearModel&, const OptimumOptions&);

}  // namespace kappaflow::linear
