#include <algorithm>
#include <cmath>

#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/moments/gram.h"

namespace kappaflow {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// y = A·x of a symmetric matrix, four rows a pass, so that sums of entries do not wait for one another.
void apply(const Matrix& A, const Vector& x, Vector& y) {
    const std::size_t n = x.size();
    std::fill(y.begin(), y.end(), 0.0);
    std::size_t j = 0;
    for (; j + 4 <= n; j += 4) {
        const double *r0 = A.row(j), *r1 = A.row(j + 1), *r2 = A.row(j + 2), *r3 = A.row(j + 3);
        const double x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];
        for (std::size_t i = 0; i < n; ++i) y[i] += (x0 * r0[i] + x1 * r1[i]) + (x2 * r2[i] + x3 * r3[i]);
    }
    for (; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) y[i] += x[j] * A.row(j)[i];
}

Vector startVector(std::size_t n) {
    Vector v(n);
    std::uint64_t state = n;
    for (double& x : v) x = static_cast<double>(splitmix64(state) >> 11) * 0x1p-52 - 1;
    const double norm = std::sqrt(dot(v, v));
    for (double& x : v) x /= norm;
    return v;
}

/// Tridiagonal matrix of the Krylov space, grown a step at a time; off[k] couples k and k + 1, the last one leads out of the space.
struct Tridiagonal {
    Vector diagonal, off;

    double bound() const {
        double most = 0;
        for (std::size_t i = 0; i < diagonal.size(); ++i)
            most = std::max(most, diagonal[i] + (i ? off[i - 1] : 0) + (i + 1 < diagonal.size() ? off[i] : 0));
        return most;
    }
    /// Largest eigenvalue by Laguerre's method from above, where it descends monotonically with cubic order: logarithmic derivatives of the
    /// characteristic polynomial from the pivots of T − x.
    double largest() const;
    /// Pivots of T − x at its largest eigenvalue give the eigenvector from its last entry up (LDLᵀ with a zero last pivot):
    /// how far `out of the space` the eigenvector reaches is off.back() over this norm.
    double vectorNorm(double x) const;
    bool anyAbove(double x, std::size_t count) const;
    /// Second largest eigenvalue to a sixteenth of its distance below `top`.
    double gapBelow(double top) const;
};

double Tridiagonal::largest() const {
    const double n = static_cast<double>(diagonal.size());
    double x = bound();
    x += 1e-14 * x;
    for (int iteration = 0; iteration < 60; ++iteration) {
        double f = 0, h = 0, q1 = 0, q2 = 0, inverse = 0, square = 0;
        for (std::size_t i = 0; i < diagonal.size(); ++i) {
            const double a = square * inverse;  // β²/q
            const double q = diagonal[i] - x - a;
            const double d1 = a * inverse * q1 - 1, d2 = a * inverse * (q2 - 2 * q1 * q1 * inverse);
            if (q >= 0) return x;  // rounding took x below the eigenvalue
            inverse = 1 / q, q1 = d1, q2 = d2, square = off[i] * off[i];
            const double ratio = d1 * inverse;
            f += ratio, h += ratio * ratio - d2 * inverse;
        }
        const double root = std::sqrt(std::max(0.0, (n - 1) * (n * h - f * f)));
        const double step = n / (f + root);
        x -= step;
        if (!(step > 2e-16 * x)) break;
    }
    return x;
}

double Tridiagonal::vectorNorm(double x) const {
    const std::size_t n = diagonal.size();
    Vector pivot(n);
    for (std::size_t i = 0; i < n; ++i) {
        pivot[i] = diagonal[i] - x - (i ? off[i - 1] * off[i - 1] / pivot[i - 1] : 0);
        if (pivot[i] == 0) pivot[i] = -1e-300;
    }
    double entry = 1, sum = 1;
    for (std::size_t i = n - 1; i-- > 0;) {
        entry *= -off[i] / pivot[i];
        sum += entry * entry;
    }
    return std::sqrt(sum);
}

bool Tridiagonal::anyAbove(double x, std::size_t count) const {
    std::size_t above = 0;
    double pivot = 1;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        pivot = diagonal[i] - x - (i ? off[i - 1] * off[i - 1] / pivot : 0);
        if (pivot == 0) pivot = -1e-300;
        above += pivot > 0;
    }
    return above >= count;
}

double Tridiagonal::gapBelow(double top) const {
    // A second eigenvalue above top − gap?
    double gap = top;
    while (gap > 1e-16 * top && anyAbove(top - gap, 2)) gap /= 2;
    return gap;
}

constexpr double kTolerance = 2e-13;

bool settled(const Tridiagonal& T, double top) {
    const double residual = T.off.back() / T.vectorNorm(top);
    if (residual <= kTolerance * top) return true;
    if (residual > 1e-5 * top) return false;
    return residual * residual <= kTolerance * top * T.gapBelow(top);
}

/// One Lanczos step from `v` (the one before it in `last`): w becomes the next direction, not normalised.
void lanczosStep(const Matrix& A, const Vector& v, const Vector& last, Vector& w, Tridiagonal& T) {
    apply(A, v, w);
    const double before = T.off.empty() ? 0 : T.off.back(), along = dot(v, w);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= along * v[i] + before * last[i];
    T.diagonal.push_back(along);
    T.off.push_back(std::sqrt(dot(w, w)));
}

double traceOf(const Matrix& A) {
    double trace = 0;
    for (std::size_t i = 0; i < A.rows; ++i) trace += A(i, i);
    return trace;
}

}  // namespace

double largestEigenvalue(const Matrix& gram) {
    const std::size_t n = gram.rows;
    if (n == 0 || !(traceOf(gram) > 0)) return 0;
    if (n == 1) return gram(0, 0);
    Vector v = startVector(n), last(n), w(n);
    Tridiagonal T;
    // Without reorthogonalisation: lost orthogonality repeats eigenvalues that have converged and harms no extreme one (Paige 1980).
    for (std::size_t step = 1; step <= 10 * n + 50; ++step) {
        lanczosStep(gram, v, last, w, T);
        const double out = T.off.back();
        if (step % 4 == 0 || step >= n || out <= kTolerance * T.diagonal[0]) {
            const double top = T.largest();
            if (settled(T, top)) return top;
        }
        if (out == 0) break;
        last.swap(v);
        for (std::size_t i = 0; i < n; ++i) v[i] = w[i] / out;
    }
    return symmetricEigen(gram).values.back();
}

TopPair topPair(const Matrix& gram) {
    const std::size_t n = gram.rows;
    TopPair pair{0, 0, Vector(n), Vector(n)};
    const double trace = n ? traceOf(gram) : 0;
    if (!(trace > 0)) return pair;
    std::vector<Vector> basis{startVector(n)};
    Tridiagonal T;
    SymmetricEigen eigen;
    Vector w(n);
    const Vector none(n);
    for (std::size_t k = 1;; ++k) {
        lanczosStep(gram, basis.back(), k > 1 ? basis[k - 2] : none, w, T);
        for (const Vector& b : basis) {  // eigenvectors are wanted: kept orthogonal in full
            const double along = dot(b, w);
            for (std::size_t i = 0; i < n; ++i) w[i] -= along * b[i];
        }
        const double out = std::sqrt(dot(w, w));
        T.off.back() = out;
        const bool last = k == n || out <= 1e-12 * trace;
        if (last || k % 8 == 0) {
            Matrix small(k, k);
            for (std::size_t i = 0; i < k; ++i) {
                small(i, i) = T.diagonal[i];
                if (i + 1 < k) small(i, i + 1) = small(i + 1, i) = T.off[i];
            }
            eigen = symmetricEigen(small);
            const double r1 = out * std::abs(eigen.vectors(k - 1, k - 1)), r2 = k > 1 ? out * std::abs(eigen.vectors(k - 1, k - 2)) : 0;
            if (last || std::max(r1, r2) <= 1e-8 * eigen.values[k - 1]) break;
        }
        for (double& x : w) x /= out;
        basis.push_back(w);
    }
    const std::size_t k = basis.size();
    pair.first = eigen.values[k - 1], pair.second = k > 1 ? std::max(0.0, eigen.values[k - 2]) : 0;
    for (std::size_t b = 0; b < k; ++b)
        for (std::size_t i = 0; i < n; ++i) {
            pair.firstVector[i] += basis[b][i] * eigen.vectors(b, k - 1);
            if (k > 1) pair.secondVector[i] += basis[b][i] * eigen.vectors(b, k - 2);
        }
    return pair;
}

}  // namespace kappaflow
