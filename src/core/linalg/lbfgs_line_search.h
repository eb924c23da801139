#pragma once
#include <lbfgs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Moré and Thuente's line search (ACM Trans. Math. Softw. 20, 1994) as liblbfgs has it, with its default tolerances (decrease 1e-4,
   curvature 0.9): moves x from `from` along `direction` and leaves the objective and gradient there; `step` is the first step tried
   and becomes the one taken. Vectors have `count` entries, `gradientFrom` and `work` are not read. Returns the number of evaluations,
   or one of the library's negative error codes; then x is a point tried last. */
int kappaflowMoreThuente(int count, double* x, double* value, double* gradient, double* direction, double* step, const double* from,
                         const double* gradientFrom, double* work, lbfgs_evaluate_t evaluate, void* instance);

#ifdef __cplusplus
}
#endif
