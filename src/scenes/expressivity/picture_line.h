#pragma once
#include <span>

#include "scenes/picture.h"

namespace kappaflow {

/// Corners of a line drawn by hand come and go: a double click or tap on the line puts one there, on a corner takes it away; the keyboard
/// changes their number, on the longest stretch and at the end. Two stay, and no more come than the list `key` (x and y in turn) takes.
/// `screen`: the corners on the screen; coordinates are kept to 1/`perUnit`. After the corners' own handles: they lie above the line.
/// True when a click was meant for the line.
bool offerCornerChanges(PictureFrame&, const char* key, std::span<const Vec2> screen, double perUnit);

}  // namespace kappaflow
