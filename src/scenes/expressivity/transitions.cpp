#include "scenes/expressivity/transitions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/expressivity/curve_pieces.h"
#include "core/expressivity/curve_plane.h"
#include "core/expressivity/dichotomies.h"
#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "scenes/chosen_network.h"

namespace kappaflow {
namespace transitions {
namespace {

using namespace table;
using Size = std::size_t;
using Vector = std::vector<double>;

constexpr const char* kFigure = "P4 Fig 3";

bool drawnHere(const Params& p) { return p.network.empty(); }
bool leaky(const Params& p) { return drawnHere(p) && p.activation == CurveActivation::LeakyRelu; }

constexpr OptionRow kPaths[] = {{"circle", "quarter circle"}, {"line", "straight line"}};
constexpr OptionRow kAxes[] = {{"logarithmic"}, {"linear"}};

constexpr ParamRow kParams[] = {
    curveNetwork<&Params::network>(kFigure),
    whole<&Params::width>("width", "k", "width", {1, 128}, "Units of every layer of the network whose curve is drawn.", kFigure) |
        logarithmic | costly | when<drawnHere>,
    whole<&Params::layers>("layers", "n", "layers", {1, 16}, "Hidden layers that the trajectory goes through.", kFigure) | costly |
        when<drawnHere>,
    number<&Params::weightVariance>("weightVariance", "σ_w²", "weight variance", {0.25, 64},
                                    "Weights are N(0, σ_w²/k); above 1 hard-tanh networks stretch the trajectory in every layer.",
                                    kFigure) |
        logarithmic | when<drawnHere>,
    choice<&Params::trajectory>("trajectory", "trajectory", kPaths, "From one random input N(0, I) to another.", kFigure),
    choice<&Params::axes>("axes", "axes of the chart", kAxes,
                          "On logarithmic axes in proportion means a slope of 1, on linear ones a line through 0.", kFigure) |
        ofView,
    list<&Params::widths>("widths", "k", "widths compared", {1, 256}, 3,
                          "Widths of the curves in the chart, each with every variance compared.", kFigure) |
        costly | more | when<drawnHere>,
    list<&Params::weightVariances>("weightVariances", "σ_w²", "variances compared", {0.25, 64}, 3,
                                   "Weight variances of the curves in the chart.", kFigure) |
        more | when<drawnHere>,
    choice<&Params::activation>("activation", "activation", kPiecewiseActivations,
                                "Piecewise linear, so that every transition is found exactly; the paper takes hard-tanh.", kFigure) |
        more | when<drawnHere>,
    number<&Params::slope>("slope", "", "slope", {-1, 1}, "Slope of the leaky ReLU below 0.", kFigure) | more | when<leaky>,
    number<&Params::biasVariance>("biasVariance", "σ_b²", "bias variance", {0, 4}, "Biases are N(0, σ_b²).", kFigure) | more |
        when<drawnHere>,
    whole<&Params::draws>("draws", "", "draws", {1, 10},
                          "Trajectories behind every mean, each through a network of its own where these are drawn.", kFigure) |
        logarithmic | costly | more,
    whole<&Params::pieces>("pieces", "", "most pieces", {100, 20000},
                           "A curve is followed as long as its image is in no more pieces; where it ends, it ends exactly.", kFigure) |
        logarithmic | costly | more,
    seed<&Params::seed>("Start of the random numbers of weights, biases and ends of the trajectory.", kFigure),
    shownAt<&Params::at>("l", "layer", 16, "The layer whose image of the trajectory is drawn.", kFigure),
    plays<&Params::play>("Whether the layers pass by themselves.", kFigure),
    whole<&Params::turn>("turn", "θ", "turn of the unit", {0, 23}, "Which mixture of two units of the next layer reads the curve.",
                         kFigure) |
        hidden | ofView};

constexpr AxisRow kDrawnLayer = axis<&Result::drawnLayers>("layer"), kPoint = axis<&Result::places>("point"),
                  kCoordinate = axis<&Result::coordinates>("coordinate"), kUnit = axis<&Result::units>("unit"),
                  kTurn = axis<&Result::turns>("turn"), kCrossing = axis<&Result::crossings>("crossing"),
                  kEntry = axis<&Result::entries>("entry"), kCurve = axis<&Result::curves>("curve"),
                  kLayer = axis<&Result::layers>("layer");

constexpr FieldRow kFields[] = {
    measured<&Result::image>("image", "z", {kDrawnLayer, kPoint, kCoordinate},
                             "Drawn network: the trajectory in each layer's principal plane; points in t."),
    measured<&Result::planeShare>("planeShare", "", {kDrawnLayer},
                                  "Share of the image's variance, counted by length, that lies in that plane."),
    measured<&Result::pair>("pair", "h", {kDrawnLayer, kPoint, kUnit},
                            "Pre-activations of two units of the next layer along the trajectory."),
    measured<&Result::turnTransitions>(
        "turnTransitions", "", {kDrawnLayer, kTurn},
        "Sign changes of the unit w₁ cos θ + w₂ sin θ of the next layer, θ in degrees: each is a random Gaussian unit."),
    measured<&Result::turnCrossings>("turnCrossings", "t", {kCrossing}, "Where they are, layer after layer and turn after turn."),
    measured<&Result::turnCrossingsOffsets>("turnCrossingsOffsets", "", {kEntry}, "Where those of a layer and turn begin."),
    measured<&Result::curveWidth>("curveWidth", "k", {kCurve},
                                  "Width of each curve; the drawn network's comes first; a given one has none."),
    measured<&Result::curveWeightVariance>("curveWeightVariance", "σ_w²", {kCurve}, "Weight variance of each curve."),
    measured<&Result::length>("length", "l", {kCurve, kLayer}, "Length of the trajectory's image in a layer; layer 0 is the input.") | gaps,
    measured<&Result::transitions>("transitions", "", {kCurve, kLayer},
                                   "Sign changes of a unit of the layer along the trajectory, mean over its units.") |
        gaps,
    theory<&Result::predicted>("predicted", "", {kCurve, kLayer},
                               "Crofton: angular length of (σ_w z/√k, σ_b) in the layer below, over π; mean squares of a given network "
                               "stand for σ_w²/k and σ_b².") |
        gaps,
    measured<&Result::saturations>("saturations", "", {kCurve, kLayer},
                                   "Changes of a unit's linear piece, mean over units: for hard-tanh passages of −1 and 1.") |
        gaps,
    theory<&Result::saturationsPredicted>("saturationsPredicted", "", {kCurve, kLayer},
                                          "Kac and Rice: mean crossings of these values by a Gaussian unit.") |
        gaps,
    measured<&Result::pieces>("pieces", "", {kCurve, kLayer}, "Activation patterns of all layers up to this one along the trajectory.") |
        gaps,
    theory<&Result::piecesPredicted>("piecesPredicted", "", {kCurve, kLayer},
                                     "1 + changes of pattern predicted for all units up to this layer.") |
        gaps,
    measured<&Result::exactLayers>("exactLayers", "", {kCurve}, "Layers a curve was followed through before the limit on pieces.") | gaps,
    measured<&Result::slopes>("slopes", "", {kCurve}, "Least-squares slope of transitions against the length that the layer reads.") | gaps,
    theory<&Result::slopesPredicted>("slopesPredicted", "", {kCurve}, "Mean field: σ_w/(π √(k q*)).") | gaps,
    measured<&Result::slope>("slope", "", {}, "Slope of the drawn network's curve."),
    theory<&Result::slopePredicted>("slopePredicted", "", {}, "Mean field for it."),
    measured<&Result::r2>("r2", "r²", {}, "Share of the variance of transitions that the straight line explains.")};

constexpr PresetRow kPresets[] = {
    {"Transitions in proportion to length (Fig 3)"},
    preset<[](Params& p) { p.width = 32, p.weightVariance = 16, p.layers = 7, p.widths = {32}; }>(
        "Strongly coiling: large weights",
        "Large weights coil the curve so tightly that a unit of layer 7 changes its sign 9 times, as length/π predicts: 8.9."),
    preset<[](Params& p) {
        p.widths = {16, 32, 64}, p.weightVariances = {4};
    }>("Width spreads the transitions",
       "Three widths, three lines: where curves are equally long, a unit of the narrower layer changes its sign more often."),
    preset<[](Params& p) { p.weightVariance = 1, p.weightVariances = {1}, p.layers = 14; }>(
        "Small weights: no growth",
        "With small weights the curve does not coil: at every depth a unit changes its sign about half a time."),
    preset<[](Params& p) { p.activation = CurveActivation::Relu, p.weightVariance = 2, p.weightVariances = {2}, p.biasVariance = 0; }>(
        "ReLU after He",
        "ReLUs with He's weights add no sign changes with depth: a unit of any layer changes its sign less than once on average."),
    preset<[](Params& p) { p.network = "shapes-classifier", p.draws = 6, p.pieces = 3000; }>(
        "A trained classifier",
        "Units of a trained classifier change their sign less often than random units of the same mean squares would."),
    preset<[](Params& p) {
        p.width = 16, p.widths = {16}, p.weightVariances = {4, 8, 16}, p.draws = 10, p.axes = Axes::Linear, p.layers = 8;
    }>("Linear axes, ten draws of narrow networks",
       "On linear axes the proportion is a straight line: ten narrow networks, from weight variance 4 to 16, lie along it.")};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kSlice = 4e6;  ///< multiply-adds between two ticks
/// Most layers that a given network may have behind its input.
constexpr Size kMostLayers = 17;
/// Points of the drawn curve: at the least, at the most, and for each length of the input curve that the longest image has.
constexpr double kLeastPoints = 400, kMostPoints = 2400, kPointsPerLength = 60;
/// Points stand at multiples of 1/kGrid of t.
constexpr double kGrid = 1 << 14;
/// Parts of t whose lengths decide where the points are.
constexpr Size kBins = 128;
/// Stops of the turning unit on half a turn.
constexpr Size kTurns = 24;

/// What the params and the given network say of the curves.
struct Setup {
    explicit Setup(const Opened<Params>&);
    bool isDrawn() const { return given.empty(); }
    // A given network may be as wide as it likes: then fewer of its layers are counted.
    SweepLimits limits() const { return {1.0 * p.pieces, isDrawn() ? 8e6 : 3e6, isDrawn() ? 1e12 : 4e9}; }
    /// All layers of a draw, the one that only reads the last image included.
    std::vector<CurveLayer> layersOf(Size curve, Size draw) const {
        return isDrawn() ? randomLayers(curves[curve], layers + 1, p.seed, draw) : given;
    }
    Size inputs(Size curve) const { return isDrawn() ? static_cast<Size>(curves[curve].width) : given.front().in; }
    /// Of a layer, from 1.
    double units(Size curve, Size layer) const { return isDrawn() ? curves[curve].width : static_cast<double>(given[layer - 1].out); }

    const Params& p;
    std::vector<GrowthSetting> curves;  ///< the drawn network's first; a given network is one curve, whose setting has no say
    std::vector<CurveLayer> given;      ///< a given network's layers, the output's last; empty: drawn here
    Size layers;
};

/// The layers of a given network, the last of which only reads. Throws InputError where its transitions cannot be counted exactly.
std::vector<CurveLayer> givenLayers(const Network& network) {
    std::vector<CurveLayer> layers = curveLayers(network);
    if (layers.size() < 2 || layers.size() > kMostLayers)
        throw InputError("Transitions are counted in networks of 2 to " + std::to_string(kMostLayers) +
                         " dense layers, and this network has " + std::to_string(layers.size()) + ".");
    // Nothing reads what comes out of the last layer.
    layers.back().kind = Activation::Identity;
    layers.back().activation = {};
    for (Size l = 0; l < layers.size(); ++l)
        if (!isPiecewiseLinear(layers[l].kind))
            throw InputError(
                "Transitions are counted exactly, behind activations of straight pieces: " + std::string(activationKey(layers[l].kind)) +
                " behind dense layer " + std::to_string(l + 1) + " of this network has none.");
    return layers;
}

Setup::Setup(const Opened<Params>& opened) : p(opened.params), layers(static_cast<Size>(p.layers)) {
    curves = {{activationFromKey(keyOf(p.activation)), p.slope, 1.0 * p.width, p.weightVariance, p.biasVariance}};
    if (!drawnHere(p)) {
        given = givenLayers(*opened.network);
        layers = given.size() - 1;
        return;
    }
    for (const double width : p.widths)
        for (const double variance : p.weightVariances) {
            GrowthSetting curve = curves[0];
            curve.width = std::max(1.0, std::round(width));
            curve.weightVariance = variance;
            const auto same = [&](const GrowthSetting& c) { return c.width == curve.width && c.weightVariance == curve.weightVariance; };
            if (std::none_of(curves.begin(), curves.end(), same)) curves.push_back(curve);
        }
}

/// Patterns along the trajectory of a drawn network, bounded by the limit, and what finding them takes.
struct SweepCost {
    double operations = 0, pieces = 1;
};
SweepCost sweepCost(const Setup& s, const GrowthSetting& curve) {
    const double width = curve.width, most = std::min(s.limits().pieces, s.limits().coefficients / (3 * width));
    SweepCost cost;
    for (const double crossings : meanFieldCrossings(curve, 1, s.layers)) {
        cost.operations += cost.pieces * 4 * width * width;
        // The quarter circle turns by π/2, a straight line between independent inputs by as much; a third more, since draws scatter.
        const double pieces = cost.pieces + 1.3 * width * crossings / 4;
        cost.pieces = std::min(pieces, most);
        cost.operations += cost.pieces * (30 * width + 1500);
        if (pieces > most) break;
    }
    return cost;
}

CurvePieces pathBetween(const Params& p, const RandomEnds& ends) {
    return p.trajectory == Path::Circle ? arcCurve(ends.x0, ends.x1, 0, std::numbers::pi / 2) : segmentCurve(ends.x0, ends.x1);
}

/// Every layer at the limit of pieces, as long as operations last, or with those it has where a first look ends before that.
Cost costOfGiven(const Setup& s) {
    const double coefficients = s.limits().coefficients, pieces = std::min(1.0 * s.p.pieces, coefficients / 3);
    const auto found = sweepTrajectory(s.given, pathBetween(s.p, randomEnds(s.inputs(0), s.p.seed, 0)), kFirstLook);
    const bool ended = found.size() > s.given.size();
    double weights = 0, products = 0, widest = static_cast<double>(s.inputs(0)), layers = 0, drawing = 0;
    for (Size l = 0; l < s.given.size(); ++l) {
        const CurveLayer& layer = s.given[l];
        const double in = static_cast<double>(layer.in), out = static_cast<double>(layer.out);
        double most = std::min(1.0 * s.p.pieces, coefficients / (3 * out));
        // Other draws are other curves.
        if (ended) most = std::min(most, 2.0 * static_cast<double>(found[l + 1].pieces));
        weights += in * out;
        products += 4 * most * in * out;
        widest = std::max(widest, out);
        layers += most * (30 * out + 1500);
        drawing += kMostPoints * out * (in + 8) * 2 + 1500 * std::min(out * out, 1e7) + 200 * kTurns * most * 3;
    }
    return {s.p.draws * (std::min(products, s.limits().operations) + layers + 2 * weights) + drawing + 1e6,
            8 * (3 * std::min(3 * pieces * widest, coefficients) + 40 * pieces + 5 * weights + 14 * widest * widest +
                 3 * kMostPoints * (widest + 4 * kMostLayers)) +
                1e7};
}

Cost cost(const Opened<Params>& opened) {
    const Setup s(opened);
    if (!s.isDrawn()) return costOfGiven(s);
    const double rows = static_cast<double>(s.layers + 1), own = s.curves[0].width;
    // Principal planes of the drawn network, and its turning units further below.
    double operations = 1e6 + rows * (kMostPoints * own * (own + 4) * 2 + 1500 * own * own), bytes = 4e6;
    for (const GrowthSetting& curve : s.curves) {
        const SweepCost one = sweepCost(s, curve);
        const double weights = rows * curve.width * curve.width;
        operations += s.p.draws * (one.operations + 30 * weights);
        if (&curve == &s.curves[0]) operations += 200 * kTurns * one.pieces * 3;
        bytes = std::max(bytes, 3 * 24 * one.pieces * curve.width + 300 * one.pieces + 8 * weights);
    }
    return {operations, bytes + rows * kMostPoints * 4 * 8 * 3 + 8 * kMostPoints * own * 3 + 4e6};
}

/// What is known of one layer of one network; predictions and counts of layer 0 mean nothing.
struct LayerCounts {
    double length = 0, pieces = 1, transitions = 0, predicted = 0, saturations = 0, saturationsPredicted = 0;
};

/// Variances of a Gaussian unit that reads k others: weights N(0, σ_w²/k), bias N(0, σ_b²). Of a given layer, its mean squares.
struct UnitVariances {
    double weight = 0, bias = 0;
};
UnitVariances variancesOf(const Setup& s, Size curve, const CurveLayer& layer) {
    if (s.isDrawn()) return {s.curves[curve].weightVariance, s.curves[curve].biasVariance};
    UnitVariances v;
    for (const double w : layer.weights) v.weight += w * w / static_cast<double>(layer.out);
    for (const double b : layer.bias) v.bias += b * b / static_cast<double>(layer.out);
    return v;
}

/// The first two units of a layer, or one twice.
CurveLayer pairOf(const CurveLayer& layer) {
    CurveLayer pair;
    pair.in = layer.in;
    pair.out = 2;
    const Size second = layer.out > 1 ? 1 : 0;
    for (Size i = 0; i < layer.in; ++i) {
        pair.weights.push_back(layer.weights[i * layer.out]);
        pair.weights.push_back(layer.weights[i * layer.out + second]);
    }
    pair.bias = {layer.bias[0], layer.bias[second]};
    return pair;
}

/// The unit w₁ cos θ + w₂ sin θ of a pair of pre-activations.
CurvePieces turned(const CurvePieces& pair, double c, double s) {
    CurvePieces one{pair.form, 1, pair.ends, {}, {}};
    for (Size i = 0; i < pair.coefficients.size(); i += 2)
        one.coefficients.push_back(c * pair.coefficients[i] + s * pair.coefficients[i + 1]);
    one.crossed = pair.crossed;
    return one;
}

/// Where the turning unit of a layer that reads the image changes its sign.
void addTurns(const CurveLayer& reader, const CurvePieces& image, Result& r) {
    const CurvePieces pair = throughAffine(pairOf(reader), image);
    for (Size i = 0; i < kTurns; ++i) {
        const double angle = std::numbers::pi * static_cast<double>(i) / static_cast<double>(kTurns);
        const auto changes = signChanges(turned(pair, std::cos(angle), std::sin(angle)));
        for (const auto& change : changes) r.turnCrossings.push_back(change.t);
        r.turnTransitions.push_back(static_cast<double>(changes.size()));
        r.turnCrossingsOffsets.push_back(static_cast<double>(r.turnCrossings.size()));
    }
}

/// Images of the trajectory, with as many points as the longest asks for, and what the pair of units that read them make of these.
void addImages(const Setup& s, const std::vector<CurveLayer>& layers, const CurveLayer& last, const CurvePieces& start,
               const std::vector<LayerCounts>& counts, const Vector& lengths, const std::function<void(double)>& tick, Result& r) {
    double longest = 0;
    for (const LayerCounts& layer : counts) longest = std::max(longest, layer.length);
    const double ratio = counts[0].length > 0 ? longest / counts[0].length : 1;
    const auto points = static_cast<Size>(std::clamp(kPointsPerLength * ratio, kLeastPoints, kMostPoints));
    r.places = drawingPoints(start.ends.front(), start.ends.back(), points, lengths, kBins);
    // On a grid, so that lengths which differ in their last bits between platforms leave the points where they are.
    for (Size i = 1; i + 1 < points; ++i) r.places[i] = std::round(r.places[i] * kGrid) / kGrid;
    std::vector<std::array<double, 2>> reference;
    for (const double t : r.places)
        reference.push_back(s.p.trajectory == Path::Circle ? std::array<double, 2>{std::cos(t), std::sin(t)}
                                                           : std::array<double, 2>{1 - t, t});
    CurvePlanes planes(layers, start, r.places, std::move(reference));
    for (double* end : {&r.places.front(), &r.places.back()}) *end = std::round(*end * 1e12) / 1e12;  // as they are reported
    r.drawnLayers = countUp(counts.size());
    r.coordinates = r.units = {0, 1};
    for (Size l = 0; l < counts.size(); ++l) {
        planes.advance();
        const PlaneImage& image = planes.images().back();
        for (const auto& at : image.at) r.image.insert(r.image.end(), at.begin(), at.end());
        r.planeShare.push_back(image.share);
        const CurveLayer reader = pairOf(l < layers.size() ? layers[l] : last);
        const Vector& z = planes.values();
        for (Size i = 0; i < z.size(); i += reader.in) {
            std::array<double, 2> h{reader.bias[0], reader.bias[1]};
            for (Size u = 0; u < reader.in; ++u)
                for (Size k = 0; k < 2; ++k) h[k] += reader.weights[2 * u + k] * z[i + u];
            r.pair.insert(r.pair.end(), h.begin(), h.end());
        }
        tick(static_cast<double>(l + 1) / static_cast<double>(counts.size()));
    }
    for (Size i = 0; i < kTurns; ++i) r.turns.push_back(180.0 * static_cast<double>(i) / static_cast<double>(kTurns));
    r.crossings = countUp(r.turnCrossings.size());
    r.entries = countUp(r.turnCrossingsOffsets.size());
}

/// Follows the trajectory of one draw layer by layer, until it is through or at its limit; `drawn` takes the drawing of the first.
std::vector<LayerCounts> follow(const Setup& s, Size curve, Size draw, const std::function<void(double)>& tick, Result* drawn) {
    const RandomEnds ends = randomEnds(s.inputs(curve), s.p.seed, draw);
    const CurvePieces start = pathBetween(s.p, ends);
    std::vector<CurveLayer> layers = s.layersOf(curve, draw);
    const CurveLayer last = std::move(layers.back());
    layers.pop_back();
    TrajectorySweep sweep(layers, start, s.limits());
    std::vector<LayerCounts> counts;
    LayerCounts next;  // of which the predictions are known already
    Vector lengths;    // [layer][bin] of the drawn curve's t
    if (drawn) drawn->turnCrossingsOffsets = {0};
    const auto record = [&] {
        const CurvePassage& passage = sweep.passages().back();
        const double units = counts.empty() ? 1 : s.units(curve, counts.size());
        const Size layer = counts.size();
        next.length = passage.length, next.pieces = static_cast<double>(passage.pieces);
        next.transitions = passage.signTransitions / units, next.saturations = passage.transitions / units;
        counts.push_back(next);
        if (drawn) {
            addTurns(layer < layers.size() ? layers[layer] : last, sweep.image(), *drawn);
            const Vector byBin = lengthByBin(sweep.image(), kBins);
            lengths.insert(lengths.end(), byBin.begin(), byBin.end());
        }
        next = {};
        if (layer == layers.size()) return;
        const UnitVariances v = variancesOf(s, curve, layers[layer]);
        next.predicted = meanCrossings(sweep.image(), v.weight, v.bias, 0);
        for (const double threshold : layers[layer].activation.thresholds)
            next.saturationsPredicted += threshold == 0 ? next.predicted : meanCrossings(sweep.image(), v.weight, v.bias, threshold);
    };
    record();
    const double part = drawn ? 0.8 : 1;
    for (bool more = true; more;) {
        more = sweep.advance(kSlice);
        if (sweep.exactLayers() == counts.size()) record();
        tick(part * sweep.progress());
    }
    const auto drawing = [&](double share) { tick(part + (1 - part) * share); };
    if (drawn) addImages(s, layers, last, start, counts, lengths, drawing, *drawn);
    return counts;
}

/// Draws of one curve, each as far as it was followed.
struct CurveDraws {
    std::vector<std::vector<LayerCounts>> draws;

    /// Layers that every draw came to: the draws that stop before are those with the longest images.
    Size exactLayers() const {
        Size last = draws.front().size();
        for (const auto& layers : draws) last = std::min(last, layers.size());
        return last - 1;
    }
    bool known(Size layer) const { return !draws.empty() && layer <= exactLayers(); }
    Estimate mean(Size layer, double LayerCounts::*part) const {
        double sum = 0, squares = 0;
        for (const auto& layers : draws) sum += layers[layer].*part, squares += layers[layer].*part * (layers[layer].*part);
        const double n = static_cast<double>(draws.size());
        return {sum / n, n < 2 ? 0 : std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1)) / n), n};
    }
};

/// [curve][layer], defined from layer `first` on.
Estimates byLayer(const Setup& s, const std::vector<CurveDraws>& curves, double LayerCounts::*part, Size first) {
    Estimates all;
    for (const CurveDraws& curve : curves)
        for (Size l = 0; l <= s.layers; ++l) {
            const Estimate mean = curve.known(l) && l >= first ? curve.mean(l, part) : Estimate{kNone, kNone, 0};
            all.values.push_back(mean.value);
            if (s.p.draws > 1) all.standardErrors.push_back(mean.standardError);
        }
    return all;
}

/// Straight line through (length below, transitions), by least squares.
struct Line {
    double slope = kNone, r2 = kNone;
};
Line lineOf(const CurveDraws& curve) {
    if (curve.draws.empty()) return {};
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
    for (Size l = 1; l <= curve.exactLayers(); ++l) {
        const double x = curve.mean(l - 1, &LayerCounts::length).value, y = curve.mean(l, &LayerCounts::transitions).value;
        ++n, sx += x, sy += y, sxx += x * x, sxy += x * y, syy += y * y;
    }
    const double vx = sxx - sx * sx / n, vy = syy - sy * sy / n, cov = sxy - sx * sy / n;
    if (n < 3 || !(vx > 1e-12 * sxx)) return {};
    return {cov / vx, vy > 1e-12 * syy ? cov * cov / (vx * vy) : 1};
}

void addCurves(const Setup& s, const std::vector<CurveDraws>& curves, Result& r) {
    r.length = byLayer(s, curves, &LayerCounts::length, 0);
    r.pieces = byLayer(s, curves, &LayerCounts::pieces, 0);
    r.transitions = byLayer(s, curves, &LayerCounts::transitions, 1);
    r.predicted = byLayer(s, curves, &LayerCounts::predicted, 1).values;
    r.saturations = byLayer(s, curves, &LayerCounts::saturations, 1);
    r.saturationsPredicted = byLayer(s, curves, &LayerCounts::saturationsPredicted, 1).values;
    for (Size c = 0; c < curves.size(); ++c) {
        r.exactLayers.push_back(curves[c].draws.empty() ? kNone : static_cast<double>(curves[c].exactLayers()));
        // Every unit's change of piece is a change of pattern, except those at one place, which have no probability.
        double pieces = 1;
        for (Size l = 0; l <= s.layers; ++l) {
            if (l > 0 && curves[c].known(l)) pieces += s.units(c, l) * r.saturationsPredicted[c * r.layers.size() + l];
            r.piecesPredicted.push_back(curves[c].known(l) ? pieces : kNone);
        }
        // Layers of a given network differ in width and in the size of their weights: there is no one slope.
        if (!s.isDrawn()) continue;
        const Line line = lineOf(curves[c]);
        const double q = meanFieldFixedPoint(s.curves[c]).q,
                     predicted = q > 0 && std::isfinite(q) ? transitionsPerLength(s.curves[c], q) : kNone;
        r.curveWidth.push_back(s.curves[c].width);
        r.curveWeightVariance.push_back(s.curves[c].weightVariance);
        r.slopes.push_back(line.slope);
        r.slopesPredicted.push_back(predicted);
        if (c > 0) continue;
        if (std::isfinite(line.slope)) r.slope = line.slope, r.r2 = line.r2;
        if (std::isfinite(predicted)) r.slopePredicted = predicted;
    }
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Setup s(opened);
    Result r;
    r.layers = countUp(s.layers + 1);
    r.curves = countUp(s.curves.size());
    std::vector<CurveDraws> curves(s.curves.size());
    const auto complete = [&](Result more) {
        addCurves(s, curves, more);
        return more;
    };
    const double runs = 1.0 * s.p.draws * static_cast<double>(curves.size());
    double done = 0;
    for (Size draw = 0; draw < static_cast<Size>(s.p.draws); ++draw)
        for (Size c = 0; c < curves.size(); ++c) {
            const auto tick = [&](double share) { progress.tick((done + share) / runs); };
            curves[c].draws.push_back(follow(s, c, draw, tick, done == 0 ? &r : nullptr));
            ++done;
            progress.partial([&] { return complete(r); });
        }
    r = complete(std::move(r));
    const auto tick = [&] { progress.tick(1); };
    r.network =
        s.isDrawn() ? std::make_shared<const Network>(randomNetwork(s.curves[0], s.layers + 1, s.p.seed, false, tick)) : opened.network;
    return r;
}

std::string summary(const Params& p, const Result& r) {
    const auto last = static_cast<Size>(r.exactLayers[0]);
    if (last == 0) return "The trajectory's image in layer 1 already has more pieces than the limit.";
    std::string text = "A unit of layer " + std::to_string(last) + " changes its sign " + inWords(r.transitions.values[last]) +
                       " times along the trajectory, which is " + inWords(r.length.values[last - 1]) +
                       " long where the unit reads it; angular length over π predicts " + inWords(r.predicted[last]) +
                       (drawnHere(p) ? "." : " for random units of the same mean squares.");
    if (r.slope) {
        text += std::string(" Over all layers transitions ") + (*r.slope < 0 ? "fall" : "rise") + " by " + inWords(std::abs(*r.slope)) +
                " for each unit of length (r² = " + inWords(*r.r2) + ")";
        if (r.slopePredicted) text += "; mean field: " + inWords(*r.slopePredicted);
        text += ".";
    }
    const Size layers = r.layers.size() - 1;
    for (const double exact : r.exactLayers)
        if (exact < static_cast<double>(layers))
            return text + " Where a curve ends before layer " + std::to_string(layers) + ", the next image has more pieces than the limit.";
    return text;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "transitions",
     .title = "Transitions",
     .claim = "A unit changes sign in proportion to the length of the curve it reads, as a random line crosses it.",
     .group = "Expressivity",
     .icon = "062622525686",
     .source = "P4 Fig 3",
     .lookAt = "The upright line is a unit of the next layer: wherever the curve crosses it, that unit changes its sign.",
     .tryThis =
         "Turn the unit: mixtures of two units may cross far more or less often than a layer's mean, which angular length/π predicts.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "layer", "layer", false, 1.4},
     .savesNetwork = true});

}  // namespace transitions

Declaration transitions_declaration() { return declare(transitions::kScene); }
Model transitions_model() {
    return sceneModel<transitions::kScene, transitions::run, transitions::cost, transitions::summary, openNetwork<transitions::Params>>();
}

}  // namespace kappaflow
