#include "scenes/one_network/measured_capacity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/io/images.h"
#include "core/net/data_sets.h"
#include "scenes/chosen_network.h"
#include "scenes/one_network/measured_capacity_model.h"

namespace kappaflow {
namespace measured_capacity {

using Size = std::size_t;
using Vector = std::vector<double>;

std::vector<std::uint64_t> lookedAt(std::uint64_t last) {
    std::vector<std::uint64_t> steps{0};
    constexpr std::uint64_t kTenths[] = {10, 16, 25, 40, 63};
    for (std::uint64_t decade = 1; decade * 10 <= last; decade *= 10)
        for (const std::uint64_t tenth : kTenths)
            if (tenth * decade <= last) steps.push_back(tenth * decade);
    if (steps.back() != last) steps.push_back(last);
    return steps;
}

std::string nearerInWords(const Estimate& decoupled, const Estimate& channel) {
    const double apart = channel.value - decoupled.value;
    if (!(std::abs(apart) > 2 * std::hypot(decoupled.standardError, channel.standardError))) return "neither is nearer by two errors";
    return apart > 0 ? "D = P∘P is nearer" : "the channel is nearer";
}

std::size_t shownLook(const std::vector<double>& looks, double at) {
    Size nearest = 0;
    for (Size i = 0; i < looks.size(); ++i)
        if (std::abs(looks[i] - at) <= std::abs(looks[nearest] - at)) nearest = i;
    return nearest;
}

namespace {

using namespace table;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

constexpr const char *kMeasured = "P1 2.3–2.5, on data", *kTraining = "P4, networks during training";

bool isLeaky(const Params& p) { return isDrawn(p) && p.activation == Bend::LeakyRelu; }
bool hasSide(const Params& p) { return isDrawn(p) && p.data == "digits"; }
bool isConvolutional(const Params& p) { return p.network == "strokes-cnn" || p.network == "strokes-resnet"; }
/// Gates of every unit and sample are kept: of a network of thousands of units for fewer samples.
Beside samplesOf(const Params& p) { return {isConvolutional(p) ? 60.0 : 500.0, 2000}; }

constexpr OptionRow kNetworks[] = {{"", "drawn here"},
                                   {"shapes-classifier", "trained classifier (64-32-24-16-10)"},
                                   {"strokes-cnn", "trained CNN (24 × 24)"},
                                   {"strokes-resnet", "trained residual CNN (24 × 24)"},
                                   {"file", "your own file"}};
constexpr OptionRow kDataSets[] = {{"digits", "digits made here"}, {"signals", "signals of four processes"}, {"file", "your own file"}};
constexpr OptionRow kActivations[] = {
    {"relu", "ReLU"}, {"leaky-relu", "leaky ReLU"}, {"abs", "absolute value"}, {"hard-tanh", "hard tanh"}, {"tanh"}};

constexpr ParamRow kParams[] = {
    network<&Params::network>("network", kNetworks, "A network drawn here, which is trained, or a trained one, which is measured as it is.",
                              kMeasured) |
        costly,
    list<&Params::widths>("widths", "k", "widths", {1, 128}, 8, "Units of every hidden layer; the data give inputs and outputs.",
                          kMeasured) |
        when<isDrawn> | costly,
    choice<&Params::activation>("activation", "activation", kActivations, "Activation of the hidden layers: its gates are φ(z)/z.",
                                "P1 2.3") |
        when<isDrawn>,
    number<&Params::slope>("slope", "α", "leaky slope", {-1, 1}, "Slope of the leaky ReLU below 0.", "P1 2.3") | when<isLeaky>,
    whole<&Params::unit>("unit", "j", "output unit", {0, 999},
                         "The output whose map carries the capacity, counted from 0; the last beyond it.", "P1 2.5"),
    whole<&Params::layer>("layer", "l", "layer shown", {0, 32},
                          "The layer whose units share the capacity: 0 the inputs, the last beyond it.", kMeasured) |
        ofView,
    data<&Params::data>("", "data", kDataSets, DataFiles::Either, "Samples that the network learns, and that its gates are averaged over.",
                        kMeasured),
    whole<&Params::samples>("samples", "N", "samples", {20, 2000}, "Samples; all pairs of them are looked at, or as many as are allowed.",
                            kMeasured) |
        logarithmic | more | dependsOn<samplesOf> | costly,
    whole<&Params::steps>("steps", "T", "training steps", {10, 10000}, "How long it is trained; more steps go on from those already made.",
                          kTraining) |
        logarithmic | when<isDrawn> | costly,
    number<&Params::learningRate>("learningRate", "η", "learning rate", {1e-5, 1}, "How far a step goes (Adam).", kTraining) | logarithmic |
        more | when<isDrawn>,
    whole<&Params::batch>("batch", "B", "batch", {1, 1000}, "Samples that one step sees.", kTraining) | logarithmic | costly | more |
        when<isDrawn>,
    whole<&Params::side>("side", "", "pixels a side", {4, 14}, "Digits are averaged down to so many pixels a side.", kMeasured) | costly |
        more | when<hasSide>,
    flag<&Params::biases>("biases", "", "biases", "Whether units have biases: they act on the gates and are given no capacity.",
                          kMeasured) |
        more | when<isDrawn>,
    flag<&Params::diagonal>("diagonal", "", "pairs of a sample with itself",
                            "With them capacities are exact for these samples; without, less biased for those they stand for.", kMeasured) |
        more,
    whole<&Params::pairs>("pairs", "", "most pairs", {1000, 10000000}, "Where there are more pairs of samples, so many are drawn.",
                          kMeasured) |
        logarithmic | costly | more,
    seed<&Params::seed>("Start of the random numbers of weights, samples, their order and drawn pairs.", kMeasured),
    shownAt<&Params::at>("t", "training step", 10000, "The training step that stands out; the last one reached beyond it.", kTraining),
    plays<&Params::play>("Whether the training steps pass by themselves.", kTraining)};

constexpr AxisRow kStep = axis<&Result::looks>("step"), kLayer = axis<&Result::layers>("layer"),
                  kGateLayer = axis<&Result::gateLayers>("gateLayer"), kUnit = axis<&Result::units>("unit"),
                  kGateUnit = axis<&Result::gateUnits>("gateUnit"), kOther = axis<&Result::gateUnits>("other");

constexpr FieldRow kFields[] = {
    measured<&Result::measured>("measured", "κ", {kStep, kLayer, kUnit},
                                "Capacity of every unit of a layer, layer 0 the inputs, from pairs of samples; standard errors by leaving "
                                "out 40 groups of samples in turn.") |
        gaps,
    theory<&Result::decoupled>("decoupled", "κ", {kStep, kLayer, kUnit},
                               "The same by the decoupled rule D = P∘P between layers, P1 2.4, with the layer's second moments.") |
        gaps,
    theory<&Result::channel>("channel", "κ", {kStep, kLayer, kUnit},
                             "The same by the channel M ← P (M ∘ C²) Pᵀ with the co-activation C of every layer's gates; of dense "
                             "networks.") |
        gaps,
    measured<&Result::toDecoupled>("toDecoupled", "", {kStep, kLayer},
                                   "Total variation distance of D = P∘P from what is measured, ½ Σ |difference|, with its error.") |
        gaps,
    measured<&Result::toChannel>("toChannel", "", {kStep, kLayer}, "The same of the channel with measured C.") | gaps,
    limiting<&Result::byError>("byError", "", {kStep, kLayer},
                               "Distance that standard errors of this size would make of equal profiles, Σ error/√(2π).") |
        gaps,
    measured<&Result::nu>("nu", "ν_l", {kStep, kGateLayer}, "Mean co-activation C_jk of two units of a layer, j ≠ k.") | gaps,
    measured<&Result::nuSpread>("nuSpread", "", {kStep, kGateLayer}, "Root mean square of C_jk − ν: what one number leaves out.") | gaps,
    measured<&Result::overlap>("overlap", "Λ_l", {kStep, kGateLayer},
                               "Gating overlap of two samples, mean over that of a sample with itself.") |
        gaps,
    measured<&Result::on>("unitsOn", "", {kStep, kGateLayer}, "Units of the layer that are on for any sample.") | gaps,
    measured<&Result::coactivation>("coactivation", "C", {kStep, kGateLayer, kGateUnit, kOther},
                                    "Co-activation of units, of layers of at most 64.") |
        gaps,
    measured<&Result::accuracy>("accuracy", "", {kStep}, "Share of the samples that are named rightly.") | gaps,
    measured<&Result::loss>("loss", "", {kStep}, "Cross entropy over the samples.") | gaps,
    measured<&Result::widths>("layerUnits", "", {kLayer}, "Units of every layer."),
    measured<&Result::inputRows>("inputRows", "", {},
                                 "Rows of the inputs where these make an image, a step of a sequence each; 1: a signal."),
    measured<&Result::steps>("steps", "t", {}, "Training steps made."),
    measured<&Result::samplesSeen>("samplesSeen", "N", {}, "Samples behind every mean."),
    measured<&Result::pairsSeen>("pairsSeen", "", {}, "Pairs of different samples that were looked at, at every step."),
    measured<&Result::allPairs>("allPairs", "", {}, "Pairs of different samples that there are."),
    measured<&Result::decoupledFirst>("decoupledFirst", "", {}, "Distance of D = P∘P from the inputs' measured capacities at step 0."),
    measured<&Result::decoupledLast>("decoupledLast", "", {}, "The same at the last step."),
    measured<&Result::channelFirst>("channelFirst", "", {}, "Distance of the channel from the inputs' measured capacities at step 0."),
    measured<&Result::channelLast>("channelLast", "", {}, "The same at the last step."),
    measured<&Result::errorLast>("errorLast", "", {}, "Distance that the inputs' standard errors at the last step would make alone.")};

constexpr PresetRow kPresets[] = {
    {"ReLU on digits: D = P∘P departs"},
    preset<[](Params& p) { p.layer = 1, p.at = 1000; }>(
        "First hidden layer",
        "From layer 1 one layer of gates lies above: after training the channel agrees within its errors, D = P∘P is 0.3 away."),
    preset<[](Params& p) {
        p.widths = {24, 24, 24, 24}, p.at = 1000;
    }>("Four hidden layers",
       "The fewer layers lie above, the nearer the channel is after training; at the inputs of this network D = P∘P is nearer."),
    preset<[](Params& p) { p.activation = Bend::Tanh, p.at = 1000; }>(
        "tanh: the channel follows",
        "Gates of tanh go together, ν is above 0.89: at every step the channel is nearer to what is measured than D = P∘P."),
    preset<[](Params& p) { p.data = "signals", p.at = 1000; }>(
        "Signals of four processes",
        "Of the 24 values of a signal both rules know the profile better: within 0.16 after training, where errors alone make 0.06."),
    preset<[](Params& p) { p.network = "shapes-classifier"; }>(
        "A trained classifier",
        "Of this trained network both rules come as near as the measurement can tell: 0.06 away, where errors alone make 0.05."),
    preset<[](Params& p) { p.network = "strokes-cnn"; }>(
        "A trained CNN",
        "Convolutions have no channel here. D = P∘P, which takes pixels as independent, is 0.6 away from what 60 digits tell.")};

/// A training run with what is known of it; the next request for the same run but for its steps goes on with it.
struct Run {
    Params made, measured;
    std::shared_ptr<const Attachment> data;
    std::shared_ptr<const Network> given;  ///< none: one is drawn and trained
    Samples samples;
    std::unique_ptr<Trainer> trainer;
    std::map<std::uint64_t, TrainingCheckpoint> reached;
    std::map<std::uint64_t, Look> looks;
    std::string trouble;
    std::uint64_t diverged = ~std::uint64_t{0};
};

void open(Opened<Params>& opened, const Request& request) {
    openNetwork(opened, request);
    if (opened.params.data == "file")
        opened.points = std::make_shared<const LabelledPoints>(
            readLabelledFile(opened.data->bytes, opened.data->name, static_cast<Size>(opened.params.samples)));
}

/// What the run is made of, and what it is measured by.
Params runParams(Params p) {
    const Params defaults;
    p.steps = defaults.steps, p.unit = defaults.unit, p.layer = defaults.layer, p.diagonal = defaults.diagonal, p.pairs = defaults.pairs;
    p.at = defaults.at, p.play = defaults.play;
    return p;
}
Params measureParams(const Params& p) {
    Params own;
    own.unit = p.unit, own.diagonal = p.diagonal, own.pairs = p.pairs;
    return own;
}

bool sameFile(const Attachment* a, const Attachment* b) { return a == b || (a && b && a->name == b->name && a->bytes == b->bytes); }

Run begin(const Opened<Params>& opened) {
    const Params& p = opened.params;
    Run run;
    run.made = runParams(p);
    run.data = opened.data;
    run.samples = samplesFor(opened);
    run.given = opened.network;
    if (run.given) return run;
    TrainingSpec spec;
    spec.optimiser.learningRate = p.learningRate;
    spec.batch = static_cast<Size>(p.batch);
    spec.seed = p.seed;
    const auto& [inputs, labels, classes] = run.samples;
    const Matrix targets = classTargets(Loss::CrossEntropy, labels, classes, static_cast<Size>(classes));
    run.trainer = std::make_unique<Trainer>(drawnNetwork(opened), TrainingData{inputs, targets}, spec);
    run.reached[0] = run.trainer->checkpoint();
    return run;
}

/// Steps looked at: one of a network that is given, the last one reached where training diverged.
std::vector<std::uint64_t> wanted(const Params& p, const Run& run) {
    if (!run.trainer) return {0};
    std::vector<std::uint64_t> steps = lookedAt(static_cast<std::uint64_t>(p.steps));
    if (steps.back() <= run.diverged) return steps;
    steps.erase(std::upper_bound(steps.begin(), steps.end(), run.diverged), steps.end());
    if (steps.back() != run.diverged) steps.push_back(run.diverged);
    return steps;
}

void append(Vector& rows, const Vector& row, Size length) {
    rows.insert(rows.end(), row.begin(), row.end());
    rows.resize(rows.size() + length - row.size(), kNone);
}
void append(Estimates& all, const Estimate& one) {
    all.values.push_back(one.value);
    all.standardErrors.push_back(one.standardError);
}

/// One row of units a layer: padded at its end.
void appendProfiles(Result& r, const Look& look) {
    const Size units = r.units.size();
    for (const Look::Layer& layer : look.layers) {
        append(r.measured.values, layer.measured, units);
        append(r.measured.standardErrors, layer.errors, units);
        append(r.decoupled, layer.decoupled, units);
        append(r.channel, layer.channel, units);
        append(r.toDecoupled, layer.toDecoupled);
        append(r.toChannel, layer.toChannel);
        r.byError.push_back(layer.byError);
    }
}

void appendGates(Result& r, const Look& look) {
    const Size most = r.gateUnits.size();
    for (const GateStatistics& gates : look.gates) {
        const bool any = gates.on > 0;
        r.nu.push_back(any ? gates.nu : kNone);
        r.nuSpread.push_back(any ? gates.spread : kNone);
        r.overlap.push_back(any ? gates.overlap : kNone);
        r.on.push_back(any ? static_cast<double>(gates.on) : kNone);
        const Matrix& c = gates.coactivation;
        for (Size j = 0; j < most; ++j)
            append(r.coactivation, j < c.rows && c.rows <= most ? Vector(c.row(j), c.row(j) + c.columns) : Vector(), most);
    }
}

Result resultOf(const Params& p, const Run& run) {
    Result r;
    if (run.trainer && static_cast<std::uint64_t>(p.steps) > run.diverged) r.warnings.push_back(run.trouble);
    const Look& start = run.looks.begin()->second;
    r.layers = countUp(start.layers.size());
    r.gateLayers = countUp(start.gates.size(), 1);
    Size widest = 0, gated = 0;
    for (const Look::Layer& layer : start.layers) {
        r.widths.push_back(static_cast<double>(layer.measured.size()));
        widest = std::max(widest, layer.measured.size());
    }
    for (const GateStatistics& gates : start.gates)
        if (gates.coactivation.rows <= measuring::kMostShown) gated = std::max(gated, gates.coactivation.rows);
    r.units = countUp(widest);
    r.gateUnits = countUp(gated);
    const Look* last = nullptr;
    for (const std::uint64_t step : wanted(p, run)) {
        const auto known = run.looks.find(step);
        if (known == run.looks.end()) continue;
        last = &known->second;
        r.looks.push_back(static_cast<double>(step));
        appendProfiles(r, *last);
        appendGates(r, *last);
        r.accuracy.push_back(last->learnt.accuracy);
        r.loss.push_back(last->learnt.loss);
    }
    r.inputRows = inputRows(run.trainer ? run.trainer->network() : *run.given, r.widths.front());
    r.steps = r.looks.back();
    r.samplesSeen = static_cast<double>(run.samples.inputs.columns);
    r.pairsSeen = last->pairs, r.allPairs = last->allPairs;
    const auto known = [](const Estimate& e) { return std::isfinite(e.value) ? std::optional(e) : std::nullopt; };
    r.decoupledFirst = known(start.layers[0].toDecoupled), r.decoupledLast = known(last->layers[0].toDecoupled);
    r.channelFirst = known(start.layers[0].toChannel), r.channelLast = known(last->layers[0].toChannel);
    if (std::isfinite(last->layers[0].byError)) r.errorLast = last->layers[0].byError;
    return r;
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    auto& run = progress.reuse<Run>("run");
    if (run.samples.inputs.columns == 0 || !(run.made == runParams(p)) || !sameFile(run.data.get(), opened.data.get()) ||
        p.network == "file") {
        run = {};
        run = begin(opened);
    }
    if (!(run.measured == measureParams(p))) run.looks.clear();
    run.measured = measureParams(p);
    const double looks = static_cast<double>(wanted(p, run).size());
    const auto tick = [&](double part) { progress.tick(0.99 * std::min(1.0, (static_cast<double>(run.looks.size()) + part) / looks)); };
    const auto trainTo = [&](std::uint64_t step) {
        Trainer& trainer = *run.trainer;
        const auto nearest = std::prev(run.reached.upper_bound(step));
        if (trainer.steps() > step || trainer.steps() < nearest->first) trainer.restore(nearest->second);
        while (trainer.steps() < step) {
            if (!trainer.step()) {
                run.trouble = trainer.trouble();
                run.diverged = trainer.steps();
                break;
            }
            tick(0);
        }
        run.reached[trainer.steps()] = trainer.checkpoint();
        return trainer.steps() == step;
    };
    for (;;) {
        const auto steps = wanted(p, run);
        const auto next = std::find_if(steps.begin(), steps.end(), [&](std::uint64_t step) { return run.looks.count(step) == 0; });
        if (next == steps.end()) break;
        if (run.trainer && !trainTo(*next)) continue;
        Look look{measuring::lookAt(run.trainer ? run.trainer->network() : *run.given, run.samples.inputs, lookSpec(p), tick)};
        if (run.trainer) look.learnt = run.trainer->evaluate();
        run.looks[*next] = std::move(look);
        progress.partial([&] { return resultOf(p, run); });
    }
    Result r = resultOf(p, run);
    const Source source = sourceOf(opened);
    if (source == Source::Digits && p.data == "signals")
        r.warnings.push_back("Signals have 24 values, which this network does not take: it is measured on digits.");
    if (source == Source::Normal)
        r.warnings.push_back("The inputs of this network are no image: it is measured on standard normal inputs, or on a file of samples.");
    if (const std::string& why = run.looks.begin()->second.unruly; !why.empty())
        r.warnings.push_back("Capacities are measured alone, without D = P∘P beside them. " + why);
    if (!opened.withNetwork) return r;
    if (run.trainer) trainTo(static_cast<std::uint64_t>(r.looks[shownLook(r.looks, p.at)]));
    r.network = std::make_shared<Network>(run.trainer ? run.trainer->network() : *run.given);
    return r;
}

std::string plusMinus(const Estimate& e) { return inWords(e.value) + " ± " + inWords(e.standardError, 2); }

std::string summary(const Params& p, const Result& r) {
    const std::string among = " of " + inWords(r.widths[0]) + " inputs";
    if (!r.errorLast)
        return "The pairs of " + inWords(r.samplesSeen, 6) + " samples leave no positive sum to share among the capacities" + among +
               ": more samples would.";
    if (!r.decoupledLast)
        return "The capacities" + among +
               " are measured; there is no D = P∘P beside them in this network. Errors of measurement alone would make " +
               inWords(*r.errorLast, 2) + " in total variation.";
    std::string text = isDrawn(p) ? "After " + inWords(r.steps, 5) + " training steps" : "In this network";
    text += " D = P∘P is " + plusMinus(*r.decoupledLast) + " in total variation from the measured capacities" + among;
    if (r.channelLast)
        text += ", the channel with measured co-activation " + plusMinus(*r.channelLast) + ": " +
                nearerInWords(*r.decoupledLast, *r.channelLast);
    text += ". Errors of measurement alone would make " + inWords(*r.errorLast, 2) + ".";
    if (r.steps > 0 && r.decoupledFirst && r.channelFirst)
        text += " Before training it was " + inWords(r.decoupledFirst->value) + " for D = P∘P and " + inWords(r.channelFirst->value) +
                " for the channel.";
    return text;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "measured-capacity",
     .title = "Capacity measured on data",
     .claim = "What a network's own gates leave its inputs, measured without assuming how its layers decouple, beside two rules.",
     .group = "One network",
     .icon = "000888 214475 2686",
     .source = "P1 2.3–2.5, measured on data",
     .lookAt = "Solid: measured capacities with their errors; dashed: D = P∘P and the channel with measured co-activation.",
     .tryThis = "Play the training; then choose another output unit, a hidden layer, or tanh.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "step", "step", false, 0.6},
     .savesNetwork = true});

}  // namespace measured_capacity

Declaration measured_capacity_declaration() { return declare(measured_capacity::kScene); }
Model measured_capacity_model() {
    return sceneModel<measured_capacity::kScene, measured_capacity::run, measured_capacity::cost, measured_capacity::summary,
                      measured_capacity::open>();
}

}  // namespace kappaflow
