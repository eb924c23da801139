#include "scenes/linear_models/errors_vs_capacity/model_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scene/filled_report.h"
#include "scenes/linear_models/optimal.h"

namespace kappaflow::errors_vs_capacity {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

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

}  // namespace

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

}  // namespace kappaflow::errors_vs_capacity
