// A linear model behind a feature map that acts on every input alone (P2 6.2): one model for every degree.
#include "scenes/feature_map/model_report.h"

namespace kappaflow {
namespace {

using namespace feature_map;

class FeatureMapComputation final : public Computation {
public:
    explicit FeatureMapComputation(const Request& request)
        : setup_(readSetup(request.params)),
          series_(
              setup_.members(), [this](std::size_t i) { return setup_.task(static_cast<int>(i) + 1); }, setup_.search),
          withNetwork_(request.withNetwork) {}

    bool step() override { return series_.step(); }
    double progress() const override { return series_.progress(); }
    Report report() const override {
        Report report = makeReport(setup_, series_);
        if (withNetwork_ && series_.finished()) series_.addNetwork(report, {static_cast<std::size_t>(setup_.degree - 1)});
        return report;
    }

private:
    Setup setup_;
    wide::SeriesRun series_;
    bool withNetwork_;
};

std::unique_ptr<Computation> start(const Request& request) { return std::make_unique<FeatureMapComputation>(request); }

}  // namespace

Model feature_map_model() { return {"feature-map", costOf, costliestOf, start}; }

}  // namespace kappaflow
