#include "scenes/transitions/model_setup.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

double Setup::mostPieces(const GrowthSetting& curve) const { return std::min(limits().pieces, limits().coefficients / (3 * curve.width)); }

Setup readSetup(const Values& v) {
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
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
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
    return "width";
}

}  // namespace kappaflow::transitions
