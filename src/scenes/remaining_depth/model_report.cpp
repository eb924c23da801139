#include "scenes/remaining_depth/model_report.h"

#include <cmath>

#include "scenes/filled_report.h"

namespace kappaflow::remaining_depth {
namespace {

using Numbers = std::vector<double>;

Axis trainedAxis(const Run& run) {
    Axis axis{"trainedLayer", {}, {}};
    for (std::size_t l = 1; l <= run.layers(); ++l) axis.values.push_back(static_cast<double>(l));
    return axis;
}

void addCurves(FilledReport& r, const char* name, const Run& run, const Accuracies& accuracies) {
    Numbers means, errors;
    for (std::size_t l = 0; l < run.layers(); ++l)
        for (std::size_t e = 0; e <= run.epochs(); ++e) {
            means.push_back(accuracies.mean(l, e));
            errors.push_back(accuracies.standardError(l, e));
        }
    Array& array = r.add(name, {trainedAxis(run), countedAxis("epoch", run.epochs() + 1)}, std::move(means));
    array.standardError = std::move(errors);
    array.mayBeUndefined = true;
}

double inversionsOf(const Run& run, const Accuracies& accuracies) {
    double inversions = 0;
    for (std::size_t l = 1; l < run.layers(); ++l) inversions += accuracies.mean(l, run.reached()) > accuracies.mean(l - 1, run.reached());
    return inversions;
}

std::string percent(double share) { return inWords(100 * share) + " %"; }

std::string orderInWords(double inversions, std::size_t pairs) {
    if (pairs == 0) return "There is no other layer to compare it with.";
    if (inversions == 0) return "The order is the survey's throughout: the lower the layer, the better.";
    return "In " + inWords(inversions) + " of " + std::to_string(pairs) + " pairs of neighbours the upper layer does better.";
}

std::string summaryOf(const Run& run, double inversions) {
    const std::size_t last = run.layers() - 1, epoch = run.reached();
    const double low = run.test().mean(0, epoch), high = run.test().mean(last, epoch);
    if (!std::isfinite(low) || !std::isfinite(high))
        return "Training diverged in every draw of some layer; a lower learning rate avoids that.";
    return "After " + std::to_string(epoch) + " epochs, training layer 1 alone names " + percent(run.train().mean(0, epoch)) +
           " of the samples learnt from and " + percent(low) + " of those held out rightly, layer " + std::to_string(last + 1) + " alone " +
           percent(run.train().mean(last, epoch)) + " and " + percent(high) + ". " + orderInWords(inversions, last);
}

}  // namespace

Report reportOf(const Run& run, bool finished) {
    FilledReport r("remaining-depth");
    r.report.status = finished ? Status::Ok : Status::Partial;
    r.report.message = finished ? "" : "The layers are being trained.";
    r.report.warnings = run.troubles();
    addCurves(r, "trainAccuracy", run, run.train());
    addCurves(r, "testAccuracy", run, run.test());
    Numbers remaining;
    for (std::size_t l = 1; l <= run.layers(); ++l) remaining.push_back(static_cast<double>(run.layers() - l));
    r.add("remainingDepth", {trainedAxis(run)}, std::move(remaining));
    r.add("draws", static_cast<double>(std::max<std::size_t>(1, run.draws())));
    if (!finished && !std::isfinite(run.train().mean(run.layers() - 1, 0))) return std::move(r.report);
    const double inversions = inversionsOf(run, run.test());
    r.add("inversionsTrain", inversionsOf(run, run.train()));
    r.add("inversionsTest", inversions);
    r.add("parameters", run.parameters());
    r.report.summary = summaryOf(run, inversions);
    return std::move(r.report);
}

}  // namespace kappaflow::remaining_depth
