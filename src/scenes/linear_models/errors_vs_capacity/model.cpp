#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/linear/constraints.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_task.h"
#include "core/linear/optimum.h"
#include "scene/filled_report.h"
#include "scenes/stepwise.h"
#include "scenes/linear_models/declaration_linear.h"
#include "scenes/linear_models/model_task.h"

namespace kappaflow {
namespace errors_vs_capacity {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Bound and squared error of one draw, or means over draws; each of a profile sums to 1 (to 0 where no capacity is missing).
struct Profile {
    std::vector<double> bound, error;
};

/// What one search ended with.
struct DrawResult {
    Profile lags, components;  ///< newest lag first; eigenvectors of Σ, largest eigenvalue first
    double loss = 0, optimality = 0;
};

/// A request read once and for all.
struct Setup {
    HierarchicalShape shape;
    bool random = true;  ///< a target a draw, from the tensor train next to it; else the process's own, from random weights
    std::size_t draws = 1;
    int iterations = 1;
    std::uint64_t seed = 1;
};

/// Searches draw after draw, in slices.
class DrawRun {
public:
    explicit DrawRun(const Values&);
    /// Some milliseconds; false when all draws are through.
    bool advance();
    double progress() const;

    const Setup& setup() const { return setup_; }
    const HierarchicalModel& model() const { return model_; }
    const std::vector<DrawResult>& results() const { return results_; }

private:
    void begin();
    DrawResult read() const;

    Setup setup_;
    HierarchicalModel model_;
    LinearTask task_;  ///< of the process
    Matrix eigenvectors_;
    std::optional<LinearTask> drawn_;   ///< with the target of the draw under way
    std::unique_ptr<Descent> descent_;  ///< null between two draws
    int iterations_ = 0;                ///< of it
    std::vector<DrawResult> results_;
};

/// Multiply-adds of one slice.
constexpr double kSlice = 3e6;
/// An error below this share of the target is rounding.
constexpr double kNoError = 1e-9;

HierarchicalShape shapeOf(const Values& v) { return dilatedTree(v.integer("layers"), 2, v.integer("channels")); }

double sumOfSquares(const Vector& x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return sum;
}

Vector sharesOf(Vector x, double total) {
    for (double& value : x) value = total > 0 ? value * value / total : 0;
    return x;
}

/// Multiply-adds of one iteration of L-BFGS.
double iterationCost(double inputs, double parameters) { return 1.5 * (4 * parameters * inputs + inputs * inputs + 50 * parameters); }

Setup readSetup(const Values& v) {
    Setup setup;
    setup.shape = shapeOf(v);
    setup.random = v.is("targets", "random");
    setup.draws = static_cast<Size>(v.integer("draws"));
    setup.seed = v.seed();
    setup.iterations = v.integer("iterations");
    return setup;
}

DrawRun::DrawRun(const Values& v)
    : setup_(readSetup(v)),
      model_(setup_.shape),
      task_(predictionTask(linear::processOf(v), model_.inputs())),
      eigenvectors_(covarianceEigenvectors(task_.covariance).vectors) {}

void DrawRun::begin() {
    const Size draw = results_.size();
    drawn_ = setup_.random ? withTarget(task_, randomTarget(model_.inputs(), setup_.seed, draw)) : task_;
    // From the train next to a random target L-BFGS reaches ‖KᵀX‖/‖X‖ of 1e-8 and the loss of Gauss–Newton steps, which stop at 1e-6
    // (so large is the error that the loss shows no more) and take twice as long.
    descent_ =
        lbfgsDescent(model_, *drawn_, setup_.random ? trainWeights(model_, drawn_->target) : model_.randomWeights(setup_.seed, draw));
    iterations_ = 0;
}

DrawResult DrawRun::read() const {
    const Vector& weights = descent_->weights();
    const Vector response = model_.response(weights), error = taskError(*drawn_, response);
    const Constraints K = constraints(model_, weights, drawn_->covariance);
    const double total = static_cast<double>(K.rank), squared = sumOfSquares(error), of = sumOfSquares(drawn_->target);
    const double left = squared > kNoError * kNoError * of ? squared : 0;
    Vector along(error.size());
    for (Size i = 0; i < error.size(); ++i)
        for (Size k = 0; k < error.size(); ++k) along[k] += eigenvectors_(i, k) * error[i];
    DrawResult result;
    result.lags = {linear::newestFirst(expectedErrorShares(capacityPerInput(K.basis), total)), linear::newestFirst(sharesOf(error, left))};
    result.components = {expectedErrorShares(capacityInBasis(K.basis, eigenvectors_), total), sharesOf(std::move(along), left)};
    result.loss = descent_->loss();
    result.optimality = left > 0 ? optimality(K, *drawn_, response) : 0;
    return result;
}

bool DrawRun::advance() {
    const double each = iterationCost(static_cast<double>(model_.inputs()), static_cast<double>(model_.parameters()));
    for (double done = 0; done < kSlice; done += each) {
        if (!descent_) begin();
        if (iterations_++ < setup_.iterations && descent_->step()) continue;
        results_.push_back(read());
        descent_.reset();
        break;
    }
    return results_.size() < setup_.draws;
}

double DrawRun::progress() const {
    const double now = descent_ ? static_cast<double>(iterations_) / (setup_.iterations + 1) : 0;
    return std::min(1.0, (static_cast<double>(results_.size()) + now) / static_cast<double>(setup_.draws));
}

Cost costOf(const Request& request) {
    const Values& v = request.params;
    const HierarchicalShape shape = shapeOf(v);
    const double n = receptiveField(shape), rank = static_cast<double>(tensorTrainDimension(shape)), draws = v.number("draws");
    const double search = v.number("iterations") * iterationCost(n, parameterCount(shape)), read = 8 * n * rank * rank + 4 * n * n * rank;
    return {draws * (search + read) + 20 * n * n * n + 2 * draws * n * n, 8 * (12 * draws * n + 40 * n * n) + 2e6};
}

std::string costliestOf(const Request& request) {
    const auto defaults = findDeclaration(request.scene)->defaults();
    std::string worst = "draws";
    double least = costOf(request).operations;
    for (const char* key : {"draws", "layers", "channels", "iterations"}) {
        Request lower = request;
        lower.params.set(key, defaults.at(key));
        if (request.params.number(key) <= defaults.number(key) || costOf(lower).operations >= least) continue;
        least = costOf(lower).operations;
        worst = key;
    }
    return worst;
}

/// Pearson correlation; NaN where one of the two does not vary.
double pearson(const Vector& a, const Vector& b) {
    const double n = static_cast<double>(a.size());
    double meanA = 0, meanB = 0, aa = 0, bb = 0, ab = 0, largestA = 0, largestB = 0;
    for (Size i = 0; i < a.size(); ++i) meanA += a[i] / n, meanB += b[i] / n;
    for (Size i = 0; i < a.size(); ++i) {
        const double x = a[i] - meanA, y = b[i] - meanB;
        aa += x * x, bb += y * y, ab += x * y;
        largestA = std::max(largestA, std::abs(a[i])), largestB = std::max(largestB, std::abs(b[i]));
    }
    // Differences at the level of rounding are none.
    const bool varies = aa > 1e-20 * largestA * largestA * n && bb > 1e-20 * largestB * largestB * n;
    return varies ? ab / std::sqrt(aa * bb) : std::numeric_limits<double>::quiet_NaN();
}

/// Lags or components: the profiles of all draws, their means and what follows.
class Summary {
public:
    Summary(const std::vector<DrawResult>& results, Profile DrawResult::*which) : results_(results), which_(which) {
        const Size n = (results.front().*which).bound.size();
        Profile sum{Vector(n), Vector(n)};
        for (const DrawResult& draw : results) {
            const Profile& profile = draw.*which;
            for (Size i = 0; i < n; ++i) sum.bound[i] += profile.bound[i], sum.error[i] += profile.error[i];
            running_.push_back(pearson(sum.bound, sum.error));
        }
        sum_ = sum;
    }

    Size length() const { return sum_.bound.size(); }
    Vector mean(Vector Profile::*part) const {
        Vector values = sum_.*part;
        for (double& value : values) value /= count();
        return values;
    }
    Vector deviation(Vector Profile::*part) const {
        const Vector middle = mean(part);
        Vector values(length());
        for (const DrawResult& draw : results_)
            for (Size i = 0; i < length(); ++i) {
                const double away = (draw.*which_.*part)[i] - middle[i];
                values[i] += away * away;
            }
        for (double& value : values) value = std::sqrt(value / std::max(1.0, count() - 1));
        return values;
    }
    Vector rows(Vector Profile::*part) const {
        Vector values;
        for (const DrawResult& draw : results_) {
            const Vector& row = draw.*which_.*part;
            values.insert(values.end(), row.begin(), row.end());
        }
        return values;
    }
    /// After 1, 2, … draws.
    const Vector& running() const { return running_; }
    double correlation() const { return running_.back(); }
    /// Jackknife over draws.
    double standardError() const {
        Vector without;
        for (const DrawResult& draw : results_) {
            Profile rest = sum_;
            for (Size i = 0; i < length(); ++i) rest.bound[i] -= (draw.*which_).bound[i], rest.error[i] -= (draw.*which_).error[i];
            without.push_back(pearson(rest.bound, rest.error));
        }
        double middle = 0, squares = 0;
        for (const double r : without) middle += r / count();
        for (const double r : without) squares += (r - middle) * (r - middle);
        return std::sqrt(squares * (count() - 1) / count());
    }

private:
    double count() const { return static_cast<double>(results_.size()); }
    const std::vector<DrawResult>& results_;
    Profile DrawResult::*which_;
    Profile sum_;
    Vector running_;
};

void addProfiles(FilledReport& r, const Summary& summary, const Axis& along, const Axis& draws, const std::string& suffix) {
    const auto named = [&](const char* name) { return name + suffix; };
    r.add(named("bound"), {along}, summary.mean(&Profile::bound));
    r.add(named("boundStd"), {along}, summary.deviation(&Profile::bound));
    auto& error = r.add(named("errorMean"), {along}, summary.mean(&Profile::error));
    error.standardError = summary.deviation(&Profile::error);
    for (double& value : error.standardError) value /= std::sqrt(static_cast<double>(draws.size()));
    r.add(named("errorStd"), {along}, summary.deviation(&Profile::error));
    r.add(named("boundByDraw"), {draws, along}, summary.rows(&Profile::bound));
    r.add(named("errorByDraw"), {draws, along}, summary.rows(&Profile::error));
    r.add(suffix.empty() ? "correlationByDraws" : "correlationInBasisByDraws", {draws}, summary.running()).mayBeUndefined = true;
    if (!std::isfinite(summary.correlation())) return;
    auto& correlation = r.add(named("correlation"), summary.correlation());
    const double error1 = draws.size() > 1 ? summary.standardError() : std::numeric_limits<double>::quiet_NaN();
    correlation.draws = static_cast<double>(draws.size());
    if (std::isfinite(error1)) correlation.standardError = error1;
}

std::string summaryOf(const Report& report, const DrawRun& run, double optimal) {
    const Scalar *lags = report.scalar("correlation"), *components = report.scalar("correlationInBasis");
    const std::string draws = std::to_string(run.results().size()), kappa = inWords(report.scalar("totalCapacity")->value, 4),
                      of = "With capacity " + kappa + " of " + std::to_string(run.model().inputs());
    if (!lags || !components) return of + " inputs the bound is the same everywhere, so that there is nothing to compare the errors with.";
    std::string text = of + " inputs, over " + draws + (run.setup().random ? " random targets" : " random starts on one target") +
                       ", mean squared errors and the bound 1 − κ correlate at " + inWords(lags->value, 2) + " along lags and at " +
                       inWords(components->value, 2) + " along the eigenvectors of the covariance.";
    text += " " + inWords(optimal, 4) + " of " + draws + " searches ended in an optimum.";
    return text;
}

Report reportOf(const DrawRun& run, bool finished) {
    FilledReport r("errors-vs-capacity");
    r.report.status = finished ? Status::Ok : Status::Partial;
    r.report.message = finished ? "" : "More draws are on their way.";
    r.add("totalCapacity", static_cast<double>(run.model().exactRank()));
    const auto& results = run.results();
    if (results.empty()) {
        r.report.summary = "The first draw is being computed.";
        return std::move(r.report);
    }
    Axis draws = countedAxis("draw", results.size());
    for (double& value : draws.values) ++value;
    Axis components = countedAxis("component", run.model().inputs());
    for (double& value : components.values) ++value;
    addProfiles(r, Summary(results, &DrawResult::lags), countedAxis("lag", run.model().inputs()), draws, "");
    addProfiles(r, Summary(results, &DrawResult::components), components, draws, "InBasis");
    Vector losses, optimality;
    double optimal = 0;
    for (const DrawResult& draw : results) {
        losses.push_back(draw.loss);
        optimality.push_back(draw.optimality);
        optimal += draw.optimality <= linear::kOptimal;
    }
    r.add("loss", {draws}, std::move(losses));
    r.add("optimality", {draws}, std::move(optimality));
    r.add("optimalDraws", optimal);
    r.report.summary = summaryOf(r.report, run, optimal);
    return std::move(r.report);
}

class ErrorsComputation final : public Computation {
public:
    explicit ErrorsComputation(const Request& request) : run_(request.params) {}

    bool step() override { return !(finished_ = !run_.advance()); }
    double progress() const override { return finished_ ? 1 : run_.progress(); }
    Report report() const override { return reportOf(run_, finished_); }

private:
    DrawRun run_;
    bool finished_ = false;
};

std::unique_ptr<Computation> start(const Request& request) { return std::make_unique<ErrorsComputation>(request); }

}  // namespace
}  // namespace errors_vs_capacity

Model errors_vs_capacity_model() {
    return stepwise<errors_vs_capacity::costOf, errors_vs_capacity::costliestOf, errors_vs_capacity::start>("errors-vs-capacity");
}

}  // namespace kappaflow
