#include "core/base/decimal.h"

#include <cmath>
#include <cstdlib>

#ifdef __EMSCRIPTEN__
#include <emscripten.h>

// JavaScript's own reading, as exact: strtod would bring arithmetic on 128 bits into every module.
EM_JS(double, kappaflowDecimal, (const char* text), { return +(UTF8ToString(text) || NaN); });
#endif

namespace kappaflow {

double decimalNumber(const std::string& text) {
#ifdef __EMSCRIPTEN__
    return kappaflowDecimal(text.c_str());
#else
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    return !text.empty() && end == text.c_str() + text.size() ? x : std::nan("");
#endif
}

}  // namespace kappaflow
