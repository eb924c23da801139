#pragma once
#include <string>

namespace kappaflow {

/// The double nearest to a decimal number such as "-1.5e-3"; NaN when the text, of digits, signs, points and e alone, is none.
double decimalNumber(const std::string& text);

}  // namespace kappaflow
