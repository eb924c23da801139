#include "app/window_glfw.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "app/app.h"
#include "app/screen.h"
#include "draw/gl/gl_api.h"
#include "draw/own_fonts.h"
#include "draw/raster.h"
#include "jobs/attachment.h"
#include "jobs/export.h"
#include "notesText.h"

namespace kappaflow {
namespace {

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

constexpr int kSettledFrames = 8;

void writePpm(const std::string& path, int width, int height, const std::vector<unsigned char>& pixels) {
    std::ofstream out(path, std::ios::binary);
    out << "P6\n" << width << ' ' << height << "\n255\n";
    for (int row = height - 1; row >= 0; --row)  // GL counts rows from below
        out.write(reinterpret_cast<const char*>(pixels.data()) + static_cast<std::ptrdiff_t>(row) * width * 3, width * 3);
}

/// An environment variable's text, empty when unset.
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

constexpr int kMostFiles = 2;  // dropped at once: images and their labels
constexpr double kLongestWait = 60;

UiMode uiNamed(const std::string& name) { return name == "figure" ? UiMode::Figure : name == "lesson" ? UiMode::Lesson : UiMode::Full; }

// A notes file is embedded under its scene's folder name.
std::vector<NoteLine> notesOf(std::string_view scene) {
    std::string folder(scene);
    std::replace(folder.begin(), folder.end(), '-', '_');
    const auto bytes = notesText(folder + ".md");
    return readNotes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

class DesktopWindow {
public:
    DesktopWindow(GLFWwindow*, Screenshot);
    ~DesktopWindow();
    DesktopWindow(const DesktopWindow&) = delete;
    DesktopWindow& operator=(const DesktopWindow&) = delete;

    App& app() { return app_; }
    void attach(const std::string& path, std::optional<Kind> as = {});
    int run();

private:
    void setUpOptions();
    void listen();
    double scale() const;
    double drawOnce();
    void grantWishes();
    void save(const std::string& text, const std::string& extension);

    GLFWwindow* window_;
    Screenshot shot_;
    App app_;
};

DesktopWindow& windowOf(GLFWwindow* window) { return *static_cast<DesktopWindow*>(glfwGetWindowUserPointer(window)); }

DesktopWindow::DesktopWindow(GLFWwindow* window, Screenshot shot)
    : window_(window), shot_(std::move(shot)), app_(makeThreadRunner(), [] { return glfwGetTime(); }) {
    app_.screen().fonts().setFiles(ownFonts());
    app_.setNotesSource(notesOf);
    setUpOptions();
    glfwSetWindowUserPointer(window_, this);
    app_.screen().io().ConfigFlags &= ~ImGuiConfigFlags_NoMouseCursorChange;
    ImGui_ImplGlfw_InitForOpenGL(window_, false);
    listen();
    if (const std::string why = app_.screen().glReady(); !why.empty()) app_.session().say(why);
}

DesktopWindow::~DesktopWindow() {
    app_.screen().glDestroy();
    ImGui_ImplGlfw_Shutdown();
}

void DesktopWindow::setUpOptions() {
    Options options;
    options.native = true;
    options.dark = environmentText("KAPPAFLOW_THEME") == "dark";
    options.highContrast = environmentText("KAPPAFLOW_CONTRAST") == "more";
    options.ui = uiNamed(environmentText("KAPPAFLOW_UI"));
#ifdef __APPLE__
    options.macKeys = true;
#endif
    app_.setOptions(options);
}

/// A callback that wakes the frame and passes its event on to ImGui.
template <auto pass>
struct Waking;
template <class... Args, void (*pass)(GLFWwindow*, Args...)>
struct Waking<pass> {
    static void call(GLFWwindow* window, Args... args) {
        windowOf(window).app().wake();
        pass(window, args...);
    }
};

void DesktopWindow::listen() {
    // Positions in our pixels, which on some systems are not the window's.
    glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double x, double y) {
        windowOf(w).app_.wake();
        const double scale = windowOf(w).scale();
        ImGui_ImplGlfw_CursorPosCallback(w, x / scale, y / scale);
    });
    glfwSetMouseButtonCallback(window_, Waking<ImGui_ImplGlfw_MouseButtonCallback>::call);
    glfwSetScrollCallback(window_, Waking<ImGui_ImplGlfw_ScrollCallback>::call);
    glfwSetKeyCallback(window_, Waking<ImGui_ImplGlfw_KeyCallback>::call);
    glfwSetCharCallback(window_, Waking<ImGui_ImplGlfw_CharCallback>::call);
    glfwSetCursorEnterCallback(window_, Waking<ImGui_ImplGlfw_CursorEnterCallback>::call);
    glfwSetWindowFocusCallback(window_, Waking<ImGui_ImplGlfw_WindowFocusCallback>::call);
    glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { windowOf(w).app_.wake(); });
    glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
        for (int i = 0; i < count && i < kMostFiles; ++i) windowOf(w).attach(paths[i]);
        if (count > kMostFiles)
            windowOf(w).app_.session().say("Of " + std::to_string(count) +
                                           " files the first two were read: a network or data, or images and their labels.");
    });
}

// DesktopWindow units per pixel of ours: 1 where the system scales windows itself, the content scale where it does not.
double DesktopWindow::scale() const {
    int width = 1, height = 1, pixelsWide = 1, pixelsHigh = 1;
    float contentX = 1, contentY = 1;
    glfwGetWindowSize(window_, &width, &height);
    glfwGetFramebufferSize(window_, &pixelsWide, &pixelsHigh);
    glfwGetWindowContentScale(window_, &contentX, &contentY);
    const double ownScale = static_cast<double>(pixelsWide) / std::max(width, 1);
    return std::max(0.5, contentX / std::max(ownScale, 0.1));
}

void DesktopWindow::attach(const std::string& path, std::optional<Kind> as) {
    app_.wake();
    try {
        // Weights that an ONNX model keeps in another file come with it.
        const auto file = readNetworkFile(path);
        if (as)
            app_.session().attachAs(*as, file->name, file->bytes);
        else
            app_.session().attach(file->name, file->bytes);
    } catch (const std::bad_alloc&) {
        app_.session().say("There is not enough memory for " + path + ".");
    } catch (const std::exception& error) {  // called by C code, which nothing may be thrown through
        app_.session().say(error.what());
    }
}

double DesktopWindow::drawOnce() {
    int width = 0, height = 0, pixelsWide = 0, pixelsHigh = 0;
    glfwGetWindowSize(window_, &width, &height);
    glfwGetFramebufferSize(window_, &pixelsWide, &pixelsHigh);
    if (width <= 0 || height <= 0 || pixelsWide <= 0) return kLongestWait;  // minimised
    app_.screen().io();
    ImGui_ImplGlfw_NewFrame();
    const double scale = this->scale();
    const double next = app_.frame({glfwGetTime(), width / scale, height / scale, pixelsWide * scale / width});
    grantWishes();
    return next;
}

/// Two pixels for one of the window's; "" before there is a report.
std::string figurePng(App& app) {
    const auto figure = figureRequest(app, {.dark = app.options().dark});
    if (!figure) return {};
    RasterCanvas canvas(ownFonts(), figure->width, figure->height, 2);
    return picturePng(canvas.draw(figure->theme(), [&](Painter& painter) { drawPicture(painter, *figure); }), figure->state);
}

void DesktopWindow::grantWishes() {
    for (const auto& wish : app_.takeWishes()) switch (wish.what) {
            case Wish::What::CopyLink:
                glfwSetClipboardString(window_, app_.link().c_str());
                break;
            case Wish::What::CopyText:
                glfwSetClipboardString(window_, wish.text.c_str());
                break;
            case Wish::What::OpenFile:
                app_.session().say(
                    "Drop a file onto this window: a network (ONNX, safetensors, npz), points with their classes (CSV, JSON, npz), or "
                    "images, with "
                    "their labels or without (MNIST, CIFAR-10).");
                break;
            case Wish::What::Download:
                if (wish.text == "onnx") {
                    const std::vector<unsigned char> file = app_.session().takeNetworkFile();
                    save({file.begin(), file.end()}, wish.text);
                } else if (const Report* report = app_.wholeReport())
                    save(exportReport(*report, wish.text), wish.text);
                break;
            case Wish::What::SaveFigure:
                save(wish.text == "png" ? figurePng(app_) : figureSvg(app_, {.dark = app_.options().dark}), wish.text);
                break;
            case Wish::What::FullScreen:
            case Wish::What::CopyEmbedCode:  // a page's alone
            case Wish::What::Theme:
            case Wish::What::Contrast:
            case Wish::What::TypeParam:
                break;
        }
}

// Beside where the program was started, never over a file that is there.
void DesktopWindow::save(const std::string& text, const std::string& extension) {
    if (text.empty()) return;
    std::string name;
    for (int i = 1; name.empty() || std::filesystem::exists(name); ++i)
        name = app_.session().state().scene + (i > 1 ? "-" + std::to_string(i) : "") + "." + extension;
    std::ofstream out(name, std::ios::binary);
    out << text;
    out.close();
    app_.session().say(out ? "Saved as " + std::filesystem::absolute(name).string() + "." : "The file " + name + " cannot be written.");
}

int DesktopWindow::run() {
    while (!glfwWindowShouldClose(window_)) {
        const double next = drawOnce();
        if (app_.drewLastFrame()) {
            if (shot_.wanted() && shot_.take(window_, app_)) return 0;
            glfwSwapBuffers(window_);
        }
        if (next == 0)
            glfwPollEvents();
        else
            glfwWaitEventsTimeout(next < 0 ? kLongestWait : next);
    }
    return 0;
}

GLFWwindow* createWindow(const Screenshot& shot) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    return glfwCreateWindow(shot.width, shot.height, "Kappaflow", nullptr, nullptr);
}

int refuse() {
    const char* why = nullptr;
    glfwGetError(&why);
    std::cerr << "kappaflow: no window can be opened (" << (why ? why : "unknown reason")
              << "); everything else works without one, see kappaflow --help.\n";
    return 1;
}

}  // namespace

int openWindow(const std::string& link, const std::string& networkFile, const std::string& dataFile) {
    Screenshot shot = Screenshot::fromEnvironment();
    if (!glfwInit()) return refuse();
    GLFWwindow* handle = createWindow(shot);
    int status = 1;
    if (!handle) {
        status = refuse();
    } else {
        glfwMakeContextCurrent(handle);
        glfwSwapInterval(1);
        DesktopWindow window(handle, std::move(shot));
        if (!link.empty()) window.app().openLink(link);
        if (!networkFile.empty()) window.attach(networkFile, Kind::Network);
        if (!dataFile.empty()) window.attach(dataFile, Kind::Data);
        status = window.run();
    }
    if (handle) glfwDestroyWindow(handle);
    glfwTerminate();
    return status;
}

}  // namespace kappaflow
