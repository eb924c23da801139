/**
 * When to draw: after something happened, and when the page module asked for another frame; never otherwise.
 * `page.frame(seconds)` answers with the seconds until the next wanted frame: 0 the next animation frame, −1 none.
 */
export class Frames {
  /** `clock`: {requestFrame, cancelFrame} of the window; `onDrawn` runs after every call of page.frame, `onHeld` when one is wanted but not allowed. */
  constructor(page, clock, onDrawn, onHeld = () => {}) {
    Object.assign(this, { page, clock, onDrawn, onHeld });
    this.allowed = false;
    this.wanted = true;
    this.request = 0;
    this.timer = 0;
  }

  /** Whether anybody can see what is drawn, and there is something to draw it with. */
  allow(allowed) {
    if (this.allowed === allowed) return;
    this.allowed = allowed;
    if (!allowed) this.clear();
    else if (this.wanted) this.schedule(0);
  }

  /** Something happened. */
  wake() {
    this.wanted = true;
    if (this.allowed) this.schedule(0);
    else this.onHeld();
  }

  /** Draws now: for a canvas that was just resized and would show nothing until the next beat. */
  draw() {
    if (!this.allowed) return this.wake();
    this.clear();
    const answer = this.page.frame(performance.now() / 1000);
    this.wanted = answer >= 0;
    if (answer >= 0) this.schedule(answer);
    this.onDrawn();
  }

  schedule(seconds) {
    if (this.request) return;
    clearTimeout(this.timer);
    this.timer = 0;
    if (seconds > 0) this.timer = setTimeout(() => this.schedule(0), seconds * 1000);
    else this.request = this.clock.requestFrame(() => ((this.request = 0), this.draw()));
  }

  clear() {
    clearTimeout(this.timer);
    if (this.request) this.clock.cancelFrame(this.request);
    this.timer = this.request = 0;
  }

  stop() {
    this.allow(false);
    this.wanted = false;
  }
}
