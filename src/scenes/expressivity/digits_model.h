#pragma once
#include <functional>
#include <memory>
#include <span>

#include "core/net/trainer.h"
#include "scene/typed_model.h"

// What scenes that train deep hard-tanh nets on images share: rows of their tables, samples, networks, costs.
namespace kappaflow::digit_training {

using namespace table;

inline constexpr OptionRow kDataSets[] = {{"digits", "digits made here"}, {"file", "your own file"}};

template <auto member>
constexpr ParamRow dataRow(const char* serves) {
    return data<member>("", "data", kDataSets, DataFiles::Either,
                        "Digits made of strokes, or a file: MNIST's IDX with its labels behind, CIFAR's batches, or CSV with x, y, class.",
                        serves);
}
template <auto member>
constexpr ParamRow samplesRow(const char* serves) {
    return whole<member>("samples", "", "samples", {50, 8000},
                         "Samples to learn from; a quarter as many more, 1000 at the most, are held out to be asked about.", serves) |
           logarithmic | costly | more;
}
template <auto member>
constexpr ParamRow batchRow(const char* serves) {
    return whole<member>("batch", "B", "batch", {1, 1000}, "Samples that one step sees.", serves) | logarithmic | more;
}
template <auto member>
constexpr ParamRow rateRow(const char* serves) {
    return number<member>("learningRate", "η", "learning rate", {1e-5, 1}, "How far a step goes.", serves) | logarithmic;
}
template <auto member>
constexpr ParamRow weightVarianceRow(const char* help, const char* serves) {
    return number<member>("weightVariance", "σ_w²", "weight variance", {0.25, 64}, help, serves) | logarithmic;
}
template <auto member>
constexpr ParamRow biasVarianceRow(const char* serves) {
    return number<member>("biasVariance", "σ_b²", "bias variance", {0, 4}, "Biases are drawn from N(0, σ_b²).", serves) | more;
}

/// The data file, for so many samples to learn from. Throws InputError where it cannot be read or has fewer than three samples.
std::shared_ptr<const LabelledPoints> readFile(const Attachment&, int samples);
/// For sceneModel: reads the file that Params::data names, if it names one.
template <class Params>
void openSamples(Opened<Params>& opened, const Request&) {
    if (opened.params.data == "file") opened.points = readFile(*opened.data, opened.params.samples);
}

/// Samples to learn from and samples held out, of one data set.
struct Samples {
    TrainingData train, held;
    std::size_t inputs() const { return train.inputs.rows; }
    std::size_t classes() const { return train.targets.rows; }
};
/// `file`: null for digits; its samples come in an order drawn from the seed, the last fifth held out where it has too few.
/// meanImage < 1: all samples lose (1 − meanImage) of the mean image, and are scaled so that the mean square over the pixels is 1.
/// Throws InputError where the samples are all the same. `tick` is called every few milliseconds.
Samples makeSamples(const LabelledPoints* file, int samples, std::uint64_t seed, double meanImage = 1,
                    const std::function<void()>& tick = {});

/// Sizes that makeSamples' result has.
struct SampleSizes {
    double inputs, classes, samples, held;
};
SampleSizes sizesOf(const LabelledPoints* file, int samples);

/// inputs – width × layers – classes, hard-tanh behind every layer but the last.
Architecture hardTanhArchitecture(int layers, int width, double inputs, double classes);
/// Weights N(0, weightVariance/fan-in), biases N(0, biasVariance), one for every unit.
Network drawnNetwork(const Architecture&, double weightVariance, double biasVariance, std::uint64_t seed,
                     const std::function<void()>& tick);

/// Trains weight layer `layer` (0: the one at the input) of a hard-tanh network alone: as a network that begins with it, on what the
/// layers in front make of the samples.
Trainer layerTrainer(const Network&, std::size_t layer, TrainingData reaching, TrainingSpec);

/// What layers make of samples [units][samples]; `tick` is called every few milliseconds.
Matrix passThrough(std::span<const Layer>, const Matrix& inputs, const std::function<void()>& tick);

double parametersOf(std::span<const Layer>);
double unitsOf(std::span<const Layer>);  ///< with the input's

/// Nanoseconds of a training step and of looking at one sample: measured, an ordered product makes six multiply-adds in one.
double stepOperations(std::span<const Layer>, double batch);
double lookOperations(std::span<const Layer>);
/// Of a step that trains the lowest layer alone.
double lowestStepOperations(std::span<const Layer>, double batch);

}  // namespace kappaflow::digit_training
