#include "scenes/expressivity/remaining_depth/model_report.h"

namespace kappaflow {
namespace {

using namespace remaining_depth;

class DepthComputation final : public Computation {
public:
    explicit DepthComputation(const Request& request) : run_(request) {}

    bool step() override {
        finished_ = !run_.advance();
        return !finished_;
    }
    double progress() const override { return finished_ ? 1 : run_.progress(); }
    Report report() const override { return reportOf(run_, finished_); }
    std::shared_ptr<const Network> network() const override { return run_.network(); }

private:
    Run run_;
    bool finished_ = false;
};

std::unique_ptr<Computation> startDepth(const Request& request) { return std::make_unique<DepthComputation>(request); }

}  // namespace

Model remaining_depth_model() { return {"remaining-depth", costOf, costliestOf, startDepth}; }

}  // namespace kappaflow
