#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/errors.h"
#include "core/capacity/capacity_network.h"
#include "core/expressivity/curve_plane.h"
#include "core/moments/network_moments.h"
#include "core/net/edits.h"
#include "scenes/one_network/network_lens/model_lens.h"
#include "scenes/one_network/network_lens/model_setup.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace lens {
namespace {

using Clock = std::chrono::steady_clock;

double share(const Cost& cost) { return std::max(cost.operations / kCostLimit.operations, cost.bytes / kCostLimit.bytes); }

double square(double x) { return x * x; }

/// Weights and units of a network and of all inside its blocks, and what drawing them takes.
struct Size {
    double weights = 0, units = 0, widest = 0, drawing = 0, planes = 0;
};

void count(const std::vector<Layer>& layers, bool orthogonal, Size& size) {
    for (const Layer& layer : layers) {
        const double weights = layer.kind == LayerKind::Residual ? 0 : weightCount(layer), out = static_cast<double>(layer.out.units());
        size.weights += weights + out;
        size.units += out;
        size.widest = std::max(size.widest, out);
        // The triangles of an orthogonal draw: each weight once for every row or column, whichever are fewer.
        const double narrow = layer.kind == LayerKind::Dense ? std::min(out, static_cast<double>(layer.in.units())) : layer.out.channels;
        size.drawing += weights * (20 + (orthogonal ? 6 * narrow : 0));
        size.planes += layer.kind == LayerKind::Dense ? workOfPlane(kMostCurvePoints, layer.out.units()) : 0;
        count(layer.branch, orthogonal, size);
        count(layer.skip, orthogonal, size);
    }
}

double capacityWork(const Architecture& network) {
    double work = 0;
    for (const WeightLayer& part : weightLayerParts(network.layers)) work += 15 * propagationWork(*part.layer);
    return std::min(work, kFinalWork) + 1e5;
}

Cost regionsCost(const Architecture& network, double budget) {
    const double regions = whyNoRegions(network).empty() ? regionsWithin(network, kBoundOverWork * kFinalWork, budget) : 0;
    if (regions == 0) return {1e4, 1e4};
    Cost cost = partitionCost(network, partitionOptions(regions));
    const double depths = static_cast<double>(network.layers.size());
    cost.operations = cost.operations / 4 + 200 * regions;
    cost.bytes += 3 * 8 * regions * (30 + depths);
    return cost;
}

/// A curve: its first sample, its images and their planes, its pieces, and sampled lengths.
double curveWork(const Size& size) { return std::min(1600 * size.weights + size.planes, 1.5 * kFinalWork) + 1e6; }

Cost lensesCost(const Request& request, const Architecture& network, const Size& size, double samples) {
    const Values& v = request.params;
    const Cost regions = regionsCost(network, v.number("budget"));
    const Cost moments = costOfNetworkMoments(network, std::min(samples, 128.0)),
               noise = costOfExpectedNoise(network, std::min(samples, 128.0), noiseShareOf(v) * kFinalWork);
    Cost cost;
    cost.operations = capacityWork(network) * (v.is("edit", "none") ? 1 : 2) + regions.operations + curveWork(size) +
                      std::min(moments.operations + noise.operations, (1 + noiseShareOf(v)) * kFinalWork);
    // Inserted weights are drawn, removed ones multiplied into the next layer's, and the outputs of both networks compared.
    if (!v.is("edit", "none")) cost.operations += std::min(size.widest * size.weights, kMostEditWork) + kFinalWork / 4;
    if (v.is("edit", "insert")) cost.operations += 25 * square(size.widest);
    cost.bytes = regions.bytes + std::min(moments.bytes, 3e7) + noise.bytes + 3 * 8 * 3e5 + 64 * size.units;
    return cost;
}

Cost wholeCost(const Request& request) {
    const Values& v = request.params;
    const SamplePlan samples = samplePlanOf(request);
    const Architecture network = architectureOf(request, samples);
    const double inputs = static_cast<double>(network.input.units()), drawnSamples = static_cast<double>(samples.count);
    Size size;
    count(network.layers, v.is("initialisation", "orthogonal"), size);
    Cost cost = lensesCost(request, network, size, drawnSamples);
    cost.operations += size.drawing + 90 * inputs * std::min(drawnSamples, 4e6 / inputs) + 4000 * drawnSamples;
    // The network as it was drawn, the copy that is looked at, curves through it, and the edited one with a layer more.
    cost.bytes += 8 * (size.weights * (v.is("edit", "none") ? 3 : 4) + square(v.is("edit", "insert") ? size.widest : 0)) +
                  40 * inputs * std::min(drawnSamples, 4e6 / inputs) + 1e7;
    if (request.network) cost.bytes += static_cast<double>(request.network->bytes.size());
    if (request.data) cost.bytes += static_cast<double>(request.data->bytes.size());
    if (!training(v) || samples.classes == 0 || samples.shape.units() != network.input.units()) return cost;
    const Cost training = training_runs::costOf(v, network, drawnSamples);
    // A third of the time goes to looks on the way.
    cost.operations += 1.5 * training.operations + 5 * kPassingWork;
    cost.bytes += training.bytes + 24 * inputs * drawnSamples;
    return cost;
}

}  // namespace

Cost costOf(const Request& request) {
    try {
        return wholeCost(request);
    } catch (const InputError&) {
        // Nothing will be computed: the start refuses the files and says why.
        return {1e4, 1e5};
    }
}

std::string costliestOf(const Request& request) {
    const Declaration& declaration = *findDeclaration(request.scene);
    const bool ownDraw = drawn(request.params);
    std::string worst = ownDraw ? "widths" : "network";
    double least = share(costOf(request));
    for (const char* key : {"widths", "steps", "samples", "inputs", "outputs", "batch", "budget"}) {
        if (!ownDraw && std::string(key) != "samples" && std::string(key) != "budget") continue;
        Request lower = request;
        lower.params.set(key, declaration.param(key)->standard);
        if (share(costOf(lower)) >= least) continue;
        least = share(costOf(lower));
        worst = key;
    }
    return worst;
}

namespace {

/// Inputs of a sample that a report has room for.
constexpr std::size_t kMostInputsShown = 20000;

void addSamples(FilledReport& r, const Setup& s) {
    const Axis role = keyedAxis("role", {"A", "B", "C"}), xy = xyAxis();
    std::vector<double> numbers, inputs, places;
    for (const std::size_t sample : s.chosen) {
        const auto x = s.samples.at(sample);
        numbers.push_back(static_cast<double>(sample));
        inputs.insert(inputs.end(), x.begin(), x.end());
        if (!s.slice) continue;
        const Vec2 at = footOn(*s.slice, x);
        places.insert(places.end(), {at.x, at.y});
    }
    r.add("chosen", {role}, std::move(numbers));
    const Axis input = countedAxis("input", inputs.size() / 3);
    if (input.size() <= kMostInputsShown) r.add("chosenInputs", {role, input}, std::move(inputs));
    if (!s.slice) return;
    r.add("chosenPoints", {role, xy}, std::move(places));
    const std::size_t shown = s.places.size();
    r.add("sampleCount", static_cast<double>(s.samples.count()));
    std::vector<double> points, classes;
    for (std::size_t i = 0; i < shown; ++i) {
        points.insert(points.end(), {s.places[i].x, s.places[i].y});
        classes.push_back(s.samples.labels.empty() ? -1 : s.samples.labels[i]);
    }
    r.add("samplePoints", {countedAxis("sample", shown), xy}, std::move(points));
    r.add("sampleClass", {countedAxis("sample", shown)}, std::move(classes));
}

double last(const Report& report, const char* name) { return report.array(name)->values.back(); }

std::string numbered(double count, const char* one, const char* many) { return inWords(count, 6) + " " + (count == 1 ? one : many); }

std::string capacitySentence(const Report& r, std::size_t unit) {
    const Array* holders = r.array("holders");
    if (!holders || std::isnan(holders->values.front())) return "";
    const double inputs = r.array("units")->values.front();
    std::string text = " The capacity of output " + std::to_string(unit) + " rests on " + inWords(holders->values.front()) + " of " +
                       numbered(inputs, "input", "inputs");
    if (const Scalar* moved = r.scalar("moved")) text += ", and the edit moves " + inWords(100 * moved->value) + " % of it";
    return text;
}

/// Of the layers that were cut; "" where none of several was.
std::string regionsWords(const Report& r) {
    const Scalar* regions = r.scalar("regions");
    if (!regions || r.scalar("certificate")->value == 0) return "";
    const std::string count = numbered(regions->value, "region", "regions");
    const double exact = r.scalar("exactThrough")->value, all = r.scalar("bendingLayers")->value;
    if (exact == all) return "the window falls into " + count;
    return exact > 0 ? "by the first " + (exact > 1 ? inWords(exact) + " of " : "of ") + inWords(all) +
                           " bending layers the window falls into " + count
                     : "";
}

std::string otherSentences(const Report& r) {
    std::vector<std::string> parts;
    if (const std::string regions = regionsWords(r); !regions.empty()) parts.push_back(regions);
    if (const Scalar* ratio = r.scalar("lengthRatio"))
        parts.push_back("the curve from A to B ends " + inWords(ratio->value) + " times as long as it began");
    if (const Array* chi = r.array("chi"); chi && std::isfinite(chi->values.back()))
        parts.push_back("noise grows " + inWords(last(r, "chi")) + " times as much as the signal");
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : i + 1 == parts.size() ? ", and " : ", ") + parts[i];
    return text;
}

std::string summaryOf(const Report& r, std::size_t unit, const training_runs::Run* run) {
    std::string text = run ? run->when() + ", " + inWords(100 * run->seen().accuracy) + " % of the samples are in their class." : "";
    if (const std::string capacity = capacitySentence(r, unit); !capacity.empty())
        text += (text.empty() ? capacity.substr(1) : capacity) + ".";
    if (std::string others = otherSentences(r); !others.empty()) {
        others[0] = static_cast<char>(others[0] - 'a' + 'A');
        text += " " + others + ".";
    }
    return text.empty() ? "The network has no layer that any lens can look at." : text;
}

void addLayers(std::vector<ReportLayer>& printed, const std::vector<Layer>& layers) {
    for (const Layer& layer : layers) {
        if (layer.kind == LayerKind::Dense) printed.push_back({"dense", {layer.out.units(), layer.in.units()}, layer.weights, layer.bias});
        if (layer.kind == LayerKind::Conv) printed.push_back({"conv", {layer.out.units(), layer.in.units()}, layer.weights, layer.bias});
        addLayers(printed, layer.branch);
        addLayers(printed, layer.skip);
    }
}

}  // namespace

Report makeReport(const Setup& setup, const Look& look, const training_runs::Run* run) {
    FilledReport r("network-lens");
    r.report.warnings = setup.warnings;
    look.addTo(r);
    addSamples(r, setup);
    if (run) run->addTo(r);
    if (!setup.noTraining.empty()) r.report.notes.push_back({"training", setup.noTraining});
    r.report.summary = summaryOf(r.report, setup.unit, run);
    if (setup.withNetwork) addLayers(r.report.network, look.shown().layers);
    return std::move(r.report);
}

namespace {

double secondsSince(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

class LensComputation final : public Computation {
public:
    /// `resumed`: an older report is on the screen, which is better than one that is half empty.
    LensComputation(const Request& request, training_runs::Run run, bool resumed)
        : setup_(std::make_unique<Setup>(readSetup(request))), run_(std::move(run)), resumed_(resumed) {
        if (setup_->training)
            beginTraining();
        else
            look_.start(*setup_, setup_->network, 0, kFinalWork);
    }

    bool step() override {
        if (looking_) {
            if (look_.step()) return true;
            looking_ = false;
            if (!training_) return false;
            tellSoFar();
            return true;
        }
        if (!training_) return false;
        if (!run_.advance())
            lookForGood();
        else if (run_.learning() && secondsSince(lookedAt_) > kTrainingBetween)
            lookOnTheWay();
        return true;
    }
    double progress() const override {
        const double last = training_ ? 0 : look_.progress();
        if (!setup_->training) return last;
        return training_ ? 0.8 * run_.progress() : 0.8 + 0.2 * last;
    }
    Report report() const override {
        const bool done = !training_ && !looking_;
        Report report = done || (!soFar_ && !resumed_ && !training_) ? made() : soFar_.value_or(Report{});
        report.status = done ? Status::Ok : Status::Partial;
        report.message = done ? "" : training_ ? "The network is being trained." : "The lenses look at the network one after the other.";
        return report;
    }
    bool reusable() const override { return true; }
    std::shared_ptr<const Network> network() const override { return std::make_shared<Network>(look_.shown()); }

    training_runs::Run takeRun() { return std::move(run_); }

private:
    /// Seconds of training between two looks on the way, and what a look should take at the most: together less than half a second.
    static constexpr double kTrainingBetween = 0.25, kLongestLook = 0.12;

    void beginTraining() {
        try {
            run_.begin(*setup_->training);
            training_ = true;
            looking_ = false;
            // The first look is at the network as it was drawn.
            lookedAt_ = Clock::now() - std::chrono::seconds(1);
        } catch (const InputError& error) {
            setup_->training.reset();
            setup_->noTraining = error.what();
            look_.start(*setup_, setup_->network, 0, kFinalWork);
        }
    }
    void lookOnTheWay() {
        lookedAt_ = Clock::now();
        looking_ = true;
        look_.start(*setup_, run_.network(), static_cast<double>(run_.shown()), passing_);
    }
    /// Each look's time decides how much the next may do.
    void tellSoFar() {
        run_.look();
        soFar_ = made();
        const double took = secondsSince(lookedAt_);
        passing_ = std::clamp(passing_ * (took > kLongestLook ? 0.6 : took < kLongestLook / 3 ? 1.5 : 1), kPassingWork / 3, kPassingWork);
        lookedAt_ = Clock::now();
    }
    void lookForGood() {
        training_ = false;
        looking_ = true;
        if (!run_.trouble().empty()) setup_->warnings.insert(setup_->warnings.begin(), run_.trouble());
        look_.start(*setup_, run_.network(), static_cast<double>(run_.shown()), kFinalWork);
    }
    Report made() const { return makeReport(*setup_, look_, setup_->training ? &run_ : nullptr); }

    std::unique_ptr<Setup> setup_;  ///< where the look finds it, wherever this is
    training_runs::Run run_;
    Look look_;
    std::optional<Report> soFar_;  ///< while the network is trained: of one of its steps
    bool resumed_ = false, training_ = false, looking_ = true;
    double passing_ = kPassingWork;
    Clock::time_point lookedAt_;
};

std::unique_ptr<Computation> start(const Request& request) {
    return std::make_unique<LensComputation>(request, training_runs::Run(), false);
}

/// What is known of the same run of training stays known.
std::unique_ptr<Computation> resume(const Request& request, std::unique_ptr<Computation> previous) {
    return std::make_unique<LensComputation>(request, static_cast<LensComputation&>(*previous).takeRun(), true);
}

}  // namespace
}  // namespace lens

Model network_lens_model() { return stepwise<lens::costOf, lens::costliestOf, lens::start, lens::resume>("network-lens"); }

}  // namespace kappaflow
