#include "core/linalg/limited_memory_bfgs.h"
#include "core/linear/free_weights.h"
#include "core/linear/optimum_descents.h"

namespace kappaflow {
namespace {

using Vector = std::vector<double>;

class LbfgsDescent final : public Descent {
public:
    LbfgsDescent(const LinearModel& model, const LinearTask& task, Vector start, const std::vector<std::size_t>& freeLayers)
        : free_(model, std::move(start), freeLayers),
          floor_(roundingLoss(task)),
          search_(free_.values(), [&model, &task, this](const Vector& values, Vector& gradient) {
              const Vector& weights = free_.with(values);
              const Vector response = model.response(weights);
              free_.pick(model.gradient(weights, taskSlope(task, response)), gradient);
              return taskLoss(task, response);
          }) {}
    bool step() override { return search_.value() > floor_ && search_.step(); }
    const Vector& weights() const override { return free_.with(search_.point()); }
    double loss() const override { return search_.value(); }

private:
    mutable FreeWeights free_;
    double floor_;
    LimitedMemoryBfgs search_;
};

}  // namespace

std::unique_ptr<Descent> lbfgsDescent(const LinearModel& model, const LinearTask& task, Vector start,
                                      const std::vector<std::size_t>& freeLayers) {
    model.response(start);  // refuses weights of a wrong number, or not finite, before the objective may not throw
    return std::make_unique<LbfgsDescent>(model, task, std::move(start), freeLayers);
}

double roundingLoss(const LinearTask& task) { return 1e-28 * task.covariance.quadratic(task.target); }

}  // namespace kappaflow
