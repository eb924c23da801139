/**
 * A scene's first result, computed by these very modules when the site was built: it is shown while what computes is still on its way.
 * first/SCENE.bin, and first/home.bin for the bare address: the length of the request, the request, the event that ends its job.
 */
const kJob = 3; // where an event keeps its job: behind version, kind and what happened, see src/jobs/codec.cpp

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

  /** The event for a job that asks just this, otherwise null. */
  answer(job, request) {
    if (!sameBytes(request, this.request)) return null;
    const event = this.event.slice();
    new DataView(event.buffer).setBigUint64(kJob, BigInt(job), true);
    return event;
  }
}
