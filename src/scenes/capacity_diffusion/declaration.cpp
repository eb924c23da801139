#include "scenes/scene.h"

namespace kappaflow {
namespace {

bool drawn(const Values& v) { return v.is("network", ""); }
bool local(const Values& v) { return drawn(v) && !v.is("space", "dense"); }
bool mixing(const Values& v) { return drawn(v) && !v.is("layer", "plain"); }

Param choice(std::string key, std::string label, std::vector<Option> options, std::string help, std::string serves) {
    Param p;
    p.key = std::move(key);
    p.label = std::move(label);
    p.kind = Kind::Choice;
    p.standard = options.front().key;
    p.options = std::move(options);
    p.help = std::move(help);
    p.serves = std::move(serves);
    return p;
}

Param whole(std::string key, std::string symbol, std::string label, double standard, double min, double max, std::string help) {
    Param p;
    p.key = std::move(key);
    p.symbol = std::move(symbol);
    p.label = std::move(label);
    p.kind = Kind::Integer;
    p.standard = standard;
    p.min = min;
    p.max = max;
    p.help = std::move(help);
    return p;
}

Param yesNo(std::string key, std::string label, bool standard, std::string help, std::string serves) {
    Param p;
    p.key = std::move(key);
    p.label = std::move(label);
    p.kind = Kind::Boolean;
    p.standard = standard;
    p.help = std::move(help);
    p.serves = std::move(serves);
    return p;
}

Param more(Param p) {
    p.group = Group::More;
    return p;
}

Param when(Param p, std::function<bool(const Values&)> visible) {
    p.visible = std::move(visible);
    return p;
}

Param networkParam() {
    Param p;
    p.key = "network";
    p.label = "network";
    p.kind = Kind::Network;
    p.standard = std::string();
    p.options = {{"", "drawn here"}, {"shapes-classifier", "trained classifier (64-32-24-16-10)"}, {"file", "your own file"}};
    p.help = "Whose capacity flows: a network drawn from the choices below, a trained one that comes with the program, or an ONNX file.";
    p.serves = "P1 Eqs 26–28";
    return p;
}

std::vector<Param> architectureParams() {
    Param layers =
        whole("layers", "L", "layers", 24, 1, 400, "How many layers the capacity passes on its way from the output to the input.");
    layers.serves = "P1 Eq 28";
    layers.logarithmic = true;
    Param epsilon;
    epsilon.key = "epsilon";
    epsilon.symbol = "ε";
    epsilon.label = "step size";
    epsilon.standard = 0.1;
    epsilon.help = "How much of its capacity a unit hands to its neighbours in one layer; the rest stays on the identity connection.";
    epsilon.serves = "P1 Eq 29";
    Param extent =
        whole("extent", "n", "width of the input", 65, 1, 2048, "Number of input positions; on a ring the last one neighbours the first.");
    extent.serves = "P1 Eq 26";
    extent.logarithmic = true;
    Param taps = whole("taps", "r", "taps", 3, 1, 15,
                       "Number of inputs along the axis that one unit reads; odd, so that one of them is the centre.");
    taps.odd = true;
    taps.serves = "P1 4.2 (ii)";
    Param channels = whole("channels", "c", "channels", 1, 1, 64, "Units at each position; the picture shows the sum of their capacities.");
    channels.serves = "P1 Eq 26";
    channels.logarithmic = true;
    Param stride = whole("stride", "s", "stride", 1, 1, 4,
                         "Distance of neighbouring units' windows in the layer below; above 1 each layer is narrower (plain layers only).");
    stride.serves = "P1 Eq 26";
    Param dilation = whole("dilation", "d", "dilation", 1, 1, 64,
                           "Distance between taps; “doubling” is 1, 2, 4, … 512 from the input upwards, then again from 1, as in WaveNet.");
    dilation.options = {{"doubling", "doubling", 0}};
    dilation.serves = "P1 Eq 26; WaveNet";
    return {
        when(choice("space", "space", {{"ring", "ring"}, {"line", "line"}, {"dense", "dense"}},
                    "How units are joined: neighbours on a ring, neighbours on a line with ends, or every unit with every one below.",
                    "P1 Eqs 26, 29"),
             drawn),
        when(choice("layer", "layer type", {{"plain", "plain"}, {"residual", "residual"}, {"differential", "differential"}},
                    "Plain: D = P∘P; residual: (1 − ε) I + ε Q with Q the kernel without its centre; differential: (I + ε P∘P)/(1 + ε).",
                    "P1 Eqs 25, 29; 3.3"),
             drawn),
        when(choice("kernel", "kernel", {{"uniform", "uniform"}, {"random", "random"}, {"triangle", "triangle"}},
                    "Sizes of the weights in a window: all equal, Gaussian at random, or falling linearly from the centre.",
                    "P1 Eq 33; 4.1"),
             drawn),
        when(layers, drawn),
        when(epsilon, mixing),
        more(when(yesNo("shared", "shared weights", true,
                        "Whether all positions of a layer use one kernel (a convolution) or each draws its own.", "P1 Eq 33"),
                  [](const Values& v) { return local(v) && v.is("kernel", "random"); })),
        more(when(extent, drawn)),
        more(when(taps, local)),
        more(when(channels, local)),
        more(when(stride, [](const Values& v) { return local(v) && v.is("layer", "plain"); })),
        more(when(dilation, local))};
}

std::vector<Param> topParams() {
    Param index = whole("topIndex", "i", "position at the top", -1, 0, 2047,
                        "Where the capacity starts in the output layer (a unit's number, counted from 0).");
    index.options = {{"centre", "centre", -1}};
    index.serves = "P1 Fig 4";
    Param block =
        whole("blockWidth", "", "width of the block", 9, 1, 2048, "How many neighbouring output units share the starting capacity.");
    block.serves = "P1 Eq 32";
    Param painted;
    painted.key = "profile";
    painted.symbol = "κ^L";
    painted.label = "painted start";
    painted.kind = Kind::Profile;
    painted.standard = std::vector<double>{0, 0, 0, 1, 2, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0};
    painted.max = 1e6;
    painted.maxLength = 400;
    painted.help = "Starting capacity painted by hand, stretched over the output units and scaled to a total of 1.";
    painted.serves = "P1 Eq 32";
    return {choice("top", "start", {{"dirac", "one unit"}, {"block", "block"}, {"uniform", "all units"}, {"painted", "painted"}},
                   "Which output units hold the capacity at the start; its total is always 1.", "P1 Fig 4; Eq 32"),
            more(when(index, [](const Values& v) { return v.is("top", "dirac") || v.is("top", "block"); })),
            more(when(block, [](const Values& v) { return v.is("top", "block"); })),
            more(when(painted, [](const Values& v) { return v.is("top", "painted"); }))};
}

std::vector<Param> ensembleParams() {
    const auto wanted = [](const Values& v) { return v.flag("gradient"); };
    Param samples =
        whole("gradientSamples", "", "gradient samples", 64, 1, 4096, "How many Gaussian inputs the squared gradient is averaged over.");
    samples.logarithmic = true;
    samples.serves = "P1 4.1";
    Param slope;
    slope.key = "slope";
    slope.symbol = "α";
    slope.label = "leaky slope";
    slope.standard = 0.2;
    slope.min = -1;
    slope.help = "Slope of the leaky ReLU for negative arguments.";
    slope.serves = "P1 Eq 12";
    Param draws = whole("draws", "", "networks in the ensemble", 1, 1, 1000,
                        "How many networks are drawn; above 1 the profiles are averages over them.");
    draws.logarithmic = true;
    draws.serves = "P1 Eq 33";
    Param seed;
    seed.key = "seed";
    seed.label = "seed";
    seed.kind = Kind::Seed;
    seed.standard = 1.0;
    seed.max = 4294967295.0;
    seed.help = "Start of the random numbers: the same seed draws the same networks everywhere.";
    seed.serves = "P1 Eq 33";
    return {
        more(when(draws, drawn)),
        more(yesNo("gradient", "mean squared gradient", false,
                   "Compute the mean squared gradient too, of the same network with its real activation.", "P1 4.1, 5")),
        more(when(choice("activation", "activation",
                         {{"relu", "ReLU"},
                          {"identity", "identity"},
                          {"leaky-relu", "leaky ReLU"},
                          {"abs", "absolute value"},
                          {"tanh", "tanh"},
                          {"hard-tanh", "hard tanh"},
                          {"sigmoid", "sigmoid"},
                          {"relu6", "ReLU6"},
                          {"hard-sigmoid", "hard sigmoid"},
                          {"pseudo-random", "pseudo-random"}},
                         "The activation of the network whose gradient is measured; the capacity itself assumes the pseudo-random limit.",
                         "P1 2.3, Eq 15"),
                  [](const Values& v) { return drawn(v) && v.flag("gradient"); })),
        more(when(slope, [](const Values& v) { return drawn(v) && v.flag("gradient") && v.is("activation", "leaky-relu"); })),
        more(when(samples, wanted)),
        more(seed)};
}

std::vector<Param> viewParams() {
    Param show = more(choice("show", "drawn as", {{"automatic", "automatic"}, {"graph", "graph"}, {"field", "field"}},
                             "Units and connections one by one, or a field of colour over position and layer; automatic chooses by size.",
                             "P1 Fig 4"));
    show.affects = Affects::View;
    Param at;
    at.key = "at";
    at.symbol = "l";
    at.label = "layer";
    at.standard = 0.0;
    at.max = 400;
    at.help = "The layer that is looked at; fractions lie between two layers.";
    at.serves = "P1 Eq 27";
    at.group = Group::Hidden;
    at.affects = Affects::View;
    Param play = yesNo("play", "play", true, "Whether the layers pass by themselves.", "P1 Eq 27");
    play.group = Group::Hidden;
    play.affects = Affects::View;
    return {show, at, play};
}

std::vector<Param> params() {
    std::vector<Param> all{networkParam()};
    for (const auto& part : {architectureParams(), topParams(), ensembleParams(), viewParams()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::vector<Field> capacityFields() {
    return {
        {"capacity",
         "κ^l",
         {"layer", "position"},
         "Capacity of every position (dense networks and files: unit) at every layer, summed over channels; the total at the top is 1."},
        {"total", "Σκ^l", {"layer"}, "Total capacity of each layer; with `unattributed` it is constant."},
        {"unattributed", "", {"layer"}, "Capacity that units without weights could not pass on, accumulated from the top."},
        {"widths", "n_l", {"layer"}, "Number of positions (units) of each layer."},
        {"profileStart", "κ^L", {"topPosition"}, "The capacity at the top, scaled to a total of 1."},
        {"mean", "", {"layer"}, "Mean offset from the top in the layer's own positions, unwrapped on rings, of the profile shown."},
        {"variance", "σ²", {"layer"}, "Variance of that offset, of the profile shown (ensembles: of the average profile)."},
        {"varianceWithin", "", {"layer"}, "Ensembles: variance of one network's profile about its own mean, averaged over networks."},
        {"standardDeviation", "σ", {"layer"}, "Square root of the variance: the width of the profile."},
        {"gradient",
         "",
         {"layer", "position"},
         "Mean squared gradient of the chosen top units with respect to each layer, real activation, summed over channels, scaled to 1 per "
         "layer."}};
}

std::vector<Field> theoryFields() {
    const auto theory = [](std::string name, std::string symbol, std::vector<std::string> axes, std::string about) {
        return Field{std::move(name), std::move(symbol), std::move(axes), std::move(about), Role::Theory};
    };
    return {theory("gaussian", "π", {"layer", "position"},
                   "Solution of the diffusion equation: the start convolved with the normal density of the kernel's v and 𝒟, wrapped on "
                   "rings, reflected at ends."),
            theory("meanPredicted", "", {"layer"}, "Mean offset from the start's mean and the kernel's v."),
            theory("variancePredicted", "", {"layer"}, "Variance from the start's variance and the kernel's 𝒟."),
            theory("standardDeviationPredicted", "", {"layer"}, "Square root of the predicted variance: grows as √(layers passed)."),
            theory("driftByLayer", "v", {"weightLayer"}, "Mean step of one layer from the kernel (residual: times ε)."),
            theory("diffusionByLayer", "𝒟", {"weightLayer"}, "Half the variance one layer adds, from the kernel (residual: times ε)."),
            {"kernelShares",
             "D_k",
             {"weightLayer", "tap"},
             "Share of a unit's capacity that goes to each tap, identity connection included, averaged over positions, output channels and "
             "draws."}};
}

std::vector<Field> pictureFields() {
    return {{"flowFrom", "", {"edge"}, "Bin of the upper layer an edge leaves."},
            {"flowTo", "", {"edge"}, "Bin of the layer below an edge reaches."},
            {"flowAmount", "D_ij κ_j", {"edge"}, "Capacity that flows along the edge, summed over channels."},
            {"flowOffsets", "", {"layer"}, "Edges from layer l to l − 1 are those numbered flowOffsets[l − 1] … flowOffsets[l] − 1."},
            {"flowBinSize", "", {"layer"}, "Positions in one bin of the flow, 1 when edges join single positions."},
            {"shares", "D_l", {"share"}, "Dense networks and files: every D_l, row-major [input, output], one after another."},
            {"sharesOffsets", "", {"layer"}, "Where each D_l starts in shares; D_l occupies sharesOffsets[l − 1] … sharesOffsets[l] − 1."},
            {"sharesRows", "", {"weightLayer"}, "Inputs of each layer."},
            {"sharesColumns", "", {"weightLayer"}, "Outputs of each layer."}};
}

std::vector<Field> scalarFields() {
    return {{"drift",
             "v",
             {},
             "Drift of the diffusion equation from the kernel: v = Σ k Δ_k, averaged over layers; time runs ε per layer (plain: 1).",
             Role::Theory},
            {"diffusion",
             "𝒟",
             {},
             "Diffusion coefficient from the kernel: 𝒟 = ½ Σ k² Δ_k (plain layers: ½ (Σ k² D_k − v²)), averaged over layers.",
             Role::Theory},
            {"spread", "σ", {}, "Standard deviation of the capacity at the input."},
            {"totalVariation", "TV", {}, "Distance of the profile at the input from the Gaussian: ½ Σ |κ − π|."},
            {"gradientTotalVariation", "", {}, "Distance of the squared gradient from the capacity at the input: ½ Σ |gradient − κ|."},
            {"centreWander", "", {}, "Ensembles: standard deviation over networks of the profile's mean at the input."}};
}

std::vector<Field> fields() {
    std::vector<Field> all;
    for (const auto& part : {capacityFields(), theoryFields(), pictureFields(), scalarFields()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::vector<Preset> presets() {
    return {{"Diffusion (P1 Fig 4)", {}},
            {"Ring 129, 48 layers", {{"extent", "129"}, {"layers", "48"}}},
            {"Residual network", {{"layer", "residual"}, {"epsilon", "0.1"}, {"layers", "100"}}},
            {"Random weights, ensemble", {{"kernel", "random"}, {"extent", "129"}, {"layers", "24"}, {"draws", "200"}}},
            {"Dense network", {{"space", "dense"}, {"kernel", "random"}, {"extent", "24"}, {"layers", "6"}}},
            {"Trained classifier", {{"network", "shapes-classifier"}}},
            {"Two sides of the same coin",
             {{"kernel", "random"}, {"channels", "8"}, {"layers", "12"}, {"gradient", "true"}, {"gradientSamples", "128"}}},
            {"Doubling dilation (WaveNet)", {{"dilation", "doubling"}, {"layers", "8"}, {"extent", "513"}}},
            {"Painted start", {{"top", "painted"}, {"extent", "129"}, {"layers", "12"}}}};
}

}  // namespace

Declaration capacity_diffusion_declaration() {
    Declaration d;
    d.id = "capacity-diffusion";
    d.title = "Capacity diffusing back through a network";
    d.claim = "The capacity of one output spreads over the inputs as a diffusion: its width grows as the square root of the depth.";
    d.group = "Capacity flow";
    d.source = "P1 Fig 4; Eqs 24–28, 34–38; 4.1";
    d.lookAt =
        "Follow the capacity of one output unit down to the input: it spreads into a bell whose width grows as √L while the total stays 1.";
    d.tryThis = "Double the number of layers: the width grows by √2, not by 2; then make the layers residual and see how little spreads.";
    d.params = params();
    d.fields = fields();
    d.presets = presets();
    d.bits = {"gradient", "gradientTotalVariation"};
    d.timeline = {"at", "layer", "layer", true, 0.25};
    return d;
}

}  // namespace kappaflow
