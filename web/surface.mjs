/**
 * The canvas as a drawing surface. WebGL has a canvas of its own outside the page, and every finished frame is handed to the
 * visible canvas as a bitmap: so the picture stays there whatever becomes of the context, which is given back out of sight,
 * taken away by the browser (it keeps only some 16) or lost with the graphics driver, and had again when there is something to draw.
 */
const kGiveBackAfter = 4000; // milliseconds out of sight
const kPatience = 300, kMostPatience = 8000; // milliseconds before taking again what the browser took: others are drawing
const kHeldLong = 10000; // milliseconds after which a loss is a single event, not a quarrel
const kDoubt = 1000; // milliseconds before a loss in which frames may have been drawn for nothing
const kRetry = 250, kGiveUpAfter = 3000; // milliseconds between two attempts, and until there are no more

/** The observer knows how the browser rounded; emulated screens tell it CSS pixels, which is not that. */
const devicePixels = (computed, observed = 0) => (Math.abs(observed - computed) <= 1 ? observed : Math.round(computed));

const kAttributes = {
  // Everything drawn carries its own soft edge; multisampling would cost four times the fill for nothing.
  alpha: false, depth: false, stencil: false, antialias: false, powerPreference: 'default',
  majorVersion: 2, minorVersion: 0, enableExtensionsByDefault: true,
};

export class Surface {
  /**
   * `onResize(width, height, ratio)`: CSS pixels; `onReady()`: there is a context, draw; `onLost()`: there is none for now;
   * `onRefused(sentence)`: there never will be.
   */
  constructor({ canvas, module, page, view, onResize, onReady, onLost, onRefused, signal }) {
    Object.assign(this, { canvas, module, page, view, onResize, onReady, onLost, onRefused });
    this.handle = 0;
    this.seen = this.refused = false;
    this.patience = kPatience;
    this.buffers = [offPage, ordinary];
    this.size = { width: canvas.width, height: canvas.height };
    this.contexts = { taken: 0, givenBack: 0, lost: 0, restored: 0 };
    this.observe(signal);
  }

  get drawable() { return this.handle !== 0; }
  context() { return this.module.GL.contexts[this.handle]?.GLctx; }

  // ---- taking and giving back ----

  /** In sight. */
  enter() {
    this.seen = true;
    this.patience = kPatience;
    clearTimeout(this.leaving);
    if (this.contexts.taken) this.want(); // the last picture stands there; one that rushes past is left at that
    else this.take();
  }

  /** Out of sight. */
  leave() {
    this.seen = false;
    this.stopWaiting();
    clearTimeout(this.leaving);
    this.leaving = setTimeout(() => this.giveBack(), kGiveBackAfter);
  }

  /** There is something to draw; `now`: a reader did something and is not to wait. */
  want(now = false) {
    if (this.drawable || !this.seen || this.refused) return;
    if (now && this.failingSince === undefined) return this.take();
    this.waiting ??= setTimeout(() => this.take(), this.patience);
  }

  stopWaiting() {
    clearTimeout(this.waiting);
    this.waiting = undefined;
  }

  take() {
    this.stopWaiting();
    if (this.drawable || this.refused) return;
    this.drop();
    this.open();
    if (!this.drawable) return this.fail();
    this.failingSince = undefined;
    this.tookAt = performance.now();
    if (this.contexts.lost > this.contexts.restored) ++this.contexts.restored;
    ++this.contexts.taken;
    this.ready();
  }

  /** The first kind of buffer that gives a context is the kind from then on: the visible canvas is bound to it. */
  open() {
    for (const make of this.buffers) {
      this.buffer = make(this.canvas, this.size);
      this.handle = this.buffer ? this.tryContext() : 0;
      if (!this.handle) continue;
      this.buffers = [make];
      this.shown ??= this.canvas.getContext(this.buffer.transferToImageBitmap ? 'bitmaprenderer' : '2d', { alpha: false });
      return this.shown ? this.listen() : this.drop(); // its owner has drawn on the canvas
    }
  }

  tryContext() {
    try {
      return this.module.GL.createContext(this.buffer, kAttributes);
    } catch {
      return 0;
    }
  }

  listen() {
    this.life = new AbortController();
    const { signal } = this.life;
    this.buffer.addEventListener('webglcontextlost', (event) => this.lose(event), { signal });
    this.buffer.addEventListener('webglcontextrestored', () => this.restore(), { signal });
  }

  ready() {
    this.module.GL.makeContextCurrent(this.handle);
    this.page.glReady();
    this.tell();
    this.onReady();
  }

  /** A browser that gave a context once may need a while after it lost its graphics process. */
  fail() {
    this.drop();
    const now = performance.now();
    this.failingSince ??= now;
    if (this.contexts.taken && now - this.failingSince < kGiveUpAfter) this.waiting = setTimeout(() => this.take(), kRetry);
    else this.refuse();
  }

  refuse() {
    this.refused = true;
    const why = this.contexts.taken
      ? 'This browser took WebGL 2 away from the page and does not give it back, so the picture no longer moves'
      : 'This browser gives the page no WebGL 2, so the moving picture is missing';
    this.onRefused(`${why}; words, controls and numbers work without it.`);
  }

  giveBack() {
    if (!this.drawable) return;
    ++this.contexts.givenBack;
    this.page.glLost();
    this.drop();
    this.tell();
    this.onLost();
  }

  /** Lets go of the context, if there is one, and of its canvas. */
  drop() {
    this.life?.abort();
    const context = this.context() ?? this.lostContext;
    if (this.handle) this.module.GL.deleteContext(this.handle);
    this.handle = 0;
    this.buffer = this.lostContext = undefined;
    if (context && !context.isContextLost()) context.getExtension('WEBGL_lose_context')?.loseContext();
  }

  /** The browser took it. */
  lose(event) {
    event.preventDefault(); // asks for it back
    if (!this.drawable) return;
    ++this.contexts.lost;
    this.patience = performance.now() - this.tookAt > kHeldLong ? kPatience : Math.min(2 * this.patience, kMostPatience);
    this.page.glLost();
    this.lostContext = this.context();
    this.module.GL.deleteContext(this.handle);
    this.handle = 0;
    this.tell();
    this.onLost();
    // Frames are drawn into lost contexts until the browser says so: what was drawn last may never have been seen.
    if (this.missed || performance.now() - this.showedAt < kDoubt) this.want();
  }

  /** The browser gives it back by itself: its old objects are gone, a new registration starts without their ids. */
  restore() {
    if (this.drawable || !this.lostContext) return;
    this.stopWaiting();
    this.handle = this.module.GL.registerContext(this.lostContext, kAttributes);
    this.lostContext = undefined;
    this.tookAt = performance.now();
    ++this.contexts.restored;
    this.ready();
  }

  tell() {
    const { taken, givenBack, lost, restored } = this.contexts;
    this.page.noteContexts(taken, givenBack, lost, restored);
  }

  // ---- the picture ----

  /** Hands the frame that was just drawn to the visible canvas. */
  show() {
    const { canvas, buffer, shown } = this;
    this.missed = !this.drawable || this.context().isContextLost();
    if (this.missed) return; // the picture before is better than none
    this.showedAt = performance.now();
    const { width, height } = buffer;
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    if (shown.transferFromImageBitmap) shown.transferFromImageBitmap(buffer.transferToImageBitmap());
    else shown.drawImage(buffer, 0, 0);
  }

  // ---- its size ----

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
    this.size = { width, height };
    if (this.buffer) Object.assign(this.buffer, this.size);
    this.onResize(css.width, css.height, ratio);
  }

  destroy() {
    this.stopWaiting();
    clearTimeout(this.leaving);
    this.seen = false;
    this.drop();
  }
}

/** Canvases for WebGL outside the page. Those off the page hand their frames on without a copy; older Safari has none with WebGL. */
const offPage = ({ ownerDocument }, { width, height }) => {
  const { OffscreenCanvas } = ownerDocument.defaultView;
  return OffscreenCanvas?.prototype.transferToImageBitmap ? new OffscreenCanvas(width, height) : null;
};
const ordinary = ({ ownerDocument }, size) => Object.assign(ownerDocument.createElement('canvas'), size);
