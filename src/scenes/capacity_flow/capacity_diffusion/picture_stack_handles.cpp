#include <algorithm>
#include <cmath>

#include "scenes/capacity_flow/capacity_diffusion/picture_stack.h"

namespace kappaflow::diffusion {
namespace {

constexpr double kDegreesPerPixel = 0.4, kLeastTilt = 5, kMostTilt = 85, kLeastZoom = 0.5, kMostZoom = 4;

bool lively(const Handles::Grip& grip) { return grip.hovered || grip.held || grip.focused; }

double tenth(double v) { return std::round(v * 10) / 10; }

// Half a turn right is half a turn left.
double wrapped(double degrees) { return degrees - 360 * std::round(degrees / 360); }

void turn(PictureFrame& f, Vec2 moved) {
    if (moved == Vec2{}) return;
    const Values& v = f.state.params;
    f.changes.push_back(Change::param("orbit", tenth(wrapped(v.number("orbit") - kDegreesPerPixel * moved.x))));
    f.changes.push_back(Change::param("tilt", tenth(std::clamp(v.number("tilt") + kDegreesPerPixel * moved.y, kLeastTilt, kMostTilt))));
}

// The pointer where no handle is: dragging turns, the wheel and two fingers zoom, a double click puts the camera back.
void turnFreely(StackFrame& s) {
    PictureFrame& f = s.g.f;
    const Pointer p = f.handles.freePointer();
    if (!p.inside || !s.panel.contains(p.down ? p.pressedAt : p.at)) return;
    if (p.doubleClicked) {
        const Values standard = requireDeclaration(f.state.scene).defaults();
        for (const char* key : {"orbit", "tilt", "zoom"}) f.changes.push_back(Change::param(key, standard.at(key)));
    } else if (p.wheel != 0) {
        const double zoom = f.state.params.number("zoom") * std::pow(1.2, p.wheel);
        f.changes.push_back(Change::param("zoom", std::round(std::clamp(zoom, kLeastZoom, kMostZoom) * 100) / 100));
    } else if (p.down && !p.pressed && !p.touch) {
        turn(f, p.moved);
    }
}

// The axes of the stack, small: which way x, y and the layers run, and a handle to turn them by.
void drawAxes(StackFrame& s, Vec2 middle, bool strong) {
    PictureFrame& f = s.g.f;
    const OrbitCamera& camera = s.space.camera();
    const double length = 15;
    const TextStyle style{.color = strong ? f.theme.accent : f.theme.muted,
                          .size = f.theme.tinySize,
                          .h = AlignH::Centre,
                          .v = AlignV::Middle,
                          .halo = f.theme.ground};
    struct Named {
        Vec3 direction;
        const char* name;
    };
    for (const Named& axis : {Named{{1, 0, 0}, "*x*"}, {{0, -1, 0}, "*y*"}, {{0, 0, 1}, "*l*"}}) {
        const Vec2 along{dot(camera.right(), axis.direction), -dot(camera.up(), axis.direction)};
        f.painter.line("stack/axes", middle, middle + along * length, {style.color, strong ? 2.0 : 1.4});
        // An axis seen from its end has its name beside it all the same.
        const double size = std::max(std::hypot(along.x, along.y), 1e-6);
        f.painter.text("stack/axes/name", middle + along * length + along * (8 / size), axis.name, style);
    }
}

}  // namespace

void offerLayer(StackFrame& s) {
    PictureFrame& f = s.g.f;
    const double at = s.g.at, layers = static_cast<double>(s.g.grid.layers());
    const Vec2 corner = s.space.leftOf(at);
    const Rect tag{{std::max(s.panel.lo.x, corner.x - 42), corner.y - 10}, {std::max(s.panel.lo.x + 32, corner.x - 8), corner.y + 10}};
    const auto layerAt = [&](Vec2 p) { return s.space.layerBeside(p); };
    const auto grip = f.handles.offer({"layer", "layer shown", "layer " + layerNumber(at), at, 0, layers, 1, tag}, layerAt);
    // The keyboard goes by whole layers, a drag also between them.
    double wanted = grip.moved ? grip.value : at;
    if (grip.held) {
        const Pointer& p = f.handles.pointer();
        wanted = std::clamp(at + layerAt(p.at) - layerAt(p.at - p.moved), 0.0, layers);
    }
    if (std::abs(wanted - at) > 1e-3) {
        f.changes.push_back(Change::param("play", false));
        f.changes.push_back(Change::param("at", wanted));
    }
    f.painter.line("stack/layer/leader", Vec2{tag.hi.x, corner.y}, corner, {f.theme.accent, lively(grip) ? 2.0 : 1.2});
    f.painter.rect("stack/layer/tag", tag, f.theme.accent, 4);
    f.painter.text("stack/layer/now", tag.centre(), layerNumber(at),
                   {.color = f.theme.onAccent, .size = f.theme.smallSize, .h = AlignH::Centre, .v = AlignV::Middle, .bold = true});
}

void offerStart(StackFrame& s) {
    PictureFrame& f = s.g.f;
    const std::string& top = f.state.params.text("top");
    if (top != "dirac" && top != "block") return;
    const std::size_t layer = s.g.grid.layers(), rows = s.g.grid.rows(layer), cols = s.g.grid.cols(layer);
    const double height = s.space.height(static_cast<double>(layer)), lastRow = static_cast<double>(rows) - 1,
                 lastCol = static_cast<double>(cols) - 1;
    const double wish = f.state.params.number("topIndex"), count = static_cast<double>(rows * cols);
    const double centre = std::floor(static_cast<double>(rows) / 2) * static_cast<double>(cols) + std::floor(static_cast<double>(cols) / 2);
    const double index = wish < 0 ? centre : std::min(wish, count - 1);
    const double row = std::floor(index / static_cast<double>(cols)), col = index - row * static_cast<double>(cols);
    const Vec2 foot = s.space.seen(rows, cols, {col, row}, height).at;
    const Rect knob{foot + Vec2{-13, -26}, foot + Vec2{13, 0}};
    const auto unitAt = [&](Vec2 p) {
        const auto cell = s.space.cellUnder(p + foot - knob.centre(), rows, cols, height);
        if (!cell) return index;
        return std::clamp(std::round(cell->y), 0.0, lastRow) * static_cast<double>(cols) + std::clamp(std::round(cell->x), 0.0, lastCol);
    };
    const std::string place = rows == 1 ? "unit " + inWords(col, 6) : "x = " + inWords(col, 6) + ", y = " + inWords(row, 6);
    const auto grip = f.handles.offer({"top", "unit where the capacity starts", place, index, 0, count - 1, 1, knob}, unitAt);
    double wanted = grip.moved ? grip.value : index;
    if (rows > 1) {
        // For the keyboard: the same knob, by whole rows. The first of two handles in one place takes the pointer.
        const auto still = [&](Vec2) { return row; };
        const auto byRow =
            f.handles.offer({"topRow", "row where the capacity starts", "y = " + inWords(row, 6), row, 0, lastRow, 1, knob}, still);
        if (byRow.moved) wanted = byRow.value * static_cast<double>(cols) + col;
    }
    if (wanted != index) f.changes.push_back(Change::param("topIndex", wanted));
    const double size = lively(grip) ? 8.5 : 7;
    const Vec2 arrow[] = {foot + Vec2{-size, -size * 1.5 - 3}, foot + Vec2{size, -size * 1.5 - 3}, foot + Vec2{0, -3}};
    f.painter.polygon("stack/start", arrow, f.theme.accent);
}

void offerSection(StackFrame& s) {
    if (!s.section.shown || s.g.grid.isVector(0)) return;
    PictureFrame& f = s.g.f;
    const bool alongX = s.section.alongX;
    const std::size_t rows = s.g.grid.rows(0), cols = s.g.grid.cols(0), count = alongX ? rows : cols;
    const double line = static_cast<double>(s.section.line(s.g.grid, 0)), height = s.space.height(0);
    const auto end = [&](double side) {
        const double far = side * static_cast<double>(alongX ? cols : rows) - 0.5;
        return s.space.seen(rows, cols, alongX ? Vec2{far, line} : Vec2{line, far}, height).at;
    };
    const Vec2 a = end(0), b = end(1), at = a.y > b.y ? a : b;
    const Rect knob{at + Vec2{-13, -13}, at + Vec2{13, 13}};
    const auto lineAt = [&](Vec2 p) {
        const auto cell = s.space.cellUnder(p, rows, cols, height);
        return cell ? std::clamp(alongX ? cell->y : cell->x, 0.0, static_cast<double>(count) - 1) : line;
    };
    const std::string place = (alongX ? "y = " : "x = ") + inWords(line, 6);
    const auto grip = f.handles.offer(
        {"section", alongX ? "row of the section" : "column of the section", place, line, 0, static_cast<double>(count) - 1, 1, knob},
        lineAt);
    if (grip.moved && grip.value != line) f.changes.push_back(Change::param("sectionAt", grip.value));
    if (f.kept) return;
    f.painter.marker("stack/section/knob", at, lively(grip) ? 7.5 : 6, MarkerShape::Diamond, f.theme.series[2],
                     Stroke{f.theme.ground, 1.5});
}

void offerCamera(StackFrame& s) {
    PictureFrame& f = s.g.f;
    const Vec2 middle{s.panel.lo.x + 26, s.panel.hi.y - 22};
    const Rect knob{middle - Vec2{24, 24}, middle + Vec2{24, 24}};
    const double orbit = f.state.params.number("orbit"), tilt = f.state.params.number("tilt");
    const auto degrees = [](double v) { return inWords(std::round(v), 4) + "°"; };
    const auto byOrbit = f.handles.offer({"orbit", "direction the stack is seen from", degrees(orbit), orbit, -180, 180, 5, knob},
                                         [&](Vec2) { return orbit; });
    const auto byTilt = f.handles.offer({"tilt", "height the stack is seen from", degrees(tilt), tilt, kLeastTilt, kMostTilt, 5, knob},
                                        [&](Vec2) { return tilt; });
    if (byOrbit.held)
        turn(f, f.handles.pointer().moved);
    else if (byOrbit.moved)
        f.changes.push_back(Change::param("orbit", byOrbit.value));
    else if (byTilt.moved)
        f.changes.push_back(Change::param("tilt", byTilt.value));
    drawAxes(s, middle, lively(byOrbit) || lively(byTilt));
    turnFreely(s);
}

}  // namespace kappaflow::diffusion
