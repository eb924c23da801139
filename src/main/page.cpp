// The page's module: the program behind a class that the host (web/host.mjs) drives. Nothing here touches the document.
#include <emscripten/bind.h>
#include <emscripten/html5.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/app.h"
#include "app/describe.h"
#include "app/host_runner.h"
#include "app/screen.h"
#include "app/web_keys_web.h"
#include "core/base/errors.h"
#include "draw/markup.h"
#include "jobs/codec.h"
#include "main/page_views.h"

namespace kappaflow {
namespace {

constexpr double kTouchSlack = 24, kNotch = 1.1;

double now() { return emscripten_get_now() / 1000; }

std::set<std::string, std::less<>> keysOf(const std::string& commaSeparated) {
    std::set<std::string, std::less<>> keys;
    for (std::size_t i = 0; i < commaSeparated.size();) {
        const std::size_t end = std::min(commaSeparated.find(',', i), commaSeparated.size());
        if (end > i) keys.insert(commaSeparated.substr(i, end - i));
        i = end + 1;
    }
    return keys;
}

/// Bits of the numbers in "0,2"; all where there are none.
unsigned ranksOf(const std::string& commaSeparated) {
    unsigned ranks = 0;
    for (const auto& key : keysOf(commaSeparated))
        if (key.size() == 1 && key[0] >= '0' && key[0] <= '9') ranks |= 1u << (key[0] - '0');
    return ranks ? ranks : ~0u;
}

/// Of the scene that a link shows: what has to be fetched before it can be computed.
std::string bundleOf(const std::string& link) {
    std::vector<std::string> warnings;
    return requireDeclaration(parseLink(link, warnings).scene).bundle;
}

/// Bundles whose drawing code is a module of its own (tools/scripts/split_pictures.mjs) and not here yet.
std::set<std::string, std::less<>>& awaitedPictures() {
    static std::set<std::string, std::less<>> bundles;
    return bundles;
}
void awaitPictures(const std::string& bundle) { awaitedPictures().insert(bundle); }
void picturesCame(const std::string& bundle) { awaitedPictures().erase(bundle); }

/// "#rrggbb" of a mark's colour, moved towards the text's until it can be read as text.
std::string readable(Color color, const Theme& theme) {
    for (int i = 0; i < 20 && contrast(color, theme.ground) < 4.5; ++i) color = mix(color, theme.text, 0.15);
    std::string text = "#";
    for (const float part : {color.r, color.g, color.b}) {
        const int level = static_cast<int>(std::lround(255 * part));
        for (const int digit : {level / 16, level % 16}) text += "0123456789abcdef"[digit];
    }
    return text;
}

UiMode uiNamed(const std::string& name) { return name == "figure" ? UiMode::Figure : name == "lesson" ? UiMode::Lesson : UiMode::Full; }

}  // namespace

/// One page (or one of several figures on it). Every method is safe to call at any time, with or without GL.
class Page {
public:
    Page() : Page(std::make_unique<HostRunner>()) {}

    std::string setFonts(const val& files) {
        const auto ui = bytesOf(files["ui"]), italic = bytesOf(files["italic"]), bold = bytesOf(files["bold"]),
                   math = bytesOf(files["math"]);
        std::string why = app_.screen().fonts().setFiles({ui, italic, bold, math});
        app_.wake();
        return why;
    }
    /// `translate(english)`: what stands on the screen in its place; for all pages of this module.
    void setWords(val translate) {
        setTranslation([translate](std::string_view english) { return translate(std::string(english)).as<std::string>(); });
        app_.wake();
    }
    std::string glReady() {
        context_ = emscripten_webgl_get_current_context();
        app_.wake();
        return app_.screen().glReady();
    }
    void glLost() {
        app_.screen().glLost();
        context_ = 0;
    }
    /// Counts since the page was opened, for the diagnostics.
    void noteContexts(double taken, double givenBack, double lost, double restored) {
        const auto count = [](double value) { return value > 0 && value < 1e15 ? static_cast<std::uint64_t>(value) : 0; };
        app_.noteContexts({count(taken), count(givenBack), count(lost), count(restored)});
    }
    /// Before delete(): frees what lives on the GPU.
    void close() {
        if (!context_ || emscripten_webgl_make_context_current(context_) != EMSCRIPTEN_RESULT_SUCCESS) return;
        app_.screen().glDestroy();
        context_ = 0;
    }

    void setOptions(const val& given) {
        Options options = app_.options();
        options.ui = uiNamed(optionOf<std::string>(given, "ui", "full"));
        options.dark = optionOf(given, "dark", options.dark);
        options.highContrast = optionOf(given, "highContrast", options.highContrast);
        options.reducedMotion = optionOf(given, "reducedMotion", options.reducedMotion);
        options.touch = optionOf(given, "touch", options.touch);
        options.embedded = optionOf(given, "embedded", options.embedded);
        options.fullScreen = optionOf(given, "fullScreen", options.fullScreen);
        options.macKeys = optionOf(given, "mac", options.macKeys);
        options.hide = keysOf(optionOf<std::string>(given, "hide", ""));
        options.lock = keysOf(optionOf<std::string>(given, "lock", ""));
        const auto spots = keysOf(optionOf<std::string>(given, "spots", ""));
        options.spots = {spots.begin(), spots.end()};
        options.lit = optionOf<std::string>(given, "lit", "");
        options.panels = ranksOf(optionOf<std::string>(given, "focus", ""));
        io().ConfigMacOSXBehaviors = options.macKeys;
        app_.setOptions(std::move(options));
    }
    /// A line "id #rrggbb", and " pointed", of each of the spots given as an option that the picture has.
    std::string spots() const {
        std::string lines;
        for (const Spot& spot : app_.spots())
            if (spot.color.a > 0) lines += spot.id + ' ' + readable(spot.color, app_.theme()) + (spot.pointed ? " pointed\n" : "\n");
        return lines;
    }
    void resize(double width, double height, double pixelRatio) {
        const auto within = [](double value, double low, double high) { return value >= low && value <= high ? value : low; };
        size_ = {size_.now, within(width, 1, 16384), within(height, 1, 16384), within(pixelRatio, 0.25, 8)};
        app_.wake();
    }

    void pointerMove(double x, double y, bool isTouch) {
        io().AddMouseSourceEvent(isTouch ? ImGuiMouseSource_TouchScreen : ImGuiMouseSource_Mouse);
        io().AddMousePosEvent(static_cast<float>(x), static_cast<float>(y));
        touching_ = isTouch;
        input();
    }
    void pointerDown(int button) { button_(button, true); }
    // A finger that is gone points nowhere.
    void pointerUp(int button) {
        button_(button, false);
        if (touching_) io().AddMousePosEvent(-FLT_MAX, -FLT_MAX);
    }
    void pointerLeave() {
        io().AddMousePosEvent(-FLT_MAX, -FLT_MAX);
        input();
    }
    /// In notches, as ImGui counts them: positive is up. With the zoom key the wheel is for the picture alone.
    void wheel(double dx, double dy, bool zoomKey) {
        const ImVec2 at = io().MousePos;
        if (zoomKey)
            app_.screen().pinch({at.x, at.y}, std::pow(kNotch, dy));
        else
            io().AddMouseWheelEvent(static_cast<float>(dx), static_cast<float>(dy));
        input();
    }
    void pinch(double x, double y, double factor) {
        app_.screen().pinch({x, y}, factor);
        input();
    }
    void key(const std::string& code, bool down, bool ctrl, bool shift, bool alt, bool meta) {
        ImGuiIO& io = this->io();
        io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
        io.AddKeyEvent(ImGuiMod_Shift, shift);
        io.AddKeyEvent(ImGuiMod_Alt, alt);
        io.AddKeyEvent(ImGuiMod_Super, meta);
        if (const ImGuiKey key = keyOfCode(code); key != ImGuiKey_None) io.AddKeyEvent(key, down);
        input();
    }
    void text(const std::string& utf8) {
        io().AddInputCharactersUTF8(utf8.c_str());
        input();
    }
    // ImGui lets go of every key when the focus is lost.
    void focus(bool focused) {
        io().AddFocusEvent(focused);
        input();
    }

    double frame(double nowSeconds) {
        if (context_) emscripten_webgl_make_context_current(context_);
        app_.screen().io();
        size_.now = nowSeconds;
        return app_.frame(size_);
    }
    bool needsFrame() const { return app_.needsFrame(); }
    bool wantsPointerAt(double x, double y) const {
        return app_.screen().interactiveAt({x, y}) || app_.handles().hits({x, y}, app_.options().touch || touching_ ? kTouchSlack : 0);
    }
    bool wantsWheelAt(double x, double y) const { return app_.screen().scrollableAt({x, y}); }
    bool zoomsAt(double x, double y) const { return app_.handles().takesWheelAt({x, y}) && !app_.screen().interactiveAt({x, y}); }
    std::string cursor() const { return cursorName(app_.screen().cursor()); }
    bool wantsText() const { return app_.screen().wantsText(); }

    void openLink(const std::string& link) { app_.openLink(link); }
    std::string link() const { return app_.link(); }
    double stateVersion() const { return static_cast<double>(app_.version()); }
    val describe() const { return appView(app_); }

    void setScene(const std::string& id) { change(Change::scene(id)); }
    std::string setParam(const std::string& key, const std::string& text) {
        std::string why = app_.session().setText(key, text);
        app_.wake();
        return why;
    }
    void setPreset(const std::string& name) { change(Change::preset(name)); }
    void reset() { change(Change::reset()); }
    void moveHandle(const std::string& id, double value) { app_.moveHandle(id, value); }
    void focusHandle(const std::string& id) { app_.focusHandle(id); }
    void play(bool on) { app_.play(on); }
    void step(int direction) { app_.step(direction); }
    void seek(double at) { app_.scrub(at); }
    /// Seconds of playing from one end to the other, and where it stands after a share of them.
    double duration() const { return app_.playhead().duration(); }
    double valueAfter(double share) const { return app_.hasTimeline() ? app_.playhead().valueAfter(share) : 0; }
    void setSpeed(double speed) { app_.setSpeed(speed); }
    void undo() { app_.undo(); }
    void redo() { app_.redo(); }
    void dismiss() {
        app_.session().dismissMessage();
        app_.session().dismissWarnings();
    }
    /// A sentence to be shown as a message (a file the browser could not read).
    void say(const std::string& sentence) { app_.session().say(sentence); }
    /// The same as a warning, beside what the link gets wrong.
    void warn(const std::string& sentence) { app_.session().warn(sentence); }
    void attach(const std::string& name, const val& bytes) {
        app_.session().attach(name, bytesOf(bytes));
        app_.wake();
    }

    val takeOutbox() {
        val outbox = listOf(runner_->takeOrders(), orderView);
        for (const auto& wish : app_.takeWishes()) outbox.call<void>("push", wishView(wish));
        return outbox;
    }
    /// Touches memory for a message of so many bytes, for some milliseconds a call: fresh pages can cost more than what is read into them.
    /// Returns whether there is more to touch. (Behind a large message the next finds memory in use already.)
    bool touchMemory(double bytes) {
        constexpr std::size_t kPage = 4096, kPages = 64;
        const auto size = static_cast<std::size_t>(large_ || bytes < kLarge / 4 ? 0 : bytes);
        if (size != touchedSize_) touched_.reset(size > 0 ? new volatile char[size] : nullptr), touchedSize_ = size, touchedBytes_ = 0;
        for (const double end = now() + 0.008; touchedBytes_ < size && now() < end;)
            for (std::size_t i = 0; i < kPages && touchedBytes_ < size; ++i, touchedBytes_ += kPage) touched_[touchedBytes_] = 1;
        if (touchedBytes_ < size) return true;
        touched_.reset();
        touchedSize_ = 0;
        return false;
    }
    void jobEvent(const val& bytes) {
        const bool large = bytes["length"].as<double>() > kLarge;
        const auto seen = app_.session().resultsSeen();
        if (large && large_) app_.forgetNumbers();
        runner_->deliver(streamOf(bytes));
        app_.session().poll();
        if (app_.session().resultsSeen() != seen) large_ = large;
    }
    void stop() {
        app_.session().stop();
        app_.wake();
    }
    void askForNetworkFile() {
        app_.session().askForNetworkFile();
        app_.wake();
    }
    /// The file of the reader's own that the state shows: {name, bytes}; without one the bytes are none.
    val networkFile() const {
        const Attachment* file = app_.session().network();
        val view = val::object();
        view.set("name", file ? file->name : "");
        view.set("bytes", arrayOf(file ? file->bytes : std::vector<unsigned char>{}));
        return view;
    }
    val takeNetworkFile() { return arrayOf(app_.session().takeNetworkFile()); }
    val reportBytes() {
        const Report* shown = app_.wholeReport();
        if (!shown) return arrayOf({});
        const val pieces = val::array();
        double size = 0;
        writeReport(*shown, namedParams(*shown), [&](std::span<const unsigned char> piece) {
            pieces.call<void>("push", arrayOf(piece));
            size += static_cast<double>(piece.size());
        });
        return joined(pieces, size);
    }
    /// The current picture as an SVG document, "" before there is a report and what draws it. Sizes of 0: as on the screen.
    std::string figureSvg(double width, double height, bool dark, const std::string& link, const std::string& caption) {
        return kappaflow::figureSvg(app_, {width, height, dark, link, caption});
    }
    val counters() const {
        const Counters counters = app_.counters();
        val view = val::object();
        view.set("frames", static_cast<double>(counters.frames));
        view.set("ticks", static_cast<double>(counters.ticks));
        view.set("results", static_cast<double>(counters.results));
        view.set("drawMilliseconds", counters.drawMilliseconds);
        view.set("jobMilliseconds", counters.jobMilliseconds);
        view.set("contextsTaken", static_cast<double>(counters.contexts.taken));
        view.set("contextsGivenBack", static_cast<double>(counters.contexts.givenBack));
        view.set("contextsLost", static_cast<double>(counters.contexts.lost));
        view.set("contextsRestored", static_cast<double>(counters.contexts.restored));
        return view;
    }

private:
    // The queue owns the runner; we keep a look at it to carry its messages.
    explicit Page(std::unique_ptr<HostRunner> runner) : runner_(runner.get()), app_(std::move(runner), now) {
        io().SetClipboardTextFn = [](void* page, const char* text) { static_cast<Page*>(page)->app_.wish({Wish::What::CopyText, text}); };
        io().GetClipboardTextFn = [](void*) { return ""; };  // pasted text comes as text()
        io().ClipboardUserData = this;
        app_.setPicturesReady([](const std::string& bundle) { return !awaitedPictures().contains(bundle); });
    }
    ImGuiIO& io() { return app_.screen().io(); }
    void input() { app_.wake(); }
    void button_(int button, bool down) {
        if (button < 0 || button > 2) return;
        // The browser counts left, middle, right; ImGui left, right, middle.
        io().AddMouseButtonEvent(button == 1 ? 2 : button == 2 ? 1 : 0, down);
        input();
    }
    void change(const Change& change) {
        app_.session().change(change);
        app_.wake();
    }

    HostRunner* runner_;
    App app_;
    FrameInput size_;
    EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context_ = 0;
    bool touching_ = false;
    bool large_ = false;  ///< the shown result came as more than kLarge bytes
    std::unique_ptr<volatile char[]> touched_;
    std::size_t touchedSize_ = 0, touchedBytes_ = 0;
    static constexpr double kLarge = 1 << 24;
};

}  // namespace kappaflow

EMSCRIPTEN_BINDINGS(page) {
    using kappaflow::Page;
    emscripten::function("bundleOf", &kappaflow::bundleOf);
    emscripten::function("awaitPictures", &kappaflow::awaitPictures);
    emscripten::function("picturesCame", &kappaflow::picturesCame);
    emscripten::class_<Page>("Page")
        .constructor<>()
        .function("setFonts", &Page::setFonts)
        .function("setWords", &Page::setWords)
        .function("glReady", &Page::glReady)
        .function("glLost", &Page::glLost)
        .function("noteContexts", &Page::noteContexts)
        .function("close", &Page::close)
        .function("setOptions", &Page::setOptions)
        .function("spots", &Page::spots)
        .function("resize", &Page::resize)
        .function("pointerMove", &Page::pointerMove)
        .function("pointerDown", &Page::pointerDown)
        .function("pointerUp", &Page::pointerUp)
        .function("pointerLeave", &Page::pointerLeave)
        .function("wheel", &Page::wheel)
        .function("pinch", &Page::pinch)
        .function("key", &Page::key)
        .function("text", &Page::text)
        .function("focus", &Page::focus)
        .function("frame", &Page::frame)
        .function("needsFrame", &Page::needsFrame)
        .function("wantsPointerAt", &Page::wantsPointerAt)
        .function("wantsWheelAt", &Page::wantsWheelAt)
        .function("zoomsAt", &Page::zoomsAt)
        .function("cursor", &Page::cursor)
        .function("wantsText", &Page::wantsText)
        .function("openLink", &Page::openLink)
        .function("link", &Page::link)
        .function("stateVersion", &Page::stateVersion)
        .function("describe", &Page::describe)
        .function("setScene", &Page::setScene)
        .function("setParam", &Page::setParam)
        .function("setPreset", &Page::setPreset)
        .function("reset", &Page::reset)
        .function("moveHandle", &Page::moveHandle)
        .function("focusHandle", &Page::focusHandle)
        .function("play", &Page::play)
        .function("step", &Page::step)
        .function("seek", &Page::seek)
        .function("duration", &Page::duration)
        .function("valueAfter", &Page::valueAfter)
        .function("setSpeed", &Page::setSpeed)
        .function("undo", &Page::undo)
        .function("redo", &Page::redo)
        .function("dismiss", &Page::dismiss)
        .function("say", &Page::say)
        .function("warn", &Page::warn)
        .function("attach", &Page::attach)
        .function("takeOutbox", &Page::takeOutbox)
        .function("touchMemory", &Page::touchMemory)
        .function("jobEvent", &Page::jobEvent)
        .function("askForNetworkFile", &Page::askForNetworkFile)
        .function("networkFile", &Page::networkFile)
        .function("takeNetworkFile", &Page::takeNetworkFile)
        .function("stop", &Page::stop)
        .function("reportBytes", &Page::reportBytes)
        .function("figureSvg", &Page::figureSvg)
        .function("counters", &Page::counters);
}
