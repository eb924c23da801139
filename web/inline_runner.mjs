import { sentenceOfDeath } from './hand.mjs';
import { instantiate } from './loader.mjs';

const kSlice = 8; // milliseconds of computing between two tasks of the main thread
const kPartialEvery = 100;

/** A function that calls another in a new task, sooner than a timer would. */
function taskScheduler() {
  if (typeof setImmediate === 'function') return { later: setImmediate, close() {} };
  const { port1, port2 } = new MessageChannel();
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return { later: (task) => (waiting.push(task), port2.postMessage(0)), close: () => port1.close() };
}

/** Runs jobs on this thread in slices of a few milliseconds, events being sent in between. */
export class InlineRunner {
  constructor(parts) {
    this.parts = parts;
    this.job = 0;
    this.room = null;
    this.tasks = taskScheduler();
  }
  get busy() { return this.job !== 0; }

  prepare(room) {
    if (room === this.room) return;
    this.room = room;
    this.core = this.open();
    this.core.catch(() => {});
  }

  async open() {
    const { glue, compiled } = this.parts.core(this.room);
    return instantiate(await glue(), await compiled);
  }

  start(job, bytes, room) {
    this.prepare(room);
    this.job = job;
    this.begin(job, bytes).catch((error) => this.break(job, error));
  }

  async begin(job, bytes) {
    const core = await this.core;
    if (job !== this.job) return;
    const { task, error, missing } = core.startRequest(bytes);
    if (missing) return this.fetchFirst(core, missing, job, bytes);
    if (error) return this.end(job, core.failureBytes(job, error));
    this.continue({ core, task, job, partialAt: performance.now() });
  }

  async fetchFirst(core, name, job, bytes) {
    const found = await this.parts.file(name).catch(({ message }) => ({ error: message }));
    const { error } = found.error ? found : core.provideFile(name, found);
    if (error) return this.end(job, core.failureBytes(job, error));
    return this.begin(job, bytes);
  }

  continue(work) {
    if (work.job !== this.job) return work.task.delete();
    try {
      this.slice(work);
    } catch (error) {
      this.break(work.job, error);
    }
  }

  slice(work) {
    const { core, task, job } = work;
    const end = performance.now() + (this.parts.slice ?? kSlice);
    let more = task.step();
    while (more && performance.now() < end) more = task.step();
    if (more) {
      this.report(work);
      return this.tasks.later(() => this.continue(work));
    }
    const done = task.failed() ? { error: task.failed() } : task.eventBytes(job, 'done');
    task.delete();
    this.end(job, done.error ? core.failureBytes(job, done.error) : done);
  }

  report(work) {
    const now = performance.now();
    const partial = now - work.partialAt >= kPartialEvery;
    if (partial) work.partialAt = now;
    const bytes = work.task.eventBytes(work.job, partial ? 'partial' : 'progress');
    if (!bytes.error) this.parts.onEvent(bytes, false); // no memory for it now: the last event will say so if that stays
  }

  end(job, bytes) {
    if (job !== this.job) return;
    this.job = 0;
    this.parts.onEvent(bytes, true);
  }

  /** The module trapped: nothing in it can be trusted any more. A new one takes its place and reports the failure. */
  async break(job, error) {
    this.core = this.open();
    const core = await this.core.catch(() => null);
    if (core) this.end(job, core.failureBytes(job, sentenceOfDeath(error.message)));
    else this.parts.onTrouble?.(error.message);
  }

  cancel() { this.job = 0; }

  async exportReport(bytes, format, array = '') {
    const text = (await this.core).exportReport(bytes, format, array);
    if (text.error) throw new Error(text.error);
    return text;
  }

  destroy() {
    this.cancel();
    this.tasks.close();
  }
}
