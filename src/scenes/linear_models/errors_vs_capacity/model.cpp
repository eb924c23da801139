#include "scenes/linear_models/errors_vs_capacity/model_report.h"

namespace kappaflow {
namespace {

using namespace errors_vs_capacity;

class ErrorsComputation final : public Computation {
public:
    explicit ErrorsComputation(const Request& request) : run_(request.params) {}

    bool step() override { return !(finished_ = !run_.advance()); }
    double progress() const override { return finished_ ? 1 : run_.progress(); }
    Report report() const override { return reportOf(run_, finished_); }

private:
    DrawRun run_;
    bool finished_ = false;
};

std::unique_ptr<Computation> start(const Request& request) { return std::make_unique<ErrorsComputation>(request); }

}  // namespace

Model errors_vs_capacity_model() { return {"errors-vs-capacity", costOf, costliestOf, start}; }

}  // namespace kappaflow
