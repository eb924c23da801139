#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/expressivity/curve_pieces.h"
#include "core/net/network.h"

namespace kappaflow {

/// One affine map and the activation behind it. The matrix is kept transposed: pieces and points go through it as rows.
struct CurveLayer {
    std::size_t in = 0, out = 0;
    std::vector<double> weights;  ///< [in][out]
    std::vector<double> bias;     ///< [out], never empty
    Activation kind = Activation::Identity;
    double slope = 0.01;      ///< of the leaky ReLU, factor of Elu
    LinearPieces activation;  ///< of `kind`; affine and without meaning where it has no linear pieces
    /// Layers of any kind in place of all of this: points and tangents go through them, pieces do not.
    std::vector<Layer> whole = {};
};

/// From weights [out][in] and a bias [out] that may be empty. Throws InputError when sizes do not fit or a number is not finite.
CurveLayer curveLayer(std::span<const double> weights, std::span<const double> bias, std::size_t in, Activation, double slope = 0.01);
/// Dense layers (flattening between them), each with the activation behind it, identity where there is none. Throws InputError naming
/// the layer when it is of another kind.
std::vector<CurveLayer> curveLayers(const Network&);
/// The same of a network of dense layers; of any other, one of `whole` layers for each convolution, dense layer, pooling and block with
/// what stands behind it, or between each two of `states`, 0 first. Curves through those are sampled. Throws InputError for the
/// pseudo-random sign, behind which a curve is none.
std::vector<CurveLayer> anyCurveLayers(const Network&, const std::vector<std::size_t>& states = {});
/// Multiply-adds of one point.
double usesOf(const CurveLayer&);
/// φ(h) and φ'(h), tanh by the portable one: deep layers magnify the last bit until nothing else is left.
struct ActivatedUnit {
    double value, slope;
};
ActivatedUnit activated(const CurveLayer&, double h);
/// Whether all are affine maps and activations of linear pieces, so that trajectories through the layers are exact.
bool isPiecewiseLinear(const std::vector<CurveLayer>&);

/// A unit's change of state along the curve: `from` below t, `to` above it. Of sign changes: 0 is h <= 0, 1 is h > 0.
struct CurveTransition {
    double t;
    std::uint32_t unit;
    std::int16_t from, to;
};

/// What one layer did to the curve.
struct CurveCrossings {
    std::vector<CurveTransition> states;  ///< changes of the linear piece, t ascending
    std::vector<CurveTransition> signs;   ///< changes of the sign of h, t ascending: for ReLU, leaky ReLU and |h| the same
};

/// A curve behind a layer, and how it came to be cut.
struct CurveImage {
    CurvePieces curve;
    CurveCrossings crossings;
};

/// Crossings nearer than this in t to each other or to a border count as one place.
inline constexpr double kSnap = 1e-12;
/// Coefficients below this many roundings of what they were summed from count as 0.
inline constexpr double kRoundings = 16 * 2.220446049250313e-16;

/// h = W z + b on every piece; a coefficient that is rounding alone becomes 0, so that what cancels, cancels. Cost: pieces × 3 × in × out
/// multiply-adds, summed in the order of `in`: the same bits on every platform.
CurvePieces throughAffine(const CurveLayer&, const CurvePieces&);

/// Throws InputError naming the first layer that does not take what comes before it, `units` into the first.
void requireFit(const std::vector<CurveLayer>&, std::size_t units);

/// z = φ(h) for pre-activations h in pieces: pieces are cut where a unit passes a threshold τ, t = φ₀ ± arccos((τ − r)/√(p² + q²)) on
/// arcs and (τ − r)/p on segments. What coincides to kSnap is one place (duplicated, negated and rescaled units; breakpoints at
/// borders). A unit's state is read between its crossings: a touch changes nothing, and a unit that lies at a threshold
/// counts as below it. Cost: about 10 operations a piece and unit, 100 more a crossing.
CurveImage throughActivation(const CurvePieces& preactivations, const LinearPieces&);

/// Places where coordinates of a curve change their sign (0 counts as below), t ascending: label flips of a readout.
std::vector<CurveTransition> signChanges(const CurvePieces&);

/// One layer, a block of pieces at a time: throughActivation(throughAffine(…)) without ever holding all pre-activations. Ends early
/// once the image has more than `maxPieces` pieces.
class CurveLayerStep {
public:
    /// Both must outlive the step. The layer must take the curve's units (asserted).
    CurveLayerStep(const CurveLayer&, const CurvePieces& from, double maxPieces);
    ~CurveLayerStep();

    /// Does at least one piece and about `operations` multiply-adds; false when nothing is left or the image is over its limit.
    bool advance(double operations);
    bool overLimit() const { return static_cast<double>(image_.curve.pieces()) > maxPieces_; }
    double progress() const { return static_cast<double>(next_) / static_cast<double>(from_->pieces()); }
    /// The image so far; whole after the last advance.
    CurveImage& image() { return image_; }

private:
    const CurveLayer* layer_;
    const CurvePieces* from_;
    double maxPieces_;
    std::size_t next_ = 0;
    CurveImage image_;
    struct Work;
    std::unique_ptr<Work> work_;
};

}  // namespace kappaflow
