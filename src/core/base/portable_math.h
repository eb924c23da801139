#pragma once

namespace kappaflow {

// Functions from + - * / and exponent bits alone: the same bits on every platform, which the standard library's do not promise and
// which long training needs, since it magnifies the last bit. (The logarithm beside them is portableLog in rng.h.)

/// e^x with a relative error below 4 ulp; 0 below −708, infinite above 709.
double portableExp(double x);
/// ln(1 + e^x), absolute error below 1e-15 (1 + |x|); x itself where e^−x is lost beside it.
double portableSoftplus(double x);
/// 1/(1 + e^−x).
double portableSigmoid(double x);
/// tanh x with an absolute error below 1e-15.
double portableTanh(double x);
/// Φ(x) of the normal distribution, absolute error below 1e-15: 1/2 + φ(x)(x + x³/3 + x⁵/(3·5) + …) (Marsaglia 2004, eq. 2).
double portableNormal(double x);

/// Sine and cosine, absolute error below 1e-15 for |angle| <= 1000.
struct SineCosine {
    double sine, cosine;
};
SineCosine portableSineCosine(double angle);
/// Polar coordinates of (x, y): the radius to a relative 1e-15, the angle in (−π, π] to 1e-15. (0, 0) has radius 0 and angle 0.
struct Polar {
    double radius, angle;
};
Polar portablePolar(double x, double y);

}  // namespace kappaflow
