#pragma once
#include "core/moments/moment_net.h"
#include "core/moments/point_values.h"

namespace kappaflow {

/// y = ω * x + β and dy = ω * dx (Eqs 1–2), centred cross-correlation: output position α, tap k reads input s·α + k − (K−1)/2, which
/// beyond the border is the cell around the ring (Periodic), the mirrored one without the edge twice (Reflect) or zero. Output extent is
/// the input's over the stride, rounded up. Products of blocks of points, signal and noise together, summed in a fixed order: the same
/// bits on every platform. Cost: 4·points·taps^d·in·out operations. Throws InputError when shapes do not fit or reflection needs more cells
/// than there are.
SignalAndNoise convolved(const MomentWeights&, Padding, const SignalAndNoise&);

/// The same into memory that is used again layer after layer: pages fresh from the system cost as much as the products of a small layer.
class PointConvolution {
public:
    /// `out` must not be `in`.
    void apply(const MomentWeights&, Padding, const SignalAndNoise& in, SignalAndNoise& out);

private:
    std::vector<double> rows_, products_;
};

/// The same as the first layer of a net that it leaves with `inputs` channels at `extent` positions a dimension; a dense net's stem takes
/// whole samples as rows. No bias, no activation (P3 Sec. 7). Throws InputError when the result does not fit the net.
SignalAndNoise throughStem(const MomentNet&, const SignalAndNoise&, const MomentWeights&);

}  // namespace kappaflow
