/* The line search of liblbfgs, for a loop that can be left between two iterations, which the library's own cannot: its sources are
   compiled here, where what they keep to themselves is in sight. USE_SSE stays undefined: every platform gives the same bits. */
#include "lbfgs_line_search.h"

#include "lbfgs.c"

int kappaflowMoreThuente(int count, double* x, double* value, double* gradient, double* direction, double* step, const double* from,
                         const double* gradientFrom, double* work, lbfgs_evaluate_t evaluate, void* instance) {
    callback_data_t callback = {count, instance, evaluate, NULL};
    return line_search_morethuente(count, x, value, gradient, direction, step, from, gradientFrom, work, &callback, &_defparam);
}
