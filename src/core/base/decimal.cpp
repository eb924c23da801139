#include "core/base/decimal.h"

#include <cmath>
#include <cstdlib>

namespace kappaflow {

double decimalNumber(const std::string& text) {
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    return !text.empty() && end == text.c_str() + text.size() ? x : std::nan("");
}

}  // namespace kappaflow
