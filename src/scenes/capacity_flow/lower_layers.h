#pragma once
#include "scene/table.h"

namespace kappaflow::lower_layers {

enum class Shown { LeakyRelu, Relu, Abs, Identity, Tanh, HardTanh, Sigmoid };
enum class Computed { All, LeakyRelu, Relu, Abs, Identity, Tanh, HardTanh, Sigmoid };
enum class LayerType { Dense, Convolution };

inline constexpr OptionRow kComputed[] = {{"all"},  {"leaky-relu", "leaky ReLU"}, {"relu", "ReLU"}, {"abs", "|z|"}, {"identity"},
                                          {"tanh"}, {"hard-tanh", "hard tanh"},   {"sigmoid"}};
inline constexpr std::span<const OptionRow> kShown = std::span(kComputed).subspan(1);

struct Params {
    std::vector<int> architecture{3, 4, 1};
    Shown shown = Shown::LeakyRelu;
    int unit = 0;
    LayerType layer = LayerType::Dense;
    int taps = 2;
    Computed activation = Computed::All;
    double slope = 0.2;
    int inputsTried = 3000;
    double inputDeviation = 1;
    std::uint64_t seed = 1;
    double at = 0;
    bool play = true;
};

struct Result : Findings {
    std::vector<std::string> activations;
    std::vector<double> indices, inputs, layerIndices, weightIndices, steps, units, factors, places;

    std::vector<double> rank, functionRank, predictedRank, sectors, onePieceUnits;  ///< [activation]
    std::vector<double> singularValues, pathSingularValues;                         ///< [activation][index], [index]
    std::vector<double> rankByInputs;                                               ///< [activation][inputs]
    std::vector<double> widths;                                                     ///< [layer]
    std::vector<double> weights, weightLayer, weightFrom, weightTo, weightTap;      ///< [weight]
    std::vector<double> scaleFactor;                                                ///< [step]
    std::vector<double> output, outputChange;  ///< [activation][unit][factor][place], [activation][unit]
    double parameters = 0, hiddenUnits = 0, predicted = 0, paths = 0, pathRankAtWeights = 0, threshold = 0;
    double genericPathRank = 0;  ///< whatever activations are computed; for the summary alone
};

extern const SceneTable kScene;

}  // namespace kappaflow::lower_layers
