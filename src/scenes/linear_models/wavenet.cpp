#include "scenes/linear_models/wavenet.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenes/linear_models/wide_stacks_model.h"

namespace kappaflow {
namespace wavenet {
namespace {

using namespace table;
using linear::kNone;
using Size = std::size_t;
using Vector = std::vector<double>;

constexpr const char* kFigure = "P2 Fig 15";

constexpr OptionRow kArrangements[] = {{"both"}, {"tiled"}, {"repeated"}};

constexpr ParamRow kStacks[] = {
    list<&Params::block>("block", "d", "dilations of one block", {1, 512}, 10,
                         "How many positions the second tap of each layer reaches back, from the input up.", kFigure) |
        costly,
    whole<&Params::repeats>("repeats", "R", "repeats", {1, 6}, "How many times every dilation occurs.", kFigure) | costly,
    whole<&Params::channels>("channels", "c", "channels", {1, 8}, "Channels of every hidden layer.", kFigure) | costly,
    choice<&Params::arrangement>("arrangement", "arrangement", kArrangements,
                                 "Blocks one after another (1, 2, 4, 1, 2, 4) or layers of equal dilation together (1, 1, 2, 2, 4, 4).",
                                 kFigure)};
constexpr ParamRow kTimeline[] = {
    number<&Params::at>("at", "r", "repeats shown", {1, 6}, "How many of the repeats are drawn.", kFigure) | hidden | ofView,
    plays<&Params::play>("Whether the picture moves by itself.", kFigure),
    whole<&Params::lag>("lag", "τ", "lag", {0, 4095}, "The input whose paths to the output are lit.", kFigure) | hidden | ofView};
constexpr auto kParams = joined(kStacks, linear::kTaskParams, linear::kSearchParams<Params>, kTimeline);

constexpr AxisRow kArrangement = axis<&Result::arrangements>("arrangement"), kRepeats = axis<&Result::repeats>("repeats"),
                  kLag = axis<&Result::lags>("lag"), kLayer = axis<&Result::layerNumbers>("layer");

constexpr FieldRow kFields[] = {
    measured<&Result::capacity>("capacity", "κ_τ", {kArrangement, kLag}, "Capacity of each input, by its lag, of all repeats.") | gaps,
    measured<&Result::grown>("grown", "κ_τ", {kArrangement, kRepeats, kLag},
                             "The same of stacks with 1 … R repeats, each on weights of its own.") |
        gaps,
    measured<&Result::total>("grownTotal", "κ", {kArrangement, kRepeats},
                             "Total capacity of each, exact: rank of the Jacobian modulo 2³¹ − 1.") |
        gaps,
    measured<&Result::found, &linear::Searched::rank>("numericalRank", "", {kArrangement, kRepeats},
                                                      "What the capacities sum to: rank at the weights found.") |
        gaps,
    limiting<&Result::bound>(
        "bound", "", {kArrangement, kRepeats},
        "Bound on the total: free parameters once equal layers in a row are taken as one layer with more taps, and changes of basis "
        "between layers are left out."),
    measured<&Result::found, &linear::Searched::meanLag>("grownMeanLag", "τ̄", {kArrangement, kRepeats}, "Mean lag of the capacity.") | gaps,
    measured<&Result::found, &linear::Searched::optimality>("grownOptimality", "", {kArrangement, kRepeats},
                                                            "‖KᵀX‖/‖X‖ at the weights found: 0 at an optimum.") |
        gaps,
    measured<&Result::found, &linear::Searched::loss>("grownLoss", "L", {kArrangement, kRepeats},
                                                      "Loss at the weights found, without v*.") |
        gaps,
    measured<&Result::inputs>("inputs", "n", {kRepeats}, "Inputs that each stack reaches."),
    measured<&Result::parameters>("parameters", "p", {kRepeats}, "Weights of each stack, alike in both arrangements."),
    measured<&Result::dilations>("dilations", "d", {kArrangement, kLayer}, "Dilation of every layer of all repeats."),
    theory<&Result::paths>("paths", "", {kRepeats, kLag}, "Number of paths from each input to the output, alike in both arrangements."),
    measured<&Result::totalTiled>("totalTiled", "κ", {}, "Total capacity of the tiled stack, exact."),
    measured<&Result::totalRepeated>("totalRepeated", "κ", {}, "Total capacity of the repeated stack, exact."),
    measured<&Result::meanLagTiled>("meanLagTiled", "τ̄", {}, "Mean lag of the tiled stack's capacity."),
    measured<&Result::meanLagRepeated>("meanLagRepeated", "τ̄", {}, "Mean lag of the repeated stack's capacity."),
    measured<&Result::optimalityTiled>("optimalityTiled", "", {}, "‖KᵀX‖/‖X‖ of the tiled stack at the weights found."),
    measured<&Result::optimalityRepeated>("optimalityRepeated", "", {}, "‖KᵀX‖/‖X‖ of the repeated stack at the weights found."),
    measured<&Result::lossTiled>("lossTiled", "L", {}, "Loss of the tiled stack at the weights found."),
    measured<&Result::lossRepeated>("lossRepeated", "L", {}, "Loss of the repeated stack at the weights found."),
    measured<&Result::lowerBound>("lowerBound", "v*", {}, "Error of the best linear prediction, which no stack falls below.")};

constexpr PresetRow kPresets[] = {
    {"Blocks 1, 2, 4, 8 three times"},
    preset<[](Params& p) { p.block = {1, 2, 4, 8, 16, 32}; }>(
        "Six dilations a block",
        "With six dilations a block the window is 190 lags long: tiled, the stack holds 68 units of capacity, repeated 60."),
    preset<[](Params& p) { p.channels = 1, p.restarts = 8; }>(
        "One channel: layers commute, totals agree",
        "With one channel layers commute: both orders are the same model, and their curves of capacity coincide."),
    preset<[](Params& p) {
        p.channels = 3, p.block = {1, 2, 4, 8, 16}, p.repeats = 2;
    }>("Three channels: the tiled stack is full",
       "With three channels the tiled stack has all 63 units that its window can take; the repeated one stops at 51."),
    preset<[](Params& p) { p.block = {1, 2, 4, 8, 16, 32}, p.steps = 0; }>(
        "Random weights", "Random weights in place of the best found: the totals stay 68 and 60, but capacity lies farther back in time."),
    preset<[](Params& p) { p.block = {1, 2, 4, 8, 16, 32, 64, 128}, p.channels = 4; }>(
        "The paper's size (Fig 15)",
        "Tiled, the 720 weights hold 336 units of capacity at a mean lag of 179; repeated, 256 units at a mean lag of 223.")};

std::vector<std::string> arrangementsOf(const Params& p) {
    if (p.arrangement == Arrangements::Both) return {"tiled", "repeated"};
    return {p.arrangement == Arrangements::Tiled ? "tiled" : "repeated"};
}

HierarchicalShape shapeOf(const Params& p, const std::string& arrangement, int repeats) {
    return (arrangement == "tiled" ? tiledStack : repeatedStack)(p.block, repeats, 2, p.channels, 1);
}

Size inputsOf(const Params& p, int repeats) { return 1 + static_cast<Size>(std::accumulate(p.block.begin(), p.block.end(), 0) * repeats); }

/// A stack, and which arrangements it is: both where there is one repeat or a block of one dilation.
struct Arranged {
    int repeats;
    std::vector<Size> arrangements;
};
std::vector<Arranged> arrangedStacks(const Params& p) {
    const Size count = arrangementsOf(p).size();
    std::vector<Arranged> all;
    for (int repeats = 1; repeats <= p.repeats; ++repeats) {
        if (count == 2 && (repeats == 1 || p.block.size() == 1))
            all.push_back({repeats, {0, 1}});
        else
            for (Size a = 0; a < count; ++a) all.push_back({repeats, {a}});
    }
    return all;
}

std::vector<linear::Stack> stacksOf(const Params& p) {
    const auto arrangements = arrangementsOf(p);
    std::vector<linear::Stack> all;
    for (const Arranged& one : arrangedStacks(p)) all.push_back({shapeOf(p, arrangements[one.arrangements[0]], one.repeats)});
    return all;
}

/// The same function space with equal layers in a row as one layer of more taps.
HierarchicalShape composed(const HierarchicalShape& shape) {
    HierarchicalShape merged;
    merged.channels = {shape.channels.front()};
    for (Size l = 0; l < shape.layers(); ++l) {
        if (l > 0 && shape.dilations[l] == shape.dilations[l - 1]) {
            ++merged.taps.back();
            merged.channels.back() = shape.channels[l + 1];
            continue;
        }
        merged.taps.push_back(2);
        merged.dilations.push_back(shape.dilations[l]);
        merged.channels.push_back(shape.channels[l + 1]);
    }
    return merged;
}

/// All that is known in closed form; NaN in the arrays of what is yet to be found.
Result closedForms(const Params& p) {
    Result r;
    r.arrangements = arrangementsOf(p);
    r.repeats = countUp(static_cast<Size>(p.repeats), 1);
    r.lags = countUp(inputsOf(p, p.repeats));
    r.layerNumbers = countUp(p.block.size() * r.repeats.size(), 1);
    for (const auto& arrangement : r.arrangements) {
        for (int k = 1; k <= p.repeats; ++k) {
            const double dimension = static_cast<double>(tensorTrainDimension(composed(shapeOf(p, arrangement, k))));
            r.bound.push_back(std::fmin(static_cast<double>(inputsOf(p, k)), dimension));
        }
        for (const int d : shapeOf(p, arrangement, p.repeats).dilations) r.dilations.push_back(d);
    }
    Vector paths(r.lags.size());
    paths[0] = 1;
    for (int k = 1; k <= p.repeats; ++k) {
        r.inputs.push_back(static_cast<double>(inputsOf(p, k)));
        r.parameters.push_back(parameterCount(shapeOf(p, r.arrangements[0], k)));
        for (const int d : p.block)
            for (Size lag = paths.size(); lag-- > static_cast<Size>(d);) paths[lag] += paths[lag - static_cast<Size>(d)];
        linear::append(r.paths, paths);
    }
    r.total.assign(r.bound.size(), kNone);
    r.found = linear::searchedNone(r.bound.size());
    r.capacity.assign(r.arrangements.size() * r.lags.size(), kNone);
    r.grown.assign(r.bound.size() * r.lags.size(), kNone);
    return r;
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    const auto arranged = arrangedStacks(p);
    Result r = closedForms(p);
    const auto task = [&](Size i) { return predictionTask(linear::processOf(p), inputsOf(p, arranged[i].repeats)); };
    const auto tick = [&](double done) {
        progress.tick(done);
        progress.partial([&] { return r; });
    };
    linear::findCapacities(stacksOf(p), task, linear::searchOf(p), tick, [&](Size i, const linear::StackCapacity& found) {
        const auto repeats = static_cast<Size>(arranged[i].repeats);
        for (const Size a : arranged[i].arrangements) {
            const Size at = a * r.repeats.size() + repeats - 1;
            std::copy(found.capacity.begin(), found.capacity.end(), &r.grown[at * r.lags.size()]);
            r.total[at] = found.total;
            found.fill(r.found, at);
            if (repeats < r.repeats.size()) continue;
            std::copy(found.capacity.begin(), found.capacity.end(), &r.capacity[a * r.lags.size()]);
            const bool tiled = r.arrangements[a] == "tiled";
            (tiled ? r.totalTiled : r.totalRepeated) = found.total;
            (tiled ? r.meanLagTiled : r.meanLagRepeated) = found.meanLag();
            (tiled ? r.optimalityTiled : r.optimalityRepeated) = found.optimality;
            (tiled ? r.lossTiled : r.lossRepeated) = found.loss;
            r.printedWeights.insert(r.printedWeights.end(), found.layers.begin(), found.layers.end());
        }
        if (i + 1 == arranged.size()) r.lowerBound = found.lowerBound;
    });
    return r;
}

std::string summary(const Params& p, const Result& r) {
    if (!r.lowerBound) return "Weights are being looked for.";
    std::string text;
    double worst = 0;
    for (Size a = 0; a < r.arrangements.size(); ++a) {
        const Size last = (a + 1) * r.repeats.size() - 1;
        text += (a > 0 ? " " : "") + std::string(r.arrangements[a] == "tiled" ? "Tiled" : "Repeated") + ", the stack holds " +
                inWords(r.total[last], 6) + " of at most " + inWords(r.inputs.back(), 6) + " units of capacity, at a mean lag of " +
                inWords(r.found.meanLag[last], 4);
        if (r.found.rank[last] != r.total[last]) text += " (" + inWords(r.found.rank[last], 6) + " of them found at these weights)";
        text += ".";
        worst = std::fmax(worst, r.found.optimality[last]);
    }
    if (p.steps < 1) return text + " The weights are random ones.";
    if (worst > linear::kOptimal)
        text += " The weights are the best that were found, not an optimum: ‖KᵀX‖/‖X‖ is up to " + inWords(worst, 2) + ".";
    return text;
}

Cost cost(const Opened<Params>& opened) { return linear::costOf(stacksOf(opened.params), linear::searchOf(opened.params)); }

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "wavenet",
     .title = "Tiled or repeated dilations",
     .claim = "The same dilations in another order, with as many weights and paths, hold less capacity and lay it elsewhere.",
     .group = "Linear models",
     .icon = "8088 8008 4448 8468",
     .source = "P2 Fig 15; App. C",
     .lookAt = "Both trees reach the same inputs along as many paths, yet the repeated one holds less capacity.",
     .tryThis = "Drag the lag to light the paths of one input, then set six dilations a block.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "repeats", "repeats", false, 1.6}});

}  // namespace wavenet

Declaration wavenet_declaration() { return declare(wavenet::kScene); }
Model wavenet_model() { return sceneModel<wavenet::kScene, wavenet::run, wavenet::cost, wavenet::summary>(); }

}  // namespace kappaflow
