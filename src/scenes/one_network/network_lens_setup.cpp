#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/capacity/capacity_network.h"
#include "core/expressivity/curve_plane.h"
#include "core/io/csv.h"
#include "core/io/images.h"
#include "core/moments/expected_noise.h"
#include "core/moments/network_moments.h"
#include "core/net/data_sets.h"
#include "core/net/edits.h"
#include "core/regions/region_estimate.h"
#include "scenes/chosen_network.h"
#include "scenes/one_network/network_lens_model.h"

namespace kappaflow::network_lens {
namespace {

/// Values of a signal, and images kept of a file.
constexpr int kSignalLength = 32;
constexpr std::size_t kMostFileImages = 1000;
/// Points of the plane of standard deviation 1/2 fill the square from −1 to 1.
constexpr double kSpread = 0.5;

/// The shape of points of the plane, or of square images of one colour or three.
Shape shapeOfFile(std::size_t values) {
    if (values == 2) return {1, 1, 2};
    const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(values))));
    if (static_cast<std::size_t>(side) * static_cast<std::size_t>(side) == values) return {1, side, side};
    const int third = static_cast<int>(std::lround(std::sqrt(static_cast<double>(values) / 3)));
    return {3, third, third};
}

Samples labelled(LabelledPoints points, Shape shape, bool ofPlane) {
    if (ofPlane)
        for (double& x : points.points.values) x *= kSpread;
    return {std::move(points.points), std::move(points.labels), static_cast<int>(points.classes.size()), shape};
}

/// N(0, 1) entries: those of the first draw of the scene of moments.
Samples gaussianSamples(const Architecture& network, std::size_t count, std::uint64_t seed) {
    return {drawNetworkInput(network, MomentData::White, count, seed, 0).signal, {}, 0, network.input};
}

Samples samplesOf(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const auto count = static_cast<std::size_t>(p.samples);
    // A network that is drawn here expects points about 0; others get what the reader wrote.
    if (p.data == "file")
        return labelled(*opened.points, shapeOfFile(opened.points->points.rows), isDrawn(p) && opened.points->points.rows == 2);
    if (p.data == "gaussian") return gaussianSamples({{1, 1, isDrawn(p) ? p.inputs : 1}, {}}, count, p.seed);
    if (p.data == "digits") return labelled(strokeDigits(count, p.seed), {1, kDigitSide, kDigitSide}, false);
    // Slow, alternating, and two that repeat every second value, with and without a change of sign.
    if (p.data == "signals")
        return labelled(autoregressiveSignals({{0.9, 0}, {-0.9, 0}, {0, 0.9}, {0, -0.9}}, count, kSignalLength, p.seed),
                        {1, 1, kSignalLength}, false);
    return labelled(drawDataSet(dataSetFromKey(p.data), count, p.noise, p.seed), {1, 1, 2}, true);
}

/// The samples of a request, before they are drawn.
struct SamplePlan {
    Shape shape;
    std::size_t count = 0;
    int classes = 0;  ///< 0: they have no labels
};
SamplePlan samplePlanOf(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const auto count = static_cast<std::size_t>(p.samples);
    if (p.data == "file")
        return {shapeOfFile(opened.points->points.rows), opened.points->points.columns, static_cast<int>(opened.points->classes.size())};
    if (p.data == "digits") return {{1, kDigitSide, kDigitSide}, count, 10};
    if (p.data == "signals") return {{1, 1, kSignalLength}, count, 4};
    if (p.data == "gaussian") return {{1, 1, isDrawn(p) ? p.inputs : 1}, count, 0};
    return {{1, 1, 2}, count, 2};
}

/// Convolutions halve a side until so little is left.
constexpr int kLeastSide = 4;
/// Channels of a convolution at the most.
constexpr double kMostChannels = 64;

Shape flatShape(std::size_t units) { return {1, 1, static_cast<int>(units)}; }

Layer denseLayer(const Shape& in, std::size_t out) { return {in, flatShape(out), Dense{}}; }

Layer bend(const Params& p, const Shape& shape, std::uint64_t index) {
    static constexpr Activation kActivations[] = {Activation::Relu, Activation::LeakyRelu, Activation::Abs,         Activation::HardTanh,
                                                  Activation::Tanh, Activation::Sigmoid,   Activation::PseudoRandom};
    return {shape, shape,
            Pointwise{.activation = kActivations[static_cast<std::size_t>(p.activation)], .slope = p.slope, .seed = p.seed + index}};
}

/// Three taps along every axis, zero padding, every second position while there are enough.
Layer convLayer(const Shape& in, int channels) {
    Conv conv;
    const int sides[] = {in.height, in.width};
    int outSides[2];
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const int stride = sides[axis] > kLeastSide ? 2 : 1, taps = sides[axis] > 1 ? 3 : 1;
        conv.window.size[axis] = taps;
        conv.window.stride[axis] = stride;
        conv.window.before[axis] = conv.window.after[axis] = taps / 2;
        outSides[axis] = (sides[axis] + 2 * (taps / 2) - taps) / stride + 1;
    }
    return {in, {channels, outSides[0], outSides[1]}, std::move(conv)};
}

/// x + W φ(x) where sizes agree; where they do not, the skip is a matrix of its own.
Layer drawnBlock(const Params& p, const Shape& in, std::size_t out, std::uint64_t index) {
    std::vector<Layer> skip;
    if (in.units() != out) skip = {denseLayer(in, out)};
    return residualBlock(in, {bend(p, in, index), denseLayer(in, out)}, std::move(skip));
}

bool isConvolutional(const Params& p, const Shape& samples) { return p.layers == HiddenLayers::Convolutions && samples.units() > 2; }

/// The network that is drawn here, without weights.
Architecture drawnArchitecture(const Params& p, const SamplePlan& samples) {
    Architecture network;
    network.input = samples.shape;
    Shape at = samples.shape;
    const bool planes = isConvolutional(p, samples.shape), residual = p.layers == HiddenLayers::Residual;
    std::uint64_t index = 0;
    for (const double given : p.widths) {
        const double width = std::max(1.0, std::round(given));
        if (residual && index > 0)
            network.layers.push_back(drawnBlock(p, at, static_cast<std::size_t>(width), index));
        else
            network.layers.push_back(planes ? convLayer(at, static_cast<int>(std::min(width, kMostChannels)))
                                            : denseLayer(at, static_cast<std::size_t>(width)));
        at = network.layers.back().out;
        if (!residual) network.layers.push_back(bend(p, at, index));
        ++index;
    }
    if (residual) network.layers.push_back(bend(p, at, index));
    if (planes) {
        network.layers.push_back({at, flatShape(at.units()), Flatten{}});
        at = network.output();
    }
    const int outputs = samples.classes == 0 ? p.outputs : samples.classes > 2 ? samples.classes : 1;
    network.layers.push_back(denseLayer(at, static_cast<std::size_t>(outputs)));
    return network;
}

/// A network file takes samples of its own size, whatever data were chosen for drawn ones; so many numbers at the most.
constexpr double kMostNumbers = 4e6;

/// The samples as the network takes them, or Gaussian ones in their place.
void fitSamples(Setup& s) {
    const std::size_t inputs = s.network->input.units();
    if (s.samples.inputs.rows == inputs) {
        s.samples.shape = s.network->input;
        if (s.p.data == "file" && !isDrawn(s.p) && inputs > 2)
            s.warnings.push_back(
                "Images from files are shifted and scaled to mean 0 and standard deviation 1 in each channel: a network that "
                "learned from others may not know them.");
        return;
    }
    if (s.p.data != "gaussian")
        s.warnings.push_back("The data have " + std::to_string(s.samples.inputs.rows) + " inputs and the network " +
                             std::to_string(inputs) + ": Gaussian samples take their place.");
    const double room = std::floor(kMostNumbers / static_cast<double>(inputs));
    const double count = std::clamp(static_cast<double>(s.p.samples), 3.0, std::max(room, 3.0));
    s.samples = gaussianSamples(*s.network, static_cast<std::size_t>(count), s.p.seed);
}

/// The first sample of a class, `otherwise` without labels or without one.
std::size_t firstOf(const Samples& samples, int label, std::size_t otherwise) {
    const auto found = std::find(samples.labels.begin(), samples.labels.end(), label);
    return found == samples.labels.end() ? std::min(otherwise, samples.count() - 1)
                                         : static_cast<std::size_t>(found - samples.labels.begin());
}

bool spanPlane(const Samples& s, std::size_t a, std::size_t b, std::size_t c) {
    try {
        sliceThrough(s.at(a), s.at(b), s.at(c));
        return true;
    } catch (const InputError&) {
        return false;
    }
}

/// A third sample of another class where there is one, and one that lies on no line with both others.
std::size_t thirdSample(const Samples& s, std::size_t a, std::size_t b) {
    constexpr std::size_t kTries = 64;
    const std::size_t first = firstOf(s, 2, 2);
    for (std::size_t i = 0; i < std::min(kTries, s.count()); ++i) {
        const std::size_t c = (first + i) % s.count();
        if (c != a && c != b && spanPlane(s, a, b, c)) return c;
    }
    return first;
}

void chooseSamples(Setup& s) {
    const auto pick = [&](const char* key, int given, std::size_t otherwise) {
        const std::size_t last = s.samples.count() - 1;
        if (given < 0) return otherwise;
        if (static_cast<std::size_t>(given) > last)
            s.warnings.push_back(std::string(key) + " was lowered to " + std::to_string(last) + ", the last sample.");
        return std::min(static_cast<std::size_t>(given), last);
    };
    s.chosen[0] = pick("pointA", s.p.pointA, firstOf(s.samples, 0, 0));
    s.chosen[1] = pick("pointB", s.p.pointB, firstOf(s.samples, 1, 1));
    s.chosen[2] = pick("pointC", s.p.pointC, thirdSample(s.samples, s.chosen[0], s.chosen[1]));
}

/// The plane of two inputs, shifted and scaled so that all samples lie within 0.65 of its middle, in the window that it opens with.
Slice fittedSlice(const Matrix& inputs) {
    constexpr double kFitted = 0.65;
    Slice slice{{0, 0}, {0, 0}, {0, 0}};
    double reach = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        const auto [low, high] = std::minmax_element(inputs.row(i), inputs.row(i) + inputs.columns);
        slice.origin[i] = *low / 2 + *high / 2;
        reach = std::max(reach, *high / 2 - *low / 2);
    }
    slice.u[0] = slice.v[1] = reach > 0 ? reach / kFitted : 1;
    return slice;
}

/// The plane, its window, and the places of the samples in it.
void placeSamples(Setup& s) {
    constexpr std::size_t kMostShown = 1000;
    const auto& given = s.p.centre;
    const Vec2 centre{given.empty() ? 0 : given[0], given.size() < 2 ? 0 : given[1]};
    s.low = centre - Vec2{s.p.half, s.p.half};
    s.high = centre + Vec2{s.p.half, s.p.half};
    const std::size_t inputs = s.network->input.units();
    if (inputs < 2) {
        s.noSlice = "Regions of a plane need two inputs or more, and this network has one.";
    } else if (inputs == 2) {
        s.slice = isDrawn(s.p) && s.p.data != "file" ? sliceOfInputs(2) : fittedSlice(s.samples.inputs);
    } else if (spanPlane(s.samples, s.chosen[0], s.chosen[1], s.chosen[2])) {
        s.slice = sliceAround(s.samples.at(s.chosen[0]), s.samples.at(s.chosen[1]), s.samples.at(s.chosen[2]));
    } else {
        s.noSlice = "Samples A, B and C lie on one line, so that no plane goes through them alone: choose another.";
    }
    for (std::size_t i = 0; s.slice && i < std::min(s.samples.count(), kMostShown); ++i)
        s.places.push_back(footOn(*s.slice, s.samples.at(i)));
}

TrainingSpec specOf(const Params& p) {
    TrainingSpec spec;
    spec.loss = p.loss == LossKind::MeanSquare ? Loss::MeanSquare : Loss::CrossEntropy;
    spec.optimiser.kind = p.optimiser == Rule::Momentum ? Optimiser::Momentum : Optimiser::Adam;
    spec.optimiser.learningRate = p.learningRate;
    spec.batch = static_cast<std::size_t>(p.batch);
    spec.seed = p.seed;
    return spec;
}

/// The task of training, or why there is none.
void setTraining(Setup& s) {
    if (isTrained(s.p) && !s.samples.labels.empty()) {
        try {
            // Its labels may ask for other outputs than a given network has.
            s.training =
                training_runs::taskOf(specOf(s.p), s.p.steps, s.p.step, *s.network, s.samples.inputs, s.samples.labels, s.samples.classes);
            s.training->spec.frozen = frozenLayers(*s.network, s.p);
        } catch (const InputError& error) {
            s.noTraining = error.what();
        }
        return;
    }
    if (s.p.steps == 0 || (!isDrawn(s.p) && s.p.data == "gaussian")) return;
    s.noTraining = (s.p.data == "gaussian" ? "Gaussian samples have no labels to learn"
                                           : "The data do not have the network's " + std::to_string(s.network->input.units()) +
                                                 " inputs, so that it cannot learn from them") +
                   (isDrawn(s.p) ? ": the network stays as it was drawn." : ": the network stays as it was read.");
}

}  // namespace

std::vector<double> Samples::at(std::size_t sample) const {
    std::vector<double> x(inputs.rows);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = inputs(i, sample);
    return x;
}

void readFiles(Opened<Params>& opened, const Request& request) {
    openNetwork(opened, request);
    if (opened.params.data != "file") return;
    if (!opened.data) throw InputError("data=file needs the data file itself, which a link does not carry: open it again.");
    const auto& [name, bytes] = *opened.data;
    opened.points = std::make_shared<const LabelledPoints>(holdsImages(bytes)       ? readLabelledImages(bytes, name, kMostFileImages)
                                                           : isDrawn(opened.params) ? readCsv(bytes, name)
                                                                                    : readCsvAsWritten(bytes, name));
}

Setup readSetup(const Opened<Params>& opened, const std::function<void()>& tick) {
    const Params& p = opened.params;
    Setup s{p};
    s.samples = samplesOf(opened);
    s.network = opened.network;
    if (isDrawn(p)) {
        const SamplePlan plan = samplePlanOf(opened);
        if (isConvolutional(p, plan.shape) && std::any_of(p.widths.begin(), p.widths.end(), [](double k) { return k > kMostChannels; }))
            s.warnings.push_back("Widths above 64 were lowered: a convolution has at most 64 channels here.");
        static constexpr Initialiser kInitialisers[] = {Initialiser::He, Initialiser::LeCun, Initialiser::Gaussian,
                                                        Initialiser::Orthogonal};
        Network drawn = drawnArchitecture(p, plan);
        validate(drawn);
        initialise(drawn, {kInitialisers[static_cast<std::size_t>(p.initialisation)], p.weightVariance, p.biasVariance}, p.seed, tick);
        s.network = std::make_shared<const Network>(std::move(drawn));
    } else {
        validate(*s.network);
    }
    fitSamples(s);
    if (p.layers == HiddenLayers::Convolutions && isDrawn(p) && s.samples.inputs.rows <= 2)
        s.warnings.push_back("Convolutions need signals or images: points of the plane go through dense layers.");
    chooseSamples(s);
    placeSamples(s);
    const std::size_t last = s.network->output().units() - 1;
    s.unit = std::min(static_cast<std::size_t>(p.unit), last);
    if (static_cast<std::size_t>(p.unit) > last)
        s.warnings.push_back("unit was lowered to " + std::to_string(last) + ", the last of the network's outputs.");
    setTraining(s);
    return s;
}

namespace {

double square(double x) { return x * x; }

/// Weights and units of a network and of all inside its blocks, and what drawing them takes.
struct Size {
    double weights = 0, uses = 0, units = 0, widest = 0, drawing = 0, planes = 0;
};

void count(const std::vector<Layer>& layers, bool orthogonal, Size& size) {
    eachLayer(layers, [&](const Layer& layer) {
        const double weights = weightCount(layer), out = static_cast<double>(layer.out.units());
        size.weights += weights + out;
        size.uses += connectionsOf(layer) + out;
        size.units += out;
        size.widest = std::max(size.widest, out);
        // The triangles of an orthogonal draw: each weight once for every row or column, whichever are fewer.
        const double narrow = layer.is<Dense>() ? std::min(out, static_cast<double>(layer.in.units())) : layer.out.channels;
        size.drawing += weights * (20 + (orthogonal ? 2.5 * narrow : 0));
        size.planes += layer.is<Dense>() ? workOfPlane(kMostCurvePoints, layer.out.units()) : 0;
    });
}

double capacityWork(const Architecture& network) {
    double work = 0;
    for (const WeightLayer& part : weightLayerParts(network.layers)) {
        const double flow = part.layer->is<Dense>() ? 10 * connectionsOf(*part.layer) : 0;  // collected for the picture
        work += 1.5 * propagationOperations(*part.layer) + flow;
    }
    return std::min(work, kFinalWork) + 1e5;
}

Cost regionsCost(const Architecture& network, double budget) {
    const double regions =
        whyNoRegions(network).empty() ? regionsWithin(network, kBoundOverWork * kFinalWork, std::min(budget, mostRegions(network))) : 0;
    if (regions == 0) return {1e4, 1e4};
    Cost cost = partitionCost(network, partitionOptions(regions));
    cost.operations = cost.operations / 4 + 200 * regions;
    cost.bytes += 3 * 8 * regions * (30 + static_cast<double>(network.layers.size()));
    return cost;
}

Cost lensesCost(const Params& p, const Architecture& network, const Size& size, double samples) {
    const bool edited = p.edit != EditKind::None;
    const Cost regions = regionsCost(network, p.budget);
    const Cost moments = costOfNetworkMoments(network, std::min(samples, 128.0)),
               noise = costOfExpectedNoise(network, std::min(samples, 128.0), noiseShareOf(p) * kFinalWork);
    // A curve: its first sample, its images and their planes, its pieces, and sampled lengths.
    const double curve = std::min(1600 * size.uses + size.planes, 1.5 * kFinalWork) + 1e6;
    Cost cost;
    cost.operations = capacityWork(network) * (edited ? 2 : 1) + regions.operations + curve +
                      std::min(moments.operations + noise.operations, (1 + noiseShareOf(p)) * kFinalWork);
    const Cost measuring = costOfMeasuring(network, samples);
    cost.operations += measuring.operations;
    // Inserted weights are drawn, removed ones multiplied into the next layer's, and the outputs of both networks compared.
    if (edited) cost.operations += std::min(size.widest * size.weights, kMostEditWork) + std::min(2 * samples * size.uses, kFinalWork / 4);
    if (p.edit == EditKind::Insert) cost.operations += 25 * square(size.widest);
    cost.bytes = regions.bytes + std::min(moments.bytes, 3e7) + noise.bytes + measuring.bytes + 3 * 8 * 3e5 + 64 * size.units;
    return cost;
}

Cost wholeCost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const SamplePlan samples = samplePlanOf(opened);
    const Architecture network = isDrawn(p) ? drawnArchitecture(p, samples) : *opened.network;
    const double inputs = static_cast<double>(network.input.units()), drawnSamples = static_cast<double>(samples.count);
    Size size;
    count(network.layers, p.initialisation == Initialisation::Orthogonal, size);
    Cost cost = lensesCost(p, network, size, drawnSamples);
    const double lenses = cost.operations;
    cost.operations += size.drawing + 90 * inputs * std::min(drawnSamples, 4e6 / inputs) + 4000 * drawnSamples;
    // The network as it was drawn, the copy that is looked at, curves through it, and the edited one with a layer more.
    cost.bytes += 8 * (size.weights * (p.edit == EditKind::None ? 3 : 4) + square(p.edit == EditKind::Insert ? size.widest : 0)) +
                  40 * inputs * std::min(drawnSamples, 4e6 / inputs) + 1e7;
    // Its file has no more bytes than the weights as doubles.
    if (p.network == "file") cost.bytes += 8 * size.weights;
    if (opened.data) cost.bytes += static_cast<double>(opened.data->bytes.size());
    if (!isTrained(p) || samples.classes == 0 || samples.shape.units() != network.input.units()) return cost;
    const Cost training = training_runs::costOf(p.steps, p.batch, network, drawnSamples);
    // A third of the time goes to looks on the way.
    cost.operations += 1.5 * training.operations + 3 * std::min(kPassingWork, lenses);
    cost.bytes += training.bytes + 24 * inputs * drawnSamples;
    return cost;
}

}  // namespace

Cost cost(const Opened<Params>& opened) {
    try {
        return wholeCost(opened);
    } catch (const InputError&) {
        // Nothing will be computed: the run refuses the network and says why.
        return {1e4, 1e5};
    }
}

}  // namespace kappaflow::network_lens
