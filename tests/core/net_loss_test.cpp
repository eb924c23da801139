#include <doctest/doctest.h>

#include <cmath>

#include "core/net/trainer.h"
#include "support/matrices.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

/// Distributions over the rows, or one probability each.
Matrix probabilities(std::size_t outputs, std::size_t samples) {
    Matrix t = gaussianMatrix(outputs, samples, 3);
    for (std::size_t s = 0; s < samples; ++s) {
        double sum = 0;
        for (std::size_t i = 0; i < outputs; ++i) sum += t(i, s) *= t(i, s);
        for (std::size_t i = 0; i < outputs; ++i) t(i, s) /= outputs == 1 ? 1 + sum : sum;
    }
    return t;
}

}  // namespace

TEST_CASE("losses of known outputs are those of their formulas") {
    CHECK(lossOf(Loss::MeanSquare, Matrix(2, 1, {3, 1}), Matrix(2, 1, {0, 0})) == 5);
    CHECK(lossOf(Loss::MeanSquare, Matrix(1, 2, {3, 1}), Matrix(1, 2, {0, 0})) == 2.5);
    CHECK(lossOf(Loss::CrossEntropy, Matrix(1, 1, {0.0}), Matrix(1, 1, {1.0})) == doctest::Approx(std::log(2)).epsilon(1e-15));
    CHECK(lossOf(Loss::CrossEntropy, Matrix(1, 1, {-2.0}), Matrix(1, 1, {1.0})) ==
          doctest::Approx(std::log(1 + std::exp(2))).epsilon(1e-14));
    CHECK(lossOf(Loss::CrossEntropy, Matrix(4, 1, {7, 7, 7, 7}), Matrix(4, 1, {0, 0, 1, 0})) ==
          doctest::Approx(std::log(4)).epsilon(1e-15));
}

TEST_CASE("a softmax of two outputs is the logistic of their difference") {
    const Matrix y = gaussianMatrix(2, 20, 1);
    const Matrix p = probabilities(1, 20);
    Matrix t(2, 20), difference(1, 20), gradient, single;
    for (std::size_t s = 0; s < 20; ++s) t(0, s) = 1 - p(0, s), t(1, s) = p(0, s), difference(0, s) = y(1, s) - y(0, s);
    CHECK(lossOf(Loss::CrossEntropy, y, t, &gradient) ==
          doctest::Approx(lossOf(Loss::CrossEntropy, difference, p, &single)).epsilon(1e-14));
    for (std::size_t s = 0; s < 20; ++s) CHECK(gradient(1, s) == doctest::Approx(single(0, s)).epsilon(1e-12));
}

TEST_CASE("a loss's gradient is its finite difference") {
    for (const Loss loss : {Loss::MeanSquare, Loss::CrossEntropy})
        for (const std::size_t outputs : {1, 2, 5}) {
            CAPTURE(outputs);
            Matrix y = gaussianMatrix(outputs, 6, 2), gradient;
            const Matrix t = probabilities(outputs, 6);
            lossOf(loss, y, t, &gradient);
            for (std::size_t i = 0; i < y.values.size(); ++i) {
                const double at = y.values[i], h = 1e-5;
                y.values[i] = at + h;
                const double above = lossOf(loss, y, t);
                y.values[i] = at - h;
                const double below = lossOf(loss, y, t);
                y.values[i] = at;
                CHECK(std::abs((above - below) / (2 * h) - gradient.values[i]) < 1e-9);
            }
        }
}

TEST_CASE("cross entropy stays finite where its exponentials do not, and says so of outputs that are none") {
    Matrix gradient;
    CHECK(lossOf(Loss::CrossEntropy, Matrix(1, 1, {1e5}), Matrix(1, 1, {0.0}), &gradient) == 1e5);
    CHECK(gradient(0, 0) == 1);
    CHECK(lossOf(Loss::CrossEntropy, Matrix(2, 1, {1e5, -1e5}), Matrix(2, 1, {0, 1})) == 2e5);
    CHECK_FALSE(std::isfinite(lossOf(Loss::CrossEntropy, Matrix(1, 1, {NAN}), Matrix(1, 1, {0.0}))));
    CHECK_FALSE(std::isfinite(lossOf(Loss::CrossEntropy, Matrix(2, 1, {INFINITY, 0}), Matrix(2, 1, {0, 1}))));
    CHECK_FALSE(std::isfinite(lossOf(Loss::MeanSquare, Matrix(1, 1, {INFINITY}), Matrix(1, 1, {0.0}))));
}

TEST_CASE("accuracy is the share of the largest outputs in the right place, the first of equal ones counting") {
    CHECK(accuracyOf(Loss::CrossEntropy, Matrix(1, 4, {1, -1, 0, 2}), Matrix(1, 4, {1, 1, 0, 0})) == 0.5);
    CHECK(accuracyOf(Loss::MeanSquare, Matrix(1, 4, {1, -1, 0, 2}), Matrix(1, 4, {1, 1, -1, -1})) == 0.5);
    CHECK(accuracyOf(Loss::CrossEntropy, Matrix(2, 2, {5, 1, 5, 2}), Matrix(2, 2, {1, 0, 0, 1})) == 1);
}

TEST_CASE("class labels become targets that fit the outputs") {
    CHECK(classTargets(Loss::MeanSquare, {0, 1, 1}, 2, 1).values == std::vector<double>{-1, 1, 1});
    CHECK(classTargets(Loss::CrossEntropy, {0, 1, 1}, 2, 1).values == std::vector<double>{0, 1, 1});
    CHECK(classTargets(Loss::CrossEntropy, {2, 0}, 3, 3).values == std::vector<double>{0, 1, 0, 0, 1, 0});
    for (const auto& [classes, outputs] : {std::pair<int, std::size_t>{3, 1}, {3, 2}, {1, 1}, {0, 4}})
        CHECK(isOneSentence(refusal([c = classes, o = outputs] { classTargets(Loss::CrossEntropy, {0}, c, o); })));
    CHECK(isOneSentence(refusal([] { classTargets(Loss::CrossEntropy, {0, 2}, 2, 1); })));
    CHECK(isOneSentence(refusal([] { classTargets(Loss::CrossEntropy, {-1}, 2, 2); })));
}
