#include "scenes/linear_models/model_task.h"

#include <algorithm>

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

std::vector<double> newestFirst(std::vector<double> oldestFirst) {
    std::reverse(oldestFirst.begin(), oldestFirst.end());
    return oldestFirst;
}

MeasuredBasis::MeasuredBasis(const std::string& key, const InputCovariance& covariance) : fourier_(key == "fourier") {
    if (key == "covariance") eigenvectors_ = covarianceEigenvectors(covariance).vectors;
}

std::vector<double> MeasuredBasis::capacity(const Matrix& constraints) const {
    if (fourier_) return capacityPerFrequency(constraints);
    return eigenvectors_.columns > 0 ? capacityInBasis(constraints, eigenvectors_) : newestFirst(capacityPerInput(constraints));
}

}  // namespace kappaflow::linear
