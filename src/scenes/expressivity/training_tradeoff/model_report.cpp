#include "scenes/expressivity/training_tradeoff/model_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scene/filled_report.h"

namespace kappaflow::training_tradeoff {
namespace {

using Numbers = std::vector<double>;
using Steps = std::vector<std::uint64_t>;

Axis stepAxis(const Steps& steps) {
    Axis axis{"step", {}, {}};
    for (const std::uint64_t step : steps) axis.values.push_back(static_cast<double>(step));
    return axis;
}

void addRows(FilledReport& r, const char* name, const Run& run, const Steps& steps, ArcMeans Snapshot::*arcs, Numbers ArcMeans::*mean,
             Numbers ArcMeans::*error) {
    Numbers values, errors;
    for (const std::uint64_t step : steps) {
        const ArcMeans& means = run.at(step).*arcs;
        values.insert(values.end(), (means.*mean).begin(), (means.*mean).end());
        errors.insert(errors.end(), (means.*error).begin(), (means.*error).end());
    }
    r.add(name, {stepAxis(steps), countedAxis("layer", run.layers() + 1)}, std::move(values)).standardError = std::move(errors);
}

template <class Value>
void addCurve(FilledReport& r, const char* name, const Run& run, const Steps& steps, Value value) {
    Numbers values;
    for (const std::uint64_t step : steps) {
        const double x = value(run.at(step));
        values.push_back(std::isfinite(x) ? x : std::numeric_limits<double>::quiet_NaN());
    }
    r.add(name, {stepAxis(steps)}, std::move(values)).mayBeUndefined = true;
}

/// After training over before; NaN where no length was found before.
struct Changes {
    double last = 1, lastRandom = 1, first = 1;
    std::size_t rising = 0, layers = 0;  ///< of so many that have any length
};

bool rises(const ArcMeans& before, const ArcMeans& after, std::size_t layer) {
    const double n = static_cast<double>(before.lengths.size());
    double sum = 0, squares = 0;
    for (std::size_t arc = 0; arc < before.lengths.size(); ++arc) {
        const double difference = after.lengths[arc][layer] - before.lengths[arc][layer];
        sum += difference, squares += difference * difference;
    }
    const double variance = std::max(squares - sum * sum / n, 0.0) / (n - 1);
    return sum / n > std::sqrt(variance / n);
}

double ratio(double after, double before) { return before > 0 ? after / before : std::numeric_limits<double>::quiet_NaN(); }

Changes changesOf(const Run& run, const Steps& steps) {
    const Snapshot &before = run.at(steps.front()), &after = run.at(steps.back());
    const std::size_t n = run.layers();
    Changes c{ratio(after.samples.length[n], before.samples.length[n]), ratio(after.random.length[n], before.random.length[n]),
              ratio(after.samples.length[1], before.samples.length[1]), risingLayers(before.samples, after.samples), 0};
    for (std::size_t l = 1; l <= n; ++l) c.layers += before.samples.length[l] > 0 || after.samples.length[l] > 0;
    return c;
}

std::string percent(double share) { return inWords(100 * share) + " %"; }

std::string summaryOf(const Run& run, const Steps& steps, const Changes& c) {
    const std::uint64_t end = steps.back();
    const Snapshot& after = run.at(end);
    const std::string accuracy = percent(after.learnt.accuracy) + " of the samples learnt from and " + percent(after.heldOut) +
                                 " of those held out are named rightly.";
    if (end == 0) return "Before training " + accuracy;
    const std::string begin = "After " + std::to_string(end) + " steps ";
    if (!std::isfinite(c.last) || !std::isfinite(c.lastRandom))
        return begin + "there is nothing to compare in the last layer: before training no length was found there between " +
               (std::isfinite(c.last) ? "random points" : "samples") + ". " + accuracy;
    return begin + "the last layer's images are " + inWords(c.last) + " times as long between samples and " + inWords(c.lastRandom) +
           " times between random points: " + lengthsInWords(c.last, c.lastRandom) +
           ". Between samples they end longer by over a standard error in " + std::to_string(c.rising) + " of " + std::to_string(c.layers) +
           " layers, in the first " + inWords(c.first) + " times as long. " + accuracy;
}

void addScalars(FilledReport& r, const Steps& steps, const Changes& c) {
    r.add("steps", static_cast<double>(steps.back()));
    const auto add = [&](const char* name, double change) {
        if (std::isfinite(change)) r.add(name, change);
    };
    add("lastLayerChange", c.last);
    add("lastLayerChangeRandom", c.lastRandom);
    add("firstLayerChange", c.first);
    r.add("risingLayers", static_cast<double>(c.rising));
}

}  // namespace

std::string lengthsInWords(double last, double lastRandom) {
    // What "1 times as long" rounds to.
    constexpr double kSame = 0.005;
    if (std::abs(last - 1) < kSame) return "lengths stay as they were between samples";
    if (last > 1) return "lengths rise between samples";
    return last < lastRandom ? "lengths fall, and faster between samples"
                             : "lengths fall between samples, but not faster than between random points";
}

std::size_t risingLayers(const ArcMeans& before, const ArcMeans& after) {
    std::size_t rising = 0;
    for (std::size_t l = 1; l < before.length.size(); ++l) rising += rises(before, after, l);
    return rising;
}

Report reportOf(const Run& run, bool finished) {
    const Steps steps = run.known();
    FilledReport r("training-tradeoff");
    r.report.status = finished ? Status::Ok : Status::Partial;
    r.report.message = finished ? "" : "The network is being trained.";
    if (!run.trouble().empty()) r.report.warnings.push_back(run.trouble());
    if (steps.empty()) return std::move(r.report);
    addRows(r, "length", run, steps, &Snapshot::samples, &ArcMeans::length, &ArcMeans::lengthError);
    addRows(r, "lengthRandom", run, steps, &Snapshot::random, &ArcMeans::length, &ArcMeans::lengthError);
    addRows(r, "transitions", run, steps, &Snapshot::samples, &ArcMeans::transitions, &ArcMeans::transitionsError);
    addRows(r, "transitionsRandom", run, steps, &Snapshot::random, &ArcMeans::transitions, &ArcMeans::transitionsError);
    addCurve(r, "accuracy", run, steps, [](const Snapshot& s) { return s.learnt.accuracy; });
    addCurve(r, "testAccuracy", run, steps, [](const Snapshot& s) { return s.heldOut; });
    addCurve(r, "loss", run, steps, [](const Snapshot& s) { return s.learnt.loss; });
    const Changes changes = changesOf(run, steps);
    addScalars(r, steps, changes);
    r.report.summary = summaryOf(run, steps, changes);
    return std::move(r.report);
}

}  // namespace kappaflow::training_tradeoff
