#include "core/base/portable_math.h"
#include "core/expressivity/curve_pieces.h"

namespace kappaflow {

void basisAt(CurveForm form, double t, double* basis) {
    if (form == CurveForm::Segment) {
        basis[0] = t;
        basis[1] = 1;
        return;
    }
    const SineCosine at = portableSineCosine(t);
    basis[0] = at.cosine;
    basis[1] = at.sine;
    basis[2] = 1;
}

void basisSlopeAt(CurveForm form, double t, double* basis) {
    if (form == CurveForm::Segment) {
        basis[0] = 1;
        basis[1] = 0;
        return;
    }
    const SineCosine at = portableSineCosine(t);
    basis[0] = -at.sine;
    basis[1] = at.cosine;
    basis[2] = 0;
}

}  // namespace kappaflow
