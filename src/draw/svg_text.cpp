#include "draw/svg_text.h"

#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/stroke.h"

namespace kappaflow {
namespace {

constexpr double kFurthest = 1e6;
constexpr double kPowers[] = {1, 10, 100, 1000, 10000};

double within(double value) { return std::isnan(value) ? 0 : std::clamp(value, -kFurthest, kFurthest); }

// Decimal places cut to what is not zero; the zero before the point is left out where SVG's path data may do without.
void appendUnits(std::string& to, long units, int decimals, bool shortest) {
    const unsigned long size = static_cast<unsigned long>(units < 0 ? -units : units);
    const auto power = static_cast<unsigned long>(kPowers[decimals]);
    if (units < 0) to += '-';
    if (size >= power || size == 0 || !shortest) to += std::to_string(size / power);
    std::string fraction = std::to_string(size % power);
    fraction.insert(0, static_cast<std::size_t>(decimals) - std::min(fraction.size(), static_cast<std::size_t>(decimals)), '0');
    while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
    if (size % power != 0) to += '.' + fraction;
}

bool admitted(char32_t code) { return code >= 0x20 ? code != 0xFFFE && code != 0xFFFF && code != 0x7F : code == '\t' || code == '\n'; }

void appendCharacter(std::string& to, char32_t code, std::string_view bytes) {
    switch (code) {
        case '<':
            to += "&lt;";
            return;
        case '>':
            to += "&gt;";
            return;
        case '&':
            to += "&amp;";
            return;
        case '"':
            to += "&quot;";
            return;
        default:
            to += code == 0xFFFD || !admitted(code) ? std::string_view("\uFFFD") : bytes;
    }
}

}  // namespace

std::string xmlText(std::string_view utf8) {
    std::string text;
    for (std::size_t at = 0; at < utf8.size();) {
        const std::size_t begin = at;
        const char32_t code = nextCodePoint(utf8, at);
        appendCharacter(text, code, utf8.substr(begin, at - begin));
    }
    return text;
}

std::string svgNumber(double value, int decimals) {
    std::string text;
    appendUnits(text, std::lround(within(value) * kPowers[decimals]), decimals, false);
    return text;
}

std::string svgColor(Color c) {
    std::string text = "#";
    for (const float part : {c.r, c.g, c.b}) {
        const long channel = std::lround(255 * std::clamp(part, 0.0f, 1.0f));
        text += "0123456789abcdef"[channel / 16];
        text += "0123456789abcdef"[channel % 16];
    }
    return text;
}

SvgPath::SvgPath(int decimals) : decimals_(decimals), scale_(kPowers[decimals]) {}

SvgPath::Place SvgPath::rounded(Vec2 p) const { return {std::lround(within(p.x) * scale_), std::lround(within(p.y) * scale_)}; }

void SvgPath::command(char letter) {
    // Pairs behind a move are lines already, and a repeated letter may be left out.
    if (letter != command_ && !(letter == 'l' && command_ == 'm')) {
        data_ += letter;
        separate_ = false;
    }
    command_ = letter;
}

void SvgPath::number(long units) {
    if (separate_ && units >= 0) data_ += ' ';
    appendUnits(data_, units, decimals_, true);
    separate_ = true;
}

void SvgPath::offset(Place to) {
    number(to.x - at_.x);
    number(to.y - at_.y);
}

void SvgPath::move(Vec2 to) {
    const Place place = rounded(to);
    command_ = 0;
    command('m');  // the first is from the origin
    offset(place);
    at_ = begin_ = place;
}

void SvgPath::line(Vec2 to) {
    const Place place = rounded(to);
    if (place.x == at_.x && place.y == at_.y) return;
    if (place.y == at_.y) {
        command('h');
        number(place.x - at_.x);
    } else if (place.x == at_.x) {
        command('v');
        number(place.y - at_.y);
    } else {
        command('l');
        offset(place);
    }
    at_ = place;
}

void SvgPath::curve(Vec2 first, Vec2 second, Vec2 to) {
    command('c');
    offset(rounded(first));
    offset(rounded(second));
    offset(rounded(to));
    at_ = rounded(to);
}

void SvgPath::close() {
    command('z');
    separate_ = false;
    at_ = begin_;
}

SvgWriter& SvgWriter::begin(std::string_view tag) {
    out_ += '<';
    out_ += tag;
    return *this;
}

SvgWriter& SvgWriter::attribute(std::string_view name, std::string_view text) {
    out_ += ' ';
    out_ += name;
    out_ += "=\"";
    out_ += xmlText(text);
    out_ += '"';
    return *this;
}

SvgWriter& SvgWriter::attribute(std::string_view name, double number) { return attribute(name, svgNumber(number)); }

SvgWriter& SvgWriter::color(std::string_view name, Color color) {
    attribute(name, svgColor(color));
    if (color.a < 1) attribute(std::string(name) + "-opacity", svgNumber(std::max(0.0f, color.a), 3));
    return *this;
}

SvgWriter& SvgWriter::stroke(const Stroke& stroke) {
    color("stroke", stroke.color).attribute("stroke-width", stroke.width);
    if (stroke.dash == Dash::Solid) return *this;
    const DashPattern pattern = dashPattern(stroke.width, stroke.dash);
    return attribute("stroke-dasharray", svgNumber(pattern.on) + ' ' + svgNumber(pattern.off));
}

SvgWriter& SvgWriter::mark(std::string_view id) { return id.empty() ? *this : attribute("data-mark", id); }

void SvgWriter::end() { out_ += "/>\n"; }
void SvgWriter::content() { out_ += '>'; }
void SvgWriter::text(std::string_view utf8) { out_ += xmlText(utf8); }

void SvgWriter::close(std::string_view tag) {
    out_ += "</";
    out_ += tag;
    out_ += ">\n";
}

}  // namespace kappaflow
