// Several inputs at every position (P2 6.1): stacks with more and more channels, and the same ratio of channels to inputs.
#include "scenes/linear_models/multi_input/model.h"

#include <cmath>
#include <limits>

#include "core/linear/hierarchical_model.h"
#include "scenes/linear_models/model_wide.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace multi_input {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

std::unique_ptr<Computation> start(const Request& request) {
    return std::make_unique<wide::SeriesComputation<Setup>>(readSetup(request.params), request.withNetwork);
}

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

namespace {

constexpr int kMostComponents = 16, kMostChannels = 16;

/// Beside the stack asked for no other takes more: seconds, for one curve.
constexpr double kMostBeside = 5e7;

bool cheap(int layers, int d, int c) {
    const HierarchicalShape shape = dilatedTree(layers, 2, c, d);
    const double rank = static_cast<double>(tensorTrainDimension(shape));
    return receptiveField(shape) * d * rank * rank < kMostBeside;
}

/// d, c, 4d, 2c and so on, d/4, c/2 and so on, as long as both are whole and within bounds.
std::vector<std::pair<int, int>> sameRatio(int layers, int d, int c) {
    std::vector<std::pair<int, int>> all{{d, c}};
    for (int m = d, k = c; m % 4 == 0 && k % 2 == 0;) all.insert(all.begin(), {m /= 4, k /= 2});
    for (int m = 4 * d, k = 2 * c; m <= kMostComponents && k <= kMostChannels && cheap(layers, m, k); m *= 4, k *= 2)
        all.emplace_back(m, k);
    return all;
}

}  // namespace

std::vector<double> Setup::exponents(int count) const {
    std::vector<double> alphas;
    alphas.reserve(static_cast<Size>(count));
    for (int k = 0; k < count; ++k)
        alphas.push_back(count == 1 ? 0.5 * (alphaLow + alphaHigh) : alphaLow + (alphaHigh - alphaLow) * k / (count - 1));
    return alphas;
}

std::vector<wide::Member> Setup::members() const {
    std::vector<wide::Member> all;
    for (const int c : channels) all.push_back({dilatedTree(layers, 2, c, components), static_cast<double>(components)});
    for (const auto& [d, c] : scaled)
        if (d != components) all.push_back({dilatedTree(layers, 2, c, d), static_cast<double>(d)});
    return all;
}

Size Setup::memberOfScaled(Size i) const {
    if (scaled[i].first == components) return channels.size() - 1;
    Size place = channels.size();
    for (Size k = 0; k < i; ++k) place += scaled[k].first != components;
    return place;
}

int Setup::componentsOf(Size member) const {
    for (Size i = 0; member >= channels.size() && i < scaled.size(); ++i)
        if (memberOfScaled(i) == member) return scaled[i].first;
    return components;
}

Setup readSetup(const Values& v) {
    Setup s;
    s.components = v.integer("components");
    s.layers = v.integer("layers");
    s.alphaLow = v.number("alphaLow");
    s.alphaHigh = v.number("alphaHigh");
    const int c = v.integer("channels");
    for (int k = 1; k < c; k *= 2) s.channels.push_back(k);
    s.channels.push_back(c);
    s.scaled = sameRatio(s.layers, s.components, c);
    s.search = wide::searchSettings(v);
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    return wide::costOfSeries(s.members(), s.search);
}

std::string costliestOf(const Request& request) {
    return wide::costliestOf(request, costOf, {"steps", "layers", "channels"}, "components");
}

}  // namespace multi_input

Model multi_input_model() { return stepwise<multi_input::costOf, multi_input::costliestOf, multi_input::start>("multi-input"); }

}  // namespace kappaflow
