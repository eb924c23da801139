/**
 * What a host may do with a running figure: the methods of the element, and what a frame answers by messages. Values go in and come out as
 * plain data.
 */
/** Grows when a method or event changes its meaning. */
export const kVersion = 1;
const kMostObserved = 64, kMostSteps = 10000;

export class Api {
  /** `instance`: a running Kappaflow; `onEvent(name, detail)`: change, result, error; `observed`: a set of {field, tell}. */
  constructor(instance, onEvent, observed = new Set()) {
    Object.assign(this, { instance, onEvent, observed });
  }

  /** The same, once the program runs: whoever asks does not wait until a reader scrolls here. */
  async running() {
    if (!this.instance.started) this.instance.start();
    await this.instance.ready;
    this.instance.wake();
    return this;
  }

  /** From onState: says what is new in it. */
  note(description) {
    const { page } = this.instance, link = page.link(), { results } = page.counters();
    if (link !== this.link) this.onEvent('change', this.state(description));
    this.link = link;
    if (description.message && description.message !== this.message) this.onEvent('error', { sentence: description.message });
    this.message = description.message;
    if (description.busy || !results || results === this.results) return;
    this.results = results;
    this.onEvent('result', this.state(description));
    this.tellObserved().catch(() => {}); // a worker that stopped meanwhile: the next result tells
  }

  async tellObserved() {
    const report = this.observed.size ? await this.getReport() : null;
    if (report) for (const entry of this.observed) this.tellOne(entry, report);
  }

  tellOne({ field, tell }, { scalars, arrays }) {
    const value = Object.hasOwn(scalars, field) ? scalars[field] : Object.hasOwn(arrays, field) ? arrays[field] : undefined;
    if (value === undefined) return;
    try {
      tell(value);
    } catch (error) {
      reportError(error); // the host's own: the others are told all the same
    }
  }

  state({ scene, params, summary, status, warnings }) {
    return { scene, link: this.instance.page.link(), params: Object.fromEntries(params.map(({ key, value }) => [key, value])), summary, status, warnings };
  }

  getState() { return this.state(this.instance.page.describe()); }

  /** A link, or {scene, param: value, …}; a reset still comes back to the author's. Gives "" or the sentences that say what was refused. */
  setState(state) {
    if (!state || !['string', 'object'].includes(typeof state)) throw new Error('setState takes a link or an object of params.');
    const { page, options } = this.instance;
    if (typeof state === 'string') {
      const [author] = (options.authorLink ?? options.link)().split('#'), link = state.replace(/^.*[?#]/, '');
      page.openLink(`${author.includes('?') ? '' : '?'}${author}#${/(^|&)v=/.test(link) ? '' : 'v=1&'}${link}`);
    }
    const refused = typeof state === 'string' ? page.describe().warnings : this.setValues(page, state);
    this.instance.wake();
    return refused.join(' ');
  }

  setValues(page, { scene, ...values }) {
    if (scene !== undefined && scene !== page.describe().scene) page.setScene(String(scene));
    if (scene !== undefined && scene !== page.describe().scene) return page.describe().warnings;
    // A value that was clamped or is locked leaves a warning instead of a refusal.
    return Object.entries(values).flatMap(([key, value]) => {
      const why = page.setParam(key, String(value));
      return why ? [why] : page.describe().warnings;
    });
  }

  reset() {
    this.instance.page.reset();
    this.instance.wake();
  }

  play(on = true) {
    this.instance.page.play(Boolean(on));
    this.instance.wake();
  }

  /** n steps along the timeline in playing order, backward where n is negative; stops playing. */
  step(n = 1) {
    const { page } = this.instance, steps = Math.min(Math.abs(Math.trunc(n)) || 0, kMostSteps);
    for (let i = 0; i < steps; ++i) page.step(Math.sign(n));
    this.instance.wake();
  }

  /** Puts the timeline at a value of its axis; stops playing. */
  seek(at) {
    if (!Number.isFinite(Number(at))) throw new Error('seek takes a number: a value of the timeline.');
    this.instance.page.seek(Number(at));
    this.instance.wake();
  }

  /** Playing, as a multiple of the scene's own pace: 0.1 to 10. */
  setSpeed(speed) {
    this.instance.page.setSpeed(Number(speed));
    this.instance.wake();
  }

  setTheme(theme) { this.instance.setTheme(['light', 'dark'].includes(theme) ? theme : 'auto'); }
  setContrast(contrast) { this.instance.setContrast(['more', 'usual'].includes(contrast) ? contrast : 'auto'); }

  /** The newest report, as `run` gives it; null before the first. */
  getReport() { return this.instance.outlet.report(); }

  /** `tell(scalar or array)` with every finished result that has the field; gives what ends it. */
  observe(field, tell) {
    if (this.observed.size >= kMostObserved) throw new Error(`At most ${kMostObserved} values are observed at a time.`);
    const entry = { field, tell };
    this.observed.add(entry);
    if (this.results) this.getReport().then((report) => report && this.observed.has(entry) && this.tellOne(entry, report), () => {});
    return () => this.observed.delete(entry);
  }

  /** The picture as an SVG document, "" before there is one. */
  toSVG() { return this.instance.outlet.svg(); }

  /** The same as a PNG, `scale` pixels for one of the figure's; null before there is one. */
  toPNG({ scale = 2 } = {}) { return this.instance.outlet.png(scale); }
}
