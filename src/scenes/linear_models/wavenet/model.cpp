// Tiled against repeated dilations (P2 App. C): stacks of 1 … R repeats, each at weights found for the same task.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/linear/hierarchical_model.h"
#include "scenes/linear_models/declaration_linear.h"
#include "scenes/linear_models/model_task.h"
#include "scenes/linear_models/model_wide.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace wavenet {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// A request read once and for all.
struct Setup {
    std::vector<int> block;
    int repeats = 1, channels = 1;
    std::vector<bool> repeated;  ///< [arrangement]
    GaussianProcess process;
    wide::SearchSettings search;

    std::size_t arrangements() const { return repeated.size(); }
    const char* key(std::size_t arrangement) const { return repeated[arrangement] ? "repeated" : "tiled"; }
    HierarchicalShape shape(std::size_t arrangement, int times) const;
    /// The same function space with equal layers in a row as one layer of more taps.
    HierarchicalShape composed(std::size_t arrangement, int times) const;
    std::size_t inputs(int times) const;
    /// With one repeat, or a block of one dilation, both arrangements are one stack.
    bool alike(int times) const { return times == 1 || block.size() == 1; }
    /// Every stack that is to be run, by repeats and then by arrangement, those that are alike once.
    std::vector<wide::Member> members() const;
    std::size_t memberOf(std::size_t arrangement, int times) const;
    int timesOf(std::size_t member) const;
    LinearTask task(std::size_t member) const { return predictionTask(process, inputs(timesOf(member))); }
    /// The last repeat of every arrangement.
    std::vector<std::size_t> shown() const;
    /// Number of paths from each lag to the output, [lags of all repeats].
    std::vector<double> paths(int times) const;
};

HierarchicalShape Setup::shape(Size arrangement, int times) const {
    return repeated[arrangement] ? repeatedStack(block, times, 2, channels) : tiledStack(block, times, 2, channels);
}

HierarchicalShape Setup::composed(Size arrangement, int times) const {
    const HierarchicalShape all = shape(arrangement, times);
    HierarchicalShape merged;
    merged.channels = {all.channels.front()};
    for (Size l = 0; l < all.layers(); ++l) {
        if (l > 0 && all.dilations[l] == all.dilations[l - 1]) {
            ++merged.taps.back();
            merged.channels.back() = all.channels[l + 1];
            continue;
        }
        merged.taps.push_back(2);
        merged.dilations.push_back(all.dilations[l]);
        merged.channels.push_back(all.channels[l + 1]);
    }
    return merged;
}

Size Setup::inputs(int times) const {
    int sum = 0;
    for (const int d : block) sum += d;
    return 1 + static_cast<Size>(sum) * static_cast<Size>(times);
}

std::vector<wide::Member> Setup::members() const {
    std::vector<wide::Member> all;
    for (int r = 1; r <= repeats; ++r)
        for (Size a = 0; a < (alike(r) ? 1 : arrangements()); ++a) all.push_back({shape(a, r)});
    return all;
}

Size Setup::memberOf(Size arrangement, int times) const {
    Size before = 0;
    for (int r = 1; r < times; ++r) before += alike(r) ? 1 : arrangements();
    return before + (alike(times) ? 0 : arrangement);
}

int Setup::timesOf(Size member) const {
    int times = 1;
    while (times < repeats && memberOf(0, times + 1) <= member) ++times;
    return times;
}

std::vector<double> Setup::paths(int times) const {
    std::vector<double> count(inputs(repeats));
    count[0] = 1;
    for (int r = 0; r < times; ++r)
        for (const int d : block)
            for (Size lag = count.size(); lag-- > static_cast<Size>(d);) count[lag] += count[lag - static_cast<Size>(d)];
    return count;
}

std::vector<std::size_t> Setup::shown() const {
    std::vector<std::size_t> members;
    for (std::size_t a = 0; a < arrangements(); ++a) members.push_back(memberOf(a, repeats));
    return members;
}

Setup readSetup(const Values& v) {
    Setup s;
    for (const double d : v.list("block")) s.block.push_back(static_cast<int>(std::lround(d)));
    s.repeats = v.integer("repeats");
    s.channels = v.integer("channels");
    if (!v.is("arrangement", "repeated")) s.repeated.push_back(false);
    if (!v.is("arrangement", "tiled")) s.repeated.push_back(true);
    s.process = linear::processOf(v);
    s.search = wide::searchSettings(v);
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    return wide::costOfSeries(s.members(), s.search);
}

std::string costliestOf(const Request& request) {
    return wide::costliestOf(request, costOf, {"steps", "restarts", "channels", "repeats"}, "block");
}

std::unique_ptr<Computation> start(const Request& request) {
    return std::make_unique<wide::SeriesComputation<Setup>>(readSetup(request.params), request.withNetwork);
}

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

/// What is known so far.
Report makeReport(const Setup& s, const wide::SeriesRun& series) {
    Builder b(s, series);
    addStructure(b);
    addCapacities(b);
    addScalars(b);
    return wide::finished(b.r, series, "stacks", summaryOf(b));
}

}  // namespace
}  // namespace wavenet

Model wavenet_model() { return stepwise<wavenet::costOf, wavenet::costliestOf, wavenet::start>("wavenet"); }

}  // namespace kappaflow
