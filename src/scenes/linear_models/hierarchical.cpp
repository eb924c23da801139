#include "scenes/linear_models/hierarchical.h"

#include <algorithm>
#include <cmath>

#include "core/linear/linear_model.h"
#include "scenes/linear_models/walk_model.h"

namespace kappaflow {
namespace hierarchical {
namespace {

using namespace table;
using linear::kChannels, linear::kStep;
using Size = std::size_t;
using Vector = std::vector<double>;

bool besideRecurrent(const Params& p) { return p.compare == Compared::Recurrent || p.compare == Compared::Two; }
/// Stacks that are no trees start from random weights in any case.
bool startsRandom(const Params& p) { return linear::startsRandom(p) || linear::listsDilations(p); }

constexpr OptionRow kCompared[] = {
    {"none", "nothing"}, {"recurrent", "a recurrent model"}, {"full", "full connection"}, {"two", "a recurrent model and a window"}};

constexpr ParamRow kComparison[] = {
    choice<&Params::compare>("compare", "compare with", kCompared, "Another model's capacity on the same task and the same axis.",
                             "P2 Fig 1"),
    whole<&Params::otherChannels>("otherChannels", "", "recurrent units", {1, 32},
                                  "Units of the recurrent model; the model has twice that capacity, the window twice as many lags.",
                                  "P2 Fig 1") |
        costly | when<besideRecurrent>};
constexpr ParamRow kPull[] = {
    list<&Params::pull>("pull", "", "weights pulled", {0, 2}, 32,
                        "Factors on the optimum's weights, tap by tap from the lowest layer up; 1 where none is given.", "P2 Eqs 16–17") |
    more};
constexpr auto kParams = joined(linear::kTreeParams<Params>, linear::kAnalysisParams<startsRandom>, kComparison, linear::kTaskParams, kPull,
                                linear::kWalkParams);

constexpr AxisRow kLayer = axis<&Result::layerNumbers>("layer"), kTap = axis<&Result::taps>("tap");
constexpr FieldRow kWeights[] = {
    measured<&Result::weightSizes>("weightSizes", "‖W^l_k‖", {kChannels, kLayer, kTap},
                                   "Size of the weights of each tap: the weight itself with one channel, else the root of the sum of "
                                   "squares.") |
        onGrid{{kStep, kLayer, kTap}},
    measured<&Result::dilations>("dilations", "d_l", {kLayer}, "Dilation of each layer."),
    measured<&Result::capacityWindow>("capacityWindow", "κ_τ", {linear::kLag},
                                      "Capacity at every lag of full connection to the newest lags alone, at its optimum."),
    measured<&Result::totalCapacityWindow>("totalCapacityWindow", "κ", {}, "Its total capacity: a unit a weight."),
    measured<&Result::lossWindow>("lossWindow", "L", {}, "Its loss.")};
constexpr auto kFields = joined(linear::kWalkFields, kWeights);

constexpr PresetRow kPresets[] = {
    {"Channels growing: two of them shown (Fig 5)"},
    preset<[](Params& p) { p.channels = 1; }>(
        "One channel, capacity seven (Fig 3)",
        "One channel has 12 weights and capacity 7: half of it lies on the newest five lags, the rest on a few peaks."),
    preset<[](Params& p) { p.channels = 4, p.panels = linear::Panels::Fit; }>(
        "Four channels: model and target (Fig 14)",
        "Coefficients and autocovariances of the model lie on the target's: only the absolute errors tell them apart."),
    preset<[](Params& p) { p.basis = linear::Basis::Fourier; }>(
        "Capacity by frequency",
        "The same capacity of 20, counted by frequency: at most 2 for a cosine and its sine, and most of it at low frequencies."),
    preset<[](Params& p) { p.layers = 7, p.channels = 1, p.compare = Compared::Recurrent, p.otherChannels = 4; }>(
        "Three architectures, one task (Fig 1)",
        "A tree of 14 weights and a recurrent model both have capacity 8; the tree's loss is 1.3·10⁻³, the recurrent one's 5·10⁻⁵."),
    preset<[](Params& p) { p.watch = linear::Watch::Optimisation, p.start = linear::Start::Random; }>(
        "From random weights, step by step",
        "Watch the search from random weights: capacity leaves the distant lags for the recent ones while the loss falls."),
    preset<[](Params& p) { p.channels = 1, p.pull = {1, 1, 1, 1, 1, 1, 1, 1.6}; }>(
        "A weight pulled: no optimum any more",
        "One weight is pulled to 1.6 times its value: capacity stays 7, but it is no optimum, and the loss rises to 0.0019."),
    preset<[](Params& p) { p.taps = 3, p.layers = 4; }>(
        "Three taps",
        "Three taps a layer: four layers reach 81 lags, and 36 weights have a capacity of 24, half of it on the newest 18 lags."),
    preset<[](Params& p) { p.dilation = linear::Dilation::List, p.dilations = {1, 1, 2, 2, 4, 4}, p.channels = 1; }>(
        "Dilations that make no tree",
        "Dilations that repeat let paths meet: the 12 weights have capacity 7 on 15 lags, of which 6 are found at this optimum."),
    preset<[](Params& p) { p.process = linear::Process::Arfima, p.memory = 0.4; }>(
        "Long memory", "A target of long memory raises the loss and hardly moves capacity: half of it lies on the newest 15 lags, not 14."),
    preset<[](Params& p) { p.layers = 5, p.channels = 1, p.compare = Compared::Two, p.otherChannels = 3; }>(
        "Three models of equal capacity (Fig 1)",
        "Three areas of 6 units: a window of six lags, a tree in peaks, and recurrent units, which reach farthest and lose least.")};

/// With one channel two layers may change their signs together: below the last one the largest weight is positive.
void fixSigns(const HierarchicalModel& tree, Vector& weights) {
    const auto& blocks = tree.layers();
    if (tree.shape().channels.size() > 2 && tree.shape().channels[1] > 1) return;
    for (Size l = 0; l + 1 < blocks.size(); ++l) {
        const auto begin = weights.begin() + static_cast<std::ptrdiff_t>(blocks[l].first);
        const auto end = begin + static_cast<std::ptrdiff_t>(blocks[l].count);
        if (*std::max_element(begin, end, [](double a, double b) { return std::abs(a) < std::abs(b); }) >= 0) continue;
        for (const Size block : {l, blocks.size() - 1})
            for (Size i = 0; i < blocks[block].count; ++i) weights[blocks[block].first + i] *= -1;
    }
}

/// The indices of the weights of every layer's every tap, tap by tap from the lowest layer up.
std::vector<std::vector<Size>> weightsByTap(const HierarchicalModel& tree) {
    const HierarchicalShape& shape = tree.shape();
    std::vector<std::vector<Size>> all;
    for (Size l = 1; l <= shape.layers(); ++l)
        for (Size tap = 0; tap < static_cast<Size>(shape.taps[l - 1]); ++tap) {
            all.emplace_back();
            for (Size o = 0; o < static_cast<Size>(shape.channels[l]); ++o)
                for (Size i = 0; i < static_cast<Size>(shape.channels[l - 1]); ++i) all.back().push_back(tree.weightIndex(l, tap, o, i));
        }
    return all;
}

linear::Family familyOf(const Params& p) {
    const HierarchicalShape one = linear::treeShape(p, 1);
    linear::Family family;
    family.length = static_cast<Size>(receptiveField(one));
    family.model = [&p](Size channels) { return std::make_unique<HierarchicalModel>(linear::treeShape(p, static_cast<int>(channels))); };
    family.pulled = [&p](const LinearModel& model, Vector weights) {
        const auto& tree = static_cast<const HierarchicalModel&>(model);
        fixSigns(tree, weights);
        const auto taps = weightsByTap(tree);
        for (Size tap = 0; tap < std::min(taps.size(), p.pull.size()); ++tap)
            for (const Size index : taps[tap]) weights[index] *= p.pull[tap];
        return weights;
    };
    const auto units = static_cast<Size>(p.otherChannels);
    if (p.compare == Compared::Full) family.others.push_back(std::make_unique<FullModel>(family.length));
    if (besideRecurrent(p)) family.others.push_back(std::make_unique<RecurrentModel>(family.length, units));
    // As many weights as the recurrent model has capacity.
    if (p.compare == Compared::Two)
        family.others.push_back(std::make_unique<FullModel>(family.length, 1, std::min(2 * units, family.length)));
    std::vector<Size> shown{1, 2, 4};
    if (family.length <= 64) shown.insert(shown.end(), {3, 8});
    setWalk(family, p, std::move(shown));
    const bool tree = isTensorTrain(one);
    if (tree && !linear::startsRandom(p)) family.options.iterations = linear::kTreeIterations;
    if (!tree && !isOptimising(p)) family.options.restarts = p.restarts;
    return family;
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    const linear::Family family = familyOf(p);
    const auto resultOf = [&](const linear::Walk& walk) {
        Result r;
        fillWalk(p, walk, r);
        const HierarchicalShape one = linear::treeShape(p, 1);
        r.layerNumbers = countUp(one.layers(), 1);
        r.taps = countUp(static_cast<Size>(p.taps));
        r.dilations.assign(one.dilations.begin(), one.dilations.end());
        for (const auto& frame : walk.frames) {
            const int channels = isOptimising(p) ? p.channels : static_cast<int>(frame.place);
            for (const auto& tap : weightsByTap(HierarchicalModel(linear::treeShape(p, channels)))) {
                double squares = 0;
                for (const Size index : tap) squares += frame.weights[index] * frame.weights[index];
                r.weightSizes.push_back(channels == 1 ? frame.weights[tap.back()] : std::sqrt(squares));
            }
        }
        return r;
    };
    const linear::Walk walk =
        takeWalk(p, family, progress, [&](const linear::Walk& found) { progress.partial([&] { return resultOf(found); }); });
    Result r = resultOf(walk);
    r.printedWeights = linear::printedLayers(HierarchicalModel(linear::treeShape(p, p.channels)), walk.frames[walk.asked].weights);
    return r;
}

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const HierarchicalShape most = linear::treeShape(p, p.channels);
    const bool tooLarge = linear::oversized(most) || receptiveField(most) * parameterCount(most) > kMaxJacobianEntries;
    return tooLarge ? linear::kOversized : walkCost(p, familyOf(p));
}

std::string summary(const Params& p, const Result& r) {
    const HierarchicalShape one = linear::treeShape(p, 1);
    return walkSummary(p, r,
                       std::string(isTensorTrain(one) ? "A tree" : "A stack") + " of " + std::to_string(one.layers()) +
                           (one.layers() == 1 ? " layer" : " layers") + " with " + std::to_string(p.channels) +
                           (p.channels == 1 ? " channel" : " channels"));
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "hierarchical",
     .title = "Hierarchical models",
     .claim = "One or two channels spend a dilated tree's capacity on the recent past; from three on both ends of the window fill before "
              "its middle.",
     .group = "Linear models",
     .icon = "182438 586478 244064",
     .source = "P2 Fig 1; P2 Fig 3; P2 Fig 5; P2 Fig 14; Eqs 14–20, 30–33",
     .lookAt = "Watch the channels grow: the newest inputs fill up to capacity 1 first, the oldest ones after them, and the middle last.",
     .tryThis = "Pull a weight on its edge: capacity is still there, but it is no optimum any more, and the loss says by how much.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = linear::kAlongChannels,
     .instead = linear::kAlongSteps});

}  // namespace hierarchical

Declaration hierarchical_declaration() { return declare(hierarchical::kScene); }
Model hierarchical_model() { return sceneModel<hierarchical::kScene, hierarchical::run, hierarchical::cost, hierarchical::summary>(); }

}  // namespace kappaflow
