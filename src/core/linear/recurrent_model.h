#pragma once
#include "core/linear/linear_model.h"

namespace kappaflow {

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
    Matrix canonicalJacobian(const std::vector<double>& weights, std::size_t layer) const override;
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
