#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/linear/constraints.h"
#include "core/linear/optimum.h"
#include "core/linear/subspace.h"
#include "scene/filled_report.h"
#include "scenes/linear_models/declaration_linear.h"
#include "scenes/linear_models/model_task.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace contributions {
namespace {

using Layers = std::vector<std::size_t>;

/// A request read once and for all.
struct Setup {
    HierarchicalShape shape;
    GaussianProcess process;
    bool backward = false;
    std::vector<std::size_t> freeze;  ///< 0-based, rising, each once
    std::size_t draws = 1;
    std::uint64_t seed = 1;
    std::vector<std::string> warnings;

    /// All that are not frozen.
    std::vector<std::size_t> freeLayers() const;
};

/// What was found so far. Layers from the input up, lags from the newest.
struct Found {
    std::vector<double> weights;
    double loss = 0, optimality = 0;
    std::vector<ChainLink> chain, reverse, alone, marginal;  ///< empty before the analysis
    std::vector<double> chainExact, marginalExact;           ///< empty where counting would take too long
    std::vector<double> capacity;
    double exactRank = 0, rank = 0, freeCapacity = 0;
    std::vector<double> frozenLosses;
};

Layers range(std::size_t from, std::size_t to) {
    Layers layers(to - from);
    std::iota(layers.begin(), layers.end(), from);
    return layers;
}

/// Links of the blocks in an order, put back at their layers' places.
std::vector<ChainLink> chainOf(const std::vector<Matrix>& blocks, bool backward, Matrix& constraints) {
    CapacityChain chain(blocks.front().rows);
    std::vector<ChainLink> links(blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::size_t layer = backward ? blocks.size() - 1 - i : i;
        links[layer] = chain.add(blocks[layer]);
    }
    constraints = chain.constraints();
    return links;
}

ChainLink givenOthers(const std::vector<Matrix>& blocks, std::size_t layer) {
    CapacityChain chain(blocks.front().rows);
    for (std::size_t l = 0; l < blocks.size(); ++l)
        if (l != layer) chain.add(blocks[l]);
    return chain.add(blocks[layer]);
}

ChainLink byItself(const Matrix& block) { return CapacityChain(block.rows).add(block); }

void countExactly(const Setup& setup, const HierarchicalModel& model, Found& found) {
    const std::size_t layers = setup.shape.layers();
    const auto rank = [&](const Layers& free) { return free.empty() ? 0.0 : static_cast<double>(model.exactRank(free)); };
    const double all = rank(range(0, layers));
    for (std::size_t l = 0; l < layers; ++l) {
        const Layers before = setup.backward ? range(l + 1, layers) : range(0, l);
        const Layers with = setup.backward ? range(l, layers) : range(0, l + 1);
        found.chainExact.push_back(rank(with) - rank(before));
        Layers others = range(0, layers);
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(l));
        found.marginalExact.push_back(all - rank(others));
    }
}

double sumOf(const std::vector<ChainLink>& links) {
    double sum = 0;
    for (const ChainLink& link : links) sum += static_cast<double>(link.rank);
    return sum;
}

class Writer {
public:
    explicit Writer(const Found& found) : found(found), out("layer-contributions") {
        for (std::size_t l = 1; l <= found.chain.size(); ++l) layer.values.push_back(static_cast<double>(l));
    }
    void addLinks(const std::string& name, const std::vector<ChainLink>& links) {
        std::vector<double> rows, totals;
        for (const ChainLink& link : links) {
            const auto row = linear::newestFirst(link.capacity);
            rows.insert(rows.end(), row.begin(), row.end());
            totals.push_back(static_cast<double>(link.rank));
        }
        out.add(name, {layer, countedAxis("lag", found.capacity.size())}, std::move(rows));
        out.add(name + "Total", {layer}, std::move(totals));
    }
    void addSines() {
        double smallest = 1, dropped = 0;
        for (const auto* links : {&found.chain, &found.reverse, &found.marginal})
            for (const ChainLink& link : *links) {
                if (link.rank > 0) smallest = std::min(smallest, link.smallestSine);
                dropped = std::max(dropped, link.largestDropped);
            }
        out.add("smallestSine", smallest);
        out.add("largestDropped", dropped);
    }
    void addFrozen() {
        const auto best = std::min_element(found.frozenLosses.begin(), found.frozenLosses.end());
        out.add("frozenLossByDraw", {countedAxis("draw", found.frozenLosses.size())}, found.frozenLosses);
        out.add("frozenLoss", *best);
        out.add("freeLoss", found.loss);
    }

    const Found& found;
    FilledReport out;
    Axis layer{"layer", {}, {}};
};

std::string listed(const std::vector<std::size_t>& layers) {
    std::string text;
    for (std::size_t i = 0; i < layers.size(); ++i)
        text += (i == 0 ? "" : i + 1 == layers.size() ? " and " : ", ") + std::to_string(layers[i] + 1);
    return text;
}

std::string power(double value) { return value > 0 ? powerInWords(std::log10(value)) : "0"; }

std::string summaryOf(const Setup& setup, const Found& found) {
    std::vector<std::size_t> redundant;
    for (std::size_t l = 0; l < found.marginal.size(); ++l)
        if (found.marginal[l].rank == 0) redundant.push_back(l);
    std::string text = "The layers add ";
    const std::size_t layers = found.chain.size();
    for (std::size_t i = 0; i < layers; ++i)
        text += (i == 0 ? "" : i + 1 == layers ? " and " : ", ") + std::to_string(found.chain[setup.backward ? layers - 1 - i : i].rank);
    text += std::string(" to the capacity, ") + (setup.backward ? "from the highest down" : "from the lowest up") + ", in all " +
            inWords(found.rank, 6) + ". ";
    text += redundant.empty() ? "None is redundant."
                              : (redundant.size() == 1 ? "Redundant given all others is layer "
                                                       : "Redundant given all others, each by itself, are layers ") +
                                    listed(redundant) + ".";
    if (found.frozenLosses.empty()) return text;
    const double frozen = *std::min_element(found.frozenLosses.begin(), found.frozenLosses.end());
    return text + " With " + (setup.freeze.size() == 1 ? "layer " : "layers ") + listed(setup.freeze) +
           " frozen at random the others have capacity " + inWords(found.freeCapacity, 6) + " and reach a loss of " + power(frozen) +
           "; all together reach " + power(found.loss) + ".";
}

std::vector<std::size_t> Setup::freeLayers() const {
    std::vector<std::size_t> layers;
    for (std::size_t l = 0; l < shape.layers(); ++l)
        if (std::find(freeze.begin(), freeze.end(), l) == freeze.end()) layers.push_back(l);
    return layers;
}

Setup readSetup(const Values& v) {
    Setup setup;
    setup.shape = linear::treeShape(v, v.integer("channels"));
    setup.process = linear::processOf(v);
    setup.backward = v.is("order", "backward");
    setup.draws = static_cast<std::size_t>(v.number("draws"));
    setup.seed = v.seed();
    for (const double number : v.list("freeze")) {
        const auto layer = static_cast<std::size_t>(std::lround(number)) - 1;
        if (layer >= setup.shape.layers())
            setup.warnings.push_back("There is no layer " + std::to_string(layer + 1) + " to freeze.");
        else if (std::find(setup.freeze.begin(), setup.freeze.end(), layer) == setup.freeze.end())
            setup.freeze.push_back(layer);
    }
    std::sort(setup.freeze.begin(), setup.freeze.end());
    if (setup.freeze.size() < setup.shape.layers()) return setup;
    setup.warnings.push_back("One layer must be left to learn: layer " + std::to_string(setup.freeze.back() + 1) + " is.");
    setup.freeze.pop_back();
    return setup;
}

/// Whether ranks of parts of the layers are counted modulo 2³¹ − 1 too.
bool countsExactly(const Setup& setup) {
    const double n = receptiveField(setup.shape), p = parameterCount(setup.shape);
    return n * p * std::min(n, p) <= 2e7 && n * p <= kMaxJacobianEntries;
}

void analyseLayers(const Setup& setup, const HierarchicalModel& model, const LinearTask& task, Found& found) {
    const auto blocks = layerConstraints(model, found.weights, task.covariance);
    Matrix together, again;
    found.chain = chainOf(blocks, setup.backward, together);
    found.reverse = chainOf(blocks, !setup.backward, again);
    for (std::size_t l = 0; l < blocks.size(); ++l) {
        found.alone.push_back(byItself(blocks[l]));
        found.marginal.push_back(givenOthers(blocks, l));
    }
    found.capacity = linear::newestFirst(capacityPerInput(together));
    found.rank = sumOf(found.chain);
    found.exactRank = static_cast<double>(model.exactRank());
    found.optimality = optimality(constraints(model, found.weights, task.covariance), task, model.response(found.weights));
    if (countsExactly(setup)) countExactly(setup, model, found);
    if (!setup.freeze.empty()) found.freeCapacity = static_cast<double>(model.exactRank(setup.freeLayers()));
}

Report reportOf(const Setup& setup, const Found& found, bool finished) {
    Report report;
    if (!found.chain.empty()) {
        Writer writer(found);
        writer.addLinks("chain", found.chain);
        writer.addLinks("chainReverse", found.reverse);
        writer.addLinks("alone", found.alone);
        writer.addLinks("marginal", found.marginal);
        if (!found.chainExact.empty()) {
            writer.out.add("chainTotalExact", {writer.layer}, found.chainExact);
            writer.out.add("marginalTotalExact", {writer.layer}, found.marginalExact);
        }
        std::vector<double> redundant;
        for (const ChainLink& link : found.marginal) redundant.push_back(link.rank == 0 ? 1 : 0);
        writer.out.add("redundant", {writer.layer}, std::move(redundant));
        writer.out.add("capacity", {countedAxis("lag", found.capacity.size())}, found.capacity);
        writer.out.add("totalCapacity", found.exactRank);
        writer.out.add("numericalRank", found.rank);
        writer.out.add("loss", found.loss);
        writer.out.add("optimality", found.optimality);
        writer.addSines();
        if (!setup.freeze.empty()) {
            writer.out.add("freeCapacity", found.freeCapacity);
            writer.out.add("frozenMarginal", found.exactRank - found.freeCapacity);
        }
        if (!found.frozenLosses.empty()) writer.addFrozen();
        report = std::move(writer.out.report);
        report.summary = summaryOf(setup, found);
    }
    report.warnings = setup.warnings;
    report.status = finished ? Status::Ok : Status::Partial;
    report.message = finished ? "" : "Optima are still being looked for.";
    return report;
}

constexpr int kIterationsPerSlice = 4;
/// Alternating rounds and damped steps that a frozen optimum may take.
constexpr int kFrozenIterations = 150;

/// The optimum of all layers, then the chains, then one optimum for every drawing of the frozen layers.
class Contributions final : public Computation {
public:
    explicit Contributions(const Request& request)
        : setup_(readSetup(request.params)), model_(setup_.shape), task_(predictionTask(setup_.process, model_.length())) {
        begin({});
        jobs_ = 2 + (setup_.freeze.empty() ? 0 : setup_.draws);
    }

    bool step() override {
        if (done_ == 1)
            analyse();
        else
            search();
        return done_ < jobs_;
    }
    double progress() const override {
        const double part = search_ ? search_->progress() : 0;
        return done_ == jobs_ ? 1 : (static_cast<double>(done_) + 0.99 * part) / static_cast<double>(jobs_);
    }
    Report report() const override { return reportOf(setup_, found_, done_ == jobs_); }

private:
    void begin(OptimumOptions options) {
        options.seed = setup_.seed;
        search_ = std::make_unique<OptimumSearch>(model_, task_, std::move(options));
    }
    void beginFrozen() {
        OptimumOptions options;
        options.freeLayers = setup_.freeLayers();
        // Draws far from those of the starting weights.
        options.weights = model_.randomWeights(setup_.seed, 1000 + found_.frozenLosses.size());
        options.iterations = kFrozenIterations;
        begin(std::move(options));
    }
    void search() {
        for (int i = 0; i < kIterationsPerSlice; ++i)
            if (!search_->step()) return finish();
    }
    void finish() {
        if (done_ == 0) {
            found_.weights = linear::fillUnusedChannels(model_, search_->weights(), setup_.seed);
            found_.loss = search_->loss();
        } else {
            found_.frozenLosses.push_back(search_->loss());
        }
        search_.reset();
        if (++done_ > 1 && done_ < jobs_) beginFrozen();
    }
    void analyse() {
        analyseLayers(setup_, model_, task_, found_);
        if (++done_ < jobs_) beginFrozen();
    }

    Setup setup_;
    HierarchicalModel model_;
    LinearTask task_;
    std::unique_ptr<OptimumSearch> search_;
    Found found_;
    std::size_t done_ = 0, jobs_ = 2;
};

Cost costOf(const Request& request) {
    const Values& v = request.params;
    if (!linear::oversized(v).empty()) return {1e12, 1e9};
    const Setup setup = readSetup(v);
    const HierarchicalModel model(setup.shape);
    const double n = static_cast<double>(model.length()), p = static_cast<double>(model.parameters()),
                 layers = static_cast<double>(setup.shape.layers());
    const double columns = std::min(p, n);
    Cost cost{1e6 + layers * (120 * n * n * n + 20 * n * n * columns), 2e6 + 400 * p + 100 * n * n + 40 * n * p + 60 * layers * n};
    cost.operations += linear::optimumCost(model, {});
    if (countsExactly(setup)) cost.operations += 12 * layers * n * p * columns;
    if (setup.freeze.empty()) return cost;
    OptimumOptions frozen;
    frozen.freeLayers = setup.freeLayers();
    frozen.iterations = kFrozenIterations;
    cost.operations += static_cast<double>(setup.draws) * linear::optimumCost(model, frozen);
    return cost;
}

std::string costliestOf(const Request& request) {
    const Values& v = request.params;
    if (const std::string key = linear::oversized(v); !key.empty()) return key;
    for (const auto& [key, less] : {std::pair<const char*, double>{"draws", 1}, {"channels", 4}}) {
        Request fewer = request;
        fewer.params.set(key, std::min(less, v.number(key)));
        if (costOf(fewer).operations <= kCostLimit.operations) return key;
    }
    return v.is("dilation", "list") ? "dilations" : "layers";
}

std::unique_ptr<Computation> startContributions(const Request& request) { return std::make_unique<Contributions>(request); }

}  // namespace
}  // namespace contributions

Model layer_contributions_model() {
    return stepwise<contributions::costOf, contributions::costliestOf, contributions::startContributions>("layer-contributions");
}

}  // namespace kappaflow
