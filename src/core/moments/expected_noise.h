#pragma once
#include <cstdint>
#include <vector>

#include "core/base/cost.h"
#include "core/moments/network_moments.h"

namespace kappaflow {

/// E over noise of the mean square that noise of independent N(0, 1) entries at the input has in every state of a network, to first order:
/// E|J dx|² = |J|² (Frobenius), divided by the state's units, as a mean over samples. The Jacobian J of every sample is followed column by
/// column: exact. Layers in front of the first that bends have one Jacobian for all samples; behind the last of them its columns are
/// replaced by as few as the state has units, with the same J Jᵀ. Where that takes too many operations or too much memory, each sample
/// gets so many draws of noise as there is time for instead, and the mean a standard error.
/// Derivatives as `withTangents` has them. The same bits on every platform.
class ExpectedNoise {
public:
    /// The network must outlive this. `samples`: [input units][samples >= 1], finite. Throws InputError as `validate` does.
    ExpectedNoise(const Network&, Batch samples, std::uint64_t seed, double operations);

    /// A layer for some of the samples; false when all are through.
    bool step();
    double progress() const;

    /// Draws of noise that each sample gets; 0: exact.
    std::size_t draws() const { return draws_; }
    /// Of states 0 … L, once all are through: log of the mean square, −∞ where no noise arrives, and the standard error of the mean over
    /// itself, from the spread of the samples (that of their own |J|² included); 0 where it is exact.
    std::vector<double> logMeanSquare() const;
    std::vector<double> relativeError() const;

private:
    void followCommon();
    void begin();
    void record(std::size_t state);

    const Network& network_;
    Batch samples_;
    std::uint64_t seed_;
    std::size_t draws_ = 0, common_ = 0;  ///< layers with one Jacobian for all samples
    Batch columns_;                       ///< of J behind them
    double columnsScale_ = 0;             ///< their logarithm, to be added
    std::size_t from_ = 0, chunk_ = 1, layer_ = 0;
    ValuesAndTangents now_;
    double logScale_ = 0;
    std::vector<std::vector<double>> logSquares_;  ///< [state][sample]
};

/// Operations that it takes at most with so many to spend, and bytes.
Cost costOfExpectedNoise(const Network&, double samples, double operations);

}  // namespace kappaflow
