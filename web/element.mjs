/**
 * <kappaflow-figure scene="capacity-diffusion" layers="48" ui="figure">: a figure on anybody's page. `scene`, `state` (a link), `ui`, `theme`, `contrast`,
 * `hide`, `lock` and `base` are those of createKappaflow; every other attribute is a param of the scene (top-index for topIndex). Children
 * stand in its place until there is a picture. Methods are those of api.mjs; events: ready, change, result, error. See element.d.mts.
 */
import { Api } from './api.mjs';
import { language } from './dom.mjs';
import { createKappaflow } from './host.mjs';
import { admit, forget, settle, use } from './living.mjs';

export { default } from './widget.mjs';

const kOptions = ['ui', 'theme', 'contrast', 'lang', 'hide', 'lock', 'focus', 'speed', 'base'];
const kNoParam = /^(scene|state|ui|theme|contrast|hide|lock|focus|speed|base|id|class|style|slot|part|title|hidden|tabindex|lang|dir|role|nonce|inert|draggable|(data|aria)-.*|on.*)$/;
const kUsual = `:host{display:block;height:480px;position:relative}:host([hidden]){display:none}.kf-stage{height:100%}canvas{width:100%;height:100%}.kf-still{position:absolute;inset:0;cursor:pointer}
slot{position:absolute;inset:0;display:grid;place-items:center;overflow:hidden;pointer-events:none}slot[hidden]{display:none}
:host(:not(:empty)) .kf-cover{z-index:1;justify-content:end;background:none}:host(:not(:empty)) :is(.kf-cover-title,.kf-cover-text){display:none}`;

const keyOf = (attribute) => attribute.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

const Base = typeof HTMLElement === 'undefined' ? class {} : HTMLElement; // a server may import what it never runs

export class KappaflowFigure extends Base {
  #api = null;
  #flow = null; // a promise of the running program
  #live = null; // once it runs
  #still = null; // the picture of a figure that rests
  #kept = ''; // and its state
  #called = false; // by a reader or a script, so that it does not wait for others
  #observed = new Set();
  #watch = new MutationObserver((changes) => this.#follow(new Set(changes.map(({ attributeName }) => attributeName))));

  constructor() {
    super();
    const sheet = new CSSStyleSheet(), shadow = this.attachShadow({ mode: 'open' });
    sheet.replaceSync(kUsual);
    shadow.adoptedStyleSheets = [sheet];
  }

  connectedCallback() {
    if (!this.#flow) this.#begin(Promise.resolve()); // else moved within the page
  }

  #begin(free) {
    this.#watch.observe(this, { attributes: true });
    this.#flow = free.then(() => this.#open());
    this.#flow.catch(({ message }) => this.#tell('error', { sentence: message }));
  }

  /** An element that is only moved is connected again before this looks. */
  disconnectedCallback() { queueMicrotask(() => this.isConnected || this.#close()); }

  async #open() {
    const make = (tag, properties = {}) => Object.assign(this.ownerDocument.createElement(tag), properties);
    const stage = make('div', { className: 'kf-stage' }), canvas = make('canvas'), poster = make('slot');
    stage.append(canvas);
    this.shadowRoot.replaceChildren(stage, poster, ...(this.#still ? [this.#still] : []));
    const given = Object.fromEntries(kOptions.filter((name) => this.hasAttribute(name)).map((name) => [name, this.getAttribute(name)]));
    let api;
    const flow = await createKappaflow({
      ui: 'figure', canvas, root: this.shadowRoot, admit: (start) => (this.#called ? (use(this), start()) : admit(this, start)), link: () => (this.#kept ? `?${this.#link()}#${this.#kept}` : this.#link()), ...given,
      onState: (description) => {
        api?.note(description);
        if (description.busy) return;
        poster.hidden = true;
        if (flow?.drawing?.pictured) this.#uncover(canvas);
        settle();
      },
      onFailure: ({ message }) => (forget(this), this.#tell('error', { sentence: message })),
    });
    api = new Api(flow, (name, detail) => this.#tell(name, detail), this.#observed);
    flow.ready.then(() => {
      this.#tell('ready', api.getState());
      this.#live = api;
      this.#called = false;
      use(this);
    }, () => {});
    stage.addEventListener('pointerenter', () => this.#live && use(this));
    return api;
  }

  async #close() {
    const flow = this.#flow;
    this.#watch.disconnect();
    this.#flow = this.#live = null;
    forget(this);
    (await flow?.catch(() => null))?.instance.destroy();
  }

  /** For living.mjs: a figure whose picture stands, and which nobody uses, stops its program and stays as that picture. */
  rest() {
    const api = this.#live, { drawing, page, canvas } = api?.instance ?? {}, state = page?.describe();
    if (!drawing?.pictured || state.busy || this.#observed.size || this.matches(':hover, :focus-within')) return false;
    const still = Object.assign(this.ownerDocument.createElement('canvas'), { width: canvas.width, height: canvas.height, className: 'kf-still', tabIndex: 0 });
    still.getContext('2d').drawImage(canvas, 0, 0);
    still.setAttribute('role', 'button');
    still.setAttribute('aria-label', language.say(`${state.title}. ${state.summary}`));
    const wake = () => this.#wake();
    for (const type of ['pointerenter', 'pointerdown', 'focus']) still.addEventListener(type, wake, { once: true });
    this.#kept = page.link();
    this.#still = still;
    this.#flow = this.#live = null;
    this.shadowRoot.append(still);
    api.instance.destroy();
    return true;
  }

  #wake() {
    if (!this.#still || this.#flow || !this.isConnected) return;
    this.#called = true;
    this.#begin(Promise.resolve());
  }

  /** The figure runs again: its own picture takes the place of the still one. */
  #uncover(canvas) {
    const still = this.#still;
    if (!still) return;
    if (this.shadowRoot.activeElement === still) canvas.focus({ preventScroll: true });
    still.remove();
    this.#still = null;
    this.#kept = '';
  }

  #tell(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }

  #params() { return [...this.attributes].filter(({ name }) => !kNoParam.test(name)); }
  /** As pairs, which are the author's: a reset comes back to them. */
  #link() {
    if (this.hasAttribute('state')) return this.getAttribute('state').replace(/^[^]*[?#]/, '');
    const pairs = this.#params().map(({ name, value }) => [keyOf(name), value]);
    return String(new URLSearchParams([...(this.hasAttribute('scene') ? [['scene', this.scene]] : []), ...pairs]));
  }

  async #follow(changed) {
    if (['ui', 'hide', 'lock', 'focus', 'speed', 'base'].some((name) => changed.has(name))) {
      const closing = this.#close();
      return this.isConnected && this.#begin(closing);
    }
    if (this.#still && !this.#flow) {
      this.#kept = '';
      return this.#wake();
    }
    const flow = this.#flow, api = await flow?.catch(() => null), page = api?.instance.page;
    if (changed.has('theme')) api?.setTheme(this.getAttribute('theme'));
    if (changed.has('contrast')) api?.setContrast(this.getAttribute('contrast'));
    if (!page || flow !== this.#flow) return; // it opens with what stands there then
    const params = [...changed].filter((name) => !kNoParam.test(name)), locked = (this.getAttribute('lock') ?? '').split(',');
    const whole = changed.has('scene') || changed.has('state') || params.some((name) => !this.hasAttribute(name) || locked.includes(keyOf(name)));
    if (!whole && !params.length) return;
    const refused = whole ? '' : api.setState(Object.fromEntries(params.map((name) => [keyOf(name), this.getAttribute(name)])));
    page.openLink(whole ? this.#link() : `?${this.#link()}#${page.link()}`);
    api.instance.wake();
    if (refused) this.#tell('error', { sentence: refused });
  }

  async #running() {
    this.#wake();
    const flow = this.#flow, api = await flow;
    if (api) use(this);
    if (!api) throw new Error('This figure is on no page.');
    return api.running().catch((error) => (flow === this.#flow ? Promise.reject(error) : this.#running())); // begun anew meanwhile
  }

  get scene() { return this.getAttribute('scene') ?? ''; }
  set scene(id) { this.setAttribute('scene', id); }
  get theme() { return this.getAttribute('theme') ?? 'auto'; }
  set theme(theme) { this.setAttribute('theme', theme); }

  async getState() { return (await this.#running()).getState(); }
  async setState(state) { return (await this.#running()).setState(state); }
  async getReport() { return (await this.#running()).getReport(); }
  async toSVG() { return (await this.#running()).toSVG(); }
  async toPNG(options) { return (await this.#running()).toPNG(options); }
  async play(on) { return (await this.#running()).play(on); }
  async step(n) { return (await this.#running()).step(n); }
  async seek(at) { return (await this.#running()).seek(at); }
  async setSpeed(speed) { return (await this.#running()).setSpeed(speed); }
  async reset() { return (await this.#running()).reset(); }

  /** Also before the element is on a page, and whatever becomes of its program. */
  observe(field, tell) {
    const entry = { field, tell };
    this.#observed.add(entry);
    this.#flow?.then((api) => api.results && api.tellObserved(), () => {});
    return () => this.#observed.delete(entry);
  }
}

if (typeof customElements === 'object' && !customElements.get('kappaflow-figure')) customElements.define('kappaflow-figure', KappaflowFigure);
