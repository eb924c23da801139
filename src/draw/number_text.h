#pragma once
#include <string>

namespace kappaflow {

/// A number as a figure prints it, with Painter's markup: "0.037", "−12", "3.2·10^{−7}"; `digits` significant ones, no zeros that say
/// nothing, a true minus sign; powers of ten below 10^−3 and from 10^5 on. "–" for NaN, "∞".
std::string numberText(double value, int digits = 4);

/// With so many decimals; "−0.00" is "0.00".
std::string fixedText(double value, int decimals);

/// "10^{−5}".
std::string powerOfTenText(int exponent);

}  // namespace kappaflow
