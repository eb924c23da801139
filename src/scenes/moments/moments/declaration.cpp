#include "scenes/moments/moments/declaration.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "scenes/moments/declaration_nets.h"

namespace kappaflow {
namespace moments {
namespace {

void addBanded(std::vector<Field>& fields, const CurveField& c, const std::string& suffix, const std::vector<std::string>& axes) {
    const std::string name = c.name + suffix, about = c.about;
    fields.push_back({name, c.symbol, axes, suffix.empty() ? about : "In every network compared: " + about});
    fields.push_back({name + "Low", c.symbol, axes, "Lower end of its band: 16 % of the draws lie below."});
    fields.push_back({name + "High", c.symbol, axes, "Upper end of its band: 84 % of the draws lie below."});
}

std::vector<Field> cloudFields() {
    const std::vector<std::string> points{"net", "layer", "point", "coordinate"}, byLayer{"net", "layer"};
    return {
        {"cloudSignal", "x^l", points,
         "First draw: feature vectors in their principal plane, in units of the spread along its first direction."},
        {"cloudNoise", "dx^l", points, "First draw: the noise of the same points in the same plane, of root mean square 1."},
        {"cloudNoiseSize", "", byLayer, "Its root mean square in units of that spread, if the input's noise is as large as its signal."},
        {"cloudSpread", "", byLayer, "That spread over the signal's root mean square."},
        {"cloudShare", "", byLayer, "Share of the signal's variance that the plane holds."}};
}

std::vector<Field> scalarFields() {
    return {
        {"rate", "", {}, "Slope of log χ over layers, by least squares over l = 1 … L, mean over draws."},
        {"rateLate", "", {}, "Slope of log χ over layers in the deeper half, l ≥ L/2, mean over draws."},
        {"exponent", "", {}, "Slope of log χ over log l, by least squares over l = 1 … L, mean over draws."},
        {"exponentLate", "", {}, "Slope of log χ over log l from l = L/5 on, where a power law has set in, mean over draws."},
        theoryField("exponentPredicted", "τ", {}, "Theorem 4's exponent: half of ⟨δχ^{l,1}⟩^(2H) less 1, the mean over layers and draws."),
        theoryField("plateau", "χ^∞", {},
                    "Dense vanilla network of infinite width: √(E‖x⁰‖²/Var‖x⁰‖) of the inputs drawn, where χ levels off."),
        {"kurtosisCeiling", "", {}, "Largest fourth moment that so many points of unit variance can have.", Role::Bound},
        {"pathology",
         "",
         {},
         "0: well-behaved; 1: zero-dimensional signal; 2: one-dimensional signal; 3: exploding sensitivity; 4: nearer "
         "to a limit than 2.5 standard errors, so that these draws cannot tell."},
        {"fittedLayers", "", {}, "Last layer of the fits: the deepest that half of the draws reach."},
        {"points", "P", {}, "Points behind every moment: samples times positions; of a given network, behind those of its input."}};
}

}  // namespace

std::vector<Field> momentFields() {
    const std::vector<std::string> byLayer{"layer"}, compared{"net", "layer"};
    std::vector<Field> fields;
    for (const CurveField& curve : kCurves) addBanded(fields, curve, "", byLayer);
    fields.push_back({"chiMedian", "χ^l", byLayer, "Median over draws, less moved by a few networks than the mean."});
    for (const auto& [name, symbol, about] : kTheory) fields.push_back(theoryField(name, symbol, byLayer, about));
    fields.push_back(theoryField("powerLaw", "C l^τ", byLayer, "Theorem 4's power law with its exponent τ and the best factor C."));
    fields.push_back({"layerKind", "", byLayer,
                      "Given network: what made the state; 0 input, 1 dense, 2 convolution, 3 activation, 4 batch norm, 5 pool, 6 flatten, "
                      "7 residual."});
    fields.push_back({"alive", "", byLayer, "Draws that reach the layer with a signal: those behind its means."});
    for (auto& field : cloudFields()) fields.push_back(std::move(field));
    for (const CurveField& curve : kCurves)
        if (curve.compared) addBanded(fields, curve, "Compared", compared);
    fields.push_back({"rateCompared", "", {"net"}, "The scalar `rate` of every network compared."});
    fields.push_back({"exponentCompared", "", {"net"}, "The scalar `exponent` of every network compared."});
    fields.push_back({"pathologyCompared", "", {"net"}, "The scalar `pathology` of every network compared."});
    for (auto& field : scalarFields()) fields.push_back(std::move(field));
    return fields;
}

namespace {

constexpr const char* kFigures = "P3 Figs 3–5";

/// More than a given network can have within the budget.
constexpr double kMostLayers = 21000;

Param viewed(Param p) {
    p.affects = Affects::View;
    return p;
}

std::vector<Param> viewParams() {
    return {viewed(logarithmic(
                inRange(param(Kind::Number, "noise", "σ", "noise shown", 0.1,
                              "Size of the input's noise in the cloud, over the signal's; the curves do not depend on it.", kFigures),
                        1e-6, 1))),
            underMore(viewed(choiceParam("cloud", "unit of the cloud", {{"spread", "the signal's spread"}, {"size", "the signal's size"}},
                                         "In units of its size a zero-dimensional signal shrinks to a point.", "P3 Sec. 4"))),
            underMore(viewed(choiceParam(
                "axes", "axes of χ",
                {{"fitting", "as its growth asks"}, {"linear", "linear"}, {"logarithmic", "logarithmic"}, {"double", "double logarithmic"}},
                "An exponential is a straight line on logarithmic axes, a power law on double logarithmic ones.", kFigures)))};
}

Param networkParam() {
    Param p =
        param(Kind::Network, "network", "", "network", std::string(),
              "Networks drawn from the choices below, or one given: its theorems have nothing to say, since its weights are not random.",
              kFigures);
    p.options = {{"", "drawn here"},
                 {"shapes-classifier", "trained classifier (64-32-24-16-10)"},
                 {"strokes-cnn", "trained CNN (24 × 24)"},
                 {"strokes-resnet", "trained residual CNN (24 × 24)"},
                 {"file", "your own file"}};
    return p;
}

/// Not beside a given network, which has its own.
void hideBesideGiven(Param& p) {
    p.visible = [before = p.visible](const Values& v) { return v.is("network", "") && (!before || before(v)); };
}

std::vector<Param> params() {
    // The first draw is there in a fifth of a second, and bands get narrower from then on.
    auto all = random_nets::netParams({128, 100, 10}, kFigures);
    all.insert(all.begin() + 1, choiceParam("compare", "compare", {{"one", "this network alone"}, {"all", "all four networks"}},
                                            "One network with all its moments, or the four beside one another.", kFigures));
    for (Param& p : all)
        if (p.key == "draws")
            p.help =
                "Networks with fresh weights, inputs and noise behind the means, ten in a second or two; of a given network, inputs and "
                "noise.";
    for (Param& p : all)
        if (std::any_of(std::begin(kDrawnParams), std::end(kDrawnParams), [&](const char* key) { return p.key == key; }))
            hideBesideGiven(p);
    all.insert(all.begin(), networkParam());
    for (auto& p : viewParams()) all.push_back(std::move(p));
    for (auto& p : timelineParams(kMostLayers, "The layer whose cloud is shown.", kFigures)) all.push_back(std::move(p));
    return all;
}

std::vector<Preset> presets() {
    return {{"Vanilla: the signal becomes a line (Fig 3)", {}},
            {"All four side by side", {{"compare", "all"}, {"draws", "4"}}},
            {"Batch norm: noise drowns the signal (Fig 4)", {{"net", "batch-norm"}, {"width", "64"}, {"layers", "60"}, {"draws", "8"}}},
            {"Batch-normalised ResNet: well-behaved (Fig 5)", {{"net", "resnet"}, {"width", "64"}, {"layers", "60"}, {"draws", "6"}}},
            {"ResNet without batch norm", {{"net", "resnet-plain"}, {"width", "64"}, {"layers", "60"}, {"draws", "6"}}},
            {"The power law on double logarithmic axes",
             {{"net", "resnet"}, {"width", "64"}, {"layers", "100"}, {"draws", "4"}, {"axes", "double"}}},
            {"Without the skip: no dilution", {{"net", "resnet"}, {"skipScale", "0"}, {"width", "64"}, {"layers", "40"}, {"draws", "6"}}},
            {"Small weights and biases: the signal becomes a point",
             {{"weightScale", "0.7"}, {"biasVariance", "0.1"}, {"width", "64"}, {"layers", "40"}, {"draws", "12"}, {"cloud", "size"}}},
            {"Spread norms: a lower plateau", {{"data", "spread"}, {"width", "256"}, {"layers", "40"}, {"draws", "4"}}},
            {"More points, fatter tails", {{"net", "batch-norm"}, {"width", "64"}, {"layers", "40"}, {"samples", "512"}, {"draws", "4"}}},
            {"A trained CNN, layer by layer", {{"network", "strokes-cnn"}, {"data", "images"}, {"samples", "24"}, {"draws", "4"}}},
            {"Convolutions on colour images",
             {{"net", "batch-norm"},
              {"space", "conv2d"},
              {"data", "images"},
              {"width", "24"},
              {"layers", "40"},
              {"samples", "8"},
              {"draws", "6"}}}};
}

}  // namespace
}  // namespace moments

Declaration moments_declaration() {
    Declaration d;
    d.id = "moments";
    d.title = "Four kinds of depth";
    d.claim = "Deep random networks flatten their signal or drown it in noise, unless batch norm and skips hold the two together.";
    d.group = "Moments";
    d.source = "P3 Figs 3–5; Theorems 2–4";
    d.lookAt = "Follow the cloud of feature vectors through the layers: it collapses onto a line while χ, noise over signal, levels off.";
    d.tryThis = "Compare all four networks: with batch norm the noise drowns the signal, and a ResNet keeps the two together.";
    d.params = moments::params();
    d.fields = moments::momentFields();
    d.presets = moments::presets();
    d.timeline = {"at", "layer", "layer", false, 0.3};
    return d;
}

}  // namespace kappaflow
