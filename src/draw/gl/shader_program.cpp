#include "draw/gl/shader_program.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "draw/gl/gl_api.h"
#include "shaderText.h"

namespace kappaflow {
namespace {

std::string fileText(std::string_view name, std::string_view extension) {
    const auto bytes = shaderText(std::string(name) + std::string(extension));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The driver's log without its line breaks, short enough for a sentence.
std::string oneLine(const char* log) {
    std::string line;
    for (const char* c = log; *c && line.size() < 200; ++c) line += *c == '\n' || *c == '\r' ? ' ' : *c;
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line.empty() ? "no reason given" : line;
}

unsigned compile(unsigned kind, std::string_view name, std::string_view extension, std::string& failure) {
#ifdef __EMSCRIPTEN__
    const std::string source = shaderSource(fileText(name, extension), true);
#else
    const std::string source = shaderSource(fileText(name, extension), false);
#endif
    const unsigned shader = glCreateShader(kind);
    const char* text = source.c_str();
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    GLint done = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done) return shader;
    std::array<char, 512> log{};
    glGetShaderInfoLog(shader, log.size(), nullptr, log.data());
    failure = "The shader " + std::string(name) + std::string(extension) + " does not compile: " + oneLine(log.data()) + ".";
    glDeleteShader(shader);
    return 0;
}

#ifndef __EMSCRIPTEN__
bool canLabel() {
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; ++i) {
        const auto* name = reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
        if (name && std::strcmp(name, "GL_KHR_debug") == 0) return true;
    }
    return false;
}
#endif

}  // namespace

std::string shaderSource(std::string_view glslEs, bool es) {
    if (es) return std::string(glslEs);
    std::string source = "#version 330 core\n";
    for (std::size_t at = 0; at < glslEs.size();) {
        const std::size_t end = std::min(glslEs.find('\n', at), glslEs.size() - 1) + 1;
        const std::string_view line = glslEs.substr(at, end - at);
        // Empty lines in their place: the driver's line numbers stay those of the file.
        if (line.substr(0, 9) != "#version ") source += line.substr(0, 10) == "precision " ? std::string_view("\n") : line;
        at = end;
    }
    return source;
}

unsigned makeProgram(std::string_view name, std::span<const char* const> attributes, std::string& failure) {
    const unsigned vertex = compile(GL_VERTEX_SHADER, name, ".vert", failure);
    const unsigned fragment = vertex ? compile(GL_FRAGMENT_SHADER, name, ".frag", failure) : 0;
    unsigned program = 0;
    if (fragment) {
        program = glCreateProgram();
        glAttachShader(program, vertex);
        glAttachShader(program, fragment);
        for (GLuint i = 0; i < attributes.size(); ++i) glBindAttribLocation(program, i, attributes[i]);
        glLinkProgram(program);
        GLint done = 0;
        glGetProgramiv(program, GL_LINK_STATUS, &done);
        if (!done) {
            std::array<char, 512> log{};
            glGetProgramInfoLog(program, log.size(), nullptr, log.data());
            failure = "The shader program " + std::string(name) + " does not link: " + oneLine(log.data()) + ".";
            glDeleteProgram(program);
            program = 0;
        }
    }
    if (vertex) glDeleteShader(vertex);
    if (fragment) glDeleteShader(fragment);
    if (program) labelObject(0x82E2 /* GL_PROGRAM, absent from GLES 3.0's header */, program, name);
    return program;
}

#ifdef __EMSCRIPTEN__
void labelObject(unsigned, unsigned, std::string_view) {}
#else
void labelObject(unsigned kind, unsigned object, std::string_view label) {
    static const bool can = canLabel();
    if (can) glObjectLabel(kind, object, static_cast<GLsizei>(label.size()), label.data());
}
#endif

}  // namespace kappaflow
