#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/net/trainer.h"
#include "scene/typed_model.h"

// Training on labelled points as scenes show it step by step: rows of their tables, the whole run, its curves.
namespace kappaflow::training_runs {

using namespace table;

inline constexpr OptionRow kRules[] = {{"adam", "Adam"}, {"momentum", "SGD, momentum 0.9"}};
inline constexpr OptionRow kLosses[] = {{"cross-entropy", "cross entropy"}, {"mean-square", "mean square"}};

template <auto member>
constexpr ParamRow rateRow(const char* serves) {
    return number<member>("learningRate", "η", "learning rate", {1e-5, 10}, "How far a step goes.", serves) | logarithmic;
}
/// Of an enum of Adam and momentum.
template <auto member>
constexpr ParamRow ruleRow(const char* serves) {
    return choice<member>("optimiser", "optimiser", kRules, "Rule that turns gradients into steps.", serves) | more;
}
/// Of an enum of cross entropy and mean square.
template <auto member>
constexpr ParamRow lossRow(const char* serves) {
    return choice<member>("loss", "loss", kLosses, "What the steps make small.", serves) | more;
}
template <auto member>
constexpr ParamRow batchRow(double largest, const char* serves) {
    return whole<member>("batch", "B", "batch", {1, largest}, "Samples that one step sees.", serves) | logarithmic | more;
}

/// What is to be trained.
struct Task {
    Network start;  ///< as drawn, with a bias for every unit or channel
    TrainingData data;
    TrainingSpec spec;
    std::uint64_t steps = 0, step = 0;  ///< of the whole run, and the one that is shown
};

/// Throws InputError when labels do not fit the outputs.
Task taskOf(TrainingSpec, int steps, int step, Network drawn, Matrix inputs, const std::vector<int>& labels, int classes);
/// Of a whole run over so many samples.
Cost costOf(double steps, double batch, const Architecture&, double samples);

/// Loss and accuracy over all samples, every few steps and at the last one; NaN from where the run diverged.
struct History {
    std::vector<double> steps, loss, accuracy;
};

/// The whole run of a task with its loss and accuracy, and the network at the step that is shown. Checkpoints kept on the way make any
/// other step of the same run cost no more than the steps since the one before it.
class Run {
public:
    /// A new task; what is known of its run stays. Throws what `Trainer` throws.
    void begin(Task);
    /// Goes on for a few milliseconds; false once `network` is what was asked for.
    bool advance();
    double progress() const;
    const Network& network() const { return trainer_->network(); }
    /// Before the run's own end: what there is so far is one of its steps.
    bool learning() const { return !complete_; }
    /// Step that `network` stands at.
    std::uint64_t shown() const { return learning() ? trainer_->steps() : task_.step < end_ ? task_.step : end_; }
    /// Loss and accuracy of the network as it is now, for a report on the way.
    void look() { now_ = trainer_->evaluate(); }
    const Evaluation& seen() const { return now_; }
    /// A sentence when the run diverged, else "".
    const std::string& trouble() const { return trouble_; }
    History history() const;
    /// "After 300 of 600 training steps"
    std::string when() const;

private:
    void goOn();
    void note();
    void goTo(std::uint64_t step);

    Task task_;
    std::unique_ptr<Trainer> trainer_;
    std::vector<TrainingCheckpoint> kept_;       ///< every spacing_ steps
    std::uint64_t spacing_ = 1, curveStep_ = 1;  ///< steps from one to the next, of checkpoints and of the curves
    std::vector<double> loss_, accuracy_;        ///< every curveStep_ steps, and at the last
    std::uint64_t end_ = 0;                      ///< last step of the run: steps, or where it diverged
    bool complete_ = false, arrived_ = false;
    std::string trouble_;
    Evaluation now_;
};

}  // namespace kappaflow::training_runs
