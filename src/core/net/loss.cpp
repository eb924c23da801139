#include "core/net/loss.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"

namespace kappaflow {
namespace {

double halfSquares(const Matrix& y, const Matrix& t, Matrix* gradient, double perSample) {
    double sum = 0;
    for (std::size_t i = 0; i < y.values.size(); ++i) {
        const double difference = y.values[i] - t.values[i];
        sum += difference * difference;
        if (gradient) gradient->values[i] = difference * perSample;
    }
    return sum / 2;
}

double logistic(const Matrix& y, const Matrix& t, Matrix* gradient, double perSample) {
    double sum = 0;
    for (std::size_t s = 0; s < y.values.size(); ++s) {
        sum += portableSoftplus(y.values[s]) - t.values[s] * y.values[s];
        if (gradient) gradient->values[s] = (portableSigmoid(y.values[s]) - t.values[s]) * perSample;
    }
    return sum;
}

double softmax(const Matrix& y, const Matrix& t, Matrix* gradient, double perSample) {
    double sum = 0;
    std::vector<double> e(y.rows);
    for (std::size_t s = 0; s < y.columns; ++s) {
        double top = y(0, s), total = 0, cross = 0, weight = 0;
        for (std::size_t i = 1; i < y.rows; ++i) top = std::max(top, y(i, s));
        for (std::size_t i = 0; i < y.rows; ++i) {
            total += e[i] = portableExp(y(i, s) - top);
            cross += t(i, s) * (y(i, s) - top);
            weight += t(i, s);
        }
        sum += weight * portableLog(total) - cross;
        if (!gradient) continue;
        for (std::size_t i = 0; i < y.rows; ++i) (*gradient)(i, s) = (weight * (e[i] / total) - t(i, s)) * perSample;
    }
    return sum;
}

/// The largest of a column; one output counts as y against `middle`.
std::size_t classOf(const Matrix& m, std::size_t s, double middle) {
    if (m.rows == 1) return m(0, s) > middle ? 1 : 0;
    std::size_t best = 0;
    for (std::size_t i = 1; i < m.rows; ++i)
        if (m(i, s) > m(best, s)) best = i;
    return best;
}

}  // namespace

double lossOf(Loss loss, const Matrix& outputs, const Matrix& targets, Matrix* gradient) {
    assert(outputs.rows == targets.rows && outputs.columns == targets.columns && outputs.columns > 0);
    if (gradient && (gradient->rows != outputs.rows || gradient->columns != outputs.columns))
        *gradient = Matrix(outputs.rows, outputs.columns);
    const double samples = static_cast<double>(outputs.columns), perSample = 1 / samples;
    if (loss == Loss::MeanSquare) return halfSquares(outputs, targets, gradient, perSample) / samples;
    // portableLog is not made for what a diverging network puts out.
    for (const double y : outputs.values)
        if (!std::isfinite(y)) return std::nan("");
    return (outputs.rows == 1 ? logistic : softmax)(outputs, targets, gradient, perSample) / samples;
}

double accuracyOf(Loss loss, const Matrix& outputs, const Matrix& targets) {
    assert(outputs.rows == targets.rows && outputs.columns == targets.columns && outputs.columns > 0);
    const double middle = loss == Loss::CrossEntropy ? 0.5 : 0;
    std::size_t right = 0;
    for (std::size_t s = 0; s < outputs.columns; ++s) right += classOf(outputs, s, 0) == classOf(targets, s, middle);
    return static_cast<double>(right) / static_cast<double>(outputs.columns);
}

Matrix classTargets(Loss loss, const std::vector<int>& labels, int classes, std::size_t outputs) {
    const bool single = outputs == 1;
    if (classes < 2 || (single ? classes != 2 : static_cast<std::size_t>(classes) > outputs))
        throw InputError("A network with " + std::to_string(outputs) + (single ? " output" : " outputs") + " cannot tell " +
                         std::to_string(classes) + " classes apart.");
    Matrix targets(outputs, labels.size());
    for (std::size_t s = 0; s < labels.size(); ++s) {
        const int label = labels[s];
        if (label < 0 || label >= classes) throw InputError("Sample " + std::to_string(s + 1) + " has a label that is no class.");
        if (single)
            targets(0, s) = label == 1 ? 1 : loss == Loss::CrossEntropy ? 0 : -1;
        else
            targets(static_cast<std::size_t>(label), s) = 1;
    }
    return targets;
}

}  // namespace kappaflow
