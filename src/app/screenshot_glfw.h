#pragma once
#include <string>

struct GLFWwindow;

namespace kappaflow {

class App;

/// An environment variable's text, empty when unset.
std::string environmentText(const char* name);

/// A picture of the window, asked of the environment (see openWindow), for documentation and tests.
struct Screenshot {
    std::string path;
    int width = 1280, height = 800;

    static Screenshot fromEnvironment();
    bool wanted() const { return !path.empty(); }
    /// After every drawn frame, before it is swapped: once the result is there and the layout has come to rest, writes the frame as
    /// PPM (P6) and returns true.
    bool take(GLFWwindow*, App&);

private:
    int settled_ = 0;
};

}  // namespace kappaflow
