#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/expressivity/curve_layer.h"
#include "core/expressivity/followed_curve.h"
#include "core/net/network.h"

namespace kappaflow {

/// Width k, weights N(0, σ_w²/k), biases N(0, σ_b²).
struct GrowthSetting {
    Activation activation = Activation::HardTanh;
    double slope = 0.01;  ///< of the leaky ReLU
    double width = 100, weightVariance = 4, biasVariance = 0;
};

/// Theorem 1 of arXiv 1606.05336 for hard-tanh: B = σ_w/(σ_w² + σ_b²)^¼ · √k/√(√(σ_w² + σ_b²) + k), the base of a lower bound that holds
/// up to a constant in each layer: B itself lies above what is measured. Without bias it is √(σ_w k/(σ_w + k)).
double theoremOneBase(const GrowthSetting&);
/// The same theorem's line for ReLU as printed at ICML 2017: σ_w √k/√(k + 1), again up to a constant in each layer.
double theoremOneBaseRelu(const GrowthSetting&);
/// Theorem 2 of the same, for hard-tanh: transitions grow from layer to layer as g = √k/√(1 + σ_b²/σ_w²) where σ_w → ∞, up to a constant.
double theoremTwoGrowth(const GrowthSetting&);
/// What they grow by there, and lengths with them, exactly in the mean at every width: (k/π) arccos(1 − 2/(k(1 + σ_b²/σ_w²))) → 2g/π. Every
/// unit is ±1, so that a curve runs along edges of a cube; an edge in one layer turns a unit of the next with probability arccos(…)/π.
double saturatedGrowth(const GrowthSetting&);
/// O(σ_w^d): no activation with |φ'| <= 1 lets the mean length grow faster.
double growthUpperBound(const GrowthSetting&);

/// E φ(√q g)² and E φ'(√q g)² for g ~ N(0, 1): closed forms with erf for piecewise-linear activations, the trapezoidal rule for the
/// others (1e-12: they are analytic in a strip). Throws InputError for pseudo-random.
struct GaussianMoments {
    double square = 0, slopeSquare = 0;
};
GaussianMoments gaussianMoments(Activation, double slope, double q);

/// Mean field (k → ∞): the variance q of the pre-activations, and χ = σ_w² E φ'(√q g)²; lengths grow by √χ.
struct MeanField {
    double q = 0, chi = 0;
};
/// The stable solution of q = σ_w² E φ(√q g)² + σ_b², to 1e-12; 0 where all signals die out, infinite where they grow without bound (ReLU
/// and its like with too much weight). Where q is infinite or 0, χ is the limit. Positively homogeneous activations whose variance is kept
/// as it is (He's σ_w² = 2 for ReLU, no bias) keep any q: `kept` is returned.
MeanField meanFieldFixedPoint(const GrowthSetting&, double kept = 1);
/// q and χ of layers 1 … n from the input's mean square entry: q_1 = σ_w²·inputSquare + σ_b².
std::vector<MeanField> meanFieldByLayer(const GrowthSetting&, double inputSquare, std::size_t layers);

/// E l_(d+1)/E l_d exactly for layers from k to k units, at every depth and any bias variance:
/// ReLU g = σ_w/√k · Σ_N C(k, N) 2^−k √2 Γ((N + 1)/2)/Γ(N/2) → σ_w/√2, |h| g = σ_w √(2/k) Γ((k + 1)/2)/Γ(k/2) → σ_w.
/// Cost: k operations.
double reluGrowth(double width, double weightVariance);
double absGrowth(double width, double weightVariance);

/// Transitions of a unit for each unit of length in long curves of wide nets, σ_w/(π √(k q)).
double transitionsPerLength(const GrowthSetting&, double q);

/// `layers` layers from k to k units: weights N(0, σ_w²/k), biases N(0, σ_b²). Draw 0 is the network that `initialise` draws for dense
/// layers with an activation behind each; another draw shares nothing with it. Only their scale changes with σ_w².
/// Throws InputError when width or variances are no admissible numbers.
std::vector<CurveLayer> randomLayers(const GrowthSetting&, std::size_t layers, std::uint64_t seed, std::uint64_t draw = 0);

/// Draw 0 of these layers as a network: `curveLayers` has them back to the bit. Without `lastActivation` the last layer is linear.
/// Calls `tick` before every layer.
Network randomNetwork(const GrowthSetting&, std::size_t layers, std::uint64_t seed, bool lastActivation, const std::function<void()>& tick);

/// Two vectors with entries N(0, 1), one after the other: what the paper's circular trajectories run between.
struct RandomEnds {
    std::vector<double> x0, x1;
};
RandomEnds randomEnds(std::size_t units, std::uint64_t seed, std::uint64_t draw = 0);

/// Sums of pairs of lengths (first layer, last layer) over networks, and what follows for the growth of a layer: the ratio of the MEAN
/// lengths to the power 1/(layers between), which means of ratios are not. The standard error is to first order in the spread of both
/// lengths.
class GrowthMean {
public:
    void add(double first, double last);
    double draws() const { return draws_; }
    /// Not a number while there are no draws, or when no draw has any length left; the standard error is infinite for a single draw.
    SampledLength growth(std::size_t layersBetween) const;

private:
    double draws_ = 0, first_ = 0, last_ = 0, firstSquare_ = 0, lastSquare_ = 0, product_ = 0;
};

/// Lengths of a curve behind every layer over many draws: their means, and the ratios of these from layer to layer. Standard errors of
/// ratios are to first order in the spread of both lengths.
class LengthMeans {
public:
    explicit LengthMeans(std::size_t layers) : sum_(layers + 1), square_(layers + 1), product_(layers + 1) {}
    /// [layer], layer 0 first.
    void add(const std::vector<SampledLength>&);
    double draws() const { return draws_; }
    /// Draws of which nothing is left in the last layer.
    double lost() const { return lost_; }
    /// After the first draw. Mean length and its standard error over draws (of one draw: that of its sampling). Where no draw of many has
    /// any length left, the standard error is not a number: how seldom one has is not known.
    SampledLength mean(std::size_t layer) const;
    /// Ratio of the means of `layer` and the one before.
    SampledLength growth(std::size_t layer) const;

private:
    double draws_ = 0, lost_ = 0;
    std::vector<double> sum_, square_, product_;  ///< product: with the layer before
    std::vector<SampledLength> first_;
};

/// How each of many draws is followed. Narrow layers hold few pieces and much of the length in few of them: there thousands are exact;
/// in wide ones every stretch grows nearly alike, and a hundred followed exactly place the points of the rest.
LengthPlan planOfDraw(double width);
/// Operations of one draw through layers of these sizes, in multiply-adds.
double workOfDraw(double width, double weights, double layers, bool exact);

/// Growth of quarter circles between random ends, draw after draw, over many settings at once: each draw is a new network and new ends in
/// every setting, followed as planOfDraw says. The ratio is taken between layers `first` and `last`.
struct GrowthSweepPlan {
    std::vector<GrowthSetting> settings;
    std::size_t first = 4, last = 12;
    std::size_t draws = 16;
    std::uint64_t seed = 1;
};
class GrowthSweep {
public:
    /// Throws InputError unless first < last.
    explicit GrowthSweep(GrowthSweepPlan);
    /// Some work on the setting whose turn it is; false when all draws are done.
    bool advance(double operations = 1e6);
    double progress() const;
    /// Of settings[i]: the growth so far, over `draws(i)` networks.
    SampledLength growth(std::size_t setting) const { return means_[setting].growth(plan_.last - plan_.first); }
    /// The mean length in a layer, up to `last`, over that in the input.
    SampledLength stretch(std::size_t setting, std::size_t layer) const { return stretches_[setting][layer].growth(1); }
    double draws(std::size_t setting) const { return means_[setting].draws(); }
    /// Multiply-adds of the whole.
    static double operations(const GrowthSweepPlan&);

private:
    void begin();

    GrowthSweepPlan plan_;
    std::vector<GrowthMean> means_;
    std::vector<std::vector<GrowthMean>> stretches_;  ///< [setting][layer]
    std::vector<CurveLayer> layers_;
    std::optional<FollowedCurve> curve_;
    std::size_t draw_ = 0, setting_ = 0;
};

}  // namespace kappaflow
