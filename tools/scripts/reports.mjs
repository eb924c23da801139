/** Reports of scenes, computed by the program's own wasm modules. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { instantiate } from '../../web/loader.mjs';
import { keyOf } from './notes_numbers.mjs';

const samples = resolve(fileURLToPath(import.meta.url), '../../../src/samples');

/** The module `name` of the folder `modules`. */
export async function opened(modules, name) {
  const glue = (await import(pathToFileURL(join(modules, `${name}.mjs`)))).default;
  return instantiate(glue, await WebAssembly.compile(readFileSync(join(modules, `${name}.wasm`))));
}

/** ({scene, params}) → a report, each computed once; throws what refuses a request. `known`: those that are there, by keyOf. */
export function reportsOf(core, known = new Map()) {
  for (const { id } of core.exampleNetworks()) core.provideFile(`samples/${id}.onnx`, readFileSync(join(samples, `${id}.onnx`)));
  return (request) => {
    const key = keyOf(request);
    if (!known.has(key)) known.set(key, core.run(request.scene, request.params, {}));
    if (known.get(key).error) throw new Error(known.get(key).error);
    return known.get(key);
  };
}

/** What `reportsOf` takes as known, of all `requests`, computed on a thread of its own. */
export function computedAhead(modules, requests) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { modules, requests } });
  const ended = (code) => new Error(`Reports were not computed: their thread ended with code ${code}.`);
  return new Promise((resolved, rejected) => worker.once('message', resolved).once('error', rejected).once('exit', (code) => rejected(ended(code))));
}

if (!isMainThread && workerData?.requests) {
  const known = new Map(), report = reportsOf(await opened(workerData.modules, 'kappaflow-core'), known);
  for (const request of workerData.requests) {
    try {
      report(request);
    } catch {
      // who needs it is told then
    }
  }
  parentPort.postMessage(known);
}
