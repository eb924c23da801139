#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace kappaflow {

/// A·x for a row-major matrix of x.size() columns; matrix.size() must be a multiple of it. Cost: matrix.size() multiply-adds.
std::vector<double> matrixTimesVector(std::span<const double> matrix, std::span<const double> x);
/// Aᵀ·y for a row-major matrix of y.size() rows and `columns` columns.
std::vector<double> transposedTimesVector(std::span<const double> matrix, std::span<const double> y, std::size_t columns);

/// y[i·yStride] += scale · x[i·xStride] for i < count: the inner loop of every convolution.
void addScaled(double* y, std::ptrdiff_t yStride, const double* x, std::ptrdiff_t xStride, std::size_t count, double scale);

/// C = A·B of row-major matrices: A [rows][inner], B [inner][columns], C [rows][columns], which is overwritten. Sums run in an order of
/// the library's choosing: platforms agree to rounding only.
void matrixProduct(std::span<const double> A, std::span<const double> B, std::size_t inner, std::span<double> C);

/// Q of the QR decomposition of a row-major [rows][columns] matrix, rows >= columns, with the diagonal of R made non-negative: the
/// columns of Q are orthonormal to rounding whatever the rank of the input, and Haar distributed when its entries are independent
/// gaussians (Mezzadri, How to generate random matrices from the classical compact groups, Notices AMS 54, 2007).
/// Only + - * / sqrt in a fixed order, so every platform gives the same bits. Cost: about 4·rows·columns² operations.
std::vector<double> orthonormalColumns(std::span<const double> matrix, std::size_t rows, std::size_t columns);

}  // namespace kappaflow
