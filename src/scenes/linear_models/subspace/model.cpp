#include "scenes/linear_models/subspace/model_report.h"

namespace kappaflow {
namespace {

using namespace subspace;

/// All of it takes less than a millisecond: one slice.
class SubspaceComputation final : public Computation {
public:
    explicit SubspaceComputation(const Request& request) : values_(request.params) {}

    bool step() override {
        report_ = reportOf(values_);
        finished_ = true;
        return false;
    }
    double progress() const override { return finished_ ? 1 : 0; }
    Report report() const override { return report_; }

private:
    Values values_;
    Report report_;
    bool finished_ = false;
};

Cost costOf(const Request&) { return {2e6, 1e6}; }
std::string costliestOf(const Request&) { return "w"; }
std::unique_ptr<Computation> start(const Request& request) { return std::make_unique<SubspaceComputation>(request); }

}  // namespace

Model subspace_model() { return {"subspace", costOf, costliestOf, start}; }

}  // namespace kappaflow
