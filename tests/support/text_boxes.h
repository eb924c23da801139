#pragma once
#include "draw/painter.h"

namespace kappaflow {

/// The rectangle of a recorded text: its anchor, size and alignment are the mark's numbers.
inline Rect boxOf(Recorder& recorder, const DrawnMark& mark) {
    const bool upright = mark.numbers.at(3) != 0;
    const Vec2 size = recorder.measure(mark.text, {.size = mark.numbers.at(0), .upright = upright});
    const double along = mark.numbers.at(1) / 2, across = mark.numbers.at(2) / 2;
    const Vec2 corner = upright ? mark.points.front() - Vec2{size.x * along, size.y * across}
                                : mark.points.front() - Vec2{size.x * across, size.y * (1 - along)};
    return {corner, corner + size};
}

}  // namespace kappaflow
