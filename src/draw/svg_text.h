#pragma once
#include <string>
#include <string_view>

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

}  // namespace kappaflow
