import { bytesOf, sentenceOfDeath } from './hand.mjs';
import { instantiate } from './loader.mjs';

const kShare = 0.1; // of the operations that a worker may take: nothing else happens on the page meanwhile

/** Runs each job on this thread in one piece, in a task of its own. */
export class InlineRunner {
  constructor(parts) {
    this.parts = parts;
    this.job = 0;
    this.bundle = null;
  }
  get busy() { return this.job !== 0; }

  prepare(bundle) {
    if (bundle === this.bundle) return;
    this.bundle = bundle;
    this.core = this.open();
    this.core.catch(() => {});
  }

  async open(bundle = this.bundle) {
    const { glue, glueText, compiled } = this.parts.core(bundle);
    await glueText; // why it does not come is said in the page's own words
    return instantiate(await glue(), await compiled);
  }

  start(job, bytes, bundle) {
    this.prepare(bundle);
    this.job = job;
    this.run(job, bytes).catch((error) => this.break(job, error));
  }

  async run(job, bytes) {
    const core = await this.core;
    await new Promise((resolve) => setTimeout(resolve)); // what the reader has just done is seen first
    if (job !== this.job) return;
    const { error, ...asked } = core.runJob(job, bytes, kShare, (event, last) => this.tell(job, event, last)) ?? {};
    if (asked.missing) return this.fetchFirst(core, asked, job, bytes);
    if (error) this.tell(job, core.failureBytes(job, error), true);
  }

  async fetchFirst(core, { missing, source }, job, bytes) {
    const made = async () => (await this.open('files')).makeFile(missing, await bytesOf(await (this.parts.held?.whole(source) ?? source)));
    const fetched = source ? made() : this.parts.file(missing);
    const found = await fetched.catch(({ message }) => ({ error: message }));
    const { error } = found.error ? found : core.provideFile(missing, found);
    if (error) return this.tell(job, core.failureBytes(job, error), true);
    return this.run(job, bytes);
  }

  tell(job, bytes, last) {
    if (job !== this.job) return;
    if (last) this.job = 0;
    this.parts.onEvent(bytes, last);
  }

  /** The module trapped: nothing in it can be trusted any more. A new one takes its place and reports the failure. */
  async break(job, error) {
    this.core = this.open();
    const core = await this.core.catch(() => null);
    if (core) this.tell(job, core.failureBytes(job, sentenceOfDeath(error.message)), true);
    else this.parts.onTrouble?.(error.message);
  }

  cancel() { this.job = 0; }

  async files(method, ...args) {
    const answer = (await this.open('files'))[method](...(await Promise.all(args.map(bytesOf))));
    if (answer.error) throw Object.assign(new Error(answer.error), { name: 'InputError' });
    return answer;
  }

  destroy() { this.cancel(); }
}
