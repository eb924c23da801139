#include "scenes/capacity_flow/model_decoupling.h"

#include <cmath>

namespace kappaflow::decoupling {

DecouplingScale scaleOf(Activation activation, double slope, double sigma) {
    DecouplingScale scale = decouplingScale(activation, slope, sigma);
    if (const auto slopes = twoSlopes(activation, slope)) {
        scale.nuIndependent = scale.nuEnergy = twoSlopeNu(*slopes);
        scale.nuCorrelation = twoSlopeNuCorrelation(scale.nuEnergy);
        scale.meanEta = (slopes->negative + slopes->positive) / 2;
        scale.etaSquare = (slopes->negative * slopes->negative + slopes->positive * slopes->positive) / 2;
    }
    return scale;
}

Covariance covarianceNamed(std::string_view key) {
    return key == "identity" ? Covariance::Identity : key == "ar1" ? Covariance::Ar1 : Covariance::Random;
}

Setup readSetup(const Values& v) {
    const Activation activation = activationFromKey(v.text("activation"));
    const double slope = v.number("slope"), sigma = v.number("sigma");
    const auto n = static_cast<std::size_t>(v.integer("inputs")), m = static_cast<std::size_t>(v.integer("features"));
    Setup s{activation,
            slope,
            sigma,
            v.number("draws"),
            v.number("stopAt"),
            v.seed(),
            scaleOf(activation, slope, sigma),
            twoSlopes(activation, slope),
            covarianceMatrix(covarianceNamed(v.text("covariance")), n, v.seed()),
            randomFeatures(n, m, true, v.seed())};
    const Matrix variances = congruence(s.features, s.covariance);
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t i = 0; i < n; ++i) s.features(i, j) *= sigma / std::sqrt(variances(j, j));
    return s;
}

}  // namespace kappaflow::decoupling
