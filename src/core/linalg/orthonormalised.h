#pragma once
#include "core/linalg/matrix.h"

namespace kappaflow {

/// Orthonormal columns with the same span, [rows][columns], for columns that are independent by a wide margin (condition below 1e7 or so):
/// Gram–Schmidt twice over panels of columns, reflections inside a panel (Barlow and Smoktunowicz, Reorthogonalized block classical
/// Gram–Schmidt, Numer. Math. 123, 2013), so that nearly all work is products: several times quicker than reflections alone. The same
/// bits on every platform. Cost: 2·rows·columns² multiply-adds.
Matrix orthonormalised(const Matrix& a);

}  // namespace kappaflow
