// JavaScript's own reading of numbers, as exact, in place of the core's: strtod would bring arithmetic on 128 bits into every module.
// This definition comes before the library's, so that the linker takes none of it.
#include "core/base/decimal.h"

#include <emscripten.h>

EM_JS(double, kappaflowDecimal, (const char* text), { return +(UTF8ToString(text) || NaN); });

namespace kappaflow {

double decimalNumber(const std::string& text) { return kappaflowDecimal(text.c_str()); }

}  // namespace kappaflow
