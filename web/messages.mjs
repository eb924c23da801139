/**
 * A figure in a frame answers the page around it, and nobody else: {kappaflow: 1, ask, id, args} is answered by {kappaflow: 1, answer: id,
 * value | error}; what happens is told as {kappaflow: 1, event, detail}. client.mjs is the other half.
 */
import { Api, kVersion } from './api.mjs';

const kAsks = ['getState', 'setState', 'reset', 'play', 'setTheme', 'getReport', 'toSVG', 'toPNG', 'observe'];

export class Messages {
  /** `instance`: of this frame's page; `view`: its window. */
  constructor({ instance, view }) {
    Object.assign(this, { instance, view });
    this.api = new Api(instance, (name, detail) => this.tell(name, detail));
    view.addEventListener('message', (event) => this.hear(event));
    instance.ready.then(() => this.tell('ready', this.hello()));
  }

  hello() { return { version: kVersion, capabilities: kAsks, ready: Boolean(this.instance.page) }; }

  // What is told is nothing that the page around could not see, so it may be of any origin; one that never asked hears nothing.
  send(message) { this.view.parent.postMessage({ kappaflow: kVersion, ...message }, '*'); }
  tell(event, detail) { if (this.heard) this.send({ event, detail }); }

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
    if (!this.instance.started) this.instance.start(); // whoever asks does not wait until a reader scrolls here
    await this.instance.ready;
    if (ask !== 'observe') return this.api[ask](...args);
    const [field] = args;
    this.api.observe(String(field), (value) => this.tell('observed', { field, value }));
    return true;
  }
}
