/**
 * A figure in a frame answers the page around it, and nobody else: {kappaflow: 1, ask, id, args} is answered by {kappaflow: 1, answer: id,
 * value | error}; what happens is told as {kappaflow: 1, event, detail}. client.mjs is the other half.
 */
import { Api, kVersion } from './api.mjs';

const kAsks = ['getState', 'setState', 'reset', 'play', 'step', 'seek', 'setSpeed', 'setTheme', 'setContrast', 'getReport', 'toSVG', 'toPNG', 'observe', 'unobserve'];
const kOfTheFigure = ['getReport', 'toSVG', 'toPNG', 'observe']; // what would tell of a reader's own file

export class Messages {
  /** `instance`: of this frame's page; `view`: its window. */
  constructor({ instance, view }) {
    Object.assign(this, { instance, view, fields: new Map() });
    this.api = new Api(instance, (name, detail) => this.tell(name, detail));
    view.addEventListener('message', (event) => this.hear(event));
    instance.ready.then(() => this.tell('ready', this.hello()), () => {});
  }

  hello() {
    const { page, failure } = this.instance;
    return { version: kVersion, capabilities: kAsks, ready: Boolean(page), failure: failure?.message ?? '' };
  }

  /** The page around may be anybody's: a file that a reader opened here is none of its business. */
  showsOwnFile() {
    return Boolean(this.instance.page?.describe().params.some(({ kind, value }) => (kind === 'network' || kind === 'data') && value === 'file'));
  }

  // One that never asked hears nothing.
  send(message) { this.view.parent.postMessage({ kappaflow: kVersion, ...message }, '*'); }
  tell(event, detail) {
    if (this.heard) this.send({ event, detail: detail.summary && this.showsOwnFile() ? { ...detail, summary: '' } : detail });
  }

  /** From the instance: a new state, and what kept it from starting. */
  note(description) { this.api.note(description); }
  failed({ message }) { this.tell('error', { sentence: message }); }

  async hear({ source, data }) {
    if (source !== this.view.parent || data?.kappaflow !== kVersion || typeof data.ask !== 'string') return;
    const { ask, id, args } = data;
    this.heard = true;
    try {
      this.send({ answer: id, value: await this.answer(ask, Array.isArray(args) ? args : []) });
    } catch (error) {
      this.send({ answer: id, error: String(error.message ?? error) });
    }
  }

  async answer(ask, args) {
    if (ask === 'hello') return this.hello();
    if (!kAsks.includes(ask)) throw new Error(`There is no "${ask.slice(0, 40)}"; there are hello, ${kAsks.join(', ')}.`);
    await this.api.running();
    if (kOfTheFigure.includes(ask) && this.showsOwnFile()) throw new Error('The figure shows a file of its reader, which the page around is told nothing of.');
    const field = String(args[0]);
    if (ask === 'observe' && !this.fields.has(field)) this.fields.set(field, this.api.observe(field, (value) => this.showsOwnFile() || this.tell('observed', { field, value })));
    if (ask === 'unobserve') this.fields.get(field)?.(), this.fields.delete(field);
    if (ask === 'observe' || ask === 'unobserve') return true;
    const value = await this.api[ask](...args);
    return ask === 'getState' && this.showsOwnFile() ? { ...value, summary: '' } : value;
  }
}
