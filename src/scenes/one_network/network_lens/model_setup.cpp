#include "scenes/one_network/network_lens/model_setup.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/io/csv.h"
#include "core/io/images.h"
#include "core/moments/network_moments.h"
#include "core/net/data_sets.h"
#include "scenes/chosen_network.h"
#include "scenes/one_network/network_lens/model_lens.h"

namespace kappaflow::lens {
namespace {

/// Points of the plane of standard deviation 1/2 fill the square from −1 to 1.
constexpr double kSpread = 0.5;

Samples ofPlane(LabelledPoints points) {
    for (double& x : points.points.values) x *= kSpread;
    return {std::move(points.points), std::move(points.labels), static_cast<int>(points.classes.size()), {1, 1, 2}};
}

Samples of(LabelledPoints points, Shape shape) {
    return {std::move(points.points), std::move(points.labels), static_cast<int>(points.classes.size()), shape};
}

/// The shape of square images of one colour or three.
Shape imageShape(std::size_t values) {
    const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(values))));
    if (static_cast<std::size_t>(side) * static_cast<std::size_t>(side) == values) return {1, side, side};
    const int third = static_cast<int>(std::lround(std::sqrt(static_cast<double>(values) / 3)));
    return {3, third, third};
}

/// `drawn`: for a network that is drawn here, which expects points about 0. Others get what the reader wrote.
Samples fileSamples(const Attachment& file, bool drawn) {
    if (!holdsImages(file.bytes))
        return drawn ? ofPlane(readCsv(file.bytes, file.name)) : of(readCsvAsWritten(file.bytes, file.name), {1, 1, 2});
    LabelledPoints images = readLabelledImages(file.bytes, file.name, kMostFileImages);
    const Shape shape = imageShape(images.points.rows);
    return of(std::move(images), shape);
}

/// Slow, alternating, and two that repeat every second value, with and without a change of sign.
LabelledPoints signals(std::size_t count, std::uint64_t seed) {
    return autoregressiveSignals({{0.9, 0}, {-0.9, 0}, {0, 0.9}, {0, -0.9}}, count, kSignalLength, seed);
}

}  // namespace

Samples gaussianSamples(const Architecture& network, std::size_t count, std::uint64_t seed) {
    return {drawNetworkInput(network, MomentData::White, count, seed, 0).signal, {}, 0, network.input};
}

Samples samplesOf(const Request& request) {
    const Values& v = request.params;
    const auto count = static_cast<std::size_t>(v.integer("samples"));
    if (v.is("data", "file")) {
        if (!request.data) throw InputError("data=file needs the data file itself, which a link does not carry: open it again.");
        return fileSamples(*request.data, drawn(v));
    }
    if (v.is("data", "gaussian")) return gaussianSamples({{1, 1, drawn(v) ? v.integer("inputs") : 1}, {}}, count, v.seed());
    if (v.is("data", "digits")) return of(strokeDigits(count, v.seed()), {1, kDigitSide, kDigitSide});
    if (v.is("data", "signals")) return of(signals(count, v.seed()), {1, 1, kSignalLength});
    return ofPlane(drawDataSet(dataSetFromKey(v.text("data")), count, v.number("noise"), v.seed()));
}

SamplePlan planOf(const Samples& samples) { return {samples.shape, samples.count(), samples.labels.empty() ? 0 : samples.classes}; }

SamplePlan samplePlanOf(const Request& request) {
    const Values& v = request.params;
    const auto count = static_cast<std::size_t>(v.integer("samples"));
    if (v.is("data", "file")) return planOf(samplesOf(request));
    if (v.is("data", "digits")) return {{1, kDigitSide, kDigitSide}, count, 10};
    if (v.is("data", "signals")) return {{1, 1, kSignalLength}, count, 4};
    if (v.is("data", "gaussian")) return {{1, 1, drawn(v) ? v.integer("inputs") : 1}, count, 0};
    return {{1, 1, 2}, count, 2};
}

std::vector<double> Samples::at(std::size_t sample) const {
    std::vector<double> x(inputs.rows);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = inputs(i, sample);
    return x;
}

namespace {

/// Convolutions halve a side until so little is left.
constexpr int kLeastSide = 4;
/// Channels of a convolution at the most.
constexpr double kMostChannels = 64;

Shape flatShape(std::size_t units) { return {1, 1, static_cast<int>(units)}; }

Layer denseLayer(const Shape& in, std::size_t out) {
    Layer layer;
    layer.in = in;
    layer.out = flatShape(out);
    return layer;
}

Layer bend(const Values& v, const Shape& shape, std::uint64_t index) {
    Layer layer;
    layer.kind = LayerKind::Activation;
    layer.in = layer.out = shape;
    layer.activation = activationFromKey(v.text("activation"));
    layer.slope = v.number("slope");
    layer.seed = v.seed() + index;
    return layer;
}

/// Three taps along every axis, zero padding, every second position while there are enough.
Layer convLayer(const Shape& in, int channels) {
    Layer layer;
    layer.kind = LayerKind::Conv;
    layer.in = in;
    layer.out.channels = channels;
    const int sides[] = {in.height, in.width};
    int outSides[2];
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const int stride = sides[axis] > kLeastSide ? 2 : 1, taps = sides[axis] > 1 ? 3 : 1;
        layer.window.size[axis] = taps;
        layer.window.stride[axis] = stride;
        layer.window.before[axis] = layer.window.after[axis] = taps / 2;
        outSides[axis] = (sides[axis] + 2 * (taps / 2) - taps) / stride + 1;
    }
    layer.out.height = outSides[0];
    layer.out.width = outSides[1];
    return layer;
}

/// x + W φ(x) where sizes agree; where they do not, the skip is a matrix of its own.
Layer block(const Values& v, const Shape& in, std::size_t out, std::uint64_t index) {
    Layer layer;
    layer.kind = LayerKind::Residual;
    layer.in = in;
    layer.out = flatShape(out);
    layer.branch = {bend(v, in, index), denseLayer(in, out)};
    if (in.units() != out) layer.skip = {denseLayer(in, out)};
    return layer;
}

std::size_t outputsOf(const Values& v, const SamplePlan& samples) {
    if (samples.classes == 0) return static_cast<std::size_t>(v.integer("outputs"));
    return samples.classes > 2 ? static_cast<std::size_t>(samples.classes) : 1;
}

}  // namespace

Architecture architectureOf(const Request& request, const SamplePlan& samples, std::vector<std::string>* warnings) {
    const Values& v = request.params;
    if (!drawn(v)) return chosenNetwork(request, v.text("network"), warnings);
    Architecture network;
    network.input = samples.shape;
    Shape at = samples.shape;
    const bool planes = v.is("layers", "conv") && samples.shape.units() > 2;
    const auto& widths = v.list("widths");
    if (planes && warnings && std::any_of(widths.begin(), widths.end(), [](double width) { return width > kMostChannels; }))
        warnings->push_back("Widths above 64 were lowered: a convolution has at most 64 channels here.");
    std::uint64_t index = 0;
    for (const double given : widths) {
        const double width = std::max(1.0, std::round(given));
        const bool first = index == 0;
        if (v.is("layers", "residual") && !first)
            network.layers.push_back(block(v, at, static_cast<std::size_t>(width), index));
        else
            network.layers.push_back(planes ? convLayer(at, static_cast<int>(std::min(width, kMostChannels)))
                                            : denseLayer(at, static_cast<std::size_t>(width)));
        at = network.layers.back().out;
        if (!v.is("layers", "residual")) network.layers.push_back(bend(v, at, index));
        ++index;
    }
    if (v.is("layers", "residual")) network.layers.push_back(bend(v, at, index));
    if (planes) {
        Layer flatten;
        flatten.kind = LayerKind::Flatten;
        flatten.in = at;
        flatten.out = at = flatShape(at.units());
        network.layers.push_back(flatten);
    }
    network.layers.push_back(denseLayer(at, outputsOf(v, samples)));
    return network;
}

namespace {

/// A network file takes samples of its own size, whatever data were chosen for drawn ones; so many numbers at the most.
constexpr double kMostNumbers = 4e6;

Samples fitting(const Values& v, const Network& network, Samples samples, std::vector<std::string>& warnings) {
    const std::size_t inputs = network.input.units();
    if (samples.inputs.rows == inputs) {
        samples.shape = network.input;
        if (v.is("data", "file") && !drawn(v) && inputs > 2)
            warnings.push_back(
                "Images from files are shifted and scaled to mean 0 and standard deviation 1 in each channel: a network that "
                "learned from others may not know them.");
        return samples;
    }
    if (!v.is("data", "gaussian"))
        warnings.push_back("The data have " + std::to_string(samples.inputs.rows) + " inputs and the network " + std::to_string(inputs) +
                           ": Gaussian samples take their place.");
    const double room = std::floor(kMostNumbers / static_cast<double>(inputs));
    const double count = std::clamp(v.number("samples"), 3.0, std::max(room, 3.0));
    return gaussianSamples(network, static_cast<std::size_t>(count), v.seed());
}

std::size_t pickedSample(const Values& v, const char* key, std::size_t otherwise, std::size_t count, std::vector<std::string>& warnings) {
    const double given = v.number(key);
    if (given < 0) return otherwise;
    if (given >= static_cast<double>(count))
        warnings.push_back(std::string(key) + " was lowered to " + std::to_string(count - 1) + ", the last sample.");
    return std::min(static_cast<std::size_t>(given), count - 1);
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

Initialiser initialiserOf(const Values& v) {
    if (v.is("initialisation", "lecun")) return Initialiser::LeCun;
    if (v.is("initialisation", "gaussian")) return Initialiser::Gaussian;
    return v.is("initialisation", "orthogonal") ? Initialiser::Orthogonal : Initialiser::He;
}

void choose(Setup& s, const Values& v) {
    const Samples& all = s.samples;
    const auto pick = [&](const char* key, std::size_t otherwise) { return pickedSample(v, key, otherwise, all.count(), s.warnings); };
    s.chosen[0] = pick("pointA", firstOf(all, 0, 0));
    s.chosen[1] = pick("pointB", firstOf(all, 1, 1));
    s.chosen[2] = pick("pointC", thirdSample(all, s.chosen[0], s.chosen[1]));
}

/// Farthest that any sample lies from the middle of a plane that is fitted to them.
constexpr double kFitted = 0.65;

/// The plane of two inputs, shifted and scaled so that all samples are in the window that it opens with.
Slice fittedSlice(const Matrix& inputs) {
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

void place(Setup& s, const Values& v) {
    const auto& centre = v.list("centre");
    s.centre = {centre.empty() ? 0 : centre[0], centre.size() < 2 ? 0 : centre[1]};
    s.half = v.number("half");
    s.window = rectangle(s.centre - Vec2{s.half, s.half}, s.centre + Vec2{s.half, s.half});
    const std::size_t inputs = s.network.input.units();
    if (inputs < 2) {
        s.noSlice = "Regions of a plane need two inputs or more, and this network has one.";
    } else if (inputs == 2) {
        s.slice = drawn(v) && !v.is("data", "file") ? sliceOfInputs(2) : fittedSlice(s.samples.inputs);
    } else if (spanPlane(s.samples, s.chosen[0], s.chosen[1], s.chosen[2])) {
        s.slice = sliceAround(s.samples.at(s.chosen[0]), s.samples.at(s.chosen[1]), s.samples.at(s.chosen[2]));
    } else {
        s.noSlice = "Samples A, B and C lie on one line, so that no plane goes through them alone: choose another.";
    }
}

std::string whyUntrained(const Values& v, const Network& network) {
    const std::string stays = drawn(v) ? ": the network stays as it was drawn." : ": the network stays as it was read.";
    if (v.is("data", "gaussian")) return "Gaussian samples have no labels to learn" + stays;
    return "The data do not have the network's " + std::to_string(network.input.units()) + " inputs, so that it cannot learn from them" +
           stays;
}

/// Its labels may ask for other outputs than a given network has.
void beginTask(Setup& s, const Values& v) {
    try {
        s.training = training_runs::taskOf(v, s.network, s.samples.inputs, s.samples.labels, s.samples.classes);
        s.training->spec.frozen = frozenLayers(s.network, s.edit);
    } catch (const InputError& error) {
        s.noTraining = error.what();
    }
}

/// Samples that a picture can show.
constexpr std::size_t kMostSamplesShown = 1000;

void placeSamples(Setup& s) {
    const std::size_t shown = s.slice ? std::min(s.samples.count(), kMostSamplesShown) : 0;
    for (std::size_t i = 0; i < shown; ++i) s.places.push_back(footOn(*s.slice, s.samples.at(i)));
}

}  // namespace

double noiseShareOf(const Values& v) { return training(v) ? 0.2 : 0.5; }

Setup readSetup(const Request& request) {
    const Values& v = request.params;
    Setup s;
    s.seed = v.seed();
    Samples samples = samplesOf(request);
    s.network = architectureOf(request, planOf(samples), &s.warnings);
    validate(s.network);
    s.samples = fitting(v, s.network, std::move(samples), s.warnings);
    if (v.is("layers", "conv") && drawn(v) && s.samples.inputs.rows <= 2)
        s.warnings.push_back("Convolutions need signals or images: points of the plane go through dense layers.");
    if (drawn(v)) initialise(s.network, {initialiserOf(v), v.number("weightVariance"), v.number("biasVariance")}, v.seed());
    choose(s, v);
    place(s, v);
    placeSamples(s);
    s.budget = v.number("budget");
    const std::size_t outputs = s.network.output().units();
    s.unit = std::min(static_cast<std::size_t>(v.integer("unit")), outputs - 1);
    if (v.number("unit") >= static_cast<double>(outputs))
        s.warnings.push_back("unit was lowered to " + std::to_string(s.unit) + ", the last of the network's outputs.");
    s.arc = v.is("trajectory", "arc");
    s.noiseShare = noiseShareOf(v);
    s.edit = {v.text("edit"), v.integer("editLayer"), v.number("editAmount"), v.flag("editAll")};
    s.withNetwork = request.withNetwork;
    if (training(v) && !s.samples.labels.empty())
        beginTask(s, v);
    else if (v.number("steps") > 0 && (drawn(v) || !v.is("data", "gaussian")))
        s.noTraining = whyUntrained(v, s.network);
    return s;
}

}  // namespace kappaflow::lens
