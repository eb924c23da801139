/**
 * One running Kappaflow: loads the modules, joins canvas, page module, runner and native elements, and takes all of it down
 * again. Knows the browser only through what it is handed.
 */
import { Address, fullLink, sceneOf, unknownNames } from './address.mjs';
import { loadAssets } from './assets.mjs';
import { Cover } from './cover.mjs';
import { Drawing } from './drawing.mjs';
import { Files } from './files.mjs';
import { Held } from './held.mjs';
import { Input } from './input.mjs';
import { Runner } from './jobs.mjs';
import { Loading, fetchWords } from './loader.mjs';
import { Mirror } from './mirror.mjs';
import { Numbers } from './numbers.mjs';
import { Outlet } from './outlet.mjs';
import { Bundles } from './bundles.mjs';
import { placeOf } from './places.mjs';
import { colours, fillScreen, preferences, watchSurroundings } from './surroundings.mjs';
import { Formulas } from './symbols.mjs';
import { Talk } from './talk.mjs';

const kMirrorEvery = 100; // milliseconds between two updates of the native elements

export class Instance {
  /** `parts`: {canvas, stage, root, controls, live, words, numbers, cover, make, view, base, source}; `options`: see host.d.mts. */
  constructor(parts, options) {
    Object.assign(this, parts);
    this.options = options;
    this.abort = new AbortController();
    this.page = null;
    this.seen = false;
    this.chosen = { theme: options.theme, contrast: options.contrast };
    this.expect();
    this.cover = new Cover({ make: this.make, stage: this.stage, element: this.coverElement, poster: options.poster, retry: () => this.restart() });
    this.cover.introduce(options.title, options.lookAt);
    this.applyColours();
    watchSurroundings(this.stage, this.view, this.abort.signal, {
      onPreference: () => this.applyColours(),
      onSeen: (seen) => this.look(seen),
    });
    if (options.eager) this.start();
  }

  // ---- loading ----

  /** `ready` of this attempt: of the next one where it fails. */
  expect() {
    this.ready = new Promise((resolve, reject) => Object.assign(this, { becomeReady: resolve, giveUp: reject }));
    this.ready.catch(() => {}); // who waits for it hears of it
  }

  start() {
    if (this.started) this.expect();
    this.started = true;
    this.failure = undefined;
    this.loading = new Loading((late) => this.onNews(late), this.source, (received) => this.cover.come(received, this.options.bytes));
    this.load().catch((error) => this.fail(error));
  }

  /** Retry: asks again for what is missing, and opens what was last seen. */
  restart() {
    this.last = this.page?.link() ?? this.last; // the address may lag behind
    this.loading.abandon(), this.loading.stop();
    this.teardown();
    this.cover.loading();
    this.start();
  }

  /** What to open: the author's part with the reader's state behind it, where there was one. */
  link() {
    const { link } = this.options, [author] = link().split('#');
    return this.last ? `${author.includes('?') ? '' : '?'}${author}#${this.last}` : link();
  }

  onNews(late) {
    if (!this.page) late.length ? this.cover.late(late) : this.cover.loading();
  }

  fail(error) {
    if (this.abort.signal.aborted) return;
    this.loading.stop();
    this.failure = error;
    this.giveUp(error);
    const { title, lookAt } = this.page?.describe() ?? {};
    this.cover.introduce(title, lookAt);
    this.cover.failed(error.message);
    this.options.onFailure?.(error);
  }

  async load() {
    const { loading } = this;
    const assets = await loadAssets(loading, this.base, this.link(), this.options.opening);
    if (this.abort.signal.aborted || loading !== this.loading) return;
    this.open(assets);
    loading.stop();
  }

  // ---- running ----

  open({ module, addBundle, computing, bundle, fonts, first }) {
    const { view, canvas, make } = this, page = new module.Page(), fault = page.setFonts(fonts);
    if (fault) throw (page.delete(), new Error(fault)); // without letters nothing may be drawn
    const { signal } = (this.life = new AbortController()), held = new Held();
    Object.assign(this, { page, first, addBundle, held, bundleOf: module.bundleOf });
    this.runner = new Runner({
      ...computing, held, workers: this.options.workers,
      onEvent: (bytes) => this.takeEvent(bytes), touchMemory: (bytes) => page.touchMemory(bytes),
      onTrouble: (sentence) => this.fail(new Error(sentence)),
    });
    if (!first) this.runner.prepare(bundle);
    this.bundles = new Bundles({ bundle: first ? undefined : bundle, add: addBundle, late: (name) => this.loading.stalled(name), cover: this.cover, fail: (error) => this.fail(error), wake: () => this.wake() });
    this.drawing = new Drawing({
      canvas, module, page, view, signal, alone: this.options.ui === 'figure',
      onPicture: () => (this.cover.done(), this.runner.prepare(module.bundleOf(page.link()))),
      onFrame: () => (this.doWishes(), this.mirrorSoon()),
      onRefused: (sentence) => this.goWithoutPicture(sentence),
    });
    ({ frames: this.frames, surface: this.surface } = this.drawing);
    const wake = () => this.answer();
    this.talk = new Talk(make, this.stage);
    this.setOptions();
    if (this.words) this.formulas = new Formulas(this.words, make);
    this.openLink(module);
    this.input = new Input({ canvas, page, wake, signal, draw: () => this.frames.draw(), ownWheel: this.options.ownWheel, onPaste: (text) => page.text(text), leave: () => this.mirror.leave() });
    this.files = new Files({
      make, canvas, view, signal, held, root: this.stage,
      attach: (name, bytes) => (page.attach(name, bytes), setTimeout(wake)), join: (...asked) => this.runner.files('joinModel', ...asked), // two tasks, not a long one
      open: (link) => ((this.last = link.replace(/^.*#/, '')), page.openLink(this.link()), wake()),
      say: (sentence) => this.talk.say(sentence),
      refuse: (sentence) => (page.say(sentence), wake()),
      offer: (text, sentence) => this.talk.offer(text, sentence),
    });
    const home = placeOf(new URL('index.html', this.base)), { hide, lock, focus, theme, contrast, embedAddress = () => home } = this.options;
    const linkOf = this.options.fullLink ?? ((link) => fullLink({ href: home }, link));
    this.outlet = new Outlet({ page, held, runner: this.runner, files: this.files, talk: this.talk, linkOf, wake, place: { owner: canvas.ownerDocument, view, base: this.base, source: this.source }, embed: { address: embedAddress, hide, lock, focus, theme, contrast } });
    this.buildNative(wake);
    this.doWishes(); // the first job runs while the drawing begins
    if (this.seen) this.drawing.look(true);
    this.becomeReady(this);
  }

  buildNative(wake) {
    const { make, page, controls, live, canvas } = this;
    this.actions = {
      openFile: () => this.files.pick(), copyLink: () => this.outlet.copyLink(), copyEmbedCode: () => this.outlet.copyEmbedCode(),
      saveFigure: (format) => this.outlet.saveFigure(format), download: (format) => this.outlet.download(format), fullScreen: () => fillScreen(this.stage),
    };
    this.mirror = new Mirror({ make, page, wake, actions: this.actions, controls, live, canvas, ui: this.options.ui });
    if (this.numbersRoot) this.addNumbers(this.numbersRoot);
    this.mirrorNow();
  }

  addNumbers(root) { this.numbers = new Numbers({ make: this.make, root, fetchReport: () => this.outlet.report(), fetchLayers: () => this.outlet.layers(), download: (...what) => this.outlet.download(...what) }); }

  openLink(module) {
    const { page, options } = this;
    page.openLink(this.link()), page.setSpeed(Number(options.speed));
    for (const fault of [...options.faults, ...unknownNames(options, page.describe())]) page.warn(fault);
    if (!options.ownAddress) return;
    const probe = new module.Page(); // what the query alone stands for
    probe.openLink(options.authorLink());
    const initial = probe.link();
    probe.delete();
    this.address = new Address({
      view: this.view, initial, signal: this.life.signal,
      onMoved: () => (page.openLink(options.link()), this.wake()),
    });
  }

  setOptions() {
    const { ui, hide, lock, focus, embedded, spots, lit } = this.options;
    const { touch, reducedMotion, mac, fullScreen } = preferences(this.view), { dark, highContrast } = colours(this.view, this.chosen);
    this.page?.setOptions({ ui, hide, lock, focus, embedded, spots, lit, dark, highContrast, touch, reducedMotion, mac, fullScreen });
    this.frames?.wake();
  }

  applyColours() {
    const { theme, contrast } = Object.assign(this.stage.dataset, colours(this.view, this.chosen).names);
    this.options.onTheme?.(theme, contrast);
    this.setOptions();
  }

  look(seen) {
    if (seen === this.seen) return;
    this.seen = seen;
    if (seen && !this.started) this.options.admit(() => this.started || this.abort.signal.aborted || this.start());
    this.drawing?.look(seen);
  }

  goWithoutPicture(sentence) {
    this.stage.classList.add('kf-without-picture');
    this.cover.withoutPicture(sentence);
    if (!this.numbers) this.addNumbers(this.stage);
  }

  // ---- after every frame ----

  mirrorSoon() {
    if ((this.page.stateVersion() === this.mirrored && this.page.counters().results === this.results) || this.mirrorTimer) return; // out of sight a result comes without a frame
    this.mirrorTimer = setTimeout(() => this.mirrorNow(), kMirrorEvery);
  }

  mirrorNow() {
    this.mirrorTimer = 0;
    this.mirrored = this.page.stateVersion();
    const description = this.page.describe();
    this.mirror.update(description);
    this.address?.note(this.page.link());
    const { results } = this.page.counters();
    if (results !== this.results) this.numbers?.changed();
    this.results = results;
    if (description.scene !== this.scene) this.changeScene(description);
    this.options.onState?.(description);
  }

  doWishes() {
    for (const wish of this.page.takeOutbox()) {
      if (wish.what === 'start') this.compute(wish);
      else if (wish.what === 'cancel') this.first?.cancel(), this.runner.cancel();
      else if (wish.what === 'copyText') this.files.copy(wish.text, 'the text');
      else if (wish.what === 'typeParam') this.mirror.type(wish.key);
      else if (wish.what === 'theme') this.setTheme(wish.dark ? 'dark' : 'light');
      else if (wish.what === 'contrast') this.setContrast(wish.contrast);
      else this.actions[wish.what](wish.format);
    }
  }

  compute({ job, bytes, bundle }) {
    const { page } = this, start = () => page === this.page && (this.runner.start(job, bytes, bundle, sceneOf(page.link())), this.bundles.enter(bundle));
    const tell = (event) => page === this.page && (page.jobEvent(event), this.wake());
    const coming = () => this.drawing.shown.then(() => this.runner.parts.core(bundle).compiled);
    if (!this.first?.answer(job, bytes, { tell, start, coming })) start();
  }

  /** Something was changed from outside a frame: its job starts at once, its picture comes with the next frame. */
  wake() {
    if (!this.page) return;
    this.doWishes();
    this.frames.wake();
    if (!this.seen) this.mirrorSoon(); // no frame comes that would
  }

  /** The reader did something: what the browser took for drawing is had back at once. */
  answer() { this.surface?.want(true), this.wake(); }

  /** {frames, results, …} of the page module, contexts included; null before everything has come. */
  counters() { return this.page?.counters() ?? null; }

  /** The next job is given out here and now, not at the screen's next beat: a drag shall see as many results as there are. */
  takeEvent(bytes) {
    this.page.jobEvent(bytes);
    this.bundles.enter(this.bundleOf(this.page.link())); // a file that was refused leaves the reader in the bundle before
    this.wake();
  }

  setTheme(theme) { (this.chosen.theme = theme), this.applyColours(); }
  setContrast(contrast) { (this.chosen.contrast = contrast), this.applyColours(); }

  async changeScene({ scene, title, lookAt }) {
    this.cover.introduce(title, lookAt);
    const first = this.scene === undefined && this.words?.dataset.scene === scene;
    this.scene = scene;
    const response = !this.words || first ? null : await fetchWords(this.source, `words/${scene}.html`, this.base);
    if (!response || this.scene !== scene) return;
    this.formulas.write(await response.text());
    this.words.dataset.scene = scene;
  }

  // ---- the end ----

  teardown() {
    if (!this.page) return;
    this.life.abort();
    clearTimeout(this.mirrorTimer);
    this.bundles.stop();
    this.talk.destroy();
    this.drawing.stop();
    this.runner.destroy();
    this.mirror.destroy();
    this.numbers?.destroy();
    this.page.close();
    this.page.delete();
    this.drawing.destroy();
    this.page = this.drawing = this.frames = this.surface = this.numbers = null;
    this.mirrorTimer = this.mirrored = undefined;
  }

  destroy() {
    if (this.abort.signal.aborted) return;
    this.abort.abort();
    this.loading?.stop();
    this.giveUp(new Error('This figure was taken down.'));
    this.teardown();
    this.cover.destroy();
    this.options.onDestroy?.();
  }
}
