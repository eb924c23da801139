#include "scenes/expressivity/training_tradeoff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "core/expressivity/curve_plane.h"
#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "core/net/batch_layers.h"
#include "core/net/data_sets.h"
#include "scenes/expressivity/digits_model.h"

namespace kappaflow {
namespace training_tradeoff {

using namespace digit_training;
using Size = std::size_t;
using Vector = std::vector<double>;
using Steps = std::vector<std::uint64_t>;

Steps lookedAt(std::uint64_t last) {
    Steps steps{0};
    // Tenths of a decade.
    constexpr std::uint64_t kTenths[] = {10, 13, 16, 20, 25, 32, 40, 50, 63, 79};
    for (std::uint64_t decade = 1; decade * 10 <= last; decade *= 10)
        for (const std::uint64_t tenth : kTenths)
            if (tenth * decade <= last) steps.push_back(tenth * decade);
    if (steps.back() != last) steps.push_back(last);
    return steps;
}

Steps lookedAtUntil(std::uint64_t last, std::uint64_t end) {
    Steps steps = lookedAt(last);
    if (last <= end) return steps;
    steps.erase(std::upper_bound(steps.begin(), steps.end(), end), steps.end());
    if (steps.back() != end) steps.push_back(end);
    return steps;
}

Size risingLayers(const std::vector<Vector>& before, const std::vector<Vector>& after) {
    Size rising = 0;
    const double n = static_cast<double>(before.size());
    for (Size layer = 1; layer < before[0].size(); ++layer) {
        double sum = 0, squares = 0;
        for (Size arc = 0; arc < before.size(); ++arc) {
            const double difference = after[arc][layer] - before[arc][layer];
            sum += difference, squares += difference * difference;
        }
        const double variance = std::max(squares - sum * sum / n, 0.0) / (n - 1);
        rising += sum / n > std::sqrt(variance / n);
    }
    return rising;
}

std::string lengthsInWords(double last, double lastRandom) {
    // What "1 times as long" rounds to.
    constexpr double kSame = 0.005;
    if (std::abs(last - 1) < kSame) return "lengths stay as they were between samples";
    if (last > 1) return "lengths rise between samples";
    return last < lastRandom ? "lengths fall, and faster between samples"
                             : "lengths fall between samples, but not faster than between random points";
}

namespace {

using namespace table;

constexpr const char* kFigures = "P4 Figs 4–5";
constexpr OptionRow kShown[] = {{"length", "lengths (Figs 4–5)"}, {"transitions", "transitions"}};
constexpr OptionRow kRules[] = {{"adam", "Adam"}, {"momentum", "SGD, momentum 0.9"}};

constexpr ParamRow kParams[] = {
    weightVarianceRow<&Params::weightVariance>("Weights are drawn from N(0, σ_w²/k): the survey shows 16, where lengths fall, and 3.",
                                               kFigures),
    dataRow<&Params::data>(kFigures),
    whole<&Params::width>("width", "k", "width", {4, 256}, "Units of every hidden layer.", kFigures) | logarithmic | costly,
    whole<&Params::layers>("layers", "n", "layers", {1, 12}, "Hidden layers.", kFigures) | costly,
    whole<&Params::steps>("steps", "T", "training steps", {10, 10000}, "How long it is trained; more steps go on from those already made.",
                          kFigures) |
        logarithmic | costly,
    rateRow<&Params::learningRate>(kFigures),
    choice<&Params::show>("show", "beside one another", kShown, "What is drawn for every layer and training step.", kFigures) | ofView,
    // With 0.6 of their mean image the digits show the signs of the survey's images: between falling in all layers and in hardly any. A
    // file's samples are left as they are.
    number<&Params::meanImage>("meanImage", "", "mean image kept", {0, 1},
                               "Share of the samples' mean image that each of them keeps: 1 as they are, 0 without.", kFigures) |
        dependsOn<[](const Params& p) {
            return Beside{p.data == "file" ? 1.0 : 0.6, 1};
        }> |
        more,
    samplesRow<&Params::samples>(kFigures), batchRow<&Params::batch>(kFigures) | costly,
    choice<&Params::optimiser>("optimiser", "optimiser", kRules, "Rule that turns gradients into steps; the survey does not name its own.",
                               kFigures) |
        more,
    biasVarianceRow<&Params::biasVariance>(kFigures),
    whole<&Params::arcs>("arcs", "", "arcs", {2, 32}, "Pairs of samples, and of random points, between which arcs are followed.",
                         kFigures) |
        logarithmic | costly | more,
    seed<&Params::seed>("Start of the random numbers of weights, samples, their order, and arcs.", kFigures),
    shownAt<&Params::at>("t", "training step", 10000, "The training step that stands out; the last one reached beyond it.", kFigures),
    plays<&Params::play>("Whether the training steps pass by themselves.", kFigures),
    whole<&Params::layer>("layer", "d", "layer drawn", {0, 12}, "The layer whose image of one arc is drawn; the last beyond it.",
                          kFigures) |
        hidden | ofView,
    number<&Params::angle>("angle", "t", "place on the arc", {0, 90}, "The place on the arc that is marked, in degrees.", kFigures) |
        hidden | ofView};

constexpr AxisRow kStep = axis<&Result::looks>("step"), kLayer = axis<&Result::layers>("layer"), kAngle = axis<&Result::angles>("angle"),
                  kCoordinate = axis<&Result::coordinates>("coordinate"), kEnd = axis<&Result::ends>("end"),
                  kPixel = axis<&Result::pixels>("pixel");

constexpr FieldRow kFields[] = {
    measured<&Result::length>("length", "l_d", {kStep, kLayer},
                              "Length of the image of an arc between two samples, mean over arcs; layer 0 is the input."),
    measured<&Result::lengthRandom>("lengthRandom", "l_d", {kStep, kLayer}, "The same between two random points, entries N(0, 1)."),
    measured<&Result::transitions>("transitions", "", {kStep, kLayer},
                                   "Changes of the linear piece of a layer's units along an arc between two samples, mean over arcs."),
    measured<&Result::transitionsRandom>("transitionsRandom", "", {kStep, kLayer}, "The same between two random points."),
    measured<&Result::accuracy>("accuracy", "", {kStep}, "Share of the samples learnt from that are named rightly.") | gaps,
    measured<&Result::testAccuracy>("testAccuracy", "", {kStep}, "Share of the held-out samples that are named rightly.") | gaps,
    measured<&Result::loss>("loss", "", {kStep}, "Cross entropy over the samples learnt from.") | gaps,
    measured<&Result::image>("image", "z", {kStep, kLayer, kAngle, kCoordinate},
                             "One arc between samples of two classes, at each step in the plane where its image in the layer spreads most, "
                             "turned to lie nearest to the step before; in the layer's units."),
    measured<&Result::endImages>("endImages", "x", {kEnd, kPixel}, "The samples at the ends of that arc, as they are learnt from."),
    measured<&Result::steps>("steps", "t", {}, "Training steps made."),
    measured<&Result::lastLayerChange>("lastLayerChange", "", {},
                                       "Length in the last hidden layer at the end over that before training, between samples."),
    measured<&Result::lastLayerChangeRandom>("lastLayerChangeRandom", "", {}, "The same between random points."),
    measured<&Result::firstLayerChange>("firstLayerChange", "", {}, "The same in the first layer, between samples."),
    measured<&Result::risingLayers>("risingLayers", "", {},
                                    "Hidden layers whose lengths between samples end longer, by over a standard error over arcs.")};

constexpr PresetRow kPresets[] = {
    {"σ_w² = 16: lengths fall (Fig 4)"},
    preset<[](Params& p) { p.weightVariance = 3; }>(
        "σ_w² = 3: lengths rise (Fig 5)",
        "Started with smaller weights, σ² = 3, training lengthens the images of arcs between samples in every layer."),
    preset<[](Params& p) { p.show = Show::Transitions; }>(
        "σ_w² = 16: transitions",
        "The same training, counted in transitions: between samples the first and the last layer end with fewer than they began."),
    preset<[](Params& p) { p.meanImage = 0; }>(
        "Without the mean image: lengths do not fall",
        "Without the mean image between samples and weights as before, lengths between samples rise in all five layers."),
    preset<[](Params& p) { p.meanImage = 1; }>(
        "With the whole mean image: lengths fall, less is learnt",
        "With the whole mean image lengths between samples halve in the last layer, but only 64 % of the samples are learnt."),
    preset<[](Params& p) { p.weightVariance = 1; }>(
        "A calm start: σ_w² = 1",
        "From calm weights, σ² = 1, training makes the images of arcs between samples nearly six times as long in the last layer."),
    preset<[](Params& p) {
        p.meanImage = 1, p.layers = 3, p.width = 40, p.samples = 800, p.learningRate = 4e-3, p.steps = 3000, p.play = true;
    }>("Learnt: three layers, 800 digits",
       "While digits are learnt, the last layer's images of arcs between two of them get half as long; between random points they do "
       "not.")};

constexpr ArcSampling kSampling{16, 40};
/// Points of the arc that is drawn: one every half degree.
constexpr Size kDrawn = 181;
/// Stream of the ends of arcs.
constexpr std::uint64_t kEnds = std::uint64_t{1} << 32;

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const SampleSizes sizes = sizesOf(opened.points.get(), p.samples);
    const Architecture network = hardTanhArchitecture(p.layers, p.width, sizes.inputs, sizes.classes);
    const double all = sizes.samples + sizes.held, width = p.width;
    const double batch = std::min(1.0 * p.batch, sizes.samples), looks = static_cast<double>(lookedAt(static_cast<Size>(p.steps)).size());
    // Measured: 18 pieces in each layer of a stratum, failed windows included, each some nanoseconds a unit and weight.
    const double pieces = static_cast<double>(kSampling.strata) * p.layers * 18;
    const double arc = pieces * (0.32 * width * width + 14 * width) + 3 * sizes.inputs * width;
    // Samples as they are drawn, and parted; the file's bytes are the reader's.
    return {2.5e5 * all + p.steps * stepOperations(network.layers, batch) +
                looks * ((all + kDrawn) * lookOperations(network.layers) + 2.0 * p.arcs * arc +
                         p.layers * workOfPlane(kDrawn, static_cast<Size>(p.width))) +
                workOfPlane(kDrawn, static_cast<Size>(sizes.inputs)) + 1e6,
            8 * (2.1 * sizes.inputs * all + 14 * parametersOf(network.layers) + 4 * unitsOf(network.layers) * (batch + 256) +
                 50 * width * 200) +
                2e6 + looks * (p.layers + 1) * (80 + 48.0 * kDrawn)};
}

/// Mean over arcs, with its standard error, layer after layer.
struct ArcMeans {
    Estimates length, transitions;
    std::vector<Vector> lengths;  ///< [arc][layer], the same arcs at every step
};

/// What is known of one training step.
struct Snapshot {
    Evaluation learnt;
    double heldOut = 0;  ///< accuracy
    ArcMeans samples, random;
    std::vector<PlaneImage> planes;  ///< [layer], of the arc that is drawn
};

/// A training run with what is known of it; the next request for the same run but for its steps goes on with it.
struct Training {
    Params params;
    std::shared_ptr<const Attachment> data;
    TrainingData held;
    std::vector<std::string> classes;
    std::unique_ptr<Trainer> trainer;
    TrainingCheckpoint start;
    std::map<std::uint64_t, Snapshot> snapshots;
    std::string trouble;
    std::uint64_t diverged = ~std::uint64_t{0};  ///< step after which it did
};

/// What the run is made of.
Params runParams(Params p) {
    const Params defaults;
    p.steps = defaults.steps, p.show = defaults.show, p.at = defaults.at, p.play = defaults.play;
    p.layer = defaults.layer, p.angle = defaults.angle;
    return p;
}

/// Of a request that went through the codec every file is a copy.
bool sameFile(const Attachment* a, const Attachment* b) { return a == b || (a && b && a->name == b->name && a->bytes == b->bytes); }

Training begin(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    Samples samples = makeSamples(opened.points.get(), p.samples, p.seed, p.meanImage, [&] { progress.tick(0); });
    const auto inputs = static_cast<double>(samples.inputs()), classes = static_cast<double>(samples.classes());
    TrainingSpec spec;
    spec.optimiser.kind = p.optimiser == Rule::Momentum ? Optimiser::Momentum : Optimiser::Adam;
    spec.optimiser.learningRate = p.learningRate;
    spec.batch = static_cast<Size>(p.batch);
    spec.seed = p.seed;
    Training run;
    run.params = runParams(p);
    run.data = opened.data;
    run.held = std::move(samples.held);
    for (Size c = 0; c < samples.classes(); ++c) run.classes.push_back(opened.points ? opened.points->classes[c] : std::to_string(c));
    run.trainer = std::make_unique<Trainer>(drawnNetwork(hardTanhArchitecture(p.layers, p.width, inputs, classes), p.weightVariance,
                                                         p.biasVariance, p.seed, [&] { progress.tick(0); }),
                                            std::move(samples.train), spec);
    run.start = run.trainer->checkpoint();
    return run;
}

/// Two different samples.
std::array<Size, 2> samplePair(Size samples, std::uint64_t seed, Size arc) {
    Rng rng(seed, Purpose::Inputs, kEnds + arc);
    const auto first = static_cast<Size>(rng.below(samples));
    const auto second = static_cast<Size>(rng.below(samples - 1));
    return {first, second >= first ? second + 1 : second};
}

RandomEnds sampleEnds(const Matrix& inputs, std::uint64_t seed, Size arc) {
    const auto column = [&](Size s) {
        Vector x(inputs.rows);
        for (Size i = 0; i < inputs.rows; ++i) x[i] = inputs(i, s);
        return x;
    };
    const auto [first, second] = samplePair(inputs.columns, seed, arc);
    return {column(first), column(second)};
}

Size classOf(const TrainingData& data, Size sample) {
    Size largest = 0;
    for (Size c = 1; c < data.targets.rows; ++c)
        if (data.targets(c, sample) > data.targets(largest, sample)) largest = c;
    return largest;
}

/// Ends of the arc that is drawn: of the arcs between samples the first between two classes.
std::array<Size, 2> drawnPair(const Training& run) {
    const TrainingData& data = run.trainer->data();
    for (Size arc = 0; arc < static_cast<Size>(run.params.arcs); ++arc)
        if (const auto pair = samplePair(data.inputs.columns, run.params.seed, arc); classOf(data, pair[0]) != classOf(data, pair[1]))
            return pair;
    return samplePair(data.inputs.columns, run.params.seed, 0);
}

double drawnAngle(Size point) { return 90.0 * static_cast<double>(point) / (kDrawn - 1); }

/// The drawn arc's image in each layer's principal plane, turned to lie nearest to that of `before`; the input's stays.
std::vector<PlaneImage> planesOf(const Training& run, const std::vector<PlaneImage>* before, const std::function<void()>& tick) {
    const Matrix& inputs = run.trainer->data().inputs;
    const auto [first, second] = drawnPair(run);
    Matrix state(inputs.rows, kDrawn), next;
    for (Size k = 0; k < kDrawn; ++k) {
        double basis[3];
        basisAt(CurveForm::Arc, drawnAngle(k) * std::numbers::pi / 180, basis);
        for (Size i = 0; i < inputs.rows; ++i) state(i, k) = basis[0] * inputs(i, first) + basis[1] * inputs(i, second);
    }
    std::vector<PlaneImage> planes;
    if (before)
        planes.push_back(before->front());
    else
        planes.push_back(principalPlane(transposed(state).values, state.rows));
    for (const Layer& layer : std::span(run.trainer->network().layers).first(2 * static_cast<Size>(run.params.layers))) {
        applyBatch(layer, state, next);
        std::swap(state, next);
        if (!layer.is<Pointwise>()) continue;
        using Points = std::span<const std::array<double, 2>>;
        planes.push_back(principalPlane(transposed(state).values, state.rows, before ? Points((*before)[planes.size()].at) : Points()));
        tick();
    }
    return planes;
}

Estimates meanOf(const std::vector<ArcImages>& images, Vector ArcImages::*part) {
    Estimates means;
    const double n = static_cast<double>(images.size());
    for (Size l = 0; l < (images.front().*part).size(); ++l) {
        double sum = 0, squares = 0;
        for (const ArcImages& image : images) sum += (image.*part)[l];
        for (const ArcImages& image : images) squares += ((image.*part)[l] - sum / n) * ((image.*part)[l] - sum / n);
        means.values.push_back(sum / n);
        means.standardErrors.push_back(std::sqrt(squares / (n * (n - 1))));
    }
    return means;
}

/// Samples first, then arcs between samples, then between random points, then the arc that is drawn.
Snapshot lookAt(const Training& run, int arcs, const std::function<void()>& tick) {
    const Network& network = run.trainer->network();
    const auto& [inputs, targets] = run.trainer->data();
    Snapshot made;
    const Matrix outputs = passThrough(network.layers, inputs, tick);
    made.learnt = {lossOf(Loss::CrossEntropy, outputs, targets), accuracyOf(Loss::CrossEntropy, outputs, targets)};
    made.heldOut = accuracyOf(Loss::CrossEntropy, passThrough(network.layers, run.held.inputs, tick), run.held.targets);
    const ArcLayers layers = arcLayers(network);
    const std::uint64_t seed = run.params.seed;
    std::uint64_t stream = 0;
    for (ArcMeans* means : {&made.samples, &made.random}) {
        std::vector<ArcImages> images;
        for (Size arc = 0; arc < static_cast<Size>(arcs); ++arc) {
            const RandomEnds ends = means == &made.random ? randomEnds(inputs.rows, seed, arc) : sampleEnds(inputs, seed, arc);
            images.push_back(sampleArc(layers, ends.x0, ends.x1, kSampling, Rng(seed, Purpose::MonteCarlo, stream++), tick));
            means->lengths.push_back(images.back().length);
        }
        means->length = meanOf(images, &ArcImages::length);
        means->transitions = meanOf(images, &ArcImages::transitions);
    }
    // The step before is one that every run through this step looks at.
    const Steps until = lookedAt(run.trainer->steps());
    const auto before = until.size() > 1 ? run.snapshots.find(until[until.size() - 2]) : run.snapshots.end();
    made.planes = planesOf(run, before == run.snapshots.end() ? nullptr : &before->second.planes, tick);
    return made;
}

/// Nothing where no length was found before training.
std::optional<double> ratio(double after, double before) { return before > 0 ? std::optional(after / before) : std::nullopt; }

Result resultOf(const Params& p, const Training& run) {
    Result r;
    const auto last = static_cast<std::uint64_t>(p.steps);
    if (last > run.diverged) r.warnings.push_back(run.trouble);
    const auto layers = static_cast<Size>(p.layers);
    r.layers = countUp(layers + 1);
    for (Size k = 0; k < kDrawn; ++k) r.angles.push_back(drawnAngle(k));
    r.coordinates = {"x", "y"};
    const TrainingData& data = run.trainer->data();
    r.pixels = countUp(data.inputs.rows);
    for (const Size end : drawnPair(run)) {
        r.ends.push_back(run.classes[classOf(data, end)]);
        for (Size i = 0; i < data.inputs.rows; ++i) r.endImages.push_back(data.inputs(i, end));
    }
    const auto append = [](Estimates& rows, const Estimates& row) {
        rows.values.insert(rows.values.end(), row.values.begin(), row.values.end());
        rows.standardErrors.insert(rows.standardErrors.end(), row.standardErrors.begin(), row.standardErrors.end());
    };
    const auto finite = [](double x) { return std::isfinite(x) ? x : std::numeric_limits<double>::quiet_NaN(); };
    const Snapshot *before = nullptr, *after = nullptr;
    for (const std::uint64_t step : lookedAtUntil(last, run.diverged)) {
        const auto known = run.snapshots.find(step);
        if (known == run.snapshots.end()) continue;
        after = &known->second;
        if (!before) before = after;
        r.looks.push_back(static_cast<double>(step));
        append(r.length, after->samples.length);
        append(r.lengthRandom, after->random.length);
        append(r.transitions, after->samples.transitions);
        append(r.transitionsRandom, after->random.transitions);
        r.accuracy.push_back(finite(after->learnt.accuracy));
        r.testAccuracy.push_back(finite(after->heldOut));
        r.loss.push_back(finite(after->learnt.loss));
        for (const PlaneImage& plane : after->planes)
            for (const auto& point : plane.at) r.image.insert(r.image.end(), point.begin(), point.end());
    }
    r.steps = r.looks.back();
    r.lastLayerChange = ratio(after->samples.length.values[layers], before->samples.length.values[layers]);
    r.lastLayerChangeRandom = ratio(after->random.length.values[layers], before->random.length.values[layers]);
    r.firstLayerChange = ratio(after->samples.length.values[1], before->samples.length.values[1]);
    r.risingLayers = static_cast<double>(risingLayers(before->samples.lengths, after->samples.lengths));
    return r;
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    auto& run = progress.reuse<Training>("run");
    if (!run.trainer || !(run.params == runParams(p)) || !sameFile(run.data.get(), opened.data.get())) {
        run = {};
        run = begin(opened, progress);
    }
    Trainer& trainer = *run.trainer;
    const auto last = static_cast<std::uint64_t>(p.steps);
    const double looks = static_cast<double>(lookedAt(last).size());
    const auto tick = [&] {
        // Looks take their share beside the steps.
        progress.tick(0.9 * std::min(1.0, static_cast<double>(trainer.steps()) / p.steps) +
                      0.09 * std::min(1.0, static_cast<double>(run.snapshots.size()) / looks));
    };
    const auto trainTo = [&](std::uint64_t step) {
        if (trainer.steps() > step) trainer.restore(run.start);
        while (trainer.steps() < step) {
            if (!trainer.step()) {
                run.trouble = trainer.trouble();
                run.diverged = trainer.steps();
                return;
            }
            tick();
        }
    };
    for (;;) {
        const Steps wanted = lookedAtUntil(last, run.diverged);
        const auto next = std::find_if(wanted.begin(), wanted.end(), [&](std::uint64_t step) { return run.snapshots.count(step) == 0; });
        if (next == wanted.end()) break;
        trainTo(*next);
        if (trainer.steps() != *next) continue;
        run.snapshots[*next] = lookAt(run, p.arcs, tick);
        progress.partial([&] { return resultOf(p, run); });
    }
    Result r = resultOf(p, run);
    if (!opened.withNetwork) return r;
    // The step looked at that is nearest to the one that stands out, as in the picture.
    double shown = 0;
    for (const double step : r.looks)
        if (std::abs(step - p.at) <= std::abs(shown - p.at)) shown = step;
    trainTo(static_cast<std::uint64_t>(shown));
    r.network = std::make_shared<Network>(trainer.network());
    return r;
}

std::string percent(double share) { return inWords(100 * share) + " %"; }

std::string summary(const Params& p, const Result& r) {
    const std::string accuracy = percent(r.accuracy.back()) + " of the samples learnt from and " + percent(r.testAccuracy.back()) +
                                 " of those held out are named rightly.";
    if (r.steps == 0) return "Before training " + accuracy;
    const std::string begin = "After " + counted(r.steps, "step") + " ";
    if (!r.lastLayerChange || !r.lastLayerChangeRandom)
        return begin + "there is nothing to compare in the last layer: before training no length was found there between " +
               (r.lastLayerChange ? "random points" : "samples") + ". " + accuracy;
    const auto layers = static_cast<Size>(p.layers);
    int found = 0;  // layers in which there is any length
    for (Size l = 1; l <= layers; ++l) found += r.length.values[l] > 0 || r.length.values[r.length.values.size() - 1 - layers + l] > 0;
    return begin + "the last layer's images are " + inWords(*r.lastLayerChange) + " times as long between samples and " +
           inWords(*r.lastLayerChangeRandom) +
           " times between random points: " + lengthsInWords(*r.lastLayerChange, *r.lastLayerChangeRandom) +
           ". Between samples they end longer by over a standard error in " + inWords(r.risingLayers) + " of " + counted(found, "layer") +
           (r.firstLayerChange ? ", in the first " + inWords(*r.firstLayerChange) + " times as long. " : ". ") + accuracy;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "training-tradeoff",
     .title = "Training trades length for stability",
     .claim = "Started with large weights, training shortens the images of arcs between samples, more than those between random points.",
     .group = "Training",
     .icon = "0813417388 284568",
     .source = "P4 Figs 4–5",
     .lookAt =
         "While 200 digits are learnt by heart, what the last layer makes of an arc between two, blue, ends shorter than before, grey.",
     .tryThis = "Choose another layer by the upright line; set the weight variance to 3: now lengths between samples rise in all layers.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "step", "step", false, 0.5},
     .opening = "Learnt: three layers, 800 digits",
     .savesNetwork = true});

}  // namespace training_tradeoff

Declaration training_tradeoff_declaration() { return declare(training_tradeoff::kScene); }
Model training_tradeoff_model() {
    return sceneModel<training_tradeoff::kScene, training_tradeoff::run, training_tradeoff::cost, training_tradeoff::summary,
                      digit_training::openSamples<training_tradeoff::Params>>();
}

}  // namespace kappaflow
