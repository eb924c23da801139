/**
 * Where jobs are computed: in a worker, or in one piece on the spot where a host forbids workers. Both keep one contract:
 * one job at a time; its events (encoded, as the page module reads them) come in order and the last one ends it; after
 * cancel() none of that job's events arrives; a worker that died is replaced and its job reported as failed.
 *
 *   runner.start(job, bytes, bundle, scene)   only when not busy; the bytes may go to a worker for good      runner.cancel()      runner.busy
 *   runner.prepare(bundle)   that bundle's jobs will come: gets ready for them
 *   runner.files(method, …) → Promise of its answer: exportReport(bytes, format), describeNetwork(bytes, name), joinModel(bytes, name, bytes); bytes may be a Blob's
 *   runner.destroy()
 *
 * `parts`: {core(bundle, or 'files' for what reads and writes files) → {compiled: Promise of its WebAssembly.Module, glueText: Promise of its glue's text, glueUrl: its
 *           address, glue: () => Promise of its factory}, file(name) → Promise of a file's bytes, held: a Held (held.mjs) where files are held, workerText: Promise of worker.js,
 *           onEvent(bytes, last), touchMemory(bytes) → whether there is more memory to touch for so many, onTrouble(sentence): nothing can be computed at all}
 */
import { InlineRunner } from './inline_runner.mjs';
import { WorkerRunner } from './worker_runner.mjs';

/** A worker runner that becomes an inline one, with the job it had, where workers turn out to be forbidden. */
export class Runner {
  constructor(parts) {
    this.asked = null;
    this.waiting = [];
    this.parts = { ...parts, onEvent: (bytes, last) => this.pass(bytes, last, parts.onEvent) };
    this.inner = parts.workers === false ? new InlineRunner(this.parts) : new WorkerRunner(this.parts, () => this.stayHere());
  }
  get busy() { return this.inner.busy; }
  get kind() { return this.inner instanceof InlineRunner ? 'inline' : 'worker'; }

  pass(bytes, last, onEvent) {
    if (last) this.asked = null;
    if (this.waiting.push({ bytes, last }) === 1) this.handOver(onEvent);
  }
  /** Memory for a large event is touched first, a little in each task. */
  handOver(onEvent) {
    for (const { waiting } = this; waiting.length; ) {
      if (this.parts.touchMemory?.(waiting[0].bytes.length)) {
        const { port1, port2 } = new MessageChannel(); // timers of a hidden page are slow
        port1.onmessage = () => (port1.close(), this.handOver(onEvent));
        return port2.postMessage(0);
      }
      const { bytes, last } = waiting.shift();
      onEvent(bytes, last);
    }
  }
  stayHere() {
    this.inner.destroy();
    this.inner = new InlineRunner(this.parts);
    if (this.asked) this.inner.start(...this.asked);
  }
  prepare(bundle) { this.inner.prepare(bundle); }
  start(...asked) {
    this.asked = asked;
    this.inner.start(...asked);
  }
  cancel() {
    this.asked = null;
    this.waiting.length = 0;
    this.inner.cancel();
  }
  files(...asked) { return this.inner.files(...asked); }
  destroy() { (this.waiting.length = 0), this.inner.destroy(); }
}

export { InlineRunner, WorkerRunner };
