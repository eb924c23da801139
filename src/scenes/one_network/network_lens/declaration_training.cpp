#include "scenes/one_network/network_lens/declaration_training.h"

#include "scenes/expressivity/declaration_run.h"

namespace kappaflow::lens {
namespace {

constexpr const char* kTraining = "P4, networks during training";
constexpr const char* kData = "P3; P4, data points";
constexpr const char* kEdit = "P1 Eqs 25–28; P2 App. D";

bool labelled(const Values& v) { return !v.is("data", "gaussian"); }
bool gaussian(const Values& v) { return drawn(v) && v.is("data", "gaussian"); }
bool noisy(const Values& v) { return made(v) && labelled(v); }
bool edited(const Values& v) { return !v.is("edit", "none"); }
bool amounts(const Values& v) { return edited(v) && !v.is("edit", "remove") && !v.is("edit", "freeze"); }

/// The last step stands for the whole run until a reader chooses another one.
Beside lastStep(const Values& v) { return {v.number("steps"), v.number("steps")}; }

/// What an amount means, and so where it begins and ends, is the edit's to say.
Beside amountOf(const Values& v) {
    if (v.is("edit", "widen")) return {8, 256};
    if (v.is("edit", "rescale")) return {4, 100};
    if (v.is("edit", "skip")) return {1, 100};
    return {0.5, 1};
}

/// A network that is read stays as it was trained unless a reader asks for more.
Beside stepsOf(const Values& v) { return {drawn(v) ? 300.0 : 0.0, 5000}; }

Param stepsParam() {
    Param p = wholeParam("steps", "T", "training steps", 300, 0, 5000,
                         "Length of the whole training; 0 leaves the network as it was drawn or read.", kTraining);
    p.beside = stepsOf;
    return visibleWhen(labelled, std::move(p));
}

Param stepParam() {
    Param p = wholeParam("step", "t", "training step", 300, 0, 5000, "How many training steps the network has made.", kTraining);
    p.beside = lastStep;
    p.group = Group::Hidden;
    return visibleWhen(training, std::move(p));
}

Param amountParam() {
    Param p = inRange(
        param(Kind::Number, "editAmount", "", "amount", 0.5,
              "Insert: share of fresh weights in the new identity layer; widen: units added; rescale: factor; skip: its scale.", kEdit),
        0, 256);
    p.beside = amountOf;
    return visibleWhen(amounts, std::move(p));
}

}  // namespace

bool drawn(const Values& v) { return v.is("network", ""); }
bool made(const Values& v) { return !v.is("data", "file"); }
bool training(const Values& v) { return labelled(v) && v.number("steps") > 0; }

std::vector<Param> dataParams() {
    Param data = param(Kind::Data, "data", "", "data", std::string("moons"),
                       "Points that the network is looked at with, and learns from: made here, or a file with labels.", kData);
    data.options = {{"moons", "two moons"},
                    {"spirals", "two spirals"},
                    {"circles", "circles"},
                    {"checkerboard", "checkerboard"},
                    {"digits", "digits, 28 × 28"},
                    {"signals", "signals of four processes"},
                    {"gaussian", "Gaussian, no labels"},
                    {"file", "your own file"}};
    data.files = DataFiles::Either;
    Param samples = logarithmic(wholeParam("samples", "", "samples", 200, 10, 5000, "Points of the data set.", kData));
    Param noise = inRange(param(Kind::Number, "noise", "", "noise", 0.08, "How far points are off their curve.", kData), 0, 1);
    return {std::move(data), visibleWhen(made, std::move(samples)), visibleWhen(noisy, underMore(std::move(noise))),
            visibleWhen(gaussian, logarithmic(wholeParam("inputs", "", "inputs", 10, 1, 1000, "Inputs of the network.", kData))),
            visibleWhen(gaussian, logarithmic(wholeParam("outputs", "", "outputs", 3, 1, 100, "Outputs of the network.", kData)))};
}

std::vector<Param> trainingParams() {
    std::vector<Param> all = training_runs::runParams(training, 1000, kTraining);
    all.insert(all.begin(), stepsParam());
    all.push_back(stepParam());
    return all;
}

std::vector<Param> editParams() {
    return {
        choiceParam("edit", "what if",
                    {{"none", "leave it"},
                     {"insert", "insert a layer"},
                     {"remove", "remove a layer"},
                     {"widen", "widen a layer"},
                     {"rescale", "rescale a layer"},
                     {"freeze", "freeze a layer"},
                     {"skip", "add a skip"}},
                    "A change of the network whose allocation of capacity is laid over the one before.", kEdit),
        visibleWhen(edited, wholeParam("editLayer", "l", "edited layer", 2, 1, 64, "The layer that is changed, counted from 1.", kEdit)),
        amountParam(),
        visibleWhen(edited, underMore(param(Kind::Boolean, "editAll", "", "under every lens", false,
                                            "Whether the other lenses look at the edited network too.", kEdit)))};
}

}  // namespace kappaflow::lens
