#include "scenes/capacity_flow/capacity_diffusion.h"

#include <algorithm>
#include <cmath>

#include "core/capacity/diffusion_theory.h"
#include "core/capacity/drawn_network.h"
#include "core/capacity/gates.h"
#include "scenes/capacity_flow/capacity_diffusion_model.h"
#include "scenes/chosen_network.h"

namespace kappaflow {
namespace capacity_diffusion {
namespace {

using namespace table;

bool drawn(const Params& p) { return p.network.empty(); }
bool mixing(const Params& p) { return drawn(p) && p.layer != LayerType::Plain; }
bool plain(const Params& p) { return local(p) && p.layer == LayerType::Plain; }
bool random(const Params& p) { return local(p) && p.kernel == Kernel::Random; }
bool placed(const Params& p) { return p.top == Top::Dirac || p.top == Top::Block; }
bool block(const Params& p) { return p.top == Top::Block; }
bool painting(const Params& p) { return p.top == Top::Painted; }
bool gradient(const Params& p) { return p.gradient; }
bool activated(const Params& p) { return drawn(p) && p.gradient; }
bool leaky(const Params& p) { return activated(p) && p.activation == Activation::LeakyRelu; }
bool grid(const Params& p) { return drawn(p) && p.space == Space::Grid; }
/// Drawn grids, and files that may have rows and columns.
bool plane(const Params& p) { return grid(p) || (!drawn(p) && p.network != "shapes-classifier"); }
bool cut(const Params& p) { return plane(p) && p.section != Section::Off; }

constexpr ParamRow inDegrees(ParamRow row) { return row.unit = "°", row; }

constexpr OptionRow kNetworks[] = {{"", "drawn here"},
                                   {"shapes-classifier", "trained classifier (64-32-24-16-10)"},
                                   {"strokes-cnn", "trained CNN on strokes (8 convolutions)"},
                                   {"strokes-resnet", "trained residual CNN on strokes (6 blocks)"},
                                   {"file", "your own file"}};
constexpr OptionRow kSpaces[] = {{"ring"}, {"line"}, {"grid"}, {"dense"}};
constexpr OptionRow kLayerTypes[] = {{"plain"}, {"residual"}, {"differential"}};
constexpr OptionRow kKernels[] = {{"uniform"}, {"random"}, {"triangle"}};
constexpr OptionRow kTops[] = {{"dirac", "one unit"}, {"block", "block"}, {"uniform", "all units"}, {"painted", "painted"}};
constexpr OptionRow kDilations[] = {{"doubling", "doubling", 0}};
constexpr OptionRow kFilters[] = {{"square"}, {"cross"}};
constexpr OptionRow kEdges[] = {{"periodic"}, {"zero", "zero-padded"}};
constexpr OptionRow kAll[] = {{"all", "all", -1}};
constexpr OptionRow kCentre[] = {{"centre", "centre", -1}};
constexpr OptionRow kActivations[] = {{"relu", "ReLU"},
                                      {"identity", "identity"},
                                      {"leaky-relu", "leaky ReLU"},
                                      {"abs", "absolute value"},
                                      {"tanh", "tanh"},
                                      {"hard-tanh", "hard tanh"},
                                      {"sigmoid", "sigmoid"},
                                      {"relu6", "ReLU6"},
                                      {"hard-sigmoid", "hard sigmoid"},
                                      {"pseudo-random", "pseudo-random"}};
constexpr OptionRow kShown[] = {{"automatic"}, {"graph"}, {"field"}};
constexpr OptionRow kColors[] = {{"linear"}, {"logarithmic"}};
constexpr OptionRow kSections[] = {{"x", "along x"}, {"y", "along y"}, {"off", "off"}};

constexpr ParamRow kParams[] = {
    network<&Params::network>("network", kNetworks,
                              "Whose capacity flows: a network drawn from the choices below, a trained one that comes with the program, or "
                              "an ONNX file.",
                              "P1 Eqs 26–28") |
        costly,
    choice<&Params::space>("space", "space", kSpaces,
                           "How units are joined: neighbours on a ring, on a line with ends, or on a square grid in two dimensions, or "
                           "every unit with every one below.",
                           "P1 Eqs 26, 29") |
        when<drawn>,
    choice<&Params::layer>("layer", "layer type", kLayerTypes,
                           "Plain: D = P∘P; residual: (1 − ε) I + ε Q with Q the kernel without its centre; differential: (I + ε P∘P)/(1 "
                           "+ ε).",
                           "P1 Eqs 25, 29 (later version 3.3)") |
        when<drawn>,
    choice<&Params::kernel>("kernel", "kernel", kKernels,
                            "Sizes of the weights in a window: all equal, Gaussian at random, or falling linearly from the centre.",
                            "P1 Eq 33; 4.1") |
        when<drawn>,
    whole<&Params::layers>("layers", "L", "layers", {1, 400},
                           "How many layers the capacity passes on its way from the output to the input.", "P1 Eq 28") |
        logarithmic | costly | when<drawn>,
    number<&Params::epsilon>("epsilon", "ε", "step size", {0, 1},
                             "How much of its capacity a unit hands to its neighbours in one layer; the rest stays on the identity "
                             "connection.",
                             "P1 Eq 29") |
        when<mixing>,
    choice<&Params::top>("top", "start", kTops, "Which output units hold the capacity at the start; its total is always 1.",
                         "P1 Fig 4; Eq 32"),
    flag<&Params::shared>("shared", "", "shared weights",
                          "Whether all positions of a layer use one kernel (a convolution) or each draws its own.", "P1 Eq 33") |
        more | when<random>,
    whole<&Params::extent>("extent", "n", "width of the input", {1, 2048},
                           "Number of input positions; on a ring the last one neighbours the first, on a grid it is the number of rows and "
                           "of columns (33 unless given, at most 128).",
                           "P1 Eq 26") |
        logarithmic | costly | more | when<drawn> | dependsOn<[](const Params& p) {
            return p.space == Space::Grid ? Beside{33, 128} : Beside{65, 2048};
        }>,
    whole<&Params::taps>("taps", "r", "taps", {1, 15},
                         "Number of inputs along an axis that one unit reads; odd, so that one of them is the centre.", "P1 4.2 (ii)") |
        odd | costly | more | when<local>,
    whole<&Params::channels>("channels", "c", "channels", {1, 64}, "Units at each position; the picture shows the sum of their capacities.",
                             "P1 Eq 26") |
        logarithmic | costly | more | when<local>,
    whole<&Params::stride>(
        "stride", "s", "stride", {1, 4},
        "Distance of neighbouring units' windows in the layer below; above 1 each layer is narrower (plain layers only).", "P1 Eq 26") |
        more | when<plain>,
    whole<&Params::dilation>(
        "dilation", "d", "dilation", {1, 64},
        "Distance between taps; “doubling” is 1, 2, 4, … 512 from the input upwards, then again from 1, as in WaveNet.",
        "P1 Eq 26; WaveNet") |
        named<kDilations> | more | when<local>,
    choice<&Params::filter>("filter", "filter", kFilters,
                            "Which inputs of the square around its centre a unit reads: all r × r of them, or only the 2r − 1 on the two "
                            "axes.",
                            "P1 Eq 26; 4.1") |
        more | when<grid>,
    choice<&Params::edges>("edges", "edges", kEdges,
                           "Whether opposite edges are neighbours (a torus), or taps beyond the edges are missing and the others share "
                           "their part.",
                           "P1 Eq 26") |
        more | when<grid>,
    whole<&Params::channel>("channel", "", "channel", {0, 4095}, "A channel whose capacity is reported beside the sum over all channels.",
                            "P1 Eq 26") |
        named<kAll> | more | when<plane>,
    whole<&Params::topIndex>("topIndex", "i", "position at the top", {0, 16383},
                             "Where the capacity starts in the output layer (a unit's number, counted from 0; on a grid row by row).",
                             "P1 Fig 4") |
        named<kCentre> | more | when<placed>,
    whole<&Params::blockWidth>("blockWidth", "", "width of the block", {1, 2048},
                               "How many neighbouring output units share the starting capacity; on a grid the side of a square.",
                               "P1 Eq 32") |
        more | when<block>,
    list<&Params::profile>("profile", "κ^L", "painted start", {0, 1e6}, 400,
                           "Starting capacity painted by hand, stretched over the output units and scaled to a total of 1.", "P1 Eq 32") |
        painted | more | when<painting>,
    whole<&Params::draws>("draws", "", "networks in the ensemble", {1, 1000},
                          "How many networks are drawn; above 1 the profiles are averages over them.", "P1 Eq 33") |
        logarithmic | costly | more | when<drawn>,
    flag<&Params::gradient>("gradient", "", "mean squared gradient",
                            "Compute the mean squared gradient too, of the same network with its real activation.", "P1 4.1, 5") |
        more,
    choice<&Params::activation>("activation", "activation", kActivations,
                                "The activation of the network whose gradient is measured; the capacity itself assumes the pseudo-random "
                                "limit.",
                                "P1 2.3, Eq 15") |
        more | when<activated>,
    number<&Params::slope>("slope", "α", "leaky slope", {-1, 1}, "Slope of the leaky ReLU for negative arguments.", "P1 Eq 12") | more |
        when<leaky>,
    whole<&Params::gradientSamples>("gradientSamples", "", "gradient samples", {1, 4096},
                                    "How many Gaussian inputs the squared gradient is averaged over.", "P1 4.1") |
        logarithmic | costly | more | when<gradient>,
    seed<&Params::seed>("Start of the random numbers: the same seed draws the same networks everywhere.", "P1 Eq 33"),
    choice<&Params::show>("show", "drawn as", kShown,
                          "Units and connections one by one, or a field of colour over position and layer; automatic chooses by size.",
                          "P1 Fig 4") |
        more | ofView,
    choice<&Params::colors>(
        "colors", "colours", kColors,
        "Linear: twice the capacity is twice the ink, and the darkest is what the input has at most, and a little more; "
        "logarithmic shows the faint tails too.",
        "P1 Fig 4") |
        more | ofView,
    number<&Params::orbit>("orbit", "", "orbit", {-180, 180}, "Direction the stack of layers is seen from, turned about its vertical axis.",
                           "P1 Fig 4") |
        inDegrees | more | ofView | when<plane>,
    number<&Params::tilt>("tilt", "", "tilt", {5, 85}, "Height the stack is seen from: 5° is nearly from the side, 85° nearly from above.",
                          "P1 Fig 4") |
        inDegrees | more | ofView | when<plane>,
    number<&Params::zoom>("zoom", "", "zoom", {0.5, 4}, "How large the stack is drawn.", "P1 Fig 4") | logarithmic | more | ofView |
        when<plane>,
    choice<&Params::section>("section", "section", kSections,
                             "Plane through all layers whose capacity is drawn beside the stack: along a row, along a column, or none.",
                             "P1 Fig 4") |
        more | ofView | when<plane>,
    whole<&Params::sectionAt>("sectionAt", "", "section at", {0, 1023},
                              "Row or column of the input that the section goes through, counted from 0.", "P1 Fig 4") |
        named<kCentre> | more | ofView | when<cut>,
    shownAt<&Params::at>("l", "layer", 400, "The layer that is looked at; fractions lie between two layers.", "P1 Eq 27"),
    plays<&Params::play>("Whether the layers pass by themselves.", "P1 Eq 27")};

constexpr AxisRow kLayer = axis<&Result::layers>("layer"), kWeightLayer = axis<&Result::weightLayers>("weightLayer"),
                  kPosition = axis<&Result::positions>("position"), kY = axis<&Result::y>("y"), kX = axis<&Result::x>("x"),
                  kSide = axis<&Result::sides>("axis"), kTopPosition = axis<&Result::topPositions>("topPosition"),
                  kTopY = axis<&Result::topY>("topY"), kTopX = axis<&Result::topX>("topX"), kTap = axis<&Result::taps>("tap"),
                  kTapY = axis<&Result::tapsY>("tapY"), kTapX = axis<&Result::tapsX>("tapX"), kNetwork = axis<&Result::networks>("network"),
                  kEdge = axis<&Result::edges>("edge"), kShare = axis<&Result::shareIndices>("share"),
                  kParcel = axis<&Result::parcelNumbers>("parcel");
constexpr onGrid kPlane{{kLayer, kY, kX}}, kBySide{{kLayer, kSide}}, kWeightBySide{{kWeightLayer, kSide}};

constexpr FieldRow kFields[] = {
    measured<&Result::capacity>(
        "capacity", "κ^l", {kLayer, kPosition},
        "Capacity of every position (dense networks and files without planes: unit), summed over channels; at the top it totals 1.") |
        kPlane | gaps,
    measured<&Result::total>("total", "Σκ^l", {kLayer}, "Total capacity of each layer; with `unattributed` it is constant."),
    measured<&Result::unattributed>("unattributed", "", {kLayer},
                                    "Capacity that units without weights could not pass on, accumulated from the top."),
    measured<&Result::heights>("heights", "", {kLayer}, "Two dimensions: number of rows of each layer; a dense layer has one."),
    measured<&Result::widths>("widths", "n_l", {kLayer},
                              "Number of positions (units) of each layer; in two dimensions its number of columns."),
    measured<&Result::channelCounts>("channelCounts", "c_l", {kLayer}, "Two dimensions: number of channels of each layer."),
    measured<&Result::channelCapacity>("channelCapacity", "", {kLayer, kY, kX},
                                       "Capacity of every position in the chosen channel; undefined in layers with fewer channels.") |
        gaps,
    measured<&Result::start>("profileStart", "κ^L", {kTopPosition}, "The capacity at the top, scaled to a total of 1.") |
        onGrid{{kTopY, kTopX}},
    measured<&Result::mean>("mean", "", {kLayer},
                            "Mean offset from the top in the layer's own positions, unwrapped on rings, of the profile shown; below layers "
                            "without places (dense, global pooling) the mean position.") |
        kBySide,
    measured<&Result::variance>("variance", "σ²", {kLayer},
                                "Variance of that offset, of the profile shown (ensembles: of the average profile).") |
        kBySide,
    measured<&Result::within>("varianceWithin", "", {kLayer},
                              "Ensembles: variance of one network's profile about its own mean, averaged over networks.") |
        kBySide,
    measured<&Result::deviationWithin>("deviationWithin", "", {kLayer},
                                       "Ensembles on rings and lines: square root of it, the width of one network."),
    measured<&Result::centres>("centres", "", {kNetwork, kLayer},
                               "Ensembles on rings and lines: mean offset of each of the first sixty networks."),
    measured<&Result::wanderByLayer>("centreWanderByLayer", "", {kLayer},
                                     "Ensembles on rings and lines: standard deviation over networks of that mean."),
    measured<&Result::deviation>("standardDeviation", "σ", {kLayer}, "Square root of the variance: the width of the profile.") | kBySide,
    measured<&Result::covariance>("covariance", "", {kLayer}, "Two dimensions: covariance of the offsets along y and x."),
    measured<&Result::deviationFitted>(
        "standardDeviationFitted", "", {kLayer, kSide},
        "Files in two dimensions, a fit and no theory: the width if the variance, in input positions, grew along a straight line with the "
        "layers crossed (least squares over layers with rows and columns).") |
        gaps,
    measured<&Result::gradient>("gradient", "", {kLayer, kPosition},
                                "Mean squared gradient of the chosen top units with respect to each layer, real activation, summed over "
                                "channels, scaled to 1 per layer.") |
        kPlane | gaps | chaotic,
    theory<&Result::gaussian>("gaussian", "π", {kLayer, kPosition},
                              "Solution of the diffusion equation: the start convolved with the normal density of the kernel's v and 𝒟, "
                              "integrated over the cell of each position, wrapped on rings and tori, reflected at ends and edges.") |
        kPlane | gaps,
    theory<&Result::meanPredicted>("meanPredicted", "", {kLayer}, "Mean offset from the start's mean and the kernel's v.") | kBySide,
    theory<&Result::variancePredicted>("variancePredicted", "", {kLayer}, "Variance from the start's variance and the kernel's 𝒟.") |
        kBySide,
    theory<&Result::deviationPredicted>("standardDeviationPredicted", "", {kLayer},
                                        "Square root of the predicted variance: grows as √(layers passed).") |
        kBySide,
    theory<&Result::covariancePredicted>("covariancePredicted", "", {kLayer}, "Two dimensions: covariance from the kernel's 𝒟_{yx}."),
    theory<&Result::driftByLayer>("driftByLayer", "v", {kWeightLayer}, "Mean step of one layer from the kernel (residual: times ε).") |
        kWeightBySide,
    theory<&Result::diffusionByLayer>("diffusionByLayer", "𝒟", {kWeightLayer},
                                      "Half the variance one layer adds, from the kernel (residual: times ε).") |
        kWeightBySide,
    measured<&Result::kernelShares>("kernelShares", "D_k", {kWeightLayer, kTap},
                                    "Share of a unit's capacity that goes to each tap, identity connection included, averaged over "
                                    "positions, output channels and draws.") |
        onGrid{{kWeightLayer, kTapY, kTapX}},
    measured<&Result::flowFrom>("flowFrom", "", {kEdge}, "Bin of the upper layer an edge leaves."),
    measured<&Result::flowTo>("flowTo", "", {kEdge}, "Bin of the layer below an edge reaches."),
    measured<&Result::flowAmount>("flowAmount", "D_ij κ_j", {kEdge}, "Capacity that flows along the edge, summed over channels."),
    measured<&Result::flowOffsets>("flowOffsets", "", {kLayer},
                                   "Edges from layer l to l − 1 are those numbered flowOffsets[l − 1] … flowOffsets[l] − 1."),
    measured<&Result::flowBinSize>("flowBinSize", "", {kLayer}, "Positions in one bin of the flow, 1 when edges join single positions."),
    measured<&Result::parcels>("parcels", "", {kParcel, kLayer},
                               "Where parcels of capacity are that go from unit j to unit i with probability D_ij, each by itself: their "
                               "position, in two dimensions row by row; undefined once lost at a unit without weights.") |
        gaps,
    measured<&Result::shares>("shares", "D_l", {kShare},
                              "Dense networks and files: every D_l, row-major [input, output], one after another."),
    measured<&Result::sharesOffsets>("sharesOffsets", "", {kLayer},
                                     "Where each D_l starts in shares; D_l occupies sharesOffsets[l − 1] … sharesOffsets[l] − 1."),
    measured<&Result::sharesRows>("sharesRows", "", {kWeightLayer}, "Inputs of each layer."),
    measured<&Result::sharesColumns>("sharesColumns", "", {kWeightLayer}, "Outputs of each layer."),
    theory<&Result::drift>("drift", "v", {},
                           "Drift of the diffusion equation from the kernel: v = Σ k Δ_k, averaged over layers; time runs ε per layer "
                           "(plain: 1)."),
    theory<&Result::diffusion>("diffusion", "𝒟", {},
                               "Diffusion coefficient from the kernel: 𝒟 = ½ Σ k² Δ_k (plain layers: ½ (Σ k² D_k − v²)), averaged over "
                               "layers."),
    theory<&Result::driftY>("driftY", "v_y", {}, "Two dimensions: the drift along y; `drift` is that along x."),
    theory<&Result::diffusionY>("diffusionY", "𝒟_yy", {},
                                "Two dimensions: the diffusion coefficient along y; `diffusion` is that along x."),
    measured<&Result::spread>("spread", "σ", {}, "Standard deviation of the capacity at the input; in two dimensions along x."),
    measured<&Result::spreadY>("spreadY", "σ_y", {}, "Two dimensions: standard deviation of the capacity at the input along y."),
    measured<&Result::inputRows>("inputRows", "", {},
                                 "Networks that read a vector: rows of the inputs where these make an image, a step of a sequence each."),
    measured<&Result::fittedGrowth>("fittedGrowth", "", {},
                                    "Files in two dimensions, a fit and no theory: variance along x, in input positions, gained per layer "
                                    "crossed."),
    measured<&Result::fittedGrowthY>("fittedGrowthY", "", {}, "The same along y."),
    measured<&Result::totalVariation>("totalVariation", "TV", {}, "Distance of the profile at the input from the Gaussian: ½ Σ |κ − π|."),
    measured<&Result::gradientTotalVariation>("gradientTotalVariation", "", {},
                                              "Distance of the squared gradient from the capacity at the input: ½ Σ |gradient − κ|.") |
        chaotic,
    measured<&Result::wander>("centreWander", "", {},
                              "Ensembles: standard deviation over networks of the profile's mean at the input (along x)."),
    measured<&Result::wanderY>("centreWanderY", "", {}, "Ensembles in two dimensions: the same along y.")};

constexpr PresetRow kPresets[] = {
    {"Diffusion (P1 Fig 4)"},
    preset<[](Params& p) { p.extent = 129, p.layers = 48; }>(
        "Ring 129, 48 layers",
        "At twice 24 layers the bell is √2 times as wide, ±5.66 positions instead of ±4, and its Gaussian fits more closely."),
    preset<[](Params& p) { p.layer = LayerType::Residual, p.layers = 100; }>(
        "Residual network", "A residual layer moves little capacity: 100 of them make the bell ±3.16 positions wide, 24 plain layers ±4."),
    preset<[](Params& p) { p.kernel = Kernel::Random, p.extent = 41, p.draws = 300; }>(
        "Random weights: v = 0 on average",
        "Every random network drifts to a side of its own; the average of 300 stays at the centre, as v = 0 predicts."),
    preset<[](Params& p) { p.space = Space::Dense, p.kernel = Kernel::Random, p.extent = 24, p.layers = 6; }>(
        "Dense network",
        "In a dense network every unit draws on all units below: after 6 layers the capacity lies almost evenly on the 24 inputs."),
    preset<[](Params& p) { p.network = "shapes-classifier"; }>(
        "Trained classifier",
        "One output of a trained classifier: its capacity reaches all 64 inputs, and the one that gets most holds 2.4 % of it."),
    preset<[](Params& p) { p.kernel = Kernel::Random, p.channels = 8, p.layers = 12, p.gradient = true, p.gradientSamples = 128; }>(
        "Two sides of the same coin",
        "Compare the mean squared gradient with the capacity: at the input nine tenths of it lie where the capacity does."),
    preset<[](Params& p) { p.dilation = 0, p.layers = 8, p.extent = 513; }>(
        "Doubling dilation (WaveNet)",
        "Dilations that double carry capacity ±121 positions far in 8 layers: a comb, of which a fifth lies off the Gaussian."),
    preset<[](Params& p) { p.space = Space::Grid; }>(
        "Two dimensions",
        "The capacity of the top unit sinks through 24 sheets as a round cloud, whose radius grows as √L to ±4 rows and columns."),
    preset<[](Params& p) { p.space = Space::Grid, p.filter = Filter::Cross, p.layers = 32; }>(
        "Cross filters", "Each filter is a cross that steps along a row or a column, never both; yet after 32 layers the cloud is round."),
    preset<[](Params& p) { p.space = Space::Grid, p.kernel = Kernel::Random, p.channels = 8, p.channel = 0; }>(
        "Random kernels in 2-D, channels",
        "Random kernels favour some taps over others: over 24 layers and 8 channels that averages out to a nearly round cloud."),
    preset<[](Params& p) { p.network = "strokes-cnn", p.topIndex = 3; }>(
        "Trained CNN", "One output of a trained CNN: its capacity spreads unevenly, as if 441 of the 24 × 24 pixels shared it equally."),
    preset<[](Params& p) { p.network = "strokes-resnet", p.topIndex = 3; }>(
        "Trained residual CNN",
        "One output of a trained residual CNN spreads its capacity almost evenly, as if 552 of the 24 × 24 pixels shared it equally."),
    preset<[](Params& p) { p.space = Space::Grid, p.kernel = Kernel::Random, p.layers = 12, p.draws = 100; }>(
        "Random kernels in 2-D, ensemble",
        "Single networks wander off by about 1.3 rows and columns; the average of 100 spreads about the centre, as the theory does."),
    preset<[](Params& p) { p.top = Top::Painted, p.extent = 129, p.layers = 12; }>(
        "Painted start", "Two painted humps diffuse side by side: 12 layers smooth their edges, and the total stays 1.")};

// What a request costs.

double samplesOf(const Params& p) { return p.gradient ? p.gradientSamples : 0; }

/// What all reports hold for each cell of [layer, position] arrays, copies for sending included.
double bytesPerCell(const Params& p) { return 12 * 8 + (p.gradient ? 80 : 0) + (p.channel >= 0 ? 48 : 0); }

/// Of a file by its length and the weights it may hold, before it is read.
Cost readingCost(const Opened<Params>& opened) {
    return {opened.networkFileWeights * (20 + 12 * samplesOf(opened.params)) + 1e6,
            opened.networkFileBytes + opened.networkFileWeights * 8 + 4e6};
}

/// A file that is too large is not read: its cost refuses it.
void open(Opened<Params>& opened, const Request& request) {
    const std::string& id = opened.params.network;
    if (id.empty()) return;
    auto network = read(chosenFile(request, id), opened.warnings, [&](const NetworkFileSize& size) {
        opened.networkFileBytes = size.bytes;
        opened.networkFileWeights = size.weights;
        const Cost reading = readingCost(opened);
        return reading.operations <= costLimit().operations && reading.bytes <= costLimit().bytes;
    });
    if (!network) return;
    // Before its cost: a smaller network with attention would be refused all the same.
    for (auto layer = network->layers.rbegin(); layer != network->layers.rend(); ++layer)
        if (const auto* block = layer->getIf<Block>()) followedOperands(block->inner, CapacityRule::Squares);
    opened.network = std::make_shared<const Network>(std::move(*network));
}

/// Numbers that one step down through a layer needs beside its weights: a copy with its batch norms folded in, or the columns of a
/// block of vectors.
double numbersOfStep(const WeightLayer& part, bool plane) {
    const double own = part.inFront || !part.behind.empty() ? weightCount(*part.layer) : 0;
    const auto* block = part.layer->getIf<Block>();
    if (!block) return own;
    double inside = 0;
    for (const Layer& inner : block->inner) inside = std::max(inside, 2 * weightCount(inner));
    return own + inside + (plane ? 0 : 4 * connectionsOf(*part.layer));
}

/// Operations of a connection between vectors, whose flow is collected column by column.
constexpr double kFlowWork = 75;

/// What a file's layers add: convolutions use their weights at every position, and planes are stored padded to one size.
Cost layersCost(const Network& network, const Params& p) {
    double connections = 0, descending = 0, units = static_cast<double>(network.input.units());
    double tallest = network.input.height, widest = network.input.width, states = 1, numbers = 0;
    const bool plane = beginsAsPlane(network);
    for (const auto& part : weightLayerParts(network.layers)) {
        const Layer& layer = *part.layer;
        numbers = std::max(numbers, numbersOfStep(part, plane));
        connections += connectionsOf(layer);
        descending += plane ? propagationOperations(layer) : kFlowWork * connectionsOf(layer);
        units += static_cast<double>(layer.out.units());
        tallest = std::max<double>(tallest, layer.out.height);
        widest = std::max<double>(widest, layer.out.width);
        ++states;
    }
    const double cells = plane ? states * tallest * widest : units;
    return {descending + connections * 8 * samplesOf(p) + 100 * cells, 8 * numbers + 64 * units + cells * bytesPerCell(p)};
}

Cost denseCost(const DrawnNetwork& n, const Params& p) {
    const double pairs = static_cast<double>(n.extent) * n.extent, layers = n.layers;
    const double perDraw = layers * pairs * (130 + 12 * samplesOf(p)) + layers * 400 * (4.0 * n.extent + 50) / drawsOf(p);
    const double network = p.gradient ? 3 * layers * pairs * 8 : 0;
    return {perDraw * drawsOf(p) + 1e6, pairs * (n.mixes() ? 56 : 40) + network + (layers + 1) * n.extent * bytesPerCell(p) + 1.2e7};
}

/// Rings, lines and grids.
Cost localCost(const DrawnNetwork& n, const Params& p) {
    const bool grid = p.space == Space::Grid;
    const double most = static_cast<double>(n.extent) * (grid ? n.extent : 1), layers = n.layers, channels = n.channels;
    // Strides leave fewer and fewer positions.
    double positions = 0;
    for (int l = 0; l < n.layers; ++l) positions += std::pow(n.widthAt(l), grid ? 2 : 1) / layers;
    const double samples = samplesOf(p), draws = drawsOf(p), taps = static_cast<double>(n.tapsOf().size());
    const double pairs = channels * channels * taps, windowPairs = channels * channels * n.taps * (grid ? n.taps : 1);
    const double weights = pairs * (n.alike() ? 1 : positions), largest = pairs * (n.alike() ? 1 : most),
                 moments = n.alike() || !n.periodic() ? 1
                           : grid                     ? 6
                                                      : 3;
    const double drawing = weights * (p.kernel == Kernel::Random ? 60 : 20);
    const double descending = positions * (2 * moments * pairs + 20 * moments * taps * channels + (grid ? 80 : 30 * taps + 70));
    const double running = samples * positions * (12 * windowPairs + 60 * channels);
    const double theory = grid ? (layers + 1) * diffusedPlaneWork(n.extent, n.extent, n.torus, p.kernel == Kernel::Random)
                               : layers * positions * 2 * (most + 60);
    const double network = p.gradient ? 3 * layers * windowPairs * (n.alike() ? 1 : positions) * 8 : 0;
    const double states = p.gradient ? layers * positions * channels * 40 : 0;
    const double walking = layers * 400 * (10 * taps * channels + 50);
    return {draws * layers * (drawing + descending + running) + walking + theory + 1e6,
            3 * largest * 8 + network + states + (20 + 6 * moments) * most * channels * 8 +
                (layers + 1) * (most * bytesPerCell(p) + (grid ? 240 : 120) * draws) + 1.2e7};
}

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    if (opened.network || !drawn(p)) {
        Cost cost = readingCost(opened);
        if (!opened.network) return cost;
        const Cost layers = layersCost(*opened.network, p);
        return {cost.operations + layers.operations, cost.bytes + layers.bytes};
    }
    const auto n = drawnNetwork(p);
    const bool dense = p.space == Space::Dense;
    Cost cost = dense ? denseCost(n, p) : localCost(n, p);
    if (opened.withNetwork) {
        const double side = grid(p) ? n.extent : 1, window = n.taps * (grid(p) ? n.taps : 1.0);
        const double perLayer = dense ? static_cast<double>(n.extent) * n.extent
                                      : static_cast<double>(n.channels) * n.channels * window * (n.shared ? 1 : n.extent * side);
        cost.bytes += 3 * 8 * perLayer * n.layers;
    }
    return cost;
}

void addPrinted(const std::vector<Layer>& layers, std::vector<ReportLayer>& printed) {
    eachLayer(layers, [&](const Layer& layer) {
        if (const auto* dense = layer.getIf<Dense>())
            printed.push_back({"dense", {layer.out.units(), layer.in.units()}, dense->weights, dense->bias});
        const auto* conv = layer.getIf<Conv>();
        if (!conv) return;
        std::vector<Size> shape{static_cast<Size>(layer.out.channels), static_cast<Size>(layer.in.channels / conv->groups)};
        if (!conv->shared) shape.insert(shape.begin(), static_cast<Size>(layer.out.height) * static_cast<Size>(layer.out.width));
        if (layer.in.height > 1 || conv->window.size[0] > 1) shape.push_back(static_cast<Size>(conv->window.size[0]));
        shape.push_back(static_cast<Size>(conv->window.size[1]));
        printed.push_back({"convolution", std::move(shape), conv->weights, conv->bias});
    });
}

Result run(const Opened<Params>& opened, Progress& progress) {
    /// A Gaussian overlay up to this many operations is worth computing for every partial report.
    constexpr double kCheapOverlay = 2e6;
    std::vector<std::string> warnings;
    const Chain chain(opened, warnings);
    Totals totals(chain);
    const double overlayWork = chain.local() ? gaussianWork(chain) : 0;
    double perDraw = gatheringWork(chain), done = 0;
    for (const double work : chain.work) perDraw += work + 2 * work * chain.samples;
    const auto overlay = [&](const Tell& tell) {
        Vector rows = chain.local() ? chain.undefinedRows() : Vector{};
        if (rows.empty()) return rows;
        const Theory theory = theoryOf(chain, totals);
        for (Size l = 0; l < chain.units.size(); ++l) {
            chain.setRow(rows, l, gaussianRow(chain, theory, l));
            tell(overlayWork / static_cast<double>(chain.units.size()));
        }
        return rows;
    };
    const auto result = [&](Vector gaussian) {
        Result r = resultOf(chain, totals, std::move(gaussian));
        const auto rows = chain.file && !chain.plane ? inputRows(*chain.file, r.widths.front()) : std::nullopt;
        if (rows > 1.0) r.inputRows = rows;
        r.warnings.insert(r.warnings.begin(), warnings.begin(), warnings.end());
        return r;
    };
    const auto tell = [&](double work) {
        done += work;
        progress.tick(done / (perDraw * chain.draws + overlayWork + 1));
        if (totals.capacity.count() == 0) return;
        progress.partial([&] { return result(overlayWork > kCheapOverlay ? Vector{} : overlay([](double) {})); });
    };
    for (std::uint64_t draw = 0; draw < static_cast<std::uint64_t>(chain.draws); ++draw) {
        addNetwork(chain, draw, totals, tell);
        if (chain.samples > 0) addGradient(chain, draw, totals, tell);
    }
    Result r = result(overlay(tell));
    if (opened.withNetwork) {
        r.network = chain.network(0);
        addPrinted(r.network->layers, r.printedWeights);
    }
    return r;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "capacity-diffusion",
     .title = "Capacity diffusing back through a network",
     .claim = "The capacity of one output spreads over the inputs as a diffusion: its width grows as the square root of the depth.",
     .group = "Capacity flow",
     .icon = "4018 4038 4058 4078 0888",
     .source = "P1 Fig 4; Eqs 24–28, 31–34; 4.1 (later version Eqs 24–28, 31–38)",
     .lookAt = "Follow one output unit's capacity down to the input: it spreads into a bell whose width grows as √L; its total stays 1.",
     .tryThis = "Double the number of layers: the width grows by √2, not by 2; then make the layers residual and see how little spreads.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "layer", "layer", true, 0.25, 2},
     .opening = "Two dimensions",
     .savesNetwork = true});

}  // namespace capacity_diffusion

Declaration capacity_diffusion_declaration() { return declare(capacity_diffusion::kScene); }
Model capacity_diffusion_model() {
    namespace scene = capacity_diffusion;
    return sceneModel<scene::kScene, scene::run, scene::cost, scene::summary, scene::open>();
}

}  // namespace kappaflow
