#pragma once
#include <optional>
#include <span>
#include <vector>

#include "draw/painter.h"

namespace kappaflow {

/// A label that wants to stand beside a line, best at its end.
struct LabelWish {
    Vec2 size;
    std::vector<Vec2> line;  ///< what is visible of it, in drawing order
};

/// Places for labels inside `area`: above or below their lines, as near to the lines' right ends as they can without crossing other
/// lines, never over each other or over `occupied`. Where no place beside the line is free, any free place at the right edge; none:
/// left out. `lines`: all lines that had better not be crossed. O(labels · points).
std::vector<std::optional<Rect>> placeLabels(const Rect& area, std::span<const LabelWish> wishes, std::span<const std::vector<Vec2>> lines,
                                             std::span<const Rect> occupied);

}  // namespace kappaflow
