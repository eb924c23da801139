#include "scenes/expressivity/training_tradeoff/model_report.h"

namespace kappaflow {
namespace {

using namespace training_tradeoff;

class TradeoffComputation final : public Computation {
public:
    explicit TradeoffComputation(std::unique_ptr<Run> run) : run_(std::move(run)) {}

    bool step() override {
        finished_ = !run_->advance();
        return !finished_;
    }
    double progress() const override { return finished_ ? 1 : run_->progress(); }
    Report report() const override { return reportOf(*run_, finished_); }
    bool reusable() const override { return true; }
    std::shared_ptr<const Network> network() const override { return std::make_shared<Network>(run_->network()); }
    std::unique_ptr<Run> takeRun() { return std::move(run_); }

private:
    std::unique_ptr<Run> run_;
    bool finished_ = false;
};

std::unique_ptr<Computation> startTradeoff(const Request& request) {
    return std::make_unique<TradeoffComputation>(std::make_unique<Run>(request));
}

std::unique_ptr<Computation> resumeTradeoff(const Request& request, std::unique_ptr<Computation> previous) {
    std::unique_ptr<Run> run = static_cast<TradeoffComputation&>(*previous).takeRun();
    if (!run || !run->continues(request)) return startTradeoff(request);
    return std::make_unique<TradeoffComputation>(std::move(run));
}

}  // namespace

Model training_tradeoff_model() { return {"training-tradeoff", costOf, costliestOf, startTradeoff, resumeTradeoff}; }

}  // namespace kappaflow
