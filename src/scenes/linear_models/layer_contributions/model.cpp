#include <algorithm>
#include <cmath>
#include <optional>

#include "scenes/linear_models/layer_contributions/model_report.h"
#include "scenes/linear_models/model_cost.h"
#include "scenes/linear_models/model_gauge.h"

namespace kappaflow {
namespace {

using namespace contributions;

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

Model layer_contributions_model() { return {"layer-contributions", costOf, costliestOf, startContributions}; }

}  // namespace kappaflow
