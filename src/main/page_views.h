#pragma once
#include <emscripten/bind.h>
#include <imgui.h>

#include <span>
#include <string>
#include <vector>

#include "app/describe.h"
#include "app/host_runner.h"
#include "app/layout.h"
#include "jobs/bytes_web.h"
#include "jobs/codec.h"

// What the page's module hands to JavaScript, and what it takes from there.
namespace kappaflow {

using emscripten::val;

inline std::vector<unsigned char> bytesOf(const val& array) {
    if (array.isNull() || array.isUndefined()) return {};
    return bytesIn(array);
}

/// A message as it lies in JavaScript's memory: a large one takes no room in ours.
inline Stream streamOf(const val& array) {
    const auto size = array["length"].as<std::size_t>(), most = std::min<std::size_t>(size, 1 << 16);
    return {size, [=, at = std::size_t{0}, piece = std::vector<unsigned char>(most), used = most](void* to, std::size_t wanted) mutable {
                for (auto* next = static_cast<unsigned char*>(to); wanted > 0;) {
                    if (used == piece.size()) {
                        piece.resize(std::min(piece.size(), size - at));
                        copyFrom(array, at, piece.data(), piece.size());
                        at += piece.size(), used = 0;
                    }
                    const std::size_t count = std::min(wanted, piece.size() - used);
                    std::copy_n(&piece[used], count, next);
                    used += count, next += count, wanted -= count;
                }
            }};
}

// A copy: a view into our memory would die with the next allocation.
inline val arrayOf(std::span<const unsigned char> bytes) {
    return val::global("Uint8Array").new_(val(emscripten::typed_memory_view(bytes.size(), bytes.data())));
}

/// Arrays one behind the other.
inline val joined(const val& arrays, double size) {
    const val whole = val::global("Uint8Array").new_(size);
    double at = 0;
    for (unsigned i = 0; i < arrays["length"].as<unsigned>(); ++i) {
        whole.call<void>("set", arrays[i], at);
        at += arrays[i]["length"].as<double>();
    }
    return whole;
}

template <class Items, class Make>
val listOf(const Items& items, Make&& make) {
    val list = val::array();
    for (const auto& item : items) list.call<void>("push", make(item));
    return list;
}

template <class T>
T optionOf(const val& options, const char* key, T otherwise) {
    const val value = options[key];
    return value.isUndefined() || value.isNull() ? otherwise : value.as<T>();
}

inline val optionView(const OptionRow& option) {
    val view = val::object();
    view.set("key", std::string(option.key));
    view.set("label", std::string(option.label));
    return view;
}

inline std::string groupText(Group group) { return group == Group::Main ? "main" : group == Group::More ? "more" : "hidden"; }

inline val controlView(const ControlView& control) {
    const Param& param = *control.param;
    val view = val::object();
    view.set("key", std::string(param.key));
    view.set("kind", std::string(kindText(param.kind)));
    view.set("label", std::string(param.label));
    view.set("symbol", std::string(param.symbol));
    view.set("unit", std::string(param.unit));
    view.set("help", std::string(param.help));
    view.set("min", param.min);
    view.set("max", param.max);
    view.set("step", control.step);
    view.set("logarithmic", param.logarithmic);
    view.set("options", listOf(param.options, optionView));
    view.set("value", control.value);
    view.set("visible", control.visible);
    view.set("offered", control.offered);
    view.set("group", groupText(param.group));
    return view;
}

inline val handleView(const Handle& handle) {
    val view = val::object();
    view.set("id", handle.id);
    view.set("label", handle.label);
    view.set("valueText", handle.valueText);
    view.set("value", handle.value);
    view.set("min", handle.min);
    view.set("max", handle.max);
    view.set("step", handle.step);
    view.set("x", handle.rect.lo.x);
    view.set("y", handle.rect.lo.y);
    view.set("width", handle.rect.width());
    view.set("height", handle.rect.height());
    return view;
}

inline val wishView(const Wish& wish) {
    constexpr const char* kNames[] = {"copyLink",   "copyText", "copyEmbedCode", "openFile",  "download",
                                      "saveFigure", "theme",    "contrast",      "typeParam", "fullScreen"};
    val view = val::object();
    view.set("what", std::string(kNames[static_cast<std::size_t>(wish.what)]));
    if (wish.what == Wish::What::Download || wish.what == Wish::What::SaveFigure) view.set("format", wish.text);
    if (wish.what == Wish::What::CopyText) view.set("text", wish.text);
    if (wish.what == Wish::What::TypeParam) view.set("key", wish.text);
    if (wish.what == Wish::What::Theme) view.set("dark", wish.text == "dark");
    if (wish.what == Wish::What::Contrast) view.set("contrast", wish.text);
    return view;
}

inline val orderView(const HostRunner::Order& order) {
    val view = val::object();
    view.set("what", std::string(order.start ? "start" : "cancel"));
    view.set("job", static_cast<double>(order.job));
    if (!order.start) return view;
    view.set("bundle", order.bundle);
    view.set("bytes", arrayOf(encodeRequest(order.request)));
    return view;
}

inline const char* cursorName(ImGuiMouseCursor cursor) {
    switch (cursor) {
        case ImGuiMouseCursor_TextInput:
            return "text";
        case ImGuiMouseCursor_Hand:
            return "pointer";
        case ImGuiMouseCursor_ResizeNS:
            return "ns-resize";
        case ImGuiMouseCursor_ResizeEW:
            return "ew-resize";
        case ImGuiMouseCursor_ResizeAll:
            return "move";
        case ImGuiMouseCursor_NotAllowed:
            return "not-allowed";
        default:
            return "default";
    }
}

inline val appView(const App& app) {
    const Session& session = app.session();
    const Declaration& scene = session.scene();
    const Heading heading = headingOf(session);
    const int preset = presetOf(session);
    val all = val::object();
    all.set("scene", scene.id);
    all.set("title", scene.title);
    all.set("claim", heading.claim);
    all.set("lookAt", heading.lookAt);
    all.set("tryThis", heading.tryThis);
    all.set("params", listOf(controlsOf(app), controlView));
    all.set("handles", listOf(app.handles().shown(), handleView));
    all.set("presets", listOf(examplesOf(app), [](const std::string& name) { return val(name); }));
    all.set("preset", preset < 0 ? std::string() : scene.presets[static_cast<std::size_t>(preset)].name);
    all.set("summary", session.report() ? session.report()->summary : std::string());
    all.set("warnings", listOf(session.warnings(), [](const std::string& warning) { return val(warning); }));
    all.set("status", statusOf(session));
    all.set("message", session.message());
    all.set("progress", session.progress());
    all.set("progressWords", progressWords(session));
    all.set("busy", session.busy());
    all.set("playing", app.playing());
    all.set("speed", app.speed());
    all.set("hasTimeline", app.hasTimeline() && !app.options().isHidden("timeline"));
    all.set("savesNetwork", scene.savesNetwork);
    all.set("at", app.at());
    all.set("canUndo", session.canUndo());
    all.set("canRedo", session.canRedo());
    all.set("dark", app.options().dark);
    all.set("highContrast", app.options().highContrast);
    return all;
}

}  // namespace kappaflow
