/** The drawing code of the bundle that a reader is in: it may still be on its way, or not come at all. */
import { kStall } from './loader.mjs';

export class BundlePictures {
  /**
   * `bundle`: the first one, whose drawing code is there; `add(bundle)` → promise of a bundle's being there; `cover` stands over the
   * canvas; `fail(error)` says why nothing is drawn.
   */
  constructor({ bundle, add, cover, fail, wake }) {
    Object.assign(this, { bundle, add, cover, fail, wake });
    this.missing = false;
  }

  /** Over a bundle's scenes stands why they cannot be drawn, until they can be or another bundle is entered. */
  enter(bundle) {
    if (bundle === this.bundle) return;
    this.bundle = bundle;
    clearTimeout(this.late);
    // A canvas that nothing can be drawn on says so already, and goes on saying it.
    const explain = (show) => this.bundle === bundle && !this.cover.refused && ((this.missing = true), show());
    this.late = setTimeout(() => explain(() => this.cover.late([`kappaflow-pictures-${bundle}.wasm`])), kStall);
    this.add(bundle).then(() => this.bundle === bundle && this.came(), (error) => explain(() => (clearTimeout(this.late), this.fail(error))));
  }

  came() {
    clearTimeout(this.late);
    if (this.missing) this.cover.done();
    this.missing = false;
    this.wake();
  }

  stop() {
    clearTimeout(this.late);
    this.bundle = undefined;
  }
}
