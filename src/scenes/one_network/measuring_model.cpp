#include "scenes/one_network/measuring_model.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/base/errors.h"
#include "core/capacity/capacity_network.h"
#include "core/capacity/diffusion_theory.h"

namespace kappaflow::measuring {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

MeasureSpec specOf(const LookSpec& p, std::vector<Size> states) {
    return {.states = std::move(states), .diagonal = p.diagonal, .groups = kGroups, .mostPairs = p.pairs, .seed = p.seed};
}

}  // namespace

std::vector<Size> statesOf(const Architecture& network) {
    std::vector<Size> states = weightLayerStates(network);
    while (!states.empty() && states.back() > startState(network)) states.pop_back();
    return states.empty() ? std::vector<Size>{0} : states;
}

Cost costOfLook(const Architecture& network, double samples, const LookSpec& p) {
    const MeasureCost once = measureCost(network, samples, 1, specOf(p, statesOf(network)));
    double rules = 0, squares = 0, gates = 0, units = 0, before = static_cast<double>(network.input.units());
    for (const Layer& layer : network.layers) {
        const double out = static_cast<double>(layer.out.units());
        if (layer.is<Pointwise>()) {  // statistics of gates
            rules += 0.3 * out * samples * std::min(out, samples);
            gates = std::max(gates, out * samples);
        }
        if (!layer.is<Dense>()) continue;
        rules += out * (0.15 * samples * (before + 3 * out) + 2 * out * (before + out));
        squares += out * out, before = out;
    }
    for (const Size state : statesOf(network))
        units += static_cast<double>(state == 0 ? network.input.units() : network.layers[state - 1].out.units());
    return {once.operations + rules, once.bytes + 8 * (kGroups * units + 6 * squares + 2 * gates)};
}

namespace {

Vector shares(Vector values) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    for (double& x : values) x = sum > 0 ? x / sum : std::numeric_limits<double>::quiet_NaN();
    return values;
}

Estimate distance(const Vector& rule, const MeasuredProfile& profile, double samples) {
    if (rule.empty()) return {std::numeric_limits<double>::quiet_NaN(), 0};
    Vector without;
    for (const Vector& left : profile.leftOut) without.push_back(totalVariation(rule, left));
    const double error = jackknifeError(without);
    return {totalVariation(rule, profile.capacity), std::isfinite(error) ? error : 0, samples};
}

/// D = P∘P of P1 through whatever layers there are, columns of norm 1, from the squares of the start.
std::vector<Vector> flowOf(const Network& network, Size top, const Vector& direction) {
    const std::vector<kappaflow::Layer> below(network.layers.begin(), network.layers.begin() + static_cast<std::ptrdiff_t>(top));
    Vector capacity;
    for (const double u : direction) capacity.push_back(u * u);
    std::vector<Vector> flow{shares(capacity)};
    const auto parts = weightLayerParts(below);
    kappaflow::Layer scratch;
    double lost = 0;
    for (Size l = parts.size(); l-- > 0;) flow.insert(flow.begin(), propagate(parts[l].folded(scratch), flow.front(), lost));
    return flow;
}

/// Gates of the activations from one state to the next; empty where there are none.
Matrix gatesBetween(const GatedPaths& paths, Size from, Size to) {
    Matrix gates;
    for (Size l = from; l < to; ++l)
        if (paths.network().layers[l].is<Pointwise>()) gates = paths.gates(l);
    return gates;
}

}  // namespace

Look lookAt(const Network& network, const Matrix& inputs, const LookSpec& p, const std::function<void(double)>& tick) {
    const GatedPaths paths(network, inputs, [&] { tick(0); });
    const Size outputs = network.output().units();
    const PathStart start = startAtOutputs(network, {std::min(p.unit, outputs - 1)});
    Look look;
    const DenseChain chain = denseChain(paths, start.state);
    const bool dense = !chain.features.empty();
    const std::vector<Size> states = dense ? chain.stateOf : statesOf(network);
    const MeasuredCapacity all = measureCapacity(paths, start, specOf(p, states), [&](double done) { tick(0.8 * done); });
    look.pairs = all.pairs, look.allPairs = all.allPairs;
    look.states = states;
    std::vector<Matrix> ones, grams;
    for (Size l = 1; l < states.size(); ++l) {
        const Matrix gates = dense ? chain.gates[l - 1] : gatesBetween(paths, states[l - 1], states[l]);
        look.gates.push_back(gates.rows > 0 ? gateStatistics(gates, !dense && gates.rows > kMostShown, [&] { tick(0.85); })
                                            : GateStatistics());
        if (dense) grams.push_back(look.gates.back().coactivation), ones.push_back(identityMatrix(gates.rows));
        tick(0.85);
    }
    const Vector& u = start.directions.values;
    const auto beat = [&] { tick(0.9); };
    std::vector<Vector> channel(states.size()), decoupled(states.size());
    if (dense) channel = channelCapacity(chain, u, grams, p.diagonal, beat);
    try {
        decoupled = dense ? channelCapacity(chain, u, ones, p.diagonal, beat) : flowOf(network, start.state, u);
    } catch (const InputError& error) {  // attention, for one; what is measured needs no rule
        look.unruly = error.what();
    }
    const double n = static_cast<double>(paths.samples());
    for (Size l = 0; l < states.size(); ++l) {
        const MeasuredProfile& profile = all.profiles[l];
        Look::Layer layer{profile.capacity,
                          standardErrors(profile),
                          decoupled[l],
                          channel[l],
                          distance(decoupled[l], profile, n),
                          distance(channel[l], profile, n)};
        for (const double error : layer.errors) layer.byError += error * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
        look.layers.push_back(std::move(layer));
    }
    return look;
}

}  // namespace kappaflow::measuring
