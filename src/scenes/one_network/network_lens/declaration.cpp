#include "scene/declare.h"
#include "scenes/one_network/network_lens/declaration_fields.h"
#include "scenes/one_network/network_lens/declaration_training.h"

namespace kappaflow {
namespace {

constexpr const char* kNetwork = "P1–P4, one network under every lens";
constexpr const char* kSlice = "P4, activation patterns";
constexpr const char* kCurve = "P4, trajectory length";

bool leaky(const Values& v) { return lens::drawn(v) && v.is("activation", "leaky-relu"); }
bool scaled(const Values& v) { return lens::drawn(v) && (v.is("initialisation", "gaussian") || v.is("initialisation", "orthogonal")); }

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
    return {networkParam(),
            visibleWhen(lens::drawn, std::move(widths)),
            visibleWhen(lens::drawn, underMore(choiceParam("layers", "layers",
                                                           {{"dense", "dense"}, {"conv", "convolutions"}, {"residual", "residual blocks"}},
                                                           "What the hidden layers are.", kNetwork))),
            visibleWhen(lens::drawn, choiceParam("activation", "activation",
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
                lens::drawn,
                choiceParam("initialisation", "initialisation",
                            {{"he", "He, 2/k"}, {"lecun", "LeCun, 1/k"}, {"gaussian", "Gaussian, σ_w²/k"}, {"orthogonal", "orthogonal"}},
                            "How weights are drawn, with k the units they read.", kNetwork)),
            visibleWhen(scaled, number("weightVariance", "σ_w²", "weight variance", 1, 0, 100, "Scale of Gaussian and orthogonal weights.",
                                       kNetwork)),
            visibleWhen(lens::drawn, underMore(number("biasVariance", "σ_b²", "bias variance", 0.01, 0, 100,
                                                      "Biases are drawn from N(0, σ_b²).", kNetwork)))};
}

Param pointParam(Text key, Text label, Text help) {
    return underMore(named(wholeParam(key, "", label, -1, 0, 19999, help, kSlice), "auto", -1));
}

/// Points made in the plane fill the square from −1 to 1, Gaussian ones are seldom beyond 3; three samples, and what is fitted to files,
/// come to lie within 0.65 of the middle.
Beside halfOf(const Values& v) {
    const bool gaussian = v.is("data", "gaussian"), ofThree = v.is("data", "digits") || v.is("data", "signals");
    if (!lens::drawn(v) || v.is("data", "file") || ofThree) return {0.7, 1000};
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

}  // namespace

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
    append(networkParams());
    append(lens::dataParams());
    append(lens::trainingParams());
    append(lensParams());
    append(lens::editParams());
    append(viewParams());
    d.fields = lens::fields();
    d.presets = presets();
    d.savesNetwork = true;
    d.timeline = {"at", "layer", "layer", false, 0.5};
    d.instead = {"step", "step", "training step", false, 0.06};
    return d;
}

}  // namespace kappaflow
