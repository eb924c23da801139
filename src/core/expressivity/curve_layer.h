#pragma once
#include <cstdint>
#include <vector>

#include "core/expressivity/curve_pieces.h"
#include "core/expressivity/piecewise_linear.h"

namespace kappaflow {

/// One affine map and the activation behind it. The matrix is kept transposed, [in][out]: pieces go through it as rows.
struct CurveLayer {
    std::size_t in = 0, out = 0;
    std::vector<double> weights;  ///< [in][out]
    std::vector<double> bias;     ///< [out], never empty
    PiecewiseLinear activation;
};

/// Dense layers, each with the activation behind it (identity where there is none). Throws InputError naming the layer when it is of
/// another kind or its activation is not piecewise linear.
std::vector<CurveLayer> curveLayers(const Network&);
/// As above from weights [out][in] and a bias that may be empty.
CurveLayer curveLayer(std::span<const double> weights, std::span<const double> bias, std::size_t in, PiecewiseLinear);

/// A unit's change of state along the curve: from `from` below t to `to` above it. Of sign changes: 0 is h <= 0, 1 is h > 0.
struct CurveTransition {
    double t;
    std::uint32_t unit;
    std::int16_t from, to;
};

/// What one layer did to the curve.
struct CurveCrossings {
    std::vector<CurveTransition> states;  ///< changes of the linear piece, t ascending
    std::vector<CurveTransition> signs;   ///< changes of the sign of h, t ascending: for ReLU, leaky ReLU and |h| the same places
};

/// h = W z + b on every piece.
CurvePieces throughAffine(const CurveLayer&, const CurvePieces&);

/// z = φ(h) for pre-activations h in pieces: pieces are cut where a unit passes a threshold, t = φ₀ ± arccos((τ − r)/√(p² + q²)) on arcs
/// and (τ − r)/p on segments. Crossings nearer than kSnap to each other or to a border count as one place (duplicated, negated and
/// rescaled units; breakpoints at borders); a unit's state between its crossings is read at the middle, so a touch without crossing
/// changes nothing, and a unit that lies at a threshold (to 16 roundings of `scale`) counts as below it.
/// `scale` [piece][unit], may be empty: size of the terms that h was summed from, max |h| where it is empty.
/// Cost: about 8 operations a piece and unit, 40 more a crossing.
struct CurveImage {
    CurvePieces curve;
    CurveCrossings crossings;
};
CurveImage throughActivation(const CurvePieces& preactivations, const PiecewiseLinear&);

/// Places where coordinates of a curve change their sign (z = 0 counts as below), t ascending: label flips of a readout.
std::vector<CurveTransition> signChanges(const CurvePieces&);

inline constexpr double kSnap = 1e-12;  ///< in t

/// One layer, a block of pieces at a time: throughActivation(throughAffine(…)) without ever holding all pre-activations. Stops by
/// itself once the image has more than `maxPieces` pieces.
class CurveLayerStep {
public:
    /// Both references must outlive the step.
    CurveLayerStep(const CurveLayer&, const CurvePieces& from, double maxPieces);
    ~CurveLayerStep();
    CurveLayerStep(const CurveLayerStep&) = delete;
    CurveLayerStep& operator=(const CurveLayerStep&) = delete;

    /// Does at least one piece and about `operations` multiply-adds; false when nothing is left or the image is over its limit.
    bool advance(double operations);
    bool overLimit() const { return over_; }
    double progress() const;
    /// The finished image; the step is empty afterwards.
    CurveImage take();

private:
    void block(std::size_t first, std::size_t count);

    const CurveLayer& layer_;
    const CurvePieces& from_;
    double maxPieces_;
    std::size_t next_ = 0;
    bool over_ = false;
    CurveImage image_;
    struct Work;
    Work* work_;
};

}  // namespace kappaflow
