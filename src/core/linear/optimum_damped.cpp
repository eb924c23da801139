#include "core/linalg/decompositions.h"
#include "core/linear/damped_steps.h"
#include "core/linear/free_weights.h"
#include "core/linear/optimum_descents.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Residual Cᵀ(A − A*), Σ = C Cᵀ, its squared norm the loss, beside the weights that move.
class WeightedResidual final : public LeastSquares {
public:
    WeightedResidual(const LinearModel& model, const LinearTask& task, Vector start, const std::vector<Size>& freeLayers)
        : model_(model), task_(task), free_(model, std::move(start), freeLayers), factor_(choleskyFactor(task.covariance.dense())) {
        moveTo(free_.values());
    }
    Linearised linearised() override { return linearisedIn(free_, values); }
    /// In other weights than those that move, from the same place.
    Linearised linearisedIn(FreeWeights& some, const Vector& at) const {
        const Matrix jacobian = some.columnsOf(model_.jacobian(some.with(at)));
        const Vector error = taskError(task_, response_);
        return linearise(transposedProduct(factor_, jacobian), transposedProduct(factor_, Matrix(error.size(), 1, error)).values);
    }
    double lossAt(const Vector& at) override { return taskLoss(task_, model_.response(free_.with(at))); }
    void moveTo(Vector at) override {
        values = std::move(at);
        response_ = model_.response(free_.with(values));
        loss = taskLoss(task_, response_);
    }
    const Vector& weights() { return free_.with(values); }

private:
    const LinearModel& model_;
    const LinearTask& task_;
    FreeWeights free_;
    Matrix factor_;
    Vector response_;
};

class DampedDescent final : public Descent {
public:
    DampedDescent(const LinearModel& model, const LinearTask& task, Vector start, const std::vector<Size>& freeLayers)
        : floor_(roundingLoss(task)), at_(model, task, std::move(start), freeLayers) {}
    bool step() override { return steps_.step(at_, floor_); }
    const Vector& weights() const override { return at_.weights(); }
    double loss() const override { return at_.loss; }

private:
    double floor_;
    mutable WeightedResidual at_;
    DampedSteps steps_;
};

class AlternatingDescent final : public Descent {
public:
    AlternatingDescent(const LinearModel& model, const LinearTask& task, Vector start, const std::vector<Size>& freeLayers)
        : model_(model), floor_(roundingLoss(task)), turns_(freeLayers), at_(model, task, std::move(start), {}) {
        for (Size l = 0; freeLayers.empty() && l < model.layers().size(); ++l) turns_.push_back(l);
    }
    bool step() override {
        if (!(at_.loss > floor_) || stalls_ >= turns_.size()) return false;
        FreeWeights layer(model_, at_.weights(), {turns_[turn_++ % turns_.size()]});
        Vector wanted = layer.values();
        const Linearised here = at_.linearisedIn(layer, wanted);
        if (here.residual.empty()) return ++stalls_ < turns_.size();
        const Vector change = dampedStep(here, 0);
        for (Size i = 0; i < wanted.size(); ++i) wanted[i] += change[i];
        const Vector all = layer.with(wanted);
        const double before = at_.loss;
        if (at_.lossAt(all) <= before) at_.moveTo(all);
        stalls_ = at_.loss < before * (1 - 1e-12) ? 0 : stalls_ + 1;
        return true;
    }
    const Vector& weights() const override { return at_.weights(); }
    double loss() const override { return at_.loss; }

private:
    const LinearModel& model_;
    double floor_;
    std::vector<Size> turns_;
    mutable WeightedResidual at_;
    Size turn_ = 0, stalls_ = 0;
};

}  // namespace

std::unique_ptr<Descent> dampedDescent(const LinearModel& model, const LinearTask& task, Vector start,
                                       const std::vector<Size>& freeLayers) {
    return std::make_unique<DampedDescent>(model, task, std::move(start), freeLayers);
}

std::unique_ptr<Descent> alternatingDescent(const LinearModel& model, const LinearTask& task, Vector start,
                                            const std::vector<Size>& freeLayers) {
    return std::make_unique<AlternatingDescent>(model, task, std::move(start), freeLayers);
}

}  // namespace kappaflow
