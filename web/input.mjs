/**
 * What a reader does to the canvas, told to the page module, so that the host page keeps what is its own: wheel, touch
 * scrolling, Tab, browser shortcuts, focus.
 */
const kButtons = 3; // left, middle, right; the others are the browser's (back, forward)
// Keys that mean something in the picture; letters are only heard, except in a text field, and Page Up and Down still scroll.
const kOwnKeys = new Set([
  'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'Space', 'Enter', 'NumpadEnter', 'Backspace', 'Delete', 'Escape',
]);

export class Input {
  /** `ownWheel`: nothing scrolls around the canvas, panels may take the wheel without a click; `draw()`: a frame here and now; `leave()`: Escape. */
  constructor({ canvas, page, wake, draw, ownWheel, onPaste, leave, signal }) {
    Object.assign(this, { canvas, page, wake, draw, ownWheel, onPaste, leave });
    this.focused = false;
    this.touches = new Map(); // id → position, of fingers on the canvas
    this.gesture = null;
    const listen = (type, handler, options = {}) => canvas.addEventListener(type, handler.bind(this), { signal, ...options });
    listen('pointermove', this.pointerMove);
    listen('pointerdown', this.pointerDown);
    listen('pointerup', this.pointerUp);
    listen('pointercancel', this.pointerCancel);
    listen('lostpointercapture', this.pointerCancel);
    listen('pointerleave', this.pointerLeave);
    listen('contextmenu', (event) => event.preventDefault());
    listen('touchstart', this.touchStart, { passive: false });
    listen('wheel', this.wheel, { passive: false });
    listen('keydown', this.keyDown);
    listen('keyup', this.keyUp);
    listen('focus', this.focus);
    listen('blur', this.blur);
    listen('paste', this.paste);
    this.buttons = new Set();
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  move(event) {
    this.page.pointerMove(...this.at(event), event.pointerType === 'touch');
  }

  pointerMove(event) {
    if (this.touches.has(event.pointerId)) this.touches.set(event.pointerId, this.at(event));
    if (this.gesture) return this.pinch();
    this.move(event);
    this.wake();
    this.showCursor();
  }

  pointerDown(event) {
    const { button } = event;
    if (button >= kButtons) return;
    this.capture(event.pointerId);
    // A click makes the canvas the one that keys and the wheel belong to; it never takes that by itself.
    if (!this.focused) this.canvas.focus({ preventScroll: true });
    if (event.pointerType === 'touch') {
      this.touches.set(event.pointerId, this.at(event));
      if (this.touches.size === 2) return this.beginPinch();
      if (this.touches.size > 2) return;
    }
    this.move(event);
    this.buttons.add(button);
    this.page.pointerDown(button);
    this.wake();
  }

  capture(pointerId) {
    try {
      this.canvas.setPointerCapture(pointerId);
    } catch {
      // The pointer is gone already, or the event was made by a script.
    }
  }

  release(button) {
    if (this.buttons.delete(button)) this.page.pointerUp(button);
  }

  pointerUp(event) {
    const wasGesture = this.endTouch(event);
    if (!wasGesture) this.move(event);
    this.release(event.button);
    if (event.pointerType === 'touch') this.page.pointerLeave(); // a finger that left hovers over nothing
    this.wake();
    // Phones open their keyboard only for what is focused inside the event of the finger.
    if (event.pointerType === 'touch') this.draw();
  }

  /** The browser took the gesture (it scrolls), or the capture was lost: let go without acting at that place. */
  pointerCancel(event) {
    this.endTouch(event);
    if (this.buttons.size === 0) return;
    this.page.pointerLeave();
    for (const button of [...this.buttons]) this.release(button);
    this.wake();
  }

  pointerLeave(event) {
    if (this.buttons.size || event.pointerType === 'touch') return;
    this.page.pointerLeave();
    this.wake();
  }

  beginPinch() {
    for (const button of [...this.buttons]) {
      this.page.pointerLeave();
      this.release(button);
    }
    this.gesture = this.span();
    this.wake();
  }

  span() {
    const [[x1, y1], [x2, y2]] = this.touches.values();
    return { x: (x1 + x2) / 2, y: (y1 + y2) / 2, distance: Math.max(1, Math.hypot(x2 - x1, y2 - y1)) };
  }

  pinch() {
    if (this.touches.size < 2) return;
    const span = this.span();
    this.page.pinch(span.x, span.y, span.distance / this.gesture.distance);
    this.gesture = span;
    this.wake();
  }

  /** True when the finger was part of a pinch: what is left of it does nothing until all fingers are up. */
  endTouch(event) {
    this.touches.delete(event.pointerId);
    const wasGesture = this.gesture !== null;
    if (this.touches.size === 0) this.gesture = null;
    return wasGesture;
  }

  /** One finger scrolls the page (touch-action: pan-y), unless it starts on something that answers to it, or a second one joins. */
  touchStart(event) {
    const [touch] = event.changedTouches;
    if (event.cancelable && (event.touches.length > 1 || this.page.wantsPointerAt(...this.at(touch)))) event.preventDefault();
  }

  wheel(event) {
    const key = event.ctrlKey || event.metaKey;
    const at = this.at(event);
    // Where a picture zooms by the wheel: with the key at any time, without it once the figure has been clicked.
    const zooms = this.page.zoomsAt(...at);
    const zoom = key || (this.focused && zooms);
    const wanted = zoom ? this.focused || zooms : (this.focused || this.ownWheel) && this.page.wantsWheelAt(...at);
    if (!wanted) return;
    event.preventDefault();
    const notch = [1 / 100, 1 / 3, 1][event.deltaMode]; // pixels, lines, pages
    this.page.pointerMove(...at, false);
    this.page.wheel(-event.deltaX * notch, -event.deltaY * notch, zoom);
    this.wake();
  }

  keyDown(event) {
    if (!this.isForUs(event)) return;
    const typed = this.page.wantsText() && event.key.length === 1 && !event.ctrlKey && !event.metaKey;
    const shortcut = event.ctrlKey || event.metaKey;
    this.sendKey(event, true);
    if (typed) this.page.text(event.key);
    if (typed || shortcut || kOwnKeys.has(event.code)) event.preventDefault();
    this.wake();
    if (event.code === 'Escape' && !this.page.wantsText()) this.draw(), this.leave(); // a popup has heard it by then
  }

  keyUp(event) {
    if (event.code === 'Tab') return;
    this.sendKey(event, false);
    this.wake();
  }

  sendKey(event, down) {
    this.page.key(event.code, down, event.ctrlKey, event.shiftKey, event.altKey, event.metaKey);
  }

  /** Tab leaves the canvas, and what means something to the browser stays the browser's: of Ctrl and ⌘ only undo and redo are ours. */
  isForUs(event) {
    if (event.code === 'Tab' || event.altKey || event.isComposing) return false;
    if (!event.ctrlKey && !event.metaKey) return true;
    return /^Key[YZ]$/.test(event.code) || (event.code === 'KeyA' && this.page.wantsText());
  }

  focus() {
    this.focused = true;
    this.page.focus(true);
    this.wake();
  }

  blur() {
    this.focused = false;
    this.page.focus(false);
    this.wake();
  }

  paste(event) {
    const text = event.clipboardData?.getData('text/plain');
    if (!text) return;
    event.preventDefault();
    this.onPaste(text);
    this.wake();
  }

  showCursor() {
    const cursor = this.page.cursor();
    if (this.canvas.style.cursor !== cursor) this.canvas.style.cursor = cursor;
  }
}
