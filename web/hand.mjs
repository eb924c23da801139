/** A worker with a computing module in it, and talking to it. */
export const kStartUp = 8000; // milliseconds a worker may take to become ready before it is given up

export class WorkersForbidden extends Error {}

/** A classic worker from its text. Throws or reports an error where the host's policy forbids it. */
export function startBrowserWorker(text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  try {
    return new Worker(url);
  } finally {
    setTimeout(() => URL.revokeObjectURL(url), kStartUp);
  }
}

/**
 * One worker with a computing module in it. `ready` rejects with WorkersForbidden when it never came up.
 * `parts`: {workerText, compiled, glueText: each as it is or a promise; glueUrl beside glueText or in its place, file(name): promise of the bytes of a file that the
 * module asks for, core(name): a module's compiled, glueUrl and glueText}
 */
export class Hand {
  constructor(parts, { onEvent = () => {}, onDeath = () => {} } = {}) {
    this.parts = parts;
    this.asked = new Map();
    this.lastId = 0;
    this.alive = true;
    this.onEvent = onEvent;
    this.onDeath = onDeath;
    this.ready = this.open(parts);
    this.ready.catch(() => {});
  }

  async open(parts) {
    const [text, compiled, glueText] = await Promise.all([parts.workerText, parts.compiled, parts.glueText]);
    const { glueUrl } = parts;
    if (!this.alive) throw new WorkersForbidden('stopped');
    await new Promise((resolve, reject) => {
      const refuse = (reason) => reject(new WorkersForbidden(reason));
      const timer = setTimeout(refuse, parts.startUp ?? kStartUp, 'it did not start in time');
      this.settle = (reason) => (clearTimeout(timer), reason === undefined ? resolve() : refuse(reason));
      try {
        this.worker = (parts.startWorker ?? startBrowserWorker)(text);
        this.listen();
        this.worker.postMessage({ what: 'load', compiled, glueUrl, glueText });
      } catch (error) {
        this.settle(error.message);
      }
    });
    this.up = true;
  }

  listen() {
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => {
      event.preventDefault?.();
      this.die(event.message || 'the worker failed');
    };
    this.worker.onmessageerror = () => this.die('a message could not be read');
  }

  hear(data) {
    if (!this.alive) return;
    if (data.what === 'ready') this.settle();
    else if (data.what === 'broken') this.die(data.reason);
    else if (data.what === 'event') this.onEvent(data);
    else if (data.what === 'missing') this.supply(data.name);
    else this.hearAnswer(data);
  }

  async supply(name) {
    if (name === 'maker') return this.supplyMaker();
    const found = await (this.parts.held?.find(name) ?? this.parts.file(name)).then((bytes) => ({ bytes }), ({ message }) => ({ error: message }));
    this.post({ what: 'file', name, ...found }).catch(() => {});
  }

  async supplyMaker() {
    const { compiled, glueUrl, glueText } = this.parts.core('files');
    const found = await Promise.all([compiled, glueText]).then(([compiled, glueText]) => ({ compiled, glueUrl, glueText }), ({ message }) => ({ error: message }));
    this.post({ what: 'maker', ...found }).catch(() => {});
  }

  hearAnswer(data) {
    const asked = this.asked.get(data.id);
    if (!asked) return;
    if (data.what === 'progress') return asked.onProgress?.(data.value);
    if (data.what === 'partial') return asked.onPartial?.(data.value);
    this.asked.delete(data.id);
    if (data.error === undefined) asked.resolve(data.value);
    else asked.reject(Object.assign(new Error(data.error), { name: data.name ?? 'Error' }));
  }

  async post(message, transfer = []) {
    await this.ready;
    if (this.alive) this.worker.postMessage(message, transfer);
  }

  /** A message with an answer. */
  ask(message, callbacks = {}) {
    return new Promise((resolve, reject) => {
      const id = ++this.lastId;
      this.asked.set(id, { ...callbacks, resolve, reject });
      this.post({ ...message, id }).catch(reject);
    });
  }

  die(reason) {
    if (!this.alive) return;
    this.stop(reason);
    this.onDeath(reason);
  }

  stop(reason = 'stopped') {
    if (!this.alive) return;
    this.alive = false;
    this.worker?.terminate();
    this.settle?.(reason);
    for (const asked of this.asked.values()) asked.reject(new Error(`The worker stopped: ${reason}`));
    this.asked.clear();
  }
}

/** A file's bytes, which may come as a Blob. */
export const bytesOf = async (given) => (given instanceof Blob ? new Uint8Array(await given.arrayBuffer()) : given);

/** What a reader is told about a module that trapped. */
export function sentenceOfDeath(reason) {
  return /memory|allocation|OOM/i.test(reason)
    ? 'The computation needed more memory than the browser gives; choose smaller numbers.'
    : `The computation stopped unexpectedly (${reason}).`;
}
