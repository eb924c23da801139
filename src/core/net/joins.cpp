#include "core/net/joins.h"

#include <algorithm>
#include <cassert>

#include "core/base/portable_math.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// First unit of operand k among those of a Concat.
Size offsetOf(std::span<const MatrixView> operands, Size k) {
    Size offset = 0;
    for (Size i = 0; i < k; ++i) offset += operands[i].rows;
    return offset;
}

/// Sizes of a MatMul: every channel's [n][k]·[k][m].
struct Matrices {
    Size channels, n, k, m;
    explicit Matrices(const Layer& layer)
        : channels(static_cast<Size>(layer.in.channels)),
          n(static_cast<Size>(layer.in.height)),
          k(static_cast<Size>(layer.in.width)),
          m(static_cast<Size>(layer.out.width)) {}
    Size first(Size c, Size row, Size inner) const { return (c * n + row) * k + inner; }
    Size second(Size c, Size inner, Size column) const { return (c * k + inner) * m + column; }
    Size result(Size c, Size row, Size column) const { return (c * n + row) * m + column; }
    /// Calls visit(unit of the result, of the first operand, of the second) for every product of two numbers.
    template <class Visit>
    void eachProduct(Visit visit) const {
        for (Size c = 0; c < channels; ++c)
            for (Size row = 0; row < n; ++row)
                for (Size inner = 0; inner < k; ++inner)
                    for (Size column = 0; column < m; ++column)
                        visit(result(c, row, column), first(c, row, inner), second(c, inner, column));
    }
};

/// `each` numbers of `to` for every sample gain those of `change` times the sample's factor.
void addTimes(double* to, const double* factor, const double* change, Size samples, Size each) {
    for (Size s = 0; s < samples; ++s)
        for (Size t = 0; t < each; ++t) to[s * each + t] += factor[s] * change[s * each + t];
}

/// Product of all operands but one, at a unit.
std::vector<double> factorsOf(std::span<const MatrixView> operands, Size without, Size unit) {
    std::vector<double> factors(operands[0].columns, 1.0);
    for (Size other = 0; other < operands.size(); ++other)
        for (Size s = 0; other != without && s < factors.size(); ++s) factors[s] *= operands[other].data[unit * factors.size() + s];
    return factors;
}

}  // namespace

void applyJoin(const Layer& layer, std::span<const MatrixView> operands, double* y) {
    assert(operands.size() == layer.reads.size());
    const Size samples = operands[0].columns, numbers = layer.out.units() * samples;
    if (const auto* sum = layer.getIf<Sum>()) {
        for (Size i = 0; i < numbers; ++i) y[i] = sum->scales[0] * operands[0].data[i];
        for (Size k = 1; k < operands.size(); ++k)
            for (Size i = 0; i < numbers; ++i) y[i] += sum->scales[k] * operands[k].data[i];
    } else if (layer.is<Product>()) {
        std::copy_n(operands[0].data, numbers, y);
        for (Size k = 1; k < operands.size(); ++k)
            for (Size i = 0; i < numbers; ++i) y[i] *= operands[k].data[i];
    } else if (layer.is<Concat>()) {
        for (const MatrixView& x : operands) y = std::copy_n(x.data, x.rows * samples, y);
    } else {
        assert(layer.is<MatMul>());
        std::fill_n(y, numbers, 0.0);
        Matrices(layer).eachProduct([&](Size out, Size a, Size b) {
            for (Size s = 0; s < samples; ++s)
                y[out * samples + s] += operands[0].data[a * samples + s] * operands[1].data[b * samples + s];
        });
    }
}

void pullJoin(const Layer& layer, std::span<const MatrixView> operands, Size k, const double* g, double* pulled) {
    const Size samples = operands[k].columns, units = operands[k].rows;
    if (const auto* sum = layer.getIf<Sum>()) {
        for (Size i = 0; i < units * samples; ++i) pulled[i] = sum->scales[k] * g[i];
    } else if (layer.is<Concat>()) {
        std::copy_n(g + offsetOf(operands, k) * samples, units * samples, pulled);
    } else if (layer.is<Product>()) {
        for (Size i = 0; i < units; ++i) {
            const std::vector<double> factors = factorsOf(operands, k, i);
            for (Size s = 0; s < samples; ++s) pulled[i * samples + s] = factors[s] * g[i * samples + s];
        }
    } else {
        assert(layer.is<MatMul>());
        std::fill_n(pulled, units * samples, 0.0);
        const double* other = operands[1 - k].data;
        Matrices(layer).eachProduct([&](Size out, Size a, Size b) {
            const Size own = k == 0 ? a : b, factor = k == 0 ? b : a;
            for (Size s = 0; s < samples; ++s) pulled[own * samples + s] += g[out * samples + s] * other[factor * samples + s];
        });
    }
}

void addJoinTangents(const Layer& layer, std::span<const MatrixView> operands, Size k, const Matrix& change, Matrix& sum) {
    const Size samples = operands[k].columns, each = change.columns / samples;
    assert(change.rows == operands[k].rows && sum.rows == layer.out.units() && sum.columns == change.columns);
    if (const auto* weighted = layer.getIf<Sum>()) {
        for (Size i = 0; i < change.values.size(); ++i) sum.values[i] += weighted->scales[k] * change.values[i];
    } else if (layer.is<Concat>()) {
        double* const to = sum.row(offsetOf(operands, k));
        for (Size i = 0; i < change.values.size(); ++i) to[i] += change.values[i];
    } else if (layer.is<Product>()) {
        for (Size i = 0; i < change.rows; ++i) addTimes(sum.row(i), factorsOf(operands, k, i).data(), change.row(i), samples, each);
    } else {
        assert(layer.is<MatMul>());
        const MatrixView& other = operands[1 - k];
        Matrices(layer).eachProduct([&](Size out, Size a, Size b) {
            addTimes(sum.row(out), other.data + (k == 0 ? b : a) * samples, change.row(k == 0 ? a : b), samples, each);
        });
    }
}

Batch applyRoute(const Layer& layer, const Batch& x) {
    const std::vector<int>& route = layer.as<Route>().route;
    Batch y(layer.out.units(), x.columns);
    for (Size i = 0; i < y.rows; ++i)
        if (route[i] >= 0) std::copy_n(x.row(static_cast<Size>(route[i])), x.columns, y.row(i));
    return y;
}

Batch pullRoute(const Layer& layer, const Batch& g) {
    const std::vector<int>& route = layer.as<Route>().route;
    Batch pulled(layer.in.units(), g.columns);
    for (Size i = 0; i < g.rows; ++i) {
        if (route[i] < 0) continue;
        double* const to = pulled.row(static_cast<Size>(route[i]));
        for (Size s = 0; s < g.columns; ++s) to[s] += g(i, s);
    }
    return pulled;
}

Batch applySoftmax(const Layer& layer, const Batch& x) {
    const Size width = static_cast<Size>(layer.in.width);
    Batch y = x;
    for (Size first = 0; first < y.rows; first += width)
        for (Size s = 0; s < y.columns; ++s) {
            double largest = y(first, s), total = 0;
            for (Size i = first + 1; i < first + width; ++i) largest = std::max(largest, y(i, s));
            for (Size i = first; i < first + width; ++i) total += y(i, s) = portableExp(y(i, s) - largest);
            for (Size i = first; i < first + width; ++i) y(i, s) /= total;
        }
    return y;
}

Batch softmaxTangents(const Layer& layer, const Batch& x, const Batch& tangents) {
    const Size width = static_cast<Size>(layer.in.width), each = tangents.columns / x.columns;
    const Batch y = applySoftmax(layer, x);
    Batch out(tangents.rows, tangents.columns);
    for (Size first = 0; first < y.rows; first += width)
        for (Size column = 0; column < tangents.columns; ++column) {
            double mean = 0;
            for (Size i = first; i < first + width; ++i) mean += y(i, column / each) * tangents(i, column);
            for (Size i = first; i < first + width; ++i) out(i, column) = y(i, column / each) * (tangents(i, column) - mean);
        }
    return out;
}

Batch pullSoftmax(const Layer& layer, const Batch& x, const Batch& g) { return softmaxTangents(layer, x, g); }

}  // namespace kappaflow
