#include "scenes/expressivity/remaining_depth/model_report.h"

#include <cmath>

#include "scene/filled_report.h"

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

std::string percent(double share) { return inWords(100 * share) + " %"; }

std::string countInWords(std::size_t learnt, std::size_t held) {
    return "in " + std::to_string(learnt) + " on the samples learnt from and in " + std::to_string(held) + " on those held out";
}

std::string nameOf(std::size_t layer) { return "W^(" + std::to_string(layer + 1) + ")"; }

std::string summaryOf(const Run& run, const NeighbourOrder& learnt, const NeighbourOrder& held) {
    const std::size_t last = run.layers() - 1, epoch = run.reached();
    const auto known = [&](std::size_t layer) { return std::isfinite(run.test().mean(layer, epoch)); };
    if (!known(0) || !known(last)) return "Training diverged in every draw of some layer; a lower learning rate avoids that.";
    const auto both = [&](std::size_t layer) {
        return percent(run.train().mean(layer, epoch)) + " and " + percent(run.test().mean(layer, epoch));
    };
    const std::string begin = "After " + std::to_string(epoch) + " epochs, training " + nameOf(0) + " alone names " +
                              percent(run.train().mean(0, epoch)) + " of the samples learnt from and " +
                              percent(run.test().mean(0, epoch)) + " of those held out rightly";
    if (last == 0) return begin + ". It is the only one trained: there is none to compare it with.";
    return begin + ", training " + nameOf(last) + " alone " + both(last) + ". " + orderInWords(learnt, held, run.draws() > 1);
}

}  // namespace

NeighbourOrder orderOf(const Accuracies& accuracies, std::size_t layers, std::size_t epoch) {
    NeighbourOrder order;
    for (std::size_t l = 1; l < layers; ++l) {
        const double gain = accuracies.mean(l - 1, epoch) - accuracies.mean(l, epoch);
        const double error = std::hypot(accuracies.standardError(l - 1, epoch), accuracies.standardError(l, epoch));
        ++(gain > error ? order.lower : gain < -error ? order.upper : order.ties);
    }
    return order;
}

std::string orderInWords(const NeighbourOrder& learnt, const NeighbourOrder& held, bool severalDraws) {
    const std::size_t pairs = learnt.lower + learnt.upper + learnt.ties;
    const std::string all = pairs == 1 ? "Of the two the lower" : "Of " + std::to_string(pairs) + " pairs of neighbours the lower";
    if (learnt.lower == pairs && held.lower == pairs)
        return all + " one always does better, on the samples learnt from and on those held out: the survey's order throughout.";
    const std::string others = learnt.ties + held.ties == 0 ? "."
                               : severalDraws               ? "; the others differ by no more than a standard error."
                                                            : "; the others are equal.";
    return all + " one does better " + countInWords(learnt.lower, held.lower) + ", the upper one in " + std::to_string(learnt.upper) +
           " and " + std::to_string(held.upper) + others;
}

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
    const NeighbourOrder learnt = orderOf(run.train(), run.layers(), run.reached()),
                         held = orderOf(run.test(), run.layers(), run.reached());
    r.add("inversionsTrain", static_cast<double>(learnt.upper));
    r.add("inversionsTest", static_cast<double>(held.upper));
    r.add("parameters", run.parameters());
    r.report.summary = summaryOf(run, learnt, held);
    return std::move(r.report);
}

}  // namespace kappaflow::remaining_depth
