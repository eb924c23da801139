#pragma once
#include <cstddef>
#include <span>

#include "core/net/network.h"
#include "scenes/expressivity/model_task.h"

namespace kappaflow::digit_training {

/// What layers make of samples learnt from and held out, some at a time, so that no slice of a computation is long; to the bit what all at
/// once would give.
class SamplePass {
public:
    /// Layers that `applyBatch` takes, fitting the inputs; all must outlive it.
    SamplePass(std::span<const Layer> layers, const Matrix& learnt, const Matrix& held);
    SamplePass(const SamplePass&) = delete;
    SamplePass& operator=(const SamplePass&) = delete;
    /// Some milliseconds; false once all samples are through.
    bool advance();
    Matrix learnt, held;  ///< [outputs][samples]

private:
    void advance(const Matrix& inputs, Matrix& outputs, std::size_t& done);

    std::span<const Layer> layers_;
    const Matrix &learntInputs_, &heldInputs_;
    std::size_t block_, learntDone_ = 0, heldDone_ = 0;
    Matrix state_, next_;
};

}  // namespace kappaflow::digit_training
