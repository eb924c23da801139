#include "app/layout.h"

#include <algorithm>
#include <cmath>

namespace kappaflow {
namespace {

constexpr double kListWidth = 204, kFoldedWidth = 48, kParamsWidth = 244, kMostWordsWidth = 380;
constexpr double kToolbarHeight = 48, kHeadingHeight = 115, kTimelineHeight = 56;
constexpr double kLow = 600, kLowHeading = 76;  // a frame so low, and the heading in it
constexpr double kCompactRow = 48, kCompactHeading = 64;
constexpr double kLeastPicture = 0.6;  // of the width, when the panels stand beside it

// Regions are cut off the rest one after the other, never more than is left: so they cannot overlap or leave the frame.
Rect cutLeft(Rect& rest, double width) {
    Rect cut = rest;
    cut.hi.x = rest.lo.x = std::min(rest.lo.x + width, rest.hi.x);
    return cut;
}
Rect cutRight(Rect& rest, double width) {
    Rect cut = rest;
    cut.lo.x = rest.hi.x = std::max(rest.hi.x - width, rest.lo.x);
    return cut;
}
Rect cutTop(Rect& rest, double height) {
    Rect cut = rest;
    cut.hi.y = rest.lo.y = std::min(rest.lo.y + height, rest.hi.y);
    return cut;
}
Rect cutBottom(Rect& rest, double height) {
    Rect cut = rest;
    cut.lo.y = rest.hi.y = std::max(rest.hi.y - height, rest.lo.y);
    return cut;
}

double paramsWidth(const LayoutInput& in) {
    if (in.words) return std::clamp(std::round(0.28 * in.width), kParamsWidth, kMostWordsWidth);
    return kParamsWidth;
}

// The middle column: words above, time below; a frame too low for both gives up the words first.
void stackPicture(Layout& layout, Rect middle, const LayoutInput& in, double headingHeight) {
    const double timeline = in.hasTimeline ? kTimelineHeight : 0;
    if (in.ui != UiMode::Figure && middle.height() >= 3 * headingHeight + timeline) layout.heading = cutTop(middle, headingHeight);
    if (middle.height() >= 2 * timeline) layout.timeline = cutBottom(middle, timeline);
    layout.picture = middle;
}

void layWide(Layout& layout, const LayoutInput& in) {
    Rect rest = layout.frame;
    const double right = paramsWidth(in);
    if (in.ui == UiMode::Full) {
        layout.canUnfold = in.width - right - kListWidth >= kLeastPicture * in.width;
        layout.listFolded = in.listFolded || !layout.canUnfold;
        layout.sceneList = cutLeft(rest, layout.listFolded ? kFoldedWidth : kListWidth);
    }
    layout.params = cutRight(rest, right);
    if (in.ui == UiMode::Full) layout.toolbar = cutTop(layout.params, kToolbarHeight);
    // 16 px at 1280, 20 at 1920: a lecturer's projector is read from far away.
    if (in.height >= kLow) layout.lookAtSize = std::clamp(16 + (in.width - 1280) / 160, 14.0, 22.0);
    stackPicture(layout, rest, in, in.height < kLow ? kLowHeading : kHeadingHeight);
}

void layCompact(Layout& layout, const LayoutInput& in) {
    Rect rest = layout.frame;
    if (in.ui == UiMode::Full) {
        Rect row = cutTop(rest, std::min(kCompactRow, in.height / 4));
        layout.toolbar = cutRight(row, std::min(kCompactRow, in.width / 3));
        layout.sceneList = row;
    }
    const double timeline = in.hasTimeline ? kTimelineHeight : 0;
    const double picture = std::min(std::round(0.52 * in.height), std::max(320.0, std::round(1.15 * in.width)));
    const double column = in.height < 420 ? in.height : picture + timeline + kCompactHeading;
    stackPicture(layout, cutTop(rest, column), in, kCompactHeading);
    layout.params = rest;
}

}  // namespace

Layout computeLayout(const LayoutInput& in) {
    Layout layout;
    layout.frame = {{0, 0}, {std::max(0.0, in.width), std::max(0.0, in.height)}};
    layout.compact = in.width < kCompactWidth;
    if (in.ui == UiMode::Figure)
        stackPicture(layout, layout.frame, in, 0);
    else if (layout.compact)
        layCompact(layout, in);
    else
        layWide(layout, in);
    return layout;
}

}  // namespace kappaflow
