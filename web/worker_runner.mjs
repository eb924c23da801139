import { Hand, WorkersForbidden, kStartUp, sentenceOfDeath } from './hand.mjs';

const kHeavy = 48 * 2 ** 20; // bytes of a module above which its worker goes with the scene that needed them
const kMostLate = 3; // workers in a row that may not come up where others did: that machine is busy, it forbids nothing

/**
 * Runs jobs in a worker, with a warm spare beside it: cancelling terminates the one and puts the other in its place. Both have the
 * module of the newest job's bundle. A module's memory never shrinks, so a heavy worker is replaced when another scene comes.
 */
export class WorkerRunner {
  constructor(parts, onForbidden) {
    this.parts = parts;
    this.onForbidden = onForbidden;
    this.job = 0;
    this.bundle = null;
    this.late = 0; // workers in a row that did not come up
  }
  get busy() { return this.job !== 0; }

  /** Gets a worker for a bundle's jobs up, so that the first one need not wait for it. */
  prepare(bundle) {
    if (bundle === this.bundle) return;
    this.current?.stop();
    this.spare?.stop();
    this.spare = undefined;
    this.bundle = bundle;
    this.current = this.hire();
  }

  hire() {
    const startUp = (this.parts.startUp ?? kStartUp) * 2 ** this.late;
    const hand = new Hand({ ...this.parts, ...this.parts.core(this.bundle), startUp }, {
      onEvent: (event) => this.hear(hand, event),
      onDeath: (reason) => this.replaceDead(hand, reason),
    });
    hand.ready.then(() => ((this.late = 0), (this.worked = true)), (error) => hand.alive && this.giveUp(hand, error));
    return hand;
  }

  start(job, bytes, bundle, scene) {
    this.prepare(bundle);
    if (scene !== this.scene && this.current.heap > kHeavy) this.current.stop(), this.promote();
    this.scene = scene;
    this.job = job;
    this.bytes = bytes;
    this.sendJob();
  }

  sendJob() {
    this.send(this.current, { what: 'run', job: this.job, bytes: this.bytes }, [this.bytes.buffer]);
  }

  send(hand, message, transfer) {
    hand.post(message, transfer).catch(() => {}); // a worker that never came up is dealt with in giveUp
  }

  hear(hand, { job, last, bytes, heap }) {
    hand.heap = heap;
    if (hand !== this.current || job !== this.job) return;
    if (last) {
      this.job = 0;
      this.spare ??= this.hire(); // after the first result, so that warming up does not delay it
    }
    this.parts.onEvent(bytes, last);
  }

  cancel() {
    if (!this.busy) return;
    this.job = 0;
    this.current.stop();
    this.promote();
  }

  promote() {
    this.current = this.spare ?? this.hire();
    this.spare = this.hire();
  }

  replaceDead(hand, reason) {
    if (hand === this.spare) this.spare = undefined;
    if (hand !== this.current) return;
    if (!hand.up) return this.giveUp(hand, new WorkersForbidden(reason));
    this.current = this.spare ?? this.hire();
    this.spare = undefined;
    if (this.busy) this.send(this.current, { what: 'failure', job: this.job, sentence: sentenceOfDeath(reason) });
  }

  /** A worker did not come up: a spare is done without; where others did, the next one gets the job; otherwise jobs have to be computed somewhere else. */
  giveUp(hand, error) {
    hand.stop(error.message);
    if (hand === this.spare) return void (this.spare = undefined);
    if (hand !== this.current) return;
    if (!this.worked || ++this.late > kMostLate) return this.onForbidden(error);
    this.current = this.spare ?? this.hire();
    this.spare = undefined;
    if (this.busy) this.sendJob();
  }

  /** A function of the bundle of files, by a worker of its own, which waits for no job. */
  async files(method, ...args) {
    const hand = new Hand({ ...this.parts, ...this.parts.core('files') });
    try {
      return await hand.ask({ what: 'call', method, args });
    } finally {
      hand.stop();
    }
  }

  destroy() {
    this.job = 0;
    this.current?.stop();
    this.spare?.stop();
  }
}
