#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/linalg/decompositions.h"
#include "core/linear/linear_task.h"
#include "support/matrices.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

Vector powers(double alpha, Size n) { return autocovariance({.kind = ProcessKind::PowerLaw, .alpha = alpha}, n); }

std::vector<InputCovariance> covariances() {
    return {InputCovariance(powers(0.5, 9)), InputCovariance(std::vector<Vector>{powers(0.3, 6), powers(0.7, 6), powers(2, 6)}),
            featureCovariance(FeatureFamily::Hermite, 3, powers(0.5, 5)), featureCovariance(FeatureFamily::Fourier, 2, powers(0.5, 5))};
}

/// E f g of a standard normal pair of correlation c: trapezium rule, exact to rounding for smooth functions.
template <typename F, typename G>
double pairMoment(F&& f, G&& g, double c) {
    const double step = 0.25, rest = std::sqrt(1 - c * c);
    double sum = 0;
    for (double u = -9; u <= 9; u += step) {
        const double weighted = f(u) * std::exp(-u * u / 2);
        for (double v = -9; v <= 9; v += step) sum += weighted * g(c * u + rest * v) * std::exp(-v * v / 2);
    }
    return sum * step * step / (2 * std::acos(-1.0));
}

}  // namespace

TEST_CASE("Σ is its blocks, its products are those of the dense matrix, and its eigenvectors diagonalise it") {
    for (const auto& covariance : covariances()) {
        const auto dense = covariance.dense();
        const Size n = covariance.inputs(), d = covariance.components();
        CHECK(largestDifference(dense, transposed(dense)) == 0);
        CHECK(dense(d, 2 * d - 1) == covariance.at(0, d - 1, 0));
        const auto M = gaussianMatrix(n, 5, 3);
        CHECK(largestDifference(covariance.times(M), slowProduct(dense, M)) < 1e-13);
        Vector x(n);
        for (Size i = 0; i < n; ++i) x[i] = M(i, 2);
        const auto y = covariance.times(x);
        CHECK(largestDifference(y, slowProduct(dense, Matrix(n, 1, x)).values) < 1e-13);
        CHECK(covariance.quadratic(x) == doctest::Approx(std::inner_product(x.begin(), x.end(), y.begin(), 0.0)));
        const auto eigen = covarianceEigenvectors(covariance);
        auto scaled = eigen.vectors;
        for (Size i = 0; i < n; ++i)
            for (Size k = 0; k < n; ++k) scaled(i, k) *= eigen.values[k];
        CHECK(largestDifference(slowProduct(dense, eigen.vectors), scaled) < 1e-12);
        CHECK(largestDifference(slowProduct(transposed(eigen.vectors), eigen.vectors), identityMatrix(n)) < 1e-12);
        CHECK(std::is_sorted(eigen.values.rbegin(), eigen.values.rend()));
    }
}

TEST_CASE("the target of several components solves Σ A* = r, and v* is what no predictor removes") {
    for (const auto& covariance : covariances()) {
        const auto task = predictionTask(covariance);
        const Size n = covariance.length(), d = covariance.components();
        Vector r(n * d);
        for (Size i = 0; i < r.size(); ++i)
            for (Size m = 0; m < d; ++m) r[i] += covariance.at(i % d, m, n - i / d) / std::sqrt(static_cast<double>(d));
        CHECK(largestDifference(covariance.times(task.target), r) < 1e-12);
        CHECK(task.lowerBound > 0);
        CHECK(task.lowerBound == doctest::Approx(task.variance - std::inner_product(r.begin(), r.end(), task.target.begin(), 0.0)));
        CHECK(taskLoss(task, task.target) == 0);
        // Error of any other predictor, from the definition: variance − 2 aᵀr + aᵀΣa = v* + L.
        Vector a(n * d);
        for (Size i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<double>(i));
        const double error = task.variance - 2 * std::inner_product(a.begin(), a.end(), r.begin(), 0.0) + covariance.quadratic(a);
        CHECK(task.lowerBound + taskLoss(task, a) == doctest::Approx(error));
        const auto slope = taskSlope(task, a);
        for (Size i = 0; i < a.size(); ++i) {
            auto up = a, down = a;
            up[i] += 0.5, down[i] -= 0.5;
            CHECK(slope[i] == doctest::Approx(taskLoss(task, up) - taskLoss(task, down)).epsilon(1e-11));
        }
    }
}

TEST_CASE("two independent components have the reference's target") {
    const auto c = reference("case_08_multidim_features.json");
    const auto task = predictionTask(c["alphas"].get<Vector>(), 8);
    CHECK(largestDifference(task.target, c["Astar_flat"].get<Vector>()) < 1e-12);
    CHECK(componentExponents(1) == Vector{0.5});
    CHECK(largestDifference(componentExponents(5), {0.3, 0.4, 0.5, 0.6, 0.7}) < 1e-15);
}

TEST_CASE("features have the covariances of their integrals, mean 0 and variance 1") {
    for (const auto family : {FeatureFamily::Hermite, FeatureFamily::Fourier}) {
        const int degree = family == FeatureFamily::Hermite ? 4 : 2;
        const Size count = featureCount(family, degree);
        CHECK(featureNames(family, degree).size() == count);
        const Vector c{1, 0.6, -0.4, 0.05};
        const auto covariance = featureCovariance(family, degree, c);
        for (Size k = 0; k < count; ++k) {
            const auto f = [&](double y) { return featureValue(family, k, y); };
            CHECK(std::abs(pairMoment(
                      f, [](double) { return 1.0; }, 0)) < 1e-12);
            for (Size m = 0; m < count; ++m)
                for (Size lag = 0; lag < c.size(); ++lag)
                    CHECK(std::abs(covariance.at(k, m, lag) - pairMoment(
                                                                  f, [&](double y) { return featureValue(family, m, y); }, c[lag])) <
                          1e-11);
        }
    }
    CHECK(predictionTask(featureCovariance(FeatureFamily::Hermite, kMaxFeatureDegree, powers(0.5, 16))).lowerBound > 0);
    CHECK(predictionTask(featureCovariance(FeatureFamily::Fourier, kMaxFeatureDegree, powers(0.5, 16))).lowerBound > 0);
}

TEST_CASE("targets and covariances that fit nothing are refused in a sentence") {
    const auto task = predictionTask(GaussianProcess{}, 4);
    const auto sentence = [&](Vector target) { return refusal([&] { withTarget(task, target); }); };
    CHECK(sentence({1, 2, 3, 4}).empty());
    CHECK(sentence({1, 2, 3}).find("4 inputs") != std::string::npos);
    CHECK(sentence({1, 2, std::nan(""), 4}).find("Coefficient 3") != std::string::npos);
    CHECK(isOneSentence(sentence({1, 2, 3, INFINITY})));
    CHECK(isOneSentence(refusal([&] { taskLoss(task, {1}); })));
    CHECK(isOneSentence(refusal([] { InputCovariance(Vector{}); })));
    CHECK(isOneSentence(refusal([] { InputCovariance(Vector{1}); })));
    CHECK(isOneSentence(refusal([] { InputCovariance(Vector{1, std::nan("")}); })));
    CHECK(isOneSentence(refusal([] { InputCovariance(std::vector<Vector>{}); })));
    CHECK(isOneSentence(refusal([] { InputCovariance(std::vector<Vector>{{1, 0}, {1, 0, 0}}); })));
    CHECK(isOneSentence(refusal([&] { task.covariance.times(Matrix(3, 1)); })));
    CHECK(isOneSentence(refusal([&] { task.covariance.times(Vector{1}); })));
    // Two components that are one and the same.
    const Vector c = powers(0.5, 4);
    CHECK(isOneSentence(refusal([&] { predictionTask(InputCovariance(2, {c, c, c, c})); })));
    CHECK(isOneSentence(refusal([] { predictionTask(Vector{}, 4); })));
    for (const int degree : {-1, 0, 9}) CHECK(isOneSentence(refusal([&] { featureCovariance(FeatureFamily::Hermite, degree, {1, 0}); })));
    CHECK(isOneSentence(refusal([] { featureCovariance(FeatureFamily::Hermite, 2, {2, 0}); })));
}
