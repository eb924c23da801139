#include "scenes/moments/moments.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/moments/network_moments.h"
#include "scene/typed_model.h"
#include "scenes/chosen_network.h"
#include "scenes/moments/moments_model.h"
#include "scenes/moments/random_nets_model.h"

namespace kappaflow {
namespace moments {
namespace {

using namespace table;
using random_nets::Net;
using random_nets::NetSetup;

constexpr const char* kFigures = "P3 Figs 3–5";

constexpr OptionRow kNetworks[] = {{"", "drawn here"},
                                   {"shapes-classifier", "trained classifier (64-32-24-16-10)"},
                                   {"strokes-cnn", "trained CNN (24 × 24)"},
                                   {"strokes-resnet", "trained residual CNN (24 × 24)"},
                                   {"file", "your own file"}};
constexpr OptionRow kCompared[] = {{"one", "this network alone"}, {"all", "all four networks"}};
constexpr OptionRow kCloudUnits[] = {{"spread", "the signal's spread"}, {"size", "the signal's size"}};
constexpr OptionRow kAxes[] = {{"fitting", "as its growth asks"}, {"linear"}, {"logarithmic"}, {"double", "double logarithmic"}};

/// More layers than a given network can have within the budget.
constexpr double kMostLayers = 21000;

// The first draw is there in a fifth of a second, and bands get narrower from then on.
constexpr const char* kDrawsHelp =
    "Networks with fresh weights, inputs and noise behind the means, ten in a second or two; of a given network, inputs and noise.";

constexpr ParamRow kFirstParams[] = {
    network<&Params::network>(
        "network", kNetworks,
        "Networks drawn from the choices below, or one given: its theorems have nothing to say, since its weights are "
        "not random.",
        kFigures) |
        costly,
    random_nets::kNetRow,
    choice<&Params::compare>("compare", "compare", kCompared, "One network with all its moments, or the four beside one another.",
                             kFigures) |
        when<random_nets::drawn>};
constexpr ParamRow kLastParams[] = {
    number<&Params::noise>("noise", "σ", "noise shown", {1e-6, 1},
                           "Size of the input's noise in the cloud, over the signal's; the curves do not depend on it.", kFigures) |
        logarithmic | ofView | more,
    choice<&Params::cloud>("cloud", "unit of the cloud", kCloudUnits, "In units of its size a zero-dimensional signal shrinks to a point.",
                           "P3 Sec. 4") |
        more | ofView,
    choice<&Params::axes>("axes", "axes of χ", kAxes,
                          "An exponential is a straight line on logarithmic axes, a power law on double logarithmic ones.", kFigures) |
        more | ofView,
    shownAt<&Params::at>("l", "layer", kMostLayers, "The layer whose cloud is shown.", kFigures),
    plays<&Params::play>("Whether the layers pass by themselves.", kFigures)};
constexpr auto kParams = joined(kFirstParams, random_nets::kNetRows<128, 100, 10, kFigures, kDrawsHelp>, kLastParams);

constexpr AxisRow kLayer = axis<&Result::layers>("layer"), kNet = axis<&Result::nets>("net"), kPoint = axis<&Result::shownPoints>("point"),
                  kCoordinate = axis<&Result::coordinates>("coordinate");

/// A part of one of the curves, of the network asked for or of all compared.
template <bool compared, Quantity quantity, auto part>
constexpr FieldRow banded(const char* name, const char* symbol, const char* about) {
    FieldRow row{name, symbol, compared ? AxisRows{kNet, kLayer} : AxisRows{kLayer}, about};
    row.gaps = true;
    row.found = std::is_same_v<decltype(part), Estimates Banded::*> ? Found::Estimates : Found::Array;
    row.at = [](void* result) -> void* {
        auto& r = *static_cast<Result*>(result);
        return &((compared ? r.compared : r.means.curves)[static_cast<Size>(quantity)].*part);
    };
    return row;
}

// clang-format off
#define BANDED_OF(compared, quantity, name, symbol, about)                                                                         \
    banded<compared, Quantity::quantity, &Banded::mean>(name, symbol, about),                                                      \
    banded<compared, Quantity::quantity, &Banded::low>(name "Low", symbol, "Lower end of its band: 16 % of the draws lie below."), \
    banded<compared, Quantity::quantity, &Banded::high>(name "High", symbol, "Upper end of its band: 84 % of the draws lie below.")
#define BANDED(quantity, name, symbol, about) BANDED_OF(false, quantity, name, symbol, about)
#define BANDED_AND_COMPARED(quantity, name, symbol, about)                                                                         \
    BANDED(quantity, name, symbol, about),                                                                                         \
    BANDED_OF(true, quantity, name "Compared", symbol, "In every network compared: " about)
// clang-format on

constexpr FieldRow kFields[] = {
    BANDED_AND_COMPARED(Chi, "chi", "χ^l", "Normalised sensitivity (Eq 3), of y^l in a ResNet; 1 at the input."),
    BANDED_AND_COMPARED(DeltaChi, "deltaChi", "δχ^l", "Increment χ^l/χ^(l−1)."),
    BANDED(DeltaInner, "deltaChiInner", "δχ^{l,1}", "Increment of the first layer of a branch: what the paper's exponent is made of."),
    BANDED(DeltaBatchNorm, "deltaBatchNorm", "δ_BN χ^l",
           "Weights and batch norm's part of it; in a ResNet of the first layer of a branch."),
    BANDED(DeltaActivation, "deltaActivation", "δ_φ χ^l", "The activation's part of it; in a ResNet with the convolution behind it."),
    BANDED_AND_COMPARED(RankSignal, "rankSignal", "r_eff(x^l)",
                        "Effective rank of the signal, of y^l in a ResNet; 1 is a one-dimensional signal."),
    BANDED_AND_COMPARED(RankNoise, "rankNoise", "r_eff(dx^l)", "Effective rank of the noise."),
    BANDED(RankSignalInner, "rankSignalInner", "r_eff(x^{l,1})", "Effective rank of the signal after the first activation of a branch."),
    BANDED(RankNoiseInner, "rankNoiseInner", "r_eff(dx^{l,1})", "Effective rank of the noise there."),
    BANDED(Kurtosis, "kurtosis", "μ₄(z^l)", "Fourth moment of what the activation reads, of unit variance; 3 is Gaussian."),
    BANDED(Nu1, "nu1", "ν₁(|z^l|)", "Mean absolute value of the same; √(2/π) is Gaussian."),
    BANDED_AND_COMPARED(VarianceRatio, "varianceRatio", "μ₂/ν₂",
                        "Variance of the signal over its mean square; towards 0 it is zero-dimensional."),
    BANDED(Coactivation, "coactivation", "",
           "Share of pairs of a unit and a point where the unit is on or off as it is for most points; 1 is pseudo-linear."),
    BANDED(LogNu2, "logNu2Signal", "log ν₂(x^l)", "Logarithm of the signal's mean square."),
    BANDED(LogMu2Noise, "logMu2Noise", "log μ₂(dx^l)", "Logarithm of the noise's variance."),
    measured<&Result::means, &Means::chiMedian>("chiMedian", "χ^l", {kLayer},
                                                "Median over draws, less moved by a few networks than the mean.") |
        gaps,
    theory<&Result::means, &Means::chiTheory>("chiTheory", "χ^l", {kLayer},
                                              "Product of the increments that Theorems 2–4 give, layer by layer.") |
        gaps,
    theory<&Result::means, &Means::deltaChiTheory>(
        "deltaChiTheory", "δχ^l", {kLayer},
        "Theorem 2 (vanilla), 3 (batch norm) or 4's dilution (ResNet) from the moments of the layer, averaged over its channels.") |
        gaps,
    theory<&Result::means, &Means::batchNormTheory>("deltaBatchNormTheory", "δ_BN χ^l", {kLayer},
                                                    "Theorem 3's batch-norm term, averaged over the channels drawn.") |
        gaps,
    theory<&Result::means, &Means::activationTheory>("deltaActivationTheory", "δ_φ χ^l", {kLayer},
                                                     "Theorem 3's activation term, averaged over the channels drawn.") |
        gaps,
    theory<&Result::powerLaw>("powerLaw", "C l^τ", {kLayer}, "Theorem 4's power law with its exponent τ and the best factor C.") | gaps,
    theory<&Result::meanField>("meanField", "χ^l", {kLayer},
                               "tanh ResNet without batch norm: χ where layers are infinitely wide, a stretched exponential in depth.") |
        gaps,
    measured<&Result::layerKind>("layerKind", "", {kLayer},
                                 "Given network: what made the state; 0 input, 1 dense, 2 convolution, 3 activation, 4 batch norm, 5 "
                                 "pool, 6 flatten, 7 residual, 8 layer norm, 9 routing, 10 softmax, 11 other block."),
    measured<&Result::means, &Means::alive>("alive", "", {kLayer}, "Draws that reach the layer with a signal: those behind its means."),
    measured<&Result::cloudSignal>(
        "cloudSignal", "x^l", {kNet, kLayer, kPoint, kCoordinate},
        "First draw: feature vectors in their principal plane, in units of the spread along its first direction.") |
        gaps,
    measured<&Result::cloudNoise>("cloudNoise", "dx^l", {kNet, kLayer, kPoint, kCoordinate},
                                  "First draw: the noise of the same points in the same plane, of root mean square 1.") |
        gaps,
    measured<&Result::cloudNoiseSize>("cloudNoiseSize", "", {kNet, kLayer},
                                      "Its root mean square in units of that spread, if the input's noise is as large as its signal.") |
        gaps,
    measured<&Result::cloudSpread>("cloudSpread", "", {kNet, kLayer}, "That spread over the signal's root mean square.") | gaps,
    measured<&Result::cloudShare>("cloudShare", "", {kNet, kLayer}, "Share of the signal's variance that the plane holds.") | gaps,
    measured<&Result::rates>("rateCompared", "", {kNet}, "The scalar `rate` of every network compared.") | gaps,
    measured<&Result::exponents>("exponentCompared", "", {kNet}, "The scalar `exponent` of every network compared.") | gaps,
    measured<&Result::pathologies>("pathologyCompared", "", {kNet}, "The scalar `pathology` of every network compared.") | gaps,
    measured<&Result::fits, &Fits::rate>("rate", "", {}, "Slope of log χ over layers, by least squares over l = 1 … L, mean over draws."),
    measured<&Result::fits, &Fits::rateLate>("rateLate", "", {},
                                             "Slope of log χ over layers in the deeper half, l ≥ L/2, mean over draws."),
    measured<&Result::fits, &Fits::exponent>("exponent", "", {},
                                             "Slope of log χ over log l, by least squares over l = 1 … L, mean over draws."),
    measured<&Result::fits, &Fits::exponentLate>(
        "exponentLate", "", {}, "Slope of log χ over log l from l = L/5 on, where a power law has set in, mean over draws."),
    theory<&Result::fits, &Fits::predicted>("exponentPredicted", "τ", {},
                                            "Theorem 4's exponent: half of ⟨δχ^{l,1}⟩^(2H) less 1, the mean over layers and draws."),
    measured<&Result::fits, &Fits::stretch>("stretch", "", {},
                                            "tanh ResNet without batch norm: slope of log χ over √l from l = L/5 on, mean over draws."),
    theory<&Result::fits, &Fits::stretchPredicted>("stretchPredicted", "", {}, "The same slope where layers are infinitely wide."),
    theory<&Result::plateau>("plateau", "χ^∞", {},
                             "Dense vanilla network of infinite width: √(E‖x⁰‖²/Var‖x⁰‖) of the inputs drawn, where χ levels off."),
    limiting<&Result::kurtosisCeiling>("kurtosisCeiling", "", {}, "Largest fourth moment that so many points of unit variance can have."),
    measured<&Result::fits, &Fits::pathology>(
        "pathology", "", {},
        "0: well-behaved; 1: zero-dimensional signal; 2: one-dimensional signal; 3: exploding sensitivity; 4: nearer "
        "to a limit than 2.5 standard errors, so that these draws cannot tell."),
    measured<&Result::fittedLayers>("fittedLayers", "", {}, "Last layer of the fits: the deepest that half of the draws reach."),
    measured<&Result::points>("points", "P", {},
                              "Points behind every moment: samples times positions; of a given network, behind those of its input.")};
#undef BANDED_AND_COMPARED
#undef BANDED
#undef BANDED_OF

constexpr PresetRow kPresets[] = {
    {"Vanilla: the signal becomes a line (Fig 3)"},
    preset<[](Params& p) { p.compare = random_nets::Compare::All, p.draws = 4; }>(
        "All four side by side", "The vanilla signal becomes a line, batch norm lets χ explode; only the BN-ResNet is found well-behaved."),
    preset<[](Params& p) { p.net = Net::BatchNorm, p.width = 64, p.layers = 60, p.draws = 8; }>(
        "Batch norm: noise drowns the signal (Fig 4)",
        "With batch norm log χ grows by 0.2 in every layer, as Theorem 3 says: after 60 layers χ is 2·10⁵."),
    preset<[](Params& p) { p.net = Net::Resnet, p.width = 64, p.layers = 60, p.draws = 6; }>(
        "Batch-normalised ResNet: well-behaved (Fig 5)",
        "Batch norm and skips hold signal and noise together: χ grows like a power of the depth, to 8.6 at unit 60."),
    preset<[](Params& p) { p.net = Net::ResnetPlain, p.width = 64, p.layers = 60, p.draws = 6; }>(
        "ResNet without batch norm",
        "Without batch norm skips alone do not keep the signal: at unit 60 its effective rank is 1.1, almost a line."),
    preset<[](Params& p) { p.net = Net::Resnet, p.width = 64, p.layers = 100, p.draws = 4, p.axes = Axes::Double; }>(
        "The power law on double logarithmic axes",
        "On double logarithmic axes a power law is a straight line: from unit 20 on χ grows as l to the power 0.64."),
    preset<[](Params& p) { p.net = Net::Resnet, p.skipScale = 0, p.width = 64, p.layers = 40, p.draws = 6; }>(
        "Without the skip: no dilution",
        "With the skip scaled to 0 nothing dilutes the branch: log χ grows by 0.4 a unit, and χ passes 10⁷ at unit 40."),
    preset<[](Params& p) {
        p.weightScale = 0.7, p.biasVariance = 0.1, p.width = 64, p.layers = 40, p.draws = 12, p.cloud = CloudUnit::Size;
    }>("Small weights and biases: the signal becomes a point",
       "Small weights and biases shrink the cloud of feature vectors towards one point, while χ stays below 2."),
    preset<[](Params& p) { p.data = "spread", p.width = 256, p.layers = 40, p.draws = 4; }>(
        "Spread norms: a lower plateau",
        "Where the inputs' norms are spread Theorem 2 levels off at a lower plateau, near 2; the signal still becomes a line."),
    preset<[](Params& p) { p.net = Net::BatchNorm, p.width = 64, p.layers = 40, p.samples = 512, p.draws = 4; }>(
        "More points, fatter tails",
        "Batch norm at 512 points: χ explodes, and the batch norm's own part of each increment grows with depth."),
    preset<[](Params& p) { p.network = "strokes-cnn", p.data = "images", p.samples = 24, p.draws = 4; }>(
        "A trained CNN, layer by layer",
        "In a trained CNN χ goes up and down: it grows most in the activation of layer 5, and is 1.74 at the output."),
    preset<[](Params& p) {
        p.net = Net::BatchNorm, p.space = random_nets::Space::Conv2d, p.data = "images", p.width = 24, p.layers = 40, p.samples = 8,
        p.draws = 6;
    }>("Convolutions on colour images",
       "Convolutions with batch norm on colour images: log χ grows by 0.19 a layer, along Theorem 3, until χ is 2230."),
    preset<[](Params& p) { p.width = 512, p.layers = 200, p.draws = 2, p.data = "images"; }>(
        "Fig 3 at N = 512: 200 layers",
        "At the paper's width the signal of 64 images becomes a line in 200 layers, of effective rank 1.01, while χ levels off near 5."),
    preset<[](Params& p) { p.net = Net::BatchNorm, p.width = 512, p.layers = 200, p.draws = 2, p.data = "images"; }>(
        "Fig 4 at N = 512: 200 layers",
        "At the paper's width log χ grows by 0.207 a layer, as steadily as Theorem 3 says: after 200 layers χ is 10¹⁸."),
    preset<[](Params& p) { p.net = Net::Resnet, p.width = 512, p.layers = 200, p.draws = 1, p.data = "images"; }>(
        "Fig 5 at N = 512: 200 units",
        "At the paper's width the signal keeps an effective rank of 22 at unit 200, and χ grows as a power of the depth, to 18.8."),
    preset<[](Params& p) {
        p.space = random_nets::Space::Conv2d, p.data = "images", p.width = 128, p.layers = 200, p.extent = 4, p.samples = 16, p.draws = 1;
    }>("Fig 3 with convolutions on images",
       "Convolutions of 128 channels on made images: after 200 layers the signal is almost a line, of effective rank 1.06."),
    preset<[](Params& p) {
        p.net = Net::Resnet, p.space = random_nets::Space::Conv2d, p.data = "images", p.width = 64, p.layers = 100, p.extent = 4,
        p.samples = 8, p.draws = 2;
    }>("Fig 5 with convolutions on images",
       "Convolutions with batch norm and skips keep an effective rank of 19 at unit 100, where χ has grown to 11.8."),
    preset<[](Params& p) {
        p.net = Net::ResnetPlain, p.activation = random_nets::Phi::Tanh, p.layers = 200, p.draws = 4, p.axes = Axes::Logarithmic;
    }>("tanh ResNet: a stretched exponential",
       "Branches of tanh saturate: log χ grows as √l, by 0.67 for every 1 of it, near the 0.65 of infinitely wide layers.")};

/// Numbers that a draw keeps of a layer.
constexpr Size kKeptOfDraw = kQuantities + 6, kCurvesOfResult = 3 * kQuantities + 4;

/// Of a layer and all inside it.
double weightsIn(const Layer& layer) {
    double sum = 0;
    const std::span<const Layer> one(&layer, 1);
    eachLayer(one, [&](const Layer& inner) { sum += weightCount(inner); });
    return sum;
}

Cost costOfGiven(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const Network& network = *opened.network;
    const double layers = static_cast<double>(network.layers.size()) + 1, curves = layers * p.draws * kKeptOfDraw;
    const double numbers = static_cast<double>(network.input.units()) * p.samples;
    Cost cost = costOfNetworkMoments(network, p.samples);
    double weights = 0;
    for (const Layer& layer : network.layers) weights += weightsIn(layer);
    cost.operations = (p.draws + 1) * (cost.operations + 100 * numbers) + 300 * curves + 20 * weights + 1e5;
    cost.bytes += 8 * (weights + 3 * numbers + curves + 4 * layers * (kCurvesOfResult + 3 * kCloudPoints)) + opened.networkFileBytes + 4e6 +
                  (p.data == "file" ? 1e8 : 0);
    return cost;
}

/// A network that was read counts whatever `network` is set back to, so that it is named only where nothing else lowers its cost.
Cost cost(const Opened<Params>& opened) {
    if (opened.network) return costOfGiven(opened);
    const NetSetup asked = random_nets::setupOf(opened.params);
    const double layers = static_cast<double>(asked.net.layers + 1), draws = static_cast<double>(asked.draws);
    const double curves = layers * draws * kKeptOfDraw, clouds = layers * std::min<double>(asked.points(), kCloudPoints) * 4;
    Cost cost{1e5, 4e6};
    double largest = 0;
    for (const NetSetup& net : netsOf(opened.params, asked)) {
        const Cost one = random_nets::costOfDraw(net);
        cost.operations += one.operations * (draws + 0.5) + 300 * curves + 50 * clouds;
        if (stretches(net)) cost.operations += 2e5 * static_cast<double>(net.net.linearLayers());  // quadratures, finer as q grows
        cost.bytes += 8 * (curves + 3 * clouds + 4 * layers * kCurvesOfResult);
        largest = std::max(largest, one.bytes);
    }
    cost.bytes += largest;
    return cost;
}

Result run(const Opened<Params>& opened, Progress& progress) { return (opened.network ? runGiven : runDrawn)(opened, progress); }

double meanAt(const Result& r, Quantity quantity, Size layer) {
    const Vector& values = r.of(quantity).mean.values;
    return layer < values.size() ? values[layer] : kUndefined;
}

/// "χ = 3.1".
std::string chiAt(const Result& r, Size layer) {
    const double chi = meanAt(r, Quantity::Chi, layer);
    return "χ " + (std::isfinite(chi) ? "= " + powerInWords(std::log10(chi)) : "is larger than any number");
}

std::string ranksAt(const Result& r, Size layer) {
    return "the signal's effective rank is " + inWords(meanAt(r, Quantity::RankSignal, layer)) + " and the noise's " +
           inWords(meanAt(r, Quantity::RankNoise, layer));
}

/// What is counted by l.
std::string stepOf(const Drawn& d) { return random_nets::isResidual(d.net) ? "unit" : "layer"; }

/// Rounding of what is zero is printed as such.
std::string slopeInWords(double slope) { return inWords(std::abs(slope) < 1e-9 ? 0 : slope); }

/// Where most draws end before the last layer nothing is well-behaved.
std::string verdictOf(const Drawn& d, Size layers) {
    if (!d.pathology) return "too shallow to be told well-behaved or pathological";
    if (*d.pathology == kCannotTell) return "too near to a limit to be told well-behaved or pathological at this width and number of draws";
    if (*d.pathology == 3) return "pathological by exploding sensitivity";
    if (*d.pathology > 0) return std::string("pathological by a ") + kPathologies[static_cast<Size>(*d.pathology)];
    return d.last < layers ? "not pathological as far as " + stepOf(d) + " " + std::to_string(d.last) : "well-behaved";
}

/// What happens to χ, in the law that its network follows.
std::string growthOf(const Result& r, const Drawn& d) {
    const std::string range = " over l = 1 … " + std::to_string(d.last);
    if (r.fits.exponent && r.fits.predicted) {
        std::string text = "χ grows as l to the power " + slopeInWords(r.fits.exponent->value) + range;
        if (r.fits.exponentLate && lateForExponent(d.last) > 1)
            text += ", " + slopeInWords(r.fits.exponentLate->value) + " from l = " + std::to_string(lateForExponent(d.last)) + " on";
        return text + "; the increments predict τ = " + slopeInWords(r.fits.predicted->value);
    }
    if (!r.fits.rate) return "there are too few " + stepOf(d) + "s for a fit of χ";
    if (r.fits.stretch && r.fits.stretchPredicted)
        return "log χ grows by " + slopeInWords(r.fits.stretch->value) +
               " for every 1 that √l grows, from l = " + std::to_string(lateForExponent(d.last)) + " on; mean field has " +
               slopeInWords(*r.fits.stretchPredicted);
    std::string text = "log χ changes by " + slopeInWords(r.fits.rate->value) + " a " + stepOf(d) + range;
    if (r.fits.rateLate && lateForRate(d.last) > 1) text += ", by " + slopeInWords(r.fits.rateLate->value) + " in the deeper half";
    return text;
}

/// With what the core says of the first, a sentence, in brackets.
std::string collapseOf(const Drawn& d) {
    if (d.collapsed == 0) return "";
    std::string why = d.collapse;
    while (!why.empty() && why.back() == '.') why.pop_back();
    return " " + std::to_string(d.collapsed) + " of " + std::to_string(d.draws) + (d.draws == 1 ? " draw ends" : " draws end") +
           " before the last " + stepOf(d) + (why.empty() ? "" : " (" + why + ")") + ".";
}

/// "layer 7 (activation)".
std::string layerOf(const Result& r, Size l) {
    return "layer " + std::to_string(l) + " (" + kLayerKinds[static_cast<Size>(r.layerKind[l])] + ")";
}

/// Where χ grows most, as far as it is known.
std::string largestStep(const Result& r, Size last) {
    constexpr double kLeastGrowth = 1.005;  // printed in three digits, smaller factors are 1
    Size best = 0;
    for (Size l = 1; l <= last; ++l) {
        const double delta = meanAt(r, Quantity::DeltaChi, l);
        if (std::isfinite(delta) && (best == 0 || delta > meanAt(r, Quantity::DeltaChi, best))) best = l;
    }
    const double delta = meanAt(r, Quantity::DeltaChi, best);
    if (best == 0 || !(delta > kLeastGrowth)) return "; no layer raises it";
    return "; it grows most, by a factor of " + inWords(delta) + ", in " + layerOf(r, best);
}

std::string givenSummary(const Result& r, const Drawn& d) {
    if (d.last == 0) return "Signal and noise do not pass the first layer of the given network." + collapseOf(d);
    const std::string all = std::to_string(r.layerKind.size() - 1);
    const bool whole = d.last + 1 == r.layerKind.size();
    const std::string place = "At " + layerOf(r, d.last);
    return (whole ? (d.last == 1 ? "After the only layer of the given network " : "After all " + all + " layers of the given network ")
                  : place + " of the given network's " + all + " ") +
           chiAt(r, d.last) + largestStep(r, d.last) + ". " + (whole ? "At the output " : place + " ") + ranksAt(r, d.last) +
           ". Theorems 2–4 are about random weights and draw no curve here." + collapseOf(d);
}

}  // namespace

std::string summary(const Params&, const Result& r) {
    const Drawn& d = r.drawn[0];
    if (d.draws == 0) return "The first draw is under way.";
    if (!r.layerKind.empty()) return givenSummary(r, d);
    const std::string name = random_nets::nameOf(d.net);
    if (d.last == 0) return "No signal passes the first " + stepOf(d) + " of the " + name + "." + collapseOf(d);
    const Size layers = r.layers.size() - 1;
    std::string others;
    for (Size k = 1; k < r.drawn.size(); ++k)
        if (const Drawn& other = r.drawn[k]; other.draws > 0 && other.last > 0)
            others += (others.empty() ? " Beside it, the " : "; the ") + std::string(random_nets::nameOf(other.net)) + " is " +
                      verdictOf(other, layers);
    return "At " + stepOf(d) + " " + std::to_string(d.last) + " of the " + name + " " + chiAt(r, d.last) + ", " + ranksAt(r, d.last) +
           ": it is " + verdictOf(d, layers) + "; " + growthOf(r, d) + "." + collapseOf(d) + (others.empty() ? "" : others + ".");
}

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "moments",
     .title = "Four kinds of depth",
     .claim = "Deep random networks flatten their signal or drown it in noise, unless batch norm and skips hold the two together.",
     .group = "Moments",
     .icon = "152250717366381715 34 54 45",
     .source = "P3 Figs 3–5; Theorems 2–4",
     .lookAt = "Follow the cloud of feature vectors through the layers: it collapses onto a line while χ, noise over signal, levels off.",
     .tryThis =
         "Pull the knob away from its blue dot for more noise, then compare all four networks: with batch norm it drowns the signal.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "layer", "layer", false, 0.3},
     .opening = "All four side by side"});

}  // namespace moments

Declaration moments_declaration() { return declare(moments::kScene); }
Model moments_model() { return sceneModel<moments::kScene, moments::run, moments::cost, moments::summary, openNetwork<moments::Params>>(); }

}  // namespace kappaflow
