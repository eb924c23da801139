#include "core/linear/feature_map.h"

#include <cmath>

#include "core/base/errors.h"
#include "core/base/portable_math.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

double hyperbolicSine(double x) { return (portableExp(x) - portableExp(-x)) / 2; }
double coshMinusOne(double x) { return 2 * hyperbolicSine(x / 2) * hyperbolicSine(x / 2); }

/// He_0 … He_degree by He_{j+1} = y He_j − j He_{j−1}.
Vector hermite(Size degree, double y) {
    Vector he{1, y};
    for (Size j = 1; j < degree; ++j) he.push_back(y * he[j] - static_cast<double>(j) * he[j - 1]);
    return he;
}

double rootFactorial(Size j) {
    double factorial = 1;
    for (Size k = 2; k <= j; ++k) factorial *= static_cast<double>(k);
    return std::sqrt(factorial);
}

bool isCosine(Size j) { return j % 2 == 1; }
Size frequencyIndex(Size j) { return j / 2 + 1; }
double frequency(Size j) { return static_cast<double>(frequencyIndex(j)); }

/// e^{(a²+b²)/2} times the covariance of two sines, or of two cosines, at correlation c.
double fourierMoment(bool cosine, double ab, double c) { return cosine ? coshMinusOne(ab * c) : hyperbolicSine(ab * c); }

double fourierCovariance(Size k, Size m, double c) {
    if (isCosine(k) != isCosine(m)) return 0;
    const double a = frequency(k), b = frequency(m);
    return fourierMoment(isCosine(k), a * b, c) /
           (std::sqrt(fourierMoment(isCosine(k), a * a, 1)) * std::sqrt(fourierMoment(isCosine(k), b * b, 1)));
}

double hermiteCovariance(Size k, Size m, double c) {
    double power = k == m ? 1 : 0;
    for (Size j = 0; j <= k; ++j) power *= c;
    return power;
}

Vector block(FeatureFamily family, Size k, Size m, const Vector& autocovariance) {
    const bool dependent = family == FeatureFamily::Hermite ? k == m : isCosine(k) == isCosine(m);
    Vector values;
    for (double c : autocovariance) {
        if (!dependent) break;
        values.push_back(family == FeatureFamily::Hermite ? hermiteCovariance(k, m, c) : fourierCovariance(k, m, c));
    }
    if (k == m) values[0] = 1;
    return values;
}

void checkDegree(int degree) {
    if (degree < 1 || degree > kMaxFeatureDegree)
        throw InputError("The degree of a feature map must lie between 1 and " + std::to_string(kMaxFeatureDegree) + ", not be " +
                         std::to_string(degree) + ".");
}

}  // namespace

Size featureCount(FeatureFamily family, int degree) {
    checkDegree(degree);
    return static_cast<Size>(degree) * (family == FeatureFamily::Hermite ? 1 : 2);
}

std::vector<std::string> featureNames(FeatureFamily family, int degree) {
    static const char* const kHermite[kMaxFeatureDegree] = {
        "y", "(y² − 1)/√2", "(y³ − 3y)/√6", "(y⁴ − 6y² + 3)/√24", "(y⁵ − 10y³ + 15y)/√120", "He₆(y)/√720", "He₇(y)/√5040", "He₈(y)/√40320"};
    std::vector<std::string> names;
    for (Size j = 0; j < featureCount(family, degree); ++j) {
        const auto times = frequencyIndex(j) > 1 ? std::to_string(frequencyIndex(j)) : "";
        names.push_back(family == FeatureFamily::Hermite ? kHermite[j] : (isCosine(j) ? "cos " : "sin ") + times + "y");
    }
    return names;
}

double featureValue(FeatureFamily family, Size j, double y) {
    if (family == FeatureFamily::Hermite) return hermite(j + 1, y)[j + 1] / rootFactorial(j + 1);
    const double a = frequency(j), damping = portableExp(-a * a / 2);
    const auto wave = portableSineCosine(a * y);
    return isCosine(j) ? (wave.cosine - damping) / (damping * std::sqrt(coshMinusOne(a * a)))
                       : wave.sine / (damping * std::sqrt(hyperbolicSine(a * a)));
}

InputCovariance featureCovariance(FeatureFamily family, int degree, const Vector& autocovariance) {
    const Size count = featureCount(family, degree);
    if (autocovariance.size() < 2 || autocovariance[0] != 1)
        throw InputError("Features are made for samples of variance 1: the autocovariance must start with 1.");
    std::vector<Vector> blocks;
    for (Size k = 0; k < count; ++k)
        for (Size m = 0; m < count; ++m) blocks.push_back(block(family, k, m, autocovariance));
    return {count, std::move(blocks)};
}

}  // namespace kappaflow
