#include "scenes/linear_models/wavenet/model_report.h"

#include <cmath>
#include <limits>

#include "core/linear/tensor_train.h"
#include "scenes/linear_models/model_scene.h"
#include "scenes/linear_models/optimal.h"

namespace kappaflow::wavenet {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Stack = wide::StackCapacity;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class Builder {
public:
    Builder(const Setup& setup, const wide::SeriesRun& run) : s(setup), series(run), r("wavenet") {
        for (Size a = 0; a < s.arrangements(); ++a) arrangements.keys.push_back(s.key(a));
        for (int k = 1; k <= s.repeats; ++k) repeats.values.push_back(k);
        lags = countedAxis("lag", s.inputs(s.repeats));
    }

    const std::optional<Stack>& stack(Size a, Size k) const { return series.found()[s.memberOf(a, static_cast<int>(k) + 1)]; }
    const std::optional<Stack>& last(Size a) const { return stack(a, repeats.values.size() - 1); }

    /// [arrangement, repeats] of what is known.
    template <class Number>
    void add(const char* name, Number&& number) {
        Vector values;
        for (Size a = 0; a < s.arrangements(); ++a)
            for (Size k = 0; k < repeats.values.size(); ++k) values.push_back(stack(a, k) ? number(*stack(a, k)) : kNone);
        r.add(name, {arrangements, repeats}, std::move(values)).mayBeUndefined = true;
    }
    void addRow(Vector& values, const std::optional<Stack>& stack) const {
        for (Size lag = 0; lag < lags.values.size(); ++lag)
            values.push_back(stack && lag < stack->capacity.size() ? stack->capacity[lag] : kNone);
    }

    const Setup& s;
    const wide::SeriesRun& series;
    FilledReport r;
    Axis arrangements{"arrangement", {}, {}}, repeats{"repeats", {}, {}}, lags;
};

void addCapacities(Builder& b) {
    Vector last, grown;
    for (Size a = 0; a < b.s.arrangements(); ++a) {
        b.addRow(last, b.last(a));
        for (Size k = 0; k < b.repeats.values.size(); ++k) b.addRow(grown, b.stack(a, k));
    }
    b.r.add("capacity", {b.arrangements, b.lags}, std::move(last)).mayBeUndefined = true;
    b.r.add("grown", {b.arrangements, b.repeats, b.lags}, std::move(grown)).mayBeUndefined = true;
    b.add("grownTotal", [](const Stack& stack) { return stack.total; });
    b.add("numericalRank", [](const Stack& stack) { return stack.rank; });
    b.add("grownMeanLag", [](const Stack& stack) { return stack.meanLag(); });
    b.add("grownOptimality", [](const Stack& stack) { return stack.optimality; });
    b.add("grownLoss", [](const Stack& stack) { return stack.loss; });
}

void addStructure(Builder& b) {
    Vector bounds, inputs, parameters, dilations, paths;
    for (Size a = 0; a < b.s.arrangements(); ++a) {
        for (int k = 1; k <= b.s.repeats; ++k)
            bounds.push_back(std::fmin(static_cast<double>(b.s.inputs(k)), static_cast<double>(tensorTrainDimension(b.s.composed(a, k)))));
        for (const int d : b.s.shape(a, b.s.repeats).dilations) dilations.push_back(d);
    }
    for (int k = 1; k <= b.s.repeats; ++k) {
        inputs.push_back(static_cast<double>(b.s.inputs(k)));
        parameters.push_back(parameterCount(b.s.shape(0, k)));
        for (const double count : b.s.paths(k)) paths.push_back(count);
    }
    const Size layers = dilations.size() / b.s.arrangements();
    b.r.add("bound", {b.arrangements, b.repeats}, std::move(bounds));
    b.r.add("inputs", {b.repeats}, std::move(inputs));
    b.r.add("parameters", {b.repeats}, std::move(parameters));
    Axis layer{"layer", {}, {}};
    for (Size l = 1; l <= layers; ++l) layer.values.push_back(static_cast<double>(l));
    b.r.add("dilations", {b.arrangements, layer}, std::move(dilations));
    b.r.add("paths", {b.repeats, b.lags}, std::move(paths));
}

void addScalars(Builder& b) {
    for (Size a = 0; a < b.s.arrangements(); ++a) {
        if (!b.last(a)) continue;
        const Stack& stack = *b.last(a);
        const std::string ending = b.s.repeated[a] ? "Repeated" : "Tiled";
        b.r.add("total" + ending, stack.total);
        b.r.add("meanLag" + ending, stack.meanLag());
        b.r.add("optimality" + ending, stack.optimality);
        b.r.add("loss" + ending, stack.loss);
    }
    if (b.series.finished()) b.r.add("lowerBound", b.series.lowerBounds().back());
}

std::string sentenceOf(const Builder& b, Size a) {
    const Stack& stack = *b.last(a);
    std::string text = std::string(b.s.repeated[a] ? "Repeated" : "Tiled") + ", the stack holds " + inWords(stack.total, 6) +
                       " of at most " + inWords(stack.inputs, 6) + " units of capacity, at a mean lag of " + inWords(stack.meanLag(), 4);
    if (stack.rank != stack.total) text += " (" + inWords(stack.rank, 6) + " of them found at these weights)";
    return text + ".";
}

std::string summaryOf(const Builder& b) {
    std::string text;
    double worst = 0;
    for (Size a = 0; a < b.s.arrangements(); ++a) {
        if (!b.last(a)) return "Weights are being looked for.";
        text += (a > 0 ? " " : "") + sentenceOf(b, a);
        worst = std::fmax(worst, b.last(a)->optimality);
    }
    if (b.s.search.steps < 1) return text + " The weights are random ones.";
    if (worst > linear::kOptimal)
        text += " The weights are the best that were found, not an optimum: ‖KᵀX‖/‖X‖ is up to " + inWords(worst, 2) + ".";
    return text;
}

}  // namespace

Report makeReport(const Setup& s, const wide::SeriesRun& series) {
    Builder b(s, series);
    addStructure(b);
    addCapacities(b);
    addScalars(b);
    return wide::finished(b.r, series, "stacks", summaryOf(b));
}

}  // namespace kappaflow::wavenet
