/** When to draw joined with what to draw on: frames are drawn while a reader sees them and there is a context, or none is to be had. */
import { language } from './dom.mjs';
import { Frames } from './frames.mjs';
import { Surface } from './surface.mjs';

export class Drawing {
  /**
   * `alone`: nothing but the picture is drawn, which is blank without a result. `onPicture()`: for the first time there is something
   * to see, which is when `shown` resolves; `onFrame()`: after every frame; `onRefused(sentence)`: there will be no picture.
   */
  constructor({ canvas, module, page, view, signal, alone, onPicture, onFrame, onRefused }) {
    Object.assign(this, { page, alone, onPicture, onFrame });
    this.seen = false;
    this.shown = new Promise((done) => (this.tellShown = done));
    if (language.name !== 'en') page.setWords(language.say);
    const clock = { requestFrame: (frame) => view.requestAnimationFrame(frame), cancelFrame: (id) => view.cancelAnimationFrame(id) };
    this.frames = new Frames(page, clock, () => this.afterFrame(), () => this.surface?.want());
    this.surface = new Surface({
      canvas, module, page, view, signal,
      onResize: (width, height, ratio) => (page.resize(width, height, ratio), this.frames.draw()),
      onReady: () => (this.allow(), this.frames.wake()),
      onLost: () => (this.allow(), this.frames.wanted && this.surface.want()),
      onRefused: (sentence) => (onRefused(sentence), this.allow(), this.frames.wake()),
    });
  }

  look(seen) {
    this.seen = seen;
    if (seen) this.surface.enter();
    else this.surface.leave();
    this.allow();
  }

  allow() {
    this.frames.allow(this.seen && (this.surface.drawable || this.surface.refused));
  }

  afterFrame() {
    const { frames, results } = this.page.counters();
    if (frames !== this.shownFrame && !this.surface.refused) {
      this.shownFrame = frames;
      if (!this.pictured && (!this.alone || results > 0 || !this.page.describe().busy)) {
        this.pictured = true;
        this.onPicture();
        this.tellShown();
      }
      this.surface.show();
    }
    this.onFrame();
  }

  stop() { this.frames.stop(); }
  /** Once the page module has let go of its GL objects. */
  destroy() { this.surface.destroy(); }
}
