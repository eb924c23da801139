#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/geometry.h"
#include "draw/color.h"

namespace kappaflow {

enum class Dash { Solid, Dashed, Dotted };
struct Stroke {
    Color color;
    double width = 1.5;
    Dash dash = Dash::Solid;
};

enum class AlignH { Left, Centre, Right };
enum class AlignV { Top, Middle, Bottom };
/// `h` runs along the line and `v` across it, for turned text too: Bottom puts a y axis name to the left of its point.
/// Middle centres on the capitals. Text may hold light markup: `*k*` italic, `_{…}` and `^{…}` lowered and raised; `\` before one of `*_^`
/// takes it literally.
struct TextStyle {
    Color color;
    double size = 13;
    AlignH h = AlignH::Left;
    AlignV v = AlignV::Top;
    bool italic = false;
    bool bold = false;
    bool upright = true;             ///< false: turned a quarter left, reading upwards (y axis names)
    std::optional<Color> halo = {};  ///< a rim in this colour so that text stays legible over marks
};

enum class MarkerShape { Circle, Square, Diamond, Cross };

/// A rectangular field of numbers, row 0 at the top, drawn cell by cell (not smoothed).
struct Field2D {
    std::size_t rows = 0, cols = 0;
    std::span<const double> values;  ///< row-major; NaN cells are not drawn
    double lo = 0, hi = 1;           ///< values at the ends of the colour map
    bool logarithmic = false;
    ColorMap map = ColorMap::Capacity;
    bool fadesOut = false;  ///< low values are see-through: alpha is fadedAlpha() of the place on the colour map
    /// There are cells, and a value for each.
    bool sound() const { return rows > 0 && cols > 0 && values.size() / cols >= rows; }
};

/// A point of a scene in perspective, on the screen. `w` is proportional to its depth (distance from the camera along the view): lengths
/// there shrink by 1/w. Positive.
struct ProjectedPoint {
    Vec2 at;
    double w = 1;
};

/// The four corners of a flat rectangle in perspective: of (row 0, column 0), (row 0, last column), (last row, last column),
/// (last row, column 0), at the outer edges of these cells.
using PlaneCorners = std::array<ProjectedPoint, 4>;
/// Whether all corners have a place on the screen.
inline bool visible(const PlaneCorners& corners) {
    return std::all_of(corners.begin(), corners.end(), [](const ProjectedPoint& p) { return finite(p.at) && p.w > 0; });
}

/// The point of the plane at a share `u` of the way along its columns and `v` along its rows. Exact in perspective: coordinates times w
/// are linear on a plane.
inline ProjectedPoint pointOn(const PlaneCorners& corners, double u, double v) {
    const double share[] = {(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v};
    Vec2 sum;
    double w = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        sum = sum + corners[i].at * (share[i] * corners[i].w);
        w += share[i] * corners[i].w;
    }
    return {sum * (1 / w), w};
}

/// Flow between two places: a smooth band from `from` to `to`, `width` wide (in pixels) at either end, leaving and arriving
/// along `axis` (unit vector), with a brightness pulse travelling along it at `phase` (0 … 1; < 0: none).
struct Ribbon {
    Vec2 from, to;
    double widthFrom = 1, widthTo = 1;
    Color color;
    double phase = -1;
};

struct PointMark {
    Vec2 at;
    double radius = 3;
    Color color;
};

/// Where coordinates of a plane lie on the screen: (origin + scale · point + skew · (y, x) of it, axis by axis) / (1 + lean · point). A
/// plane seen from straight above has neither skew nor lean.
struct PlanePlace {
    Vec2 origin, scale{1, 1}, skew{}, lean{};
    Vec2 at(Vec2 p) const {
        const double w = 1 + lean.x * p.x + lean.y * p.y;
        return {(origin.x + scale.x * p.x + skew.x * p.y) / w, (origin.y + skew.y * p.x + scale.y * p.y) / w};
    }
};
inline bool finite(const PlanePlace& place) {
    return finite(place.origin) && finite(place.scale) && finite(place.skew) && finite(place.lean);
}

/// Convex cells of a plane, many thousands of them: cell c has the corners corners[ends[c − 1]] … corners[ends[c] − 1], in order, indices
/// of `points`. Back ends may keep points and corners by id: `version` changes with them (and is 0 for what is drawn once).
struct CellMesh {
    std::span<const Vec2> points;
    std::span<const std::uint32_t> corners, ends;
    std::span<const Color> colors;  ///< one a cell; or one a point, when `shaded`: mixed over the cell
    bool shaded = false;
    PlanePlace place;
    std::uint64_t version = 0;
    std::size_t begin(std::size_t cell) const { return cell == 0 ? 0 : ends[cell - 1]; }
    /// Every index lies where it should.
    bool sound() const;
    Color colorOf(std::size_t cell) const;  ///< of a shaded cell: the mean of its corners
};

/// Straight lines of a plane by their two ends, one pair after the other, all of one colour.
struct SegmentMesh {
    std::span<const Vec2> ends;
    Color color;
    double width = 1;  ///< in pixels
    double grown = 1;  ///< each is drawn about its middle, this share of its length
    PlanePlace place;
    std::uint64_t version = 0;
    /// One of the lines' ends on the screen.
    Vec2 end(std::size_t index) const {
        const Vec2 here = place.at(ends[index]), middle = (here + place.at(ends[index ^ 1])) * 0.5;
        return middle + (here - middle) * grown;
    }
};

/// What pictures draw on. Coordinates and sizes in CSS pixels, y downwards. `id` names the mark ("profile/theory"): tests, SVG and
/// hit tests find it by that. Back ends: ImDrawList (screen), Recorder (tests).
class Painter {
public:
    virtual ~Painter() = default;
    virtual void line(std::string_view id, std::span<const Vec2> points, const Stroke&, bool closed = false) = 0;
    /// Simple polygon, filled.
    virtual void polygon(std::string_view id, std::span<const Vec2> points, Color fill) = 0;
    /// Area between two lines with the same abscissae (bands, filled profiles).
    virtual void strip(std::string_view id, std::span<const Vec2> upper, std::span<const Vec2> lower, Color fill) = 0;
    virtual void rect(std::string_view id, Rect, Color fill, double rounding = 0) = 0;
    virtual void frame(std::string_view id, Rect, const Stroke&, double rounding = 0) = 0;
    virtual void marker(std::string_view id, Vec2 at, double radius, MarkerShape, Color fill, std::optional<Stroke> rim = {}) = 0;
    virtual void text(std::string_view id, Vec2 at, std::string_view utf8, const TextStyle&) = 0;
    /// Width and height on the screen (turned text is narrow and high).
    virtual Vec2 measure(std::string_view utf8, const TextStyle&) = 0;
    virtual void field(std::string_view id, Rect dest, const Field2D&) = 0;
    /// A field on a flat rectangle in perspective, cell by cell, its colours times `opacity`. Cells finer than a pixel are averaged.
    virtual void plane(std::string_view id, const PlaneCorners&, const Field2D&, double opacity) = 0;
    /// `axis`: direction in which ribbons leave `from`.
    virtual void ribbons(std::string_view id, std::span<const Ribbon>, Vec2 axis) = 0;
    virtual void points(std::string_view id, std::span<const PointMark>) = 0;
    /// Unless a back end knows better: polygon by polygon, a shaded cell in its mean colour, and line by line.
    virtual void cells(std::string_view id, const CellMesh&);
    virtual void segments(std::string_view id, const SegmentMesh&);
    virtual void pushClip(Rect) = 0;
    virtual void popClip() = 0;
    /// Device pixels per CSS pixel.
    virtual double pixelRatio() const = 0;

    /// The nearest place for the middle of an upright or level line so that it covers whole device pixels.
    double crisp(double coordinate, double width = 1) const {
        const double ratio = pixelRatio(), half = std::lround(width * ratio) % 2 ? 0.5 : 0.0;
        return (std::round(coordinate * ratio - half) + half) / ratio;
    }
    void line(std::string_view id, Vec2 a, Vec2 b, const Stroke& stroke) {
        const Vec2 points[] = {a, b};
        line(id, points, stroke);
    }
};

/// Remembers what was drawn: for tests and comparisons.
struct DrawnMark {
    std::string kind, id, text;
    std::vector<Vec2> points;
    std::vector<double> numbers;
    Color color;
    Dash dash = Dash::Solid;
    friend bool operator==(const DrawnMark&, const DrawnMark&) = default;
};
class Recorder final : public Painter {
public:
    using Painter::line;
    std::vector<DrawnMark> marks;
    /// All marks whose id begins with `prefix`.
    std::vector<const DrawnMark*> find(std::string_view prefix) const;

    void line(std::string_view, std::span<const Vec2>, const Stroke&, bool closed) override;
    void polygon(std::string_view, std::span<const Vec2>, Color) override;
    void strip(std::string_view, std::span<const Vec2>, std::span<const Vec2>, Color) override;
    void rect(std::string_view, Rect, Color, double) override;
    void frame(std::string_view, Rect, const Stroke&, double) override;
    void marker(std::string_view, Vec2, double, MarkerShape, Color, std::optional<Stroke>) override;
    void text(std::string_view, Vec2, std::string_view, const TextStyle&) override;
    Vec2 measure(std::string_view, const TextStyle&) override;  ///< half the size per character, wide enough to judge overlaps
    void field(std::string_view, Rect, const Field2D&) override;
    void plane(std::string_view, const PlaneCorners&, const Field2D&, double) override;
    void ribbons(std::string_view, std::span<const Ribbon>, Vec2) override;
    void points(std::string_view, std::span<const PointMark>) override;
    void cells(std::string_view, const CellMesh&) override;
    void segments(std::string_view, const SegmentMesh&) override;
    void pushClip(Rect) override;
    void popClip() override;
    double pixelRatio() const override { return 1; }

private:
    DrawnMark& add(const char* kind, std::string_view id, std::vector<Vec2> points, std::vector<double> numbers, Color);
};

/// Draws nothing: for a picture that is gone through without being seen. Measures texts roughly.
class NullPainter : public Painter {
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
