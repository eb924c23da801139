#include "core/moments/gram.h"

#include <algorithm>
#include <cmath>

#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/matrix.h"

namespace kappaflow {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t kBlockColumns = 32;

/// AᵀA, a block of columns at a time with those before it, and mirrored: half of the work of a product.
Matrix gramOf(MatrixView A) {
    const std::size_t n = A.columns;
    Matrix gram(n, n);
    Vector block(n * kBlockColumns);
    for (std::size_t first = 0; first < n; first += kBlockColumns) {
        const std::size_t end = std::min(n, first + kBlockColumns);
        MatrixView before = A, here = A;
        before.columns = end;
        here.columns = end - first, here.data += first * A.columnStride;
        orderedProduct(before.transposed(), here, block.data());
        for (std::size_t i = 0; i < end; ++i)
            for (std::size_t j = std::max(i, first); j < end; ++j) gram(i, j) = gram(j, i) = block[i * (end - first) + j - first];
    }
    return gram;
}

double traceOf(const Matrix& A) {
    double trace = 0;
    for (std::size_t i = 0; i < A.rows; ++i) trace += A(i, i);
    return trace;
}

}  // namespace

CentredGram centredGram(const PointValues& tensor) {
    const std::size_t P = tensor.points(), N = tensor.channels();
    CentredGram g{tensor.values, {}, N <= P};
    Vector mean(N);
    for (std::size_t p = 0; p < P; ++p)
        for (std::size_t c = 0; c < N; ++c) mean[c] += tensor.values(p, c);
    for (double& m : mean) m /= static_cast<double>(P);
    for (std::size_t p = 0; p < P; ++p)
        for (std::size_t c = 0; c < N; ++c) g.centred(p, c) -= mean[c];
    const MatrixView centred(g.centred);
    g.gram = gramOf(g.overChannels ? centred : centred.transposed());
    return g;
}

void bringToUnit(Matrix& gram) {
    const double trace = traceOf(gram);
    if (!(trace > 0) || !std::isfinite(trace)) return;
    const int exponent = std::ilogb(trace);
    for (double& entry : gram.values) entry = std::ldexp(entry, -exponent);
}

namespace {

/// A unit vector over channels from an eigenvector of the Gram matrix; zero for eigenvalue 0. Its largest entry is positive.
Vector direction(const CentredGram& g, Vector vector) {
    if (!g.overChannels) {
        Vector u(g.centred.columns);
        for (std::size_t p = 0; p < g.centred.rows; ++p)
            for (std::size_t c = 0; c < u.size(); ++c) u[c] += vector[p] * g.centred(p, c);
        vector = std::move(u);
    }
    double square = 0, largest = 0;
    for (const double x : vector) {
        square += x * x;
        if (std::abs(x) > std::abs(largest)) largest = x;
    }
    if (square > 0)
        for (double& x : vector) x *= (largest > 0 ? 1 : -1) / std::sqrt(square);
    return vector;
}

double along(const double* row, const Vector& u) {
    double sum = 0;
    for (std::size_t c = 0; c < u.size(); ++c) sum += row[c] * u[c];
    return sum;
}

}  // namespace

double effectiveRank(const PointValues& tensor) {
    CentredGram g = centredGram(tensor);
    bringToUnit(g.gram);
    const double top = largestEigenvalue(g.gram);
    return top > 0 ? std::max(1.0, traceOf(g.gram) / top) : 0;
}

PrincipalCloud principalCloud(const SignalAndNoise& state, std::size_t mostPoints) {
    const std::size_t P = state.signal.points(), count = std::min(P, mostPoints);
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < count; ++i) shown.push_back(i * P / count);
    return principalCloud(state, shown);
}

PrincipalCloud principalCloud(const SignalAndNoise& state, const std::vector<std::size_t>& shown) {
    CentredGram g = centredGram(state.signal);
    bringToUnit(g.gram);
    const TopPair top = topPair(g.gram);
    const double trace = traceOf(g.gram);
    PrincipalCloud cloud;
    if (trace > 0) cloud.share = top.first / trace + top.second / trace;
    const Vector u = direction(g, top.firstVector), v = direction(g, top.secondVector);
    for (const std::size_t p : shown) {
        cloud.signal.insert(cloud.signal.end(), {along(g.centred.row(p), u), along(g.centred.row(p), v)});
        cloud.noise.insert(cloud.noise.end(), {along(state.noise.values.row(p), u), along(state.noise.values.row(p), v)});
    }
    return cloud;
}

namespace {

/// Four sums, so that additions do not wait for one another.
double dot(const double* a, const Vector& b) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    std::size_t i = 0;
    for (; i + 4 <= b.size(); i += 4) s0 += a[i] * b[i], s1 += a[i + 1] * b[i + 1], s2 += a[i + 2] * b[i + 2], s3 += a[i + 3] * b[i + 3];
    for (; i < b.size(); ++i) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

/// y = A·x of a symmetric matrix, four rows a pass.
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
    const double norm = std::sqrt(dot(v.data(), v));
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

/// Of the residual, an error that nothing can undo; of its square over the gap, the error while T sees the second eigenvalue.
constexpr double kResidual = 2e-13, kSquare = 1e-15;

bool settled(const Tridiagonal& T, double top) {
    const double residual = T.off.back() / T.vectorNorm(top);
    if (residual <= kResidual * top) return true;
    if (residual > 1e-5 * top) return false;
    return residual * residual <= kSquare * top * T.gapBelow(top);
}

/// The Krylov space of a symmetric matrix, kept orthogonal in full: without that, eigenvalues that have converged come back as copies,
/// and no residual can be trusted. Cost of step k: 2·size² + 4·k·size operations.
class Krylov {
public:
    explicit Krylov(const Matrix& A) : A_(A), next_(startVector(A.rows)), basis_(A.rows * A.rows) {}

    void step() {
        const std::size_t n = A_.rows;
        std::copy(next_.begin(), next_.end(), basis_.begin() + static_cast<std::ptrdiff_t>(steps() * n));
        const Vector v = next_;
        apply(A_, v, next_);
        T.diagonal.push_back(dot(v.data(), next_));
        // What exact arithmetic would leave, then what rounding left of it.
        subtract(steps() - 1);
        if (steps() > 1) subtract(steps() - 2);
        for (std::size_t k = 0; k < steps(); ++k) subtract(k);
        const double out = std::sqrt(dot(next_.data(), next_));
        T.off.push_back(out);
        if (out > 0)
            for (double& x : next_) x /= out;
    }
    std::size_t steps() const { return T.diagonal.size(); }
    /// Nothing of the matrix is left outside.
    bool whole(double trace) const { return steps() == A_.rows || T.off.back() <= 1e-15 * trace; }
    const double* vector(std::size_t k) const { return basis_.data() + k * A_.rows; }

    Tridiagonal T;

private:
    void subtract(std::size_t k) {
        const double* b = vector(k);
        const double along = dot(b, next_);
        for (std::size_t i = 0; i < next_.size(); ++i) next_[i] -= along * b[i];
    }

    const Matrix& A_;
    Vector next_, basis_;
};

}  // namespace

double largestEigenvalue(const Matrix& gram) {
    const double trace = traceOf(gram);
    if (!(trace > 0)) return 0;
    if (gram.rows == 1) return trace;
    Krylov space(gram);
    for (;;) {
        space.step();
        const bool whole = space.whole(trace);
        if (space.steps() % 4 != 0 && !whole) continue;
        const double top = space.T.largest();
        if (whole || settled(space.T, top)) return top;
    }
}

namespace {

SymmetricEigen ritzPairs(const Tridiagonal& T) {
    const std::size_t k = T.diagonal.size();
    Matrix small(k, k);
    for (std::size_t i = 0; i < k; ++i) {
        small(i, i) = T.diagonal[i];
        if (i + 1 < k) small(i, i + 1) = small(i + 1, i) = T.off[i];
    }
    return symmetricEigen(small);
}

Vector combined(const Krylov& space, const Matrix& vectors, std::size_t column, std::size_t n) {
    Vector sum(n);
    for (std::size_t k = 0; k < space.steps(); ++k)
        for (std::size_t i = 0; i < n; ++i) sum[i] += space.vector(k)[i] * vectors(k, column);
    return sum;
}

}  // namespace

TopPair topPair(const Matrix& gram) {
    const std::size_t n = gram.rows;
    const double trace = traceOf(gram);
    if (!(trace > 0)) return {0, 0, Vector(n), Vector(n)};
    Krylov space(gram);
    for (;;) {
        space.step();
        const std::size_t k = space.steps();
        const bool whole = space.whole(trace);
        if (k % 8 != 0 && !whole) continue;
        const SymmetricEigen ritz = ritzPairs(space.T);
        const double out = space.T.off.back(), top = ritz.values[k - 1];
        const bool settled =
            k > 1 && out * std::max(std::abs(ritz.vectors(k - 1, k - 1)), std::abs(ritz.vectors(k - 1, k - 2))) <= 1e-8 * top;
        if (!whole && !settled) continue;
        if (k == 1) return {top, 0, combined(space, ritz.vectors, 0, n), Vector(n)};
        return {top, std::max(0.0, ritz.values[k - 2]), combined(space, ritz.vectors, k - 1, n), combined(space, ritz.vectors, k - 2, n)};
    }
}

}  // namespace kappaflow
