#include "scene/declare.h"

namespace kappaflow {
namespace {

constexpr const char* kFigure = "P4 Fig 3";

bool drawnHere(const Values& v) { return v.is("network", ""); }
bool leaky(const Values& v) { return drawnHere(v) && v.is("activation", "leaky-relu"); }

Param ofDrawn(Param p) { return visibleWhen(drawnHere, std::move(p)); }

Param networkParam() {
    Param p = param(Kind::Network, "network", "", "network", std::string(),
                    "What the trajectory goes through: random layers, as the theory has them, a trained network that comes with the "
                    "program, or a file with a network of dense layers.",
                    kFigure);
    p.options = {{"", "drawn here"}, {"shapes-classifier", "trained classifier (64-32-24-16-10)"}, {"file", "your own file"}};
    return p;
}

Param list(Text key, Text symbol, Text label, std::vector<double> standard, double min, double max, Text help) {
    Param p = inRange(param(Kind::List, key, symbol, label, std::move(standard), help, kFigure), min, max);
    p.maxLength = 3;
    return p;
}

std::vector<Param> mainParams() {
    return {networkParam(),
            ofDrawn(logarithmic(
                wholeParam("width", "k", "width", 64, 1, 128, "Units of every layer of the network whose curve is drawn.", kFigure))),
            ofDrawn(wholeParam("layers", "n", "layers", 10, 1, 16, "Hidden layers that the trajectory goes through.", kFigure)),
            ofDrawn(logarithmic(
                inRange(param(Kind::Number, "weightVariance", "σ_w²", "weight variance", 4.0,
                              "Weights are N(0, σ_w²/k); above 1 hard-tanh networks stretch the trajectory in every layer.", kFigure),
                        0.25, 64))),
            choiceParam("trajectory", "trajectory", {{"circle", "quarter circle"}, {"line", "straight line"}},
                        "From one random input N(0, I) to another.", kFigure)};
}

std::vector<Param> moreParams() {
    return {
        ofDrawn(list("widths", "k", "widths compared", {16, 64}, 1, 256,
                     "Widths of the curves in the chart, each with every variance compared.")),
        ofDrawn(list("weightVariances", "σ_w²", "variances compared", {4, 16}, 0.25, 64, "Weight variances of the curves in the chart.")),
        ofDrawn(choiceParam("activation", "activation",
                            {{"hard-tanh", "hard-tanh"}, {"relu", "ReLU"}, {"leaky-relu", "leaky ReLU"}, {"abs", "|h|"}},
                            "Piecewise linear, so that every transition is found exactly; the paper takes hard-tanh.", kFigure)),
        visibleWhen(leaky, inRange(param(Kind::Number, "slope", "", "slope", 0.2, "Slope of the leaky ReLU below 0.", kFigure), -1, 1)),
        ofDrawn(inRange(param(Kind::Number, "biasVariance", "σ_b²", "bias variance", 0.01, "Biases are N(0, σ_b²).", kFigure), 0, 4)),
        logarithmic(wholeParam("draws", "", "draws", 1, 1, 10,
                               "Trajectories behind every mean, each through a network of its own where these are drawn.", kFigure)),
        logarithmic(wholeParam("pieces", "", "most pieces", 10000, 100, 20000,
                               "A curve is followed as long as its image is in no more pieces; where it ends, it ends exactly.", kFigure)),
        seedParam("Start of the random numbers of weights, biases and ends of the trajectory.", kFigure)};
}

Param viewed(Param p) {
    p.affects = Affects::View;
    return p;
}

std::vector<Param> params() {
    auto all = mainParams();
    all.push_back(viewed(choiceParam("axes", "axes of the chart", {{"logarithmic", "logarithmic"}, {"linear", "linear"}},
                                     "On logarithmic axes in proportion means a slope of 1, on linear ones a line through 0.", kFigure)));
    for (auto& p : moreParams()) all.push_back(underMore(std::move(p)));
    auto timeline = timelineParams(16, "The layer whose image of the trajectory is drawn.", kFigure);
    all.insert(all.end(), timeline.begin(), timeline.end());
    Param turn = viewed(wholeParam("turn", "θ", "turn of the unit", 20, 0, 23,
                                   "Which mixture of two units of the next layer reads the curve.", "P4 Fig 3"));
    turn.group = Group::Hidden;
    all.push_back(std::move(turn));
    return all;
}

std::vector<Field> drawnFields() {
    return {{"image", "z", {"layer", "point", "coordinate"}, "Drawn network: the trajectory in each layer's principal plane; points in t."},
            {"planeShare", "", {"layer"}, "Share of the image's variance, counted by length, that lies in that plane."},
            {"pair", "h", {"layer", "point", "unit"}, "Pre-activations of two units of the next layer along the trajectory."},
            {"turnTransitions",
             "",
             {"layer", "turn"},
             "Sign changes of the unit w₁ cos θ + w₂ sin θ of the next layer, θ in degrees: each is a random Gaussian unit."},
            {"turnCrossings", "t", {"crossing"}, "Where they are, layer after layer and turn after turn."},
            {"turnCrossingsOffsets", "", {"entry"}, "Where those of a layer and turn begin."}};
}

std::vector<Field> curveFields() {
    const std::vector<std::string> byLayer{"curve", "layer"};
    return {{"curveWidth", "k", {"curve"}, "Width of each curve; the drawn network's comes first; a given one has none."},
            {"curveWeightVariance", "σ_w²", {"curve"}, "Weight variance of each curve."},
            {"length", "l", byLayer, "Length of the trajectory's image in a layer; layer 0 is the input."},
            {"transitions", "", byLayer, "Sign changes of a unit of the layer along the trajectory, mean over its units."},
            theoryField("predicted", "", byLayer,
                        "Crofton: angular length of (σ_w z/√k, σ_b) in the layer below, over π; mean squares of a given network stand for "
                        "σ_w²/k and σ_b²."),
            {"saturations", "", byLayer, "Changes of a unit's linear piece, mean over units: for hard-tanh passages of −1 and 1."},
            theoryField("saturationsPredicted", "", byLayer, "Kac and Rice: mean crossings of these values by a Gaussian unit."),
            {"pieces", "", byLayer, "Activation patterns of all layers up to this one along the trajectory."},
            theoryField("piecesPredicted", "", byLayer, "1 + changes of pattern predicted for all units up to this layer."),
            {"exactLayers", "", {"curve"}, "Layers a curve was followed through before the limit on pieces."},
            {"slopes", "", {"curve"}, "Least-squares slope of transitions against the length that the layer reads."},
            theoryField("slopesPredicted", "", {"curve"}, "Mean field: σ_w/(π √(k q*))."),
            {"slope", "", {}, "Slope of the drawn network's curve."},
            {"slopePredicted", "", {}, "Mean field for it.", Role::Theory},
            {"r2", "r²", {}, "Share of the variance of transitions that the straight line explains."}};
}

std::vector<Preset> presets() {
    return {{"Transitions in proportion to length (Fig 3)", {}},
            {"Strongly coiling: large weights", {{"width", "32"}, {"weightVariance", "16"}, {"layers", "7"}, {"widths", "32"}}},
            {"Width spreads the transitions", {{"widths", "16,32,64"}, {"weightVariances", "4"}}},
            {"Small weights: no growth", {{"weightVariance", "1"}, {"weightVariances", "1"}, {"layers", "14"}}},
            {"ReLU after He", {{"activation", "relu"}, {"weightVariance", "2"}, {"weightVariances", "2"}, {"biasVariance", "0"}}},
            {"A trained classifier", {{"network", "shapes-classifier"}, {"draws", "6"}, {"pieces", "3000"}}},
            {"Linear axes, ten draws of narrow networks",
             {{"width", "16"}, {"widths", "16"}, {"weightVariances", "4,8,16"}, {"draws", "10"}, {"axes", "linear"}, {"layers", "8"}}}};
}

}  // namespace

Declaration transitions_declaration() {
    Declaration d;
    d.id = "transitions";
    d.title = "Transitions";
    d.claim = "A unit changes sign in proportion to the length of the curve it reads, as a random line crosses it.";
    d.group = "Expressivity";
    d.source = "P4 Fig 3";
    d.lookAt = "The upright line is a unit of the next layer: wherever the curve crosses it, that unit changes its sign.";
    d.tryThis =
        "Turn the unit: mixtures of two units may cross far more or less often than a layer's mean, which angular length/π predicts.";
    d.params = params();
    d.fields = drawnFields();
    for (auto& field : curveFields()) d.fields.push_back(std::move(field));
    d.presets = presets();
    d.savesNetwork = true;
    d.timeline = {"at", "layer", "layer", false, 1.4};
    return d;
}

}  // namespace kappaflow
