#pragma once
#include <span>
#include <string>
#include <string_view>

namespace kappaflow {

/// The source as this platform compiles it: GLSL ES 3.00 on the page; natively the same text as GLSL 3.30 core, which knows no
/// default precision.
std::string shaderSource(std::string_view glslEs, bool es);

/// Compiles shaders/NAME.vert and NAME.frag; attributes get the locations 0, 1, … in the order given. Returns the program, or 0 with
/// one sentence in `failure`.
unsigned makeProgram(std::string_view name, std::span<const char* const> attributes, std::string& failure);

/// Names a GL object for debuggers, where the driver can (KHR_debug). `kind`: GL_TEXTURE, GL_BUFFER, GL_PROGRAM, …
void labelObject(unsigned kind, unsigned object, std::string_view label);

}  // namespace kappaflow
