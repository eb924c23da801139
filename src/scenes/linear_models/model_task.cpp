#include "scenes/linear_models/model_task.h"

namespace kappaflow::linear {

GaussianProcess processOf(const Values& v) {
    static constexpr std::pair<const char*, ProcessKind> kKinds[] = {{"power-law", ProcessKind::PowerLaw},
                                                                     {"arfima", ProcessKind::Arfima},
                                                                     {"exponentials", ProcessKind::Exponentials},
                                                                     {"ar1", ProcessKind::Ar1},
                                                                     {"ar2", ProcessKind::Ar2}};
    GaussianProcess process;
    for (const auto& [key, kind] : kKinds)
        if (v.is("process", key)) process.kind = kind;
    process.alpha = v.number("alpha");
    process.memory = v.number("memory");
    process.phi1 = v.number("phi1");
    process.phi2 = v.number("phi2");
    return process;
}

}  // namespace kappaflow::linear
