#include "scenes/linear_models/multi_input/model_report.h"

#include <cmath>
#include <limits>

#include "core/linear/tensor_train.h"
#include "scenes/linear_models/model_scene.h"

namespace kappaflow::multi_input {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Stack = wide::StackCapacity;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class Builder {
public:
    Builder(const Setup& setup, const wide::SeriesRun& run) : s(setup), series(run), r("multi-input") {
        for (const int c : s.channels) channels.values.push_back(c);
        for (const auto& [d, c] : s.scaled) components.values.push_back(d);
        for (int k = 1; k <= s.components; ++k) component.values.push_back(k);
        lags = countedAxis("lag", s.length());
    }
    const std::optional<Stack>& stack(Size i) const { return series.found()[i]; }
    const std::optional<Stack>& last() const { return stack(s.channels.size() - 1); }

    void addNumbers(const char* name, double (*number)(const Stack&)) {
        r.add(name, {channels}, wide::numbersOf(series, 0, s.channels.size(), number)).mayBeUndefined = true;
    }
    /// One unit for each component: what share of it a lag has.
    void addShares(Vector& values, const std::optional<Stack>& stack) const {
        for (Size lag = 0; lag < s.length(); ++lag)
            values.push_back(stack ? stack->ofLag(lag) / static_cast<double>(stack->components) : kNone);
    }
    void addInputs(Vector& values, const std::optional<Stack>& stack) const {
        for (Size k = 0; k < component.values.size(); ++k)
            for (Size lag = 0; lag < s.length(); ++lag) values.push_back(stack ? stack->at(lag, k) : kNone);
    }

    const Setup& s;
    const wide::SeriesRun& series;
    FilledReport r;
    Axis channels{"channels", {}, {}}, components{"components", {}, {}}, component{"component", {}, {}}, lags;
};

void addChannels(Builder& b) {
    Vector shares, inputs, last;
    for (Size i = 0; i < b.s.channels.size(); ++i) {
        b.addShares(shares, b.stack(i));
        b.addInputs(inputs, b.stack(i));
    }
    b.addInputs(last, b.last());
    b.r.add("capacity", {b.component, b.lags}, std::move(last)).mayBeUndefined = true;
    b.r.add("capacityByChannels", {b.channels, b.lags}, std::move(shares)).mayBeUndefined = true;
    b.r.add("componentsByChannels", {b.channels, b.component, b.lags}, std::move(inputs)).mayBeUndefined = true;
    b.addNumbers("numericalRank", [](const Stack& stack) { return stack.rank; });
    b.addNumbers("meanLag", [](const Stack& stack) { return stack.meanLag(); });
    b.addNumbers("optimality", [](const Stack& stack) { return stack.optimality; });
    b.addNumbers("loss", [](const Stack& stack) { return stack.loss; });
}

/// Closed forms, known before anything runs.
void addTotals(Builder& b) {
    Vector totals, parameters, channels, scaledTotals;
    for (const int c : b.s.channels) {
        const HierarchicalShape shape = dilatedTree(b.s.layers, 2, c, b.s.components);
        totals.push_back(static_cast<double>(tensorTrainDimension(shape)));
        parameters.push_back(parameterCount(shape));
    }
    for (const auto& [d, c] : b.s.scaled) {
        channels.push_back(c);
        scaledTotals.push_back(static_cast<double>(tensorTrainDimension(dilatedTree(b.s.layers, 2, c, d))));
    }
    b.r.add("total", totals.back());
    b.r.add("dimension", static_cast<double>(b.s.length()) * b.s.components);
    b.r.add("totals", {b.channels}, std::move(totals));
    b.r.add("parameters", {b.channels}, std::move(parameters));
    b.r.add("scaledChannels", {b.components}, std::move(channels));
    b.r.add("scaledTotals", {b.components}, std::move(scaledTotals));
    b.r.add("exponents", {b.component}, b.s.exponents(b.s.components));
}

void addScaled(Builder& b) {
    Vector shares;
    for (Size i = 0; i < b.s.scaled.size(); ++i) b.addShares(shares, b.stack(b.s.memberOfScaled(i)));
    b.r.add("scaled", {b.components, b.lags}, std::move(shares)).mayBeUndefined = true;
    if (b.last()) b.r.add("lowerBound", b.series.lowerBounds()[b.s.channels.size() - 1]);
}

std::string summaryOf(const Builder& b) {
    if (!b.last()) return "Weights are being looked for.";
    const Stack& stack = *b.last();
    const double d = b.s.components, newest = stack.ofLag(0) / d, oldest = stack.ofLag(b.s.length() - 1) / d;
    const std::string text = "With " + std::to_string(b.s.channels.back()) + " channels the stack holds " + inWords(stack.total, 6) +
                             " of " + inWords(stack.inputs, 6) + " units of capacity; the newest position has " + inWords(newest) +
                             " and the oldest " + inWords(oldest) + " of what its " + std::to_string(b.s.components) +
                             (b.s.components == 1 ? " input" : " inputs") + " can take, and the mean lag is " +
                             inWords(stack.meanLag(), 4) + ".";
    return text + wide::aboutWeights(stack, b.s.search);
}

}  // namespace

Report makeReport(const Setup& s, const wide::SeriesRun& series) {
    Builder b(s, series);
    addTotals(b);
    addChannels(b);
    addScaled(b);
    return wide::finished(b.r, series, "stacks", summaryOf(b));
}

}  // namespace kappaflow::multi_input
