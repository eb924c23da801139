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

namespace digit_training {

Param dataParam(Text serves) {
    Param p =
        param(Kind::Data, "data", "", "data", std::string("digits"),
              "Digits made of strokes, or a file: MNIST's IDX with its labels behind, CIFAR's batches, or CSV with x, y, class.", serves);
    p.options = {{"digits", "digits made here"}, {"file", "your own file"}};
    p.files = DataFiles::Either;
    return p;
}

Param samplesParam(double standard, Text serves) {
    return logarithmic(wholeParam("samples", "", "samples", standard, 50, 8000,
                                  "Samples to learn from; a quarter as many more, 1000 at the most, are held out to be asked about.",
                                  serves));
}

Param batchParam(double standard, Text serves) {
    return logarithmic(wholeParam("batch", "B", "batch", standard, 1, 1000, "Samples that one step sees.", serves));
}

Param rateParam(double standard, Text serves) {
    return logarithmic(
        inRange(param(Kind::Number, "learningRate", "η", "learning rate", standard, "How far a step goes.", serves), 1e-5, 1));
}

Param varianceParam(double standard, Text help, Text serves) {
    return logarithmic(inRange(param(Kind::Number, "weightVariance", "σ_w²", "weight variance", standard, help, serves), 0.25, 64));
}

Param biasParam(Text serves) {
    return inRange(param(Kind::Number, "biasVariance", "σ_b²", "bias variance", 0.0, "Biases are drawn from N(0, σ_b²).", serves), 0, 4);
}

}  // namespace digit_training
}  // namespace kappaflow
