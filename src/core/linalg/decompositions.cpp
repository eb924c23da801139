#include "core/linalg/decompositions.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/errors.h"
#include "core/linalg/householder.h"
#include "core/linalg/matrix.h"

namespace kappaflow {

NumericalRank numericalRank(const std::vector<double>& values, double threshold) {
    NumericalRank result{0, std::numeric_limits<double>::infinity()};
    if (values.empty()) return result;
    while (result.rank < values.size() && values[result.rank] > threshold * values[0]) ++result.rank;
    if (result.rank > 0 && result.rank < values.size() && values[result.rank] > 0)
        result.gap = values[result.rank - 1] / values[result.rank];
    return result;
}

SpanBasis spanBasis(const Matrix& a, double threshold) {
    auto space = singularSpace(a);
    const std::size_t rank = numericalRank(space.values, threshold).rank;
    SpanBasis result{Matrix(a.rows, rank), std::move(space.values)};
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < rank; ++k) result.basis(i, k) = space.vectors(i, k);
    return result;
}

PseudoInverse pseudoInverse(const Matrix& a, double threshold) {
    const auto eigen = symmetricEigen(a);
    const std::size_t n = a.rows;
    Matrix scaled(n, n);
    PseudoInverse result;
    for (std::size_t k = 0; k < n; ++k) {
        if (!(eigen.values[k] > 0 && eigen.values[k] > threshold * eigen.values[n - 1])) continue;
        const double root = 1 / std::sqrt(eigen.values[k]);
        for (std::size_t i = 0; i < n; ++i) scaled(result.rank, i) = root * eigen.vectors(i, k);
        ++result.rank;
    }
    result.inverse = transposedProduct(scaled, scaled);
    return result;
}

Matrix choleskyFactor(const Matrix& a) {
    assert(a.rows == a.columns);
    Matrix c(a.rows, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a(i, j);
            for (std::size_t k = 0; k < j; ++k) sum -= c(i, k) * c(j, k);
            if (i != j) {
                c(i, j) = sum / c(j, j);
                continue;
            }
            if (!(sum > 0) || !std::isfinite(sum)) throw InputError("The covariance matrix is not positive definite.");
            c(i, i) = std::sqrt(sum);
        }
    return c;
}

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

namespace {

using Columns = std::vector<std::vector<double>>;

Columns columnsOf(const Matrix& a) {
    Columns columns(a.columns, std::vector<double>(a.rows));
    for (Size i = 0; i < a.rows; ++i)
        for (Size j = 0; j < a.columns; ++j) columns[j][i] = a(i, j);
    return columns;
}

/// QR decomposition in place: column k of `v` ends as the reflector of step k, rows below k; R is kept apart.
struct Reflectors {
    Columns v;
    std::vector<double> squaredNorm;
    Matrix r;
};

Reflectors decompose(const Matrix& a) {
    const Size steps = std::min(a.rows, a.columns);
    Reflectors qr{columnsOf(a), std::vector<double>(steps), Matrix(steps, a.columns)};
    for (Size k = 0; k < steps; ++k) {
        auto& v = qr.v[k];
        for (Size i = 0; i < k; ++i) qr.r(i, k) = v[i];
        const double norm = std::sqrt(orderedDot(&v[k], &v[k], a.rows - k)), diagonal = v[k] > 0 ? -norm : norm;
        qr.r(k, k) = diagonal;
        v[k] -= diagonal;
        qr.squaredNorm[k] = orderedDot(&v[k], &v[k], a.rows - k);
        for (Size j = k + 1; j < a.columns; ++j) reflect(v, qr.squaredNorm[k], k, qr.v[j]);
    }
    for (Size j = steps; j < a.columns; ++j)
        for (Size i = 0; i < steps; ++i) qr.r(i, j) = qr.v[j][i];
    return qr;
}

// Makes a pair of columns orthogonal; false when it is so already.
bool rotate(std::vector<double>& x, std::vector<double>& y) {
    const Size n = x.size();
    const double xx = orderedDot(x.data(), x.data(), n), yy = orderedDot(y.data(), y.data(), n), xy = orderedDot(x.data(), y.data(), n);
    if (std::abs(xy) <= std::numeric_limits<double>::epsilon() * std::sqrt(xx) * std::sqrt(yy)) return false;
    const double zeta = (yy - xx) / (2 * xy), root = std::abs(zeta) + std::sqrt(1 + zeta * zeta);
    const double t = (zeta >= 0 ? 1 : -1) / root, c = 1 / std::sqrt(1 + t * t), s = c * t;
    for (Size i = 0; i < n; ++i) {
        const double u = x[i], w = y[i];
        x[i] = c * u - s * w;
        y[i] = s * u + c * w;
    }
    return true;
}

// One-sided Jacobi: the columns turn among themselves until they are orthogonal. Quadratic at the end, so forty sweeps are far more
// than any matrix takes (about eight); pairs at rounding level may keep turning, which changes nothing above it.
void orthogonalise(Columns& columns) {
    for (int sweep = 0; sweep < 40; ++sweep) {
        bool turned = false;
        for (Size i = 0; i < columns.size(); ++i)
            for (Size j = i + 1; j < columns.size(); ++j) turned = rotate(columns[i], columns[j]) || turned;
        if (!turned) return;
    }
}

// Of the columns from k on, the longest below row k. Norms anew in every step: updating them by subtraction loses the small ones.
Size longestColumn(const Columns& v, Size k) {
    Size longest = k;
    double largest = -1;
    for (Size j = k; j < v.size(); ++j) {
        const double squared = orderedDot(&v[j][k], &v[j][k], v[j].size() - k);
        if (squared > largest) {
            largest = squared;
            longest = j;
        }
    }
    return longest;
}

}  // namespace

SingularSpace singularSpace(const Matrix& a) {
    for (double value : a.values)
        if (!std::isfinite(value)) throw InputError("A matrix to be decomposed holds a number that is not finite.");
    const bool tall = a.rows > a.columns;
    // Wide: A = Rᵀ Qᵀ with QR of Aᵀ, whose Rᵀ has the same left singular vectors. Tall: A = QR, and Q is put back at the end.
    const Reflectors qr = decompose(tall ? a : transposed(a));
    Columns columns = columnsOf(tall ? qr.r : transposed(qr.r));
    orthogonalise(columns);

    const Size count = columns.size();
    std::vector<double> norms;
    for (const auto& column : columns) norms.push_back(std::sqrt(orderedDot(column.data(), column.data(), column.size())));
    std::vector<Size> order(count);
    std::iota(order.begin(), order.end(), Size{0});
    std::stable_sort(order.begin(), order.end(), [&](Size i, Size j) { return norms[i] > norms[j]; });

    SingularSpace result{{}, Matrix(a.rows, count)};
    for (Size k = 0; k < count; ++k) {
        auto column = std::move(columns[order[k]]);
        const double norm = norms[order[k]];
        result.values.push_back(norm);
        for (double& value : column) value = norm > 0 ? value / norm : 0;
        column.resize(a.rows);
        if (tall)
            for (Size step = count; step-- > 0;) reflect(qr.v[step], qr.squaredNorm[step], step, column);
        for (Size i = 0; i < a.rows; ++i) result.vectors(i, k) = column[i];
    }
    return result;
}

PivotedSpan pivotedSpan(const Matrix& a, double threshold) {
    Columns v = columnsOf(a);
    const Size steps = std::min(a.rows, a.columns);
    std::vector<double> squaredNorms;
    double first = 0, last = 0, dropped = 0;
    while (squaredNorms.size() < steps) {
        const Size k = squaredNorms.size();
        std::swap(v[k], v[longestColumn(v, k)]);
        const double norm = std::sqrt(orderedDot(&v[k][k], &v[k][k], a.rows - k));
        if (k == 0) first = norm;
        if (!(norm > threshold * first)) {
            dropped = norm;
            break;
        }
        last = norm;
        v[k][k] += v[k][k] > 0 ? norm : -norm;
        squaredNorms.push_back(orderedDot(&v[k][k], &v[k][k], a.rows - k));
        for (Size j = k + 1; j < v.size(); ++j) reflect(v[k], squaredNorms[k], k, v[j]);
    }
    Matrix basis(a.rows, squaredNorms.size());
    for (Size k = 0; k < basis.columns; ++k) {
        std::vector<double> column(a.rows);
        column[k] = 1;
        for (Size step = k + 1; step-- > 0;) reflect(v[step], squaredNorms[step], step, column);
        for (Size i = 0; i < a.rows; ++i) basis(i, k) = column[i];
    }
    return {std::move(basis), dropped > 0 ? last / dropped : std::numeric_limits<double>::infinity()};
}

Matrix pivotedBasis(const Matrix& a, double threshold) { return pivotedSpan(a, threshold).basis; }

Matrix triangularFactor(const Matrix& a) { return decompose(a).r; }

namespace {

constexpr Size kPanel = 32;

/// Rows of the transpose stand for columns here: what products read then lies together.
MatrixView firstRows(const Matrix& m, Size rows) { return {m.values.data(), rows, m.columns}; }

void subtractProjection(const Matrix& done, Size count, Matrix& panel) {
    if (count == 0) return;
    Matrix shadow(panel.rows, count), inside(panel.rows, panel.columns);
    orderedProduct(panel, firstRows(done, count).transposed(), shadow.values.data());
    orderedProduct(shadow, firstRows(done, count), inside.values.data());
    for (Size i = 0; i < panel.values.size(); ++i) panel.values[i] -= inside.values[i];
}

Matrix orthonormalRows(const Matrix& panel) {
    const auto columns = transposed(panel);
    return transposed({columns.rows, columns.columns, orthonormalColumns(columns.values, columns.rows, columns.columns)});
}

}  // namespace

Matrix orthonormalised(const Matrix& a) {
    Matrix done = transposed(a);
    for (Size first = 0; first < a.columns; first += kPanel) {
        Matrix panel(std::min(kPanel, a.columns - first), a.rows);
        std::copy_n(done.row(first), panel.values.size(), panel.values.data());
        // The second time removes what rounding left of the first.
        for (int twice = 0; twice < (first == 0 ? 1 : 2); ++twice) {
            subtractProjection(done, first, panel);
            panel = orthonormalRows(panel);
        }
        std::copy(panel.values.begin(), panel.values.end(), done.row(first));
    }
    return transposed(done);
}

namespace {

constexpr std::uint64_t p = kModularPrime;

std::uint64_t inverseOf(std::uint64_t x) {
    // Fermat: x^(p−2).
    std::uint64_t result = 1;
    for (std::uint64_t exponent = p - 2; exponent > 0; exponent >>= 1, x = x * x % p)
        if (exponent & 1) result = result * x % p;
    return result;
}

}  // namespace

std::size_t modularRank(std::vector<std::uint32_t> a, std::size_t rows, std::size_t columns) {
    assert(a.size() == rows * columns);
    std::size_t rank = 0;
    for (std::size_t column = 0; column < columns && rank < rows; ++column) {
        std::size_t pivot = rank;
        while (pivot < rows && a[pivot * columns + column] % p == 0) ++pivot;
        if (pivot == rows) continue;
        std::uint32_t* top = &a[rank * columns];
        std::swap_ranges(top, top + columns, &a[pivot * columns]);
        const std::uint64_t inverse = inverseOf(top[column] % p);
        for (std::size_t i = rank + 1; i < rows; ++i) {
            std::uint32_t* row = &a[i * columns];
            const std::uint64_t factor = (p - row[column] % p * inverse % p) % p;
            if (factor == 0) continue;
            for (std::size_t j = column; j < columns; ++j) row[j] = static_cast<std::uint32_t>((row[j] + factor * top[j]) % p);
        }
        ++rank;
    }
    return rank;
}

}  // namespace kappaflow
