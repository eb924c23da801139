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

}  // namespace kappaflow
