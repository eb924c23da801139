#pragma once
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/geometry.h"
#include "draw/color.h"
#include "draw/handles.h"
#include "draw/painter.h"

namespace kappaflow {

/// Asinh: even steps near 0 and decades beyond ±kAsinhUnit, so that a share of 0 has a place beside those of 0.1 and 1.
enum class Scale { Linear, Log, Asinh };
inline constexpr double kAsinhUnit = 0.05;

struct AxisSpec {
    std::string label;      ///< name, symbol and unit, with Painter's markup: "capacity *κ*^{*l*}"
    double lo = 0, hi = 1;  ///< the whole range; NaN or equal ends are widened
    Scale scale = Scale::Linear;
    bool whole = false;  ///< ticks at whole numbers only
    bool ticks = true;
    bool reversed = false;
};

/// Ticks at 1, 2, 5 · 10^k (whole: at least 1 apart), or at powers of ten with minor ones on log axes; labels carry just the digits
/// that tell them apart, large and small magnitudes as 10^{k}.
struct Tick {
    double value;
    std::string label;  ///< empty: a minor tick
};
std::vector<Tick> ticksFor(const AxisSpec&, double pixels, double minSpacing);

struct Series {
    Color color;
    Dash dash = Dash::Solid;
    double width = 2;
    std::string label;  ///< written at the line's end; empty: none
};

/// One pair of axes: construct (which draws the grid), draw series, finish(). Marks carry the ids they are given; the plot's own are
/// "<plot id>/axis-x", "/grid-x", "/label", "/crosshair" and the like. Lines are cut exactly at the axes' rectangle; NaN, and what has no
/// logarithm on a log axis, breaks a line.
class Plot {
public:
    /// x from, x to, y from, y to; none: the whole.
    using Zoom = std::optional<std::array<double, 4>>;
    Plot(Painter&, const Theme&, std::string_view id, Rect outer, AxisSpec x, AxisSpec y, const Zoom& zoom = {});

    Rect inner() const { return inner_; }
    Vec2 toScreen(double x, double y) const;
    Vec2 toData(Vec2 screen) const;

    void line(std::string_view id, std::span<const double> x, std::span<const double> y, const Series&);
    void band(std::string_view id, std::span<const double> x, std::span<const double> low, std::span<const double> high, Color fill);
    /// Filled from the axis (zero, if it is in sight) to the line.
    void area(std::string_view id, std::span<const double> x, std::span<const double> y, Color fill);
    /// `width` in units of x.
    void bars(std::string_view id, std::span<const double> x, std::span<const double> y, double width, Color fill);
    void markers(std::string_view id, std::span<const double> x, std::span<const double> y, const Series&,
                 MarkerShape = MarkerShape::Circle, double radius = 3);
    /// Labels had better not lie on this stretch of the screen, nor on bars.
    void keepClear(Vec2 from, Vec2 to) { filled_.push_back({from, to}); }
    /// Upright hairline at x with a label at its top; for "now" and thresholds.
    void vertical(std::string_view id, double x, const Series&);
    void horizontal(std::string_view id, double y, const Series&);
    /// Cells centred on xs × ys (row 0 = ys[0]), evenly spaced. The values must live until finish().
    void heat(std::string_view id, std::span<const double> xs, std::span<const double> ys, const Field2D&);

    /// Axes, direct labels (where they hide least, never over each other), title, crosshair with the values of every labelled series.
    /// Returns the zoom after pan (drag), wheel and double click (back to the whole), when the reader changed it.
    std::optional<Zoom> finish(const Pointer& pointer, std::string_view title = {});

private:
    /// A series as it may be labelled and read off.
    struct Curve {
        std::string label;
        Color color;
        bool joined;  ///< a line: values between the samples are read off it
        std::vector<double> x, y;
        std::vector<std::vector<Vec2>> visible;  ///< on the screen
    };
    /// Text at the top of an upright line.
    struct Note {
        std::string id, text;
        double x;
        Color color;
    };
    struct Heat {
        std::vector<double> xs, ys;
        Field2D field;
    };
    void layOut();
    std::vector<Tick> fittingTicks(const AxisSpec&, bool alongX) const;
    void upright(const char* part, double x, double top, double bottom, const Stroke&);
    void level(const char* part, double y, double left, double right, const Stroke&);
    void drawGrid();
    void drawAxes();
    void drawTickLabels();
    void drawAxisNames();
    void drawTitle(std::string_view title);
    std::vector<std::vector<Vec2>> linesInSight() const;  ///< bars, curves and labelled upright lines
    void drawNotes();
    void drawEndLabels();
    void drawCrosshair(const Pointer&);
    std::vector<Vec2> screenPoints(std::span<const double> x, std::span<const double> y) const;
    void fillBetween(std::string_view id, std::span<const Vec2> a, std::span<const Vec2> b, Color fill);
    void remember(std::span<const double> x, std::span<const double> y, const Series&, bool joined, std::vector<std::vector<Vec2>> visible);
    std::optional<double> snappedX(double pointerX) const;
    TextStyle style(Color, double size) const;

    Painter& painter_;
    const Theme& theme_;
    std::string id_;
    Rect outer_, inner_;
    AxisSpec x_, y_, fullX_, fullY_;  ///< usable; x_, y_: what is in sight
    std::vector<Tick> xTicks_, yTicks_;
    std::vector<Curve> curves_;
    std::vector<std::vector<Vec2>> filled_;  ///< bars and the like, as lines
    std::vector<Note> notes_;
    std::vector<Rect> occupied_;  ///< by labels already drawn
    std::optional<Heat> heat_;
};

/// Upright colour bar with ticks and a label, at the right of a heat map. The label stands along the bar where the rectangle is wide
/// enough, else above it. `more`: there are values above its end, which a tip says.
void colorBar(Painter&, const Theme&, std::string_view id, Rect, ColorMap, AxisSpec, bool more = false);

/// The axis with a range that can be drawn: finite, in order, of some extent (at least 1e-12 of its numbers), positive on log axes.
AxisSpec usableAxis(AxisSpec);
/// Place of a value along the axis, 0 at its beginning and 1 at its end; NaN for what has no place (values <= 0 on log axes).
/// The axis is usable.
double axisPlace(const AxisSpec&, double value);
/// The inverse.
double axisValue(const AxisSpec&, double place);

/// What the reader's pointer makes of the visible ranges `x`, `y` (usable) within the whole ones; nothing when it changes nothing.
/// Drag: pan. Wheel: zoom about the pointer, a fifth a notch, down to 1e-4 of the whole. Double click: the whole.
std::optional<Plot::Zoom> zoomAfter(const Pointer&, const Rect& inner, const AxisSpec& x, const AxisSpec& y, const AxisSpec& fullX,
                                    const AxisSpec& fullY);

/// A label that wants to stand beside a line, best at its end.
struct LabelWish {
    Vec2 size;
    std::vector<Vec2> line;  ///< what is visible of it, in drawing order
};

/// Places for labels inside `area`: above, below or behind their lines, as near to the lines' right ends as they can without crossing other
/// lines, never over each other or over `occupied`. Where no place beside the line is free, any free place at the right edge; none:
/// left out. `lines`: all lines that had better not be crossed. O(labels · points).
std::vector<std::optional<Rect>> placeLabels(const Rect& area, std::span<const LabelWish> wishes, std::span<const std::vector<Vec2>> lines,
                                             std::span<const Rect> occupied);

}  // namespace kappaflow
