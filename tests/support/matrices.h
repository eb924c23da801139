#pragma once
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "core/base/rng.h"
#include "core/linalg/matrix.h"

namespace kappaflow {

inline Matrix gaussianMatrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
    Rng rng(seed, Purpose::Data);
    Matrix a(rows, columns);
    for (double& value : a.values) value = rng.gaussian();
    return a;
}

inline double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Largest |a − b|; infinite when the shapes differ.
inline double largestDifference(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return INFINITY;
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::isnan(a[i] - b[i]) ? INFINITY : std::abs(a[i] - b[i]));
    return worst;
}
inline double largestDifference(const Matrix& a, const Matrix& b) {
    return a.rows == b.rows && a.columns == b.columns ? largestDifference(a.values, b.values) : INFINITY;
}

/// A·B as its definition reads.
inline Matrix slowProduct(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.columns);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < b.columns; ++j)
            for (std::size_t k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}

/// A list of rows as the reference files hold it.
inline Matrix matrixFrom(const nlohmann::json& rows) {
    Matrix a(rows.size(), rows.at(0).size());
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.columns; ++j) a(i, j) = rows.at(i).at(j).get<double>();
    return a;
}

}  // namespace kappaflow
