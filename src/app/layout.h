#pragma once
#include "core/base/geometry.h"

namespace kappaflow {

/// How much of the program is shown: everything; the picture and its few main params; the picture and its timeline.
enum class UiMode { Full, Lesson, Figure };

/// What the one fixed layout depends on.
struct LayoutInput {
    double width = 1280, height = 800;  ///< CSS pixels
    UiMode ui = UiMode::Full;
    bool hasTimeline = true;
    bool listFolded = false;  ///< the reader's wish; a list that would press the picture below 60 % is folded anyway
    bool words = false;       ///< the right column shows the notes and is a little wider
};

/// Where everything is, in CSS pixels. Regions that are not shown are empty. Regions never overlap and lie inside the frame.
struct Layout {
    Rect frame;
    Rect sceneList;  ///< wide: the column at the left; compact: the row at the top
    Rect toolbar;
    Rect heading;  ///< title and what to look at
    Rect picture, timeline;
    Rect params;  ///< right column, or below the timeline when compact
    bool compact = false;
    bool listFolded = false;  ///< the list is a strip of signs
    bool canUnfold = false;   ///< there is room for the list when the reader wants it
};

/// Narrower than this, the panels stand one below the other.
inline constexpr double kCompactWidth = 760;

Layout computeLayout(const LayoutInput&);

}  // namespace kappaflow
