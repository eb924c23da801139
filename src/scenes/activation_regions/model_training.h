#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/net/data_sets.h"
#include "core/net/trainer.h"
#include "scenes/filled_report.h"

namespace kappaflow::regions {

/// What a request asks to be trained.
struct TrainingTask {
    LabelledPoints points;  ///< where they are drawn: the inputs
    Network start;          ///< as drawn, with a bias for every unit
    TrainingData data;
    TrainingSpec spec;
    std::uint64_t steps = 0, step = 0;  ///< of the whole run, and the one that is shown
};

/// Whether these values train the network that they draw.
bool trains(const Values&);
/// Outputs of the network: one, but for more than two classes one each. Throws InputError on a data file that cannot be used.
std::size_t trainedOutputs(const Request&);
/// Throws what `Trainer` throws.
TrainingTask trainingTask(const Request&, Network drawn);
Cost trainingCost(const Request&, const Architecture&);

/// The whole run of a task with its loss and accuracy, and the network at the step that is shown. Checkpoints kept on the way make any
/// other step of the same run cost no more than the steps since the one before it.
class TrainingRun {
public:
    /// A new task; what is known of its run stays.
    void begin(TrainingTask);
    /// Goes on for a few milliseconds; false once `network` is what was asked for.
    bool advance();
    double progress() const;
    const Network& network() const { return trainer_->network(); }
    /// Before the run's own end: what there is so far is one of its steps.
    bool learning() const { return !complete_; }
    /// Loss and accuracy of the network as it is now, for a report on the way.
    void look() { now_ = trainer_->evaluate(); }
    /// A sentence when the run diverged, else "".
    const std::string& trouble() const { return trouble_; }
    /// Points, curves and where the run stands: `network` is what was asked for, or was looked at while learning.
    void addTo(FilledReport&) const;
    std::string summary() const;

private:
    void goOn();
    void note();
    void goTo(std::uint64_t step);
    std::uint64_t shown() const { return learning() ? trainer_->steps() : task_.step < end_ ? task_.step : end_; }

    TrainingTask task_;
    std::unique_ptr<Trainer> trainer_;
    std::vector<TrainingCheckpoint> kept_;       ///< every spacing_ steps
    std::uint64_t spacing_ = 1, curveStep_ = 1;  ///< steps from one to the next, of checkpoints and of the curves
    std::vector<double> loss_, accuracy_;        ///< every curveStep_ steps
    std::uint64_t end_ = 0;                      ///< last step of the run: steps, or where it diverged
    bool complete_ = false, arrived_ = false;
    std::string trouble_;
    Evaluation now_;
};

}  // namespace kappaflow::regions
