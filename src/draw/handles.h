#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/geometry.h"

namespace kappaflow {

/// The pointer as pictures see it, in CSS pixels; already captured while a drag lasts.
struct Pointer {
    Vec2 at{-1e9, -1e9};
    bool inside = false;     ///< over the picture and not over a panel
    bool down = false, pressed = false, released = false, doubleClicked = false;
    bool touch = false;
    double wheel = 0;        ///< notches, already cleared when the page keeps the wheel
    bool zoomKey = false;    ///< Ctrl or Command
};

/// Something a reader can drag, by pointer, by touch, by keyboard or by its native HTML element.
struct Handle {
    std::string id, label, valueText;
    double value = 0, min = 0, max = 1, step = 1;
    Rect rect;  ///< hit area, CSS pixels (at least 24 wide on touch)
};

/// All handles of one frame. A picture offers them anew every frame; who holds one survives between frames by id.
class Handles {
public:
    void beginFrame(const Pointer&);

    struct Grip {
        bool hovered = false, held = false, focused = false;
        bool moved = false;  ///< the reader moved it this frame:
        double value = 0;    ///< to this value (drags: as `valueAt` says)
    };
    /// Offers a handle. `valueAt` turns a pointer position into a value.
    template <class ValueAt>
    Grip offer(Handle handle, ValueAt&& valueAt) {
        Grip grip = begin(handle);
        if (grip.held && !grip.moved) {
            grip.value = clampTo(handle, valueAt(pointer_.at));
            grip.moved = grip.value != handle.value;
        }
        shown_.push_back(std::move(handle));
        return grip;
    }
    /// The pointer, for marks that are no handle (painting, crosshairs); not `inside` while a handle is held or hovered.
    Pointer freePointer() const;
    const Pointer& pointer() const { return pointer_; }

    /// From outside (HTML element, keyboard): the next offer of this id reports `moved`.
    void moveTo(std::string id, double value);
    void focus(std::string id) { focused_ = std::move(id); }
    /// The handles of the last frame, for mirrors, hit tests before touch gestures, and tests.
    const std::vector<Handle>& shown() const { return shownBefore_; }
    bool hits(Vec2 at, double slack) const;
    bool holding() const { return !held_.empty(); }

private:
    Grip begin(const Handle&);
    static double clampTo(const Handle&, double value);
    Pointer pointer_;
    std::string held_, focused_, movedId_;
    double movedTo_ = 0;
    bool anyHovered_ = false;
    std::vector<Handle> shown_, shownBefore_;
};

}  // namespace kappaflow
