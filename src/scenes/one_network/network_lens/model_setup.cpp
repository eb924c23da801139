#include "scenes/one_network/network_lens/model_setup.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "scenes/one_network/network_lens/model_edit.h"

namespace kappaflow::lens {
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
    s.edit = {v.text("edit"), v.integer("editLayer"), v.number("editAmount"), v.flag("editAll")};
    s.withNetwork = request.withNetwork;
    if (training(v) && !s.samples.labels.empty())
        beginTask(s, v);
    else if (v.number("steps") > 0 && (drawn(v) || !v.is("data", "gaussian")))
        s.noTraining = whyUntrained(v, s.network);
    return s;
}

}  // namespace kappaflow::lens
