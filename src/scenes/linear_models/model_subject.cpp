#include "scenes/linear_models/model_subject.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scenes/linear_models/declaration_linear.h"
#include "scenes/linear_models/model_task.h"

namespace kappaflow::linear {

Scope::Scope(const GaussianProcess& process, std::size_t length, const std::string& basisKey)
    : autocovariance(kappaflow::autocovariance(process, length)), task(predictionTask(process, length)), basis(basisKey, task.covariance) {}

ConstraintSpectrum relativeSpectrum(const Scope& scope, const LinearModel& model, const std::vector<double>& weights, bool raw) {
    ConstraintSpectrum spectrum = constraintSpectrum(model, weights, scope.task.covariance, raw);
    const double largest = spectrum.eigenvalues.empty() ? 0 : spectrum.eigenvalues.front();
    for (double& value : spectrum.eigenvalues) value = largest > 0 ? std::max(value, 0.0) / largest : 0;
    spectrum.threshold = largest > 0 ? spectrum.threshold / largest : 0;
    return spectrum;
}

Frame frameAt(const Scope& scope, const LinearModel& model, std::vector<double> weights) {
    Frame frame;
    const Constraints k = constraints(model, weights, scope.task.covariance);
    const std::vector<double> response = model.response(weights);
    frame.parameters = static_cast<double>(model.parameters());
    frame.exactRank = static_cast<double>(model.exactRank());
    frame.rank = static_cast<double>(k.rank);
    frame.loss = taskLoss(scope.task, response);
    frame.optimality = optimality(k, scope.task, response);
    frame.capacity = newestFirst(capacityPerInput(k.basis));
    frame.inBasis = scope.basis.capacity(k.basis);
    frame.coefficients = newestFirst(response);
    frame.generated = modelAutocovariance(response);
    if (model.length() <= kSpectrumLength) {
        ConstraintSpectrum spectrum = relativeSpectrum(scope, model, weights, false);
        frame.eigenvalues = std::move(spectrum.eigenvalues);
        frame.threshold = spectrum.threshold;
    }
    frame.weights = std::move(weights);
    return frame;
}

namespace {

using Vector = std::vector<double>;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Vector distances(const Vector& a, const Vector& b) {
    Vector result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = std::abs(a[i] - b[i]);
    return result;
}

/// |a − b|/|b|, undefined where b is 0.
Vector relative(const Vector& a, const Vector& b) {
    Vector result = distances(a, b);
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = b[i] == 0 ? kNone : result[i] / std::abs(b[i]);
    return result;
}

class Writer {
public:
    Writer(const WalkSetup& setup, const Scope& scope, const WalkResult& result)
        : setup(setup), scope(scope), result(result), asked(*result.asked), out(setup.scene) {
        walk.name = setup.optimising ? "step" : "channels";
        for (const Frame& frame : result.frames) walk.values.push_back(frame.place);
    }

    void addAsked() {
        const Axis lag = countedAxis("lag", setup.length);
        const Vector target = newestFirst(scope.task.target);
        out.add("capacity", {lag}, asked.capacity);
        out.add("capacityInBasis", {countedAxis("component", asked.inBasis.size())}, asked.inBasis);
        if (!asked.eigenvalues.empty()) out.add("eigenvalues", {countedAxis("index", setup.length)}, asked.eigenvalues);
        if (!result.rawSpectrum.empty()) out.add("eigenvaluesRaw", {countedAxis("index", setup.length)}, result.rawSpectrum);
        out.add("coefficients", {lag}, asked.coefficients);
        out.add("target", {lag}, target);
        out.add("absoluteError", {lag}, distances(asked.coefficients, target));
        out.add("relativeError", {lag}, relative(asked.coefficients, target)).mayBeUndefined = true;
        addAutocovariance();
    }
    void addScalars() {
        out.add("totalCapacity", asked.exactRank);
        out.add("numericalRank", asked.rank);
        out.add("parameters", asked.parameters);
        out.add("loss", asked.loss);
        out.add("lowerBound", scope.task.lowerBound);
        out.add("optimality", asked.optimality);
        out.add("iterations", asked.iterations);
        if (asked.threshold > 0) out.add("threshold", asked.threshold);
        out.add("largestPartial", asked.generated.largestPartial);
    }
    void addOther() {
        const Frame& other = *result.other;
        out.add("capacityOther", {countedAxis("lag", setup.length)}, other.capacity);
        out.add("totalCapacityOther", other.exactRank);
        out.add("numericalRankOther", other.rank);
        out.add("lossOther", other.loss);
        out.add("optimalityOther", other.optimality);
    }
    void addWalk() {
        rows("capacityAlong", "lag", &Frame::capacity);
        rows("capacityInBasisAlong", "component", &Frame::inBasis);
        if (!asked.eigenvalues.empty()) rows("eigenvaluesAlong", "index", &Frame::eigenvalues);
        rows("coefficientsAlong", "lag", &Frame::coefficients);
        addAutocovariances();
        column("totalCapacityAlong", &Frame::exactRank);
        column("numericalRankAlong", &Frame::rank);
        column("parametersAlong", &Frame::parameters);
        column("lossAlong", &Frame::loss);
        column("optimalityAlong", &Frame::optimality);
    }

    const WalkSetup& setup;
    const Scope& scope;
    const WalkResult& result;
    const Frame& asked;
    FilledReport out;
    Axis walk;

private:
    void addAutocovariance() {
        const Axis lags = countedAxis("lag", setup.length + 1);
        out.add("autocovariance", {lags}, scope.autocovariance);
        if (!asked.generated.stable) return;
        const Vector& generated = asked.generated.autocovariance;
        out.add("modelAutocovariance", {lags}, generated);
        out.add("autocovarianceAbsoluteError", {lags}, distances(generated, scope.autocovariance));
        out.add("autocovarianceRelativeError", {lags}, relative(generated, scope.autocovariance)).mayBeUndefined = true;
    }
    void rows(const char* name, const char* axis, Vector Frame::*member) {
        Vector values;
        for (const Frame& frame : result.frames) values.insert(values.end(), (frame.*member).begin(), (frame.*member).end());
        out.add(name, {walk, countedAxis(axis, (asked.*member).size())}, std::move(values));
    }
    void column(const char* name, double Frame::*member) {
        Vector values;
        for (const Frame& frame : result.frames) values.push_back(frame.*member);
        out.add(name, {walk}, std::move(values));
    }
    void addAutocovariances() {
        Vector values;
        for (const Frame& frame : result.frames) {
            const Vector& row = frame.generated.autocovariance;
            frame.generated.stable ? values.insert(values.end(), row.begin(), row.end())
                                   : values.insert(values.end(), setup.length + 1, kNone);
        }
        out.add("modelAutocovarianceAlong", {walk, countedAxis("lag", setup.length + 1)}, std::move(values)).mayBeUndefined = true;
    }
};

/// The least number of newest lags that hold half of the capacity.
std::size_t halfOf(const Vector& capacity, double total) {
    double sum = 0;
    for (std::size_t lag = 0; lag < capacity.size(); ++lag)
        if ((sum += capacity[lag]) >= total / 2) return lag + 1;
    return capacity.size();
}

std::string power(double value) { return value > 0 ? powerInWords(std::log10(value)) : "0"; }

std::string summaryOf(const Writer& w, const Subject& subject) {
    const Frame& f = w.asked;
    std::string text = subject.name(w.setup.channels) + " has " + inWords(f.parameters, 6) + " weights and a capacity of " +
                       inWords(f.exactRank, 6) + " over " + std::to_string(w.setup.length) + " lags";
    if (f.rank != f.exactRank) text += ", of which " + inWords(f.rank, 6) + " are found at these weights";
    const std::size_t half = halfOf(f.capacity, f.rank);
    text += half == 1 ? "; half of it lies on the newest lag. " : "; half of it lies on the newest " + std::to_string(half) + " lags. ";
    const bool asFound = !w.setup.optimising && !w.setup.pulled;
    text += f.optimality <= kOptimal ? "At this optimum"
                                     : (asFound ? "At the best weights found" : "At these weights") +
                                           (", which are no optimum (‖KᵀX‖/‖X‖ is " + inWords(f.optimality, 2) + "),");
    text += " the loss is " + power(f.loss) + " beyond the lower bound " + inWords(w.scope.task.lowerBound, 4) + ".";
    if (w.result.other)
        text +=
            " The model compared has capacity " + inWords(w.result.other->exactRank, 6) + " and loss " + power(w.result.other->loss) + ".";
    return text;
}

}  // namespace

Report walkReport(const WalkSetup& setup, const Scope& scope, const Subject& subject, const WalkResult& result, bool finished) {
    Report report;
    if (result.asked) {
        Writer writer(setup, scope, result);
        writer.addAsked();
        writer.addScalars();
        if (result.other) writer.addOther();
        writer.addWalk();
        subject.addOwn(writer.out, writer.walk, result.frames);
        report = std::move(writer.out.report);
        report.summary = summaryOf(writer, subject);
        if (!result.asked->generated.stable)
            report.warnings.push_back("The model is no stable autoregression: an autocovariance of its own does not exist.");
        if (setup.withNetwork && finished) report.network = subject.network(*result.asked);
    }
    report.warnings.insert(report.warnings.begin(), setup.warnings.begin(), setup.warnings.end());
    report.status = finished ? Status::Ok : Status::Partial;
    report.message = finished ? "" : "Optima are still being looked for.";
    return report;
}

namespace {

// Optima of one model after the other, or the way to one of them.

constexpr int kIterationsPerSlice = 8;
/// Steps of the timeline lie this factor apart, so that a thousand iterations are some thirty frames.
constexpr double kStepRatio = 1.25;

class Walk final : public Computation {
public:
    Walk(WalkSetup setup, std::unique_ptr<Subject> subject)
        : setup_(std::move(setup)), subject_(std::move(subject)), scope_(setup_.process, setup_.length, setup_.basis) {
        // First what was asked for, then its neighbours on the timeline.
        todo_.push_back(setup_.channels);
        for (const std::size_t channels : setup_.shown)
            if (channels != setup_.channels && !setup_.optimising) todo_.push_back(channels);
        other_ = subject_->other();
        jobs_ = todo_.size() + (other_ ? 1 : 0);
    }

    bool step() override {
        if (search_)
            search();
        else
            begin();
        return done_ < jobs_;
    }
    double progress() const override {
        const double part = search_ ? search_->progress() : 0;
        return done_ == jobs_ ? 1 : (static_cast<double>(done_) + 0.99 * part) / static_cast<double>(jobs_);
    }
    Report report() const override { return walkReport(setup_, scope_, *subject_, result_, done_ == jobs_); }

private:
    bool comparing() const { return done_ == todo_.size(); }
    const LinearModel& model() const { return comparing() ? *other_ : *model_; }

    void begin() {
        if (!comparing()) model_ = subject_->model(todo_[done_]);
        OptimumOptions options = setup_.options;
        if (comparing()) options.start = OptimumStart::Best;
        search_ = std::make_unique<OptimumSearch>(model(), scope_.task, options);
        if (watched()) record();
    }
    void search() {
        for (int i = 0; i < kIterationsPerSlice; ++i) {
            if (!search_->step()) return finish();
            if (watched() && search_->iterations() >= next_) record();
        }
    }
    bool watched() const { return setup_.optimising && !comparing(); }
    Frame frame() const {
        Frame frame = frameAt(scope_, model(), comparing() ? search_->weights() : subject_->pulled(model(), search_->weights()));
        frame.iterations = search_->iterations();
        return frame;
    }
    void record() {
        result_.frames.push_back(frame());
        result_.frames.back().place = search_->iterations();
        next_ = std::max(search_->iterations() + 1, static_cast<int>(kStepRatio * search_->iterations()));
        result_.asked = &result_.frames.back();
    }
    void finish() {
        if (comparing())
            result_.other = std::make_unique<Frame>(frame());
        else if (watched())
            finishWay();
        else
            insert(frame());
        if (done_ == 0 && setup_.length <= kSpectrumLength)
            result_.rawSpectrum = relativeSpectrum(scope_, model(), result_.asked->weights, true).eigenvalues;
        search_.reset();
        ++done_;
    }
    /// The best weights belong to the last iteration, whether or not its turn to be a frame had come.
    void finishWay() {
        if (result_.frames.back().place < search_->iterations()) record();
    }
    void insert(Frame frame) {
        frame.place = static_cast<double>(todo_[done_]);
        const auto after =
            std::find_if(result_.frames.begin(), result_.frames.end(), [&](const Frame& f) { return f.place > frame.place; });
        result_.frames.insert(after, std::move(frame));
        for (const Frame& f : result_.frames)
            if (f.place == static_cast<double>(setup_.channels)) result_.asked = &f;
    }

    WalkSetup setup_;
    std::unique_ptr<Subject> subject_;
    Scope scope_;
    std::unique_ptr<LinearModel> model_, other_;
    std::vector<std::size_t> todo_;
    std::size_t jobs_ = 0, done_ = 0;
    std::unique_ptr<OptimumSearch> search_;
    int next_ = 1;
    WalkResult result_;
};

/// Constraints, a basis, an autocovariance, and spectra where they are shown: of the columns that the model has, at most.
double frameOperations(const LinearModel& model, const WalkSetup& setup) {
    const double n = static_cast<double>(model.inputs()), columns = std::min(static_cast<double>(model.parameters()), 2 * n);
    const double spectrum = setup.length <= kSpectrumLength ? 60 * n * n * n + 4 * columns * n * n : 0;
    return 6 * n * n * columns + 3 * n * n * n + spectrum;
}

/// Frames along one way: every iteration first, then ever fewer.
double framesOf(int iterations) { return 8 + std::log(std::max(iterations, 2)) / std::log(kStepRatio); }

}  // namespace

std::unique_ptr<Computation> startWalk(WalkSetup setup, std::unique_ptr<Subject> subject) {
    return std::make_unique<Walk>(std::move(setup), std::move(subject));
}

WalkSetup readWalk(const Request& request, std::size_t length) {
    const Values& v = request.params;
    WalkSetup setup;
    setup.scene = request.scene;
    setup.basis = v.text("basis");
    setup.process = processOf(v);
    setup.length = length;
    setup.channels = static_cast<std::size_t>(v.number("channels"));
    setup.optimising = v.is("watch", "optimisation");
    const auto& factors = v.list("pull");
    setup.pulled = std::any_of(factors.begin(), factors.end(), [](double factor) { return factor != 1; });
    setup.withNetwork = request.withNetwork;
    setup.options.start = v.is("start", "random") ? OptimumStart::Random : OptimumStart::Best;
    setup.options.seed = v.seed();
    // Only random starts differ from one another; the way that is watched is a single one.
    const bool several = setup.options.start == OptimumStart::Random && !setup.optimising;
    setup.options.restarts = several ? v.integer("restarts") : 1;
    return setup;
}

Cost walkCost(const WalkSetup& setup, const Subject& subject) {
    const double n = static_cast<double>(setup.length), frames = setup.optimising ? framesOf(setup.options.iterations) : 1;
    Cost cost{1e6 + (setup.basis == "covariance" ? 9 * n * n * n : 0) + 60 * n * n * n, 2e6 + 60 * n * n};
    const auto add = [&](const LinearModel& model, const OptimumOptions& options, double framesShown) {
        const double p = static_cast<double>(model.parameters());
        cost.operations += optimumCost(model, options) + framesShown * frameOperations(model, setup);
        cost.bytes += framesShown * (8 * p + 100 * n) + 200 * p + 16 * n * std::min(p, 2 * n);
    };
    if (setup.optimising)
        add(*subject.model(setup.channels), setup.options, frames);
    else
        for (const std::size_t channels : setup.shown) add(*subject.model(channels), setup.options, 1);
    OptimumOptions best = setup.options;
    best.start = OptimumStart::Best;
    if (const auto other = subject.other()) add(*other, best, 1);
    return cost;
}

}  // namespace kappaflow::linear
