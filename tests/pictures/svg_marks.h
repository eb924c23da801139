#pragma once
// The marks of a figure and of the screen, side by side.
#include <doctest/doctest.h>
#include <imgui.h>

#include <cmath>
#include <functional>
#include <map>

#include "draw/imgui_painter.h"
#include "draw/imgui_shapes.h"
#include "support/svg.h"
#include "svg_figures.h"

namespace kappaflow {

struct Seen {
    Bounds bounds;
    /// What the screen's may end sooner: the last gap of dashes, straight ends and blunted corners of wide strokes, the room beside a
    /// glyph's ink; and later: the bitmaps of glyphs, which begin and end on whole pixels, and what italics lean over their place.
    double sooner = 0, later = 0;
};
/// Kind and id of marks → what is seen of each, in order.
using Marks = std::map<std::string, std::vector<Seen>>;

/// Draws on ImGui's list and notes where the opaque ink of every mark went.
class ScreenProbe final : public Painter {
public:
    ScreenProbe(ImDrawList& list, const FontSet& fonts, const Theme& theme) : list_(list), inner_(list, fonts, theme, 1, nullptr) {}
    Marks marks;

    using Painter::line;
    void line(std::string_view id, std::span<const Vec2> points, const Stroke& stroke, bool closed) override {
        note("line", id, [&] { inner_.line(id, points, stroke, closed); });
    }
    void polygon(std::string_view id, std::span<const Vec2> points, Color fill) override {
        note("area", id, [&] { inner_.polygon(id, points, fill); });
    }
    void strip(std::string_view id, std::span<const Vec2> upper, std::span<const Vec2> lower, Color fill) override {
        note("area", id, [&] { inner_.strip(id, upper, lower, fill); });
    }
    void rect(std::string_view id, Rect rect, Color fill, double rounding) override {
        note("rect", id, [&] { inner_.rect(id, rect, fill, rounding); });
    }
    void frame(std::string_view id, Rect rect, const Stroke& stroke, double rounding) override {
        note("rect", id, [&] { inner_.frame(id, rect, stroke, rounding); });
    }
    void marker(std::string_view id, Vec2 at, double radius, MarkerShape shape, Color fill, std::optional<Stroke> rim) override {
        note("area", id, [&] { inner_.marker(id, at, radius, shape, fill, rim); });
    }
    void text(std::string_view id, Vec2 at, std::string_view utf8, const TextStyle& style) override {
        note("text", id, [&] { inner_.text(id, at, utf8, style); });
    }
    Vec2 measure(std::string_view utf8, const TextStyle& style) override { return inner_.measure(utf8, style); }
    void field(std::string_view id, Rect dest, const Field2D& field) override {
        note("cells", id, [&] { inner_.field(id, dest, field); });
    }
    void plane(std::string_view id, const PlaneCorners& corners, const Field2D& field, double opacity) override {
        note("cells", id, [&] { inner_.plane(id, corners, field, opacity); });
    }
    void ribbons(std::string_view id, std::span<const Ribbon> ribbons, Vec2 axis) override {
        note("group", id, [&] { inner_.ribbons(id, ribbons, axis); });
    }
    void points(std::string_view id, std::span<const PointMark> points) override {
        note("group", id, [&] { inner_.points(id, points); });
    }
    void cells(std::string_view id, const CellMesh& mesh) override {
        note("group", id, [&] { inner_.cells(id, mesh); });
    }
    void segments(std::string_view id, const SegmentMesh& mesh) override {
        note("line", id, [&] { inner_.segments(id, mesh); });
    }
    void pushClip(Rect rect) override { inner_.pushClip(rect); }
    void popClip() override { inner_.popClip(); }
    double pixelRatio() const override { return 1; }

private:
    void note(const std::string& kind, std::string_view id, const std::function<void()>& draw) {
        const int before = list_.VtxBuffer.Size;
        draw();
        Seen seen;
        for (int i = before; i < list_.VtxBuffer.Size; ++i)
            if (list_.VtxBuffer[i].col >> 24) seen.bounds.add({list_.VtxBuffer[i].pos.x, list_.VtxBuffer[i].pos.y});
        if (!seen.bounds.empty() && !id.empty()) marks[kind + ' ' + std::string(id)].push_back(seen);
    }
    ImDrawList& list_;
    ImGuiPainter inner_;
};

// How much of a stroke is opaque on the screen: half its width less half the soft edge.
inline double core(const XmlElement& element) {
    return element.attribute("stroke-width").empty() ? 0 : std::max(0.0, 0.5 * element.number("stroke-width") - 0.5);
}

inline Seen seenOf(const XmlElement& element) {
    Seen seen;
    const std::string dashes = element.attribute("stroke-dasharray");
    if (!dashes.empty()) seen.sooner = std::stod(dashes.substr(dashes.find(' ')));
    if (!element.attribute("stroke-width").empty()) seen.sooner += 0.5 * element.number("stroke-width");
    if (element.name == "path") {
        if (dashes.empty() && element.attribute("fill") != "none") seen.sooner = 1.1;  // soft edges of steep slopes
        seen.bounds = boundsOfPath(element.attribute("d"));
        seen.bounds.grow(core(element));
    } else if (element.name == "rect" || element.name == "image") {
        const Vec2 lo{element.number("x"), element.number("y")};
        seen.bounds.add(lo);
        seen.bounds.add(lo + Vec2{element.number("width"), element.number("height")});
        seen.bounds.grow(core(element));
    } else if (element.name == "circle") {
        seen.bounds.add({element.number("cx"), element.number("cy")});
        seen.bounds.grow(element.number("r") + core(element));
    } else if (element.name == "text") {
        seen.bounds = boundsOfText(element);
        seen.sooner = 0.4 * element.number("font-size");
        seen.later = 1.5 + 0.05 * element.number("font-size");
    } else {
        for (const auto& child : element.children) {
            const Seen inside = seenOf(child);
            if (inside.bounds.empty()) continue;
            seen.bounds.add(inside.bounds.lo);
            seen.bounds.add(inside.bounds.hi);
        }
    }
    return seen;
}

inline std::string kindOf(const XmlElement& element) {
    if (element.name == "g") return element.attribute("shape-rendering").empty() ? "group" : "cells";
    if (element.name == "image") return "cells";
    if (element.name == "text" || element.name == "rect") return element.name;
    if (element.name == "path" && element.attribute("fill") == "none" && element.attribute("stroke-linejoin") == "round") return "line";
    return "area";
}

inline Marks marksOf(const XmlElement& svg) {
    Marks marks;
    for (const auto* element : svg.all([](const XmlElement& e) { return !e.attribute("data-mark").empty(); })) {
        const std::string id = element->attribute("data-mark");
        if (id != "ground") marks[kindOf(*element) + ' ' + id].push_back(seenOf(*element));
    }
    return marks;
}

inline Marks onScreen(const Screen& screen, const Report& report, const State& state, const Look& look) {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    list._ResetForNewFrame();
    list.PushClipRect({0, 0}, {1280, 800});
    list.PushTextureID(ImGui::GetIO().Fonts->TexID);
    const Theme& theme = look.dark ? Theme::night() : Theme::light();
    ScreenProbe probe(list, screen.fonts, theme);
    Handles handles;
    handles.beginFrame({});
    const double side = look.compact ? 2 : 10;
    PictureFrame frame{.painter = probe,
                       .theme = theme,
                       .handles = handles,
                       .report = report,
                       .reportVersion = 1,
                       .state = state,
                       .area = {{side, 0}, {look.width - side, look.height}},
                       .compact = look.compact,
                       .still = true,
                       .changes = {},
                       .kept = true};
    makePicture(state.scene)->draw(frame);
    return std::move(probe.marks);
}

inline void checkSame(const Seen& screen, const Seen& svg) {
    constexpr double kPixel = 1;
    for (const auto& [outer, inner] : {std::pair{screen.bounds.lo.x, svg.bounds.lo.x},
                                       {screen.bounds.lo.y, svg.bounds.lo.y},
                                       {-screen.bounds.hi.x, -svg.bounds.hi.x},
                                       {-screen.bounds.hi.y, -svg.bounds.hi.y}}) {
        CHECK(outer >= inner - kPixel - svg.later);
        CHECK(outer <= inner + kPixel + svg.sooner);
    }
}

inline bool within(const Bounds& inner, const Bounds& outer, double slack) {
    return inner.lo.x >= outer.lo.x - slack && inner.lo.y >= outer.lo.y - slack && inner.hi.x <= outer.hi.x + slack &&
           inner.hi.y <= outer.hi.y + slack;
}

}  // namespace kappaflow
