#include "scenes/expressivity/declaration_training.h"

namespace kappaflow {
namespace {

using namespace digit_training;

constexpr const char* kFigure = "P4 Fig 6";

std::vector<Param> params() {
    std::vector<Param> all{
        dataParam(kFigure),
        logarithmic(wholeParam("width", "k", "width", 40, 4, 200, "Units of every hidden layer.", kFigure)),
        wholeParam("layers", "n", "layers", 5, 2, 12,
                   "Hidden layers; the weights W^(1) … W^(n−1) between them are trained in turn, each in a network of its own.", kFigure),
        logarithmic(wholeParam("epochs", "", "epochs", 20, 1, 500, "How often every sample is seen.", kFigure)),
        logarithmic(wholeParam("draws", "", "draws", 2, 1, 20, "Networks and orders of the samples whose mean is shown.", kFigure)),
        varianceParam(2, "Weights are drawn from N(0, σ_w²/k): 2 in the survey's figure on digits, 1 in that on photographs.", kFigure),
        underMore(rateParam(0.02, kFigure)),
        underMore(samplesParam(800, kFigure)),
        underMore(batchParam(40, kFigure)),
        underMore(biasParam(kFigure)),
        underMore(seedParam("Start of the random numbers of weights, samples and their order.", kFigure))};
    auto timeline = timelineParams(500, "The epoch whose accuracies stand out; the last one reached beyond it.", kFigure);
    timeline[0].symbol = "";
    timeline[0].label = "epoch";
    timeline[0].standard = 500.0;
    timeline[1].standard = false;
    timeline[1].help = "Whether the epochs pass by themselves.";
    all.insert(all.end(), timeline.begin(), timeline.end());
    return all;
}

std::vector<Field> fields() {
    const std::vector<std::string> both{"trainedLayer", "epoch"};
    return {{"trainAccuracy", "", both,
             "Share of the samples learnt from that are named rightly when W^(l) of this l alone is trained, mean over draws."},
            {"testAccuracy", "", both, "The same of the samples held out."},
            {"remainingDepth", "", {"trainedLayer"}, "Hidden layers behind that of the trained weights."},
            {"draws", "", {}, "Networks behind every mean by now."},
            {"inversionsTrain",
             "",
             {},
             "Neighbours of which the upper ends with more of the samples learnt from named rightly, beyond an error."},
            {"inversionsTest", "", {}, "The same of the samples held out."},
            {"parameters", "", {}, "Weights and biases that are trained: the same for all layers."}};
}

std::vector<Preset> presets() {
    return {{"Lower layers count for more (Fig 6)", {}},
            {"Eight layers", {{"layers", "8"}, {"epochs", "16"}, {"draws", "1"}}},
            {"Smaller weights: σ_w² = 1", {{"weightVariance", "1"}}},
            {"Larger weights: σ_w² = 4", {{"weightVariance", "4"}}}};
}

}  // namespace

Declaration remaining_depth_declaration() {
    Declaration d;
    d.id = "remaining-depth";
    d.title = "Remaining depth";
    d.claim =
        "Of layers with equally many weights, trained one at a time, the lowest learns its samples best: more depth remains behind it.";
    d.group = "Training";
    d.source = "P4 Fig 6";
    d.lookAt = "Each line trains one layer and freezes all others as drawn: on the samples learnt from the lower layers end higher.";
    d.tryThis = "Move the epoch back, and compare the samples learnt from with those held out, where the order need not hold.";
    d.params = params();
    d.fields = fields();
    d.presets = presets();
    d.savesNetwork = true;
    d.timeline = {"at", "epoch", "epoch", false, 0.4};
    return d;
}

}  // namespace kappaflow
