#include "scenes/one_network/network_lens.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/errors.h"
#include "scenes/one_network/network_lens_model.h"

namespace kappaflow {
namespace network_lens {
namespace {

using namespace table;

constexpr const char *kNetwork = "P1–P4, one network under every lens", *kSlice = "P4, activation patterns",
                     *kCurve = "P4, trajectory length", *kTraining = "P4, networks during training", *kData = "P3; P4, data points",
                     *kEdit = "P1 Eqs 25–28; P2 App. D";

bool isLeaky(const Params& p) { return isDrawn(p) && p.activation == Bend::LeakyRelu; }
bool isScaled(const Params& p) {
    return isDrawn(p) && (p.initialisation == Initialisation::Gaussian || p.initialisation == Initialisation::Orthogonal);
}
bool isMade(const Params& p) { return p.data != "file"; }
bool hasLabels(const Params& p) { return p.data != "gaussian"; }
bool isGaussian(const Params& p) { return isDrawn(p) && !hasLabels(p); }
bool isNoisy(const Params& p) { return isMade(p) && hasLabels(p); }
bool isEdited(const Params& p) { return p.edit != EditKind::None; }
bool hasAmount(const Params& p) { return isEdited(p) && p.edit != EditKind::Remove && p.edit != EditKind::Freeze; }

/// Points made in the plane fill the square from −1 to 1, Gaussian ones are seldom beyond 3; three samples, and what is fitted to files,
/// come to lie within 0.65 of the middle.
Beside halfOf(const Params& p) {
    const bool ofThree = p.data == "digits" || p.data == "signals";
    if (!isDrawn(p) || p.data == "file" || ofThree) return {0.7, 1000};
    return {hasLabels(p) ? 1.2 : p.inputs == 2 ? 3 : 0.7, 1000};
}
/// A network that is read stays as it was trained unless a reader asks for more.
Beside stepsOf(const Params& p) { return {isDrawn(p) ? 300.0 : 0.0, 5000}; }
/// The last step stands for the whole run until a reader chooses another one.
Beside lastStep(const Params& p) { return {static_cast<double>(p.steps), static_cast<double>(p.steps)}; }
/// The edit says what an amount means, and so where it begins and ends.
Beside amountOf(const Params& p) {
    if (p.edit == EditKind::Widen) return {8, 256};
    if (p.edit == EditKind::Rescale) return {4, 100};
    return p.edit == EditKind::Skip ? Beside{1, 100} : Beside{0.5, 1};
}

constexpr OptionRow kNetworks[] = {{"", "drawn here"},
                                   {"shapes-classifier", "trained classifier (64-32-24-16-10)"},
                                   {"strokes-cnn", "trained CNN (24 × 24)"},
                                   {"strokes-resnet", "trained residual CNN (24 × 24)"},
                                   {"file", "your own file"}};
constexpr OptionRow kLayers[] = {{"dense"}, {"conv", "convolutions"}, {"residual", "residual blocks"}};
constexpr OptionRow kActivations[] = {
    {"relu", "ReLU"}, {"leaky-relu", "leaky ReLU"},           {"abs", "absolute value"}, {"hard-tanh", "hard tanh"}, {"tanh"},
    {"sigmoid"},      {"pseudo-random", "pseudo-random sign"}};
constexpr OptionRow kInitialisations[] = {{"he", "He, 2/k"}, {"lecun", "LeCun, 1/k"}, {"gaussian", "Gaussian, σ_w²/k"}, {"orthogonal"}};
constexpr OptionRow kDataSets[] = {{"moons", "two moons"},
                                   {"spirals", "two spirals"},
                                   {"circles"},
                                   {"checkerboard"},
                                   {"digits", "digits, 28 × 28"},
                                   {"signals", "signals of four processes"},
                                   {"gaussian", "Gaussian, no labels"},
                                   {"file", "your own file"}};
constexpr OptionRow kCurves[] = {{"line", "straight line"}, {"arc", "quarter of an ellipse"}};
constexpr OptionRow kAuto[] = {{"auto", "auto", -1}};
constexpr OptionRow kEdits[] = {{"none", "leave it"},       {"insert", "insert a layer"},   {"remove", "remove a layer"},
                                {"widen", "widen a layer"}, {"rescale", "rescale a layer"}, {"freeze", "freeze a layer"},
                                {"skip", "add a skip"}};
constexpr OptionRow kLenses[] = {{"all", "all five"}, {"capacity"},    {"regions"},
                                 {"trajectory"},      {"sensitivity"}, {"measured", "measured capacity"}};

constexpr ParamRow kParams[] = {
    network<&Params::network>("network", kNetworks,
                              "A network drawn from the choices below, a trained one that comes with the program, or a file.", kNetwork) |
        costly,
    list<&Params::widths>("widths", "k", "widths", {1, 1024}, 32,
                          "Units of every hidden layer, channels of a convolution; the data give inputs and outputs.", kNetwork) |
        when<isDrawn> | costly,
    choice<&Params::layers>("layers", "layers", kLayers, "What the hidden layers are.", kNetwork) | more | when<isDrawn>,
    choice<&Params::activation>("activation", "activation", kActivations,
                                "Activation of the hidden layers; lenses that need straight pieces say so.", kNetwork) |
        when<isDrawn>,
    number<&Params::slope>("slope", "α", "leaky slope", {-1, 1}, "Slope of the leaky ReLU below 0.", kNetwork) | more | when<isLeaky>,
    choice<&Params::initialisation>("initialisation", "initialisation", kInitialisations,
                                    "How weights are drawn, with k the units they read.", kNetwork) |
        more | when<isDrawn>,
    number<&Params::weightVariance>("weightVariance", "σ_w²", "weight variance", {0, 100}, "Scale of Gaussian and orthogonal weights.",
                                    kNetwork) |
        when<isScaled>,
    number<&Params::biasVariance>("biasVariance", "σ_b²", "bias variance", {0, 100}, "Biases are drawn from N(0, σ_b²).", kNetwork) | more |
        when<isDrawn>,

    data<&Params::data>("", "data", kDataSets, DataFiles::Either,
                        "Points that the network is looked at with, and learns from: made here, or a file with labels.", kData),
    whole<&Params::samples>("samples", "", "samples", {10, 5000}, "Points of the data set.", kData) | logarithmic | more | when<isMade> |
        costly,
    number<&Params::noise>("noise", "", "noise", {0, 1}, "How far points are off their curve.", kData) | more | when<isNoisy>,
    whole<&Params::inputs>("inputs", "", "inputs", {1, 1000}, "Inputs of the network.", kData) | logarithmic | when<isGaussian> | costly,
    whole<&Params::outputs>("outputs", "", "outputs", {1, 100}, "Outputs of the network.", kData) | logarithmic | when<isGaussian> | costly,

    whole<&Params::steps>("steps", "T", "training steps", {0, 5000},
                          "Length of the whole training; 0 leaves the network as it was drawn or read.", kTraining) |
        when<hasLabels> | dependsOn<stepsOf> | costly,
    training_runs::rateRow<&Params::learningRate>(kTraining) | more | when<isTrained>,
    training_runs::ruleRow<&Params::optimiser>(kTraining) | when<isTrained>,
    training_runs::lossRow<&Params::loss>(kTraining) | when<isTrained>,
    training_runs::batchRow<&Params::batch>(1000, kTraining) | when<isTrained> | costly,
    whole<&Params::step>("step", "t", "training step", {0, 5000}, "How many training steps the network has made.", kTraining) | hidden |
        when<isTrained> | dependsOn<lastStep>,

    whole<&Params::unit>("unit", "j", "output unit", {0, 9999}, "The output whose capacity flows back, counted from 0.", "P1 Eqs 24–28"),
    choice<&Params::trajectory>("trajectory", "curve", kCurves, "How the curve goes from sample A to sample B.", kCurve) | more,
    whole<&Params::pointA>("pointA", "", "sample A", {0, 19999}, "Where the curve begins; a corner of the plane of more than two inputs.",
                           kSlice) |
        named<kAuto> | more,
    whole<&Params::pointB>("pointB", "", "sample B", {0, 19999}, "Where the curve ends; a corner of the plane.", kSlice) | named<kAuto> |
        more,
    whole<&Params::pointC>("pointC", "", "sample C", {0, 19999}, "The third corner of the plane.", kSlice) | named<kAuto> | more,
    number<&Params::half>("half", "", "half side", {1e-4, 1000}, "Half the side of the square window.", kSlice) | logarithmic | more |
        dependsOn<halfOf>,
    list<&Params::centre>("centre", "", "centre", {-1e4, 1e4}, 2, "Middle of the window, in coordinates of the plane.", kSlice) | hidden,
    whole<&Params::budget>("budget", "", "region budget", {1, 1e5},
                           "The most regions that are made; the layer that would go over it is left out.", kSlice) |
        logarithmic | more | costly,
    seed<&Params::seed>("Start of the random numbers of weights, data and the order of training.", kNetwork),

    choice<&Params::edit>("edit", "what if", kEdits, "A change of the network whose allocation of capacity is laid over the one before.",
                          kEdit),
    whole<&Params::editLayer>("editLayer", "l", "edited layer", {1, 64}, "The layer that is changed, counted from 1.", kEdit) |
        when<isEdited>,
    number<&Params::editAmount>(
        "editAmount", "", "amount", {0, 256},
        "Insert: share of fresh weights in the new identity layer; widen: units added; rescale: factor; skip: its scale.", kEdit) |
        when<hasAmount> | dependsOn<amountOf>,
    flag<&Params::editAll>("editAll", "", "under every lens", "Whether the other lenses look at the edited network too.", kEdit) | more |
        when<isEdited>,

    shownAt<&Params::at>("l", "layer", 400, "The layer that all lenses mark.", kNetwork),
    plays<&Params::play>("Whether the layers pass by themselves.", kNetwork),
    choice<&Params::lens>("lens", "lens", kLenses,
                          "Which lens is shown alone; narrow pictures show one at a time, the regions unless another is chosen.",
                          kNetwork) |
        hidden | ofView};

constexpr AxisRow kState = axis<&Result::states>("layer"), kShown = axis<&Result::shownStates>("layer"),
                  kEdited = axis<&Result::editedStates>("editedLayer"), kCurveState = axis<&Result::curveStates>("layer"),
                  kUnit = axis<&Result::unitNumbers>("unit"), kEditedUnit = axis<&Result::editedUnitNumbers>("unit"),
                  kFlowEdge = axis<&Result::flowEdges>("edge"), kDepth = axis<&Result::depths>("depth"),
                  kVertex = axis<&Result::vertexNumbers>("vertex"), kXy = axis<&Result::xy>("xy"),
                  kXyOfImage = axis<&Result::xy>("coordinate"), kCorner = axis<&Result::corners>("corner"),
                  kRegion = axis<&Result::regionNumbers>("region"), kMeshEdge = axis<&Result::meshEdges>("edge"),
                  kEnd = axis<&Result::ends>("end"), kSegment = axis<&Result::segments>("segment"),
                  kSegmentEnd = axis<&Result::segmentEnds>("coordinate"), kWindowCorner = axis<&Result::windowCorners>("corner"),
                  kPoint = axis<&Result::points>("point"), kPlace = axis<&Result::places>("place"),
                  kSample = axis<&Result::samples>("sample"), kRole = axis<&Result::roles>("role"), kInput = axis<&Result::inputs>("input"),
                  kStep = axis<&Result::trainingSteps>("step"), kMeasuredState = axis<&Result::measuredStates>("layer"),
                  kMeasuredUnit = axis<&Result::measuredUnits>("unit"), kGateLayer = axis<&Result::gateLayers>("layer");

constexpr FieldRow kFields[] = {
    measured<&Result::units>("units", "k", {kShown},
                             "Units of every state of the network that the lenses look at: of the input, and behind each layer that has "
                             "weights, pools or adds."),
    measured<&Result::channels>("channels", "", {kShown}, "Channels of every state; 1 of a plain vector."),
    measured<&Result::heights>("heights", "", {kShown}, "Rows of every state; 1 of vectors and signals."),
    measured<&Result::columns>("columns", "", {kShown}, "Columns of every state; units of a plain vector."),
    measured<&Result::parameters>("parameters", "p", {kShown}, "Weights and biases of the layer below each state; none at the input.") |
        gaps,

    measured<&Result::capacity>("capacity", "κ", {kState, kUnit},
                                "Capacity of every unit when the chosen output holds 1, of the network before an edit.") |
        gaps,
    measured<&Result::total>("total", "", {kState},
                             "Capacity of each state together; what is missing to 1 was kept by units without weights.") |
        gaps,
    measured<&Result::holders>("holders", "", {kState}, "Number of units that hold it, as (Σκ)²/Σκ².") | gaps,
    measured<&Result::flowFrom>("flowFrom", "", {kFlowEdge}, "Upper bin of units of each edge along which capacity flows."),
    measured<&Result::flowTo>("flowTo", "", {kFlowEdge}, "Lower bin of each edge."),
    measured<&Result::flowAmount>("flowAmount", "", {kFlowEdge}, "Capacity that flows along each edge."),
    measured<&Result::flowOffsets>("flowOffsets", "", {kState},
                                   "Edges from state l to l − 1 are those numbered flowOffsets[l − 1] … flowOffsets[l] − 1."),
    measured<&Result::flowBin>("flowBin", "", {}, "Units in each bin of the flow."),
    measured<&Result::capacityStep>("capacityStep", "t", {}, "Training step that the capacity belongs to."),
    measured<&Result::parameterCapacity>(
        "parameterCapacity", "p − hidden", {},
        "Capacity of all weights and biases: where f(cz) = c f(z), one scale a hidden unit, of a convolution a channel, is redundant (P1 "
        "App. A)."),
    measured<&Result::editedUnits>("editedUnits", "k", {kEdited}, "Units of every state of the edited network."),
    measured<&Result::editedParameters>("editedParameters", "p", {kEdited}, "Weights and biases of its layers that can still be learned.") |
        gaps,
    measured<&Result::editedCapacity>("editedCapacity", "κ", {kEdited, kEditedUnit}, "Capacity of every unit of the edited network.") |
        gaps,
    measured<&Result::editedTotal>("editedTotal", "", {kEdited}, "Capacity of each of its states together.") | gaps,
    measured<&Result::editedHolders>("editedHolders", "", {kEdited}, "Number of units that hold it, as (Σκ)²/Σκ².") | gaps,
    measured<&Result::stateBefore>("stateBefore", "", {kEdited},
                                   "The state of the network before the edit that this one stands for; empty where it is new.") |
        gaps,
    measured<&Result::editedParameterCapacity>("editedParameterCapacity", "", {}, "Capacity of all weights and biases after the edit."),
    measured<&Result::moved>("moved", "", {}, "Share of the inputs' capacity that the edit moved: half the sum of all differences."),
    measured<&Result::functionChange>("functionChange", "", {},
                                      "How far the edit moved the outputs of the samples, rms over the outputs' own rms."),

    measured<&Result::regionsByDepth>("regionsByDepth", "F", {kDepth},
                                      "Regions of the window when the network ends after a bending layer; 0 is the window itself."),
    measured<&Result::unitsByDepth>("unitsByDepth", "N", {kDepth}, "Units up to a depth that bend."),
    measured<&Result::stateOfDepth>("stateOfDepth", "", {kDepth}, "State that stands behind each depth."),
    measured<&Result::insideOfDepth>(
        "insideOfDepth", "", {kDepth},
        "Where a depth lies in a residual block: k, the k-th bend inside it; −1, behind the sum; 0 of other layers."),
    measured<&Result::vertices>("vertices", "", {kVertex, kXy}, "Corners of the regions, in coordinates of the plane."),
    measured<&Result::polygons>("polygons", "", {kCorner}, "Vertices of every region in turn, counterclockwise."),
    measured<&Result::polygonEnds>("polygonEnds", "", {kRegion}, "Where each region's vertices end in the list of polygons."),
    measured<&Result::edges>("edges", "", {kMeshEdge, kEnd}, "Vertices that each edge joins."),
    measured<&Result::edgeLayer>("edgeLayer", "", {kMeshEdge}, "Depth that drew the edge; 0 is the window's border."),
    measured<&Result::pattern>("pattern", "", {kDepth, kRegion},
                               "Number made from the states of all units up to a depth: equal for equal patterns."),
    measured<&Result::output>("output", "", {kRegion}, "The chosen output at the middle of each region."),
    measured<&Result::vertexOutput>("vertexOutput", "", {kVertex}, "The chosen output at each vertex."),
    measured<&Result::decisionBoundary>(
        "decisionBoundary", "", {kSegment, kSegmentEnd},
        "Where the decision changes: ends x, y, x, y of straight pieces; one output: its zeros, several: where the largest two are equal."),
    measured<&Result::window>("window", "", {kWindowCorner, kXy}, "The window's lower left and upper right corner."),
    measured<&Result::regions>("regions", "F", {},
                               "Regions in the window, by the layers that were cut: open cells of constant activation pattern."),
    measured<&Result::exactThrough>(
        "exactThrough", "", {},
        "Last depth that was cut; deeper ones would have gone over the budget of regions, or over what memory allows."),
    measured<&Result::bendingLayers>("bendingLayers", "", {}, "Bending layers of the network: depths, were all of them cut."),
    measured<&Result::regionBudget>("regionBudget", "", {},
                                    "The most regions that the cut could make: the budget, or fewer where time and memory allow no more."),
    measured<&Result::certificate>("certificate", "", {},
                                   "1 when Euler's formula, distinct patterns, areas and neighbours all agree, else 0."),
    measured<&Result::regionsStep>("regionsStep", "t", {}, "Training step that the regions belong to."),

    measured<&Result::length>("length", "ℓ", {kCurveState}, "Length of the curve from sample A to sample B behind each layer.") | gaps,
    measured<&Result::growth>("growth", "", {kCurveState}, "Its ratio to the layer before.") | gaps,
    measured<&Result::transitions>("transitions", "", {kCurveState},
                                   "Changes of linear piece of the layer's units along the curve, as deep as it is exact.") |
        gaps,
    measured<&Result::pieces>("pieces", "", {kCurveState},
                              "Activation patterns along the curve up to each layer, as deep as it is exact.") |
        gaps,
    measured<&Result::image>("image", "", {kCurveState, kPoint, kXyOfImage}, "The curve in each layer's principal plane."),
    measured<&Result::place>("place", "t", {kPoint}, "Where on the curve these points lie: 0 at A, 1 at B."),
    measured<&Result::planeShare>("planeShare", "", {kCurveState}, "Share of the curve's variance that lies in that plane."),
    measured<&Result::curve>("curve", "", {kPlace, kXy}, "The curve in coordinates of the plane of the regions, when it lies in it."),
    measured<&Result::lengthRatio>("lengthRatio", "", {}, "Length behind the last layer over the length in the input."),
    measured<&Result::exactLayers>("exactLayers", "", {}, "Last layer whose length is exact; the ones behind are sampled."),
    measured<&Result::lengthStep>("lengthStep", "t", {}, "Training step that the curve belongs to."),

    measured<&Result::chi>("chi", "χ", {kShown},
                           "Normalised sensitivity: by how much noise grew more than the signal, from the input on. Of the noise the "
                           "expectation, by the samples' Jacobians; in large networks a mean over draws, with its standard error.") |
        gaps,
    measured<&Result::rankSignal>("rankSignal", "r(x)", {kShown},
                                  "Effective rank of the samples' states: trace over largest eigenvalue of their covariance.") |
        gaps,
    measured<&Result::rankNoise>("rankNoise", "r(dx)", {kShown}, "Effective rank of the noise on them, one draw a sample.") | gaps,
    measured<&Result::sensitivitySamples>("sensitivitySamples", "", {}, "Samples that signal and noise were taken over."),
    measured<&Result::noiseDraws>(
        "noiseDraws", "", {},
        "Draws of noise that χ took for each sample where its expectation would have taken too long; 0: it is exact."),
    measured<&Result::sensitivityStep>("sensitivityStep", "t", {}, "Training step that the sensitivity belongs to."),

    measured<&Result::measured>("measuredCapacity", "κ", {kMeasuredState, kMeasuredUnit},
                                "Capacity of every unit when the chosen output holds 1, measured on pairs of samples by the gates that are "
                                "open for both, without a rule for the gates; with its standard error over groups of samples.") |
        gaps,
    theory<&Result::decoupled>("decoupledCapacity", "", {kMeasuredState, kMeasuredUnit},
                               "The same by D = P∘P, as if gates had nothing in common.") |
        gaps,
    theory<&Result::channel>("channelCapacity", "", {kMeasuredState, kMeasuredUnit},
                             "The same by the channel, with what the gates of a layer have in common as measured; dense layers alone.") |
        gaps,
    measured<&Result::toDecoupled>("distanceDecoupled", "", {kMeasuredState},
                                   "Total variation between the capacity that D = P∘P gives a layer and what is measured.") |
        gaps,
    measured<&Result::toChannel>("distanceChannel", "", {kMeasuredState}, "The same of the channel.") | gaps,
    measured<&Result::nu>("nu", "ν", {kGateLayer}, "Mean co-activation of two gates of a layer: 0 decoupled, 1 linear.") | gaps,
    measured<&Result::overlap>("overlap", "Λ", {kGateLayer}, "Gates that two samples share, of those that one has.") | gaps,
    measured<&Result::measuredSamples>("measuredSamples", "", {}, "Samples that capacity was measured on."),
    measured<&Result::measuredStep>("measuredStep", "t", {}, "Training step that the measured capacity belongs to."),

    measured<&Result::samplePoints>(
        "samplePoints", "x", {kSample, kXy},
        "The first thousand samples in coordinates of the plane; of more than two inputs, their shadows on it."),
    measured<&Result::sampleCount>("sampleCount", "", {}, "All samples, of which A, B and C may be any three."),
    measured<&Result::sampleClass>("sampleClass", "", {kSample}, "Their classes, counted from 0; −1 without labels."),
    measured<&Result::chosen>("chosen", "", {kRole}, "Numbers of the samples A, B and C."),
    measured<&Result::chosenPoints>("chosenPoints", "", {kRole, kXy}, "These three in coordinates of the plane."),
    measured<&Result::chosenInputs>("chosenInputs", "x", {kRole, kInput}, "The inputs of these three."),
    measured<&Result::loss>("loss", "", {kStep}, "Loss over all samples; empty after the training has diverged.") | gaps,
    measured<&Result::accuracy>("accuracy", "", {kStep}, "Share of the samples that the network puts into their class.") | gaps,
    measured<&Result::trainedSteps>("trainedSteps", "t", {}, "Training steps behind the network that is shown."),
    measured<&Result::trainingLoss>("trainingLoss", "", {}, "Loss over all samples at this step."),
    measured<&Result::trainingAccuracy>("trainingAccuracy", "", {}, "Share of the samples in their class at this step.")};

constexpr PresetRow kPresets[] = {
    {"Three layers of sixteen learn two moons"},
    preset<[](Params& p) { p.steps = 0; }>(
        "At initialisation",
        "Before training the window falls into 869 regions already, and the curve from A to B comes out shorter than it went in."),
    preset<[](Params& p) {
        p.data = "spirals", p.noise = 0.02, p.widths = {20, 20, 20}, p.steps = 800;
    }>("Two spirals",
       "The network has learnt two spirals: the curve from A to B ends 73 times as long, and noise grows 3 times as much as the signal."),
    preset<[](Params& p) { p.activation = Bend::Tanh; }>(
        "tanh: no regions",
        "A tanh bends smoothly and has no regions; the other lenses work, and the curve from A to B ends 14 times as long."),
    preset<[](Params& p) { p.initialisation = Initialisation::Orthogonal, p.weightVariance = 2, p.steps = 0, p.widths.assign(6, 16); }>(
        "Orthogonal weights",
        "Six orthogonal layers, untrained: the window falls into 3445 regions, and the curve from A to B shrinks to 6 % of its length."),
    preset<[](Params& p) {
        p.data = "digits", p.widths.assign(8, 100), p.samples = 100, p.batch = 50, p.budget = 7000, p.learningRate = 0.001, p.steps = 90;
    }>("Eight layers of a hundred read digits",
       "After 90 steps all 100 digits are in their class; noise grows 0.58 times as much as the signal."),
    preset<[](Params& p) {
        p.data = "signals", p.layers = HiddenLayers::Convolutions, p.widths = {8, 8, 8}, p.steps = 60;
    }>("Convolutions on signals",
       "Convolutions learn to class signals, 92.5 % of them after 60 steps; the capacity of output 0 rests on 16 of 32 inputs."),
    preset<[](Params& p) {
        p.data = "gaussian", p.widths = {24, 24, 24};
    }>("A plane through ten dimensions",
       "Ten inputs, of which you see one plane: it falls into 964 regions, and the capacity of output 0 rests on 9.5 inputs."),
    preset<[](Params& p) { p.edit = EditKind::Skip, p.editLayer = 3; }>(
        "What if: a skip",
        "A skip around the third layer of the trained network moves 1.2 % of the capacity of output 0: compare before and after."),
    preset<[](Params& p) { p.edit = EditKind::Widen, p.editAmount = 16; }>(
        "What if: a wider layer", "Sixteen fresh units in the second layer of the trained network move 2.9 % of the capacity of output 0."),
    preset<[](Params& p) { p.edit = EditKind::Insert, p.editAmount = 1; }>(
        "What if: one layer more",
        "One more layer, of random weights, behind the second layer of the trained network moves 1.7 % of output 0's capacity."),
    preset<[](Params& p) { p.edit = EditKind::Remove; }>(
        "What if: one layer less",
        "Without the second layer's bend more than 5 % of the capacity of output 0 moves: compare before and after."),
    preset<[](Params& p) { p.edit = EditKind::Freeze, p.editLayer = 1; }>(
        "What if: the first layer stays as it was drawn",
        "The first layer stays as it was drawn, and the others learn around it: all samples are in their class all the same."),
    preset<[](Params& p) {
        p.layers = HiddenLayers::Residual, p.widths = {16, 16, 16, 16};
    }>("Residual blocks",
       "Residual blocks learn the two moons as well: the window falls into 2087 regions, and the capacity rests on both inputs."),
    preset<[](Params& p) { p.network = "shapes-classifier", p.data = "gaussian"; }>(
        "A trained classifier",
        "A trained classifier on random points: noise grows 1.2 times as much as the signal, and the curve ends 5 times as long."),
    preset<[](Params& p) { p.network = "strokes-resnet", p.data = "gaussian", p.budget = 200; }>(
        "A trained residual CNN",
        "A trained residual CNN, too large to cut into regions: the capacity of output 0 rests on 537 of the 576 inputs.")};

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// The samples, their places in the plane, and A, B and C among them.
void addSamples(const Setup& s, Result& r) {
    constexpr std::size_t kMostInputsShown = 20000;
    for (const std::size_t sample : s.chosen) {
        const auto x = s.samples.at(sample);
        r.chosen.push_back(static_cast<double>(sample));
        if (x.size() <= kMostInputsShown) r.chosenInputs.insert(r.chosenInputs.end(), x.begin(), x.end());
        if (!s.slice) continue;
        const Vec2 at = footOn(*s.slice, x);
        r.chosenPoints.insert(r.chosenPoints.end(), {at.x, at.y});
    }
    r.inputs = countUp(r.chosenInputs.size() / 3);
    if (!s.slice) return;
    r.sampleCount = static_cast<double>(s.samples.count());
    r.samples = countUp(s.places.size());
    for (std::size_t i = 0; i < s.places.size(); ++i) {
        r.samplePoints.insert(r.samplePoints.end(), {s.places[i].x, s.places[i].y});
        r.sampleClass.push_back(s.samples.labels.empty() ? -1 : s.samples.labels[i]);
    }
}

void addTraining(const training_runs::Run& run, Result& r) {
    auto curves = run.history();
    r.trainingSteps = std::move(curves.steps);
    r.loss = std::move(curves.loss);
    r.accuracy = std::move(curves.accuracy);
    r.trainedSteps = static_cast<double>(run.shown());
    // About to diverge it may be beyond all numbers.
    if (std::isfinite(run.seen().loss)) r.trainingLoss = run.seen().loss;
    r.trainingAccuracy = run.seen().accuracy;
}

void printLayers(const std::vector<Layer>& layers, std::vector<ReportLayer>& printed) {
    eachLayer(layers, [&](const Layer& layer) {
        if (!hasTrainableWeights(layer)) return;
        const auto& own = layer.as<Weights>();
        printed.push_back({layer.is<Dense>() ? "dense" : "conv", {layer.out.units(), layer.in.units()}, own.weights, own.bias});
    });
}

Result run(const Opened<Params>& opened, Progress& progress) {
    Setup s = readSetup(opened, [&] { progress.tick(0); });
    training_runs::Run& training = progress.reuse<training_runs::Run>("training");
    // A report that is on the screen already is better than one that is half empty.
    bool& hasRun = progress.reuse<bool>("has run");
    const bool growing = !hasRun;
    hasRun = true;
    if (s.training) {
        try {
            training.begin(*s.training);
        } catch (const InputError& error) {
            s.training.reset();
            s.noTraining = error.what();
        }
    }
    Result known;
    known.warnings = s.warnings;
    addSamples(s, known);
    const auto look = [&](const Network& network, double work, const std::function<void(double)>& tick, Result& r) {
        auto shown = lookAt(s, network, s.training ? static_cast<double>(training.shown()) : 0, work, tick, r);
        if (s.training) addTraining(training, r);
        if (!s.noTraining.empty()) r.notes.push_back({"training", s.noTraining});
        return shown;
    };
    if (s.training) {
        // Seconds of training between two looks on the way, and what a look should take at the most: together less than half a second.
        constexpr double kTrainingBetween = 0.25, kLongestLook = 0.12;
        double work = kPassingWork;
        const auto tick = [&](double) { progress.tick(0.8 * training.progress()); };
        // The first look is at the network as it was drawn.
        for (auto lookedAt = Clock::now() - std::chrono::seconds(1); training.advance();) {
            tick(0);
            if (!training.learning() || secondsSince(lookedAt) <= kTrainingBetween) continue;
            lookedAt = Clock::now();
            training.look();
            Result r = known;
            look(training.network(), work, tick, r);
            progress.partial([&] { return std::move(r); });
            // Each look's time decides how much the next may do.
            const double took = secondsSince(lookedAt);
            work = std::clamp(work * (took > kLongestLook ? 0.6 : took < kLongestLook / 3 ? 1.5 : 1), kPassingWork / 3, kPassingWork);
            lookedAt = Clock::now();
        }
        if (!training.trouble().empty()) known.warnings.insert(known.warnings.begin(), training.trouble());
    }
    Result r = std::move(known);
    const auto tick = [&](double done) {
        progress.tick(s.training ? 0.8 + 0.2 * done : done);
        if (!s.training && growing) progress.partial([&] { return r; });
    };
    const auto edited = look(s.training ? training.network() : *s.network, kFinalWork, tick, r);
    if (!opened.withNetwork) return r;
    r.network = edited ? edited : s.training ? std::make_shared<const Network>(training.network()) : s.network;
    printLayers(r.network->layers, r.printedWeights);
    return r;
}

std::string numbered(double count, const char* one, const char* many) { return inWords(count, 6) + " " + (count == 1 ? one : many); }

/// Of the layers that were cut; "" where none of several was.
std::string regionsWords(const Result& r) {
    if (!r.regions || *r.certificate == 0) return "";
    const std::string count = numbered(*r.regions, "region", "regions");
    const double exact = *r.exactThrough, all = *r.bendingLayers;
    if (exact == all) return "the window falls into " + count;
    if (exact == 0) return "";
    return "by the first " + (exact > 1 ? inWords(exact) + " of " : "of ") + inWords(all) + " bending layers the window falls into " +
           count;
}

std::string summary(const Params& p, const Result& r) {
    std::string text;
    if (r.trainingAccuracy)
        text = " After " + std::to_string(static_cast<int>(*r.trainedSteps)) + " of " + std::to_string(p.steps) + " training steps, " +
               inWords(100 * *r.trainingAccuracy) + " % of the samples are in their class.";
    if (!r.holders.empty() && std::isfinite(r.holders.front())) {
        const int unit = std::min(p.unit, static_cast<int>(r.units.back()) - 1);
        text += " The capacity of output " + std::to_string(unit) + " rests on " + inWords(r.holders.front()) + " of " +
                numbered(r.units.front(), "input", "inputs");
        if (r.moved) text += ", and the edit moves " + inWords(100 * *r.moved) + " % of it";
        text += ".";
    }
    std::vector<std::string> parts;
    if (const std::string regions = regionsWords(r); !regions.empty()) parts.push_back(regions);
    if (r.lengthRatio) parts.push_back("the curve from A to B ends " + inWords(*r.lengthRatio) + " times as long as it began");
    if (const auto& chi = r.chi.values; !chi.empty() && std::isfinite(chi.back()))
        parts.push_back("noise grows " + inWords(chi.back()) + " times as much as the signal");
    if (const auto& apart = r.toDecoupled.values; !apart.empty() && std::isfinite(apart.front()))
        parts.push_back("the rule D = P∘P differs from the measured capacity of the inputs by " + inWords(100 * apart.front()) +
                        " % in total variation");
    std::string others;
    for (std::size_t i = 0; i < parts.size(); ++i) others += (i == 0 ? " " : i + 1 == parts.size() ? ", and " : ", ") + parts[i];
    if (!others.empty()) {
        others[1] = static_cast<char>(others[1] - 'a' + 'A');
        text += others + ".";
    }
    return text.empty() ? "The network has no layer that any lens can look at." : text.substr(1);
}

}  // namespace

constinit const SceneTable kScene =
    table::sceneTable<Params>({.id = "network-lens",
                               .title = "One network, every lens",
                               .claim = "Capacity by the rule and as measured, regions, trajectories and sensitivity of the same network, "
                                        "before, while and after it learns.",
                               .group = "One network",
                               .icon = "301103153655635130 5588",
                               .source = "P1 Eqs 25–28; P2 App. D; P3 Section 3; P4",
                               .lookAt = "Follow one layer through all lenses: what bends the curve also draws the lines between regions.",
                               .tryThis = "Train the network, or add a skip, and watch every lens follow.",
                               .params = kParams,
                               .fields = kFields,
                               .presets = kPresets,
                               .timeline = {"at", "layer", "layer", false, 0.5},
                               .instead = {"step", "step", "training step", false, 0.06},
                               .savesNetwork = true});

}  // namespace network_lens

Declaration network_lens_declaration() { return declare(network_lens::kScene); }
Model network_lens_model() {
    return sceneModel<network_lens::kScene, network_lens::run, network_lens::cost, network_lens::summary, network_lens::readFiles>();
}

}  // namespace kappaflow
