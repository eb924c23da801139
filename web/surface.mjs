/**
 * The canvas as a drawing surface: its WebGL2 context, taken when it is first seen and given back when it has been out of sight
 * for a while (a browser keeps only some 16 of them), and its buffer, one element of it per device pixel.
 */
const kGiveBackAfter = 4000; // milliseconds out of sight

/** The observer knows how the browser rounded; emulated screens tell it CSS pixels, which is not that. */
const devicePixels = (computed, observed = 0) => (Math.abs(observed - computed) <= 1 ? observed : Math.round(computed));

export class Surface {
  /** `onResize(width, height, ratio)`: CSS pixels; `onChange()`: there is a context again; `onRefused(sentence)`: there never will be. */
  constructor({ canvas, module, page, view, onResize, onChange, onRefused, signal }) {
    Object.assign(this, { canvas, module, page, view, onResize, onChange, onRefused });
    this.handle = 0;
    this.lost = false;
    this.wantsBack = false;
    canvas.addEventListener('webglcontextlost', (event) => this.onLost(event), { signal });
    canvas.addEventListener('webglcontextrestored', () => this.onRestored(), { signal });
    this.observe(signal);
  }

  attributes() {
    return {
      // Everything drawn carries its own soft edge; multisampling would cost four times the fill for nothing.
      alpha: false, depth: false, stencil: false, antialias: false, powerPreference: 'default',
      majorVersion: 2, minorVersion: 0, enableExtensionsByDefault: true,
    };
  }

  /** Takes a context unless there is one. */
  take() {
    clearTimeout(this.timer);
    if (this.refused) return;
    if (this.handle) return this.takeBack();
    try {
      this.handle = this.module.GL.createContext(this.canvas, this.attributes());
    } catch {
      this.handle = 0;
    }
    if (!this.handle) return this.refuse();
    this.ready();
  }

  refuse() {
    this.refused = true;
    this.onRefused('This browser gives the page no WebGL 2, so the moving picture is missing; words, controls and numbers work without it.');
  }

  ready() {
    this.module.GL.makeContextCurrent(this.handle);
    this.page.glReady();
    this.lost = false;
    this.onChange();
  }

  context() { return this.module.GL.contexts[this.handle]?.GLctx; }

  onLost(event) {
    event.preventDefault(); // asks for it back
    if (this.lost) return;
    this.lost = true;
    this.page.glLost();
    if (this.wantsBack) this.takeBack();
  }

  onRestored() {
    // The objects of the old context are gone with it; a new registration starts without their ids.
    const context = this.context();
    this.handle = this.module.GL.registerContext(context, this.attributes());
    this.ready();
  }

  /** Restores a context that leave() gave up; one the browser took comes back by itself. */
  takeBack() {
    this.wantsBack = true;
    if (!this.givenBack || !this.lost) return;
    this.givenBack = false;
    // Chromium refuses to restore inside the event that reports the loss.
    setTimeout(() => this.handle && this.loseExtension?.restoreContext());
  }

  /** Out of sight. */
  leave() {
    clearTimeout(this.timer);
    this.wantsBack = false;
    if (!this.handle) return;
    this.timer = setTimeout(() => {
      if (this.lost) return;
      this.loseExtension = this.context()?.getExtension('WEBGL_lose_context');
      if (!this.loseExtension) return;
      this.givenBack = true;
      this.loseExtension.loseContext();
    }, kGiveBackAfter);
  }

  observe(signal) {
    const observer = new this.view.ResizeObserver((entries) => this.measure(entries[entries.length - 1]));
    try {
      observer.observe(this.canvas, { box: 'device-pixel-content-box' });
    } catch {
      observer.observe(this.canvas);
      this.watchRatio(signal);
    }
    signal.addEventListener('abort', () => observer.disconnect());
  }

  /** Where the observer does not tell device pixels, a change of their ratio has to be asked for. */
  watchRatio(signal) {
    const query = this.view.matchMedia(`(resolution: ${this.view.devicePixelRatio}dppx)`);
    query.addEventListener('change', () => (this.measure(), this.watchRatio(signal)), { once: true, signal });
  }

  measure(entry) {
    const ratio = this.view.devicePixelRatio || 1;
    const css = { width: this.canvas.clientWidth, height: this.canvas.clientHeight };
    const exact = entry?.devicePixelContentBoxSize?.[0];
    const width = devicePixels(css.width * ratio, exact?.inlineSize);
    const height = devicePixels(css.height * ratio, exact?.blockSize);
    if (!width || !height) return;
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    this.onResize(css.width, css.height, ratio);
  }

  destroy() {
    clearTimeout(this.timer);
    const context = this.context();
    if (this.handle) this.module.GL.deleteContext(this.handle);
    this.handle = 0;
    context?.getExtension('WEBGL_lose_context')?.loseContext();
  }
}
