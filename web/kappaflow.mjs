/** Kappaflow's computations for other programs, in browsers and in Node. See kappaflow.d.mts. */
import { Hand, WorkersForbidden } from './hand.mjs';
import { instantiate } from './loader.mjs';
import { folder, placeOf } from './places.mjs';

const here = (name) => new URL(placeOf(folder + name));
const inNode = typeof process === 'object' && Boolean(process.versions?.node);

async function readBytes(name) {
  if (inNode) return (await import('node:fs/promises')).readFile(here(name));
  const response = await fetch(here(name));
  if (!response.ok) throw new Error(`${name} is missing: the server answered ${response.status}.`);
  return response.arrayBuffer();
}

const once = (make) => {
  let promise;
  return () => (promise ??= make().catch((error) => ((promise = undefined), Promise.reject(error))));
};
const compiledCore = once(async () => WebAssembly.compile(await readBytes('kappaflow-core.wasm')));
const file = async (name) => new Uint8Array(await readBytes(name));
const workerText = once(async () => new TextDecoder().decode(await readBytes('worker.js')));
const core = once(async () => instantiate((await import(/* @vite-ignore */ /* webpackIgnore: true */ here('kappaflow-core.mjs').href)).default, await compiledCore()));

/** What a refusal by the core becomes. */
export class InputError extends Error {
  name = 'InputError';
}

function unwrap(value) {
  if (value?.error) throw new InputError(value.error);
  return value;
}

/** Node's worker threads with the face of a browser's worker. */
async function nodeWorkerStarter() {
  const { Worker } = await import('node:worker_threads');
  const prologue = `const {parentPort} = require('node:worker_threads');
    globalThis.postMessage = (message, transfer) => parentPort.postMessage(message, transfer);
    parentPort.on('message', (data) => globalThis.onmessage({data}));\n`;
  return (text) => {
    const worker = new Worker(prologue + text.replace('onmessage =', 'globalThis.onmessage ='), { eval: true });
    const face = { postMessage: (...args) => worker.postMessage(...args), terminate: () => worker.terminate() };
    worker.on('message', (data) => face.onmessage({ data }));
    worker.on('error', (error) => face.onerror({ message: error.message }));
    return face;
  };
}

const idle = []; // workers that wait for the next call

async function hire() {
  const startWorker = inNode ? await nodeWorkerStarter() : undefined;
  return new Hand({ compiled: compiledCore(), workerText: workerText(), glueUrl: here('kappaflow-core.mjs').href, startWorker, file });
}

const abortError = (signal) => signal.reason ?? new DOMException('This operation was aborted', 'AbortError');

async function runInWorker(id, params, { signal, onProgress, onPartial, ...given }) {
  const hand = idle.pop() ?? (await hire());
  const stop = () => hand.stop('aborted');
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await hand.ready;
    if (signal?.aborted) throw abortError(signal);
    const report = await hand.ask({ what: 'call', method: 'run', args: [id, params, given], listening: true }, { onProgress, onPartial });
    keep(hand);
    return report;
  } catch (error) {
    if (signal?.aborted) throw abortError(signal);
    if (error.name !== 'InputError') throw hand.stop(error.message), error;
    keep(hand);
    throw new InputError(error.message);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** One worker waits for the next call, unless it would keep Node from ending. */
function keep(hand) {
  if (inNode || idle.length) hand.stop();
  else if (hand.alive) idle.push(hand);
}

export async function listScenes() {
  return unwrap((await core()).listScenes());
}

/** Throws InputError for what is no id, before a module is asked in vain. */
function requireId(id) {
  if (typeof id !== 'string') throw new InputError(`The id of a scene is a text, not ${id === null ? 'null' : typeof id}; listScenes() has them.`);
}

export async function describeScene(id) {
  requireId(id);
  return unwrap((await core()).describeScene(id));
}

export async function exampleNetworks() {
  return unwrap((await core()).exampleNetworks());
}

export async function run(id, params = {}, { worker = true, signal, ...options } = {}) {
  requireId(id);
  if (typeof params !== 'object' || params === null) throw new InputError('The params of a run are an object, values by name.');
  if (signal?.aborted) throw abortError(signal);
  if (worker) {
    try {
      return await runInWorker(id, params, { signal, ...options });
    } catch (error) {
      // Where workers are forbidden the computation is done here, in one piece.
      if (!(error instanceof WorkersForbidden)) throw error;
    }
  }
  return runHere(await core(), id, params, options);
}

async function runHere(core, id, params, options) {
  const report = core.run(id, params, options);
  if (!report.missing) return unwrap(report);
  unwrap(core.provideFile(report.missing, await file(report.missing)));
  return runHere(core, id, params, options);
}
