#include "scene/declare.h"

namespace kappaflow {
namespace {

bool tree(const Values& v) { return v.is("layer", "convolution"); }
bool everyActivation(const Values& v) { return v.is("activation", "all"); }

std::vector<Option> activations() {
    return {{"leaky-relu", "leaky ReLU"}, {"relu", "ReLU"},      {"abs", "|z|"}, {"identity", "identity"}, {"tanh", "tanh"},
            {"hard-tanh", "hard tanh"},   {"sigmoid", "sigmoid"}};
}

Param architectureParam() {
    Param p = param(Kind::Architecture, "architecture", "", "architecture", std::vector<double>{3, 4, 1},
                    "Units of each layer by dashes, input first; in a tree of convolutions the hidden ones are channels.", "P1 App. A");
    p.maxLength = 6;
    return inRange(std::move(p), 1, 8);
}

Param asView(Param p) {
    p.affects = Affects::View;
    return p;
}

std::vector<Param> params() {
    std::vector<Option> compared{{"all", "all"}};
    for (const auto& option : activations()) compared.push_back(option);
    std::vector<Param> all{
        architectureParam(),
        asView(visibleWhen(everyActivation, choiceParam("shown", "activation", activations(),
                                                        "The activation of the network that is drawn.", "P1 App. A, Eq 37"))),
        asView(inRange(param(Kind::Integer, "unit", "", "hidden unit", 0.0,
                             "The hidden unit whose incoming weights are multiplied and outgoing ones divided by the scale s, counted "
                             "from 0 through all hidden layers.",
                             "P1 App. A"),
                       0, 31)),
        choiceParam("layer", "layers", {{"dense", "dense"}, {"convolution", "dilated tree"}},
                    "Dense layers, or a tree of convolutions whose dilation grows so that every input is read once.", "P1 App. A"),
        visibleWhen(
            tree,
            inRange(param(Kind::Integer, "taps", "r", "taps", 2.0, "How many positions one unit of the tree reads.", "P1 App. A"), 2, 4)),
        underMore(choiceParam("activation", "computed for", compared,
                              "Whether the ranks of all activations are computed, side by side, or of one alone.", "P1 App. A, Eq 37")),
        underMore(inRange(
            param(Kind::Number, "slope", "α", "leaky slope", 0.2, "Slope of the leaky ReLU for negative arguments.", "P1 Eq 12"), -1, 1)),
        underMore(logarithmic(inRange(param(Kind::Integer, "inputsTried", "N", "inputs tried", 3000.0,
                                            "How many random inputs the network's own Jacobian is sampled on.", "P1 App. A"),
                                      1, 20000))),
        underMore(logarithmic(
            inRange(param(Kind::Number, "inputDeviation", "σ", "size of inputs", 1.0,
                          "Standard deviation of the random inputs; small ones leave hard tanh on its straight piece.", "P1 App. A"),
                    0.1, 10))),
        seedParam("Start of the random numbers: weights and inputs.", "P1 App. A")};
    const auto timeline = timelineParams(4, "How far the chosen unit's scale has breathed: 1, 4, 1, 1/4, 1.", "P1 App. A");
    all.insert(all.end(), timeline.begin(), timeline.end());
    return all;
}

std::vector<Field> fields() {
    return {
        {"rank",
         "κ",
         {"activation"},
         "Rank of the path Jacobian for weights in general position, exact modulo 2³¹ − 1; paths with the same ends are added up for the "
         "identity."},
        {"functionRank",
         "",
         {"activation"},
         "Rank of the running network's Jacobian by its weights over the inputs tried: singular values above the threshold."},
        theoryField("predictedRank", "", {"activation"},
                    "Weights − hidden units for two slopes, all weights for tanh, hard tanh and sigmoid, the dimension of the products of "
                    "the layers for the identity."),
        {"sectors",
         "",
         {"activation"},
         "Sectors of the input space that the inputs tried (3000 at most) met, on each of which the network is linear: combinations of "
         "all hidden units' linear pieces. Each shows the paths in one combination only; undefined where there are no pieces."},
        {"onePieceUnits",
         "",
         {"activation"},
         "Hidden units that stayed on one linear piece of the activation over the inputs tried (3000 at most); undefined where there are "
         "no pieces."},
        {"singularValues", "σ_k", {"activation", "index"}, "Singular values of the sampled Jacobian, columns of norm 1, over the largest."},
        {"pathSingularValues", "σ_k", {"index"}, "Singular values of the path Jacobian at the drawn weights, over the largest."},
        {"rankByInputs", "", {"activation", "inputs"}, "Rank of the sampled Jacobian after so many inputs."},
        {"widths", "", {"layer"}, "Units of each layer, channels of a tree."},
        {"weights", "w", {"weight"}, "All weights, layer after layer, [to][from][tap]."},
        {"weightLayer", "", {"weight"}, "The layer a weight leads to, from 1."},
        {"weightFrom", "", {"weight"}, "The unit it comes from."},
        {"weightTo", "", {"weight"}, "The unit it leads to."},
        {"weightTap", "", {"weight"}, "Its tap; 0 in dense layers."},
        {"scaleFactor", "s", {"step"}, "Scale of the chosen unit at the timeline's steps."},
        {"outputAlongScale",
         "y",
         {"activation", "unit", "factor", "place"},
         "First output along a line of inputs with a hidden unit's incoming weights times the factor, outgoing ones over it."},
        {"outputChange",
         "",
         {"activation", "unit"},
         "Largest change of an output along that line over all factors, over the largest output: rounding where the scale is redundant."},
        {"parameters", "p", {}, "Number of weights."},
        {"hiddenUnits", "", {}, "Hidden units, or channels of a tree."},
        theoryField("predicted", "", {}, "Weights − hidden units, the rule for two-slope activations."),
        {"paths", "", {}, "Number of paths from inputs to outputs: rows of the path Jacobian."},
        {"pathRankAtWeights", "", {}, "Rank of the path Jacobian at the drawn weights, by singular values above the threshold."},
        {"threshold", "", {}, "Singular values up to this share of the largest count as zero."}};
}

}  // namespace

Declaration lower_layers_declaration() {
    Declaration d;
    d.id = "lower-layers";
    d.title = "The capacity of all layers";
    d.claim = "When every layer learns, each hidden unit of a two-slope network wastes one weight on its scale; tanh wastes none.";
    d.group = "Capacity flow";
    d.source = "P1 App. A; Eq 37 (later version Eq 41)";
    d.lookAt =
        "One unit's incoming weights grow as its outgoing ones shrink, and the output does not move: 16 weights, 4 such scales, capacity "
        "12.";
    d.tryThis = "Choose tanh and pull the same unit sideways: now the output moves, and all 16 weights count.";
    d.params = params();
    d.fields = fields();
    d.presets = {
        {"3-4-1: sixteen weights, capacity twelve", {}},
        {"tanh: no scale is redundant", {{"shown", "tanh"}}},
        {"Two hidden layers", {{"architecture", "3-4-3-1"}, {"unit", "5"}, {"inputsTried", "600"}}},
        {"Dilated tree, two channels", {{"architecture", "1-2-2-1"}, {"layer", "convolution"}, {"inputsTried", "600"}}},
        {"A deeper tree", {{"architecture", "1-2-2-2-1"}, {"layer", "convolution"}, {"unit", "3"}, {"inputsTried", "600"}}},
        {"A ReLU that never passes its kink", {{"architecture", "3-4-3-1"}, {"shown", "relu"}, {"unit", "4"}, {"inputsTried", "600"}}},
        {"Hard tanh on small inputs", {{"shown", "hard-tanh"}, {"inputDeviation", "0.3"}, {"inputsTried", "1000"}}},
        {"One input: paths that cannot be told apart", {{"architecture", "1-4-1"}, {"inputsTried", "600"}}},
        {"Two outputs", {{"architecture", "4-5-2"}, {"inputsTried", "600"}}}};
    d.bits = {"outputChange"};
    d.timeline = {"at", "step", "scale", false, 1.4};
    d.savesNetwork = true;
    return d;
}

}  // namespace kappaflow
