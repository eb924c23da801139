/** The code of the bundle that a reader is in: it may still be on its way, or not come at all. */
import { kStall } from './loader.mjs';

export class Bundles {
  /**
   * `bundle`: the first one, whose code is there; `add(bundle)` → promise of a bundle's being there; `late(name)`: which of its files are,
   * in words; `cover` stands over the canvas; `fail(error)` says why nothing is drawn.
   */
  constructor({ bundle, add, late, cover, fail, wake }) {
    Object.assign(this, { bundle, add, late, cover, fail, wake });
    this.missing = false;
  }

  /** Over a bundle's scenes stands why they cannot be shown, until they can be or another bundle is entered. */
  enter(bundle) {
    if (bundle === this.bundle) return;
    this.stop();
    this.bundle = bundle;
    // A canvas that nothing can be drawn on says so already, and goes on saying it.
    const explain = (show) => this.bundle === bundle && !this.cover.refused && ((this.missing = true), show());
    this.timer = setInterval(() => {
      const late = this.late(`-${bundle}.`);
      if (late.length) explain(() => this.cover.late(late));
    }, kStall);
    this.add(bundle).then(() => this.bundle === bundle && this.came(), (error) => explain(() => (clearInterval(this.timer), this.fail(error))));
  }

  came() {
    clearInterval(this.timer);
    if (this.missing) this.cover.done();
    this.missing = false;
    this.wake();
  }

  stop() {
    clearInterval(this.timer);
    this.bundle = undefined;
  }
}
