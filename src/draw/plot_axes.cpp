// The plot's furniture: grid below the marks, axes, ticks, names and title above them.
#include <algorithm>
#include <cmath>

#include "draw/axis.h"
#include "draw/markup.h"
#include "draw/plot.h"

namespace kappaflow {

void Plot::drawGrid() {
    for (const Tick& tick : xTicks_) {
        if (tick.label.empty()) continue;
        const double x = painter_.crisp(toScreen(tick.value, y_.lo).x);
        painter_.line(id_ + "/grid-x", {x, inner_.lo.y}, {x, inner_.hi.y}, {theme_.grid, 1});
    }
    for (const Tick& tick : yTicks_) {
        if (tick.label.empty()) continue;
        const double y = painter_.crisp(toScreen(x_.lo, tick.value).y);
        painter_.line(id_ + "/grid-y", {inner_.lo.x, y}, {inner_.hi.x, y}, {theme_.grid, 1});
    }
}

void Plot::drawAxes() {
    const Stroke stroke{mix(theme_.line, theme_.muted, 0.35), 1};
    const double left = painter_.crisp(inner_.lo.x), bottom = painter_.crisp(inner_.hi.y);
    if (heat_) {
        painter_.frame(id_ + "/frame", {inner_.lo - Vec2{1, 1}, inner_.hi + Vec2{1, 1}}, stroke);
    } else {
        painter_.line(id_ + "/axis-x", {left, bottom}, {inner_.hi.x, bottom}, stroke);
        painter_.line(id_ + "/axis-y", {left, inner_.lo.y}, {left, bottom}, stroke);
    }
    for (const Tick& tick : xTicks_) {
        const double x = painter_.crisp(toScreen(tick.value, y_.lo).x), length = tick.label.empty() ? 2.5 : 4.5;
        painter_.line(id_ + "/tick-x", {x, inner_.hi.y}, {x, inner_.hi.y + length}, stroke);
    }
    for (const Tick& tick : yTicks_) {
        const double y = painter_.crisp(toScreen(x_.lo, tick.value).y), length = tick.label.empty() ? 2.5 : 4.5;
        painter_.line(id_ + "/tick-y", {inner_.lo.x - length, y}, {inner_.lo.x, y}, stroke);
    }
    drawTickLabels();
    drawAxisNames();
}

void Plot::drawTitle(std::string_view title) {
    if (title.empty()) return;
    TextStyle heading = style(theme_.text, theme_.smallSize);
    heading.bold = true;
    heading.v = AlignV::Bottom;
    const bool inside = inner_.lo.y - outer_.lo.y < 16;  // no title row: into the plot, with a rim
    if (inside) heading.v = AlignV::Top, heading.halo = theme_.ground;
    // From the axis on, or from further left where it would not fit.
    const double left =
        inside ? inner_.lo.x + 6 : std::max(outer_.lo.x, std::min(inner_.lo.x, outer_.hi.x - painter_.measure(title, heading).x));
    const Vec2 at{left, inside ? inner_.lo.y + 2 : inner_.lo.y - 5.5};
    const std::string text = elide(painter_, title, heading, outer_.hi.x - at.x);
    painter_.text(id_ + "/title", at, text, heading);
    if (inside) occupied_.push_back({at, at + painter_.measure(text, heading)});
}

void Plot::drawTickLabels() {
    TextStyle below = style(theme_.muted, theme_.tinySize), beside = below;
    below.h = AlignH::Centre;
    for (const Tick& tick : xTicks_) {
        if (tick.label.empty()) continue;
        // The outermost labels may not leave the plot.
        const double half = 0.5 * painter_.measure(tick.label, below).x;
        const double x = std::clamp(toScreen(tick.value, y_.lo).x, outer_.lo.x + half, std::max(outer_.lo.x + half, outer_.hi.x - half));
        painter_.text(id_ + "/tick-label-x", {x, inner_.hi.y + 5}, tick.label, below);
    }
    beside.h = AlignH::Right, beside.v = AlignV::Middle;
    for (const Tick& tick : yTicks_) {
        if (tick.label.empty()) continue;
        const std::string label = elide(painter_, tick.label, beside, 0.4 * outer_.width());
        painter_.text(id_ + "/tick-label-y", {inner_.lo.x - 7, toScreen(x_.lo, tick.value).y}, label, beside);
    }
}

void Plot::drawAxisNames() {
    TextStyle name = style(theme_.text, theme_.tinySize);
    name.h = AlignH::Centre;
    if (!x_.label.empty()) {
        name.v = AlignV::Bottom;
        const double width = outer_.width();
        const std::string label = elide(painter_, x_.label, name, width);
        const double half = 0.5 * painter_.measure(label, name).x;
        const double x = std::clamp(inner_.centre().x, outer_.lo.x + half, std::max(outer_.lo.x + half, outer_.hi.x - half));
        painter_.text(id_ + "/name-x", {x, outer_.hi.y}, label, name);
    }
    if (!y_.label.empty()) {
        name.v = AlignV::Top;
        name.upright = false;
        TextStyle level = name;
        level.upright = true;
        // Between the title's row and the x name's.
        const double top = inner_.lo.y - outer_.lo.y < 16 ? outer_.lo.y : inner_.lo.y - 4;
        const double bottom = outer_.hi.y - (x_.label.empty() ? 0 : painter_.measure("0", level).y);
        const std::string label = elide(painter_, y_.label, level, bottom - top);
        const double half = 0.5 * painter_.measure(label, level).x;
        const double y = std::clamp(inner_.centre().y, top + half, std::max(top + half, bottom - half));
        painter_.text(id_ + "/name-y", {outer_.lo.x, y}, label, name);
    }
}

// Beside their lines, as high up as nothing else stands.
void Plot::drawNotes() {
    for (const Note& note : notes_) {
        TextStyle text = style(note.color.withAlpha(1), theme_.tinySize);
        text.halo = theme_.ground;
        const Vec2 size = painter_.measure(note.text, text);
        const double left = note.x + 4 + size.x > outer_.hi.x ? note.x - 4 - size.x : note.x + 4;
        Rect place{{left, inner_.lo.y}, {left + size.x, inner_.lo.y + size.y}};
        const auto taken = [&](const Rect& other) {
            return place.lo.x < other.hi.x && other.lo.x < place.hi.x && place.lo.y < other.hi.y && other.lo.y < place.hi.y;
        };
        while (std::any_of(occupied_.begin(), occupied_.end(), taken)) place = {place.lo + Vec2{0, 2}, place.hi + Vec2{0, 2}};
        if (place.hi.y > inner_.hi.y || place.lo.x < outer_.lo.x) continue;
        painter_.text(note.id, place.lo, note.text, text);
        occupied_.push_back(place);
    }
}

}  // namespace kappaflow
