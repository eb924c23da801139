#pragma once
#include <vector>

#include "core/linalg/matrix.h"
#include "core/linear/dilated_responses.h"

namespace kappaflow {

/// Span of the impulse responses of one layer's channels: what the layer's place in the model comes down to, whatever scales and
/// rotations its channels carry.
struct ResponseSpan {
    Table<double> functions;    ///< [r][as the responses]: orthonormal rows
    Table<double> coordinates;  ///< [channels][r]: responses = coordinates · functions
    Matrix mixing;              ///< [taps · r before][dimension]: orthonormal, the combinations of moved functions that the channels take
};

/// Singular values below this share of the largest one count as zero among channels scaled to norm 1.
inline constexpr double kChannelThreshold = 1e-11;

/// Of the layers below, l = 0 … L − 1, and of those above, l = 0 … L (index 0 unused).
std::vector<ResponseSpan> spansBelow(const DilatedPlan&, const double* weights);
std::vector<ResponseSpan> spansAbove(const DilatedPlan&, const double* weights);

/// Columns with the span of ∂A/∂W^l.
Matrix canonicalColumns(const DilatedPlan&, const std::vector<ResponseSpan>& below, const std::vector<ResponseSpan>& above, std::size_t l);
/// The same without E_o ⋆ H^l_j for l < L (see HierarchicalModel::tangent).
Matrix tangentColumns(const DilatedPlan&, const std::vector<ResponseSpan>& below, const std::vector<ResponseSpan>& above, std::size_t l);

}  // namespace kappaflow
