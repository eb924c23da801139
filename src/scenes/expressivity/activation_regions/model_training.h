#pragma once
#include <string>

#include "core/net/data_sets.h"
#include "scenes/expressivity/model_run.h"

namespace kappaflow::regions {

/// What a request asks to be trained.
struct TrainingTask {
    LabelledPoints points;  ///< where they are drawn: the inputs
    training_runs::Task run;
};

/// Whether these values train the network that they draw.
bool trains(const Values&);
/// Outputs of the network: one, but for more than two classes one each. Throws InputError on a data file that cannot be used.
std::size_t trainedOutputs(const Request&);
/// Throws what `Trainer` throws.
TrainingTask trainingTask(const Request&, Network drawn);
Cost trainingCost(const Request&, const Architecture&);

/// Points, curves and where the run stands.
void addTraining(FilledReport&, const LabelledPoints&, const training_runs::Run&);
std::string trainingSummary(const LabelledPoints&, const training_runs::Run&);

}  // namespace kappaflow::regions
