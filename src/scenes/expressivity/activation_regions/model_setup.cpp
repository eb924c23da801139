#include "scenes/expressivity/activation_regions/model_setup.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/regions/piecewise.h"
#include "scenes/chosen_network.h"

namespace kappaflow::regions {
namespace {

using Warnings = std::vector<std::string>;

Shape flat(double units) { return {1, 1, static_cast<int>(units)}; }

Layer dense(double in, double out) {
    Layer layer;
    layer.in = flat(in);
    layer.out = flat(out);
    return layer;
}

/// The weighted layer of a number from 1, null when there is none.
Layer* weightedLayer(Network& network, double number) {
    for (Layer& layer : network.layers)
        if (layer.kind == LayerKind::Dense && --number == 0) return &layer;
    return nullptr;
}

/// Sets one weight (from −1: a bias); false when it does not exist.
bool edit(Network& network, const double* numbers) {
    Layer* layer = weightedLayer(network, std::round(numbers[0]));
    const double to = std::round(numbers[1]), from = std::round(numbers[2]);
    if (!layer || to < 0 || from < -1) return false;
    const double out = static_cast<double>(layer->out.units()), in = static_cast<double>(layer->in.units());
    if (to >= out || from >= in) return false;
    if (layer->bias.empty()) layer->bias.assign(layer->out.units(), 0.0);
    const auto row = static_cast<std::size_t>(to);
    if (from < 0)
        layer->bias[row] = numbers[3];
    else
        layer->weights[row * layer->in.units() + static_cast<std::size_t>(from)] = numbers[3];
    return true;
}

void applyEdits(Network& network, const std::vector<double>& edits, Warnings& warnings) {
    std::size_t missing = 0;
    for (std::size_t i = 0; i + 3 < edits.size(); i += 4) missing += edit(network, &edits[i]) ? 0 : 1;
    if (missing > 0)
        warnings.push_back(std::to_string(missing) + (missing == 1 ? " changed weight was" : " changed weights were") +
                           " left out: the network has no such layer or unit.");
    if (edits.size() % 4 != 0)
        warnings.push_back("edits takes four numbers for each weight; what is left over at its end counts for nothing.");
}

Vec2 pointOf(const std::vector<double>& list) { return {list.empty() ? 0 : list[0], list.size() < 2 ? 0 : list[1]}; }

}  // namespace

std::vector<Vec2> pointsOf(const std::vector<double>& list) {
    std::vector<Vec2> points;
    for (std::size_t i = 0; i + 1 < list.size(); i += 2) points.push_back({list[i], list[i + 1]});
    return points;
}

Architecture architectureOf(const Request& request, Warnings* warnings) {
    const Values& v = request.params;
    if (!v.is("network", "")) return chosenNetwork(request, v.text("network"), warnings);
    Architecture network;
    network.input = flat(v.number("inputs"));
    double in = v.number("inputs");
    for (const double width : v.list("widths")) {
        const double out = std::max(1.0, std::round(width));
        network.layers.push_back(dense(in, out));
        Layer bend;
        bend.kind = LayerKind::Activation;
        bend.in = bend.out = flat(out);
        bend.activation = activationFromKey(v.text("activation"));
        bend.slope = v.number("slope");
        network.layers.push_back(bend);
        in = out;
    }
    network.layers.push_back(dense(in, static_cast<double>(trainedOutputs(request))));
    return network;
}

void requirePiecewiseLinear(const Network& network) {
    const auto check = [](const auto& self, const std::vector<Layer>& layers) -> void {
        for (const Layer& layer : layers) {
            if (layer.kind == LayerKind::Activation && !isPiecewiseLinear(layer))
                throw InputError("Regions with straight sides need activations of straight pieces, and " +
                                 std::string(activationKey(layer.activation)) +
                                 " has none: the scene trajectory-length shows what smooth activations do to a curve.");
            self(self, layer.branch);
            self(self, layer.skip);
        }
    };
    check(check, network.layers);
}

namespace {

Network unchangedNetwork(const Request& request, Warnings* warnings = nullptr) {
    const Values& v = request.params;
    Network network = architectureOf(request, warnings);
    requirePiecewiseLinear(network);
    if (v.is("network", "")) initialise(network, {Initialiser::Gaussian, v.number("weightVariance"), v.number("biasVariance")}, v.seed());
    return network;
}

}  // namespace

void editNetwork(Network& network, const Values& v, Warnings& warnings) { applyEdits(network, v.list("edits"), warnings); }

Network networkOf(const Request& request, Warnings& warnings) {
    Network network = unchangedNetwork(request, &warnings);
    editNetwork(network, request.params, warnings);
    return network;
}

Setup readSetup(const Request& request) {
    const Values& v = request.params;
    Setup s;
    s.network = networkOf(request, s.warnings);
    s.drawnNetwork = v.is("network", "");
    if (trains(v)) s.training = trainingTask(request, unchangedNetwork(request));
    const std::size_t inputs = s.network.input.units();
    if (inputs < 2) throw InputError("Regions of a plane need a network with at least two inputs, and this one has one.");
    s.slice = sliceOf(v, inputs, s.warnings);
    s.centre = pointOf(v.list("centre"));
    s.half = v.number("half");
    s.window = rectangle(s.centre - Vec2{s.half, s.half}, s.centre + Vec2{s.half, s.half});
    s.options.regionBudget = std::min(v.number("budget"), regionsAffordable(s.network));
    s.options.byteBudget = kPartitionBytes;
    s.options.snapshotBytes = kSnapshotBytes;
    const auto outputs = static_cast<double>(s.network.output().units());
    s.output = static_cast<std::size_t>(std::min(v.number("outputIndex"), outputs - 1));
    if (v.number("outputIndex") >= outputs)
        s.warnings.push_back("outputIndex was lowered to " + std::to_string(s.output) + ", the last of the network's outputs.");
    s.path = v.text("path");
    s.drawn = pointsOf(v.list("drawn"));
    s.pathCentre = pointOf(v.list("pathCentre"));
    s.pathRadius = v.number("pathRadius");
    s.withNetwork = request.withNetwork;
    return s;
}

}  // namespace kappaflow::regions
