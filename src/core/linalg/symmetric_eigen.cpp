#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/errors.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/householder.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

struct Tridiagonal {
    Vector diagonal, below;  ///< below[i] couples i and i + 1; the last is 0
};

// One Householder step: v with (I − τ v vᵀ) x = (±|x|, 0, …), v[0] = 1. τ = 0 when x is a multiple of the first axis already.
double householder(Vector& x, double& first) {
    double tail = 0;
    for (Size i = 1; i < x.size(); ++i) tail += x[i] * x[i];
    first = x[0];
    if (tail == 0) return 0;
    const double norm = std::sqrt(x[0] * x[0] + tail);
    first = x[0] > 0 ? -norm : norm;
    const double pivot = x[0] - first, tau = -pivot / first;
    for (Size i = 1; i < x.size(); ++i) x[i] /= pivot;
    x[0] = 1;
    return tau;
}

// A ← H A H on rows and columns from `from` on, H = I − τ v vᵀ: A −= v wᵀ + w vᵀ with w = τ A v − ½ τ² (vᵀ A v) v.
void reflectBothSides(Matrix& a, Size from, const Vector& v, double tau) {
    const Size m = v.size();
    Vector w(m);
    double vw = 0;
    for (Size i = 0; i < m; ++i) {
        w[i] = tau * orderedDot(a.row(from + i) + from, v.data(), m);
        vw += w[i] * v[i];
    }
    for (Size i = 0; i < m; ++i) w[i] -= 0.5 * tau * vw * v[i];
    for (Size i = 0; i < m; ++i) {
        double* row = a.row(from + i) + from;
        for (Size j = 0; j < m; ++j) row[j] -= v[i] * w[j] + w[i] * v[j];
    }
}

// Q ← H Q on rows from `from` on.
void reflectRows(Matrix& q, Size from, const Vector& v, double tau) {
    Vector sums(q.columns);
    for (Size i = 0; i < v.size(); ++i)
        for (Size j = 0; j < q.columns; ++j) sums[j] += v[i] * q(from + i, j);
    for (Size i = 0; i < v.size(); ++i)
        for (Size j = 0; j < q.columns; ++j) q(from + i, j) -= tau * v[i] * sums[j];
}

/// A = Qᵀ T Q with rows of Q orthonormal.
Tridiagonal tridiagonalise(Matrix a, Matrix& q) {
    const Size n = a.rows;
    Tridiagonal t{Vector(n), Vector(n)};
    std::vector<Vector> reflectors(n);
    Vector taus(n);
    for (Size k = 0; k + 1 < n; ++k) {
        Vector v(n - k - 1);
        for (Size i = 0; i < v.size(); ++i) v[i] = a(k + 1 + i, k);
        taus[k] = householder(v, t.below[k]);
        if (taus[k] != 0) reflectBothSides(a, k + 1, v, taus[k]);
        reflectors[k] = std::move(v);
    }
    for (Size i = 0; i < n; ++i) t.diagonal[i] = a(i, i);
    // A = H_0 H_1 … T … H_1 H_0: the product is built from its small end, rows being what the QL rotations combine. Reflections
    // are their own transposes, so Qᵀ = H_0 H_1 … gives Q's rows as the transpose at the end.
    Matrix product = identityMatrix(n);
    for (Size k = n; k-- > 0;)
        if (taus[k] != 0) reflectRows(product, k + 1, reflectors[k], taus[k]);
    q = transposed(product);
    return t;
}

void rotateRows(double* upper, double* lower, Size count, double c, double s) {
    for (Size k = 0; k < count; ++k) {
        const double f = lower[k], e = upper[k];
        lower[k] = s * e + c * f;
        upper[k] = c * e - s * f;
    }
}

// One implicit QL step with Wilkinson's shift on the unreduced block l … m.
void qlStep(Tridiagonal& t, Size l, Size m, Matrix& q) {
    auto& d = t.diagonal;
    auto& e = t.below;
    double g = (d[l + 1] - d[l]) / (2 * e[l]);
    double r = std::sqrt(g * g + 1);
    g = d[m] - d[l] + e[l] / (g + (g >= 0 ? r : -r));
    double s = 1, c = 1, p = 0;
    for (Size i = m; i-- > l;) {
        const double f = s * e[i], b = c * e[i];
        r = std::sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) {
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotateRows(q.row(i), q.row(i + 1), q.columns, c, s);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

void diagonalise(Tridiagonal& t, Matrix& q) {
    const Size n = t.diagonal.size();
    // Couplings are negligible against their neighbours, or against the whole matrix: graded blocks at rounding level would
    // otherwise be iterated on for digits that A's entries do not hold.
    double scale = 0;
    for (Size i = 0; i < n; ++i) scale = std::max(scale, std::abs(t.diagonal[i]) + std::abs(t.below[i]));
    const double tiny = std::numeric_limits<double>::epsilon();
    for (Size l = 0; l < n; ++l)
        for (int step = 0;; ++step) {
            Size m = l;
            while (m + 1 < n) {
                const double near = std::abs(t.diagonal[m]) + std::abs(t.diagonal[m + 1]);
                if (std::abs(t.below[m]) <= tiny * std::max(near, 0.1 * scale)) break;
                ++m;
            }
            if (m == l) break;
            if (step == 60) throw InputError("An eigenvalue did not converge; the matrix holds numbers too far apart in size.");
            qlStep(t, l, m, q);
        }
}

}  // namespace

SymmetricEigen symmetricEigen(const Matrix& a) {
    assert(a.rows == a.columns);
    for (double value : a.values)
        if (!std::isfinite(value)) throw InputError("A matrix to be decomposed holds a number that is not finite.");
    Matrix q;
    auto t = tridiagonalise(a, q);
    diagonalise(t, q);
    std::vector<Size> order(a.rows);
    std::iota(order.begin(), order.end(), Size{0});
    std::sort(order.begin(), order.end(),
              [&](Size i, Size j) { return t.diagonal[i] != t.diagonal[j] ? t.diagonal[i] < t.diagonal[j] : i < j; });
    SymmetricEigen result{{}, Matrix(a.rows, a.rows)};
    for (Size k = 0; k < order.size(); ++k) {
        result.values.push_back(t.diagonal[order[k]]);
        for (Size i = 0; i < a.rows; ++i) result.vectors(i, k) = q(order[k], i);
    }
    return result;
}

}  // namespace kappaflow
