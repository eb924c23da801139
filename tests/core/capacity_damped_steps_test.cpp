#include "core/linear/damped_steps.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/linalg/decompositions.h"
#include "support/matrices.h"

using namespace kappaflow;

namespace {

using Vector = std::vector<double>;

/// δ of (JᵀJ + damping·I) δ = −Jᵀ r, the slow obvious way.
Vector normalEquations(const Matrix& J, const Vector& r, double damping) {
    Matrix normal = transposedProduct(J, J);
    for (std::size_t i = 0; i < normal.rows; ++i) normal(i, i) += damping;
    const Matrix inverse = pseudoInverse(normal).inverse;
    Vector step = product(inverse, transposedProduct(J, Matrix(r.size(), 1, r))).values;
    for (double& value : step) value = -value;
    return step;
}

/// y = a e^{−b t} through eight points.
class Exponential final : public LeastSquares {
public:
    Exponential() { moveTo({1, 1}); }
    Linearised linearised() override {
        Matrix J(8, 2);
        for (std::size_t t = 0; t < 8; ++t) {
            const double decay = std::exp(-values[1] * static_cast<double>(t));
            J(t, 0) = decay;
            J(t, 1) = -static_cast<double>(t) * values[0] * decay;
        }
        return linearise(J, residual(values));
    }
    double lossAt(const Vector& at) override {
        double sum = 0;
        for (double r : residual(at)) sum += r * r;
        return sum;
    }
    void moveTo(Vector at) override {
        values = std::move(at);
        loss = lossAt(values);
    }

private:
    static Vector residual(const Vector& at) {
        Vector r(8);
        for (std::size_t t = 0; t < 8; ++t)
            r[t] = at[0] * std::exp(-at[1] * static_cast<double>(t)) - 3 * std::exp(-0.2 * static_cast<double>(t));
        return r;
    }
};

TEST_CASE("damped steps are those of the normal equations, for tall, wide and deficient Jacobians") {
    Matrix deficient = product(gaussianMatrix(9, 2, 5), gaussianMatrix(2, 6, 6));
    for (const Matrix& J : {gaussianMatrix(9, 4, 1), gaussianMatrix(4, 9, 2), deficient}) {
        const Vector r = gaussianMatrix(J.rows, 1, 3).values;
        for (double damping : {0.0, 1e-3, 10.0}) {
            CAPTURE(damping);
            const Vector step = dampedStep(linearise(J, r), damping), expected = normalEquations(J, r, damping);
            for (std::size_t i = 0; i < step.size(); ++i) CHECK(step[i] == doctest::Approx(expected[i]).epsilon(1e-8));
        }
    }
}

TEST_CASE("what no step reaches is left out of the residual, and no more") {
    const Matrix J = gaussianMatrix(6, 3, 7);
    const Vector r = gaussianMatrix(6, 1, 8).values;
    const Linearised at = linearise(J, r);
    CHECK(at.residual.size() == 3);
    // ‖Qᵀr‖² = rᵀ J (JᵀJ)⁻¹ Jᵀ r.
    const Vector slope = transposedProduct(J, Matrix(6, 1, r)).values, step = normalEquations(J, r, 0);
    double expected = 0, found = 0;
    for (std::size_t i = 0; i < 3; ++i) expected -= slope[i] * step[i];
    for (double value : at.residual) found += value * value;
    CHECK(found == doctest::Approx(expected).epsilon(1e-12));
    CHECK(linearise(Matrix(6, 3), r).residual.empty());
}

TEST_CASE("Levenberg and Marquardt's steps find an exponential, never raising the loss, and then stop") {
    Exponential problem;
    DampedSteps steps;
    double before = problem.loss;
    int count = 0;
    while (count < 100 && steps.step(problem, 1e-28)) {
        CHECK(problem.loss <= before);
        before = problem.loss;
        ++count;
    }
    CHECK(count < 100);
    CHECK(problem.values[0] == doctest::Approx(3).epsilon(1e-10));
    CHECK(problem.values[1] == doctest::Approx(0.2).epsilon(1e-10));
}

}  // namespace
