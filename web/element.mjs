/**
 * <kappaflow-figure scene="capacity-diffusion" layers="48" ui="figure">: a figure on anybody's page. `scene`, `state` (a link), `ui`, `theme`,
 * `hide`, `lock` and `base` are those of createKappaflow; every other attribute is a param of the scene (top-index for topIndex). Children
 * stand in its place until there is a picture. Methods are those of api.mjs; events: ready, change, result, error. See element.d.mts.
 */
import { Api } from './api.mjs';
import { createKappaflow } from './host.mjs';

const kOptions = ['ui', 'theme', 'hide', 'lock', 'base'];
const kNoParam = /^(scene|state|ui|theme|hide|lock|base|id|class|style|slot|part|title|hidden|tabindex|lang|dir|role|nonce|inert|draggable|(data|aria)-.*|on.*)$/;
const kUsual = `:host{display:block;height:480px;position:relative}:host([hidden]){display:none}.kf-stage{height:100%}canvas{width:100%;height:100%}
slot{position:absolute;inset:0;display:grid;place-items:center;overflow:hidden;pointer-events:none}slot[hidden]{display:none}`;

const keyOf = (attribute) => attribute.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

export class KappaflowFigure extends HTMLElement {
  #api = null;
  #flow = null;
  #watch = new MutationObserver((changes) => this.#follow(new Set(changes.map(({ attributeName }) => attributeName))));

  constructor() {
    super();
    const sheet = new CSSStyleSheet(), shadow = this.attachShadow({ mode: 'open' });
    sheet.replaceSync(kUsual);
    shadow.adoptedStyleSheets = [sheet];
  }

  connectedCallback() {
    if (this.#flow) return; // moved within the page
    this.#watch.observe(this, { attributes: true });
    this.#flow = this.#open();
  }

  /** An element that is only moved is connected again before this looks. */
  disconnectedCallback() { queueMicrotask(() => this.isConnected || this.#close()); }

  async #open() {
    const make = (tag, properties = {}) => Object.assign(this.ownerDocument.createElement(tag), properties);
    const stage = make('div', { className: 'kf-stage' }), canvas = make('canvas'), poster = make('slot');
    stage.append(canvas);
    this.shadowRoot.replaceChildren(stage, poster);
    const given = Object.fromEntries(kOptions.filter((name) => this.hasAttribute(name)).map((name) => [name, this.getAttribute(name)]));
    const flow = await createKappaflow({
      ui: 'figure', canvas, root: this.shadowRoot, link: () => this.#link(), ...given,
      onState: (description) => {
        this.#api?.note(description);
        if (!description.busy) poster.hidden = true;
      },
      onFailure: ({ message }) => this.#tell('error', { sentence: message }),
    });
    this.#api = new Api(flow, (name, detail) => this.#tell(name, detail));
    flow.ready.then(() => this.#tell('ready', {}));
    return flow;
  }

  async #close() {
    const flow = this.#flow;
    this.#watch.disconnect();
    this.#flow = this.#api = null;
    (await flow)?.destroy();
  }

  #tell(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }

  #params() { return [...this.attributes].filter(({ name }) => !kNoParam.test(name)); }
  #link() {
    if (this.hasAttribute('state')) return this.getAttribute('state');
    const pairs = this.#params().map(({ name, value }) => [keyOf(name), value]);
    return String(new URLSearchParams([...(this.hasAttribute('scene') ? [['scene', this.scene]] : []), ...pairs]));
  }

  async #follow(changed) {
    if (['ui', 'hide', 'lock', 'base'].some((name) => changed.has(name))) {
      await this.#close();
      return this.connectedCallback();
    }
    const flow = await this.#flow;
    if (changed.has('theme')) flow?.setTheme(this.getAttribute('theme') ?? 'auto');
    if (!flow?.page) return; // it opens with what stands there then
    const params = [...changed].filter((name) => !kNoParam.test(name)), whole = changed.has('scene') || changed.has('state') || params.some((name) => !this.hasAttribute(name));
    const refused = whole ? '' : this.#api.setState(Object.fromEntries(params.map((name) => [keyOf(name), this.getAttribute(name)])));
    flow.page.openLink(whole ? this.#link() : `?${this.#link()}#${flow.page.link()}`); // attributes are the author's: a reset comes back to them
    flow.wake();
    if (refused) this.#tell('error', { sentence: refused });
  }

  /** The running program's methods, once it runs. */
  async #running() {
    const flow = await this.#flow;
    if (!flow) throw new Error('This figure is on no page.');
    if (!flow.started) flow.start();
    await flow.ready;
    return this.#api;
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
  async reset() { return (await this.#running()).reset(); }
  observe(field, tell) {
    let end = () => {}, ended = false;
    this.#running().then((api) => ended || (end = api.observe(field, tell)), () => {});
    return () => ((ended = true), end());
  }
}

if (!customElements.get('kappaflow-figure')) customElements.define('kappaflow-figure', KappaflowFigure);
