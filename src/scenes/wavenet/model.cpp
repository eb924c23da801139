// Tiled against repeated dilations (P2 App. C): stacks of 1 … R repeats, each at weights found for the same task.
#include "scenes/linear_models/model_task.h"
#include "scenes/wavenet/model_report.h"

namespace kappaflow {
namespace {

using namespace wavenet;

class WavenetComputation final : public Computation {
public:
    explicit WavenetComputation(const Request& request)
        : setup_(readSetup(request.params)),
          process_(linear::processOf(request.params)),
          series_(
              setup_.members(), [this](std::size_t i) { return predictionTask(process_, setup_.inputs(setup_.timesOf(i))); },
              setup_.search),
          withNetwork_(request.withNetwork) {}

    bool step() override { return series_.step(); }
    double progress() const override { return series_.progress(); }
    Report report() const override {
        Report report = makeReport(setup_, series_);
        if (!withNetwork_ || !series_.finished()) return report;
        std::vector<std::size_t> members{setup_.memberOf(0, setup_.repeats)};
        if (setup_.arrangements() > 1) members.push_back(setup_.memberOf(1, setup_.repeats));
        series_.addNetwork(report, members);
        return report;
    }

private:
    Setup setup_;
    GaussianProcess process_;
    wide::SeriesRun series_;
    bool withNetwork_;
};

std::unique_ptr<Computation> start(const Request& request) { return std::make_unique<WavenetComputation>(request); }

}  // namespace

Model wavenet_model() { return {"wavenet", costOf, costliestOf, start}; }

}  // namespace kappaflow
