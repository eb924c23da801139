// How Dear ImGui is built into Kappaflow; included by imgui.h through IMGUI_USER_CONFIG.
#pragma once

#include <cassert>
#define IM_ASSERT(condition) assert(condition)

// The script letters of the papers (U+1D49F) lie outside 16 bits.
#define IMGUI_USE_WCHAR32
// WebGL2 has no base vertex: a draw list of more than 65 536 vertices needs wide indices.
#define ImDrawIdx unsigned int

#define IMGUI_DISABLE_OBSOLETE_FUNCTIONS
#define IMGUI_DISABLE_DEMO_WINDOWS
#define IMGUI_DISABLE_DEBUG_TOOLS
// Settings and logs would be files; the page has none and the state lives in the link.
#define IMGUI_DISABLE_FILE_FUNCTIONS
#define IMGUI_DISABLE_DEFAULT_SHELL_FUNCTIONS
#ifdef __EMSCRIPTEN__
// Whole numbers are all that ImGui scans here ("#version 300 es"): settings are never read, our own fields read what is typed. The
// library's sscanf brings the reading of floating point with it, 12 kB.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
inline int scanWholeNumbers(const char* text, const char* format, ...) {
    va_list targets;
    va_start(targets, format);
    int found = 0;
    for (; *format; ++format) {
        if (format[0] == '%' && (format[1] == 'd' || format[1] == 'i')) {
            char* end = nullptr;
            const long number = std::strtol(text, &end, 10);
            if (end == text) break;
            *va_arg(targets, int*) = static_cast<int>(number);
            ++found, ++format, text = end;
        } else if (*format != *text++) {
            break;
        }
    }
    va_end(targets);
    return found;
}
#define sscanf scanWholeNumbers
#endif
