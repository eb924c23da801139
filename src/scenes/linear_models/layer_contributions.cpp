#include "scenes/linear_models/layer_contributions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/linear/constraints.h"
#include "core/linear/subspace.h"
#include "scene/typed_model.h"
#include "scenes/linear_models/gaussian_task_model.h"

namespace kappaflow {
namespace layer_contributions {
namespace {

using namespace table;
using Size = std::size_t;
using Layers = std::vector<Size>;

bool freezes(const Params& p) { return !p.freeze.empty(); }

constexpr OptionRow kOrders[] = {{"forward", "from the lowest layer up"}, {"backward", "from the highest layer down"}};

constexpr ParamRow kOwn[] = {
    choice<&Params::order>("order", "chain", kOrders,
                           "In which order layers are added to the chain that the report gives first; the picture shows both.",
                           "P2 Fig 7; Property 6"),
    list<&Params::freeze>("freeze", "", "frozen layers", {1, 8}, 8,
                          "Numbers of the layers whose weights are drawn at random and left as they are while the others learn.",
                          "P2 App. D, Conjectures 1–2"),
    whole<&Params::draws>("draws", "", "random freezes", {1, 8},
                          "How often the frozen layers are drawn anew, each time with an optimum of its own.",
                          "P2 App. D, Conjectures 1–2") |
        costly | more | when<freezes>,
    seed<&Params::seed>("Start of the random numbers of frozen and of starting weights.", "P2 App. D")};
constexpr ParamRow kTimeline[] = {shownAt<&Params::at>("l", "layers added", 8, "How many layers have been added to the chain.", "P2 Fig 7"),
                                  plays<&Params::play>("Whether the layers pass by themselves.", "P2 Fig 7")};
constexpr auto kParams = joined(linear::kTreeParams<Params, 16>, kOwn, linear::kTaskParams, kTimeline);

constexpr AxisRow kLayer = axis<&Result::layerNumbers>("layer"), kLag = axis<&Result::lags>("lag"),
                  kDraw = axis<&Result::frozenDraws>("draw");

constexpr FieldRow kFields[] = {
    measured<&Result::chain, &Shares::byLag>(
        "chain", "κ_l(τ)", {kLayer, kLag},
        "What each layer adds to the layers before it in the chosen order, by lag: a row a layer, from the input up."),
    measured<&Result::chain, &Shares::total>("chainTotal", "", {kLayer}, "The same over all lags: dimensions added."),
    measured<&Result::reverse, &Shares::byLag>("chainReverse", "κ_l(τ)", {kLayer, kLag}, "What each layer adds in the opposite order."),
    measured<&Result::reverse, &Shares::total>("chainReverseTotal", "", {kLayer}, "The same over all lags."),
    theory<&Result::chainExact>("chainTotalExact", "", {kLayer},
                                "Dimensions added in the chosen order for weights in general position, modulo 2³¹ − 1."),
    measured<&Result::alone, &Shares::byLag>("alone", "κ_l(τ)", {kLayer, kLag}, "Capacity of each layer alone, the others constant."),
    measured<&Result::alone, &Shares::total>("aloneTotal", "", {kLayer}, "The same over all lags."),
    measured<&Result::marginal, &Shares::byLag>("marginal", "κ_l(τ)", {kLayer, kLag}, "Capacity of each layer given all the others."),
    measured<&Result::marginal, &Shares::total>("marginalTotal", "", {kLayer}, "The same over all lags."),
    theory<&Result::marginalExact>("marginalTotalExact", "", {kLayer}, "The same for weights in general position, modulo 2³¹ − 1."),
    measured<&Result::redundant>("redundant", "", {kLayer}, "1 where the layer's marginal capacity is 0, else 0."),
    measured<&Result::capacity>("capacity", "κ_τ", {kLag}, "Capacity of every lag, all layers together."),
    measured<&Result::frozenLosses>("frozenLossByDraw", "L", {kDraw},
                                    "Loss at the optimum of the free layers, for each drawing of the frozen ones."),
    measured<&Result::totalCapacity>("totalCapacity", "κ", {}, "Total capacity of all layers, exact."),
    measured<&Result::numericalRank>("numericalRank", "", {}, "What the chain sums to."),
    measured<&Result::loss>("loss", "L", {}, "Loss at the optimum of all layers."),
    measured<&Result::optimality>("optimality", "‖KᵀX‖/‖X‖", {}, "0 at an optimum (P2 Eq 17)."),
    measured<&Result::smallestSine>("smallestSine", "", {},
                                    "Smallest sine of an angle to the layers before that counted as a dimension; the threshold is 10⁻⁵."),
    measured<&Result::largestDropped>("largestDropped", "", {}, "Largest one that did not."),
    measured<&Result::freeCapacity>("freeCapacity", "", {}, "Exact capacity of the layers that are not frozen."),
    measured<&Result::frozenMarginal>("frozenMarginal", "", {},
                                      "What the frozen layers together would add to it: 0 when they are jointly redundant."),
    measured<&Result::frozenLoss>("frozenLoss", "L", {}, "Loss at the optimum of the free layers, the best of the drawings."),
    measured<&Result::freeLoss>("freeLoss", "L", {}, "Loss at the optimum of all layers, to compare it with.")};

constexpr PresetRow kPresets[] = {
    {"Four channels: two chains (Fig 7)"},
    preset<[](Params& p) { p.channels = 1; }>(
        "One channel: every layer counts",
        "With one channel no layer is redundant: the first adds 2 to the capacity, every other one 1, and they sum to 7."),
    preset<[](Params& p) { p.channels = 2; }>(
        "Two channels: the ends are redundant",
        "With two channels the lowest and the highest layer add nothing to all others: either could be frozen at random."),
    preset<[](Params& p) {
        p.freeze = {1, 2, 5, 6};
    }>("Four layers of six frozen at random (Conjecture 2)",
       "Layers 1, 2, 5 and 6 are frozen at random: layers 3 and 4 alone have capacity 48, and the loss is as low as before."),
    preset<[](Params& p) {
        p.channels = 2, p.freeze = {1, 6};
    }>("Two channels, both ends frozen",
       "Both redundant ends are frozen at random: the four layers between keep capacity 20 and reach the loss of all six."),
    preset<[](Params& p) {
        p.channels = 2, p.freeze = {1, 2};
    }>("Two channels, the wrong pair frozen",
       "Layers 1 and 2 are the wrong pair to freeze: capacity falls from 20 to 16, and the loss rises more than a thousandfold."),
    preset<[](Params& p) { p.channels = 8, p.layers = 6; }>(
        "Redundant one by one, not together",
        "Each of six layers is redundant given the others, but not all of them at once: each chain needs three to reach 64 units.")};

Layers range(Size from, Size to) {
    Layers layers(to - from);
    std::iota(layers.begin(), layers.end(), from);
    return layers;
}

/// The layers that are frozen, from 0, rising, each once, and all others. One is left to learn.
struct Freeze {
    Layers frozen, free;
};
Freeze freezeOf(const Params& p, Size layers, std::vector<std::string>* warnings = nullptr) {
    Freeze f;
    const auto warn = [&](std::string text) {
        if (warnings) warnings->push_back(std::move(text));
    };
    for (const double number : p.freeze) {
        const auto layer = static_cast<Size>(std::lround(number)) - 1;
        if (layer >= layers)
            warn("There is no layer " + std::to_string(layer + 1) + " to freeze.");
        else if (std::find(f.frozen.begin(), f.frozen.end(), layer) == f.frozen.end())
            f.frozen.push_back(layer);
    }
    std::sort(f.frozen.begin(), f.frozen.end());
    if (f.frozen.size() == layers) {
        warn("One layer must be left to learn: layer " + std::to_string(f.frozen.back() + 1) + " is.");
        f.frozen.pop_back();
    }
    for (Size l = 0; l < layers; ++l)
        if (std::find(f.frozen.begin(), f.frozen.end(), l) == f.frozen.end()) f.free.push_back(l);
    return f;
}

/// Links of some layers' blocks, added in this order, at their layers' places; `step` is called before each.
template <class Step>
std::vector<ChainLink> chainOf(const std::vector<Matrix>& blocks, const Layers& order, const Step& step) {
    CapacityChain chain(blocks.front().rows);
    std::vector<ChainLink> links(blocks.size());
    for (const Size layer : order) {
        step();
        links[layer] = chain.add(blocks[layer]);
    }
    return links;
}

/// All layers but one.
Layers without(Size layer, Size layers) {
    Layers others = range(0, layers);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(layer));
    return others;
}

/// Whether ranks of parts of the layers are counted modulo 2³¹ − 1 too.
bool countsExactly(const HierarchicalShape& shape) {
    const double n = receptiveField(shape), p = parameterCount(shape);
    return n * p * std::min(n, p) <= 2e7 && n * p <= kMaxJacobianEntries;
}

/// What all layers at the optimum's weights contribute; `step` is called before each decomposition, which can take a second.
template <class Step>
void analyse(const Params& p, const HierarchicalModel& model, const LinearTask& task, const std::vector<double>& weights, Result& r,
             const Step& step) {
    const auto blocks = layerConstraints(model, weights, task.covariance);
    const Size layers = blocks.size();
    const bool backward = p.order == Order::Backward;
    const Layers up = range(0, layers), down(up.rbegin(), up.rend());
    auto chain = chainOf(blocks, backward ? down : up, step), reverse = chainOf(blocks, backward ? up : down, step);
    std::vector<ChainLink> alone, marginal;
    for (Size l = 0; l < layers; ++l) {
        Layers last = without(l, layers);
        last.push_back(l);
        alone.push_back(chainOf(blocks, {l}, step)[l]);
        marginal.push_back(chainOf(blocks, last, step)[l]);
    }
    const auto fill = [](const std::vector<ChainLink>& links, Shares& shares) {
        for (const ChainLink& link : links) {
            linear::append(shares.byLag, linear::newestFirst(link.capacity));
            shares.total.push_back(static_cast<double>(link.rank));
        }
    };
    fill(chain, r.chain), fill(reverse, r.reverse), fill(alone, r.alone), fill(marginal, r.marginal);
    for (const auto* links : {&chain, &reverse, &marginal})
        for (const ChainLink& link : *links) {
            if (link.rank > 0) r.smallestSine = std::min(r.smallestSine, link.smallestSine);
            r.largestDropped = std::max(r.largestDropped, link.largestDropped);
        }
    for (const double total : r.marginal.total) r.redundant.push_back(total == 0 ? 1 : 0);
    r.numericalRank = std::accumulate(r.chain.total.begin(), r.chain.total.end(), 0.0);
    r.layerNumbers = countUp(layers, 1);
    r.lags = countUp(model.length());
    r.capacity.assign(model.length(), 0);
    for (Size i = 0; i < r.chain.byLag.size(); ++i) r.capacity[i % r.capacity.size()] += r.chain.byLag[i];
    r.totalCapacity = static_cast<double>(model.exactRank());
    step();
    r.optimality = optimality(constraints(model, weights, task.covariance), task, model.response(weights));
    if (!countsExactly(model.shape())) return;
    const auto rank = [&](const Layers& free) {
        step();
        return free.empty() ? 0.0 : static_cast<double>(model.exactRank(free));
    };
    const double all = rank(up);
    for (Size l = 0; l < layers; ++l) {
        r.chainExact.push_back(backward ? rank(range(l, layers)) - rank(range(l + 1, layers)) : rank(range(0, l + 1)) - rank(range(0, l)));
        r.marginalExact.push_back(all - rank(without(l, layers)));
    }
}

/// Alternating rounds and damped steps that a frozen optimum may take.
constexpr int kFrozenIterations = 150;

OptimumOptions bestSearch(const HierarchicalModel& model) {
    OptimumOptions best;
    if (isTensorTrain(model.shape())) best.iterations = linear::kTreeIterations;
    return best;
}

/// The optimum of all layers, then the chains, then one optimum for every drawing of the frozen layers.
Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    const HierarchicalModel model(linear::treeShape(p, p.channels));
    const LinearTask task = predictionTask(linear::processOf(p), model.length());
    Result r;
    const Freeze freeze = freezeOf(p, model.shape().layers(), &r.warnings);
    const double searches = 2 + (freeze.frozen.empty() ? 0 : p.draws);
    double done = 0;
    const auto search = [&](OptimumOptions options) {
        options.seed = p.seed;
        OptimumSearch search(model, task, std::move(options));
        while (search.step()) progress.tick((done + 0.99 * search.progress()) / searches);
        progress.tick(++done / searches);
        return search;
    };
    const OptimumSearch all = search(bestSearch(model));
    r.loss = all.loss();
    const double layers = static_cast<double>(model.shape().layers()), steps = layers * (layers + 3) + 1 + 3 * layers + 1;
    double step = 0;
    analyse(p, model, task, linear::fillUnusedChannels(model, all.weights(), p.seed), r,
            [&] { progress.tick((done + step++ / steps) / searches); });
    progress.tick(++done / searches);
    if (freeze.frozen.empty()) return r;
    r.freeCapacity = static_cast<double>(model.exactRank(freeze.free));
    r.frozenMarginal = r.totalCapacity - *r.freeCapacity;
    progress.partial([&] { return r; });
    for (int draw = 0; draw < p.draws; ++draw) {
        OptimumOptions options;
        options.freeLayers = freeze.free;
        // Draws far from those of the starting weights.
        options.weights = model.randomWeights(p.seed, 1000 + static_cast<std::uint64_t>(draw));
        options.iterations = kFrozenIterations;
        r.frozenLosses.push_back(search(std::move(options)).loss());
        r.frozenDraws.push_back(draw);
        r.frozenLoss = *std::min_element(r.frozenLosses.begin(), r.frozenLosses.end());
        r.freeLoss = r.loss;
        progress.partial([&] { return r; });
    }
    return r;
}

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const HierarchicalShape shape = linear::treeShape(p, p.channels);
    if (linear::oversized(shape)) return linear::kOversized;
    const HierarchicalModel model(shape);
    const double n = static_cast<double>(model.length()), weights = static_cast<double>(model.parameters()),
                 layers = static_cast<double>(shape.layers()), columns = std::min(weights, n);
    // Every block is added to L + 3 chains, a decomposition of its own rank each.
    const double rank = std::min(n, 1.0 * p.taps * p.channels * p.channels);
    Cost cost{1e6 + layers * (layers + 3) * (12 * n * rank * rank + 10 * n * n),
              2e6 + 400 * weights + 100 * n * n + 40 * n * weights + 60 * layers * n};
    cost.operations += linear::optimumCost(p, model, bestSearch(model));
    if (countsExactly(shape)) cost.operations += 3 * layers * n * weights * columns;
    const Freeze freeze = freezeOf(p, shape.layers());
    if (freeze.frozen.empty()) return cost;
    OptimumOptions frozen;
    frozen.freeLayers = freeze.free;
    frozen.iterations = kFrozenIterations;
    cost.operations += p.draws * linear::optimumCost(p, model, frozen);
    return cost;
}

/// "1, 2 and 5".
std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (Size i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}
std::string listed(const Layers& layers) {
    std::vector<std::string> words;
    for (const Size layer : layers) words.push_back(std::to_string(layer + 1));
    return listed(words);
}

std::string summary(const Params& p, const Result& r) {
    std::vector<std::string> added;
    for (const double total : r.chain.total) added.push_back(inWords(total, 6));
    if (p.order == Order::Backward) std::reverse(added.begin(), added.end());
    Layers redundant;
    for (Size l = 0; l < r.redundant.size(); ++l)
        if (r.redundant[l] > 0) redundant.push_back(l);
    std::string text = "The layers add " + listed(added) + " to the capacity, " +
                       (p.order == Order::Backward ? "from the highest down" : "from the lowest up") + ", in all " +
                       inWords(r.numericalRank, 6) + ". ";
    text += redundant.empty() ? "None is redundant."
                              : (redundant.size() == 1 ? "Redundant given all others is layer "
                                                       : "Redundant given all others, each by itself, are layers ") +
                                    listed(redundant) + ".";
    if (!r.frozenLoss) return text;
    const Layers frozen = freezeOf(p, r.layerNumbers.size()).frozen;
    return text + " With " + (frozen.size() == 1 ? "layer " : "layers ") + listed(frozen) + " frozen at random the others have capacity " +
           inWords(*r.freeCapacity, 6) + " and reach a loss of " + linear::lossInWords(*r.frozenLoss) + "; all together reach " +
           linear::lossInWords(r.loss) + ".";
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "layer-contributions",
     .title = "What each layer contributes",
     .claim = "What each layer adds to the others sums to the whole capacity; some add nothing at all, and can be frozen at random.",
     .group = "Linear models",
     .icon = "1812 4845 7873 0888",
     .source = "P2 Fig 7; P2 Fig 8; Property 6; App. D",
     .lookAt =
         "Layer after layer is added to both chains: the sum is the same, 48, and in either order the last two find nothing left to add.",
     .tryThis = "Freeze layers 1, 2, 5 and 6 by their squares: drawn at random they cost nothing; layers 3 and 4 do.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "layer", "layers", false, 0.9}});

}  // namespace layer_contributions

Declaration layer_contributions_declaration() { return declare(layer_contributions::kScene); }
Model layer_contributions_model() {
    return sceneModel<layer_contributions::kScene, layer_contributions::run, layer_contributions::cost, layer_contributions::summary>();
}

}  // namespace kappaflow
