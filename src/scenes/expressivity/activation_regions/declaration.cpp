#include "scene/declare.h"
#include "scenes/expressivity/activation_regions/declaration_fields.h"
#include "scenes/expressivity/activation_regions/declaration_training.h"

namespace kappaflow {
namespace {

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
    return {logarithmic(number("half", "", "half side", 1, 1e-5, 1000, "Half the side of the square window.", kFigure)),
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
    append(regions::trainingParams());
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

Declaration activation_regions_declaration() {
    Declaration d;
    d.id = "activation-regions";
    d.title = "Activation regions";
    d.claim = "Every unit's bend is a line that bends at the lines of the layers before it: together they cut the input into convex cells.";
    d.group = "Expressivity";
    d.source = "P4 Fig 1; activation patterns";
    d.lookAt = "The first layer draws straight lines; each later layer draws its own, different lines inside every cell it finds.";
    d.tryThis =
        "Drag the picture and turn the wheel to look closer: every cell is exact, however small; then pull a weight of the network.";
    d.params = params();
    d.fields = regions::fields();
    d.presets = presets();
    for (auto& preset : regions::trainingPresets()) d.presets.push_back(std::move(preset));
    d.savesNetwork = true;
    d.timeline = {"depth", "depth", "layer", false, 0.9};
    d.instead = {"step", "step", "training step", false, 0.06};
    return d;
}

}  // namespace kappaflow
