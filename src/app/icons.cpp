#include "app/icons.h"

#include <cmath>
#include <initializer_list>

#include "app/imgui_support.h"

namespace kappaflow {
namespace {

constexpr float kPi = 3.14159265f;

// Strokes and fills in a square from −1 to 1.
struct Pen {
    ImDrawList& list;
    Vec2 centre;
    double half;
    ImU32 color;
    float width;

    ImVec2 at(Vec2 p) const { return toIm(centre + p * half); }
    void stroke(std::initializer_list<Vec2> points, bool closed = false) const {
        for (const Vec2 p : points) list.PathLineTo(at(p));
        list.PathStroke(color, closed ? ImDrawFlags_Closed : 0, width);
    }
    void fill(std::initializer_list<Vec2> points) const {
        for (const Vec2 p : points) list.PathLineTo(at(p));
        list.PathFillConvex(color);
    }
    void arc(Vec2 middle, double radius, float from, float to) const {
        list.PathArcTo(at(middle), static_cast<float>(radius * half), from, to, 24);
        list.PathStroke(color, 0, width);
    }
    void dot(Vec2 middle, double radius) const { list.AddCircleFilled(at(middle), static_cast<float>(radius * half), color, 12); }
    void box(Vec2 lo, Vec2 hi, double rounding) const {
        list.AddRect(at(lo), at(hi), color, static_cast<float>(rounding * half), 0, width);
    }
};

void arrowBack(const Pen& pen, double mirror) {
    pen.stroke({{-0.25 * mirror, -0.85}, {-0.75 * mirror, -0.35}, {-0.25 * mirror, 0.15}});
    pen.stroke({{-0.75 * mirror, -0.35}, {0.3 * mirror, -0.35}});
    const float from = mirror > 0 ? -kPi / 2 : kPi / 2;
    pen.arc({0.3 * mirror, 0.2}, 0.55, from, from + kPi);
    pen.stroke({{0.3 * mirror, 0.75}, {-0.3 * mirror, 0.75}});
}

void sun(const Pen& pen) {
    pen.arc({0, 0}, 0.4, 0, 2 * kPi);
    for (int i = 0; i < 8; ++i) {
        const double angle = i * kPi / 4;
        const Vec2 ray{std::cos(angle), std::sin(angle)};
        pen.stroke({ray * 0.68, ray * 0.95});
    }
}

// A disc of radius 0.85 less one of the same size moved up and to the right; the horns are where the circles meet.
void moon(const Pen& pen) {
    constexpr double kRadius = 0.85, kShift = 0.38;
    const double half = std::acos(std::hypot(kShift, kShift) / (2 * kRadius));
    const auto toward = static_cast<float>(-kPi / 4), open = static_cast<float>(half);
    pen.list.PathArcTo(pen.at({-0.05, 0.05}), static_cast<float>(kRadius * pen.half), toward + open, toward - open + 2 * kPi, 36);
    pen.list.PathArcTo(pen.at({kShift - 0.05, 0.05 - kShift}), static_cast<float>(kRadius * pen.half), toward + kPi + open,
                       toward + kPi - open, 24);
    pen.list.PathStroke(pen.color, ImDrawFlags_Closed, pen.width);
}

void link(const Pen& pen) {
    pen.arc({-0.42, 0}, 0.42, 0.5f * kPi, 1.5f * kPi);
    pen.arc({0.42, 0}, 0.42, -0.5f * kPi, 0.5f * kPi);
    pen.stroke({{-0.42, -0.42}, {-0.12, -0.42}});
    pen.stroke({{-0.42, 0.42}, {-0.12, 0.42}});
    pen.stroke({{0.42, -0.42}, {0.12, -0.42}});
    pen.stroke({{0.42, 0.42}, {0.12, 0.42}});
    pen.stroke({{-0.35, 0}, {0.35, 0}});
}

void tray(const Pen& pen, bool down) {
    const double tip = down ? 0.3 : -0.85, tail = down ? -0.85 : 0.3, side = down ? -0.08 : -0.47;
    pen.stroke({{0, tail}, {0, tip}});
    pen.stroke({{-0.38, side}, {0, tip}, {0.38, side}});
    pen.stroke({{-0.8, 0.45}, {-0.8, 0.8}, {0.8, 0.8}, {0.8, 0.45}});
}

void reset(const Pen& pen) {
    pen.arc({0, 0.05}, 0.72, -0.5f * kPi + 0.75f, 1.5f * kPi - 0.35f);
    pen.fill({{-0.12, -1.0}, {-0.12, -0.34}, {0.3, -0.67}});
}

}  // namespace

void drawIcon(ImDrawList& list, Icon icon, Vec2 centre, double size, Color color) {
    const Pen pen{list, centre, size / 2, toIm(color), 1.6f};
    switch (icon) {
        case Icon::Play:
            return pen.fill({{-0.55, -0.85}, {0.85, 0}, {-0.55, 0.85}});
        case Icon::Pause:
            pen.fill({{-0.65, -0.8}, {-0.2, -0.8}, {-0.2, 0.8}, {-0.65, 0.8}});
            return pen.fill({{0.2, -0.8}, {0.65, -0.8}, {0.65, 0.8}, {0.2, 0.8}});
        case Icon::StepBack:
            pen.fill({{0.6, -0.75}, {0.6, 0.75}, {-0.45, 0}});
            return pen.fill({{-0.75, -0.75}, {-0.5, -0.75}, {-0.5, 0.75}, {-0.75, 0.75}});
        case Icon::StepForward:
            pen.fill({{-0.6, -0.75}, {0.45, 0}, {-0.6, 0.75}});
            return pen.fill({{0.5, -0.75}, {0.75, -0.75}, {0.75, 0.75}, {0.5, 0.75}});
        case Icon::Undo:
            return arrowBack(pen, 1);
        case Icon::Redo:
            return arrowBack(pen, -1);
        case Icon::Reset:
            return reset(pen);
        case Icon::Link:
            return link(pen);
        case Icon::Download:
            return tray(pen, true);
        case Icon::Open:
            return tray(pen, false);
        case Icon::Sun:
            return sun(pen);
        case Icon::Moon:
            return moon(pen);
        case Icon::Dice:
            pen.box({-0.8, -0.8}, {0.8, 0.8}, 0.3);
            for (const Vec2 pip : {Vec2{-0.36, -0.36}, Vec2{0.36, 0.36}, Vec2{0, 0}, Vec2{0.36, -0.36}, Vec2{-0.36, 0.36}})
                pen.dot(pip, 0.14);
            return;
        case Icon::Menu:
            for (const double x : {-0.65, 0.0, 0.65}) pen.dot({x, 0}, 0.2);
            return;
        case Icon::ChevronDown:
            return pen.stroke({{-0.55, -0.25}, {0, 0.3}, {0.55, -0.25}});
        case Icon::ChevronLeft:
            return pen.stroke({{0.25, -0.6}, {-0.3, 0}, {0.25, 0.6}});
        case Icon::ChevronRight:
            return pen.stroke({{-0.25, -0.6}, {0.3, 0}, {-0.25, 0.6}});
        case Icon::Words:
            for (const double y : {-0.65, -0.05, 0.55}) pen.stroke({{-0.8, y}, {y > 0.5 ? 0.2 : 0.8, y}});
            return;
        case Icon::Close:
            pen.stroke({{-0.55, -0.55}, {0.55, 0.55}});
            return pen.stroke({{-0.55, 0.55}, {0.55, -0.55}});
    }
}

}  // namespace kappaflow
