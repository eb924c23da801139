#pragma once
#include "draw/painter.h"

namespace kappaflow {

/// Draws nothing: for a picture that is gone through without being seen. Measures texts roughly.
class NullPainter final : public Painter {
public:
    void line(std::string_view, std::span<const Vec2>, const Stroke&, bool) override {}
    void polygon(std::string_view, std::span<const Vec2>, Color) override {}
    void strip(std::string_view, std::span<const Vec2>, std::span<const Vec2>, Color) override {}
    void rect(std::string_view, Rect, Color, double) override {}
    void frame(std::string_view, Rect, const Stroke&, double) override {}
    void marker(std::string_view, Vec2, double, MarkerShape, Color, std::optional<Stroke>) override {}
    void text(std::string_view, Vec2, std::string_view, const TextStyle&) override {}
    Vec2 measure(std::string_view utf8, const TextStyle& style) override {
        const double width = 0.5 * style.size * static_cast<double>(utf8.size()), height = 1.2 * style.size;
        return style.upright ? Vec2{width, height} : Vec2{height, width};
    }
    void field(std::string_view, Rect, const Field2D&) override {}
    void plane(std::string_view, const PlaneCorners&, const Field2D&, double) override {}
    void ribbons(std::string_view, std::span<const Ribbon>, Vec2) override {}
    void points(std::string_view, std::span<const PointMark>) override {}
    void cells(std::string_view, const CellMesh&) override {}
    void segments(std::string_view, const SegmentMesh&) override {}
    void pushClip(Rect) override {}
    void popClip() override {}
    double pixelRatio() const override { return 1; }
};

}  // namespace kappaflow
