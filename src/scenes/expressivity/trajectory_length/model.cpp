#include "scenes/expressivity/trajectory_length/model_report.h"

namespace kappaflow {
namespace {

using namespace trajectory_length;

class TrajectoryComputation final : public Computation {
public:
    explicit TrajectoryComputation(const Request& request) : request_(request), setup_(readSetup(request)), progress_(setup_) {}

    bool step() override {
        finished_ = !progress_.advance();
        return !finished_;
    }
    double progress() const override { return finished_ ? 1 : progress_.share(); }
    Report report() const override { return reportOf(setup_, progress_, finished_); }
    std::shared_ptr<const Network> network() const override { return std::make_shared<Network>(networkOf(request_)); }

private:
    Request request_;
    Setup setup_;
    Progress progress_;
    bool finished_ = false;
};

std::unique_ptr<Computation> start(const Request& request) { return std::make_unique<TrajectoryComputation>(request); }

}  // namespace

Model trajectory_length_model() { return {"trajectory-length", costOf, costliestOf, start}; }

}  // namespace kappaflow
