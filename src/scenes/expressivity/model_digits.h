#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/net/network.h"
#include "core/net/trainer.h"
#include "scene/scene.h"

namespace kappaflow::digit_training {

/// Samples to learn from and samples held out, of one data set.
struct Samples {
    TrainingData train, held;
    std::size_t inputs() const { return train.inputs.rows; }
    std::size_t classes() const { return train.targets.rows; }
};
/// Samples held out beside so many to learn from.
double heldOut(double samples);
/// Digits, or the attached file's samples in an order drawn from the seed, the last fifth held out. Throws InputError on a file that
/// cannot be used.
Samples readSamples(const Request&);

/// Sizes that the request's samples have, without drawing or keeping them. Throws InputError only where `readSamples` does.
struct SampleSizes {
    double inputs, classes, samples, held;
};
SampleSizes sizesOf(const Request&);

/// inputs – width × layers – classes, hard-tanh behind every layer but the last: weights N(0, σ_w²/fan-in), biases N(0, σ_b²), one for
/// every unit. `draw` 0 is the network of the seed; another one shares nothing with it.
Network hardTanhNet(const Values&, std::size_t inputs, std::size_t classes, std::uint64_t draw = 0);
/// Its architecture, for costs.
Architecture hardTanhArchitecture(const Values&, std::size_t inputs, std::size_t classes);

/// Optimiser, batch and order of the samples; cross entropy.
TrainingSpec specOf(const Values&, OptimiserSpec, std::uint64_t draw = 0);

double parametersOf(std::span<const Layer>);
double unitsOf(std::span<const Layer>);  ///< those of the input too

/// Nanoseconds of a training step and of looking at one sample: measured, an ordered product makes six multiply-adds in one.
double stepOperations(std::span<const Layer>, double batch);
double lookOperations(std::span<const Layer>);
/// Of a step that trains the lowest layer alone.
double lowestStepOperations(std::span<const Layer>, double batch);

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
