#include "scenes/expressivity/activation_regions.h"

#include <algorithm>

#include "core/base/errors.h"
#include "core/io/csv.h"
#include "scenes/chosen_network.h"
#include "scenes/expressivity/activation_regions_model.h"

namespace kappaflow {
namespace activation_regions {
namespace {

using namespace table;
using training_runs::batchRow, training_runs::lossRow, training_runs::rateRow, training_runs::ruleRow;

constexpr const char *kFigure = "P4 Fig 1", *kPatterns = "P4, activation patterns", *kTraining = "P4, activation patterns during training";

bool isDrawn(const Params& p) { return p.network.empty(); }
bool isLeaky(const Params& p) { return isDrawn(p) && p.activation == Bend::LeakyRelu; }
bool canTrain(const Params& p) { return isDrawn(p) && p.inputs == 2; }
bool makesData(const Params& p) { return trains(p) && p.data != "file"; }
bool hasManyInputs(const Params& p) { return !isDrawn(p) || p.inputs > 2; }
bool isTurned(const Params& p) { return hasManyInputs(p) && p.plane == PlaneBy::Turned; }
bool isGiven(const Params& p) { return hasManyInputs(p) && p.plane == PlaneBy::Given; }
bool isThroughPoints(const Params& p) { return hasManyInputs(p) && p.plane == PlaneBy::Points; }
bool isCircle(const Params& p) { return p.path == Path::Circle; }
bool isLine(const Params& p) { return p.path == Path::Drawn; }
/// The last step stands for the whole run until a reader chooses another one.
Beside lastStep(const Params& p) { return {1.0 * p.steps, 1.0 * p.steps}; }
constexpr ParamRow degrees(ParamRow row) { return row.unit = "°", row; }

constexpr OptionRow kNetworks[] = {
    {"", "drawn here"}, {"shapes-classifier", "trained classifier (64-32-24-16-10)"}, {"file", "your own file"}};
constexpr OptionRow kBends[] = {
    {"relu", "ReLU"}, {"leaky-relu", "leaky ReLU"}, {"abs", "absolute value"}, {"hard-tanh", "hard tanh"}, {"relu6", "ReLU6"}};
constexpr OptionRow kData[] = {{"none", "none"},       {"spirals", "two spirals"},       {"moons", "two moons"},
                               {"circles", "circles"}, {"checkerboard", "checkerboard"}, {"file", "your own file"}};
constexpr OptionRow kPlanes[] = {{"turned", "turned by hand"}, {"given", "by its axes"}, {"points", "through three points"}};
constexpr OptionRow kFills[] = {
    {"output", "output"}, {"pattern", "each cell its own"}, {"layer", "first layer that cut"}, {"gradient", "slope of the output"}};
constexpr OptionRow kPaths[] = {{"none", "none"}, {"circle", "circle"}, {"drawn", "drawn by hand"}};

constexpr ParamRow kParams[] = {
    network<&Params::network>(
        "network", kNetworks,
        "Whose regions are drawn: a network drawn from the choices below, a trained one that comes with the program, or an ONNX file.",
        kFigure) |
        costly,
    list<&Params::widths>("widths", "k", "widths", {1, 1024}, 24,
                          "Number of units in each hidden layer, from the input on; the output is one unit more.", kFigure) |
        costly | when<isDrawn>,
    choice<&Params::activation>("activation", "activation", kBends,
                                "Piecewise-linear activation of the hidden layers: each place where it bends draws a line.", kFigure) |
        when<isDrawn>,
    number<&Params::slope>("slope", "α", "leaky slope", {-1, 1}, "Slope of the leaky ReLU below 0.", kFigure) | when<isLeaky>,
    number<&Params::weightVariance>("weightVariance", "σ_w²", "weight variance", {0, 100},
                                    "Weights are drawn from N(0, σ_w²/k) with k the units they read.", kFigure) |
        more | when<isDrawn>,
    number<&Params::biasVariance>("biasVariance", "σ_b²", "bias variance", {0, 100}, "Biases are drawn from N(0, σ_b²).", kFigure) | more |
        when<isDrawn>,
    whole<&Params::inputs>("inputs", "m", "inputs", {2, 1000}, "Dimension of the input space; above 2 a plane through it is shown.",
                           kPatterns) |
        logarithmic | costly | more | when<isDrawn>,

    data<&Params::data>(
        "", "training data", kData, DataFiles::Points,
        "Labelled points that the network learns to tell apart: made here, or a file with columns x, y, class (CSV, JSON, npz).",
        kTraining) |
        when<canTrain>,
    rateRow<&Params::learningRate>(kTraining) | when<trains>,
    ruleRow<&Params::optimiser>(kTraining) | when<trains>,
    lossRow<&Params::loss>(kTraining) | when<trains>,
    batchRow<&Params::batch>(2000, kTraining) | costly | when<trains>,
    whole<&Params::samples>("samples", "", "samples", {10, 2000}, "Points of the data set.", kTraining) | logarithmic | costly | more |
        when<makesData>,
    number<&Params::noise>("noise", "", "noise", {0, 1}, "Standard deviation by which points are off their curve, in units of the whole.",
                           kTraining) |
        more | when<makesData>,
    whole<&Params::steps>("steps", "T", "steps", {1, 5000}, "Length of the whole training.", kTraining) | logarithmic | costly | more |
        when<trains>,
    whole<&Params::step>("step", "t", "training step", {0, 5000}, "How many training steps the network has made.", kTraining) | hidden |
        dependsOn<lastStep> | when<trains>,

    choice<&Params::plane>("plane", "plane", kPlanes,
                           "How the plane lies in the input space: turned within three of its directions (random ones beyond three "
                           "inputs), by origin and two directions, or through three points.",
                           kPatterns) |
        when<hasManyInputs>,
    number<&Params::azimuth>("azimuth", "φ", "direction", {-180, 180}, "Direction of the plane's first axis in its own three dimensions.",
                             kPatterns) |
        degrees | when<isTurned>,
    number<&Params::tilt>("tilt", "θ", "tilt", {-180, 180}, "Angle by which the plane's second axis leans into the third dimension.",
                          kPatterns) |
        degrees | when<isTurned>,
    number<&Params::shift>("shift", "s", "shift", {-100, 100}, "How far the plane is moved along its normal.", kPatterns) | when<isTurned>,
    list<&Params::origin>("origin", "o", "origin", {-1e6, 1e6}, 1024, "Point of the input space at (0, 0); zeros unless given.",
                          kPatterns) |
        hidden | when<isGiven>,
    list<&Params::direction1>("direction1", "u", "first direction", {-1e6, 1e6}, 1024,
                              "Step in the input space for 1 to the right; unless given, the first of the turned axes.", kPatterns) |
        hidden | when<isGiven>,
    list<&Params::direction2>("direction2", "v", "second direction", {-1e6, 1e6}, 1024,
                              "Step in the input space for 1 upwards; unless given, the second of the turned axes.", kPatterns) |
        hidden | when<isGiven>,
    list<&Params::corners>("corners", "", "three points", {-1e6, 1e6}, 3072,
                           "Three points of the input space, one after the other: they come to lie on a circle of radius 1/2 about the "
                           "middle as far as lengths and angles allow.",
                           kPatterns) |
        hidden | when<isThroughPoints>,

    number<&Params::half>("half", "", "half side", {1e-12, 1000},
                          "Half the side of the square window. Regions are exact to double precision: lines nearer to each other than "
                          "about 3·10⁻¹⁵, beside coordinates of size 1, are one.",
                          kFigure) |
        logarithmic,
    list<&Params::centre>("centre", "", "centre", {-1e4, 1e4}, 2, "Middle of the window, in coordinates of the plane.", kFigure) | hidden,
    seed<&Params::seed>("Start of the random numbers: the same seed draws the same network everywhere.", kFigure),
    whole<&Params::budget>("budget", "", "region budget", {0, 1e9},
                           "The most regions that are made; the layer that would go over it is left out.", kPatterns) |
        logarithmic | costly | more,
    whole<&Params::outputIndex>("outputIndex", "", "output", {0, 9999},
                                "Which output decision boundary, values and slopes are of, counted from 0.", kPatterns) |
        more,

    choice<&Params::colour>("colour", "colour", kFills,
                            "What the cells are filled by: the mean of the output over each cell, blue below 0 and orange above, the paler "
                            "the nearer to 0; a colour for each activation pattern; the first layer that drew a side; or the mean slope.",
                            kFigure) |
        ofView,
    number<&Params::depth>("depth", "d", "layers shown", {0, 24}, "How many layers have cut the plane; fractions lie between two layers.",
                           kFigure) |
        hidden | ofView,
    flag<&Params::unfold>("unfold", "", "unfold the layers",
                          "Shows the partition after each layer as a sheet in space, the first on top, with the pieces of a cell joined.",
                          kFigure) |
        ofView,
    number<&Params::orbit>("orbit", "", "direction of view", {-180, 180}, "Where the sheets are seen from, in degrees.", kFigure) | hidden |
        ofView,
    number<&Params::lean>("lean", "", "height of view", {5, 85}, "Height from which the sheets are seen, in degrees.", kFigure) | hidden |
        ofView,
    plays<&Params::play>("Whether the layers are folded in by themselves.", kFigure),
    list<&Params::pin>("pin", "", "pinned point", {-1e4, 1e4}, 2, "A point whose region is explained.", kPatterns) | hidden | ofView,
    list<&Params::chosen>("chosen", "", "chosen unit", {-1e4, 1e4}, 3,
                          "Unit whose weights can be pulled, and which: layer, unit, and the unit it reads or −1 for the bias.",
                          kPatterns) |
        hidden | ofView,
    flag<&Params::below>("below", "", "network and plane below",
                         "Whether a narrow picture shows the network, and how the plane lies, below the regions.", kPatterns) |
        hidden | ofView,

    choice<&Params::path>("path", "trajectory", kPaths,
                          "A curve laid over the regions; the pieces it falls into are counted exactly. A double click on a drawn line "
                          "makes a corner, on a corner takes it away.",
                          kPatterns) |
        more,
    list<&Params::pathCentre>("pathCentre", "", "centre of the circle", {-1e4, 1e4}, 2, "Middle of the circle.", kPatterns) | hidden |
        when<isCircle>,
    number<&Params::pathRadius>("pathRadius", "", "radius of the circle", {1e-5, 1000}, "Radius of the circle.", kPatterns) | logarithmic |
        more | when<isCircle>,
    list<&Params::drawn>("drawn", "", "drawn line", {-1e4, 1e4}, 128, "Corners of the drawn line, x and y in turn.", kPatterns) | hidden |
        when<isLine>,
    list<&Params::edits>("edits", "", "changed weights", {-1e4, 1e4}, 512,
                         "Weights set by hand, four numbers each: layer, unit, the unit it reads (−1: the bias), value.", kPatterns) |
        hidden};

constexpr AxisRow kDepth = axis<&Result::depths>("depth"), kLayer = axis<&Result::layers>("layer"),
                  kVertex = axis<&Result::vertex>("vertex"), kCorner = axis<&Result::corner>("corner"),
                  kRegion = axis<&Result::region>("region"), kEdge = axis<&Result::edge>("edge"),
                  kSegment = axis<&Result::segment>("segment"), kPoint = axis<&Result::point>("point"),
                  kPiece = axis<&Result::piece>("piece"), kInput = axis<&Result::input>("input"), kColumn = axis<&Result::column>("column"),
                  kWeight = axis<&Result::weight>("weight"), kSample = axis<&Result::sample>("sample"),
                  kStep = axis<&Result::stepAxis>("step"), kXy = axis<&Result::xy>("xy"), kEnd = axis<&Result::ends>("end"),
                  kCoordinate = axis<&Result::coordinates>("coordinate"), kWindowCorner = axis<&Result::windowCorners>("corner"),
                  kVector = axis<&Result::vectors>("vector");

constexpr FieldRow kFields[] = {
    measured<&Result::regionsByDepth>("regionsByDepth", "F", {kDepth},
                                      "Regions of the network cut off after a layer; 0 is the window itself."),
    measured<&Result::edgesByDepth>("edgesByDepth", "E", {kDepth}, "Edges, the window's border included."),
    measured<&Result::verticesByDepth>("verticesByDepth", "V", {kDepth}, "Vertices, corners of the window included."),
    measured<&Result::unitsByDepth>("unitsByDepth", "N", {kDepth}, "Units up to a layer that bend."),
    theory<&Result::typicalByDepth>("typicalByDepth", "N²/2", {kDepth},
                                    "Count to expect of a random ReLU network whose window contains the vertices (Hanin and Rolnick)."),
    limiting<&Result::boundByDepth>(
        "boundByDepth", "", {kDepth},
        "Never more: the product over layers of 1 + T + T(T − 1)/2, with T the lines of a layer; Theorem 4 in a plane."),
    measured<&Result::regions>("regions", "F", {}, "Regions: open cells of constant activation pattern, one a pattern."),
    measured<&Result::vertexCount>("vertexCount", "V", {}, "Vertices, those on the border included."),
    measured<&Result::edgeCount>("edgeCount", "E", {}, "Edges, those on the border included."),
    measured<&Result::areaSum>("areaSum", "", {}, "Sum of all areas; the window's."),
    measured<&Result::euler>("eulerCharacteristic", "V − E + F", {}, "1 for every subdivided disc."),
    measured<&Result::affinePieces>(
        "affinePieces", "", {},
        "Connected unions of regions on which the last hidden layer, or the last that cut, is one affine function."),
    theory<&Result::typicalCount>("typicalCount", "N²/2", {},
                                  "Count to expect of a random ReLU network whose window contains the vertices."),
    measured<&Result::exactThrough>("exactThrough", "", {}, "Last layer that was cut; deeper ones would have gone over the budget."),
    measured<&Result::certificate>("certificate", "", {},
                                   "1 when Euler's formula, distinct patterns, areas and neighbours all agree, else 0."),
    measured<&Result::pathPieces>("pathPieces", "", {},
                                  "Pieces that the trajectory falls into within the window; a circle's piece over its start is one."),
    measured<&Result::nextLine>("nextLine", "d", {},
                                "Distance from the window's middle to the nearest line, where no line crosses the window."),
    measured<&Result::nextPoint>("nextPoint", "", {kXy}, "The point of that line which is nearest to the window's middle."),
    measured<&Result::vertices>("vertices", "", {kVertex, kXy}, "Corners of the regions, in coordinates of the plane."),
    measured<&Result::polygons>("polygons", "", {kCorner}, "Vertices of every region in turn, counterclockwise."),
    measured<&Result::polygonEnds>("polygonEnds", "", {kRegion}, "Where each region's vertices end in the list of polygons."),
    measured<&Result::edges>("edges", "", {kEdge, kEnd}, "Vertices that each edge joins."),
    measured<&Result::edgeLayer>("edgeLayer", "", {kEdge}, "Layer that drew the edge; 0 is the window's border."),
    measured<&Result::edgeUnit>("edgeUnit", "", {kEdge}, "Unit of that layer whose bend the edge is; −1 on the border."),
    measured<&Result::area>("area", "", {kRegion}, "Area of each region."),
    measured<&Result::firstCut>("firstCut", "", {kRegion},
                                "The first layer among those that drew a region's sides; 0: only the window's border."),
    measured<&Result::pattern>("pattern", "", {kDepth, kRegion},
                               "Number made from the states of all units up to a layer: equal for equal patterns, in every picture."),
    measured<&Result::states>(
        "states", "", {kLayer, kRegion},
        "States of a layer's units packed into one number, unit 0 lowest; in base 4 up to 26 units, in base 2 up to 52.") |
        gaps,
    measured<&Result::output>("output", "", {kRegion}, "The chosen output at the middle of each region."),
    measured<&Result::vertexOutput>("vertexOutput", "", {kVertex}, "The chosen output at each vertex."),
    measured<&Result::gradient>("gradient", "", {kRegion}, "Norm of the slope of all outputs within the plane."),
    measured<&Result::decisions>(
        "decisionBoundary", "", {kSegment, kCoordinate},
        "Where the decision changes: ends x, y, x, y of straight pieces; one output: its zeros, several: where the largest two are equal."),
    measured<&Result::path>("path", "", {kPoint, kXy}, "The trajectory, in coordinates of the plane."),
    measured<&Result::pathBreaks>(
        "pathBreaks", "", {kPiece},
        "Share of the trajectory at which each of its pieces begins; a closed circle's first piece is its last one too."),
    measured<&Result::window>("window", "", {kWindowCorner, kXy}, "The window's lower left and upper right corner."),
    measured<&Result::plane>("plane", "", {kVector, kInput}, "Origin and both directions of the plane, of at most 16 inputs."),
    measured<&Result::widths>("widths", "", {kColumn},
                              "Units of each column of the network as it is drawn, input first; only of small dense networks."),
    measured<&Result::weights>("weights", "w", {kWeight}, "Its weights and biases."),
    measured<&Result::weightLayer>("weightLayer", "", {kWeight}, "Layer of each weight, from 1."),
    measured<&Result::weightTo>("weightTo", "", {kWeight}, "Unit it leads to."),
    measured<&Result::weightFrom>("weightFrom", "", {kWeight}, "Unit it reads; −1 for a bias."),
    measured<&Result::samplePoints>("samplePoints", "x", {kSample, kXy}, "The points that the network is trained on."),
    measured<&Result::sampleClass>("sampleClass", "", {kSample}, "Their classes, counted from 0."),
    measured<&Result::loss>("loss", "", {kStep}, "Loss over all samples; empty after the training has diverged.") | gaps,
    measured<&Result::accuracy>("accuracy", "", {kStep}, "Share of the samples on their side of the decision boundary.") | gaps,
    measured<&Result::trainedSteps>("trainedSteps", "t", {}, "Training steps behind the network that is shown."),
    measured<&Result::trainingLoss>("trainingLoss", "", {}, "Loss over all samples at this step."),
    measured<&Result::trainingAccuracy>("trainingAccuracy", "", {},
                                        "Share of the samples on their side of the decision boundary at this step.")};

/// |h| of x and y, then of 2z − 1 in every layer: each folds the square in half both ways.
void foldFourTimes(Params& p) {
    p.widths = {2, 2, 2, 2}, p.activation = Bend::Abs;
    for (int layer = 1; layer <= 4; ++layer)
        for (int unit = 0; unit < 2; ++unit)
            for (const int from : {0, 1, -1}) {
                const double value = from == unit ? (layer == 1 ? 1 : 2) : from < 0 && layer > 1 ? -1 : 0;
                p.edits.insert(p.edits.end(), {1.0 * layer, 1.0 * unit, 1.0 * from, value});
            }
}

constexpr PresetRow kPresets[] = {
    {"Three layers of four (P4 Fig 1)"},
    preset<[](Params& p) {
        p.widths = {16, 16, 16};
    }>("Random deep network",
       "Three layers of sixteen cut the window into 849 regions: lines of the second and third layer bend where they meet earlier ones."),
    preset<foldFourTimes>(
        "Folding: 4 cells, 16, 64, 256",
        "Each layer folds the plane twice, so that every region becomes four: 4, 16, 64, and at the fourth layer 256 equal squares."),
    preset<[](Params& p) {
        p.widths = {12, 12}, p.activation = Bend::HardTanh, p.weightVariance = 8, p.half = 1.5;
    }>("Hard tanh, two lines a unit",
       "A hard tanh bends at −1 and at 1: every unit draws two lines, and two layers of 12 units cut 975 regions."),
    preset<[](Params& p) {
        p.inputs = 10, p.widths = {24, 24}, p.biasVariance = 0.2, p.half = 2;
    }>("A plane through ten dimensions",
       "Ten inputs, of which you see one plane: the cut through the regions is again a picture of convex cells, 597 of them."),
    preset<[](Params& p) {
        p.widths = {8, 8, 8}, p.path = Path::Circle;
    }>("Pieces of a circle", "Walk around the circle: it crosses 42 linear pieces, and the output is an affine function on each of them."),
    preset<[](Params& p) { p.widths = {64}, p.biasVariance = 0.1, p.half = 2; }>(
        "Wide and shallow: N²/2",
        "One layer of 64 units draws 64 straight lines, which cut 1831 regions: no line bends, and the number grows as N²/2."),
    preset<[](Params& p) { p.network = "shapes-classifier", p.colour = Fill::Gradient, p.half = 3; }>(
        "Slopes of a trained classifier",
        "Shade shows the slope of a trained classifier in each of its cells; the thick lines are where its decision changes."),
    preset<[](Params& p) {
        p.data = "spirals", p.widths = {8, 8}, p.half = 1.15, p.steps = 500, p.step = 0;
    }>("Training: sixteen units, from step 0",
       "Press Play: with each step the lines move, and the cells' colours come to follow the two spirals."),
    preset<[](Params& p) {
        p.data = "spirals", p.widths = {16, 16}, p.half = 1.15, p.steps = 800;
    }>("Training: two spirals",
       "The decision boundary winds itself between the spirals, and lines gather along it: after 800 steps all samples are right."),
    preset<[](Params& p) {
        p.data = "circles", p.activation = Bend::HardTanh, p.widths = {8, 8}, p.half = 1.15, p.noise = 0.05, p.steps = 300;
    }>("Training: circles",
       "The decision boundary closes around the inner circle, one short edge in each cell: after 300 steps all samples are right."),
    preset<[](Params& p) {
        p.data = "checkerboard", p.widths = {28, 28}, p.half = 1, p.samples = 400, p.noise = 0, p.batch = 50, p.steps = 800;
    }>("Training: checkerboard",
       "The decision boundary has to turn at every field of the checkerboard: after 800 steps 96.5 % of the samples are right.")};

void open(Given& given, const Request& request) {
    const Params& p = given.params;
    if (trains(p) && p.data == "file") given.points = std::make_shared<LabelledPoints>(readCsv(given.data->bytes, given.data->name));
    openNetwork(given, request);
    if (!given.network) return;
    requirePiecewiseLinear(*given.network);
    if (given.network->input.units() < 2)
        throw InputError("Regions of a plane need a network with at least two inputs, and this one has one.");
}

void addWeights(const std::vector<Layer>& layers, Findings& findings) {
    eachLayer(layers, [&](const Layer& l) {
        if (!hasTrainableWeights(l)) return;
        const auto& own = l.as<Weights>();
        findings.printedWeights.push_back({l.is<Dense>() ? "dense" : "conv", {l.out.units(), l.in.units()}, own.weights, own.bias});
    });
}

/// What the last request left: the partition takes over the depths below a changed weight, the training its steps.
Result run(const Given& given, Progress& progress) {
    // Slices of training between two looks on the way: at first, and more for each step that the cut before took, so that these take a
    // quarter of the time and one cut more.
    constexpr int kLeastSlices = 12, kSlicesAStep = 16;
    const Params& p = given.params;
    auto& partition = progress.reuse<Partition>("partition");
    auto& training = progress.reuse<training_runs::Run>("training");
    Setup setup = setupOf(given);
    const LabelledPoints points = trainingPoints(given);
    double begun = 0, share = 1;
    const auto tick = [&] { progress.tick(begun + share * 0.9 * partition.progress()); };
    const auto cut = [&](const PartitionOptions& options) {
        int steps = 1;
        partition.start(setup.network, setup.slice, setup.window, options);
        for (tick(); partition.step(); ++steps) tick();
        return steps;
    };
    // What the reader changed by hand stands over what was learnt.
    const auto takeTrained = [&] {
        std::vector<std::string> told;
        setup.network = training.network();
        editNetwork(setup.network, p.edits, told);
    };
    const auto result = [&] {
        Result r = resultOf(p, setup, partition, tick);
        if (trains(p)) addTraining(r, points, training);
        return r;
    };
    if (trains(p)) {
        training.begin(trainingTask(p, points, startingNetwork(given)));
        PartitionOptions fewer = setup.options;
        fewer.regionBudget = std::min(fewer.regionBudget, kRegionsOnTheWay);
        int slices = 0, steps = 0;
        for (share = 0; training.advance(); begun = 0.5 * training.progress()) {
            progress.tick(begun);
            if (!training.learning() || ++slices < kLeastSlices + kSlicesAStep * steps) continue;
            takeTrained();
            training.look();
            steps = cut(fewer);
            slices = 0;
            progress.partial(result);
        }
        begun = share = 0.5;
        takeTrained();
        if (!training.trouble().empty()) setup.warnings.insert(setup.warnings.begin(), training.trouble());
    }
    cut(setup.options);
    Result r = result();
    addNextLine(setup, partition, r, tick);
    if (!given.withNetwork) return r;
    addWeights(setup.network.layers, r);
    r.network = std::make_shared<Network>(std::move(setup.network));
    return r;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "activation-regions",
     .title = "Activation regions",
     .claim = "Every unit's bend is a line that bends at the lines of the layers before it: together they cut the input into convex cells.",
     .group = "Expressivity",
     .icon = "0080880800 2068 0582",
     .source = "P4 Fig 1; activation patterns",
     .lookAt = "The first layer draws straight lines; each later layer draws its own, different lines inside every cell it finds.",
     .tryThis =
         "Drag a line: it bends elsewhere now, and what comes after it is cut anew; or click a cell and turn the wheel to look closer, "
         "exact down to double precision.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"depth", "depth", "layer", false, 2, 0, true},
     .instead = {"step", "step", "training step", false, 0.06},
     .opening = "Training: sixteen units, from step 0",
     .savesNetwork = true});

}  // namespace activation_regions

Declaration activation_regions_declaration() { return declare(activation_regions::kScene); }
Model activation_regions_model() {
    return sceneModel<activation_regions::kScene, activation_regions::run, activation_regions::costOf, activation_regions::summaryOf,
                      activation_regions::open>();
}

}  // namespace kappaflow
