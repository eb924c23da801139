#pragma once
#include <cstdint>
#include <vector>

#include "core/linalg/matrix.h"

namespace kappaflow {

// All of these use + - * / sqrt in a fixed order and nothing else: native code and wasm give the same bits.

/// Singular values below this share of the largest one count as zero in a rank decision (true zeros come out near 1e-16,
/// the smallest true ones of the models here above 1e-8).
inline constexpr double kRankThreshold = 1e-9;
/// Eigenvalues below this share of the largest one are dropped from a pseudo-inverse.
inline constexpr double kInverseThreshold = 1e-12;

/// A = V diag(values) Vᵀ of a symmetric matrix, values ascending, eigenvectors as columns of V. Householder reduction to tridiagonal
/// form, then implicit QL (Wilkinson and Reinsch, Handbook for Automatic Computation II, 1971); errors of 1e-15 of the largest
/// eigenvalue. Throws InputError when an entry is not finite. Cost: about 9 n³ operations.
struct SymmetricEigen {
    std::vector<double> values;
    Matrix vectors;
};
SymmetricEigen symmetricEigen(const Matrix& a);

/// Singular values descending, min(rows, columns) of them, and the left singular vectors as columns: QR decomposition, then one-sided
/// Jacobi rotations (Hestenes 1958), which find small singular values to high relative accuracy. Columns of `vectors` that belong to
/// singular values at rounding level are not orthonormal. Throws InputError when an entry is not finite.
/// Cost: about 2·max·min² + 50·min³ operations.
struct SingularSpace {
    std::vector<double> values;
    Matrix vectors;  ///< [rows][min(rows, columns)]
};
SingularSpace singularSpace(const Matrix& a);

/// Orthonormal basis of the span of A's columns: left singular vectors above `threshold` times the largest singular value.
struct SpanBasis {
    Matrix basis;                        ///< [rows][rank]
    std::vector<double> singularValues;  ///< all, descending
    std::size_t rank() const { return basis.columns; }
};
SpanBasis spanBasis(const Matrix& a, double threshold = kRankThreshold);

/// The same span from a QR decomposition with column pivoting, a column counting while it keeps more than `threshold` of the first
/// one's norm: several times cheaper than singular values, which a matrix would have to be contrived to deceive (Kahan 1966).
/// Cost: about 4·rows·columns·rank operations.
Matrix pivotedBasis(const Matrix& a, double threshold = kRankThreshold);

/// The same with the gap behind the decision: norm that the last column kept over that of the first dropped (infinite: none dropped).
struct PivotedSpan {
    Matrix basis;
    double gap = 0;
};
PivotedSpan pivotedSpan(const Matrix& a, double threshold = kRankThreshold);

/// Number of singular values above `threshold` times the largest, and the gap behind that decision: last kept over first dropped
/// (infinite when none is dropped or the dropped one is zero).
struct NumericalRank {
    std::size_t rank = 0;
    double gap = 0;
};
NumericalRank numericalRank(const std::vector<double>& singularValuesDescending, double threshold = kRankThreshold);

/// Moore–Penrose inverse of a symmetric positive semi-definite matrix: eigenvalues up to `threshold` times the largest count as zero.
struct PseudoInverse {
    Matrix inverse;
    std::size_t rank = 0;
};
PseudoInverse pseudoInverse(const Matrix& a, double threshold = kInverseThreshold);

/// Lower triangular C with C·Cᵀ = A. Throws InputError when A is not positive definite.
Matrix choleskyFactor(const Matrix& a);

/// R of A's QR decomposition, [min(rows, columns)][columns]: it has A's singular values, so that tall matrices can be taken in slices
/// (the R of the stacked Rs is the R of the stack). Cost: 2·rows·columns² operations.
Matrix triangularFactor(const Matrix& a);

/// Orthonormal columns with the same span, [rows][columns], for columns that are independent by a wide margin (condition below 1e7 or so):
/// Gram–Schmidt twice over panels of columns, reflections inside a panel (Barlow and Smoktunowicz, Reorthogonalized block classical
/// Gram–Schmidt, Numer. Math. 123, 2013), so that nearly all work is products: several times quicker than reflections alone. The same
/// bits on every platform. Cost: 2·rows·columns² multiply-adds.
Matrix orthonormalised(const Matrix& a);

/// The prime 2³¹ − 1: products of two residues fit in 62 bits.
inline constexpr std::uint64_t kModularPrime = 2147483647;

/// Rank over the field of integers modulo 2³¹ − 1 of a row-major [rows][columns] matrix of residues, by elimination: exact, no
/// threshold. With random residues for the unknowns it is the generic real rank but for a chance of about degree/2³¹.
/// Takes its argument by value and works in it. Cost: rows · columns · rank multiply-adds.
std::size_t modularRank(std::vector<std::uint32_t> matrix, std::size_t rows, std::size_t columns);

}  // namespace kappaflow
