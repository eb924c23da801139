#include "scenes/expressivity/activation_regions/declaration_training.h"

#include "scenes/expressivity/declaration_run.h"

namespace kappaflow::regions {
namespace {

constexpr const char* kTraining = "P4, activation patterns during training";

bool offered(const Values& v) { return v.is("network", "") && v.number("inputs") == 2; }
bool training(const Values& v) { return offered(v) && !v.is("data", "none"); }
bool made(const Values& v) { return training(v) && !v.is("data", "file"); }

/// The last step stands for the whole run until a reader chooses another one.
Beside lastStep(const Values& v) { return {v.number("steps"), v.number("steps")}; }

Param dataParam() {
    Param p = param(Kind::Data, "data", "", "training data", std::string("none"),
                    "Labelled points that the network learns to tell apart: made here, or a CSV file with columns x, y, class.", kTraining);
    p.options = {{"none", "none"},       {"spirals", "two spirals"},       {"moons", "two moons"},
                 {"circles", "circles"}, {"checkerboard", "checkerboard"}, {"file", "your own file"}};
    return visibleWhen(offered, std::move(p));
}

Param stepParam() {
    Param p = wholeParam("step", "t", "training step", 600, 0, 5000, "How many training steps the network has made.", kTraining);
    p.beside = lastStep;
    p.group = Group::Hidden;
    return visibleWhen(training, std::move(p));
}

}  // namespace

std::vector<Param> trainingParams() {
    std::vector<Param> all = training_runs::runParams(training, 2000, kTraining);
    all.insert(all.begin(), dataParam());
    all.push_back(visibleWhen(
        made, underMore(logarithmic(wholeParam("samples", "", "samples", 200, 10, 2000, "Points of the data set.", kTraining)))));
    all.push_back(visibleWhen(
        made, underMore(inRange(param(Kind::Number, "noise", "", "noise", 0.02,
                                      "Standard deviation by which points are off their curve, in units of the whole.", kTraining),
                                0, 1))));
    all.push_back(visibleWhen(
        training, underMore(logarithmic(wholeParam("steps", "T", "steps", 600, 1, 5000, "Length of the whole training.", kTraining)))));
    all.push_back(stepParam());
    return all;
}

std::vector<Field> trainingFields() {
    return {{"samplePoints", "x", {"sample", "xy"}, "The points that the network is trained on."},
            {"sampleClass", "", {"sample"}, "Their classes, counted from 0."},
            {"loss", "", {"step"}, "Loss over all samples; empty after the training has diverged."},
            {"accuracy", "", {"step"}, "Share of the samples on their side of the decision boundary."},
            {"trainedSteps", "t", {}, "Training steps behind the network that is shown."},
            {"trainingLoss", "", {}, "Loss over all samples at this step."},
            {"trainingAccuracy", "", {}, "Share of the samples on their side of the decision boundary at this step."}};
}

std::vector<Preset> trainingPresets() {
    return {{"Training: two spirals", {{"data", "spirals"}, {"widths", "16,16"}, {"half", "1.15"}, {"steps", "800"}}},
            {"Training: circles",
             {{"data", "circles"}, {"activation", "hard-tanh"}, {"widths", "8,8"}, {"half", "1.15"}, {"noise", "0.05"}, {"steps", "300"}}},
            {"Training: checkerboard",
             {{"data", "checkerboard"},
              {"widths", "28,28"},
              {"half", "1"},
              {"samples", "400"},
              {"noise", "0"},
              {"batch", "50"},
              {"steps", "800"}}}};
}

}  // namespace kappaflow::regions
