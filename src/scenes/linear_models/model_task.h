#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_task.h"
#include "core/linear/optimum.h"
#include "core/linear/subspace.h"
#include "scene/report.h"
#include "scene/scene.h"

namespace kappaflow::linear {

/// The process that the params of taskParams() name.
GaussianProcess processOf(const Values&);

/// Newest first, as reports count lags, of what the core keeps oldest first.
std::vector<double> newestFirst(std::vector<double> oldestFirst);

/// Directions along which capacity is measured, beside the lags.
class MeasuredBasis {
public:
    /// `key`: position, covariance or fourier. Covariance costs 9·n³.
    MeasuredBasis(const std::string& key, const InputCovariance&);
    /// Positions from the newest; eigenvectors from the largest eigenvalue; frequencies from 0.
    std::vector<double> capacity(const Matrix& constraints) const;

private:
    bool fourier_ = false;
    Matrix eigenvectors_;
};

/// The stack that the params of treeParams() describe, with so many channels. Any values give one, be it over the core's limits.
HierarchicalShape treeShape(const Values&, int channels);
/// The param that makes it larger than scenes analyse: "" when it is not. (Spectra and eigenvectors grow as n³.)
std::string oversized(const Values&);

/// A stack's weights as convolutions are printed everywhere: [out][in][tap].
std::vector<ReportLayer> printedLayers(const HierarchicalModel&, const std::vector<double>& weights);

/// The same response from weights in general position. A tensor train makes use of bondDimensions of its channels, and a search may leave
/// the others at 0; what a layer can do by itself, the others constant, then looks smaller than it is. Such a channel gets random
/// weights on one side of its bond (N(0, 1/c), stream (seed, Weights, 5000 + bond)): those that read it where the layers below fill the
/// bond, those that write it where the layers above do. Channels that are in use stay as they are.
std::vector<double> fillUnusedChannels(const HierarchicalModel&, std::vector<double> weights, std::uint64_t seed);

/// Operations of a search: the core's bound, and for tensor trains, which end after some twenty steps, what these take.
double optimumCost(const LinearModel&, const OptimumOptions&);

}  // namespace kappaflow::linear
