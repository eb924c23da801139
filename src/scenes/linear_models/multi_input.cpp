#include "scenes/linear_models/multi_input.h"

#include <algorithm>

#include "scenes/linear_models/wide_stacks_model.h"

namespace kappaflow {
namespace multi_input {
namespace {

using namespace table;
using linear::kNone;
using Size = std::size_t;

constexpr const char *kFigures = "P2 Figs 12–13", *kSection = "P2 6.1";

constexpr ParamRow kStacks[] = {
    whole<&Params::components>("components", "d", "components", {1, 16},
                               "Independent processes that enter together, each with a memory of its own.", kFigures) |
        costly,
    whole<&Params::channels>("channels", "c", "channels, up to", {1, 16}, "Channels of the largest of the stacks that the timeline adds.",
                             kFigures) |
        logarithmic | costly,
    whole<&Params::layers>("layers", "L", "layers", {2, 7}, "Layers of two taps, dilations 1, 2, 4, …, which see 2^L positions.",
                           kFigures) |
        costly,
    number<&Params::alphaLow>("alphaLow", "α₁", "decay of the first component", {0.05, 4},
                              "Autocovariances are (1 + τ)^{−α} with α in even steps from the first component to the last.", kSection) |
        more,
    number<&Params::alphaHigh>("alphaHigh", "α_d", "decay of the last component", {0.05, 4},
                               "Autocovariances are (1 + τ)^{−α} with α in even steps from the first component to the last.", kSection) |
        more};
constexpr ParamRow kTimeline[] = {
    number<&Params::at>("at", "c", "channels", {1, 16}, "How many channels the stack drawn has.", kFigures) | hidden | ofView,
    plays<&Params::play>("Whether the picture moves by itself.", kFigures)};
constexpr auto kParams = joined(kStacks, linear::kSearchParams<Params>, kTimeline, linear::kPartParam<Params>);

constexpr AxisRow kChannels = axis<&Result::channels>("channels"), kComponent = axis<&Result::component>("component"),
                  kLag = axis<&Result::lags>("lag"), kComponents = axis<&Result::components>("components");

constexpr FieldRow kCapacities[] = {
    measured<&Result::capacity>("capacity", "κ", {kComponent, kLag},
                                "Capacity of every input of the largest stack, by component and lag.") |
        gaps,
    measured<&Result::capacityByChannels>("capacityByChannels", "κ_τ/d", {kChannels, kLag},
                                          "Capacity of each position over its largest value d, for every stack.") |
        gaps,
    measured<&Result::componentsByChannels>("componentsByChannels", "κ", {kChannels, kComponent, kLag},
                                            "Capacity of every input of every stack.") |
        gaps,
    measured<&Result::totals>("totals", "κ", {kChannels}, "Total capacity of every stack, exact.")};
constexpr FieldRow kRest[] = {
    measured<&Result::scaled>("scaled", "κ_τ/d", {kComponents, kLag}, "The same ratio c²/d with other numbers of components.") | gaps,
    measured<&Result::scaledChannels>("scaledChannels", "c", {kComponents}, "Channels of each."),
    measured<&Result::scaledTotals>("scaledTotals", "κ", {kComponents}, "Total capacity of each, exact."),
    measured<&Result::exponents>("exponents", "α", {kComponent}, "Decay of every component's autocovariance."),
    measured<&Result::total>("total", "κ", {}, "Total capacity of the largest stack, exact."),
    measured<&Result::dimension>("dimension", "nd", {}, "Inputs, which no total exceeds."),
    measured<&Result::lowerBound>("lowerBound", "v*", {}, "Error of the best linear prediction, over the variance of what is predicted.")};

constexpr auto kFields = joined(kCapacities, linear::kGrowingFields<kChannels>, kRest);

constexpr PresetRow kPresets[] = {
    {"Four components"},
    preset<[](Params& p) { p.components = 1, p.channels = 8; }>(
        "One input a position (Fig 12, left)",
        "One component a position and eight channels: every position is full, and capacity reaches all 64 inputs."),
    preset<[](Params& p) { p.components = 16, p.channels = 8; }>(
        "Sixteen components (Fig 12, right; Fig 13, centre)",
        "Sixteen components raise the ceiling to 16 a position: both ends of the window reach it, the middle stays far below."),
    preset<[](Params& p) { p.channels = 2; }>(
        "Fewer channels than components (Fig 13, left)",
        "Two channels for four components: only the newest positions fill, and the rest of the window holds little."),
    preset<[](Params& p) { p.channels = 8; }>(
        "Many channels (Fig 13, right)",
        "Eight channels for four components: both ends of the window are full, and the middle is more than half full."),
    preset<[](Params& p) { p.components = 2, p.alphaLow = 0.1, p.alphaHigh = 2; }>(
        "A long and a short memory",
        "A component of long memory and one of short share the capacity: at the two ends of the window both are full."),
    preset<[](Params& p) { p.components = 16, p.channels = 16; }>(
        "16 components and channels (Fig 13)",
        "Sixteen channels hold 768 of 1024 units: both ends of the window are full, and its middle is three fifths full.")};

constexpr int kMostComponents = 16, kMostChannels = 16;

/// Components and channels of a stack.
struct Widths {
    int components, channels;
    bool operator==(const Widths&) const = default;
};

HierarchicalShape shapeOf(const Params& p, Widths widths) { return dilatedTree(p.layers, 2, widths.channels, widths.components); }
double totalOf(const Params& p, Widths widths) { return static_cast<double>(tensorTrainDimension(shapeOf(p, widths))); }

/// Beside the stack asked for no other takes more: seconds, for one curve.
bool isCheap(const Params& p, Widths widths) {
    const double rank = totalOf(p, widths);
    return receptiveField(shapeOf(p, widths)) * widths.components * rank * rank < 5e7;
}

/// The ratio c²/d asked for with d, 4d, … and d/4, … components, as long as all are whole and within bounds; by components.
std::vector<Widths> sameRatio(const Params& p) {
    std::vector<Widths> all{{p.components, p.channels}};
    while (all.front().components % 4 == 0 && all.front().channels % 2 == 0)
        all.insert(all.begin(), {all.front().components / 4, all.front().channels / 2});
    for (;;) {
        const Widths next{4 * all.back().components, 2 * all.back().channels};
        if (next.components > kMostComponents || next.channels > kMostChannels || !isCheap(p, next)) return all;
        all.push_back(next);
    }
}

/// 1, 2, 3, 4, 8, 16 channels up to as many as were asked for.
std::vector<Widths> growing(const Params& p) {
    std::vector<Widths> all;
    for (int c = 1; c < p.channels; c += c < 4 ? 1 : c) all.push_back({p.components, c});
    all.push_back({p.components, p.channels});
    return all;
}

/// The growing stacks, then those of the same ratio that are not among them.
std::vector<Widths> allWidths(const Params& p) {
    std::vector<Widths> all = growing(p);
    for (const Widths widths : sameRatio(p))
        if (widths.components != p.components) all.push_back(widths);
    return all;
}

std::vector<linear::Stack> stacksOf(const Params& p) {
    std::vector<linear::Stack> all;
    for (const Widths widths : allWidths(p)) all.push_back({shapeOf(p, widths), static_cast<double>(widths.components)});
    return all;
}

/// All that is known in closed form; NaN in the arrays of what is yet to be found.
Result closedForms(const Params& p) {
    Result r;
    r.lags = countUp(Size{1} << p.layers);
    r.component = countUp(static_cast<Size>(p.components), 1);
    for (const Widths widths : growing(p)) {
        r.channels.push_back(widths.channels);
        r.totals.push_back(totalOf(p, widths));
        r.parameters.push_back(parameterCount(shapeOf(p, widths)));
    }
    for (const Widths widths : sameRatio(p)) {
        r.components.push_back(widths.components);
        r.scaledChannels.push_back(widths.channels);
        r.scaledTotals.push_back(totalOf(p, widths));
    }
    r.total = r.totals.back();
    r.dimension = static_cast<double>(r.lags.size()) * p.components;
    r.exponents = componentExponents(r.component.size(), p.alphaLow, p.alphaHigh);
    r.found = linear::searchedNone(r.channels.size());
    r.capacity.assign(r.component.size() * r.lags.size(), kNone);
    r.capacityByChannels.assign(r.channels.size() * r.lags.size(), kNone);
    r.componentsByChannels.assign(r.channels.size() * r.capacity.size(), kNone);
    r.scaled.assign(r.components.size() * r.lags.size(), kNone);
    return r;
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    const auto widths = allWidths(p), scaled = sameRatio(p);
    Result r = closedForms(p);
    const Size n = r.lags.size();
    const auto task = [&](Size i) {
        return predictionTask(componentExponents(static_cast<Size>(widths[i].components), p.alphaLow, p.alphaHigh), n);
    };
    const auto tick = [&](double done) {
        progress.tick(done);
        progress.partial([&] { return r; });
    };
    linear::findCapacities(stacksOf(p), task, linear::searchOf(p), tick, [&](Size i, const linear::StackCapacity& found) {
        const auto addShares = [&](std::vector<double>& rows, Size row) {
            for (Size lag = 0; lag < n; ++lag) rows[row * n + lag] = found.ofLag(lag) / static_cast<double>(found.components);
        };
        const auto place = std::find(scaled.begin(), scaled.end(), widths[i]);
        if (place != scaled.end()) addShares(r.scaled, static_cast<Size>(place - scaled.begin()));
        if (i >= r.channels.size()) return;
        addShares(r.capacityByChannels, i);
        std::vector<double> inputs;
        for (Size k = 0; k < found.components; ++k)
            for (Size lag = 0; lag < n; ++lag) inputs.push_back(found.at(lag, k));
        std::copy(inputs.begin(), inputs.end(), &r.componentsByChannels[i * inputs.size()]);
        found.fill(r.found, i);
        if (i + 1 == r.channels.size()) r.capacity = std::move(inputs), r.lowerBound = found.lowerBound, r.printedWeights = found.layers;
    });
    return r;
}

std::string summary(const Params& p, const Result& r) {
    if (!r.lowerBound) return "Weights are being looked for.";
    const double* shares = &r.capacityByChannels[(r.channels.size() - 1) * r.lags.size()];
    return "With " + counted(p.channels, "channel") + " the stack holds " + inWords(r.total, 6) + " of " + inWords(r.dimension, 6) +
           " units of capacity; the newest position has " + inWords(shares[0]) + " and the oldest " + inWords(shares[r.lags.size() - 1]) +
           " of what its " + counted(p.components, "input") + " can take, and the mean lag is " + inWords(r.found.meanLag.back(), 4) + "." +
           linear::aboutWeights(r.found.rank.back(), r.total, r.found.optimality.back(), linear::searchOf(p));
}

Cost cost(const Opened<Params>& opened) { return linear::costOf(stacksOf(opened.params), linear::searchOf(opened.params)); }

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "multi-input",
     .title = "Many inputs at every position",
     .claim = "With d inputs a position each can take d units of capacity: the newest positions fill first, from three channels on the "
              "oldest next.",
     .group = "Linear models",
     .icon = "0054 0454 0854 5484",
     .source = "P2 Figs 12–13; 6.1",
     .lookAt = "As channels are added, capacity fills the newest positions first, up to one unit for each component, then the oldest.",
     .tryThis = "Press a part of the column to stand it on the axis, then take sixteen components: the ceiling moves out of reach.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "channels", "channels", false, 1.4}});

}  // namespace multi_input

Declaration multi_input_declaration() { return declare(multi_input::kScene); }
Model multi_input_model() { return sceneModel<multi_input::kScene, multi_input::run, multi_input::cost, multi_input::summary>(); }

}  // namespace kappaflow
