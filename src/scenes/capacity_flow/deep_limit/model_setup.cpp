#include "scenes/capacity_flow/deep_limit/model_setup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kappaflow::deep_limit {
namespace {

void readWeights(Setup& s, const Values& v) {
    s.weights = v.list("weights");
    if (s.weights.size() % 2 == 0) {
        s.weights.push_back(0);
        s.warnings.push_back("weights takes an odd number of entries, the middle one at offset 0; a 0 was added at the end.");
    }
    for (double w : s.weights) s.squaredNorm += w * w;
    s.kernel = kernelOfWeights(s.weights);
}

void readDepths(Setup& s, const Values& v) {
    // A step of 1/L moves more than a unit has when L is below the sum of the rates.
    const int least = s.differential ? 1 : static_cast<int>(std::ceil(s.kernel.total()));
    for (double depth : v.list("depths")) {
        const int layers = static_cast<int>(std::lround(depth));
        s.raised = s.raised || layers < least;
        s.depths.push_back(std::max({layers, least, 1}));
    }
    std::sort(s.depths.begin(), s.depths.end());
    s.depths.erase(std::unique(s.depths.begin(), s.depths.end()), s.depths.end());
}

/// Positions with mass above rounding.
double positionsOf(const Setup& s, int layers) {
    const double spread = 28 * std::sqrt(std::max(s.varianceAt(layers, s.exponent), 2 * s.kernel.diffusion()));
    return std::min(2.0 * layers * s.kernel.reach(), spread + 100 * s.kernel.reach()) + 1;
}

}  // namespace

double Setup::step(int layers, double a) const {
    if (differential) return differentialStep(layers, a, squaredNorm);
    const double step = residualStep(layers, a);
    return moves() ? std::min(step, 1 / kernel.total()) : step;
}

bool Setup::isSaturated() const { return !differential && moves() && residualStep(depths.front(), exponent) * kernel.total() > 1 + 1e-12; }

double Setup::meanAt(int layers) const { return layers * step(layers) * kernel.drift(); }

double Setup::varianceAt(int layers, double a) const {
    const double e = step(layers, a), v = kernel.drift();
    return std::max(0.0, layers * (2 * e * kernel.diffusion() - e * e * v * v));
}

ForwardEquation Setup::forwardAt(int layers) const { return {weights, residualStep(layers, exponent), layers}; }

double Setup::logGrowth(int layers) const { return layers * std::log1p(residualStep(layers, exponent) * squaredNorm); }

int Setup::forwardReach() const {
    double reach = 0;
    for (int layers : depths)
        if (isSimulated(layers))
            reach = std::max(reach, std::min(std::abs(meanAt(layers)) + 8 * std::sqrt(varianceAt(layers, exponent)) + 4 * kernel.reach(),
                                             1.0 * layers * kernel.reach()));
    return static_cast<int>(std::ceil(reach)) + 1;
}

Setup readSetup(const Values& v) {
    Setup s;
    s.differential = v.is("layer", "differential");
    s.exponent = v.number("exponent");
    s.draws = v.number("draws");
    s.precision = v.number("precision");
    s.checkStep = v.number("checkStep");
    s.seed = v.seed();
    if (s.differential)
        readWeights(s, v);
    else
        s.kernel = threePointKernel(v.number("up"), v.number("down"));
    readDepths(s, v);
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    const double taps = static_cast<double>(s.kernel.rates.size()), ring = 2.0 * s.forwardReach() + 1;
    double operations = 1e6, widest = 200, states = 0;
    for (int layers : s.depths) {
        const double positions = positionsOf(s, layers);
        operations += layers * positions * (taps + 4);
        widest = std::max(widest, positions + std::abs(s.meanAt(layers)));
        if (!s.isSimulated(layers)) continue;
        operations += s.draws * layers * ring * (2 * taps + 8);
        states = std::max(states, layers * ring);
    }
    const double units = kCheckUnits, paths = units * (1 + units) * (1 + units);
    if (s.differential) operations += kCheckDraws * s.draws * (paths * paths + 40 * paths);
    // Chains, their rows in the report and once more to be sent; all layers of one forward draw.
    return {operations, 8 * (4 * static_cast<double>(s.depths.size() + 2) * widest * 2 + states + 1e5)};
}

std::string costliestOf(const Request& request) {
    Request fewer = request;
    fewer.params.set("draws", findDeclaration(request.scene)->defaults().at("draws"));
    return costOf(fewer).operations < 0.5 * costOf(request).operations ? "draws" : "depths";
}

}  // namespace kappaflow::deep_limit
