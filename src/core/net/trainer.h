#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/linalg/matrix.h"
#include "core/net/batch_layers.h"

namespace kappaflow {

/// What training makes small, a mean over the samples s with outputs y_s and targets t_s:
///   MeanSquare    ½ |y_s − t_s|²;
///   CrossEntropy  one output: ln(1 + e^y) − t y, the logistic loss, t in [0, 1] the probability of the second class;
///                 several: −Σ_i t_i ln softmax_i(y), t a distribution over the classes.
enum class Loss { MeanSquare, CrossEntropy };

/// The loss of a mini-batch, outputs and targets [outputs][samples]; unless null, `gradient` becomes ∂loss/∂outputs. From + - * / in a
/// fixed order: the same bits on every platform. Cost: an exponential or two an output.
double lossOf(Loss, const Matrix& outputs, const Matrix& targets, Matrix* gradient = nullptr);

/// Share of samples whose largest output is that of their largest target (the first of equal ones); with one output, whose y > 0 where
/// the target says the second class.
double accuracyOf(Loss, const Matrix& outputs, const Matrix& targets);

/// Targets [outputs][labels.size()] of class labels 0 … classes − 1. One output tells two classes apart: −1 and 1 for MeanSquare, 0 and
/// 1 for CrossEntropy; several: 1 at the label's output. Throws InputError when the outputs do not fit the classes or a label is none.
Matrix classTargets(Loss, const std::vector<int>& labels, int classes, std::size_t outputs);

/// Momentum: v ← μ v + g, w ← w − η v, stochastic gradient descent with Polyak's heavy ball; μ = 0 is the plain one.
/// Adam (Kingma and Ba, arXiv 1412.6980): m ← β₁ m + (1−β₁) g, s ← β₂ s + (1−β₂) g², w ← w − η (m/(1−β₁ᵗ)) / (√(s/(1−β₂ᵗ)) + ε).
enum class Optimiser { Momentum, Adam };

struct OptimiserSpec {
    Optimiser kind = Optimiser::Adam;
    double learningRate = 0.01;  ///< η
    double momentum = 0.9;       ///< μ
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
};

/// Throws InputError unless η > 0, 0 <= μ, β₁, β₂ < 1, ε > 0, all finite.
void validate(const OptimiserSpec&);

/// The change of parameters w by gradient g at step t = 1, 2, …; `first` holds v or m, `second` s (unused by Momentum), both zeros
/// before the first step, all as long as w. From + - * / sqrt, element by element: the same bits on every platform.
void updateParameters(const OptimiserSpec&, std::uint64_t t, std::span<double> w, std::span<const double> g, std::span<double> first,
                      std::span<double> second);

/// Samples as columns.
struct TrainingData {
    Matrix inputs;   ///< [inputs][samples]
    Matrix targets;  ///< [outputs][samples], see `lossOf` and `classTargets`
};

struct TrainingSpec {
    Loss loss = Loss::CrossEntropy;
    OptimiserSpec optimiser;
    std::size_t batch = 32;    ///< samples a step; the last batch of an epoch has what is left
    std::uint64_t seed = 0;    ///< of the order of the samples
    std::vector<bool> frozen;  ///< one a layer: its weights and biases stay, and all inside it; empty: none
};

/// Everything that the steps from here on depend on.
struct TrainingCheckpoint {
    std::uint64_t step = 0;
    std::vector<double> parameters, first, second;  ///< of all layers, weights before biases
    std::size_t bytes() const { return sizeof(double) * (parameters.size() + first.size() + second.size()) + sizeof(TrainingCheckpoint); }
};

/// Loss and accuracy over all samples.
struct Evaluation {
    double loss = 0, accuracy = 0;
};

/// Mini-batch training. Epoch e goes through the samples in an order drawn from Rng(seed, Training, e), `batch` of them a step, so that
/// a step depends on nothing but the checkpoint before it, and gives the same bits on every platform.
/// Cost of a step: about 6 operations a use of a weight and sample of the batch (4 in the lowest trained layer; 8 in convolutions), 10 a
/// weight for the optimiser.
class Trainer {
public:
    /// Dense and convolutional layers are trained, those inside blocks as well; scales and shifts of norms stay as they are.
    /// Throws InputError when shapes do not fit, data are empty or not finite, or the specification is out of range.
    Trainer(Network, TrainingData, TrainingSpec);

    /// One step. False when the training has diverged: the loss or a gradient is not finite or beyond 10¹⁵, from where no training comes
    /// back. Then nothing has changed, and nothing will until `restore`.
    bool step();
    /// One sentence after a step that returned false, else "".
    const std::string& trouble() const { return trouble_; }

    std::uint64_t steps() const { return steps_; }  ///< made so far
    std::size_t stepsAnEpoch() const;
    const Network& network() const { return network_; }
    const TrainingData& data() const { return data_; }
    /// Loss of the newest step's batch before the step.
    double batchLoss() const { return batchLoss_; }
    Evaluation evaluate() const;
    /// Outputs [outputs][samples] for inputs [inputs][samples].
    Matrix outputs(const Matrix& inputs) const;

    TrainingCheckpoint checkpoint() const;
    /// Goes on from a checkpoint of this network's shape (asserted): the steps after it are those that followed it.
    void restore(const TrainingCheckpoint&);

private:
    bool trains(std::size_t layer) const;
    void gatherBatch();
    void findGradient();
    bool usable() const;
    void change();

    Network network_;
    TrainingData data_;
    TrainingSpec spec_;
    std::size_t lowest_ = 0;  ///< lowest layer that is trained
    std::uint64_t steps_ = 0;
    std::string trouble_;
    double batchLoss_ = 0;
    std::uint64_t epoch_ = ~std::uint64_t{0};  ///< whose order `order_` is
    std::vector<std::size_t> order_;
    BatchStates states_;  ///< of the current batch
    Batch targets_, gradient_;
    std::vector<LayerParameters> gradients_, first_, second_;
};

/// Operations of one step, in double since it may be beyond any limit; without the network, from its architecture.
double trainingStepOperations(const Architecture&, std::size_t batch);

}  // namespace kappaflow
