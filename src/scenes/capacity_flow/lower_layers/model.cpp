#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "scenes/capacity_flow/lower_layers/model_report.h"

namespace kappaflow {
namespace {

using namespace lower;

/// First the paths, then a network an activation, then their samples side by side, so that all of them grow on screen.
class LowerLayersComputation final : public Computation {
public:
    explicit LowerLayersComputation(const Request& request)
        : setup_(readSetup(request.params)), stops_(stopsOf(setup_)), withNetwork_(request.withNetwork) {}

    bool step() override {
        ++done_;
        if (!paths_)
            paths_ = pathRanks(setup_);
        else if (runs_.size() < setup_.activations.size())
            addRun();
        else
            sample();
        return done_ < steps();
    }
    double progress() const override { return static_cast<double>(done_) / static_cast<double>(steps()); }
    Report report() const override {
        Report report = rounds_ > 0 ? reportOf({setup_, *paths_, runs_, stops_, rounds_, withNetwork_}) : Report{};
        report.status = done_ < steps() ? Status::Partial : Status::Ok;
        report.message = done_ < steps() ? "The Jacobians are still being sampled." : "";
        return report;
    }

    /// Of the first activation.
    std::shared_ptr<const Network> network() const override { return std::make_shared<Network>(runs_.front()->network); }

private:
    std::size_t steps() const { return 1 + setup_.activations.size() * (1 + stops_.size()); }
    void addRun() {
        auto run = std::make_unique<SampledNetwork>(setup_, setup_.activations[runs_.size()]);
        run->units = scaleUnits(run->network, setup_.deviation, setup_.seed);
        run->onePiece = onePieceUnits(run->network, std::min<std::size_t>(setup_.inputs, kInputsForPieces), setup_.deviation, setup_.seed);
        runs_.push_back(std::move(run));
    }
    void sample() {
        const Stop& stop = stops_[rounds_];
        runs_[next_]->sampleTo(stop.inputs, stop.look);
        if (++next_ < runs_.size()) return;
        next_ = 0;
        ++rounds_;
    }

    Setup setup_;
    std::vector<Stop> stops_;
    bool withNetwork_;
    std::optional<PathRanks> paths_;
    std::vector<std::unique_ptr<SampledNetwork>> runs_;
    std::size_t done_ = 0, rounds_ = 0, next_ = 0;
};

Cost costOf(const Request& request) {
    const Setup setup = readSetup(request.params);
    const double p = setup.parameters(), paths = setup.paths(), rows = setup.widths.back(),
                 networks = static_cast<double>(setup.activations.size());
    double looks = 0;
    for (const Stop& stop : stopsOf(setup)) looks += stop.look ? 1 : 0;
    const double inputs = static_cast<double>(setup.inputs), units = setup.hiddenUnits();
    // A forward pass through a tree visits every position of every layer: at most as many weight uses as there are paths.
    const double pass = 60 * (setup.convolution ? paths : p) + 500;
    const double elimination = 6 * paths * p * std::min(paths, p), decompositions = 50 * p * p * p * (1 + networks * looks);
    const double sampling = networks * (inputs * (3 * rows * p * p + (1 + rows) * pass) + (inputs + units * kFactors * kPlaces) * pass);
    return {1e6 + elimination + 2 * paths * p * p + decompositions + sampling,
            1e6 + paths * (p * 28 + 100) + networks * (p * p * 60 + units * kFactors * kPlaces * 32)};
}

/// More inputs than the default are what costs, or else the network.
std::string costliestOf(const Request& request) {
    Request fewer = request;
    fewer.params.set("inputsTried", 3000.0);
    const Cost cost = costOf(request), lowered = costOf(fewer);
    const bool inputs = cost.bytes <= kCostLimit.bytes && lowered.operations < 0.5 * cost.operations;
    return inputs ? "inputsTried" : "architecture";
}

std::unique_ptr<Computation> startLowerLayers(const Request& request) { return std::make_unique<LowerLayersComputation>(request); }

}  // namespace

Model lower_layers_model() { return {"lower-layers", costOf, costliestOf, startLowerLayers}; }

}  // namespace kappaflow
