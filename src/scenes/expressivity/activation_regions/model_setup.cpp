#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/regions/partition.h"
#include "scenes/chosen_network.h"
#include "scenes/expressivity/activation_regions/model.h"

namespace kappaflow::regions {
namespace {

using Warnings = std::vector<std::string>;
using Vector = std::vector<double>;

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

/// Of the centre's size: some thousand doubles lie between the middle of such a window and its sides.
constexpr double kLeastHalf = 1e-12;

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
    if (trains(v)) s.training = trainingTask(request, unchangedNetwork(request));
    const std::size_t inputs = s.network.input.units();
    if (inputs < 2) throw InputError("Regions of a plane need a network with at least two inputs, and this one has one.");
    s.slice = sliceOf(v, inputs, s.warnings);
    s.centre = pointOf(v.list("centre"));
    s.half = v.number("half");
    if (const double least = kLeastHalf * std::max(std::abs(s.centre.x), std::abs(s.centre.y)); s.half < least) {
        s.half = least;
        s.warnings.push_back("half was raised to " + inWords(least) + ": near this centre no smaller window holds enough numbers to draw.");
    }
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

namespace {

double dot(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

Vector combined(const Vector& a, double s, const Vector& b, double t) {
    Vector sum(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) sum[i] = s * a[i] + t * b[i];
    return sum;
}

Vector axis(std::size_t inputs, std::size_t which) {
    Vector unit(inputs);
    unit[which] = 1;
    return unit;
}

/// Three orthonormal directions: the axes of three inputs, random ones of more.
std::vector<Vector> frameOf(std::size_t inputs, std::uint64_t seed) {
    std::vector<Vector> frame;
    for (std::size_t k = 0; k < 3; ++k) {
        Vector e = axis(inputs, k);
        if (inputs > 3) {
            Rng rng(seed, Purpose::Inputs, k);
            for (double& entry : e) entry = rng.gaussian();
            for (const Vector& before : frame) e = combined(e, 1, before, -dot(e, before));
            e = combined(e, 1 / std::sqrt(dot(e, e)), e, 0);
        }
        frame.push_back(std::move(e));
    }
    return frame;
}

constexpr double kDegree = 3.14159265358979323846 / 180;

/// Cosine and sine.
Vec2 turnOf(double degrees) {
    const SineCosine turn = portableSineCosine(degrees * kDegree);
    return {turn.cosine, turn.sine};
}

Slice turnedSlice(const Values& v, std::size_t inputs) {
    const auto frame = frameOf(inputs, v.seed());
    const Vec2 round = turnOf(v.number("azimuth")), lean = turnOf(v.number("tilt"));
    const Vector across = combined(frame[0], -round.y, frame[1], round.x);
    Slice slice;
    slice.u = combined(frame[0], round.x, frame[1], round.y);
    slice.v = combined(across, lean.x, frame[2], lean.y);
    slice.origin = combined(across, -lean.y * v.number("shift"), frame[2], lean.x * v.number("shift"));
    return slice;
}

std::string wrongLength(const char* key, std::size_t wanted, std::size_t found) {
    return std::string(key) + " takes " + std::to_string(wanted) + " numbers here, not " + std::to_string(found) +
           ": the plane turned by hand is shown.";
}

/// Replaces what is given, when anything is.
bool take(const Values& v, const char* key, Vector& into, std::vector<std::string>& warnings) {
    const Vector& list = v.list(key);
    if (list.empty()) return true;
    if (list.size() != into.size()) {
        warnings.push_back(wrongLength(key, into.size(), list.size()));
        return false;
    }
    into = list;
    return true;
}

Slice throughPoints(const Vector& corners, std::size_t inputs) {
    const auto at = [&](std::size_t k) {
        const auto begin = corners.begin() + static_cast<std::ptrdiff_t>(k * inputs);
        return Vector(begin, begin + static_cast<std::ptrdiff_t>(inputs));
    };
    return sliceAround(at(0), at(1), at(2));
}

bool isPlane(const Slice& slice, std::size_t inputs) {
    try {
        validate(slice, inputs);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace

Slice sliceOf(const Values& v, std::size_t inputs, std::vector<std::string>& warnings) {
    if (inputs == 2) {
        if (!v.is("plane", "turned"))
            warnings.push_back("plane=" + v.text("plane") + " was left out: the plane of a network with two inputs is that of its inputs.");
        return sliceOfInputs(2);
    }
    const Slice turned = turnedSlice(v, inputs);
    if (v.is("plane", "given")) {
        Slice slice = turned;
        slice.origin = Vector(inputs);
        if (!take(v, "origin", slice.origin, warnings) || !take(v, "direction1", slice.u, warnings) ||
            !take(v, "direction2", slice.v, warnings))
            return turned;
        if (isPlane(slice, inputs)) return slice;
        warnings.push_back("The two directions are parallel, or one of them is 0: the plane turned by hand is shown.");
    } else if (v.is("plane", "points")) {
        const Vector& corners = v.list("corners");
        if (corners.size() != 3 * inputs) {
            warnings.push_back(wrongLength("corners", 3 * inputs, corners.size()));
            return turned;
        }
        try {
            return throughPoints(corners, inputs);
        } catch (const InputError&) {
            warnings.push_back("The three points lie on one line: the plane turned by hand is shown.");
        }
    }
    return turned;
}

namespace {

/// Numbers of the report for each region (four corners, two edges and a vertex a region, their axes included), and for each layer of it.
constexpr double kDoublesARegion = 40, kDoublesARegionAndLayer = 1;
/// Memory that partition and report share; training has the rest of what a request may take.
constexpr double kMemory = 2e8;

double lines(const Layer& layer) {
    const double thresholds = layer.activation == Activation::HardTanh || layer.activation == Activation::Relu6 ? 2 : 1;
    return thresholds * static_cast<double>(layer.out.units());
}

/// Regions that layers of so many lines can make at the most.
double mostRegions(const Architecture& network) {
    double product = 1;
    for (const Layer& layer : network.layers) {
        const double t = lines(layer);
        if (layer.kind == LayerKind::Activation) product *= 1 + t + t * (t - 1) / 2;
        // Residual branches and pooling bend too; what they can make is left to the budget.
        if (layer.kind == LayerKind::Residual || layer.kind == LayerKind::MaxPool) return 1e300;
    }
    return product;
}

double depthsOf(const Architecture& network) {
    return static_cast<double>(std::count_if(network.layers.begin(), network.layers.end(),
                                             [](const Layer& layer) { return layer.kind == LayerKind::Activation; }));
}

/// Weights as the network has them and as they were read.
double weightBytes(const Architecture& network) {
    double weights = 0;
    for (const Layer& layer : network.layers) weights += layer.kind == LayerKind::Dense ? weightCount(layer) : 0;
    return 16 * weights;
}

double reportBytes(const Architecture& network, double regions) {
    const double states = std::min(regions, 3e4) * depthsOf(network);
    return 8 * (regions * (kDoublesARegion + kDoublesARegionAndLayer * depthsOf(network)) + states) + 1e5;
}

PartitionOptions optionsFor(double regions) {
    PartitionOptions options;
    options.regionBudget = regions;
    options.byteBudget = kPartitionBytes;
    options.snapshotBytes = kSnapshotBytes;
    return options;
}

double bytesOf(const Architecture& network, double regions) {
    return partitionCost(network, optionsFor(regions)).bytes + weightBytes(network) + reportBytes(network, regions);
}

double operationsOf(const Architecture& network, double regions) {
    // Affine pieces take what the cuts take three times over.
    return 4 * partitionCost(network, optionsFor(regions)).operations + 4 * weightBytes(network) + 200 * regions + 1e4;
}

Cost costWith(const Request& request, double budget) {
    const Architecture network = architectureOf(request);
    const double regions = std::min({budget, mostRegions(network), regionsAffordable(network)});
    const Cost training = trainingCost(request, network);
    const double onTheWay =
        trains(request.params) ? 0.3 * training.operations + operationsOf(network, std::min(regions, kRegionsOnTheWay)) : 0;
    // On the way there are the last report, the new one and the one that is handed out; they are gone before the last cut.
    const double fewer = std::min(regions, kRegionsOnTheWay);
    const double bytes = std::max(bytesOf(network, regions), onTheWay > 0 ? bytesOf(network, fewer) + 2 * reportBytes(network, fewer) : 0);
    return {operationsOf(network, regions) + training.operations + onTheWay, bytes + training.bytes};
}

bool over(const Cost& cost) { return !(cost.operations <= kCostLimit.operations && cost.bytes <= kCostLimit.bytes); }

}  // namespace

double regionsAffordable(const Architecture& network) {
    // Linear in their number once values at vertices are held to their own limit; not less than 1000, whose cost then speaks for itself.
    constexpr double kMany = 2e5, kOperations = 1.2e10;
    const double few = bytesOf(network, 1), many = bytesOf(network, kMany), values = kPartitionBytes + kSnapshotBytes;
    const double bytesEach = std::max(400.0, (many - few - values) / kMany);
    const double operationsEach = std::max(1.0, operationsOf(network, kMany) / kMany);
    return std::max(1000.0, std::floor(std::min((kMemory - few - values) / bytesEach, kOperations / operationsEach)));
}

Cost costOf(const Request& request) {
    try {
        return costWith(request, request.params.number("budget"));
    } catch (const InputError&) {
        // Nothing will be computed: the start refuses the network and says why.
        return {1e4, 1e5};
    }
}

std::string costliestOf(const Request& request) {
    try {
        if (!over(costWith(request, std::min(request.params.number("budget"), 1000.0)))) return "budget";
        if (over(trainingCost(request, architectureOf(request)))) return "steps";
    } catch (const InputError&) {
        return "network";
    }
    if (!request.params.is("network", "")) return "network";
    return request.params.list("widths").size() == 1 ? "inputs" : "widths";
}

}  // namespace kappaflow::regions
