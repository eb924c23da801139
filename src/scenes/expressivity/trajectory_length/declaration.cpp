#include "scene/declare.h"

namespace kappaflow {
namespace {

constexpr const char* kFigure = "P4 Fig 2";
constexpr const char* kTheorem = "P4 Theorem 1";

bool drawnHere(const Values& v) { return v.is("network", ""); }
bool leaky(const Values& v) { return drawnHere(v) && v.is("activation", "leaky-relu"); }
bool circle(const Values& v) { return v.is("trajectory", "circle"); }
bool drawn(const Values& v) { return v.is("trajectory", "drawn"); }

Param number(Text key, Text symbol, Text label, double standard, double min, double max, Text help) {
    return inRange(param(Kind::Number, key, symbol, label, standard, help, kFigure), min, max);
}

Param list(Text key, Text symbol, Text label, std::vector<double> standard, int longest, double min, double max, Text help) {
    Param p = inRange(param(Kind::List, key, symbol, label, std::move(standard), help, kFigure), min, max);
    p.maxLength = longest;
    return p;
}

Param networkParam() {
    Param p =
        param(Kind::Network, "network", "", "network", std::string(),
              "What the trajectory goes through: random layers, as the theory has them, a trained network that comes with the program, "
              "or a file with a network of dense layers.",
              kFigure);
    p.options = {{"", "drawn here"}, {"shapes-classifier", "trained classifier (64-32-24-16-10)"}, {"file", "your own file"}};
    return p;
}

Param endsParam() {
    Param p = list("ends", "x₀, x₁", "ends", {}, 4096, -1e6, 1e6,
                   "Of a given network: both ends of the trajectory, the numbers of x₀ before those of x₁; random unless given.");
    p.group = Group::Hidden;
    return visibleWhen([](const Values& v) { return !drawnHere(v); }, std::move(p));
}

Param ofDrawn(Param p) { return visibleWhen(drawnHere, std::move(p)); }

std::vector<Param> mainParams() {
    return {
        networkParam(),
        ofDrawn(logarithmic(wholeParam("width", "k", "width", 100, 1, 512, "Units of the input and of every layer.", kTheorem))),
        ofDrawn(wholeParam("layers", "n", "layers", 15, 1, 40, "Hidden layers that the trajectory goes through.", kFigure)),
        ofDrawn(logarithmic(inRange(
            param(Kind::Number, "weightVariance", "σ_w²", "weight variance", 4.0,
                  "Weights are N(0, σ_w²/k); hard-tanh networks without biases stretch trajectories where it is above 1.", kTheorem),
            0.25, 100))),
        ofDrawn(choiceParam("activation", "activation",
                            {{"hard-tanh", "hard-tanh"}, {"relu", "ReLU"}, {"leaky-relu", "leaky ReLU"}, {"abs", "|h|"}, {"tanh", "tanh"}},
                            "The theorem is about hard-tanh; all but tanh are piecewise linear and followed exactly.", kTheorem)),
        visibleWhen(leaky, number("slope", "", "slope", 0.2, -1, 1, "Slope of the leaky ReLU below 0.")),
        choiceParam(
            "trajectory", "trajectory", {{"circle", "circle"}, {"line", "straight line"}, {"drawn", "drawn by hand"}},
            "From one random input x₀ to another, x₁, entries N(0, 1); in the plane of both you may draw your own: a double click on the "
            "line makes a corner, on a corner takes it away.",
            kFigure),
        visibleWhen(circle,
                    number("start", "", "start of the arc", 0, 0, 360, "Angle at which the arc cos t·x₀ + sin t·x₁ begins, in degrees.")),
        visibleWhen(circle, number("span", "", "length of the arc", 360, 1, 360, "Degrees that the arc covers: 360 is a whole circle."))};
}

std::vector<Param> moreParams() {
    return {
        ofDrawn(inRange(param(Kind::Number, "biasVariance", "σ_b²", "bias variance", 0.01, "Biases are N(0, σ_b²).", kTheorem), 0, 4)),
        visibleWhen(drawn, list("path", "", "drawn line", {1, 0, 0.9, 0.9, -0.2, 0.8, -0.3, -0.6, 0.7, -0.5, 0.4, 0.4}, 40, -3, 3,
                                "Corners a₁, b₁, a₂, b₂, … of the line a·x₀ + b·x₁, two of them at least.")),
        logarithmic(wholeParam("draws", "", "draws", 1, 1, 400,
                               "Trajectories whose mean length is shown, each through a network of its own where these are drawn.",
                               kFigure)),
        ofDrawn(list("sweepWidths", "k", "widths compared", {4, 16, 64}, 6, 1, 512, "Widths for which the growth of a layer is measured.")),
        ofDrawn(list("sweepVariances", "σ_w²", "variances compared", {1, 2, 4, 8, 16, 64}, 10, 0.25, 100,
                     "Weight variances for which it is measured, at each of the widths.")),
        ofDrawn(logarithmic(named(wholeParam("sweepDraws", "", "draws compared", 24, 1, 1000,
                                             "Networks of 12 layers behind every measured growth, or none.", kFigure),
                                  "none", 0))),
        logarithmic(wholeParam(
            "pieces", "", "most pieces", 10000, 10, 100000,
            "Lengths are exact as long as the image is in no more linear pieces; deeper ones are sampled by tangents, in proportion to the "
            "last exact length. Of several draws those after the first are exact up to 100 to 8000 pieces, by width.",
            kFigure)),
        logarithmic(number("precision", "", "precision", 0.02, 0.002, 0.2,
                           "Relative standard error that sampled lengths aim at in the last layer.")),
        logarithmic(named(
            wholeParam("points", "", "points drawn", 0, 50, 4000, "Points of the drawn image; adaptive: as many as it is long.", kFigure),
            "adaptive", 0)),
        seedParam("Start of the random numbers of weights, biases, ends of the trajectory and sampled points.", kFigure)};
}

std::vector<Param> params() {
    auto all = mainParams();
    for (auto& p : moreParams()) all.push_back(underMore(std::move(p)));
    all.push_back(endsParam());
    auto timeline = timelineParams(40, "The layer whose image of the trajectory is drawn.", kFigure);
    all.insert(all.end(), timeline.begin(), timeline.end());
    return all;
}

std::vector<Field> curveFields() {
    const std::vector<std::string> layer{"layer"};
    return {{"image", "z", {"layer", "point", "coordinate"}, "The trajectory in each layer's principal plane, in the layer's units."},
            {"place", "t", {"point"}, "Where on the trajectory the points lie: angle of an arc in radians, corners counted from 0."},
            {"planeShare", "", layer, "Share of the image's variance, counted by length, that lies in the plane."},
            {"length", "l_d", layer, "Length ∫ |dz/dt| dt of the trajectory's image in a layer; layer 0 is the input."},
            {"growth", "", layer, "Ratio of the mean length in a layer to that in the layer before."},
            {"pieces", "", layer, "Linear pieces of the image: 1 + changes of the activation pattern up to the layer."},
            {"transitions", "", layer, "Changes of the linear piece of the layer's units along the trajectory."},
            {"exactLayers", "", {}, "Layers whose lengths and pieces are exact; those of deeper ones are sampled."},
            {"points", "", {}, "Points at which tangents were sampled for the deeper layers."},
            {"lengthRatio", "", {}, "Length in the last layer over that in the input."},
            {"growthPerLayer", "", {}, "The same to the power 1/n."},
            {"lostDraws", "", {}, "Of several draws, those of which nothing is left in the last layer."}};
}

std::vector<Field> theoryFields() {
    const std::vector<std::string> layer{"layer"};
    return {
        Field("theoremBase", "l₀ Bˡ", layer,
              "Theorem 1's bound, which holds up to a constant in each layer: l₀ times its base to the power of the layer.", Role::Bound),
        theoryField("meanField", "l₀ ∏√χ", layer, "Mean field (infinite width): l₀ times the √χ of the layers."),
        Field("upperBound", "l₀ σ_wˡ", layer, "No mean length grows faster.", Role::Bound),
        theoryField("exactLength", "l₀ gˡ", layer, "ReLU and |h|: mean length at this width, exact at any depth and bias."),
        {"base", "B", {}, "Base of Theorem 1.", Role::Theory},
        {"meanFieldGrowth", "√χ", {}, "Growth of a layer in mean field, at the fixed point.", Role::Theory},
        {"exactGrowth", "g", {}, "ReLU and |h|: mean growth of a layer at this width.", Role::Theory},
        {"heGrowth", "g", {}, "ReLU: the same for He's σ_w² = 2.", Role::Theory}};
}

std::vector<Field> sweepFields() {
    const std::vector<std::string> both{"width", "weightVariance"};
    return {{"sweepGrowth", "", both,
             "Growth of a layer: mean lengths in layers 12 and 4, their ratio to the power 1/8; none where every draw has lost its curve."},
            {"sweepDrawn", "", both, "Networks behind it so far."},
            Field("sweepTheoremBase", "B", both, "Theorem 1's base, up to a constant in each layer.", Role::Bound),
            theoryField("sweepMeanField", "√χ", {"weightVariance"}, "Mean field at its fixed point."),
            Field("sweepUpperBound", "σ_w", {"weightVariance"}, "Upper bound.", Role::Bound),
            theoryField("sweepExact", "g", both, "ReLU and |h|: exact.")};
}

std::vector<Preset> presets() {
    return {{"Lengths grow exponentially (Fig 2)", {}},
            {"Large weights: a curve that fills its layer",
             {{"weightVariance", "16"}, {"layers", "10"}, {"biasVariance", "0"}, {"span", "90"}}},
            {"A quarter of a circle, narrow layers", {{"width", "16"}, {"weightVariance", "8"}, {"layers", "12"}, {"span", "90"}}},
            {"No growth: small weights", {{"weightVariance", "1"}, {"biasVariance", "0"}}},
            {"ReLU after He does not grow", {{"activation", "relu"}, {"weightVariance", "2"}, {"biasVariance", "0"}, {"draws", "40"}}},
            {"tanh", {{"activation", "tanh"}, {"width", "64"}, {"layers", "12"}}},
            {"A trained classifier", {{"network", "shapes-classifier"}, {"draws", "40"}}},
            {"A line drawn by hand", {{"trajectory", "drawn"}, {"width", "48"}, {"layers", "8"}}},
            {"Growth against k and σ_w²",
             {{"width", "16"},
              {"layers", "12"},
              {"biasVariance", "0"},
              {"draws", "40"},
              {"sweepWidths", "4,16,64,128"},
              {"sweepVariances", "1,2,3,4,8,16,64,100"},
              {"sweepDraws", "12"}}}};
}

}  // namespace

Declaration trajectory_length_declaration() {
    Declaration d;
    d.id = "trajectory-length";
    d.title = "Trajectory length";
    d.claim = "A curve of inputs comes out of a random network longer, exponentially in depth: each layer stretches and folds it.";
    d.group = "Expressivity";
    d.source = "P4 Fig 2; P4 Theorem 1";
    d.lookAt = "Watch a circle of inputs coil up from layer to layer; colour runs along it, so that you see where it comes to lie.";
    d.tryThis = "Drag the weight variance down to 1 on the lowest chart: the curve comes out shorter than it went in.";
    d.params = params();
    d.fields = curveFields();
    for (auto& field : theoryFields()) d.fields.push_back(std::move(field));
    for (auto& field : sweepFields()) d.fields.push_back(std::move(field));
    d.presets = presets();
    d.savesNetwork = true;
    d.timeline = {"at", "layer", "layer", false, 1.2};
    return d;
}

}  // namespace kappaflow
