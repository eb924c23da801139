#pragma once
#include <cstdint>
#include <vector>

#include "core/linalg/matrix.h"

namespace kappaflow {

/// Where the weights of one layer lie among all weights: what a chain adds, what can be frozen.
struct WeightBlock {
    std::size_t first = 0, count = 0;
};

/// A model that is linear in its inputs and polynomial in its weights, Ŷ = A(w)ᵀ Y (P2 Section 4). A(w) has one coefficient an input,
/// position-major and component-minor, oldest position first. Objects are immutable; every function is deterministic and gives the
/// same bits natively and in wasm. Functions throw InputError when they get a wrong number of weights or one that is not finite.
class LinearModel {
public:
    virtual ~LinearModel() = default;

    std::size_t length() const { return length_; }          ///< n positions
    std::size_t components() const { return components_; }  ///< d inputs a position
    std::size_t inputs() const { return length_ * components_; }
    std::size_t parameters() const { return parameters_; }
    /// From the input up; the blocks follow one another and cover all weights.
    const std::vector<WeightBlock>& layers() const { return layers_; }

    /// A(w), [inputs].
    virtual std::vector<double> response(const std::vector<double>& weights) const = 0;
    /// Jᵀ·slope, [parameters], by a reverse pass: with slope = ∂L/∂A the gradient of L. Cost: three times the response.
    virtual std::vector<double> gradient(const std::vector<double>& weights, const std::vector<double>& slope) const = 0;
    /// J = ∂A/∂w, [inputs][parameters]. Throws InputError beyond kMaxJacobianEntries: see tangent for what large models need.
    virtual Matrix jacobian(const std::vector<double>& weights) const = 0;

    /// For every layer columns with the same span as its columns of J, from orthonormal bases of what enters and leaves the layer, so
    /// that the rank can be read off (canonical Jacobian), [layer].
    virtual std::vector<Matrix> canonicalJacobians(const std::vector<double>& weights) const = 0;
    /// Columns with the span of all of J, without the directions that only move scale and rotation between neighbouring layers: few and
    /// well conditioned, whatever the number of channels.
    virtual Matrix tangent(const std::vector<double>& weights) const = 0;
    /// The columns of `tangent` are orthonormal, so that there is no rank to decide.
    virtual bool tangentIsOrthonormal() const { return false; }
    /// Singular values of canonical columns up to this share of the largest count as zero.
    virtual double rankThreshold() const { return 1e-9; }

    /// Rank of J for weights in general position, exactly: in closed form, or by elimination modulo 2³¹ − 1 at residues drawn from the
    /// stream (0, Weights). The second takes only the columns of these layers, weights of all layers being general: the capacity
    /// when the others are frozen at random.
    virtual std::size_t exactRank() const = 0;
    virtual std::size_t exactRank(const std::vector<std::size_t>& freeLayers) const = 0;

    /// Weights to start from, of a size that gives outputs of order one. Stream (seed, Weights, draw·layers + layer).
    virtual std::vector<double> randomWeights(std::uint64_t seed, std::uint64_t draw = 0) const = 0;

protected:
    LinearModel(std::size_t length, std::size_t components, std::vector<WeightBlock> layers);
    /// Throws InputError for a wrong number of weights and for weights that are not finite.
    void checkWeights(const std::vector<double>& weights) const;

private:
    std::size_t length_, components_, parameters_ = 0;
    std::vector<WeightBlock> layers_;
};

inline constexpr double kMaxJacobianEntries = 4e6;

/// Every input of the newest `reach` positions, of all unless said, has its own weight (the fully connected model of P2 Figs 1 and 4):
/// A = (0, w), J = (0 I)ᵀ. With full reach all capacities are 1.
class FullModel : public LinearModel {
public:
    explicit FullModel(std::size_t length, std::size_t components = 1);
    FullModel(std::size_t length, std::size_t components, std::size_t reach);
    std::vector<double> response(const std::vector<double>& weights) const override;
    std::vector<double> gradient(const std::vector<double>& weights, const std::vector<double>& slope) const override;
    Matrix jacobian(const std::vector<double>& weights) const override;
    std::vector<Matrix> canonicalJacobians(const std::vector<double>& weights) const override;
    Matrix tangent(const std::vector<double>& weights) const override;
    bool tangentIsOrthonormal() const override { return true; }
    std::size_t exactRank() const override;
    std::size_t exactRank(const std::vector<std::size_t>& freeLayers) const override;
    std::vector<double> randomWeights(std::uint64_t seed, std::uint64_t draw = 0) const override;
};

/// c hidden units with a weight in, one to themselves and one out, run over n positions: a(lag τ) = Σ_j in_j rec_j^τ out_j (P2 Eq 21).
/// Weights in the order in_1 … in_c, rec_1 … rec_c, out_1 … out_c: three layers. Nothing bounds |rec| by 1: n is finite.
class RecurrentModel : public LinearModel {
public:
    /// Throws InputError unless 1 <= channels <= 256 and 1 <= length <= 4096.
    RecurrentModel(std::size_t length, std::size_t channels);
    std::size_t channels() const { return channels_; }

    std::vector<double> response(const std::vector<double>& weights) const override;
    std::vector<double> gradient(const std::vector<double>& weights, const std::vector<double>& slope) const override;
    /// Columns out_j rec_j^τ; in_j out_j τ rec_j^{τ−1}; in_j rec_j^τ.
    Matrix jacobian(const std::vector<double>& weights) const override;
    /// The same columns scaled to norm 1 (zero columns left out).
    std::vector<Matrix> canonicalJacobians(const std::vector<double>& weights) const override;
    /// rec_j^τ and τ rec_j^{τ−1}, norm 1, of the units whose weights let them move.
    Matrix tangent(const std::vector<double>& weights) const override;
    /// These columns are a confluent Vandermonde matrix: singular values of the true rank fall like a power of the spacing, so the
    /// threshold is that of rounding, 64 ε, and the numerical rank still stays below the exact one from about 12 units on.
    double rankThreshold() const override;

    /// min(n, 2c); modulo 2³¹ − 1 when only some layers are free.
    std::size_t exactRank() const override;
    std::size_t exactRank(const std::vector<std::size_t>& freeLayers) const override;

    /// in, out ~ N(0, 1/c); rec uniform in [−1, 1), all different.
    std::vector<double> randomWeights(std::uint64_t seed, std::uint64_t draw = 0) const override;

private:
    std::size_t channels_;
};

}  // namespace kappaflow
