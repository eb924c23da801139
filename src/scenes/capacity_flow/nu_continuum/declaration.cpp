#include <algorithm>

#include "scene/declare.h"

namespace kappaflow {
namespace {

bool dense(const Values& v) { return v.is("kernel", "dense"); }
bool ring(const Values& v) { return v.is("kernel", "ring3"); }
bool tree(const Values& v) { return v.is("kernel", "tree"); }

Param whole(Text key, Text symbol, Text label, double standard, double min, double max, Text help, Text serves) {
    return inRange(param(Kind::Integer, key, symbol, label, standard, help, serves), min, max);
}

/// The most layers whose tree has at most 512 paths: a tenth of a second a row.
double treeLayers(double channels) { return channels <= 1 ? 9 : channels <= 2 ? 5 : channels <= 3 ? 4 : 3; }

Param layersParam() {
    Param layers = logarithmic(whole("layers", "L", "layers", 1, 1, 64,
                                     "How many layers lie between the inputs and the learned map (1 for dense layers, 8 for rings and 4 "
                                     "for trees unless given).",
                                     "P1 2.4–2.5, 3"));
    layers.beside = [](const Values& v) {
        const double most = treeLayers(v.number("channels"));
        return dense(v) ? Beside{1, 64} : ring(v) ? Beside{8, 64} : Beside{std::min(4.0, most), most};
    };
    return layers;
}

Param nuParam() {
    Param nu = inRange(
        param(Kind::Number, "nu", "ν", "decoupling coefficient", 0.2,
              "Where the picture stands between a linear layer (ν = 1) and complete decoupling (ν = 0); ReLU is ν = 1/2.", "P1 Eqs 13–14"),
        0, 1);
    nu.affects = Affects::View;
    return nu;
}

std::vector<Param> params() {
    std::vector<Param> all{
        nuParam(),
        choiceParam("kernel", "network", {{"dense", "dense"}, {"ring3", "ring of three taps"}, {"tree", "dilated tree, all learned"}},
                    "Dense layers with random weights, convolutions on a ring under one top unit, or a dilated network of two taps a layer "
                    "whose layers are all learned.",
                    "P1 2.4–2.5; P2 5.1"),
        visibleWhen(dense, whole("inputs", "n", "inputs", 5, 1, 64, "Number of inputs.", "P1 Eq 20")),
        visibleWhen(dense, logarithmic(whole("features", "m", "units a layer", 4, 1, 64,
                                             "Number of units of every layer; the more, the nearer to 0 the change is made.", "P1 Eq 20"))),
        layersParam(),
        visibleWhen(dense, whole("free", "k", "learned directions", 1, 1, 64,
                                 "Dimension of the span U in which the last linear map is learned, at most the units of a layer; the "
                                 "total capacity below ν = 1.",
                                 "P1 Eqs 20–21")),
        visibleWhen(dense, choiceParam("covariance", "inputs' covariance",
                                       {{"identity", "independent"}, {"ar1", "0.6^|i − j|"}, {"random", "random"}},
                                       "Covariance Σ of the inputs; κ = Dκ^φ at ν = 0 needs independent ones.", "P1 Eqs 21–25")),
        visibleWhen(ring, choiceParam("filter", "weights of the taps",
                                      {{"uniform", "1, 1, 1"}, {"centred", "0.2, 1, 0.2"}, {"random", "random in each layer"}},
                                      "The three weights of every layer's convolution; their signs are what interferes.", "P1 4.1")),
        visibleWhen(tree, whole("channels", "c", "channels", 2, 1, 4, "Units at each place of a hidden layer.", "P2 5.1")),
        underMore(visibleWhen(ring, whole("extent", "N", "width of the ring", 33, 3, 257,
                                          "Number of positions of the ring; beyond four reaches it changes nothing.", "P1 3"))),
        underMore(visibleWhen(tree, inRange(param(Kind::Number, "alpha", "α", "exponent of the inputs' memory", 0.5,
                                                  "The inputs' autocovariance is (1 + τ)^−α; small α is a long memory.", "P2 App B"),
                                            0.05, 4))),
        underMore(whole("nuPoints", "", "steps of ν", 21, 5, 101,
                        "How many values of ν are computed, 0, 0.999 and 1 among them, close together near 0.", "P1 Eq 14")),
        seedParam("Start of the random numbers that draw weights, directions and covariance.", "P1 Eq 20")};
    // Of the networks of five inputs one where most paths cancel.
    all.back().standard = 23.0;
    Param play = param(Kind::Boolean, "play", "", "play", true, "Whether ν falls from 1 to 0 by itself.", "P1 Eq 14");
    play.group = Group::Hidden;
    play.affects = Affects::View;
    all.push_back(play);
    return all;
}

std::vector<Field> fields() {
    return {
        {"capacity",
         "κ",
         {"nu", "input"},
         "Capacity of every input, counting all copies of a layer (dense) or the paths that exist (ring, tree); inputs of a ring are "
         "offsets from the top unit, of a tree lags."},
        {"total", "Σκ", {"nu"}, "Total capacity, a rank: that of U below ν = 1, that of the linear map at ν = 1."},
        {"variance", "", {"nu"}, "Ring: variance of the capacity's offset from the top unit."},
        {"share", "", {"nu"}, "Share of the change of the distribution from ν = 0 to ν = 1 that is made (0.999 where the total jumps)."},
        {"crossover", "ν", {}, "ν where half of that change is made."},
        theoryField("predictedCrossover", "1/√m", {}, "Where the coherent part of a dense layer outgrows the other, 1/√m."),
        theoryField("coherence", "λ", {"nu"},
                    "g/(g + h) with g = mν² + 2ν(1 − ν), h = (1 − ν)²: the coherent share of one dense layer of m units."),
        theoryField("diffused", "Dκ^φ", {"input"}, "D_1 ⋯ D_L κ^φ (P1 Eqs 25, 28): exact at ν = 0 for independent inputs."),
        theoryField("linear", "", {"input"},
                    "Capacity of the linear network (P1 2.4; of the same tree without activations), computed without ν."),
        theoryField("varianceDiffused", "", {}, "Ring: variance of the diffusion, layer by layer the kernel's squares convolved."),
        theoryField("varianceLinear", "", {}, "Ring: variance of the squared impulse response."),
        {"equation25Gap", "", {}, "Correlated inputs: largest difference between Dκ^φ (P1 Eq 25) and the capacity at ν = 0."},
        {"amplitude",
         "p_ij u_j",
         {"input", "feature"},
         "One layer, one direction: amplitude of every path, (ΣP)_ij u_j. Sums over features are squared at ν = 1, squares summed at "
         "ν = 0."},
        {"layerCapacity",
         "κ^l",
         {"nu", "layer", "unit"},
         "Capacity of every layer's units, the layers above standing on them as on independent inputs; not defined for trees."}};
}

}  // namespace

Declaration nu_continuum_declaration() {
    Declaration d;
    d.id = "nu-continuum";
    d.title = "From linear layers to decoupled ones";
    d.claim = "As activations decouple, paths stop interfering: capacity goes from a coherent wave at ν = 1 to a diffusion at ν = 0.";
    d.group = "Capacity flow";
    d.source = "P1 2.4–2.5; Eqs 13–25 and past them";
    d.lookAt = "Watch the bars as ν falls from 1 to 0: inputs whose paths cancelled get capacity back, those whose paths added up lose it.";
    d.tryThis = "Drag ν across the curves, then take 64 units a layer instead of 4: half of the change is made by ν = 0.11, not 0.35.";
    d.params = params();
    d.fields = fields();
    d.presets = {{"Five inputs, four features", {}},
                 {"Total that jumps at ν = 1", {{"inputs", "3"}, {"features", "6"}, {"free", "6"}}},
                 {"A wide layer", {{"inputs", "8"}, {"features", "64"}}},
                 {"Deep and wide: 64 units, 16 layers", {{"inputs", "64"}, {"features", "64"}, {"layers", "16"}}},
                 {"Correlated inputs", {{"covariance", "ar1"}, {"inputs", "8"}, {"features", "8"}, {"free", "2"}}},
                 {"Ring: diffusion turns into interference", {{"kernel", "ring3"}}},
                 {"Ring with random weights", {{"kernel", "ring3"}, {"filter", "random"}, {"layers", "16"}, {"extent", "65"}}},
                 {"Non-linear dilated tree", {{"kernel", "tree"}}}};
    d.timeline = {"nu", "nu", "ν", true, 0.3};
    return d;
}

}  // namespace kappaflow
