#include "scenes/expressivity/declaration_training.h"

namespace kappaflow {
namespace training_runs {

std::vector<Param> runParams(bool (*visible)(const Values&), double largestBatch, Text serves) {
    Param rate = inRange(param(Kind::Number, "learningRate", "η", "learning rate", 0.02, "How far a step goes.", serves), 1e-5, 10);
    return {
        visibleWhen(visible, logarithmic(std::move(rate))),
        visibleWhen(visible, underMore(choiceParam("optimiser", "optimiser", {{"adam", "Adam"}, {"momentum", "SGD, momentum 0.9"}},
                                                   "Rule that turns gradients into steps.", serves))),
        visibleWhen(visible, underMore(choiceParam("loss", "loss", {{"cross-entropy", "cross entropy"}, {"mean-square", "mean square"}},
                                                   "What the steps make small.", serves))),
        visibleWhen(visible,
                    underMore(logarithmic(wholeParam("batch", "B", "batch", 32, 1, largestBatch, "Samples that one step sees.", serves))))};
}

}  // namespace training_runs

}  // namespace kappaflow
