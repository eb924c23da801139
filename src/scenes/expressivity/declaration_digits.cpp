#include "scenes/expressivity/declaration_digits.h"

namespace kappaflow::digit_training {

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

}  // namespace kappaflow::digit_training
