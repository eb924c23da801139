#include "app/screenshot_glfw.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "app/app.h"
#include "draw/gl/gl_api.h"

namespace kappaflow {
namespace {

constexpr int kSettledFrames = 8;

void writePpm(const std::string& path, int width, int height, const std::vector<unsigned char>& pixels) {
    std::ofstream out(path, std::ios::binary);
    out << "P6\n" << width << ' ' << height << "\n255\n";
    for (int row = height - 1; row >= 0; --row)  // GL counts rows from below
        out.write(reinterpret_cast<const char*>(pixels.data()) + static_cast<std::ptrdiff_t>(row) * width * 3, width * 3);
}

}  // namespace

std::string environmentText(const char* name) {
    const char* text = std::getenv(name);
    return text ? text : "";
}

Screenshot Screenshot::fromEnvironment() {
    Screenshot shot;
    shot.path = environmentText("KAPPAFLOW_SCREENSHOT");
    int width = 0, height = 0;
    if (std::sscanf(environmentText("KAPPAFLOW_SIZE").c_str(), "%dx%d", &width, &height) == 2) {
        shot.width = std::clamp(width, 200, 8000);
        shot.height = std::clamp(height, 150, 8000);
    }
    return shot;
}

bool Screenshot::take(GLFWwindow* window, App& app) {
    const Session& session = app.session();
    const bool complete = !session.busy() && (session.report() || !session.message().empty());
    settled_ = complete ? settled_ + 1 : 0;
    if (settled_ < kSettledFrames) {
        app.wake();
        return false;
    }
    int pixelsWide = 0, pixelsHigh = 0;
    glfwGetFramebufferSize(window, &pixelsWide, &pixelsHigh);
    std::vector<unsigned char> pixels(static_cast<std::size_t>(pixelsWide) * static_cast<std::size_t>(pixelsHigh) * 3);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, pixelsWide, pixelsHigh, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
    writePpm(path, pixelsWide, pixelsHigh, pixels);
    return true;
}

}  // namespace kappaflow
