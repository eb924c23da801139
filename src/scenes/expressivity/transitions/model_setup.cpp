#include "scenes/expressivity/transitions/model_setup.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/expressivity/random_trajectory.h"
#include "scenes/chosen_network.h"

namespace kappaflow::transitions {
namespace {

/// Patterns along the trajectory in each layer in mean field, a third as many more for draws that scatter, bounded by the limit; and what
/// finding them takes.
struct SweepCost {
    double operations = 0, pieces = 1;
};
SweepCost sweepCost(const Setup& s, const GrowthSetting& curve) {
    const LinearPieces activation = piecewiseLinear(curve.activation, curve.slope);
    const double width = curve.width, most = s.mostPieces(curve);
    // The quarter circle turns by π/2; a straight line between independent inputs by as much.
    double speed = curve.weightVariance, q = speed + curve.biasVariance;
    SweepCost cost;
    for (std::size_t layer = 0; layer < s.layers; ++layer) {
        cost.operations += cost.pieces * 4 * width * width;
        for (const double threshold : activation.thresholds)
            cost.pieces += 1.3 * width * 0.5 * std::sqrt(speed / q) * std::exp(-threshold * threshold / (2 * q));
        const bool over = cost.pieces > most;
        cost.pieces = std::min(cost.pieces, most);
        cost.operations += cost.pieces * (30 * width + 1500);
        if (over) break;
        const GaussianMoments moments = gaussianMoments(curve.activation, curve.slope, q);
        speed *= curve.weightVariance * moments.slopeSquare;
        q = std::max(curve.weightVariance * moments.square + curve.biasVariance, 1e-300);
    }
    return cost;
}

/// Principal planes and turning units of the drawn network.
double drawingCost(const Setup& s, double pieces) {
    const double width = s.curves[0].width;
    return static_cast<double>(s.layers + 1) * (kMostPoints * width * (width + 4) * 2 + 1500 * width * width) + 200 * kTurns * pieces * 3;
}

void requirePieces(const std::vector<CurveLayer>& layers) {
    for (std::size_t l = 0; l < layers.size(); ++l)
        if (!isPiecewiseLinear(layers[l].kind))
            throw InputError(
                "Transitions are counted exactly, behind activations of straight pieces: " + std::string(activationKey(layers[l].kind)) +
                " behind dense layer " + std::to_string(l + 1) + " of this network has none.");
}

void giveNetwork(const Request& request, Setup& s) {
    s.given = curveLayers(chosenNetwork(request, request.params.text("network"), &s.warnings));
    if (s.given.size() < 2 || s.given.size() > kMostLayers)
        throw InputError("Transitions are counted in networks of 2 to " + std::to_string(kMostLayers) +
                         " dense layers, and this network has " + std::to_string(s.given.size()) + ".");
    // Nothing reads what comes out of the last layer.
    s.given.back().kind = Activation::Identity;
    s.given.back().activation = {};
    requirePieces(s.given);
    s.layers = s.given.size() - 1;
    s.curves.resize(1);
}

/// Every layer at the limit of pieces, as long as operations last.
Cost costOfGiven(const Setup& s) {
    double weights = 0, products = 0, widest = static_cast<double>(s.inputs(0)), layers = 0, drawing = 0;
    for (const CurveLayer& layer : s.given) {
        const double in = static_cast<double>(layer.in), out = static_cast<double>(layer.out);
        const double pieces = std::min(s.pieces, s.limits().coefficients / (3 * out));
        weights += in * out;
        products += 4 * pieces * in * out;
        widest = std::max(widest, out);
        layers += pieces * (30 * out + 1500);
        drawing += kMostPoints * out * (in + 8) * 2 + 1500 * std::min(out * out, 1e7) + 200 * kTurns * pieces * 3;
    }
    const double pieces = std::min(s.pieces, s.limits().coefficients / 3);
    const double coefficients = std::min(3 * pieces * widest, s.limits().coefficients);
    return {static_cast<double>(s.draws) * (std::min(products, s.limits().operations) + layers + 2 * weights) + drawing + 1e6,
            8 * (3 * coefficients + 40 * pieces + 5 * weights + 14 * widest * widest + 3 * kMostPoints * (widest + 4 * kMostLayers)) + 1e7};
}

}  // namespace

double Setup::mostPieces(const GrowthSetting& curve) const { return std::min(limits().pieces, limits().coefficients / (3 * curve.width)); }

// A given network may be as wide as it likes: then fewer of its layers are counted.
SweepLimits Setup::limits() const { return {pieces, isDrawn() ? 8e6 : 3e6, isDrawn() ? 1e12 : 4e9}; }

std::vector<CurveLayer> Setup::layersOf(std::size_t curve, std::size_t draw) const {
    return isDrawn() ? randomLayers(curves[curve], layers + 1, seed, draw) : given;
}

std::size_t Setup::inputs(std::size_t curve) const { return isDrawn() ? static_cast<std::size_t>(curves[curve].width) : given.front().in; }

double Setup::units(std::size_t curve, std::size_t layer) const {
    return isDrawn() ? curves[curve].width : static_cast<double>(given[layer - 1].out);
}

UnitVariances variancesOf(const Setup& s, std::size_t curve, const CurveLayer& layer) {
    if (s.isDrawn()) return {s.curves[curve].weightVariance, s.curves[curve].biasVariance};
    UnitVariances v;
    for (const double w : layer.weights) v.weight += w * w / static_cast<double>(layer.out);
    for (const double b : layer.bias) v.bias += b * b / static_cast<double>(layer.out);
    return v;
}

Setup readSetup(const Request& request) {
    const Values& v = request.params;
    Setup s;
    GrowthSetting own{activationFromKey(v.text("activation")), v.number("slope"), v.number("width"), v.number("weightVariance"),
                      v.number("biasVariance")};
    s.curves = {own};
    for (const double width : v.list("widths"))
        for (const double variance : v.list("weightVariances")) {
            GrowthSetting curve = own;
            curve.width = std::max(1.0, std::round(width));
            curve.weightVariance = variance;
            const auto same = [&](const GrowthSetting& c) { return c.width == curve.width && c.weightVariance == curve.weightVariance; };
            if (std::none_of(s.curves.begin(), s.curves.end(), same)) s.curves.push_back(curve);
        }
    s.layers = static_cast<std::size_t>(v.integer("layers"));
    s.draws = static_cast<std::size_t>(v.integer("draws"));
    s.circle = v.is("trajectory", "circle");
    s.pieces = v.number("pieces");
    s.seed = v.seed();
    if (!v.is("network", "")) giveNetwork(request, s);
    return s;
}

Network networkOf(const Request& request) {
    if (!request.params.is("network", "")) return chosenNetwork(request, request.params.text("network"));
    const Setup s = readSetup(request);
    return randomNetwork(s.curves[0], s.layers + 1, s.seed, false);
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request);
    if (!s.isDrawn()) return costOfGiven(s);
    double operations = 1e6, bytes = 4e6;
    for (const GrowthSetting& curve : s.curves) {
        const SweepCost one = sweepCost(s, curve);
        const double weights = static_cast<double>(s.layers + 1) * curve.width * curve.width;
        operations += static_cast<double>(s.draws) * (one.operations + 30 * weights);
        if (&curve == &s.curves[0]) operations += drawingCost(s, one.pieces);
        bytes = std::max(bytes, 3 * 24 * one.pieces * curve.width + 300 * one.pieces + 8 * weights);
    }
    const double drawn = static_cast<double>(s.layers + 1) * kMostPoints * 4 * 8 * 3;
    return {operations, bytes + drawn + 8 * kMostPoints * s.curves[0].width * 3 + 4e6};
}

std::string costliestOf(const Request& request) {
    for (const char* key : {"draws", "widths", "pieces", "layers"}) {
        Request fewer = request;
        fewer.params.set(key, findDeclaration(request.scene)->defaults().at(key));
        if (costOf(fewer).operations < 0.5 * costOf(request).operations) return key;
    }
    return request.params.is("network", "") ? "width" : "network";
}

}  // namespace kappaflow::transitions
