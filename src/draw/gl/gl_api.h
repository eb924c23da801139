#pragma once
// OpenGL 3.3 core natively, OpenGL ES 3.0 (WebGL2) on the page: the same calls.
#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#else
#include <GL/gl.h>
#include <GL/glext.h>
#endif
