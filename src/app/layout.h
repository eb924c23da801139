#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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
    Rect heading;            ///< title and what to look at
    double lookAtSize = 14;  ///< letters of what to look at, in CSS pixels
    Rect picture, timeline;
    Rect params;  ///< right column, or below the timeline when compact
    bool compact = false;
    bool listFolded = false;  ///< the list is a strip of signs
    bool canUnfold = false;   ///< there is room for the list when the reader wants it
};

/// Narrower than this, the panels stand one below the other.
inline constexpr double kCompactWidth = 760;

Layout computeLayout(const LayoutInput&);

/// What surrounds the program: given by the window or the page, not part of what a reader shares.
struct Options {
    UiMode ui = UiMode::Full;
    bool dark = false, highContrast = false;  ///< the theme
    bool reducedMotion = false;               ///< nothing starts by itself
    bool touch = false;                       ///< wider hit areas
    bool embedded = false;                    ///< stands in another page: the wheel is that page's
    bool native = false;                      ///< own window: words are shown in it, files come by a drop
    bool fullScreen = false;                  ///< the page may fill the screen
    bool macKeys = false;                     ///< Command in place of Ctrl
    std::set<std::string, std::less<>> hide;  ///< keys of params without a control; "examples", "timeline", "handles"
    std::set<std::string, std::less<>> lock;  ///< params that nothing changes in the author's scene; they have no control there

    unsigned panels = ~0u;           ///< ranks of the picture's panels that are shown, as bits
    std::vector<std::string> spots;  ///< ids of marks that words outside speak of
    std::string lit;                 ///< the one of them that the reader is on there

    bool isHidden(std::string_view key) const { return hide.contains(key); }
};

/// What only the surroundings can do; taken by the window or the page after each frame.
struct Wish {
    enum class What { CopyLink, CopyText, CopyEmbedCode, OpenFile, Download, SaveFigure, Theme, Contrast, TypeParam, FullScreen } what;
    std::string text;  ///< CopyText: the text; SaveFigure: "svg", "png" or "film"; TypeParam: its key; Download: "json", "csv", or "onnx"
                       ///< once the session has the network's file; Theme: "dark" or "light"; Contrast: "more" or "usual"
};

/// Which panels are open: lost on reload, no part of the state.
struct Folds {
    bool listFolded = false, more = false, words = false, diagnostics = false;
};

/// One frame's surroundings.
struct FrameInput {
    double now = 0;                     ///< seconds, never falling
    double width = 1280, height = 800;  ///< CSS pixels
    double pixelRatio = 1;              ///< device pixels per CSS pixel
};

/// What became of the page's WebGL contexts, of which a browser keeps only some 16.
struct Contexts {
    std::uint64_t taken = 0, givenBack = 0;  ///< by the page
    std::uint64_t lost = 0;                  ///< taken away by the browser or the driver
    std::uint64_t restored = 0;              ///< had again after a loss
};

/// For tests and the diagnostics panel.
struct Counters {
    std::uint64_t frames = 0;   ///< drawn
    std::uint64_t ticks = 0;    ///< calls of frame(), drawn or not
    std::uint64_t results = 0;  ///< reports and partial reports taken
    double drawMilliseconds = 0, jobMilliseconds = 0;
    Contexts contexts;
};

}  // namespace kappaflow
