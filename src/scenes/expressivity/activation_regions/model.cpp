#include "scenes/expressivity/activation_regions/model.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/errors.h"
#include "core/io/csv.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace regions {
namespace {

/// Points of standard deviation 1/2 fill the square from −1 to 1.
constexpr double kSpread = 0.5;

bool fromFile(const Values& v) { return v.is("data", "file"); }

LabelledPoints pointsOf(const Request& request) {
    const Values& v = request.params;
    if (fromFile(v) && !request.data) throw InputError("data=file needs the data file itself, which a link does not carry: open it again.");
    LabelledPoints points = fromFile(v) ? readCsv(request.data->bytes, request.data->name)
                                        : drawDataSet(dataSetFromKey(v.text("data")), static_cast<std::size_t>(v.integer("samples")),
                                                      v.number("noise"), v.seed());
    for (double& x : points.points.values) x *= kSpread;
    return points;
}

std::size_t outputsFor(const LabelledPoints& points) { return points.classes.size() > 2 ? points.classes.size() : 1; }

double samplesOf(const Request& request) {
    return fromFile(request.params) ? static_cast<double>(pointsOf(request).labels.size()) : request.params.number("samples");
}

}  // namespace

bool trains(const Values& v) { return !v.is("data", "none") && v.is("network", "") && v.number("inputs") == 2; }

std::size_t trainedOutputs(const Request& request) {
    return trains(request.params) && fromFile(request.params) ? outputsFor(pointsOf(request)) : 1;
}

TrainingTask trainingTask(const Request& request, Network drawn) {
    LabelledPoints points = pointsOf(request);
    auto run =
        training_runs::taskOf(request.params, std::move(drawn), points.points, points.labels, static_cast<int>(points.classes.size()));
    return {std::move(points), std::move(run)};
}

Cost trainingCost(const Request& request, const Architecture& network) {
    return trains(request.params) ? training_runs::costOf(request.params, network, samplesOf(request)) : Cost{};
}

void addTraining(FilledReport& r, const LabelledPoints& points, const training_runs::Run& run) {
    const std::size_t samples = points.labels.size();
    std::vector<double> places(2 * samples), classes(samples);
    for (std::size_t s = 0; s < samples; ++s) {
        places[2 * s] = points.points(0, s);
        places[2 * s + 1] = points.points(1, s);
        classes[s] = points.labels[s];
    }
    Axis sample = countedAxis("sample", samples);
    r.add("samplePoints", {sample, {"xy", {}, {"x", "y"}}}, std::move(places));
    r.add("sampleClass", {std::move(sample)}, std::move(classes));
    run.addTo(r);
}

std::string trainingSummary(const LabelledPoints& points, const training_runs::Run& run) {
    return run.when() + " " + inWords(100 * run.seen().accuracy) + " % of the " + std::to_string(points.labels.size()) +
           " samples are on their side of the decision boundary.";
}

namespace {

class RegionsComputation final : public Computation {
public:
    RegionsComputation(const Request& request, Partition partition, training_runs::Run run)
        : setup_(readSetup(request)), partition_(std::move(partition)), run_(std::move(run)), values_(request.params) {
        if (setup_.training)
            run_.begin(setup_.training->run);
        else
            cut();
    }

    bool step() override {
        switch (stage_) {
            case Stage::Train:
                if (!run_.advance())
                    cutTrained(false);
                else if (run_.learning() && ++slices_ >= kLeastSlices + kSlicesAStep * steps_)
                    cutTrained(true);
                return true;
            case Stage::Cut:
                ++steps_;
                if (!partition_.step()) stage_ = Stage::Slopes;
                return true;
            case Stage::Slopes:
                if (!partition_.mesh().output.empty()) facts_.slopes = slopeNorms(partition_.mesh());
                stage_ = Stage::Pieces;
                return true;
            case Stage::Pieces:
                facts_.pieces = affinePieces(partition_);
                facts_.decisions = decisionBoundary(partition_.mesh());
                stage_ = Stage::Path;
                return true;
            case Stage::Path:
                crossPath();
                stage_ = onTheWay_ ? Stage::Train : Stage::Done;
                if (onTheWay_) tellSoFar();
                return stage_ != Stage::Done;
            case Stage::Done:
                return false;
        }
        return false;
    }
    double progress() const override {
        if (stage_ == Stage::Done) return 1;
        if (stage_ == Stage::Train || onTheWay_) return 0.5 * run_.progress();
        const double part = 0.8 * partition_.progress() + 0.06 * (static_cast<double>(stage_) - static_cast<double>(Stage::Cut));
        return setup_.training ? 0.5 + 0.5 * part : part;
    }
    Report report() const override {
        if (stage_ == Stage::Done) return finished();
        if (soFar_) return *soFar_;
        Report none;
        none.status = Status::Partial;
        none.message = "The window is being cut.";
        none.warnings = setup_.warnings;
        return none;
    }
    bool reusable() const override { return true; }
    std::shared_ptr<const Network> network() const override { return std::make_shared<Network>(setup_.network); }

    /// What the next computation may begin with.
    Partition takePartition() { return std::move(partition_); }
    training_runs::Run takeRun() { return std::move(run_); }

private:
    enum class Stage { Train, Cut, Slopes, Pieces, Path, Done };

    void cut() {
        PartitionOptions options = setup_.options;
        if (onTheWay_) options.regionBudget = std::min(options.regionBudget, kRegionsOnTheWay);
        partition_.start(setup_.network, setup_.slice, setup_.window, options);
        facts_ = {};
        steps_ = slices_ = 0;
    }

    /// What the reader changed by hand stands over what was learnt.
    void cutTrained(bool onTheWay) {
        onTheWay_ = onTheWay;
        if (!onTheWay) soFar_.reset();
        std::vector<std::string> told;
        setup_.network = run_.network();
        editNetwork(setup_.network, values_, told);
        if (!onTheWay && !run_.trouble().empty()) setup_.warnings.insert(setup_.warnings.begin(), run_.trouble());
        stage_ = Stage::Cut;
        cut();
    }

    void tellSoFar() {
        run_.look();
        onTheWay_ = false;
        soFar_ = finished();
        soFar_->status = Status::Partial;
        soFar_->message = "The network is being trained.";
    }

    Report finished() const {
        FilledReport filled("activation-regions");
        filled.report = makeReport(setup_, partition_, facts_);
        if (!setup_.training) return std::move(filled.report);
        addTraining(filled, setup_.training->points, run_);
        filled.report.summary = trainingSummary(setup_.training->points, run_) + " " + filled.report.summary;
        return std::move(filled.report);
    }

    void crossPath() {
        constexpr double kTurn = 2 * 3.14159265358979323846;
        if (setup_.path == "circle")
            facts_.crossings = crossedFacesOfArc(partition_.mesh(), setup_.pathCentre, setup_.pathRadius, 0, kTurn);
        else if (setup_.path == "drawn" && setup_.drawn.size() >= 2)
            facts_.crossings = crossedFaces(partition_.mesh(), setup_.drawn);
    }

    Setup setup_;
    Partition partition_;
    training_runs::Run run_;
    Values values_;
    Facts facts_;
    std::optional<Report> soFar_;  ///< while a network is trained: of one of its steps
    bool onTheWay_ = false;        ///< what is cut is not yet the last
    int slices_ = 0, steps_ = 0;   ///< of training since the last cut, and of that cut
    Stage stage_ = setup_.training ? Stage::Train : Stage::Cut;
};

std::unique_ptr<Computation> startRegions(const Request& request) {
    return std::make_unique<RegionsComputation>(request, Partition(), training_runs::Run());
}

/// Depths below whatever changed are taken over by the partition itself.
std::unique_ptr<Computation> resumeRegions(const Request& request, std::unique_ptr<Computation> previous) {
    auto& last = static_cast<RegionsComputation&>(*previous);
    return std::make_unique<RegionsComputation>(request, last.takePartition(), last.takeRun());
}

}  // namespace
}  // namespace regions

Model activation_regions_model() {
    return stepwise<regions::costOf, regions::costliestOf, regions::startRegions, regions::resumeRegions>("activation-regions");
}

}  // namespace kappaflow
