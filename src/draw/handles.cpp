#include "draw/handles.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kappaflow {
namespace {

double distance(const Rect& rect, Vec2 at) {
    const double dx = std::max({rect.lo.x - at.x, 0.0, at.x - rect.hi.x});
    const double dy = std::max({rect.lo.y - at.y, 0.0, at.y - rect.hi.y});
    return std::hypot(dx, dy);
}

/// The rectangle, made at least kTarget wide and high around its middle: what a pointer need not miss.
bool withinTarget(const Rect& rect, Vec2 at) {
    const double dx = std::max(rect.width(), Handles::kTarget) / 2, dy = std::max(rect.height(), Handles::kTarget) / 2;
    const Vec2 off = at - rect.centre();
    return std::abs(off.x) <= dx && std::abs(off.y) <= dy;
}

const Handle* findHandle(const std::vector<Handle>& handles, const std::string& id) {
    const auto found = std::find_if(handles.begin(), handles.end(), [&](const Handle& handle) { return handle.id == id; });
    return found == handles.end() ? nullptr : &*found;
}

}  // namespace

void Handles::beginFrame(const Pointer& pointer) {
    endFrame();
    const bool wasUp = !pointer_.down, isUp = !pointer.down && !pointer.released;
    dragsElsewhere_ = (dragsElsewhere_ || (pointer_.pressed && held_.empty())) && !wasUp && !isUp;
    spent_ = spent_ && dragsElsewhere_;
    if (wasUp || isUp || !findHandle(shownBefore_, held_)) held_.clear();
    const Pointer before = std::exchange(pointer_, pointer);
    pointer_.pressedAt = pointer.pressed ? pointer.at : before.pressedAt;
    pointer_.moved = before.down && (pointer.down || pointer.released) && tracked() ? pointer.at - before.at : Vec2{};
    anyHovered_ = false;
    // A move told from outside waits one frame for its handle and no longer: a later scene may use the same id.
    if (!std::exchange(moveIsNew_, false)) movedId_.clear();
    frameOpen_ = true;
}

void Handles::endFrame() {
    if (!std::exchange(frameOpen_, false)) return;
    shownBefore_ = std::exchange(shown_, {});
    zoomingBefore_ = std::exchange(zooming_, {});
}

bool Handles::takesWheelAt(Vec2 at) const {
    return std::any_of(zoomingBefore_.begin(), zoomingBefore_.end(), [&](const Rect& rect) { return rect.contains(at); });
}

bool Handles::over(const Handle& handle) const {
    const double own = distance(handle.rect, pointer_.at);
    if (!pointer_.inside || !(withinTarget(handle.rect, pointer_.at) || (pointer_.touch && own <= kTouchSlack))) return false;
    return std::none_of(shownBefore_.begin(), shownBefore_.end(),
                        [&](const Handle& other) { return other.id != handle.id && distance(other.rect, pointer_.at) < own; });
}

void Handles::grab(const Handle& handle) {
    held_ = focused_ = handle.id;
    const bool knob = handle.rect.width() <= kKnob && handle.rect.height() <= kKnob;
    grabbedAt_ = knob ? pointer_.at - handle.rect.centre() : Vec2{};
}

Handles::Grip Handles::begin(const Handle& handle) {
    const bool candidate = held_.empty() && !dragsElsewhere_ && !anyHovered_ && over(handle);
    if (candidate && pointer_.pressed) grab(handle);
    Grip grip;
    grip.held = !held_.empty() && held_ == handle.id;
    grip.hovered = candidate || grip.held;
    grip.focused = !focused_.empty() && focused_ == handle.id;
    grip.value = handle.value;
    anyHovered_ = anyHovered_ || grip.hovered;
    if (!movedId_.empty() && movedId_ == handle.id) {
        grip.value = clampTo(handle, movedTo_);
        grip.moved = grip.value != handle.value;
        movedId_.clear();
    }
    return grip;
}

Handles::Grip Handles::offer(Handle handle, const std::function<double(Vec2)>& valueAt) {
    Grip grip = begin(handle);
    if (valueAt && grip.held && !grip.moved && tracked()) {
        grip.value = clampTo(handle, valueAt(pointer_.at - grabbedAt_), handle.between);
        grip.moved = grip.value != handle.value;
    }
    if (grip.moved) handle.value = grip.value;  // a second step of the keyboard goes on from here
    shown_.push_back(std::move(handle));
    return grip;
}

Handles::Grip Handles::toggle(std::string id, std::string label, std::string valueText, bool on, Rect rect) {
    const double value = on;
    Grip grip = offer({std::move(id), std::move(label), std::move(valueText), value, 0, 1, 1, rect});
    if (grip.held && pointer_.pressed) grip.value = shown_.back().value = 1 - value, grip.moved = true;
    return grip;
}

bool Handles::tracked() const { return std::abs(pointer_.at.x) < 1e6 && std::abs(pointer_.at.y) < 1e6; }

double Handles::clampTo(const Handle& handle, double value, bool between) {
    if (std::isnan(value)) return handle.value;
    const double low = std::min(handle.min, handle.max), high = std::max(handle.min, handle.max);
    if (handle.step > 0 && !between) value = low + std::round((value - low) / handle.step) * handle.step;
    return std::clamp(value, low, high);
}

Pointer Handles::freePointer() const {
    const bool taken = spent_ || !held_.empty() || anyHovered_ || (!dragsElsewhere_ && hits(pointer_.at, pointer_.touch ? kTouchSlack : 0));
    if (!taken) return pointer_;
    Pointer free = pointer_;
    free.inside = free.down = free.pressed = free.released = free.doubleClicked = false;
    free.wheel = 0;
    return free;
}

void Handles::moveTo(std::string id, double value) {
    movedId_ = std::move(id);
    movedTo_ = value;
    moveIsNew_ = true;
}

bool Handles::nudge(double steps) {
    const Handle* handle = findHandle(shownBefore_, focused_);
    if (!handle || focused_.empty()) return false;
    // Several keys can come between two frames.
    const double from = moveIsNew_ && movedId_ == focused_ ? movedTo_ : handle->value;
    moveTo(focused_, clampTo(*handle, from + steps * handle->step));
    return true;
}

bool Handles::hits(Vec2 at, double slack) const {
    return std::any_of(shownBefore_.begin(), shownBefore_.end(),
                       [&](const Handle& handle) { return withinTarget(handle.rect, at) || distance(handle.rect, at) <= slack; });
}

}  // namespace kappaflow
