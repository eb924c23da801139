#include "scenes/one_network/network_lens/declaration.h"

#include <vector>

#include "scene/declare.h"
#include "scene/scene.h"
#include "scenes/expressivity/declaration_training.h"

namespace kappaflow {
namespace lens {
namespace {

std::vector<Field> networkFields() {
    return {{"units",
             "k",
             {"layer"},
             "Units of every state of the network that the lenses look at: of the input, and behind each layer that has weights, pools or "
             "adds."},
            {"channels", "", {"layer"}, "Channels of every state; 1 of a plain vector."},
            {"heights", "", {"layer"}, "Rows of every state; 1 of vectors and signals."},
            {"columns", "", {"layer"}, "Columns of every state; units of a plain vector."},
            {"parameters", "p", {"layer"}, "Weights and biases of the layer below each state; none at the input."}};
}

std::vector<Field> capacityFields() {
    return {
        {"capacity", "κ", {"layer", "unit"}, "Capacity of every unit when the chosen output holds 1, of the network before an edit."},
        {"total", "", {"layer"}, "Capacity of each state together; what is missing to 1 was kept by units without weights."},
        {"holders", "", {"layer"}, "Number of units that hold it, as (Σκ)²/Σκ²."},
        {"flowFrom", "", {"edge"}, "Upper bin of units of each edge along which capacity flows."},
        {"flowTo", "", {"edge"}, "Lower bin of each edge."},
        {"flowAmount", "", {"edge"}, "Capacity that flows along each edge."},
        {"flowOffsets", "", {"layer"}, "Edges from state l to l − 1 are those numbered flowOffsets[l − 1] … flowOffsets[l] − 1."},
        {"flowBin", "", {}, "Units in each bin of the flow."},
        {"capacityStep", "t", {}, "Training step that the capacity belongs to."},
        {"parameterCapacity",
         "p − hidden",
         {},
         "Capacity of all weights and biases: where f(cz) = c f(z), one scale a hidden unit, of a convolution a channel, is redundant (P1 "
         "App. A)."},
        {"editedUnits", "k", {"editedLayer"}, "Units of every state of the edited network."},
        {"editedParameters", "p", {"editedLayer"}, "Weights and biases of its layers that can still be learned."},
        {"editedCapacity", "κ", {"editedLayer", "unit"}, "Capacity of every unit of the edited network."},
        {"editedTotal", "", {"editedLayer"}, "Capacity of each of its states together."},
        {"editedHolders", "", {"editedLayer"}, "Number of units that hold it, as (Σκ)²/Σκ²."},
        {"stateBefore", "", {"editedLayer"}, "The state of the network before the edit that this one stands for; empty where it is new."},
        {"editedParameterCapacity", "", {}, "Capacity of all weights and biases after the edit."},
        {"moved", "", {}, "Share of the inputs' capacity that the edit moved: half the sum of all differences."},
        {"functionChange", "", {}, "How far the edit moved the outputs of the samples, rms over the outputs' own rms."}};
}

std::vector<Field> regionFields() {
    return {
        {"regionsByDepth", "F", {"depth"}, "Regions of the window when the network ends after a bending layer; 0 is the window itself."},
        {"unitsByDepth", "N", {"depth"}, "Units up to a depth that bend."},
        {"stateOfDepth", "", {"depth"}, "State that stands behind each depth."},
        {"insideOfDepth",
         "",
         {"depth"},
         "Where a depth lies in a residual block: k, the k-th bend inside it; −1, behind the sum; 0 of other layers."},
        {"vertices", "", {"vertex", "xy"}, "Corners of the regions, in coordinates of the plane."},
        {"polygons", "", {"corner"}, "Vertices of every region in turn, counterclockwise."},
        {"polygonEnds", "", {"region"}, "Where each region's vertices end in the list of polygons."},
        {"edges", "", {"edge", "end"}, "Vertices that each edge joins."},
        {"edgeLayer", "", {"edge"}, "Depth that drew the edge; 0 is the window's border."},
        {"pattern", "", {"depth", "region"}, "Number made from the states of all units up to a depth: equal for equal patterns."},
        {"output", "", {"region"}, "The chosen output at the middle of each region."},
        {"vertexOutput", "", {"vertex"}, "The chosen output at each vertex."},
        {"decisionBoundary",
         "",
         {"segment", "coordinate"},
         "Where the decision changes: ends x, y, x, y of straight pieces; one output: its zeros, several: where the largest two are "
         "equal."},
        {"window", "", {"corner", "xy"}, "The window's lower left and upper right corner."},
        {"regions", "F", {}, "Regions in the window, by the layers that were cut: open cells of constant activation pattern."},
        {"exactThrough",
         "",
         {},
         "Last depth that was cut; deeper ones would have gone over the budget of regions, or over what memory allows."},
        {"bendingLayers", "", {}, "Bending layers of the network: depths, were all of them cut."},
        {"regionBudget", "", {}, "The most regions that the cut could make: the budget, or fewer where time and memory allow no more."},
        {"certificate", "", {}, "1 when Euler's formula, distinct patterns, areas and neighbours all agree, else 0."},
        {"regionsStep", "t", {}, "Training step that the regions belong to."}};
}

std::vector<Field> trajectoryFields() {
    return {{"length", "ℓ", {"layer"}, "Length of the curve from sample A to sample B behind each layer."},
            {"growth", "", {"layer"}, "Its ratio to the layer before."},
            {"transitions", "", {"layer"}, "Changes of linear piece of the layer's units along the curve, as deep as it is exact."},
            {"pieces", "", {"layer"}, "Activation patterns along the curve up to each layer, as deep as it is exact."},
            {"image", "", {"layer", "point", "coordinate"}, "The curve in each layer's principal plane."},
            {"place", "t", {"point"}, "Where on the curve these points lie: 0 at A, 1 at B."},
            {"planeShare", "", {"layer"}, "Share of the curve's variance that lies in that plane."},
            {"curve", "", {"place", "xy"}, "The curve in coordinates of the plane of the regions, when it lies in it."},
            {"lengthRatio", "", {}, "Length behind the last layer over the length in the input."},
            {"exactLayers", "", {}, "Last layer whose length is exact; the ones behind are sampled."},
            {"lengthStep", "t", {}, "Training step that the curve belongs to."}};
}

std::vector<Field> sensitivityFields() {
    return {{"chi",
             "χ",
             {"layer"},
             "Normalised sensitivity: by how much noise grew more than the signal, from the input on. Of the noise the expectation, by the "
             "samples' Jacobians; in large networks a mean over draws, with its standard error."},
            {"rankSignal", "r(x)", {"layer"}, "Effective rank of the samples' states: trace over largest eigenvalue of their covariance."},
            {"rankNoise", "r(dx)", {"layer"}, "Effective rank of the noise on them, one draw a sample."},
            {"sensitivitySamples", "", {}, "Samples that signal and noise were taken over."},
            {"noiseDraws",
             "",
             {},
             "Draws of noise that χ took for each sample where its expectation would have taken too long; 0: it is exact."},
            {"sensitivityStep", "t", {}, "Training step that the sensitivity belongs to."}};
}

std::vector<Field> dataFields() {
    return {{"samplePoints",
             "x",
             {"sample", "xy"},
             "The first thousand samples in coordinates of the plane; of more than two inputs, their shadows on it."},
            {"sampleCount", "", {}, "All samples, of which A, B and C may be any three."},
            {"sampleClass", "", {"sample"}, "Their classes, counted from 0; −1 without labels."},
            {"chosen", "", {"role"}, "Numbers of the samples A, B and C."},
            {"chosenPoints", "", {"role", "xy"}, "These three in coordinates of the plane."},
            {"chosenInputs", "x", {"role", "input"}, "The inputs of these three."},
            {"loss", "", {"step"}, "Loss over all samples; empty after the training has diverged."},
            {"accuracy", "", {"step"}, "Share of the samples that the network puts into their class."},
            {"trainedSteps", "t", {}, "Training steps behind the network that is shown."},
            {"trainingLoss", "", {}, "Loss over all samples at this step."},
            {"trainingAccuracy", "", {}, "Share of the samples in their class at this step."}};
}

/// What a report of the scene may hold.
std::vector<Field> fields() {
    std::vector<Field> all;
    for (const auto& part : {networkFields(), capacityFields(), regionFields(), trajectoryFields(), sensitivityFields(), dataFields()})
        for (const auto& field : part) all.push_back(field);
    return all;
}

constexpr const char* kNetwork = "P1–P4, one network under every lens";
constexpr const char* kSlice = "P4, activation patterns";
constexpr const char* kCurve = "P4, trajectory length";

bool leaky(const Values& v) { return drawn(v) && v.is("activation", "leaky-relu"); }
bool scaled(const Values& v) { return drawn(v) && (v.is("initialisation", "gaussian") || v.is("initialisation", "orthogonal")); }

Param number(Text key, Text symbol, Text label, double standard, double min, double max, Text help, Text serves) {
    return inRange(param(Kind::Number, key, symbol, label, standard, help, serves), min, max);
}

Param networkParam() {
    Param p = param(Kind::Network, "network", "", "network", std::string(),
                    "A network drawn from the choices below, a trained one that comes with the program, or a file.", kNetwork);
    p.options = {{"", "drawn here"},
                 {"shapes-classifier", "trained classifier (64-32-24-16-10)"},
                 {"strokes-cnn", "trained CNN (24 × 24)"},
                 {"strokes-resnet", "trained residual CNN (24 × 24)"},
                 {"file", "your own file"}};
    return p;
}

std::vector<Param> networkParams() {
    Param widths = inRange(param(Kind::List, "widths", "k", "widths", std::vector<double>{16, 16, 16},
                                 "Units of every hidden layer, channels of a convolution; the data give inputs and outputs.", kNetwork),
                           1, 1024);
    widths.maxLength = 32;
    Param slope = number("slope", "α", "leaky slope", 0.1, -1, 1, "Slope of the leaky ReLU below 0.", kNetwork);
    return {
        networkParam(),
        visibleWhen(drawn, std::move(widths)),
        visibleWhen(drawn, underMore(choiceParam("layers", "layers",
                                                 {{"dense", "dense"}, {"conv", "convolutions"}, {"residual", "residual blocks"}},
                                                 "What the hidden layers are.", kNetwork))),
        visibleWhen(drawn, choiceParam("activation", "activation",
                                       {{"relu", "ReLU"},
                                        {"leaky-relu", "leaky ReLU"},
                                        {"abs", "absolute value"},
                                        {"hard-tanh", "hard tanh"},
                                        {"tanh", "tanh"},
                                        {"sigmoid", "sigmoid"},
                                        {"pseudo-random", "pseudo-random sign"}},
                                       "Activation of the hidden layers; lenses that need straight pieces say so.", kNetwork)),
        visibleWhen(leaky, underMore(std::move(slope))),
        visibleWhen(
            drawn, choiceParam("initialisation", "initialisation",
                               {{"he", "He, 2/k"}, {"lecun", "LeCun, 1/k"}, {"gaussian", "Gaussian, σ_w²/k"}, {"orthogonal", "orthogonal"}},
                               "How weights are drawn, with k the units they read.", kNetwork)),
        visibleWhen(scaled,
                    number("weightVariance", "σ_w²", "weight variance", 1, 0, 100, "Scale of Gaussian and orthogonal weights.", kNetwork)),
        visibleWhen(drawn, underMore(number("biasVariance", "σ_b²", "bias variance", 0.01, 0, 100, "Biases are drawn from N(0, σ_b²).",
                                            kNetwork)))};
}

Param pointParam(Text key, Text label, Text help) {
    return underMore(named(wholeParam(key, "", label, -1, 0, 19999, help, kSlice), "auto", -1));
}

/// Points made in the plane fill the square from −1 to 1, Gaussian ones are seldom beyond 3; three samples, and what is fitted to files,
/// come to lie within 0.65 of the middle.
Beside halfOf(const Values& v) {
    const bool gaussian = v.is("data", "gaussian"), ofThree = v.is("data", "digits") || v.is("data", "signals");
    if (!drawn(v) || v.is("data", "file") || ofThree) return {0.7, 1000};
    return {!gaussian ? 1.2 : v.number("inputs") == 2 ? 3 : 0.7, 1000};
}

std::vector<Param> lensParams() {
    Param half = logarithmic(number("half", "", "half side", 1.2, 1e-4, 1000, "Half the side of the square window.", kSlice));
    half.beside = halfOf;
    Param centre = inRange(
        param(Kind::List, "centre", "", "centre", std::vector<double>{0, 0}, "Middle of the window, in coordinates of the plane.", kSlice),
        -1e4, 1e4);
    centre.maxLength = 2;
    centre.group = Group::Hidden;
    return {wholeParam("unit", "j", "output unit", 0, 0, 9999, "The output whose capacity flows back, counted from 0.", "P1 Eqs 24–28"),
            choiceParam("trajectory", "curve", {{"line", "straight line"}, {"arc", "quarter of an ellipse"}},
                        "How the curve goes from sample A to sample B.", kCurve),
            pointParam("pointA", "sample A", "Where the curve begins; a corner of the plane of more than two inputs."),
            pointParam("pointB", "sample B", "Where the curve ends; a corner of the plane."),
            pointParam("pointC", "sample C", "The third corner of the plane."),
            std::move(half),
            std::move(centre),
            underMore(logarithmic(wholeParam("budget", "", "region budget", 20000, 1, 1e5,
                                             "The most regions that are made; the layer that would go over it is left out.", kSlice))),
            seedParam("Start of the random numbers of weights, data and the order of training.", kNetwork)};
}

std::vector<Param> viewParams() {
    std::vector<Param> all = timelineParams(400, "The layer that all lenses mark.", kNetwork);
    all[0].standard = 3.0;  // the last hidden one of the opening network
    Param alone =
        choiceParam("lens", "lens",
                    {{"all", "all four"},
                     {"capacity", "capacity"},
                     {"regions", "regions"},
                     {"trajectory", "trajectory"},
                     {"sensitivity", "sensitivity"}},
                    "Which lens is shown alone; narrow pictures show one at a time, the regions unless another is chosen.", kNetwork);
    alone.group = Group::Hidden;
    alone.affects = Affects::View;
    all.push_back(std::move(alone));
    return all;
}

std::vector<Preset> presets() {
    return {{"Three layers of sixteen learn two moons", {}},
            {"At initialisation", {{"steps", "0"}}},
            {"Two spirals", {{"data", "spirals"}, {"noise", "0.02"}, {"widths", "20,20,20"}, {"steps", "800"}}},
            {"tanh: no regions", {{"activation", "tanh"}}},
            {"Orthogonal weights",
             {{"initialisation", "orthogonal"}, {"weightVariance", "2"}, {"steps", "0"}, {"widths", "16,16,16,16,16,16"}}},
            {"Eight layers of a hundred read digits",
             {{"data", "digits"},
              {"widths", "100,100,100,100,100,100,100,100"},
              {"samples", "100"},
              {"batch", "50"},
              {"budget", "7000"},
              {"learningRate", "0.001"},
              {"steps", "90"}}},
            {"Convolutions on signals", {{"data", "signals"}, {"layers", "conv"}, {"widths", "8,8,8"}, {"steps", "60"}}},
            {"A plane through ten dimensions", {{"data", "gaussian"}, {"widths", "24,24,24"}}},
            {"What if: a skip", {{"edit", "skip"}, {"editLayer", "3"}}},
            {"What if: a wider layer", {{"edit", "widen"}, {"editLayer", "2"}, {"editAmount", "16"}}},
            {"What if: one layer more", {{"edit", "insert"}, {"editLayer", "2"}, {"editAmount", "1"}}},
            {"What if: one layer less", {{"edit", "remove"}, {"editLayer", "2"}}},
            {"What if: the first layer stays as it was drawn", {{"edit", "freeze"}, {"editLayer", "1"}}},
            {"Residual blocks", {{"layers", "residual"}, {"widths", "16,16,16,16"}}},
            {"A trained classifier", {{"network", "shapes-classifier"}, {"data", "gaussian"}}},
            {"A trained residual CNN", {{"network", "strokes-resnet"}, {"data", "gaussian"}, {"budget", "200"}}}};
}

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

}  // namespace lens

Declaration network_lens_declaration() {
    Declaration d;
    d.id = "network-lens";
    d.title = "One network, every lens";
    d.claim = "Capacity, regions, trajectories and sensitivity of the same network, before, while and after it learns.";
    d.group = "One network";
    d.source = "P1 Eqs 25–28; P2 App. D; P3 Section 3; P4";
    d.lookAt = "Follow one layer through all four lenses: what bends the curve also draws the lines between regions.";
    d.tryThis = "Train the network, or add a skip, and watch every lens follow.";
    const auto append = [&](std::vector<Param> part) {
        for (auto& p : part) d.params.push_back(std::move(p));
    };
    append(lens::networkParams());
    append(lens::dataParams());
    append(lens::trainingParams());
    append(lens::lensParams());
    append(lens::editParams());
    append(lens::viewParams());
    d.fields = lens::fields();
    d.presets = lens::presets();
    d.savesNetwork = true;
    d.timeline = {"at", "layer", "layer", false, 0.5};
    d.instead = {"step", "step", "training step", false, 0.06};
    return d;
}

}  // namespace kappaflow
