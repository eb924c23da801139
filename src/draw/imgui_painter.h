#pragma once
#include "draw/color.h"
#include "draw/fonts.h"
#include "draw/painter.h"

struct ImDrawList;

namespace kappaflow {

class GlContext;

/// Draws into one ImDrawList; construct it anew every frame. Coordinates are the list's own, CSS pixels: ImGui runs in CSS pixels with
/// io.DisplayFramebufferScale = pixelRatio. Fields, ribbons and points go through GL where there is a context that is ready, and as
/// plain shapes otherwise: the same picture, slower and a little coarser.
class ImGuiPainter final : public Painter {
public:
    /// `gl` may be null. All references must outlive the frame's rendering.
    ImGuiPainter(ImDrawList&, const FontSet&, const Theme&, double pixelRatio, GlContext* gl);
    ~ImGuiPainter() override;
    ImGuiPainter(const ImGuiPainter&) = delete;
    ImGuiPainter& operator=(const ImGuiPainter&) = delete;

    using Painter::line;
    void line(std::string_view id, std::span<const Vec2> points, const Stroke&, bool closed) override;
    void polygon(std::string_view id, std::span<const Vec2> points, Color fill) override;
    void strip(std::string_view id, std::span<const Vec2> upper, std::span<const Vec2> lower, Color fill) override;
    void rect(std::string_view id, Rect, Color fill, double rounding) override;
    void frame(std::string_view id, Rect, const Stroke&, double rounding) override;
    void marker(std::string_view id, Vec2 at, double radius, MarkerShape, Color fill, std::optional<Stroke> rim) override;
    void text(std::string_view id, Vec2 at, std::string_view utf8, const TextStyle&) override;
    Vec2 measure(std::string_view utf8, const TextStyle&) override;
    void field(std::string_view id, Rect dest, const Field2D&) override;
    void plane(std::string_view id, const PlaneCorners&, const Field2D&, double opacity) override;
    void ribbons(std::string_view id, std::span<const Ribbon>, Vec2 axis) override;
    void points(std::string_view id, std::span<const PointMark>) override;
    void cells(std::string_view id, const CellMesh&) override;
    void segments(std::string_view id, const SegmentMesh&) override;
    void pushClip(Rect) override;
    void popClip() override;
    double pixelRatio() const override { return pixelRatio_; }

private:
    ImDrawList& list_;
    const FontSet& fonts_;
    const Theme& theme_;
    double pixelRatio_;
    GlContext* gl_;
    float fringeBefore_;
};

}  // namespace kappaflow
