#include "scenes/linear_models/capacity_sweep.h"

#include <algorithm>
#include <cmath>

#include "core/base/rng.h"
#include "core/linear/constraints.h"
#include "core/linear/linear_model.h"
#include "scene/typed_model.h"
#include "scenes/linear_models/gaussian_task_model.h"

namespace kappaflow {
namespace capacity_sweep {
namespace {

using namespace table;
using linear::kNone;
using Size = std::size_t;
using Vector = std::vector<double>;

bool hierarchical(const Params& p) { return p.model == Models::Hierarchical; }
bool recurrent(const Params& p) { return p.model == Models::Recurrent; }
bool random(const Params& p) { return p.start == Start::Random; }

constexpr OptionRow kModels[] = {{"hierarchical"}, {"recurrent"}};
constexpr OptionRow kStarts[] = {{"random", "random weights, L-BFGS"}, {"best", "the best known way"}};

constexpr ParamRow kFirst[] = {
    choice<&Params::model>("model", "model", kModels, "A dilated tree of convolutions, or recurrent units side by side.", "P2 Figs 4, 10"),
    choice<&Params::start>("start", "start", kStarts,
                           "The paper's optimiser from random weights, laid beside the optimum, or the best found where none is sure; or "
                           "that alone.",
                           "P2 5.1.2"),
    whole<&Params::layers>("layers", "L", "layers", {2, 7}, "Layers of two taps; n = 2^L lags.", "P2 Fig 4") | when<hierarchical>,
    whole<&Params::length>("length", "n", "length", {8, 128}, "Inputs that the recurrent units run over.", "P2 Fig 10") | when<recurrent>,
    list<&Params::channelsList>("channelsList", "c", "channels", {1, 256}, 16,
                                "Numbers of channels that are compared, up to 256: a tree then has 525 312 weights.", "P2 Figs 4, 10") |
        costly,
    whole<&Params::iterations>("iterations", "", "iterations", {10, 3000}, "Most iterations of L-BFGS from each random start.",
                               "P2 5.1.2") |
        logarithmic | costly | when<random>,
    whole<&Params::restarts>("restarts", "", "restarts", {1, 8}, "Random starts, of which the best is kept.", "P2 5.1.2") | costly | more |
        when<random>,
    seed<&Params::seed>("Start of the random numbers of the weights to start from.", "P2 5.1.2")};
constexpr ParamRow kLast[] = {
    shownAt<&Params::at>("", "iteration", 3000, "The iteration that the search is shown at; fractions lie between two of them.",
                         "P2 5.1.2"),
    plays<&Params::play>("Whether the numbers of channels pass by themselves.", "P2 5.1.2"),
    number<&Params::shown>("shown", "c", "channels looked at", {1, 256},
                           "The number of channels whose values are written out; the nearest of the list.", "P2 Figs 4, 10") |
        hidden | ofView,
    number<&Params::upTo>("upTo", "c", "channels so far", {1, 300},
                          "Losses are shown up to this number of channels, whose values are written out then; beyond the last, all.",
                          "P2 Figs 4, 10") |
        hidden | ofView};
constexpr auto kParams = joined(kFirst, linear::kTaskParams, kLast);

constexpr AxisRow kChannels = axis<&Result::channels>("channels"), kIteration = axis<&Result::iterations>("iteration");

constexpr FieldRow kFields[] = {
    theory<&Result::totalCapacity>("totalCapacity", "κ", {kChannels},
                                   "Total capacity of the architecture, exact: trees in closed form, min(n, 2c) for recurrent units.") |
        gaps,
    measured<&Result::numericalRank>("numericalRank", "", {kChannels},
                                     "Rank that double precision finds at the best weights found; for trees the exact one.") |
        gaps,
    theory<&Result::parameters>("parameters", "p", {kChannels}, "Number of weights.") | gaps,
    measured<&Result::loss>("loss", "L", {kChannels}, "(A − A*)ᵀΣ(A − A*) where the search asked for ended; before it ends, where it is.") |
        gaps,
    measured<&Result::lossOptimal>("lossOptimal", "L", {kChannels},
                                   "The least that was found: the optimum where convergedOptimal is 1; for trees what is left where κ = n "
                                   "is rounding.") |
        gaps,
    measured<&Result::optimality>("optimality", "‖KᵀX‖/‖X‖", {kChannels},
                                  "Of the search asked for: 0 at an optimum, of order 1 elsewhere.") |
        gaps,
    measured<&Result::optimalityOptimal>("optimalityOptimal", "‖KᵀX‖/‖X‖", {kChannels}, "Of the least loss found.") | gaps,
    measured<&Result::convergedOptimal>("convergedOptimal", "", {kChannels},
                                        "1 where the least loss found is an optimum: ‖KᵀX‖/‖X‖ up to 1e-6, or a loss that is rounding; "
                                        "else 0, and it is the best found.") |
        gaps,
    measured<&Result::converged>(
        "converged", "", {kChannels},
        "1 where the search asked for ended at an optimum: ‖KᵀX‖/‖X‖ up to 1e-6, or a loss that is rounding; else 0.") |
        gaps,
    measured<&Result::iterationsTaken>("iterationsTaken", "", {kChannels}, "Iterations of L-BFGS from the start that was best.") | gaps,
    measured<&Result::descent>("descent", "L", {kChannels, kIteration},
                               "Loss after so many iterations of the best start; undefined after its end.") |
        gaps,
    measured<&Result::fullyConnectedLoss>("fullyConnectedLoss", "L", {},
                                          "What the same optimiser leaves with one weight an input (FC), where the optimum is 0."),
    limiting<&Result::roundingLoss>("roundingLoss", "", {}, "Losses below are rounding: 1e-28 of the variance of the best prediction."),
    limiting<&Result::lowerBound>("lowerBound", "v*", {}, "Error of the best linear prediction, on top of which losses count."),
    measured<&Result::exponent>(
        "exponent", "", {}, "Slope of log L against log c over the numbers of channels with L above rounding, of the search asked for.")};

constexpr PresetRow kPresets[] = {
    {"Trees: where the power law comes from (Fig 4)"},
    preset<[](Params& p) { p.start = Start::Best, p.channelsList = {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128, 256}; }>(
        "The optimum alone",
        "The loss of the optimum drops off a cliff: with 8 channels capacity reaches all 64 inputs, and no loss is left."),
    preset<[](Params& p) { p.model = Models::Recurrent; }>(
        "Recurrent units (Fig 10)",
        "Recurrent units: from four of them on the random start hardly improves, while the best loss found goes on falling."),
    preset<[](Params& p) { p.model = Models::Recurrent, p.start = Start::Best, p.channelsList = {1, 2, 3, 4, 6, 8, 12, 16}; }>(
        "Recurrent units, the best found alone",
        "The best loss found goes on falling, ever farther below a power law; 16 units have capacity 32 of 64, and no cliff is reached."),
    preset<[](Params& p) {
        p.iterations = 1000, p.channelsList = {1, 2, 4, 8, 16};
    }>("More patience", "A thousand iterations in place of 200 bring the random start down, but still far from the optimum at 8 channels."),
    preset<[](Params& p) { p.layers = 4, p.restarts = 4, p.channelsList = {1, 2, 3, 4, 8, 16}; }>(
        "A smaller tree, best of four", "A smaller tree has its cliff at 4 channels; the best of four random starts gets there with 8."),
    preset<[](Params& p) { p.process = linear::Process::Arfima, p.memory = 0.4; }>(
        "Long memory", "A target of long memory has its cliff at the same 8 channels; from random weights L-BFGS gets there with 32."),
    preset<[](Params& p) { p.channelsList = {1, 2, 4, 8, 16, 32, 64, 128, 256}; }>(
        "Trees up to 256 channels (Fig 4)",
        "Weights grow to 525 312, yet capacity stops at 64; from random weights L-BFGS finds the optimum from 32 channels on."),
    preset<[](Params& p) { p.model = Models::Recurrent, p.channelsList = {1, 2, 4, 8, 16, 32, 64, 128, 256}; }>(
        "Recurrent units up to 256 (Fig 10)",
        "From 32 units on the capacity is all 64, but double precision finds no more than 57 of it, even with 256 units.")};

/// Lags.
Size lengthOf(const Params& p) { return recurrent(p) ? static_cast<Size>(p.length) : Size{1} << p.layers; }

/// The numbers of channels, rising.
std::vector<int> channelsOf(const Params& p) {
    std::vector<int> numbers;
    for (const double value : p.channelsList) numbers.push_back(static_cast<int>(std::lround(value)));
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (numbers.empty()) numbers.push_back(1);
    return numbers;
}

std::unique_ptr<LinearModel> modelOf(const Params& p, int channels) {
    if (recurrent(p)) return std::make_unique<RecurrentModel>(lengthOf(p), static_cast<Size>(channels));
    return std::make_unique<HierarchicalModel>(dilatedTree(p.layers, 2, channels));
}

/// Where a search is, or ended.
struct Reached {
    double loss = 0;
    std::optional<double> optimality;  ///< ‖KᵀX‖/‖X‖, once it has ended
    bool converged = false;
    Vector history;
};

/// One number of channels.
struct Point {
    int channels;
    std::unique_ptr<LinearModel> model;
    double exactRank, parameters;
    std::optional<Reached> optimum{}, random{};  ///< none before the search
    double numericalRank = kNone;
    Vector best{};  ///< weights of `optimum`, of recurrent units
};

/// Fewer units that came lower, the others silent: they hear the input, and nobody hears them.
void takeOver(const LinearTask& task, const Point& fewer, Point& point) {
    const Size c = static_cast<Size>(point.channels), known = static_cast<Size>(fewer.channels);
    for (Size layer = 0; layer < 3; ++layer)
        for (Size j = 0; j < c; ++j) {
            const double silent = layer == 0 ? 1 : layer == 1 ? -1 + (2.0 * static_cast<double>(j) + 1) / static_cast<double>(c) : 0;
            point.best[layer * c + j] = j < known ? fewer.best[layer * known + j] : silent;
        }
    point.optimum->loss = taskLoss(task, point.model->response(point.best));
    point.optimum->history.push_back(point.optimum->loss);
}

/// Whether an ended search is at an optimum; the rank found there.
double check(const Params& p, const LinearTask& task, const Point& point, const Vector& weights, Reached& reached) {
    // Searches end at the loss that is rounding, or a little above it where the last step did not quite lead there.
    const bool rounding = reached.loss <= 100 * roundingLoss(task);
    double rank = point.exactRank;
    // Where the closed form says that the constraints are the whole space, no Jacobian is formed: K is the identity.
    if (hierarchical(p) && rank == static_cast<double>(point.model->inputs())) {
        reached.optimality = rounding ? 0 : 1;
    } else {
        const Constraints K = constraints(*point.model, weights, task.covariance);
        reached.optimality = optimality(K, task, point.model->response(weights));
        rank = static_cast<double>(K.rank);
    }
    reached.converged = *reached.optimality <= linear::kOptimal || rounding;
    return rank;
}

/// Losses of a descent are reported after 0, 1, 2, 4, 8, … iterations with three steps between, at most this many.
std::vector<int> reportedIterations(int most) {
    std::vector<int> all;
    for (int i = 0; i < most; i = std::max(i + 1, static_cast<int>(i * 1.25))) all.push_back(i);
    all.push_back(most);
    return all;
}

/// Least-squares slope of log L against log c over the losses above rounding; none below two of them.
std::optional<double> exponentOf(const Result& r) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (Size i = 0; i < r.loss.size(); ++i) {
        if (!(r.loss[i] > 10 * r.roundingLoss)) continue;
        const double x = portableLog(r.channels[i]), y = portableLog(r.loss[i]);
        ++n, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    if (n < 2) return std::nullopt;
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Result resultOf(const Params& p, const LinearTask& task, const std::vector<Point>& points, std::optional<double> fullyConnected) {
    Result r;
    r.roundingLoss = roundingLoss(task);
    r.lowerBound = task.lowerBound;
    r.fullyConnectedLoss = fullyConnected;
    const auto askedOf = [&](const Point& point) -> const std::optional<Reached>& { return random(p) ? point.random : point.optimum; };
    Size longest = 1;
    for (const Point& point : points)
        if (const auto& at = askedOf(point)) longest = std::max(longest, at->history.size() - 1);
    const auto iterations = reportedIterations(random(p) ? p.iterations : static_cast<int>(longest));
    r.iterations.assign(iterations.begin(), iterations.end());
    for (const Point& point : points) {
        r.channels.push_back(point.channels);
        r.totalCapacity.push_back(point.exactRank);
        r.numericalRank.push_back(point.numericalRank);
        r.parameters.push_back(point.parameters);
        const auto &asked = askedOf(point), &optimum = point.optimum;
        r.loss.push_back(asked ? asked->loss : kNone);
        r.lossOptimal.push_back(optimum ? optimum->loss : kNone);
        r.optimality.push_back(asked ? asked->optimality.value_or(kNone) : kNone);
        r.optimalityOptimal.push_back(optimum ? optimum->optimality.value_or(kNone) : kNone);
        r.converged.push_back(asked && asked->optimality ? asked->converged : kNone);
        r.convergedOptimal.push_back(optimum && optimum->optimality ? optimum->converged : kNone);
        r.iterationsTaken.push_back(asked ? static_cast<double>(asked->history.size() - 1) : kNone);
        for (Size k = 0; k < iterations.size(); ++k) {
            const Size i = static_cast<Size>(iterations[k]), known = asked ? asked->history.size() : 0;
            // The end of a descent that stopped between two reported iterations is drawn at the second.
            const bool ends = i >= known && k > 0 && static_cast<Size>(iterations[k - 1]) + 1 < known;
            r.descent.push_back(i < known ? asked->history[i] : ends ? asked->history.back() : kNone);
        }
    }
    r.exponent = exponentOf(r);
    return r;
}

OptimumOptions randomStarts(const Params& p) {
    OptimumOptions options;
    options.start = OptimumStart::Random;
    options.seed = p.seed;
    options.restarts = p.restarts;
    options.iterations = p.iterations;
    return options;
}

/// Cheap things first: all optima, full connection, then the random starts from few channels to many.
Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    const LinearTask task = predictionTask(linear::processOf(p), lengthOf(p));
    std::vector<Point> points;
    double all = 0;
    for (const int channels : channelsOf(p)) {
        auto model = modelOf(p, channels);
        const auto rank = static_cast<double>(model->exactRank()), parameters = static_cast<double>(model->parameters());
        points.push_back({channels, std::move(model), rank, parameters});
        all += parameters + 500;
    }
    std::optional<double> fullyConnected;
    /// To its end; `before` and `share`: how far the whole computation is, and what this search is of it.
    const auto search = [&](const LinearModel& model, const OptimumOptions& options, std::optional<Reached>& reached, double before,
                            double share) {
        OptimumSearch search(model, task, options);
        reached.emplace();
        const auto note = [&] {
            reached->loss = search.loss();
            reached->history = search.history();
        };
        while (search.step()) {
            progress.tick((before + share * search.progress()) / all);
            progress.partial([&] {
                note();
                return resultOf(p, task, points, fullyConnected);
            });
        }
        note();
        return search.weights();
    };
    double done = 0;
    for (Size i = 0; i < points.size(); ++i) {
        Point& point = points[i];
        OptimumOptions best;
        // Trees take a dozen iterations; recurrent units up to forty each, until they can no longer be told apart.
        best.iterations = recurrent(p) ? 60 + 40 * std::min(point.channels, 40) : 240;
        const double share = random(p) ? 0 : point.parameters + 500;
        Vector weights = search(*point.model, best, point.optimum, done, share);
        done += share;
        if (recurrent(p)) {
            point.best = std::move(weights);
            if (i > 0 && points[i - 1].optimum->loss < point.optimum->loss) takeOver(task, points[i - 1], point);
            weights = point.best;
        }
        point.numericalRank = check(p, task, point, weights, *point.optimum);
    }
    fullyConnected = findOptimum(FullModel(lengthOf(p)), task, randomStarts(p)).loss;
    if (random(p))
        for (Point& point : points) {
            const double share = point.parameters + 500;
            check(p, task, point, search(*point.model, randomStarts(p), point.random, done, share), *point.random);
            done += share;
        }
    return resultOf(p, task, points, fullyConnected);
}

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const double n = static_cast<double>(lengthOf(p));
    Cost cost{0, 1e6};
    for (const int channels : channelsOf(p)) {
        const double c = channels, rank = std::min(n, 2 * c);
        const double weights = recurrent(p) ? 3 * c : parameterCount(dilatedTree(p.layers, 2, channels));
        cost.operations += linear::optimumCost(p, *modelOf(p, channels), {});
        if (recurrent(p) || rank < n) cost.operations += 10 * n * n * std::min(weights, 2 * n);
        if (random(p)) cost.operations += p.restarts * lbfgsOperations(n, weights, p.iterations);
        cost.bytes = std::max(cost.bytes, weights * 8 * (random(p) ? 36 : 4) + 1e6);
    }
    return cost;
}

std::string channelsInWords(double c) { return inWords(c, 4) + (c == 1 ? " channel" : " channels"); }

/// Where random start and optimum, or the best found, are furthest apart.
std::string comparison(const Params& p, const Result& r) {
    std::optional<Size> worst;
    double largest = 1.001;
    for (Size i = 0; i < r.channels.size(); ++i) {
        const double ratio = r.loss[i] / std::max(r.lossOptimal[i], r.roundingLoss);
        if (ratio > largest) largest = ratio, worst = i;
    }
    const bool all = std::all_of(r.convergedOptimal.begin(), r.convergedOptimal.end(), [](double converged) { return converged == 1; });
    if (!worst)
        return std::string("L-BFGS from random weights comes ") + (all ? "down to the optimum" : "as low as the best found") +
               " everywhere.";
    const Size i = *worst;
    // An optimum only by its check. Powers of n different recurrent weights are an invertible Vandermonde matrix: n units reach any A*.
    const double loss = r.lossOptimal[i];
    const std::string value = loss <= r.roundingLoss ? "0" : powerInWords(std::log10(loss));
    const bool reachesAll = recurrent(p) && r.channels[i] >= p.length;
    const std::string best =
        r.convergedOptimal[i] == 1 ? "the optimum is " + value : "the best found is " + value + (reachesAll ? " and the optimum 0" : "");
    return "With " + channelsInWords(r.channels[i]) + " L-BFGS from random weights ends at a loss of " +
           powerInWords(std::log10(r.loss[i])) + " after " + inWords(r.iterationsTaken[i], 5) + " iterations, where " + best +
           (p.restarts > 1 ? ", the best of its restarts counted." : ".");
}

std::string summary(const Params& p, const Result& r) {
    const double n = static_cast<double>(lengthOf(p));
    const Size i = static_cast<Size>(std::find_if(r.totalCapacity.begin(), r.totalCapacity.end(), [n](double rank) { return rank >= n; }) -
                                     r.totalCapacity.begin());
    std::string text;
    if (i == r.channels.size()) {
        text = "With " + channelsInWords(r.channels.back()) + " the capacity is " + inWords(r.totalCapacity.back(), 6) +
               " of n = " + inWords(n) + ".";
    } else {
        text = "The capacity reaches n = " + inWords(n) + " with " + channelsInWords(r.channels[i]) + " and " +
               inWords(r.parameters[i], 6) + " weights";
        if (r.numericalRank[i] < n) text += ", of which double precision finds " + inWords(r.numericalRank[i]);
        text += ".";
    }
    const bool ended = std::none_of(r.optimality.begin(), r.optimality.end(), [](double check) { return std::isnan(check); });
    return random(p) && ended ? text + " " + comparison(p, r) : text;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "capacity-sweep",
     .title = "Capacity and channels",
     .claim = "Loss falls like a power law of the channels only because random starts stall: the optimum drops off a cliff.",
     .group = "Linear models",
     .icon = "000888 02244687",
     .source = "P2 Fig 4; P2 Fig 10; 5.1.2, 5.2",
     .lookAt = "Watch the losses arrive: from two channels on the search ends far above the optimum (hollow), until there are very many.",
     .tryThis = "Pull the last point to the right, up to 256 channels: more weights than needed make the optimiser's work easier.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"upTo", "channels", "channels", false, 1.2}});

}  // namespace capacity_sweep

Declaration capacity_sweep_declaration() { return declare(capacity_sweep::kScene); }
Model capacity_sweep_model() {
    return sceneModel<capacity_sweep::kScene, capacity_sweep::run, capacity_sweep::cost, capacity_sweep::summary>();
}

}  // namespace kappaflow
