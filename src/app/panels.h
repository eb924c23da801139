#pragma once
#include <string>
#include <vector>

#include "app/app.h"
#include "app/screen.h"
#include "core/base/geometry.h"
#include "draw/color.h"
#include "draw/painter.h"
#include "scene/param.h"

struct ImDrawList;

namespace kappaflow {

enum class Icon {
    Play,
    Pause,
    StepBack,
    StepForward,
    Undo,
    Redo,
    Reset,
    Link,
    Download,
    Sun,
    Moon,
    Dice,
    Open,
    Menu,
    ChevronDown,
    ChevronLeft,
    ChevronRight,
    Words,
    Close,
    Contrast
};

/// A line icon in a square of `size`, drawn (the fonts carry no icons).
void drawIcon(ImDrawList&, Icon, Vec2 centre, double size, Color);

/// What every panel reads and where its wishes go.
struct Desk {
    App& app;
    Session& session;
    Screen& screen;
    const Theme& theme;
    const Layout& layout;
    const Options& options;
    Folds& folds;
    double pixelRatio;

    bool touch() const { return options.touch || layout.compact; }
};

void drawSceneList(Desk&);
void drawToolbar(Desk&);
void drawHeading(Desk&);
void drawParams(Desk&);
void drawTimeline(Desk&);
void drawMessages(Desk&);
/// Progress as a thin line over the picture, once an answer takes its time.
void drawProgress(Desk&);
void drawDiagnostics(Desk&);
/// The notes in place of the params (window only; the page has them as HTML).
void drawWords(Desk&);

/// One control, made from its declaration alone.
void drawParam(Desk&, const Param&);

/// Keys of the window and of the focused canvas; nothing browsers use.
void followKeys(Desk&);

// The controls of a textbook figure, drawn by us over ImGui's hit tests.

/// A panel: an ImGui window without decoration that fills the rectangle. Always end it.
bool beginPanel(Desk&, const char* id, Rect, Color ground);
void endPanel(Desk&, Rect);

/// Text on the current panel; Painter's markup.
void write(Desk&, Vec2 at, std::string_view markup, const TextStyle&);
Vec2 measure(Desk&, std::string_view markup, const TextStyle&);
/// Broken to the width; returns the height used (lines of 1.35 em).
double writeWrapped(Desk&, Vec2 at, std::string_view markup, const TextStyle&, double width, std::size_t maxLines = 1000);
/// The height that writeWrapped would use.
double wrappedHeight(Desk&, std::string_view markup, const TextStyle&, double width);

TextStyle bodyStyle(const Desk&, double size = 0);
TextStyle mutedStyle(const Desk&, double size = 0);

/// The next `height` pixels of the panel, over its whole width.
Rect takeRow(double height);
/// An invisible button; true when pressed.
bool pressable(Desk&, const char* id, Rect);

bool iconButton(Desk&, const char* id, Rect, Icon, const std::string& tip, bool enabled = true, bool accent = false);
/// Text in a rounded box; `chosen` fills it with the accent.
bool pill(Desk&, const char* id, Rect, std::string_view label, bool chosen);
/// All options side by side in one box; returns the index pressed, −1 none. Only when segmentsFit().
int segments(Desk&, const char* id, Rect, const std::vector<std::string>& labels, int chosen);
bool segmentsFit(Desk&, double width, const std::vector<std::string>& labels);
/// Rows of a popup, as wide as the widest; returns the index pressed (the popup then closes), −1 none. Escape closes.
int menuRows(Desk&, const std::vector<std::string>& labels, int chosen, double leastWidth);
/// A drop-down list; returns the index chosen, −1 none.
int dropDown(Desk&, const char* id, Rect, const std::string& shown, const std::vector<std::string>& labels, int chosen);
/// A track with a knob at `position` (0 … 1); true while dragged, with `position` changed.
bool track(Desk&, const char* id, Rect, double& position);
/// A switch; true when flipped.
bool flipSwitch(Desk&, const char* id, Rect, bool on);
/// A param's number or text that turns into a text field when pressed; true when a new text was entered. Under a finger, which
/// has no keys, the page is asked for its own field instead, and a phone's keyboard comes with it.
bool editableText(Desk&, const std::string& key, Rect, const std::string& shown, std::string& text, bool alignRight = true);

/// Where a number param's value stands on its slider, 0 … 1 (equal ratios when it is logarithmic), and back: rounded to what
/// the kind admits, and to no more digits than a drag can mean.
double sliderPosition(const Param&, double value);
double sliderValue(const Param&, double position);

/// A number as a control shows it: the name of a named value, whole numbers in full, others to four digits.
std::string valueLabel(const Param&, double value);

}  // namespace kappaflow
