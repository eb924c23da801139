#ifdef __EMSCRIPTEN__
#include <algorithm>

#include "draw/gl/gl_api.h"

/**
 * What ImGui's back end calls in place of glGetIntegerv on the page (tools/cmake/frontend.cmake). It asks for the state it is about to
 * change, some fifteen values a frame, and in a browser the first question waits until the graphics process has drawn all before
 * it: 30 to 170 ms a frame with software GL. The page owns its context and whoever draws sets what it needs, so the answer is
 * the state of a new context.
 */
extern "C" void glGetIntegervAsOfNewContext(GLenum name, GLint* values) {
    switch (name) {
        case GL_ACTIVE_TEXTURE:
            *values = GL_TEXTURE0;
            return;
        case GL_VIEWPORT:
        case GL_SCISSOR_BOX:
            std::fill_n(values, 4, 0);
            return;
        case GL_BLEND_SRC_RGB:
        case GL_BLEND_SRC_ALPHA:
            *values = GL_ONE;
            return;
        case GL_BLEND_EQUATION_RGB:
        case GL_BLEND_EQUATION_ALPHA:
            *values = GL_FUNC_ADD;
            return;
        case GL_BLEND_DST_RGB:
        case GL_BLEND_DST_ALPHA:
            *values = GL_ZERO;
            return;
        case GL_CURRENT_PROGRAM:
        case GL_TEXTURE_BINDING_2D:
        case GL_SAMPLER_BINDING:
        case GL_ARRAY_BUFFER_BINDING:
        case GL_VERTEX_ARRAY_BINDING:
            *values = 0;
            return;
        default:
            glGetIntegerv(name, values);
    }
}
#endif
