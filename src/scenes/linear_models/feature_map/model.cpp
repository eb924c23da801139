// A linear model behind a feature map that acts on every input alone (P2 6.2): one model for every degree.
#include "scenes/linear_models/feature_map/model.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/linear/hierarchical_model.h"
#include "scenes/linear_models/model_task.h"
#include "scenes/linear_models/model_wide.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace feature_map {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

std::unique_ptr<Computation> start(const Request& request) {
    return std::make_unique<wide::SeriesComputation<Setup>>(readSetup(request.params), request.withNetwork);
}

using Stack = wide::StackCapacity;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// Where functions are drawn: a normal input is seldom beyond.
constexpr double kReach = 3;
constexpr int kPoints = 121;

class Builder {
public:
    Builder(const Setup& setup, const wide::SeriesRun& run) : s(setup), series(run), r("feature-map") {
        for (int k = 1; k <= s.degree; ++k) degrees.values.push_back(k);
        inputs = countedAxis("input", s.length());
        functions.keys = featureNames(s.family, s.degree);
    }
    const std::optional<Stack>& stack(Size i) const { return series.found()[i]; }
    const std::optional<Stack>& last() const { return stack(degrees.values.size() - 1); }

    void addNumbers(const char* name, double (*number)(const Stack&)) {
        r.add(name, {degrees}, wide::numbersOf(series, 0, degrees.values.size(), number)).mayBeUndefined = true;
    }
    void addInputs(Vector& values, const std::optional<Stack>& stack) const {
        for (Size lag = 0; lag < s.length(); ++lag)
            for (Size k = 0; k < functions.keys.size(); ++k) values.push_back(stack && k < stack->components ? stack->at(lag, k) : kNone);
    }

    const Setup& s;
    const wide::SeriesRun& series;
    FilledReport r;
    Axis degrees{"degree", {}, {}}, inputs, functions{"function", {}, {}};
};

void addCapacities(Builder& b) {
    Vector all, last, sums;
    for (Size i = 0; i < b.degrees.values.size(); ++i) b.addInputs(all, b.stack(i));
    b.addInputs(last, b.last());
    for (Size lag = 0; lag < b.s.length(); ++lag) sums.push_back(b.last() ? b.last()->ofLag(lag) : kNone);
    b.r.add("capacity", {b.inputs}, std::move(sums)).mayBeUndefined = true;
    b.r.add("capacityByFunction", {b.inputs, b.functions}, std::move(last)).mayBeUndefined = true;
    b.r.add("capacityByDegree", {b.degrees, b.inputs, b.functions}, std::move(all)).mayBeUndefined = true;
    b.addNumbers("numericalRank", [](const Stack& stack) { return stack.rank; });
    b.addNumbers("meanLag", [](const Stack& stack) { return stack.meanLag(); });
    b.addNumbers("optimality", [](const Stack& stack) { return stack.optimality; });
    b.addNumbers("loss", [](const Stack& stack) { return stack.loss; });
}

/// Closed forms, known before anything runs.
void addTotals(Builder& b) {
    Vector totals, dimensions, parameters;
    for (int k = 1; k <= b.s.degree; ++k) {
        const HierarchicalShape shape = b.s.shape(k);
        totals.push_back(static_cast<double>(tensorTrainDimension(shape)));
        dimensions.push_back(static_cast<double>(b.s.length() * featureCount(b.s.family, k)));
        parameters.push_back(parameterCount(shape));
    }
    b.r.add("total", totals.back());
    b.r.add("dimension", dimensions.back());
    b.r.add("totals", {b.degrees}, std::move(totals));
    b.r.add("dimensions", {b.degrees}, std::move(dimensions));
    b.r.add("parameters", {b.degrees}, std::move(parameters));
    if (b.last()) b.r.add("lowerBound", b.series.lowerBounds().back());
}

void addFunctions(Builder& b) {
    Axis ys{"y", {}, {}};
    for (int i = 0; i < kPoints; ++i) ys.values.push_back(kReach * (2.0 * i / (kPoints - 1) - 1));
    Vector values, density;
    for (Size j = 0; j < b.functions.keys.size(); ++j)
        for (const double y : ys.values) values.push_back(featureValue(b.s.family, j, y));
    for (const double y : ys.values) density.push_back(std::exp(-0.5 * y * y) / std::sqrt(2 * std::numbers::pi));
    b.r.add("function", {b.functions, ys}, std::move(values));
    b.r.add("density", {ys}, std::move(density));
}

std::string summaryOf(const Builder& b) {
    if (!b.last()) return "Weights are being looked for.";
    const Stack& stack = *b.last();
    const double m = static_cast<double>(stack.components);
    const std::string text = "Behind " + inWords(m, 3) + (m == 1 ? " function" : " functions") + " of every input the model holds " +
                             inWords(stack.total, 6) + " of " + inWords(stack.inputs, 6) + " units of capacity; the newest input has " +
                             inWords(stack.ofLag(0)) + " of at most " + inWords(m, 3) + ", and the mean lag is " +
                             inWords(stack.meanLag(), 4) + ".";
    return text + wide::aboutWeights(stack, b.s.search);
}

}  // namespace

Report makeReport(const Setup& s, const wide::SeriesRun& series) {
    Builder b(s, series);
    addTotals(b);
    addCapacities(b);
    addFunctions(b);
    return wide::finished(b.r, series, "models", summaryOf(b));
}

HierarchicalShape Setup::shape(int upTo) const { return dilatedTree(layers, 2, channels, static_cast<int>(featureCount(family, upTo))); }

std::vector<wide::Member> Setup::members() const {
    std::vector<wide::Member> all;
    for (int k = 1; k <= degree; ++k) {
        const double features = static_cast<double>(featureCount(family, k));
        // Half of the Fourier functions' pairs depend on each other: sines on sines, cosines on cosines.
        all.push_back({shape(k), family == FeatureFamily::Fourier ? 0.5 * features * features : features});
    }
    return all;
}

LinearTask Setup::task(std::size_t member) const {
    return predictionTask(featureCovariance(family, static_cast<int>(member) + 1, autocovariance(process, length())));
}

Setup readSetup(const Values& v) {
    Setup s;
    s.family = v.is("functions", "fourier") ? FeatureFamily::Fourier : FeatureFamily::Hermite;
    s.degree = v.integer("degree");
    s.channels = v.integer("channels");
    s.layers = v.integer("layers");
    s.process = linear::processOf(v);
    s.search = wide::searchSettings(v);
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    Cost cost = wide::costOfSeries(s.members(), s.search);
    if (s.family == FeatureFamily::Hermite) return cost;
    for (int k = 1; k <= s.degree; ++k) {
        const double inputs = static_cast<double>(s.length() * featureCount(s.family, k));
        cost.operations += inputs * inputs * inputs / 3;
        cost.bytes += 16 * inputs * inputs;
    }
    return cost;
}

std::string costliestOf(const Request& request) { return wide::costliestOf(request, costOf, {"steps", "layers", "channels"}, "degree"); }

}  // namespace feature_map

Model feature_map_model() { return stepwise<feature_map::costOf, feature_map::costliestOf, feature_map::start>("feature-map"); }

}  // namespace kappaflow
