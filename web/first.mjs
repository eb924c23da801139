/**
 * A scene's first result, computed by these very modules when the site was built: it is shown while what computes is still on its way.
 * first/SCENE.bin, and first/home.bin for the bare address: the length of the request, the request, an event of its job. Home's is a partial
 * result, to which the computation then adds what is drawn later.
 */
const kWhat = 2, kDone = 2, kJob = 3; // where an event keeps what happened and its job: behind version and kind, see src/jobs/codec.cpp

export function sameBytes(a, b) {
  let at = 0;
  if (a?.length !== b?.length) return false;
  while (at < a.length && a[at] === b[at]) ++at;
  return at === a.length;
}

export class FirstResult {
  /** `bytes`: of the file. */
  constructor(bytes) {
    const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    this.request = bytes.subarray(4, 4 + size);
    this.event = bytes.subarray(4 + size);
  }

  /**
   * Returns whether the page's first job asks what was recorded. If it does, `tell` is given the event; where that is a partial result, `start`
   * computes the whole once `coming()` resolves, and the partial result ends the job where it rejects.
   */
  answer(job, request, { tell, start, coming }) {
    const asked = sameBytes(request, this.request), event = this.event?.slice();
    this.request = this.event = null; // what comes later may go on from what came before
    if (!asked) return false;
    new DataView(event.buffer).setBigUint64(kJob, BigInt(job), true);
    Promise.resolve(event).then(tell);
    if (event[kWhat] === kDone) return true;
    this.waiting = true;
    const end = () => tell(event.map((byte, at) => (at === kWhat ? kDone : byte)));
    coming().then(() => this.waiting && start(), () => this.waiting && end());
    return true;
  }

  cancel() { this.waiting = false; }
}
