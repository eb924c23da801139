#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/geometry.h"

namespace kappaflow {

/// The pointer as pictures see it, in CSS pixels; already captured while a drag lasts.
struct Pointer {
    Vec2 at{-1e9, -1e9};
    bool inside = false;  ///< over the picture and not over a panel
    bool down = false, pressed = false, released = false, doubleClicked = false;
    bool touch = false;
    double wheel = 0;            ///< notches, already cleared when the page keeps the wheel
    bool zoomKey = false;        ///< Ctrl or Command
    Vec2 moved;                  ///< since the last frame while the button is down (Handles fills it in)
    Vec2 pressedAt{-1e9, -1e9};  ///< where it went down (Handles fills it in)
};

/// Something a reader can drag, by pointer, by touch, by keyboard or by its native HTML element.
struct Handle {
    std::string id, label, valueText;
    double value = 0, min = 0, max = 1, step = 1;
    Rect rect;             ///< hit area, CSS pixels (at least 24 wide on touch)
    bool between = false;  ///< a drag stops between the steps too; the keyboard keeps to them
};

/// All handles of one frame. A picture offers them anew every frame; who holds one survives between frames by id. Where handles
/// overlap the nearest takes the press, among equals the first offered. A hold lasts until the release, wherever that is, or until
/// its handle is no longer offered.
class Handles {
public:
    void beginFrame(const Pointer&);
    /// After the picture: from now on shown() and hits() speak of this frame. (beginFrame does it if it was left out.)
    void endFrame();

    struct Grip {
        bool hovered = false, held = false, focused = false;
        bool moved = false;  ///< the reader moved it this frame:
        double value = 0;    ///< to this value (drags: as `valueAt` says)
        bool lively() const { return hovered || held || focused; }
    };
    /// Offers a handle. `valueAt` turns a pointer position into a value; without it only the keyboard and the HTML element move the
    /// handle. A knob (at most kKnob wide and high) is dragged by the point where it was grabbed, so that a mere click moves nothing; a
    /// larger area jumps to the pointer.
    Grip offer(Handle, const std::function<double(Vec2)>& valueAt = {});
    /// A switch: a tap moves it between 0 and 1, as the keyboard does.
    Grip toggle(std::string id, std::string label, std::string valueText, bool on, Rect);
    /// The wheel alone zooms what is drawn there, once the figure has been clicked.
    void takeWheel(Rect rect) { zooming_.push_back(rect); }
    /// Whether a wheel that turns there, in the last complete frame, is the picture's.
    bool takesWheelAt(Vec2 at) const;
    /// The pointer, for marks that are no handle (painting, crosshairs); not `inside` while a handle is held or hovered.
    Pointer freePointer() const;
    const Pointer& pointer() const { return pointer_; }

    /// From outside (HTML element): the next offer of this id, in this frame or the next one, reports `moved`.
    void moveTo(std::string id, double value);
    /// The keyboard: moves the focused handle by so many of its steps. False when no shown handle has the focus.
    bool nudge(double steps);
    void focus(std::string id) { focused_ = std::move(id); }
    /// What is held is let go, and nobody hears of the pointer until its button is up: what lies under it has changed.
    void letGo() {
        held_.clear();
        dragsElsewhere_ = spent_ = true;
    }
    const std::string& focused() const { return focused_; }
    /// The handles of the last complete frame, for mirrors, hit tests before touch gestures, and tests.
    const std::vector<Handle>& shown() const { return shownBefore_; }
    /// Returns true if a shown handle answers at `at`, or lies within `slack` pixels of it.
    bool hits(Vec2 at, double slack) const;
    bool holding() const { return !held_.empty(); }
    static constexpr double kTarget = 24;      ///< a handle answers in at least this much, across and down, however small it is drawn
    static constexpr double kTouchSlack = 12;  ///< a finger covers about this much around the point it reports
    static constexpr double kKnob = 48;

private:
    Grip begin(const Handle&);
    bool over(const Handle&) const;
    void grab(const Handle&);
    /// After a touch ends the pointer is parked far away; that is no place to drag to.
    bool tracked() const;
    static double clampTo(const Handle&, double value, bool between = false);
    Pointer pointer_;
    std::string held_, focused_, movedId_;
    double movedTo_ = 0;
    Vec2 grabbedAt_;
    bool moveIsNew_ = false, anyHovered_ = false, frameOpen_ = false;
    bool dragsElsewhere_ = false;  ///< the button went down beside all handles: they stay out of it until it is up
    bool spent_ = false;           ///< letGo() was called since it went down
    std::vector<Handle> shown_, shownBefore_;
    std::vector<Rect> zooming_, zoomingBefore_;
};

}  // namespace kappaflow
