#pragma once
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/geometry.h"
#include "support/xml.h"

namespace kappaflow {

/// A part of a path: where the pen goes, curves by all of their points.
struct PathPart {
    std::vector<Vec2> points;
    bool closed = false;
};

/// Walks along path data (M L H V C Z, upper and lower case) as a viewer does.
class PathReader {
public:
    static std::vector<PathPart> read(const std::string& data) { return PathReader(data).parts(); }

private:
    explicit PathReader(const std::string& data) : data_(data) {}

    void blanks() {
        while (at_ < data_.size() && (data_[at_] == ' ' || data_[at_] == ',')) ++at_;
    }
    double number() {
        blanks();
        const std::size_t begin = at_;
        if (at_ < data_.size() && data_[at_] == '-') ++at_;
        for (bool point = false; at_ < data_.size(); ++at_) {
            if (data_[at_] == '.' && !point)
                point = true;
            else if (!std::isdigit(static_cast<unsigned char>(data_[at_])))
                break;
        }
        if (begin == at_) throw std::runtime_error("a number is missing in " + data_);
        return std::stod(data_.substr(begin, at_ - begin));
    }
    Vec2 pair(Vec2 from) {
        const double x = number(), y = number();
        return from + Vec2{x, y};
    }
    void go(std::vector<PathPart>& parts, Vec2 to) {
        if (parts.empty()) throw std::runtime_error("a path without a beginning");
        if (parts.back().closed) parts.push_back({{here_}, false});
        parts.back().points.push_back(to);
        here_ = to;
    }
    void step(std::vector<PathPart>& parts, char letter) {
        const bool relative = std::islower(static_cast<unsigned char>(letter));
        const Vec2 from = relative ? here_ : Vec2{};
        switch (std::toupper(static_cast<unsigned char>(letter))) {
            case 'M':
                here_ = pair(from);
                return parts.push_back({{here_}, false});
            case 'L':
                return go(parts, pair(from));
            case 'H':
                return go(parts, {number() + from.x, here_.y});
            case 'V':
                return go(parts, {here_.x, number() + from.y});
            case 'C':
                for (int i = 0; i < 2; ++i) parts.back().points.push_back(pair(from));
                return go(parts, pair(from));
            case 'Z':
                parts.back().closed = true;
                here_ = parts.back().points.front();
                return;
            default:
                throw std::runtime_error(std::string("an unknown command ") + letter);
        }
    }
    std::vector<PathPart> parts() {
        std::vector<PathPart> read;
        char letter = 0;
        for (blanks(); at_ < data_.size(); blanks()) {
            if (std::isalpha(static_cast<unsigned char>(data_[at_])))
                letter = data_[at_++];
            else if (letter == 'm' || letter == 'M')
                letter = letter == 'm' ? 'l' : 'L';
            step(read, letter);
        }
        return read;
    }

    const std::string& data_;
    std::size_t at_ = 0;
    Vec2 here_;
};

struct Bounds {
    Vec2 lo{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    Vec2 hi{-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    void add(Vec2 p) {
        lo = {std::min(lo.x, p.x), std::min(lo.y, p.y)};
        hi = {std::max(hi.x, p.x), std::max(hi.y, p.y)};
    }
    void grow(double by) { lo = lo - Vec2{by, by}, hi = hi + Vec2{by, by}; }
    bool empty() const { return !(lo.x <= hi.x && lo.y <= hi.y); }
};

inline Bounds boundsOfPath(const std::string& data) {
    Bounds bounds;
    for (const auto& part : PathReader::read(data))
        for (const Vec2 p : part.points) bounds.add(p);
    return bounds;
}

inline std::vector<std::uint8_t> fromBase64(const std::string& text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<std::uint8_t> bytes;
    unsigned held = 0, bits = 0;
    for (const char c : text) {
        if (c == '=') break;
        const auto digit = digits.find(c);
        if (digit == digits.npos) throw std::runtime_error("not base64");
        held = held << 6 | static_cast<unsigned>(digit);
        if ((bits += 6) >= 8) bytes.push_back(static_cast<std::uint8_t>(held >> (bits -= 8)));
    }
    return bytes;
}

}  // namespace kappaflow
