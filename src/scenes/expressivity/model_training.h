#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/net/trainer.h"
#include "scene/filled_report.h"

namespace kappaflow::training_runs {

/// What is to be trained.
struct Task {
    Network start;  ///< as drawn, with a bias for every unit or channel
    TrainingData data;
    TrainingSpec spec;
    std::uint64_t steps = 0, step = 0;  ///< of the whole run, and the one that is shown
};

/// From the params loss, optimiser, learningRate, batch, seed, steps and step. Throws InputError when labels do not fit the outputs.
Task taskOf(const Values&, Network drawn, Matrix inputs, const std::vector<int>& labels, int classes);
/// Of a whole run over so many samples, from the same params.
Cost costOf(const Values&, const Architecture&, double samples);

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
    /// loss and accuracy [step], trainedSteps, trainingLoss and trainingAccuracy: `network` is what was asked for, or was looked at.
    void addTo(FilledReport&) const;
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
