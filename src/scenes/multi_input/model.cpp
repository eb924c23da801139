// Several inputs at every position (P2 6.1): stacks with more and more channels, and the same ratio of channels to inputs.
#include "scenes/multi_input/model_report.h"

namespace kappaflow {
namespace {

using namespace multi_input;

class MultiInputComputation final : public Computation {
public:
    explicit MultiInputComputation(const Request& request)
        : setup_(readSetup(request.params)),
          series_(
              setup_.members(), [this](std::size_t i) { return predictionTask(setup_.exponents(setup_.componentsOf(i)), setup_.length()); },
              setup_.search),
          withNetwork_(request.withNetwork) {}

    bool step() override { return series_.step(); }
    double progress() const override { return series_.progress(); }
    Report report() const override {
        Report report = makeReport(setup_, series_);
        if (withNetwork_ && series_.finished()) series_.addNetwork(report, {setup_.channels.size() - 1});
        return report;
    }

private:
    Setup setup_;
    wide::SeriesRun series_;
    bool withNetwork_;
};

std::unique_ptr<Computation> start(const Request& request) { return std::make_unique<MultiInputComputation>(request); }

}  // namespace

Model multi_input_model() { return {"multi-input", costOf, costliestOf, start}; }

}  // namespace kappaflow
