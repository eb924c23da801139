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
// Settings are never read (IniFilename is null), and numbers are read by our own fields: without it the page is 12 kB smaller.
#include <cstdio>
#define sscanf(...) 0
#endif
