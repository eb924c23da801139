#include <cmath>

#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/householder.h"
#include "core/linear/damped_steps.h"
#include "core/linear/optimum.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Units left over beside one that does almost the same.
constexpr double kDistinct = 1e-12;

/// The loss as a function of the recurrent weights alone, the gains in·out being the best beside them (variable projection, Golub and
/// Pereyra 1973, with Kaufman's Jacobian): residual r = (I − QQᵀ)b, Q a basis of the columns CᵀV, V_τj = rec_j^τ, b = CᵀA*.
class Projected final : public LeastSquares {
public:
    explicit Projected(const LinearTask& task) : factor_(choleskyFactor(task.covariance.dense())), target_(weighted(task.target)) {
        moveTo({});
    }
    Linearised linearised() override {
        Matrix jacobian(target_.size(), values.size());
        for (Size j = 0; j < values.size(); ++j) {
            const Vector column = unreached(weighted(slopes(values[j])), basis_);
            for (Size i = 0; i < column.size(); ++i) jacobian(i, j) = column[i] * gains_[j];
        }
        return linearise(jacobian, residual_);
    }
    double lossAt(const Vector& recurrent) override {
        const Vector residual = residualBeside(basisOf(recurrent));
        return orderedDot(residual, residual);
    }
    void moveTo(Vector recurrent) override {
        values = std::move(recurrent);
        basis_ = basisOf(values);
        residual_ = residualBeside(basis_);
        loss = orderedDot(residual_, residual_);
        gains_ = values.empty() ? Vector() : bestGains();
    }
    /// CᵀV of one unit, of norm 1.
    Vector columnOf(double recurrent) const {
        Vector column = weighted(powers(recurrent));
        const double norm = std::sqrt(orderedDot(column, column));
        for (double& entry : column) entry /= norm;
        return column;
    }
    /// How far the loss would fall by one unit more with this column.
    double promiseOf(const Vector& column) const {
        const Vector rest = unreached(column, basis_);
        const double left = orderedDot(rest, rest), along = orderedDot(rest, residual_);
        return left > kDistinct ? along * along / left : 0;
    }
    const Vector& gains() const { return gains_; }

private:
    Size length() const { return factor_.rows; }
    /// rec^τ, oldest first.
    Vector powers(double recurrent) const {
        Vector column(length());
        double power = 1;
        for (Size i = length(); i-- > 0; power *= recurrent) column[i] = power;
        return column;
    }
    Vector slopes(double recurrent) const {
        Vector column(length());
        double power = 1;
        for (Size lag = 1; lag < length(); ++lag, power *= recurrent) column[length() - 1 - lag] = static_cast<double>(lag) * power;
        return column;
    }
    /// Cᵀx.
    Vector weighted(const Vector& x) const {
        Vector y(x.size());
        for (Size i = 0; i < x.size(); ++i)
            for (Size j = 0; j <= i; ++j) y[j] += factor_(i, j) * x[i];
        return y;
    }
    /// Of norm 1: a growing unit's would drown the others'.
    struct Columns {
        Matrix units;
        Vector norms;
    };
    Columns columnsOf(const Vector& recurrent) const {
        Columns columns{Matrix(length(), recurrent.size()), {}};
        for (Size j = 0; j < recurrent.size(); ++j) {
            const Vector column = weighted(powers(recurrent[j]));
            columns.norms.push_back(std::sqrt(orderedDot(column, column)));
            for (Size i = 0; i < column.size(); ++i) columns.units(i, j) = column[i] / columns.norms[j];
        }
        return columns;
    }
    Matrix basisOf(const Vector& recurrent) const {
        return recurrent.empty() ? Matrix(length(), 0) : pivotedBasis(columnsOf(recurrent).units, 1e-13);
    }
    /// Twice, so that what is left is orthogonal to rounding.
    static Vector unreached(Vector x, const Matrix& basis) {
        for (int pass = 0; pass < 2; ++pass) {
            const Vector along = transposedProduct(basis, Matrix(x.size(), 1, x)).values;
            for (Size i = 0; i < x.size(); ++i) x[i] -= orderedDot(basis.row(i), along.data(), along.size());
        }
        return x;
    }
    /// r = Vg − b at the best gains.
    Vector residualBeside(const Matrix& basis) const {
        Vector rest = unreached(target_, basis);
        for (double& entry : rest) entry = -entry;
        return rest;
    }
    Vector bestGains() const {
        Vector negative = target_;
        for (double& entry : negative) entry = -entry;
        const Columns columns = columnsOf(values);
        Vector gains = dampedStep(linearise(columns.units, negative), 0);
        for (Size j = 0; j < gains.size(); ++j) gains[j] /= columns.norms[j];
        return gains;
    }

    Matrix factor_, basis_;
    Vector target_, residual_, gains_;
};

struct Candidate {
    double recurrent;
    Vector column;
};

/// Recurrent weights tried for a new unit: decays over 1/10 … 10n positions, of either sign, and growths that n keeps in bounds.
Vector triedWeights(Size n) {
    constexpr int kSteps = 90;
    const double shortest = 0.1, longest = 10.0 * static_cast<double>(n), slowest = 0.1 * static_cast<double>(n);
    Vector tried;
    for (int k = 0; k <= kSteps; ++k) {
        const double time = shortest * portableExp(k * portableLog(longest / shortest) / kSteps), rate = portableExp(-1 / time);
        tried.push_back(rate);
        tried.push_back(-rate);
        if (time > slowest) tried.push_back(1 / rate);
    }
    return tried;
}

/// Damped steps before the next unit: more bring little, fewer end in worse places.
constexpr int kStepsBetween = 40;

/// One unit after another where it lowers the loss most, and damped steps of all of them after each.
class RecurrentDescent final : public Descent {
public:
    RecurrentDescent(const RecurrentModel& model, const LinearTask& task)
        : model_(model), task_(task), floor_(roundingLoss(task)), at_(task), weights_(3 * model.channels()) {
        report();
    }
    bool step() override {
        if (!moved()) return false;
        report();
        return true;
    }
    const Vector& weights() const override { return weights_; }
    double loss() const override { return loss_; }

private:
    bool moved() {
        const bool last = full_ || at_.values.size() == model_.channels(), settle = last || sinceUnit_++ < kStepsBetween;
        if ((settle && !at_.values.empty() && steps_.step(at_, floor_)) || (loss_ > floor_ && addUnit())) return true;
        // No unit more helps: those that are there go on to their rest.
        if (last || settle || !(loss_ > floor_)) return false;
        full_ = true;
        return steps_.step(at_, floor_);
    }
    bool addUnit() {
        if (full_ || at_.values.size() == model_.channels()) return false;
        if (tried_.empty())
            for (double candidate : triedWeights(model_.length())) tried_.push_back({candidate, at_.columnOf(candidate)});
        double best = 0, recurrent = 0;
        for (const auto& candidate : tried_)
            if (const double promise = at_.promiseOf(candidate.column); promise > best) best = promise, recurrent = candidate.recurrent;
        if (!(best > 0)) return false;
        Vector values = at_.values;
        values.push_back(recurrent);
        if (!(at_.lossAt(values) < at_.loss)) return false;
        at_.moveTo(std::move(values));
        steps_ = {};
        sinceUnit_ = 0;
        return true;
    }
    /// Weights in and out of equal size; units that there was no use for listen but do not speak.
    void report() {
        const Size c = model_.channels();
        for (Size j = 0; j < c; ++j) {
            const bool used = j < at_.values.size();
            const double gain = used ? at_.gains()[j] : 0, in = std::sqrt(std::abs(gain));
            weights_[j] = used ? in : 1;
            weights_[c + j] = used ? at_.values[j] : -1 + 2 * (static_cast<double>(j) + 0.5) / static_cast<double>(c);
            weights_[2 * c + j] = gain < 0 ? -in : in;
        }
        loss_ = taskLoss(task_, model_.response(weights_));
    }

    const RecurrentModel& model_;
    const LinearTask& task_;
    double floor_, loss_ = 0;
    std::vector<Candidate> tried_;
    Projected at_;
    DampedSteps steps_;
    int sinceUnit_ = 0;
    bool full_ = false;  ///< no unit more lowers the loss
    Vector weights_;
};

}  // namespace

std::unique_ptr<Descent> recurrentDescent(const RecurrentModel& model, const LinearTask& task) {
    return std::make_unique<RecurrentDescent>(model, task);
}

}  // namespace kappaflow
