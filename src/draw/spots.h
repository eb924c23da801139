#pragma once
#include <string>
#include <vector>

#include "draw/painter.h"

namespace kappaflow {

/// A kind of mark that words beside the picture speak of: every mark whose id is `id` or begins with `id/`.
struct Spot {
    std::string id;
    Color color{0, 0, 0, 0};  ///< of its first mark; see-through: the picture has no such mark
    bool pointed = false;     ///< the pointer is nearer to it than to any other spot, and near
};

/// Draws on another painter, marks of the spot `lit` larger; learns the spots' colours and which one is pointed at. All must outlive it.
/// `pointer`: far away where there is none.
class SpotPainter final : public Painter {
public:
    SpotPainter(Painter& inner, std::vector<Spot>& spots, std::string_view lit, Vec2 pointer);
    ~SpotPainter() override;
    SpotPainter(const SpotPainter&) = delete;
    SpotPainter& operator=(const SpotPainter&) = delete;

    using Painter::line;
    void line(std::string_view, std::span<const Vec2>, const Stroke&, bool closed) override;
    void polygon(std::string_view, std::span<const Vec2>, Color) override;
    void strip(std::string_view, std::span<const Vec2>, std::span<const Vec2>, Color) override;
    void rect(std::string_view, Rect, Color, double) override;
    void frame(std::string_view, Rect, const Stroke&, double) override;
    void marker(std::string_view, Vec2, double, MarkerShape, Color, std::optional<Stroke>) override;
    void text(std::string_view, Vec2, std::string_view, const TextStyle&) override;
    Vec2 measure(std::string_view utf8, const TextStyle& style) override { return inner_.measure(utf8, style); }
    void field(std::string_view, Rect, const Field2D&) override;
    void plane(std::string_view, const PlaneCorners&, const Field2D&, double) override;
    void ribbons(std::string_view, std::span<const Ribbon>, Vec2) override;
    void points(std::string_view, std::span<const PointMark>) override;
    void cells(std::string_view, const CellMesh&) override;
    void segments(std::string_view, const SegmentMesh&) override;
    void pushClip(Rect rect) override { inner_.pushClip(rect); }
    void popClip() override { inner_.popClip(); }
    double pixelRatio() const override { return inner_.pixelRatio(); }

private:
    /// Notes a mark of the picture, `away` pixels from the pointer; returns whether it is to be drawn larger.
    bool met(std::string_view id, Color, double away);
    void outline(std::string_view id, std::span<const Vec2> corners, Color);
    void outline(std::string_view id, Rect, Color);
    double awayFrom(std::span<const Vec2> line, bool closed) const;

    Painter& inner_;
    std::vector<Spot>& spots_;
    std::string_view lit_;
    Vec2 pointer_;
    Spot* nearest_ = nullptr;
    double least_;
};

}  // namespace kappaflow
