#include "scenes/expressivity/declaration_training.h"

namespace kappaflow {
namespace {

using namespace digit_training;

constexpr const char* kFigures = "P4 Figs 4–5";

std::vector<Param> mainParams() {
    return {varianceParam(16, "Weights are drawn from N(0, σ_w²/k): the survey shows 16, where lengths fall, and 3.", kFigures),
            dataParam(kFigures),
            logarithmic(wholeParam("width", "k", "width", 48, 4, 256, "Units of every hidden layer.", kFigures)),
            wholeParam("layers", "n", "layers", 5, 1, 12, "Hidden layers.", kFigures),
            logarithmic(wholeParam("steps", "T", "training steps", 2000, 10, 10000,
                                   "How long it is trained; more steps go on from those already made.", kFigures)),
            rateParam(8e-3, kFigures)};
}

/// With 0.6 of their mean image the digits show the signs of the survey's images: between falling in all layers and in hardly any. A
/// file's samples are left as they are.
Param meanImageParam() {
    Param p = underMore(inRange(param(Kind::Number, "meanImage", "", "mean image kept", 0.6,
                                      "Share of the samples' mean image that each of them keeps: 1 as they are, 0 without.", kFigures),
                                0, 1));
    p.beside = [](const Values& v) { return Beside{v.is("data", "file") ? 1.0 : 0.6, 1}; };
    return p;
}

std::vector<Param> moreParams() {
    Param show = choiceParam("show", "beside one another", {{"length", "lengths (Figs 4–5)"}, {"transitions", "transitions"}},
                             "What is drawn for every layer and training step.", kFigures);
    show.affects = Affects::View;
    show.group = Group::Main;
    return {std::move(show),
            meanImageParam(),
            underMore(samplesParam(200, kFigures)),
            underMore(batchParam(20, kFigures)),
            underMore(choiceParam("optimiser", "optimiser", {{"adam", "Adam"}, {"momentum", "SGD, momentum 0.9"}},
                                  "Rule that turns gradients into steps; the survey does not name its own.", kFigures)),
            underMore(biasParam(kFigures)),
            underMore(logarithmic(wholeParam("arcs", "", "arcs", 4, 2, 32,
                                             "Pairs of samples, and of random points, between which arcs are followed.", kFigures))),
            underMore(seedParam("Start of the random numbers of weights, samples, their order, and arcs.", kFigures))};
}

std::vector<Param> params() {
    auto all = mainParams();
    for (auto& p : moreParams()) all.push_back(std::move(p));
    auto timeline = timelineParams(10000, "The training step that stands out; the last one reached beyond it.", kFigures);
    timeline[0].symbol = "t";
    timeline[0].label = "training step";
    timeline[0].standard = 10000.0;
    timeline[1].standard = false;
    timeline[1].help = "Whether the training steps pass by themselves.";
    all.insert(all.end(), timeline.begin(), timeline.end());
    return all;
}

std::vector<Field> fields() {
    const std::vector<std::string> both{"step", "layer"}, step{"step"};
    return {{"length", "l_d", both, "Length of the image of an arc between two samples, mean over arcs; layer 0 is the input."},
            {"lengthRandom", "l_d", both, "The same between two random points, entries N(0, 1)."},
            {"transitions", "", both, "Changes of the linear piece of a layer's units along an arc between two samples, mean over arcs."},
            {"transitionsRandom", "", both, "The same between two random points."},
            {"accuracy", "", step, "Share of the samples learnt from that are named rightly."},
            {"testAccuracy", "", step, "Share of the held-out samples that are named rightly."},
            {"loss", "", step, "Cross entropy over the samples learnt from."},
            {"steps", "t", {}, "Training steps made."},
            {"lastLayerChange", "", {}, "Length in the last hidden layer at the end over that before training, between samples."},
            {"lastLayerChangeRandom", "", {}, "The same between random points."},
            {"firstLayerChange", "", {}, "The same in the first layer, between samples."},
            {"risingLayers", "", {}, "Hidden layers whose lengths between samples end longer, by over a standard error over arcs."}};
}

std::vector<Preset> presets() {
    return {{"σ_w² = 16: lengths fall (Fig 4)", {}},
            {"σ_w² = 3: lengths rise (Fig 5)", {{"weightVariance", "3"}}},
            {"σ_w² = 16: transitions", {{"show", "transitions"}}},
            {"Without the mean image: lengths do not fall", {{"meanImage", "0"}}},
            {"With the whole mean image: lengths fall, less is learnt", {{"meanImage", "1"}}},
            {"A calm start: σ_w² = 1", {{"weightVariance", "1"}}}};
}

}  // namespace

Declaration training_tradeoff_declaration() {
    Declaration d;
    d.id = "training-tradeoff";
    d.title = "Training trades length for stability";
    d.claim = "Started with large weights, training shortens the images of arcs between samples, more than those between random points.";
    d.group = "Training";
    d.source = "P4 Figs 4–5";
    d.lookAt = "Each line is the length of an arc's image layer by layer at one training step: red before training, purple at its end.";
    d.tryThis = "Set the weight variance to 3: now lengths between samples rise in all layers.";
    d.params = params();
    d.fields = fields();
    d.presets = presets();
    d.savesNetwork = true;
    d.timeline = {"at", "step", "step", false, 0.5};
    return d;
}

}  // namespace kappaflow
