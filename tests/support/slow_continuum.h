#pragma once
#include <vector>

#include "core/linalg/decompositions.h"
#include "support/matrices.h"

namespace kappaflow::slow {

/// One path of a layered network: the unit it passes in every layer, input first.
using UnitPath = std::vector<std::size_t>;

/// All paths, copies of units that read nothing of what is below them too, or only those whose weights exist (are not 0).
inline std::vector<UnitPath> unitPaths(const std::vector<Matrix>& features, bool existingOnly) {
    std::vector<UnitPath> paths;
    for (std::size_t i = 0; i < features[0].rows; ++i) paths.push_back({i});
    for (const Matrix& P : features) {
        std::vector<UnitPath> longer;
        for (const UnitPath& path : paths)
            for (std::size_t j = 0; j < P.columns; ++j) {
                if (existingOnly && P(path.back(), j) == 0) continue;
                longer.push_back(path);
                longer.back().push_back(j);
            }
        paths = longer;
    }
    return paths;
}

/// Capacity of the inputs from the definition: Σ̃ over all pairs of paths, K = orth(Σ̃ P̃ U), squared rows of K summed over the paths
/// that start at an input.
inline std::vector<double> continuumCapacity(const Matrix& sigma, const std::vector<Matrix>& features, const Matrix& free,
                                             const std::vector<double>& nu, bool existingOnly, double threshold = 1e-9) {
    const auto paths = unitPaths(features, existingOnly);
    Matrix tilde(paths.size(), paths.size()), weights(paths.size(), free.columns);
    for (std::size_t p = 0; p < paths.size(); ++p) {
        double weight = 1;
        for (std::size_t l = 0; l < features.size(); ++l) weight *= features[l](paths[p][l], paths[p][l + 1]);
        for (std::size_t k = 0; k < free.columns; ++k) weights(p, k) = weight * free(paths[p].back(), k);
        for (std::size_t q = 0; q < paths.size(); ++q) {
            tilde(p, q) = sigma(paths[p][0], paths[q][0]);
            for (std::size_t l = 0; l < features.size(); ++l) tilde(p, q) *= paths[p][l + 1] == paths[q][l + 1] ? 1 : nu[l];
        }
    }
    const auto K = spanBasis(slowProduct(tilde, weights), threshold).basis;
    std::vector<double> capacity(sigma.rows);
    for (std::size_t p = 0; p < paths.size(); ++p)
        for (std::size_t k = 0; k < K.columns; ++k) capacity[paths[p][0]] += K(p, k) * K(p, k);
    return capacity;
}

/// A kernel on a ring as a matrix, [input][output], columns of norm 1.
inline Matrix ringFeatures(int extent, const std::vector<double>& kernel) {
    double norm = 0;
    for (double w : kernel) norm += w * w;
    Matrix P(static_cast<std::size_t>(extent), static_cast<std::size_t>(extent));
    for (int x = 0; x < extent; ++x)
        for (int t = 0; t < static_cast<int>(kernel.size()); ++t) {
            const int at = (x + t - static_cast<int>(kernel.size()) / 2 + extent) % extent;
            P(static_cast<std::size_t>(at), static_cast<std::size_t>(x)) += kernel[static_cast<std::size_t>(t)] / std::sqrt(norm);
        }
    return P;
}

}  // namespace kappaflow::slow
