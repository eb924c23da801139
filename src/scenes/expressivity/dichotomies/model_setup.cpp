#include "scenes/expressivity/dichotomies/model_setup.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::dichotomies {
namespace {

std::vector<std::size_t> wholeNumbers(const std::vector<double>& list, double also) {
    std::vector<std::size_t> numbers;
    if (also > 0) numbers.push_back(static_cast<std::size_t>(also));
    for (const double value : list) numbers.push_back(static_cast<std::size_t>(std::max(1L, std::lround(value))));
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

void readCurves(Setup& s, const Values& v) {
    const auto width = static_cast<std::size_t>(v.integer("width"));
    if (s.everyLayer) {
        for (const std::size_t depth : wholeNumbers(v.list("depths"), 0)) s.curves.push_back({width, depth});
        s.shown = s.curves.size() - 1;
        return;
    }
    const auto depth = static_cast<std::size_t>(v.integer("depthRemaining")) + 1;
    for (const std::size_t k : wholeNumbers(v.list("widths"), static_cast<double>(width))) {
        if (k == width) s.shown = s.curves.size();
        s.curves.push_back({k, depth});
    }
}

/// Patterns of a sample's sweep through `layers` layers in mean field, bounded by the limits, and what finding them takes.
struct SweepCost {
    double operations = 0, pieces = 1;
};
SweepCost sweepCost(const Setup& s, double width, std::size_t layers) {
    const LinearPieces activation = piecewiseLinear(s.activation, s.slope);
    const double most = std::min(kLimits.pieces, kLimits.coefficients / (3 * width));
    double speed = s.weightVariance * s.inputSquare(), q = speed + s.biasVariance;
    SweepCost cost;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        if (layer > 0) cost.operations += cost.pieces * 4 * width * width;
        // Level crossings of a Gaussian process; a third as many more, since draws scatter.
        for (const double threshold : activation.thresholds)
            cost.pieces += 1.3 * width * 2 * std::sqrt(speed / q) * std::exp(-threshold * threshold / (2 * q));
        cost.pieces = std::min(cost.pieces, most);
        cost.operations += cost.pieces * (30 * width + 400);
        const GaussianMoments moments = gaussianMoments(s.activation, s.slope, q);
        speed *= s.weightVariance * moments.slopeSquare;
        q = std::max(s.weightVariance * moments.square + s.biasVariance, 1e-300);
    }
    return cost;
}

}  // namespace

std::size_t Setup::deepest() const {
    std::size_t deepest = 0;
    for (const Curve& curve : curves) deepest = std::max(deepest, curve.depth);
    return deepest;
}

double Setup::inputSquare() const {
    if (!everyLayer) return 1;
    const double square = (meanFieldFixedPoint(setting(1)).q - biasVariance) / weightVariance;
    return square > 0 && std::isfinite(square) ? square : 1;
}

Setup readSetup(const Values& v) {
    Setup s;
    s.samples = static_cast<std::size_t>(v.integer("samples"));
    s.inputsTurn = v.is("sweep", "circle");
    s.everyLayer = !s.inputsTurn && v.is("swept", "every");
    s.draws = static_cast<std::size_t>(v.integer("draws"));
    s.activation = activationFromKey(v.text("activation"));
    s.slope = v.number("slope");
    s.weightVariance = v.number("weightVariance");
    s.biasVariance = v.number("biasVariance");
    s.seed = v.seed();
    readCurves(s, v);
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    double operations = 1e6, bytes = 4e6;
    for (const Curve& curve : s.curves) {
        const double width = static_cast<double>(curve.width);
        for (std::size_t swept = 0; swept < s.sweptLayers(curve); ++swept) {
            const SweepCost one = sweepCost(s, width, curve.depth - swept);
            operations += static_cast<double>(s.draws * s.samples) * (one.operations + 8 * width * width);
            // Two layers' images and what becomes of one of them; flips of all samples and their copies; weights.
            bytes = std::max(bytes, 3 * 24 * one.pieces * width + 200 * static_cast<double>(s.samples) * one.pieces +
                                        8 * width * width * static_cast<double>(2 * curve.depth + 2));
        }
    }
    return {operations, bytes + 4e6};
}

std::string costliestOf(const Request& request) {
    for (const char* key : {"draws", "widths", "depthRemaining", "depths"}) {
        Request fewer = request;
        fewer.params.set(key, findDeclaration(request.scene)->defaults().at(key));
        if (costOf(fewer).operations < 0.5 * costOf(request).operations) return key;
    }
    return "width";
}

}  // namespace kappaflow::dichotomies
