#include "scenes/expressivity/model_pass.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace kappaflow::digit_training {
namespace {

/// Nanoseconds of a call; most samples of one, whose states stay in the cache, and least, below which products slow down.
constexpr double kCallWork = 4e6, kMost = 256, kLeast = 16;

}  // namespace

SamplePass::SamplePass(std::span<const Layer> layers, const Matrix& learntInputs, const Matrix& heldInputs)
    : learnt(layers.back().out.units(), learntInputs.columns),
      held(layers.back().out.units(), heldInputs.columns),
      layers_(layers),
      learntInputs_(learntInputs),
      heldInputs_(heldInputs),
      block_(static_cast<std::size_t>(std::clamp(kCallWork / lookOperations(layers), kLeast, kMost))) {
    assert(learntInputs.rows == layers.front().in.units() && heldInputs.rows == learntInputs.rows);
}

bool SamplePass::advance() {
    if (learntDone_ < learnt.columns)
        advance(learntInputs_, learnt, learntDone_);
    else
        advance(heldInputs_, held, heldDone_);
    return learntDone_ < learnt.columns || heldDone_ < held.columns;
}

void SamplePass::advance(const Matrix& inputs, Matrix& outputs, std::size_t& done) {
    const std::size_t count = std::min(block_, inputs.columns - done);
    state_ = Matrix(inputs.rows, count);
    for (std::size_t i = 0; i < state_.rows; ++i) std::copy_n(inputs.row(i) + done, count, state_.row(i));
    for (const Layer& layer : layers_) {
        applyBatch(layer, state_, next_);
        std::swap(state_, next_);
    }
    for (std::size_t i = 0; i < state_.rows; ++i) std::copy_n(state_.row(i), count, outputs.row(i) + done);
    done += count;
}

}  // namespace kappaflow::digit_training
