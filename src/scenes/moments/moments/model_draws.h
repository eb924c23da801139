#pragma once
#include <string>
#include <vector>

#include "core/moments/layer_moments.h"
#include "scenes/moments/model_nets.h"
#include "scenes/moments/moments/declaration_fields.h"

namespace kappaflow::moments {

using Size = std::size_t;
using Vector = std::vector<double>;

double valueOf(Curve, const LayerMoments&, MomentKind);

/// The layers of one draw as curves: [curve][layer], then [theory][layer]; NaN where nothing is defined.
struct DrawCurves {
    std::vector<Vector> curves, theory;
    Vector logChi, logVarianceRatio;
    Size layers() const { return logChi.size(); }  ///< reached, the input's included
};
DrawCurves curvesOf(const std::vector<LayerMoments>&, MomentKind);

/// Means over draws with their standard errors and 16–84 % bands, layer by layer.
struct Banded {
    Vector mean, low, high, error;
};

/// What many draws of one kind of network have in common. `layers` are counted without the input.
struct DrawStatistics {
    std::vector<Banded> curves;  ///< [curve]; over the draws that reach a layer
    std::vector<Vector> theory;  ///< [theory]
    Vector chiMedian, alive;
};
DrawStatistics statisticsOf(const std::vector<DrawCurves>&, Size layers);

}  // namespace kappaflow::moments
