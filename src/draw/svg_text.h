#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "draw/color.h"
#include "draw/painter.h"

namespace kappaflow {

/// Text that may stand between tags and inside quoted attributes: XML's own signs escaped; bytes that are not UTF-8 and characters XML
/// 1.0 does not admit become U+FFFD.
std::string xmlText(std::string_view utf8);

/// Rounded to so many decimals (at most 4), without trailing zeros, exponent or minus zero; what is not finite or beyond ±10⁶ goes to
/// that end, NaN to 0.
std::string svgNumber(double value, int decimals = 2);

/// "#rrggbb"; the alpha is an attribute of its own.
std::string svgColor(Color);

/// The data of a path, relative and as short as SVG allows. Points are rounded once, so that rounding errors do not add up and shapes
/// with a common edge share it exactly.
class SvgPath {
public:
    explicit SvgPath(int decimals = 2);
    void move(Vec2);
    /// A point that rounds to the last one is left out.
    void line(Vec2);
    void curve(Vec2 first, Vec2 second, Vec2 to);
    void close();
    bool empty() const { return data_.empty(); }
    const std::string& data() const { return data_; }

private:
    struct Place {
        long x = 0, y = 0;
    };
    Place rounded(Vec2) const;
    void command(char);
    void number(long units);
    void offset(Place to);

    int decimals_;
    double scale_;
    std::string data_;
    char command_ = 0;
    bool separate_ = false;
    Place at_, begin_;
};

/// Writes elements one after the other: begin, attributes, then end or content.
class SvgWriter {
public:
    SvgWriter& begin(std::string_view tag);
    SvgWriter& attribute(std::string_view name, std::string_view text);
    SvgWriter& attribute(std::string_view name, double number);
    /// `fill` or `stroke` with its opacity.
    SvgWriter& color(std::string_view name, Color);
    SvgWriter& stroke(const Stroke&);
    /// The id of a mark as data-mark; none for "".
    SvgWriter& mark(std::string_view id);
    /// Ends an empty element.
    void end();
    /// Ends the element's opening tag; closed by close().
    void content();
    void text(std::string_view utf8);
    void close(std::string_view tag);
    void raw(std::string_view written) { out_ += written; }
    std::size_t size() const { return out_.size(); }
    const std::string& written() const { return out_; }

private:
    std::string out_;
};

/// An image of at most 256 colours, row 0 at the top.
struct PaletteImage {
    std::size_t rows = 0, cols = 0;
    std::vector<std::uint8_t> pixels;  ///< row-major indices into `palette`
    std::vector<Color> palette;
};

/// As a PNG file (RFC 2083, palette and transparency), its data stored, not compressed: one byte a pixel. At least one row and column.
std::vector<std::uint8_t> pngOf(const PaletteImage&);
/// Of 3 or 4 bytes a pixel: a PNG file.
std::vector<std::uint8_t> pngFile(std::span<const std::uint8_t> pixels, int width, int height, int channels);

std::string base64(std::span<const std::uint8_t>);

/// A field's cells as colours: index 0 is what is not drawn, the others are `levels` (2 … 255) even steps of its colour map, from the
/// low end to the high one; with fadesOut each with its alpha. The field may be shown with fewer rows and columns than it has, some
/// of its cells being skipped; its values are as many as its rows and columns say.
PaletteImage paletteImage(const Field2D&, bool dark, std::size_t rows, std::size_t cols, int levels);

/// Writes a field as rectangles, one for every run, gathered by colour; with more than 1200 runs as an image of its cells. At most
/// `mostCells` cells are kept (at least one); returns how many they were.
std::size_t writeField(SvgWriter&, std::string_view id, const Rect& dest, const Field2D&, bool dark, std::size_t mostCells);

/// Writes a field in perspective as polygons, one for every run: SVG's images know no perspective. Over `mostRuns` runs the colours are
/// taken in coarser steps (64, 32, 16), then cells are averaged; returns how many they were. About 30 bytes a run.
std::size_t writePlane(SvgWriter&, std::string_view id, const PlaneCorners&, const Field2D&, double opacity, bool dark,
                       std::size_t mostRuns);

/// Writes cells as paths, one for every colour. A shaded cell has the mean colour of its corners, in steps of 1/32. Of more than
/// `mostBytes` allow (about 36 a cell) the largest are written, on the mean colour of all.
void writeCells(SvgWriter&, std::string_view id, const CellMesh&, std::size_t mostBytes);

/// Writes lines as one path. Of more than `mostBytes` allow (about 20 a line) the longest are written.
void writeSegments(SvgWriter&, std::string_view id, const SegmentMesh&, std::size_t mostBytes);

}  // namespace kappaflow
