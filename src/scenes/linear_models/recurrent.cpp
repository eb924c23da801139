#include "scenes/linear_models/recurrent.h"

#include <algorithm>
#include <numeric>

#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_model.h"
#include "scenes/linear_models/walk_model.h"

namespace kappaflow {
namespace recurrent {
namespace {

using namespace table;
using linear::kChannels, linear::kStep;
using Size = std::size_t;
using Vector = std::vector<double>;

bool besideTree(const Params& p) { return p.compare == Compared::Hierarchical; }

constexpr OptionRow kCompared[] = {{"none", "nothing"}, {"hierarchical", "a hierarchical model"}, {"full", "full connection"}};

constexpr ParamRow kSizes[] = {
    whole<&Params::channels>("channels", "c", "hidden units", {1, 256}, "Hidden units, each linked to itself alone.", "P2 Fig 9; Eq 21") |
        logarithmic | costly,
    whole<&Params::length>("length", "n", "length", {4, 512}, "How many past inputs the model reads.", "P2 Fig 11; Eq 21") | logarithmic |
        costly};
constexpr ParamRow kComparison[] = {
    choice<&Params::compare>("compare", "compare with", kCompared, "Another model's capacity on the same task and the same axis.",
                             "P2 Fig 1"),
    whole<&Params::otherChannels>("otherChannels", "", "its channels", {1, 16},
                                  "Channels of a dilated stack of two taps that reaches as far back.", "P2 Fig 1") |
        costly | when<besideTree>};
constexpr ParamRow kPull[] = {
    list<&Params::pull>("pull", "", "memories pulled", {0, 2}, 16,
                        "Factors on the recurrent weights of the optimum, unit by unit; 1 where none is given.", "P2 Eqs 16–17") |
        more,
    list<&Params::pullIn>("pullIn", "", "inputs pulled", {0, 2}, 16,
                          "Factors on the input weights of the optimum, unit by unit; 1 where none is given.", "P2 Eqs 16–17") |
        more};
constexpr auto kParams =
    joined(kSizes, linear::kAnalysisParams<linear::startsRandom>, kComparison, linear::kTaskParams, kPull, linear::kWalkParams);

constexpr AxisRow kUnit = axis<&Result::units>("unit");
constexpr FieldRow kWeights[] = {
    measured<&Result::in>("inWeights", "in_j", {kChannels, kUnit}, "Weight from the input to each unit, longest memory first.") |
        onGrid{{kStep, kUnit}} | gaps,
    measured<&Result::recurrent>("recWeights", "rec_j", {kChannels, kUnit},
                                 "Weight of each unit to itself: what it keeps of its state at every step.") |
        onGrid{{kStep, kUnit}} | gaps,
    measured<&Result::out>("outWeights", "out_j", {kChannels, kUnit}, "Weight from each unit to the output.") | onGrid{{kStep, kUnit}} |
        gaps};
constexpr auto kFields = joined(linear::kWalkFields, kWeights);

constexpr PresetRow kPresets[] = {
    {"Hidden units growing: two of them shown (Fig 11)"},
    preset<[](Params& p) { p.channels = 1; }>(
        "One unit: two constraints", "One hidden unit imposes two constraints: a capacity of 2, and half of it on the newest three lags."),
    preset<[](Params& p) { p.channels = 4, p.panels = linear::Panels::Fit; }>(
        "Four units: model and target",
        "Coefficients and autocovariances of four units lie on the target's: only the absolute errors tell them apart."),
    preset<[](Params& p) { p.channels = 8; }>(
        "Eight units", "Eight units hold a capacity of 16: the newest and the oldest lags fill up, and those between stay low."),
    preset<[](Params& p) { p.channels = 16, p.start = linear::Start::Random, p.restarts = 1; }>(
        "Sixteen: more than floating point can tell apart",
        "Sixteen units could hold a capacity of 32; double precision finds 29 where the search stopped, which is no optimum."),
    preset<[](Params& p) { p.channels = 4, p.compare = Compared::Hierarchical; }>(
        "Beside a tree of nearly equal capacity (Fig 1)",
        "Twelve weights each: four units of capacity 8 run smoothly along the lags, a tree of capacity 7 comes in peaks."),
    preset<[](Params& p) { p.channels = 4, p.basis = linear::Basis::Fourier; }>(
        "Capacity by frequency",
        "The capacity of four units counted by frequency: at most 2 for a cosine and its sine, and most of it at low frequencies."),
    preset<[](Params& p) { p.watch = linear::Watch::Optimisation, p.start = linear::Start::Random; }>(
        "From random weights, step by step",
        "Watch the search from random weights: the echoes rise and tilt until the search ends in an optimum, after 29 steps."),
    preset<[](Params& p) {
        p.pull = {1, 0.8};
    }>("A memory pulled: no optimum any more",
       "One memory is pulled to 0.8 times its value: capacity stays 4, but it is no optimum, and the loss rises to 9.8·10⁻⁴.")};

/// Two taps, dilations 1, 2, 4, …, the last one what is still missing.
HierarchicalShape stackOf(int length, int channels) {
    HierarchicalShape shape;
    int reach = 1;
    for (int dilation = 1; reach < length; dilation *= 2) {
        shape.taps.push_back(2);
        shape.dilations.push_back(std::min(dilation, length - reach));
        shape.channels.push_back(shape.channels.empty() ? 1 : channels);
        reach += shape.dilations.back();
    }
    shape.channels.push_back(1);
    return shape;
}

/// Units in the order of their memories, the longest first, so that factors and echoes keep theirs.
Vector pulled(const Vector& weights, const Params& p) {
    const Size c = weights.size() / 3;
    std::vector<Size> order(c);
    std::iota(order.begin(), order.end(), Size{0});
    std::stable_sort(order.begin(), order.end(), [&](Size a, Size b) { return weights[c + a] > weights[c + b]; });
    Vector sorted(weights.size());
    for (Size j = 0; j < c; ++j)
        for (Size part = 0; part < 3; ++part) sorted[part * c + j] = weights[part * c + order[j]];
    for (Size j = 0; j < std::min(c, p.pullIn.size()); ++j) sorted[j] *= p.pullIn[j];
    for (Size j = 0; j < std::min(c, p.pull.size()); ++j) sorted[c + j] *= p.pull[j];
    return sorted;
}

linear::Family familyOf(const Params& p) {
    linear::Family family;
    family.length = static_cast<Size>(p.length);
    family.model = [n = family.length](Size channels) { return std::make_unique<RecurrentModel>(n, channels); };
    family.pulled = [&p](const LinearModel&, const Vector& weights) { return pulled(weights, p); };
    if (p.compare == Compared::Full) family.others.push_back(std::make_unique<FullModel>(family.length));
    if (besideTree(p)) family.others.push_back(std::make_unique<HierarchicalModel>(stackOf(p.length, p.otherChannels)));
    setWalk(family, p, {1, 2, 4});
    return family;
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    const auto resultOf = [&p](const linear::Walk& walk) {
        Result r;
        fillWalk(p, walk, r);
        Size most = 0;
        for (const auto& frame : walk.frames) most = std::max(most, frame.weights.size() / 3);
        r.units = countUp(most);
        for (const auto& frame : walk.frames) {
            const Size c = frame.weights.size() / 3;
            Vector* const parts[] = {&r.in, &r.recurrent, &r.out};
            for (Size part = 0; part < 3; ++part)
                for (Size j = 0; j < most; ++j) parts[part]->push_back(j < c ? frame.weights[part * c + j] : linear::kNone);
        }
        return r;
    };
    const linear::Walk walk =
        takeWalk(p, familyOf(p), progress, [&](const linear::Walk& found) { progress.partial([&] { return resultOf(found); }); });
    Result r = resultOf(walk);
    const Vector& weights = walk.frames[walk.asked].weights;
    const auto c = static_cast<std::ptrdiff_t>(weights.size() / 3);
    for (const char* kind : {"in", "recurrent", "out"}) {
        const auto begin = weights.begin() + static_cast<std::ptrdiff_t>(r.printedWeights.size()) * c;
        r.printedWeights.push_back({kind, {static_cast<Size>(c)}, {begin, begin + c}, {}});
    }
    return r;
}

Cost cost(const Opened<Params>& opened) { return walkCost(opened.params, familyOf(opened.params)); }

std::string summary(const Params& p, const Result& r) {
    linear::WalkParams walk = p;
    linear::append(walk.pull, p.pullIn);
    return walkSummary(walk, r,
                       "A recurrent model with " + std::to_string(p.channels) + (p.channels == 1 ? " hidden unit" : " hidden units"));
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "recurrent",
     .title = "Recurrent models",
     .claim = "Each linear hidden unit is worth two constraints; of few units they thin out towards the past, from three on the oldest "
              "inputs gain too.",
     .group = "Linear models",
     .icon = "7351311315375775 707343",
     .source = "P2 Fig 9; P2 Fig 11; Eq 21",
     .lookAt = "Each unit's echo is a straight line on this scale; the more of them, the closer their sum comes to the dashed target.",
     .tryThis = "Pull the two knobs of an echo, its input and its memory: the capacity stays at two a unit, but it is no optimum any more.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "channels", "units", false, 1.2},
     .instead = linear::kAlongSteps});

}  // namespace recurrent

Declaration recurrent_declaration() { return declare(recurrent::kScene); }
Model recurrent_model() { return sceneModel<recurrent::kScene, recurrent::run, recurrent::cost, recurrent::summary>(); }

}  // namespace kappaflow
