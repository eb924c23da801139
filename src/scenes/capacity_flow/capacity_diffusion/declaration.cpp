#include <vector>

#include "scene/declare.h"
#include "scene/report.h"

namespace kappaflow {
namespace diffusion {
namespace {

using Axes = std::vector<std::string>;

const Axes kEverywhere{"layer", "position"}, kPlane{"layer", "y", "x"}, kLayer{"layer"}, kLayerAxis{"layer", "axis"},
    kWeightLayer{"weightLayer"}, kWeightLayerAxis{"weightLayer", "axis"};

Field onGrids(Axes axes, Field field) {
    field.gridAxes = std::move(axes);
    return field;
}

std::vector<Field> capacityFields() {
    return {
        onGrids(
            kPlane,
            {"capacity", "κ^l", kEverywhere,
             "Capacity of every position (dense networks and files without planes: unit), summed over channels; at the top it totals 1."}),
        {"total", "Σκ^l", kLayer, "Total capacity of each layer; with `unattributed` it is constant."},
        {"unattributed", "", kLayer, "Capacity that units without weights could not pass on, accumulated from the top."},
        {"heights", "", kLayer, "Two dimensions: number of rows of each layer; a dense layer has one."},
        {"widths", "n_l", kLayer, "Number of positions (units) of each layer; in two dimensions its number of columns."},
        {"channelCounts", "c_l", kLayer, "Two dimensions: number of channels of each layer."},
        {"channelCapacity", "", kPlane, "Capacity of every position in the chosen channel; undefined in layers with fewer channels."},
        onGrids({"topY", "topX"}, {"profileStart", "κ^L", {"topPosition"}, "The capacity at the top, scaled to a total of 1."})};
}

std::vector<Field> momentFields() {
    return {
        onGrids(kLayerAxis,
                {"mean", "", kLayer,
                 "Mean offset from the top in the layer's own positions, unwrapped on rings, of the profile shown; below layers "
                 "without places (dense, global pooling) the mean position."}),
        onGrids(kLayerAxis,
                {"variance", "σ²", kLayer, "Variance of that offset, of the profile shown (ensembles: of the average profile)."}),
        onGrids(kLayerAxis,
                {"varianceWithin", "", kLayer, "Ensembles: variance of one network's profile about its own mean, averaged over networks."}),
        {"deviationWithin", "", kLayer, "Ensembles on rings and lines: square root of it, the width of one network."},
        {"centres", "", {"network", "layer"}, "Ensembles on rings and lines: mean offset of each of the first sixty networks."},
        {"centreWanderByLayer", "", kLayer, "Ensembles on rings and lines: standard deviation over networks of that mean."},
        onGrids(kLayerAxis, {"standardDeviation", "σ", kLayer, "Square root of the variance: the width of the profile."}),
        {"covariance", "", kLayer, "Two dimensions: covariance of the offsets along y and x."},
        {"standardDeviationFitted", "", kLayerAxis,
         "Files in two dimensions, a fit and no theory: the width if the variance, in input positions, grew along a straight line with the "
         "layers crossed (least squares over layers with rows and columns)."},
        onGrids(kPlane, {"gradient", "", kEverywhere,
                         "Mean squared gradient of the chosen top units with respect to each layer, real activation, summed over channels, "
                         "scaled to 1 per layer."})};
}

std::vector<Field> theoryFields() {
    return {
        onGrids(kPlane, theoryField("gaussian", "π", kEverywhere,
                                    "Solution of the diffusion equation: the start convolved with the normal density of the kernel's v and "
                                    "𝒟, integrated over the cell of each position, wrapped on rings and tori, reflected at ends and "
                                    "edges.")),
        onGrids(kLayerAxis, theoryField("meanPredicted", "", kLayer, "Mean offset from the start's mean and the kernel's v.")),
        onGrids(kLayerAxis, theoryField("variancePredicted", "", kLayer, "Variance from the start's variance and the kernel's 𝒟.")),
        onGrids(kLayerAxis,
                theoryField("standardDeviationPredicted", "", kLayer, "Square root of the predicted variance: grows as √(layers passed).")),
        theoryField("covariancePredicted", "", kLayer, "Two dimensions: covariance from the kernel's 𝒟_{yx}."),
        onGrids(kWeightLayerAxis,
                theoryField("driftByLayer", "v", kWeightLayer, "Mean step of one layer from the kernel (residual: times ε).")),
        onGrids(kWeightLayerAxis, theoryField("diffusionByLayer", "𝒟", kWeightLayer,
                                              "Half the variance one layer adds, from the kernel (residual: times ε).")),
        onGrids({"weightLayer", "tapY", "tapX"},
                {"kernelShares",
                 "D_k",
                 {"weightLayer", "tap"},
                 "Share of a unit's capacity that goes to each tap, identity connection included, averaged over positions, output channels "
                 "and draws."})};
}

std::vector<Field> pictureFields() {
    return {{"flowFrom", "", {"edge"}, "Bin of the upper layer an edge leaves."},
            {"flowTo", "", {"edge"}, "Bin of the layer below an edge reaches."},
            {"flowAmount", "D_ij κ_j", {"edge"}, "Capacity that flows along the edge, summed over channels."},
            {"flowOffsets", "", kLayer, "Edges from layer l to l − 1 are those numbered flowOffsets[l − 1] … flowOffsets[l] − 1."},
            {"flowBinSize", "", kLayer, "Positions in one bin of the flow, 1 when edges join single positions."},
            {"shares", "D_l", {"share"}, "Dense networks and files: every D_l, row-major [input, output], one after another."},
            {"sharesOffsets", "", kLayer, "Where each D_l starts in shares; D_l occupies sharesOffsets[l − 1] … sharesOffsets[l] − 1."},
            {"sharesRows", "", kWeightLayer, "Inputs of each layer."},
            {"sharesColumns", "", kWeightLayer, "Outputs of each layer."}};
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
            {"driftY", "v_y", {}, "Two dimensions: the drift along y; `drift` is that along x.", Role::Theory},
            {"diffusionY", "𝒟_yy", {}, "Two dimensions: the diffusion coefficient along y; `diffusion` is that along x.", Role::Theory},
            {"spread", "σ", {}, "Standard deviation of the capacity at the input; in two dimensions along x."},
            {"spreadY", "σ_y", {}, "Two dimensions: standard deviation of the capacity at the input along y."},
            {"fittedGrowth",
             "",
             {},
             "Files in two dimensions, a fit and no theory: variance along x, in input positions, gained per layer crossed."},
            {"fittedGrowthY", "", {}, "The same along y."},
            {"totalVariation", "TV", {}, "Distance of the profile at the input from the Gaussian: ½ Σ |κ − π|."},
            {"gradientTotalVariation", "", {}, "Distance of the squared gradient from the capacity at the input: ½ Σ |gradient − κ|."},
            {"centreWander", "", {}, "Ensembles: standard deviation over networks of the profile's mean at the input (along x)."},
            {"centreWanderY", "", {}, "Ensembles in two dimensions: the same along y."}};
}

/// What reports of the scene may hold.
std::vector<Field> fields() {
    std::vector<Field> all;
    for (const auto& part : {capacityFields(), momentFields(), theoryFields(), pictureFields(), scalarFields()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

bool drawn(const Values& v) { return v.is("network", ""); }
bool local(const Values& v) { return drawn(v) && !v.is("space", "dense"); }
bool mixing(const Values& v) { return drawn(v) && !v.is("layer", "plain"); }
bool plain(const Values& v) { return local(v) && v.is("layer", "plain"); }
bool random(const Values& v) { return local(v) && v.is("kernel", "random"); }
bool placed(const Values& v) { return v.is("top", "dirac") || v.is("top", "block"); }
bool block(const Values& v) { return v.is("top", "block"); }
bool painted(const Values& v) { return v.is("top", "painted"); }
bool gradient(const Values& v) { return v.flag("gradient"); }
bool activated(const Values& v) { return drawn(v) && gradient(v); }
bool grid(const Values& v) { return drawn(v) && v.is("space", "grid"); }
/// States with rows and columns: drawn grids, and files that may have them.
bool plane(const Values& v) { return grid(v) || (!drawn(v) && !v.is("network", "shapes-classifier")); }
bool cut(const Values& v) { return plane(v) && !v.is("section", "off"); }
bool leaky(const Values& v) { return activated(v) && v.is("activation", "leaky-relu"); }

Param whole(Text key, Text symbol, Text label, double standard, double min, double max, Text help, Text serves) {
    return inRange(param(Kind::Integer, key, symbol, label, standard, help, serves), min, max);
}

Param networkParam() {
    Param p = param(Kind::Network, "network", "", "network", std::string(),
                    "Whose capacity flows: a network drawn from the choices below, a trained one that comes with the program, or an ONNX "
                    "file.",
                    "P1 Eqs 26–28");
    p.options = {{"", "drawn here"},
                 {"shapes-classifier", "trained classifier (64-32-24-16-10)"},
                 {"strokes-cnn", "trained CNN on strokes (8 convolutions)"},
                 {"strokes-resnet", "trained residual CNN on strokes (6 blocks)"},
                 {"file", "your own file"}};
    return p;
}

std::vector<Param> mainParams() {
    return {
        visibleWhen(drawn, choiceParam("space", "space", {{"ring", "ring"}, {"line", "line"}, {"grid", "grid"}, {"dense", "dense"}},
                                       "How units are joined: neighbours on a ring, on a line with ends, or on a square grid in two "
                                       "dimensions, or every unit with every one below.",
                                       "P1 Eqs 26, 29")),
        visibleWhen(drawn,
                    choiceParam("layer", "layer type", {{"plain", "plain"}, {"residual", "residual"}, {"differential", "differential"}},
                                "Plain: D = P∘P; residual: (1 − ε) I + ε Q with Q the kernel without its centre; differential: "
                                "(I + ε P∘P)/(1 + ε).",
                                "P1 Eqs 25, 29 (later version 3.3)")),
        visibleWhen(drawn, choiceParam("kernel", "kernel", {{"uniform", "uniform"}, {"random", "random"}, {"triangle", "triangle"}},
                                       "Sizes of the weights in a window: all equal, Gaussian at random, or falling linearly from the "
                                       "centre.",
                                       "P1 Eq 33; 4.1")),
        visibleWhen(drawn, logarithmic(whole("layers", "L", "layers", 24, 1, 400,
                                             "How many layers the capacity passes on its way from the output to the input.", "P1 Eq 28"))),
        visibleWhen(mixing, param(Kind::Number, "epsilon", "ε", "step size", 0.1,
                                  "How much of its capacity a unit hands to its neighbours in one layer; the rest stays on the "
                                  "identity connection.",
                                  "P1 Eq 29")),
        choiceParam("top", "start", {{"dirac", "one unit"}, {"block", "block"}, {"uniform", "all units"}, {"painted", "painted"}},
                    "Which output units hold the capacity at the start; its total is always 1.", "P1 Fig 4; Eq 32")};
}

std::vector<Param> shapeParams() {
    Param extent = logarithmic(whole("extent", "n", "width of the input", 65, 1, 2048,
                                     "Number of input positions; on a ring the last one neighbours the first, on a grid it is the "
                                     "number of rows and of columns (33 unless given, at most 128).",
                                     "P1 Eq 26"));
    extent.beside = [](const Values& v) { return v.is("space", "grid") ? Beside{33, 128} : Beside{65, 2048}; };
    return {
        visibleWhen(random, param(Kind::Boolean, "shared", "", "shared weights", true,
                                  "Whether all positions of a layer use one kernel (a convolution) or each draws its own.", "P1 Eq 33")),
        visibleWhen(drawn, extent),
        visibleWhen(local, oddOnly(whole("taps", "r", "taps", 3, 1, 15,
                                         "Number of inputs along an axis that one unit reads; odd, so that one of them is the centre.",
                                         "P1 4.2 (ii)"))),
        visibleWhen(local, logarithmic(whole("channels", "c", "channels", 1, 1, 64,
                                             "Units at each position; the picture shows the sum of their capacities.", "P1 Eq 26"))),
        visibleWhen(plain, whole("stride", "s", "stride", 1, 1, 4,
                                 "Distance of neighbouring units' windows in the layer below; above 1 each layer is narrower (plain "
                                 "layers only).",
                                 "P1 Eq 26")),
        visibleWhen(local, named(whole("dilation", "d", "dilation", 1, 1, 64,
                                       "Distance between taps; “doubling” is 1, 2, 4, … 512 from the input upwards, then again from "
                                       "1, as in WaveNet.",
                                       "P1 Eq 26; WaveNet"),
                                 "doubling", 0))};
}

std::vector<Param> gridParams() {
    return {visibleWhen(grid, choiceParam("filter", "filter", {{"square", "square"}, {"cross", "cross"}},
                                          "Which inputs of the square around its centre a unit reads: all r × r of them, or only the "
                                          "2r − 1 on the two axes.",
                                          "P1 Eq 26; 4.1")),
            visibleWhen(grid, choiceParam("edges", "edges", {{"periodic", "periodic"}, {"zero", "zero-padded"}},
                                          "Whether opposite edges are neighbours (a torus), or taps beyond the edges are missing and the "
                                          "others share their part.",
                                          "P1 Eq 26")),
            visibleWhen(plane, named(whole("channel", "", "channel", -1, 0, 4095,
                                           "A channel whose capacity is reported beside the sum over all channels.", "P1 Eq 26"),
                                     "all", -1))};
}

Param paintedParam() {
    Param p = param(Kind::Profile, "profile", "κ^L", "painted start",
                    std::vector<double>{0, 0, 0, 1, 2, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0},
                    "Starting capacity painted by hand, stretched over the output units and scaled to a total of 1.", "P1 Eq 32");
    p.maxLength = 400;
    return inRange(std::move(p), 0, 1e6);
}

std::vector<Param> startParams() {
    return {visibleWhen(placed, named(whole("topIndex", "i", "position at the top", -1, 0, 16383,
                                            "Where the capacity starts in the output layer (a unit's number, counted from 0; on a grid "
                                            "row by row).",
                                            "P1 Fig 4"),
                                      "centre", -1)),
            visibleWhen(block, whole("blockWidth", "", "width of the block", 9, 1, 2048,
                                     "How many neighbouring output units share the starting capacity; on a grid the side of a square.",
                                     "P1 Eq 32")),
            visibleWhen(painted, paintedParam())};
}

std::vector<Param> ensembleParams() {
    Param activation =
        choiceParam("activation", "activation",
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
                    "The activation of the network whose gradient is measured; the capacity itself assumes the pseudo-random "
                    "limit.",
                    "P1 2.3, Eq 15");
    return {visibleWhen(drawn, logarithmic(whole("draws", "", "networks in the ensemble", 1, 1, 1000,
                                                 "How many networks are drawn; above 1 the profiles are averages over them.", "P1 Eq 33"))),
            param(Kind::Boolean, "gradient", "", "mean squared gradient", false,
                  "Compute the mean squared gradient too, of the same network with its real activation.", "P1 4.1, 5"),
            visibleWhen(activated, activation),
            visibleWhen(leaky, inRange(param(Kind::Number, "slope", "α", "leaky slope", 0.2,
                                             "Slope of the leaky ReLU for negative arguments.", "P1 Eq 12"),
                                       -1, 1)),
            visibleWhen(gradient, logarithmic(whole("gradientSamples", "", "gradient samples", 64, 1, 4096,
                                                    "How many Gaussian inputs the squared gradient is averaged over.", "P1 4.1"))),
            seedParam("Start of the random numbers: the same seed draws the same networks everywhere.", "P1 Eq 33")};
}

Param showParam() {
    Param p = choiceParam("show", "drawn as", {{"automatic", "automatic"}, {"graph", "graph"}, {"field", "field"}},
                          "Units and connections one by one, or a field of colour over position and layer; automatic chooses by size.",
                          "P1 Fig 4");
    p.affects = Affects::View;
    return p;
}

/// How the stack of planes is looked at.
std::vector<Param> cameraParams() {
    const std::string serves = "P1 Fig 4";
    const auto number = [&](const char* key, const char* label, double standard, double min, double max, const char* help) {
        return visibleWhen(plane, inRange(param(Kind::Number, key, "", label, standard, help, serves), min, max));
    };
    Param orbit = number("orbit", "orbit", -35, -180, 180, "Direction the stack of layers is seen from, turned about its vertical axis.");
    Param tilt = number("tilt", "tilt", 25, 5, 85, "Height the stack is seen from: 5° is nearly from the side, 85° nearly from above.");
    orbit.unit = tilt.unit = "°";
    std::vector<Param> all{
        orbit, tilt, logarithmic(number("zoom", "zoom", 1, 0.5, 4, "How large the stack is drawn.")),
        visibleWhen(plane, choiceParam("section", "section", {{"x", "along x"}, {"y", "along y"}, {"off", "off"}},
                                       "Plane through all layers whose capacity is drawn beside the stack: along a row, along a "
                                       "column, or none.",
                                       serves)),
        visibleWhen(cut, named(whole("sectionAt", "", "section at", -1, 0, 1023,
                                     "Row or column of the input that the section goes through, counted from 0.", serves),
                               "centre", -1))};
    for (auto& p : all) p.affects = Affects::View;
    return all;
}

std::vector<Param> params() {
    std::vector<Param> all{networkParam()};
    const auto append = [&](const std::vector<Param>& part) { all.insert(all.end(), part.begin(), part.end()); };
    append(mainParams());
    for (const auto& part : {shapeParams(), gridParams(), startParams(), ensembleParams(), {showParam()}, cameraParams()})
        for (const auto& p : part) all.push_back(underMore(p));
    append(timelineParams(400, "The layer that is looked at; fractions lie between two layers.", "P1 Eq 27"));
    return all;
}

std::vector<Preset> presets() {
    return {{"Diffusion (P1 Fig 4)", {}},
            {"Ring 129, 48 layers", {{"extent", "129"}, {"layers", "48"}}},
            {"Residual network", {{"layer", "residual"}, {"epsilon", "0.1"}, {"layers", "100"}}},
            {"Random weights: v = 0 on average", {{"kernel", "random"}, {"extent", "41"}, {"layers", "24"}, {"draws", "300"}}},
            {"Dense network", {{"space", "dense"}, {"kernel", "random"}, {"extent", "24"}, {"layers", "6"}}},
            {"Trained classifier", {{"network", "shapes-classifier"}}},
            {"Two sides of the same coin",
             {{"kernel", "random"}, {"channels", "8"}, {"layers", "12"}, {"gradient", "true"}, {"gradientSamples", "128"}}},
            {"Doubling dilation (WaveNet)", {{"dilation", "doubling"}, {"layers", "8"}, {"extent", "513"}}},
            {"Two dimensions", {{"space", "grid"}}},
            {"Cross filters", {{"space", "grid"}, {"filter", "cross"}, {"layers", "32"}}},
            {"Random kernels in 2-D, channels", {{"space", "grid"}, {"kernel", "random"}, {"channels", "8"}, {"channel", "0"}}},
            {"Trained CNN", {{"network", "strokes-cnn"}, {"topIndex", "3"}}},
            {"Trained residual CNN", {{"network", "strokes-resnet"}, {"topIndex", "3"}}},
            {"Random kernels in 2-D, ensemble", {{"space", "grid"}, {"kernel", "random"}, {"layers", "12"}, {"draws", "100"}}},
            {"Painted start", {{"top", "painted"}, {"extent", "129"}, {"layers", "12"}}}};
}

}  // namespace
}  // namespace diffusion

Declaration capacity_diffusion_declaration() {
    Declaration d;
    d.id = "capacity-diffusion";
    d.title = "Capacity diffusing back through a network";
    d.claim = "The capacity of one output spreads over the inputs as a diffusion: its width grows as the square root of the depth.";
    d.group = "Capacity flow";
    d.source = "P1 Fig 4; Eqs 24–28, 31–34; 4.1 (later version Eqs 24–28, 31–38)";
    d.lookAt = "Follow one output unit's capacity down to the input: it spreads into a bell whose width grows as √L; its total stays 1.";
    d.tryThis = "Double the number of layers: the width grows by √2, not by 2; then make the layers residual and see how little spreads.";
    d.params = diffusion::params();
    d.fields = diffusion::fields();
    d.presets = diffusion::presets();
    d.savesNetwork = true;
    d.bits = {"gradient", "gradientTotalVariation"};
    d.timeline = {"at", "layer", "layer", true, 0.25};
    return d;
}

}  // namespace kappaflow
