#include "scenes/capacity_flow/picture_blocks.h"

#include <cmath>
#include <cstring>

#include "draw/markup.h"
#include "draw/number_text.h"

namespace kappaflow::capacity_flow {
namespace {

constexpr double kGlideSeconds = 0.4;

TextStyle lineStyle(const PictureFrame& f, Color color) { return {.color = color, .size = f.theme.tinySize}; }

std::string entryName(std::size_t index, std::size_t inputs) {
    return "*η*_{" + std::to_string(index / inputs + 1) + "}*y*_{" + std::to_string(index % inputs + 1) + "}";
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

}  // namespace

double blockLines(const PictureFrame& f, bool foot) { return (f.theme.tinySize + 6) * (foot ? 2 : 1); }

void drawBlocks(PictureFrame& f, const Blocks& b, Vec2 at, double side) {
    const double row = f.theme.tinySize + 6;
    const Rect square{at + Vec2{0, row}, at + Vec2{side, row + side}};
    const auto title = lineStyle(f, f.theme.text), foot = lineStyle(f, f.theme.muted);
    if (!b.title.empty()) f.painter.text(b.id + "/title", at, elide(f.painter, b.title, title, side), title);
    if (!b.foot.empty()) f.painter.text(b.id + "/foot", {at.x, square.hi.y + 4}, elide(f.painter, b.foot, foot, side), foot);
    const std::size_t size = b.inputs * b.copies;
    f.painter.field(b.id, square,
                    {.rows = size, .cols = size, .values = b.values, .lo = -b.reach, .hi = b.reach, .map = ColorMap::Diverging});
    for (std::size_t j = 1; j < b.copies; ++j) {
        const double share = side * static_cast<double>(j) / static_cast<double>(b.copies);
        const double x = f.painter.crisp(square.lo.x + share), y = f.painter.crisp(square.lo.y + share);
        f.painter.line(b.id + "/block", {x, square.lo.y}, {x, square.hi.y}, {f.theme.muted.withAlpha(0.55f), 1});
        f.painter.line(b.id + "/block", {square.lo.x, y}, {square.hi.x, y}, {f.theme.muted.withAlpha(0.55f), 1});
    }
    f.painter.frame(b.id + "/frame", square, {f.theme.line, 1});
    readOffBlocks(f, b.values, b.inputs, square, b.of);
}

void readOffBlocks(PictureFrame& f, std::span<const double> values, std::size_t inputs, Rect square, const std::string& of) {
    const Pointer p = f.handles.freePointer();
    if (!p.inside || p.down || !square.contains(p.at)) return;
    const auto size = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(values.size()))));
    const auto cell = [&](double along, double length) {
        return std::min(static_cast<std::size_t>(along / length * static_cast<double>(size)), size - 1);
    };
    const std::size_t r = cell(p.at.y - square.lo.y, square.height()), c = cell(p.at.x - square.lo.x, square.width());
    tooltip(f, p.at, {of + entryName(r, inputs) + " · " + entryName(c, inputs), numberText(values[r * size + c], 3)});
}

void drawBlockBar(PictureFrame& f, const std::string& id, Rect square, double reach) {
    colorBar(f.painter, f.theme, id, {{square.hi.x + 10, square.lo.y}, {square.hi.x + kBlockBar, square.hi.y}}, ColorMap::Diverging,
             {.label = "", .lo = -reach, .hi = reach});
}

const std::vector<double>& Glide::towards(PictureFrame& f, std::vector<double> target) {
    const bool atOnce = f.still || f.kept || f.handles.holding() || shown_.size() != target.size();
    if (!same(target, target_)) {
        from_ = atOnce ? target : shown_;
        target_ = std::move(target);
        since_ = f.seconds;
    }
    // Time starts over when the scene is opened anew.
    const double passed = f.seconds - since_, t = atOnce || passed < 0 ? 1 : std::min(1.0, passed / kGlideSeconds);
    shown_ = target_;
    if (t >= 1) return shown_;
    f.animating = true;
    const double eased = t * t * (3 - 2 * t);
    for (std::size_t i = 0; i < shown_.size(); ++i)
        if (std::isfinite(from_[i])) shown_[i] = from_[i] + (target_[i] - from_[i]) * eased;
    return shown_;
}

}  // namespace kappaflow::capacity_flow
