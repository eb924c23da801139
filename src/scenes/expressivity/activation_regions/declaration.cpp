#include <vector>

#include "scene/declare.h"
#include "scene/report.h"
#include "scene/scene.h"
#include "scenes/expressivity/declaration_training.h"

namespace kappaflow {
namespace regions {
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

/// Params, fields and presets of training the drawn network on points of the plane.
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

std::vector<Field> meshFields() {
    return {{"vertices", "", {"vertex", "xy"}, "Corners of the regions, in coordinates of the plane."},
            {"polygons", "", {"corner"}, "Vertices of every region in turn, counterclockwise."},
            {"polygonEnds", "", {"region"}, "Where each region's vertices end in the list of polygons."},
            {"edges", "", {"edge", "end"}, "Vertices that each edge joins."},
            {"edgeLayer", "", {"edge"}, "Layer that drew the edge; 0 is the window's border."},
            {"edgeUnit", "", {"edge"}, "Unit of that layer whose bend the edge is; −1 on the border."},
            {"area", "", {"region"}, "Area of each region."},
            {"firstCut", "", {"region"}, "The first layer among those that drew a region's sides; 0: only the window's border."},
            {"pattern",
             "",
             {"depth", "region"},
             "Number made from the states of all units up to a layer: equal for equal patterns, in every picture."},
            {"states",
             "",
             {"layer", "region"},
             "States of a layer's units packed into one number, unit 0 lowest; in base 4 up to 26 units, in base 2 up to 52."},
            {"output", "", {"region"}, "The chosen output at the middle of each region."},
            {"vertexOutput", "", {"vertex"}, "The chosen output at each vertex."},
            {"gradient", "", {"region"}, "Norm of the slope of all outputs within the plane."},
            {"decisionBoundary",
             "",
             {"segment", "coordinate"},
             "Where the decision changes: ends x, y, x, y of straight pieces; one output: its zeros, several: where the largest two are "
             "equal."}};
}

std::vector<Field> countFields() {
    const std::vector<std::string> depth{"depth"};
    return {
        {"regionsByDepth", "F", depth, "Regions of the network cut off after a layer; 0 is the window itself."},
        {"edgesByDepth", "E", depth, "Edges, the window's border included."},
        {"verticesByDepth", "V", depth, "Vertices, corners of the window included."},
        {"unitsByDepth", "N", depth, "Units up to a layer that bend."},
        theoryField("typicalByDepth", "N²/2", depth,
                    "Count to expect of a random ReLU network whose window contains the vertices (Hanin and Rolnick)."),
        {"boundByDepth", "", depth, "Never more: the product over layers of 1 + T + T(T − 1)/2, with T the lines of a layer.", Role::Bound},
        {"regions", "F", {}, "Regions: open cells of constant activation pattern, one a pattern."},
        {"vertexCount", "V", {}, "Vertices, those on the border included."},
        {"edgeCount", "E", {}, "Edges, those on the border included."},
        {"areaSum", "", {}, "Sum of all areas; the window's."},
        {"eulerCharacteristic", "V − E + F", {}, "1 for every subdivided disc."},
        {"affinePieces",
         "",
         {},
         "Connected unions of regions on which the last hidden layer, or the last that cut, is one affine function."},
        {"typicalCount", "N²/2", {}, "Count to expect of a random ReLU network whose window contains the vertices.", Role::Theory},
        {"exactThrough", "", {}, "Last layer that was cut; deeper ones would have gone over the budget."},
        {"certificate", "", {}, "1 when Euler's formula, distinct patterns, areas and neighbours all agree, else 0."},
        {"pathPieces", "", {}, "Pieces that the trajectory falls into within the window; a circle's piece over its start is one."}};
}

std::vector<Field> otherFields() {
    return {{"path", "", {"point", "xy"}, "The trajectory, in coordinates of the plane."},
            {"pathBreaks",
             "",
             {"piece"},
             "Share of the trajectory at which each of its pieces begins; a closed circle's first piece is its last one too."},
            {"window", "", {"corner", "xy"}, "The window's lower left and upper right corner."},
            {"plane", "", {"vector", "input"}, "Origin and both directions of the plane, of at most 16 inputs."},
            {"widths", "", {"column"}, "Units of each column of the network as it is drawn, input first; only of small dense networks."},
            {"weights", "w", {"weight"}, "Its weights and biases."},
            {"weightLayer", "", {"weight"}, "Layer of each weight, from 1."},
            {"weightTo", "", {"weight"}, "Unit it leads to."},
            {"weightFrom", "", {"weight"}, "Unit it reads; −1 for a bias."}};
}

std::vector<Field> fields() {
    std::vector<Field> all = countFields();
    for (const auto& part : {meshFields(), otherFields(), trainingFields()})
        for (const auto& field : part) all.push_back(field);
    return all;
}

constexpr const char* kFigure = "P4 Fig 1";
constexpr const char* kPatterns = "P4, activation patterns";

/// |h| of x and y, then of 2z − 1 in every layer: each folds the square in half both ways.
constexpr const char* kFolds =
    "1,0,0,1,1,0,1,0,1,0,-1,0,1,1,0,0,1,1,1,1,1,1,-1,0,2,0,0,2,2,0,1,0,2,0,-1,-1,2,1,0,0,2,1,1,2,2,1,-1,-1,"
    "3,0,0,2,3,0,1,0,3,0,-1,-1,3,1,0,0,3,1,1,2,3,1,-1,-1,4,0,0,2,4,0,1,0,4,0,-1,-1,4,1,0,0,4,1,1,2,4,1,-1,-1";

bool drawn(const Values& v) { return v.is("network", ""); }
bool file(const Values& v) { return !drawn(v); }
bool leaky(const Values& v) { return drawn(v) && v.is("activation", "leaky-relu"); }
bool manyInputs(const Values& v) { return file(v) || v.number("inputs") > 2; }
bool turned(const Values& v) { return manyInputs(v) && v.is("plane", "turned"); }
bool given(const Values& v) { return manyInputs(v) && v.is("plane", "given"); }
bool throughPoints(const Values& v) { return manyInputs(v) && v.is("plane", "points"); }
bool circle(const Values& v) { return v.is("path", "circle"); }
bool polyline(const Values& v) { return v.is("path", "drawn"); }

Param number(Text key, Text symbol, Text label, double standard, double min, double max, Text help, Text serves) {
    return inRange(param(Kind::Number, key, symbol, label, standard, help, serves), min, max);
}

Param list(Text key, Text symbol, Text label, std::vector<double> standard, int longest, double most, Text help, Text serves) {
    Param p = inRange(param(Kind::List, key, symbol, label, std::move(standard), help, serves), -most, most);
    p.maxLength = longest;
    return p;
}

Param hidden(Param p) {
    p.group = Group::Hidden;
    return p;
}

Param ofView(Param p) {
    p.affects = Affects::View;
    return p;
}

Param networkParam() {
    Param p = param(Kind::Network, "network", "", "network", std::string(),
                    "Whose regions are drawn: a network drawn from the choices below, a trained one that comes with the program, or an "
                    "ONNX file.",
                    kFigure);
    p.options = {{"", "drawn here"}, {"shapes-classifier", "trained classifier (64-32-24-16-10)"}, {"file", "your own file"}};
    return p;
}

std::vector<Param> networkParams() {
    Param widths = list("widths", "k", "widths", {4, 4, 4}, 24, 1024,
                        "Number of units in each hidden layer, from the input on; the output is one unit more.", kFigure);
    widths.min = 1;
    return {
        networkParam(),
        visibleWhen(drawn, std::move(widths)),
        visibleWhen(
            drawn,
            choiceParam(
                "activation", "activation",
                {{"relu", "ReLU"}, {"leaky-relu", "leaky ReLU"}, {"abs", "absolute value"}, {"hard-tanh", "hard tanh"}, {"relu6", "ReLU6"}},
                "Piecewise-linear activation of the hidden layers: each place where it bends draws a line.", kFigure)),
        visibleWhen(leaky, number("slope", "α", "leaky slope", 0.1, -1, 1, "Slope of the leaky ReLU below 0.", kFigure)),
        visibleWhen(drawn, number("weightVariance", "σ_w²", "weight variance", 2, 0, 100,
                                  "Weights are drawn from N(0, σ_w²/k) with k the units they read.", kFigure)),
        visibleWhen(drawn, number("biasVariance", "σ_b²", "bias variance", 0.01, 0, 100, "Biases are drawn from N(0, σ_b²).", kFigure)),
        visibleWhen(drawn,
                    underMore(logarithmic(wholeParam("inputs", "m", "inputs", 2, 2, 1000,
                                                     "Dimension of the input space; above 2 a plane through it is shown.", kPatterns))))};
}

std::vector<Param> planeParams() {
    Param azimuth =
        number("azimuth", "φ", "direction", 0, -180, 180, "Direction of the plane's first axis in its own three dimensions.", kPatterns);
    Param tilt =
        number("tilt", "θ", "tilt", 0, -180, 180, "Angle by which the plane's second axis leans into the third dimension.", kPatterns);
    azimuth.unit = tilt.unit = "°";
    return {
        visibleWhen(manyInputs, choiceParam("plane", "plane",
                                            {{"turned", "turned by hand"}, {"given", "by its axes"}, {"points", "through three points"}},
                                            "How the plane lies in the input space: turned within three of its directions (random "
                                            "ones beyond three inputs), by origin and two directions, or through three points.",
                                            kPatterns)),
        visibleWhen(turned, std::move(azimuth)),
        visibleWhen(turned, std::move(tilt)),
        visibleWhen(turned, number("shift", "s", "shift", 0, -100, 100, "How far the plane is moved along its normal.", kPatterns)),
        visibleWhen(given, hidden(list("origin", "o", "origin", {}, 1024, 1e6, "Point of the input space at (0, 0); zeros unless given.",
                                       kPatterns))),
        visibleWhen(given,
                    hidden(list("direction1", "u", "first direction", {}, 1024, 1e6,
                                "Step in the input space for 1 to the right; unless given, the first of the turned axes.", kPatterns))),
        visibleWhen(given, hidden(list("direction2", "v", "second direction", {}, 1024, 1e6,
                                       "Step in the input space for 1 upwards; unless given, the second of the turned axes.", kPatterns))),
        visibleWhen(throughPoints, hidden(list("corners", "", "three points", {}, 3072, 1e6,
                                               "Three points of the input space, one after the other: they come to lie on a circle of "
                                               "radius 1/2 about the middle as far as lengths and angles allow.",
                                               kPatterns)))};
}

std::vector<Param> windowParams() {
    return {logarithmic(number("half", "", "half side", 1, 1e-12, 1000,
                               "Half the side of the square window. Regions are exact to double precision: lines nearer to each other than "
                               "about 3·10⁻¹⁵, beside coordinates of size 1, are one.",
                               kFigure)),
            hidden(list("centre", "", "centre", {0, 0}, 2, 1e4, "Middle of the window, in coordinates of the plane.", kFigure)),
            seedParam("Start of the random numbers: the same seed draws the same network everywhere.", kFigure),
            underMore(logarithmic(wholeParam("budget", "", "region budget", 200000, 0, 1e9,
                                             "The most regions that are made; the layer that would go over it is left out.", kPatterns))),
            underMore(wholeParam("outputIndex", "", "output", 0, 0, 9999,
                                 "Which output decision boundary, values and slopes are of, counted from 0.", kPatterns))};
}

std::vector<Param> pathParams() {
    return {choiceParam("path", "trajectory", {{"none", "none"}, {"circle", "circle"}, {"drawn", "drawn by hand"}},
                        "A curve laid over the regions; the pieces it falls into are counted exactly. A double click on a drawn line makes "
                        "a corner, on a "
                        "corner takes it away.",
                        kPatterns),
            visibleWhen(circle, hidden(list("pathCentre", "", "centre of the circle", {0, 0}, 2, 1e4, "Middle of the circle.", kPatterns))),
            visibleWhen(circle, underMore(logarithmic(number("pathRadius", "", "radius of the circle", 0.6, 1e-5, 1000,
                                                             "Radius of the circle.", kPatterns)))),
            visibleWhen(polyline, hidden(list("drawn", "", "drawn line", {-0.7, -0.5, -0.2, 0.6, 0.3, -0.6, 0.7, 0.5}, 128, 1e4,
                                              "Corners of the drawn line, x and y in turn.", kPatterns)))};
}

std::vector<Param> viewParams() {
    Param depth = ofView(hidden(
        number("depth", "d", "layers shown", 24, 0, 24, "How many layers have cut the plane; fractions lie between two layers.", kFigure)));
    Param play = ofView(hidden(param(Kind::Boolean, "play", "", "play", true, "Whether the layers are folded in by themselves.", kFigure)));
    Param fill = ofView(choiceParam(
        "colour", "colour",
        {{"pattern", "activation pattern"}, {"layer", "first layer that cut"}, {"output", "output"}, {"gradient", "slope of the output"}},
        "What the regions are filled by.", kFigure));
    Param pin = ofView(hidden(list("pin", "", "pinned point", {}, 2, 1e4, "A point whose region is explained.", kPatterns)));
    Param chosen = ofView(
        hidden(list("chosen", "", "chosen unit", {1, 0, -1}, 3, 1e4,
                    "Unit whose weights can be pulled, and which: layer, unit, and the unit it reads or −1 for the bias.", kPatterns)));
    Param below =
        ofView(hidden(param(Kind::Boolean, "below", "", "network and plane below", false,
                            "Whether a narrow picture shows the network, and how the plane lies, below the regions.", kPatterns)));
    return {std::move(fill), std::move(depth), std::move(play), std::move(pin), std::move(chosen), std::move(below)};
}

std::vector<Param> params() {
    std::vector<Param> all = networkParams();
    const auto append = [&](std::vector<Param> part) {
        for (auto& p : part) all.push_back(std::move(p));
    };
    append(trainingParams());
    append(planeParams());
    append(windowParams());
    append(viewParams());
    append(pathParams());
    all.push_back(hidden(list("edits", "", "changed weights", {}, 512, 1e4,
                              "Weights set by hand, four numbers each: layer, unit, the unit it reads (−1: the bias), value.", kPatterns)));
    return all;
}

std::vector<Preset> presets() {
    return {{"Three layers of four (P4 Fig 1)", {}},
            {"Random deep network", {{"widths", "16,16,16"}}},
            {"Folding: 4 cells, 16, 64, 256", {{"widths", "2,2,2,2"}, {"activation", "abs"}, {"edits", kFolds}}},
            {"Hard tanh, two lines a unit", {{"widths", "12,12"}, {"activation", "hard-tanh"}, {"weightVariance", "8"}, {"half", "1.5"}}},
            {"A plane through ten dimensions", {{"inputs", "10"}, {"widths", "24,24"}, {"biasVariance", "0.2"}, {"half", "2"}}},
            {"Pieces of a circle", {{"widths", "8,8,8"}, {"path", "circle"}, {"colour", "output"}}},
            {"Wide and shallow: N²/2", {{"widths", "64"}, {"biasVariance", "0.1"}, {"half", "2"}}},
            {"Slopes of a trained classifier", {{"network", "shapes-classifier"}, {"colour", "gradient"}, {"half", "3"}}}};
}

}  // namespace
}  // namespace regions

Declaration activation_regions_declaration() {
    Declaration d;
    d.id = "activation-regions";
    d.title = "Activation regions";
    d.claim = "Every unit's bend is a line that bends at the lines of the layers before it: together they cut the input into convex cells.";
    d.group = "Expressivity";
    d.source = "P4 Fig 1; activation patterns";
    d.lookAt = "The first layer draws straight lines; each later layer draws its own, different lines inside every cell it finds.";
    d.tryThis =
        "Drag the picture and turn the wheel to look closer: cells are exact down to double precision; then pull a weight of the network.";
    d.params = regions::params();
    d.fields = regions::fields();
    d.presets = regions::presets();
    for (auto& preset : regions::trainingPresets()) d.presets.push_back(std::move(preset));
    d.savesNetwork = true;
    d.timeline = {"depth", "depth", "layer", false, 0.9};
    d.instead = {"step", "step", "training step", false, 0.06};
    return d;
}

}  // namespace kappaflow
