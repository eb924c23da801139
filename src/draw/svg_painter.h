#pragma once
#include <string>
#include <vector>

#include "draw/color.h"
#include "draw/markup.h"
#include "draw/painter.h"
#include "draw/svg_text.h"

namespace kappaflow {

/// Writes marks as SVG elements, to stand in a document of svgDocument(). Every mark carries its id as `data-mark`; text stays text, in
/// the places and widths that `measure` gives it (textLength), whatever font the viewer has. Numbers have two decimals at most. Marks
/// with a coordinate that is not finite are left out, lines cut there, as on the screen; pulses of ribbons do not show.
/// The same marks give the same bytes. Fields, planes and meshes give up detail before they take more than about 1.2 MB, all together.
class SvgPainter final : public Painter {
public:
    /// `measure`: advance width of plain text, of the fonts on the screen. `name`: begins every id in the document, so that several
    /// drawings can stand in one page.
    SvgPainter(const Theme&, MeasureText measure, std::string name);

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
    double pixelRatio() const override { return 1; }

    /// All marks so far; every clip is closed.
    std::string finish();

private:
    void area(std::string_view id, const SvgPath&, Color fill);
    Stroke drawn(const Stroke& stroke) const { return {stroke.color, theme_.width(stroke.width), stroke.dash}; }
    void spend(std::size_t bytes);

    const Theme& theme_;
    MeasureText measure_;
    std::string name_;
    SvgWriter out_;
    std::vector<Rect> clips_;
    int openClips_ = 0;
    std::size_t detailLeft_;
};

/// What a figure says of itself, in plain text. Empty ones are left out.
struct FigureWords {
    std::string title;
    std::string caption;
    std::string scene;      ///< id
    std::string generator;  ///< program and version
    std::string link;       ///< the state: opens or draws the same picture again
    std::string source;     ///< what it is a figure of: paper, equations
    std::string file;       ///< a reader's own file that the link does not hold
};

/// A complete SVG document of so many pixels on the theme's ground: title and caption for readers of every kind (title, desc), the words
/// as Dublin Core in RDF (metadata: title, description, identifier, creator, source = link, relation, requires = file), then the marks.
/// It refers to nothing outside itself.
std::string svgDocument(double width, double height, const Theme&, const FigureWords&, const std::string& marks);

}  // namespace kappaflow
