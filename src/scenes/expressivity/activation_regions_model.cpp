#include "scenes/expressivity/activation_regions_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/expressivity/dichotomies.h"
#include "core/regions/region_estimate.h"

namespace kappaflow::activation_regions {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Warnings = std::vector<std::string>;

// The network.

Shape flat(double units) { return {1, 1, static_cast<int>(units)}; }

Layer dense(double in, double out) { return {flat(in), flat(out), Dense{}}; }

/// One output, but for more than two classes one each.
double outputsOf(const Given& given) {
    const bool file = trains(given.params) && given.params.data == "file";
    return file && given.points->classes.size() > 2 ? static_cast<double>(given.points->classes.size()) : 1;
}

/// Sets one weight (from −1: a bias) to `numbers` = layer from 1, unit, unit it reads, value; false when it does not exist.
bool edit(Network& network, const double* numbers) {
    double number = std::round(numbers[0]);
    const auto layer =
        std::find_if(network.layers.begin(), network.layers.end(), [&](const Layer& l) { return l.is<Dense>() && --number == 0; });
    const double to = std::round(numbers[1]), from = std::round(numbers[2]);
    if (layer == network.layers.end() || to < 0 || from < -1) return false;
    if (to >= static_cast<double>(layer->out.units()) || from >= static_cast<double>(layer->in.units())) return false;
    auto& [weights, bias] = layer->as<Weights>();
    if (bias.empty()) bias.assign(layer->out.units(), 0.0);
    const auto row = static_cast<Size>(to);
    if (from < 0)
        bias[row] = numbers[3];
    else
        weights[row * layer->in.units() + static_cast<Size>(from)] = numbers[3];
    return true;
}

}  // namespace

bool trains(const Params& p) { return p.data != "none" && p.network.empty() && p.inputs == 2; }

Architecture architectureOf(const Given& given) {
    const Params& p = given.params;
    if (!p.network.empty()) return *given.network;
    constexpr Activation kActivations[] = {Activation::Relu, Activation::LeakyRelu, Activation::Abs, Activation::HardTanh,
                                           Activation::Relu6};
    Architecture network;
    network.input = flat(p.inputs);
    double in = p.inputs;
    for (const double width : p.widths) {
        const double out = std::max(1.0, std::round(width));
        network.layers.push_back(dense(in, out));
        network.layers.push_back(
            {flat(out), flat(out), Pointwise{.activation = kActivations[static_cast<Size>(p.activation)], .slope = p.slope}});
        in = out;
    }
    network.layers.push_back(dense(in, outputsOf(given)));
    return network;
}

Network startingNetwork(const Given& given) {
    const Params& p = given.params;
    Network network = architectureOf(given);
    if (p.network.empty()) initialise(network, {Initialiser::Gaussian, p.weightVariance, p.biasVariance}, p.seed);
    return network;
}

void editNetwork(Network& network, const Vector& edits, Warnings& warnings) {
    Size missing = 0;
    for (Size i = 0; i + 3 < edits.size(); i += 4) missing += edit(network, &edits[i]) ? 0 : 1;
    if (missing > 0)
        warnings.push_back(std::to_string(missing) + (missing == 1 ? " changed weight was" : " changed weights were") +
                           " left out: the network has no such layer or unit.");
    if (edits.size() % 4 != 0)
        warnings.push_back("edits takes four numbers for each weight; what is left over at its end counts for nothing.");
}

void requirePiecewiseLinear(const Network& network) {
    eachLayer(network.layers, [](const Layer& layer) {
        const auto* f = layer.getIf<Pointwise>();
        if (f && !isPiecewiseLinear(f->activation))
            throw InputError("Regions with straight sides need activations of straight pieces, and " +
                             std::string(activationKey(f->activation)) + (layer.name.empty() ? "" : " (\"" + layer.name + "\")") +
                             " has none: the scene trajectory-length shows what smooth activations do to a curve.");
    });
}

// The plane.

namespace {

double dot(const Vector& a, const Vector& b) {
    double sum = 0;
    for (Size i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

Vector combined(const Vector& a, double s, const Vector& b, double t) {
    Vector sum(a.size());
    for (Size i = 0; i < a.size(); ++i) sum[i] = s * a[i] + t * b[i];
    return sum;
}

/// Within three orthonormal directions: the axes of three inputs, random ones of more.
Slice turnedSlice(const Params& p, Size inputs) {
    std::vector<Vector> frame;
    for (Size k = 0; k < 3; ++k) {
        Vector e(inputs);
        e[k] = 1;
        if (inputs > 3) {
            Rng rng(p.seed, Purpose::Inputs, k);
            for (double& entry : e) entry = rng.gaussian();
            for (const Vector& before : frame) e = combined(e, 1, before, -dot(e, before));
            e = combined(e, 1 / std::sqrt(dot(e, e)), e, 0);
        }
        frame.push_back(std::move(e));
    }
    constexpr double kDegree = std::numbers::pi / 180;
    const SineCosine round = portableSineCosine(p.azimuth * kDegree), lean = portableSineCosine(p.tilt * kDegree);
    const Vector across = combined(frame[0], -round.sine, frame[1], round.cosine);
    Slice slice;
    slice.u = combined(frame[0], round.cosine, frame[1], round.sine);
    slice.v = combined(across, lean.cosine, frame[2], lean.sine);
    slice.origin = combined(across, -lean.sine * p.shift, frame[2], lean.cosine * p.shift);
    return slice;
}

std::string wrongLength(const char* key, Size wanted, Size found) {
    return std::string(key) + " takes " + std::to_string(wanted) + " numbers here, not " + std::to_string(found) +
           ": the plane turned by hand is shown.";
}

/// Replaces what is given, when anything is.
bool take(const char* key, const Vector& list, Vector& into, Warnings& warnings) {
    if (list.empty()) return true;
    if (list.size() != into.size()) {
        warnings.push_back(wrongLength(key, into.size(), list.size()));
        return false;
    }
    into = list;
    return true;
}

bool isPlane(const Slice& slice, Size inputs) {
    try {
        validate(slice, inputs);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace

Slice sliceOf(const Params& p, Size inputs, Warnings& warnings) {
    if (inputs == 2) {
        if (p.plane != PlaneBy::Turned)
            warnings.push_back(std::string("plane=") + (p.plane == PlaneBy::Given ? "given" : "points") +
                               " was left out: the plane of a network with two inputs is that of its inputs.");
        return sliceOfInputs(2);
    }
    Slice turned = turnedSlice(p, inputs);
    if (p.plane == PlaneBy::Given) {
        Slice slice = turned;
        slice.origin = Vector(inputs);
        if (!take("origin", p.origin, slice.origin, warnings) || !take("direction1", p.direction1, slice.u, warnings) ||
            !take("direction2", p.direction2, slice.v, warnings))
            return turned;
        if (isPlane(slice, inputs)) return slice;
        warnings.push_back("The two directions are parallel, or one of them is 0: the plane turned by hand is shown.");
    } else if (p.plane == PlaneBy::Points) {
        if (p.corners.size() != 3 * inputs) {
            warnings.push_back(wrongLength("corners", 3 * inputs, p.corners.size()));
            return turned;
        }
        const auto corner = [&](Size k) {
            const auto begin = p.corners.begin() + static_cast<std::ptrdiff_t>(k * inputs);
            return Vector(begin, begin + static_cast<std::ptrdiff_t>(inputs));
        };
        try {
            return sliceAround(corner(0), corner(1), corner(2));
        } catch (const InputError&) {
            warnings.push_back("The three points lie on one line: the plane turned by hand is shown.");
        }
    }
    return turned;
}

// Budgets and costs.

namespace {

/// Memory of mesh and values, and of what is kept to begin again from a layer.
constexpr double kPartitionBytes = 6e7, kSnapshotBytes = 1.6e7;
/// Numbers of the report for each region (four corners, two edges and a vertex a region, their axes included), and for each layer of it.
constexpr double kDoublesARegion = 40, kDoublesARegionAndLayer = 1;
/// Memory that partition and report share; training has the rest of what a request may take.
constexpr double kMemory = 2e8;

double meanSquare(const Vector& x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return x.empty() ? 0 : sum / static_cast<double>(x.size());
}

/// About how many regions the layers make in the window: of drawn weights in the mean field, of others counted along lines.
double expectedRegions(const Given& given, const Architecture& network) {
    const Params& p = given.params;
    Warnings none;
    Slice slice = sliceOf(p, network.input.units(), none);
    if (!p.network.empty() || !p.edits.empty()) {
        if (!isCountable(network)) return 1e300;
        Network known = startingNetwork(given);
        editNetwork(known, p.edits, none);
        return countedRegions(known, slice, {p.centre.empty() ? 0 : p.centre[0], p.centre.size() < 2 ? 0 : p.centre[1]}, p.half);
    }
    for (Size i = 0; i < p.centre.size() && i < 2; ++i)
        for (Size j = 0; j < slice.origin.size(); ++j) slice.origin[j] += p.centre[i] * (i == 0 ? slice.u : slice.v)[j];
    // Mean squares over units, of values in the window and of their change along a unit of length.
    double speed = (meanSquare(slice.u) + meanSquare(slice.v)) / 2, square = meanSquare(slice.origin) + 2 * p.half * p.half / 3 * speed;
    double c = 0;
    for (const Layer& layer : network.layers) {
        const double units = static_cast<double>(layer.out.units());
        const double alongLine = std::sqrt(speed / square) / std::numbers::pi;
        const auto* f = layer.getIf<Pointwise>();
        if (layer.is<Dense>()) {
            speed *= p.weightVariance;
            square = std::max(p.weightVariance * square + p.biasVariance, 1e-300);
        } else if (f && isPiecewiseLinear(f->activation)) {
            for (const double threshold : piecewiseLinear(f->activation, f->slope).thresholds)
                c += units * alongLine * std::exp(-threshold * threshold / (2 * square));
            const GaussianMoments moments = gaussianMoments(f->activation, f->slope, square);
            speed *= moments.slopeSquare, square = std::max(moments.square, 1e-300);
        } else if (!layer.is<Flatten>()) {
            return 1e300;
        }
    }
    return regionsOfLines(c, p.half);
}

double depthsOf(const Architecture& network) {
    return static_cast<double>(
        std::count_if(network.layers.begin(), network.layers.end(), [](const Layer& layer) { return layer.is<Pointwise>(); }));
}

/// Weights as the network has them and as they were read.
double weightBytes(const Architecture& network) {
    double weights = 0;
    for (const Layer& layer : network.layers) weights += layer.is<Dense>() ? weightCount(layer) : 0;
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

/// How many regions of such a network may be made and reported within time and memory, whatever the reader's budget is.
double regionsAffordable(const Architecture& network) {
    // Linear in their number once values at vertices are held to their own limit; not less than 1000, whose cost then speaks for itself.
    constexpr double kMany = 2e5, kOperations = 1.2e10;
    const double few = bytesOf(network, 1), many = bytesOf(network, kMany), values = kPartitionBytes + kSnapshotBytes;
    const double bytesEach = std::max(400.0, (many - few - values) / kMany);
    const double operationsEach = std::max(1.0, operationsOf(network, kMany) / kMany);
    return std::max(1000.0, std::floor(std::min((kMemory - few - values) / bytesEach, kOperations / operationsEach)));
}

}  // namespace

Cost costOf(const Given& given) {
    const Params& p = given.params;
    const Architecture network = architectureOf(given);
    // Draws scatter, and training folds more.
    const double expected = 100 + (trains(p) ? 4 : 2) * expectedRegions(given, network);
    const double regions = std::min({1.0 * p.budget, mostRegions(network), regionsAffordable(network), expected});
    const double samples = p.data == "file" && given.points ? static_cast<double>(given.points->labels.size()) : p.samples;
    const Cost training = trains(p) ? training_runs::costOf(p.steps, p.batch, network, samples) : Cost{};
    const double fewer = std::min(regions, kRegionsOnTheWay);
    // On the way there are the last report, the new one and the one that is handed out; they are gone before the last cut.
    const double onTheWay = trains(p) ? 0.3 * training.operations + operationsOf(network, fewer) : 0;
    const double bytes = std::max(bytesOf(network, regions), onTheWay > 0 ? bytesOf(network, fewer) + 2 * reportBytes(network, fewer) : 0);
    return {operationsOf(network, regions) + training.operations + onTheWay, bytes + training.bytes};
}

Setup setupOf(const Given& given) {
    const Params& p = given.params;
    Setup s;
    s.network = startingNetwork(given);
    editNetwork(s.network, p.edits, s.warnings);
    s.slice = sliceOf(p, s.network.input.units(), s.warnings);
    if (!p.centre.empty()) s.centre.x = p.centre[0];
    if (p.centre.size() > 1) s.centre.y = p.centre[1];
    s.half = p.half;
    // Of the centre's size: some thousand doubles lie between the middle of such a window and its sides.
    constexpr double kLeastHalf = 1e-12;
    if (const double least = kLeastHalf * std::max(std::abs(s.centre.x), std::abs(s.centre.y)); s.half < least) {
        s.half = least;
        s.warnings.push_back("half was raised to " + inWords(least) + ": near this centre no smaller window holds enough numbers to draw.");
    }
    s.window = rectangle(s.centre - Vec2{s.half, s.half}, s.centre + Vec2{s.half, s.half});
    s.options = optionsFor(std::min(1.0 * p.budget, regionsAffordable(s.network)));
    const auto outputs = static_cast<double>(s.network.output().units());
    if (p.outputIndex >= outputs)
        s.warnings.push_back("outputIndex was lowered to " + std::to_string(static_cast<Size>(outputs) - 1) +
                             ", the last of the network's outputs.");
    return s;
}

LabelledPoints trainingPoints(const Given& given) {
    const Params& p = given.params;
    if (!trains(p)) return {};
    LabelledPoints points =
        p.data == "file" ? *given.points : drawDataSet(dataSetFromKey(p.data), static_cast<Size>(p.samples), p.noise, p.seed);
    // Points of standard deviation 1/2 fill the square from −1 to 1.
    for (double& x : points.points.values) x *= 0.5;
    return points;
}

training_runs::Task trainingTask(const Params& p, const LabelledPoints& points, Network drawn) {
    TrainingSpec spec;
    spec.loss = p.loss == Penalty::MeanSquare ? Loss::MeanSquare : Loss::CrossEntropy;
    spec.optimiser.kind = p.optimiser == Rule::Momentum ? Optimiser::Momentum : Optimiser::Adam;
    spec.optimiser.learningRate = p.learningRate;
    spec.batch = static_cast<Size>(p.batch);
    spec.seed = p.seed;
    return training_runs::taskOf(spec, p.steps, p.step, std::move(drawn), points.points, points.labels,
                                 static_cast<int>(points.classes.size()));
}

}  // namespace kappaflow::activation_regions
