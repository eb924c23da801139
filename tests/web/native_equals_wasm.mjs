// The same params give the same report natively and in wasm: every scene with its defaults, its presets (of slow scenes the first two), every option of every
// choice and both values of every boolean, random settings of everything around the defaults; with KAPPAFLOW_COMPLETE=1 every preset, other
// seeds, choices together and more random settings as well. Without it slow scenes have lighter params at all settings but the defaults.
//   node tests/web/native_equals_wasm.mjs FOLDER_OF_KAPPAFLOW_CORE PATH_OF_GOLDENS [PART PARTS]
// One native process (goldens --batch) computes beside the module here.
// Numbers are compared to 1e-10 relative (of the array's largest magnitude, so that a zero of one side may be rounding of the other);
// shapes, texts of params, statuses, warnings and refusals exactly. What a scene calls statistical is left out.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nativeBatch, wordsOf } from '../../tools/scripts/native_batch.mjs';
import { lighter } from './lighter.mjs';

const [folder, program, part = 0, parts = 1] = process.argv.slice(2);
if (!folder || !program) {
  console.error('usage: native_equals_wasm.mjs FOLDER_OF_KAPPAFLOW_CORE PATH_OF_GOLDENS [PART PARTS]');
  process.exit(2);
}
const house = resolve(fileURLToPath(import.meta.url), '../../..');
const kRelative = 1e-10;

async function loadCore() {
  // The module is built for pages and workers: this is what it looks for there.
  globalThis.self = globalThis.window = globalThis;
  globalThis.location = { href: pathToFileURL(resolve(folder)).href + '/' };
  const { default: make } = await import(pathToFileURL(resolve(folder, 'kappaflow-core.mjs')).href);
  const core = await make({ wasmBinary: readFileSync(resolve(folder, 'kappaflow-core.wasm')) });
  for (const { id } of core.exampleNetworks()) core.provideFile(`samples/${id}.onnx`, readFileSync(join(house, 'src/samples', `${id}.onnx`)));
  return core;
}

/** Answers of one native process, in the order of the requests; it is some ahead. */
async function* nativeReports(requests) {
  const { ask, end } = nativeBatch(program), ahead = [];
  for (const { scene, values } of [...requests, ...Array(8).fill({})]) {
    if (scene) ahead.push(ask(wordsOf({ scene, params: values }, 'run', '--memory', '230000000')));
    if (ahead.length && (ahead.length > 8 || !scene)) {
      const { status, out, err } = await ahead.shift();
      yield status ? err : out;
    }
  }
  end();
}

const complete = process.env.KAPPAFLOW_COMPLETE === '1';
function settingsOf(id, scene) {
  const all = [{ name: 'defaults', values: {} }];
  for (const preset of lighter(id).length ? scene.presets.slice(0, 2) : scene.presets) all.push({ name: preset.name, values: preset.values });
  const computed = scene.params.filter((param) => param.affects === 'request');
  for (const param of computed) {
    if (param.kind === 'choice') for (const { key } of param.options) if (complete || key !== param.default) all.push({ name: `${param.key}=${key}`, values: { [param.key]: key } });
    if (param.kind === 'boolean') all.push({ name: param.key, values: { [param.key]: String(!param.default) } });
    if (complete && param.kind === 'seed') for (const seed of ['0', '4294967295']) all.push({ name: `seed ${seed}`, values: { [param.key]: seed } });
  }
  const choices = computed.filter((param) => param.kind === 'choice');
  for (let i = 0; complete && i < 12; ++i) {
    const values = {};
    choices.forEach((param, k) => { values[param.key] = param.options[(i * (k + 1) + (i >> 1)) % param.options.length].key; });
    all.push({ name: Object.entries(values).map((pair) => pair.join('=')).join(' '), values });
  }
  for (let i = 1; i <= (complete ? 12 : 1); ++i) all.push({ name: `random ${i}`, values: randomValues(computed, i) });
  // Below their ranges, whatever shows them: clamped, or told to mean nothing here.
  const numbers = computed.filter(({ kind, options }) => (kind === 'number' || kind === 'integer') && !options?.length);
  all.push({ name: 'below', values: Object.fromEntries(numbers.map((param) => [param.key, String(param.min - (param.odd ? 2 : 1))])) });
  return all;
}

/** Half of the params as they are; numbers from a quarter of the default up to it, so that no request takes long. */
function randomValues(params, seed) {
  let state = seed * 2654435761 >>> 0;
  const uniform = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const values = {};
  for (const param of params) {
    const change = uniform() < 0.5, u = uniform();
    if (!change) continue;
    if (param.kind === 'choice') values[param.key] = param.options[Math.floor(u * param.options.length)].key;
    if (param.kind === 'boolean') values[param.key] = String(u < 0.5);
    if (param.kind === 'seed') values[param.key] = String(Math.floor(u * 1000));
    if (typeof param.default !== 'number' || (param.kind !== 'number' && param.kind !== 'integer')) continue;
    let x = Math.min(param.max, Math.max(param.min, param.default * (0.25 + 0.75 * u)));
    if (param.kind === 'integer') x = Math.floor(x);
    if (param.odd && x % 2 === 0) x = x + 1 <= param.max ? x + 1 : x - 1;
    values[param.key] = String(x);
  }
  return values;
}

/** Largest difference relative to the largest magnitude; Infinity when one side is defined and the other is not. */
function difference(native, wasm) {
  if (native.length !== wasm.length) return Infinity;
  let scale = 0, worst = 0;
  for (const x of native) scale = Math.max(scale, Math.abs(x ?? 0));
  for (let i = 0; i < native.length; ++i) {
    const undefinedHere = native[i] === null, undefinedThere = !Number.isFinite(wasm[i]);
    if (undefinedHere !== undefinedThere) return Infinity;
    if (!undefinedHere) worst = Math.max(worst, Math.abs(native[i] - wasm[i]));
  }
  return scale === 0 ? worst : worst / scale;
}

const sameJson = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** What differs, as a list of sentences. */
function compare(native, wasm, statistical) {
  const found = [];
  for (const member of ['scene', 'status', 'params', 'warnings'])
    if (!sameJson(native[member], wasm[member])) found.push(`${member}: ${JSON.stringify(native[member])} and ${JSON.stringify(wasm[member])}`);
  for (const kind of ['scalars', 'arrays'])
    if (!sameJson(Object.keys(native[kind]), Object.keys(wasm[kind]))) return [...found, `different ${kind}`];
  for (const [name, scalar] of Object.entries(native.scalars)) {
    if (statistical.includes(name)) continue;
    const gap = difference([scalar.value], [wasm.scalars[name].value]);
    if (!(gap <= kRelative)) found.push(`${name} differs by ${gap}`);
  }
  for (const [name, array] of Object.entries(native.arrays)) {
    if (statistical.includes(name)) continue;
    const other = wasm.arrays[name];
    if (!(other.values instanceof Float64Array)) found.push(`${name} has no Float64Array`);
    if (!sameJson([array.axes, array.shape, array.role], [other.axes, other.shape, other.role])) found.push(`${name} has another shape`);
    const gap = difference(array.values, other.values);
    if (!(gap <= kRelative)) found.push(`${name} differs by ${gap}`);
    if (array.standardError && !(difference(array.standardError, other.standardError) <= kRelative)) found.push(`${name}'s standard error differs`);
  }
  return found;
}

const core = await loadCore();
const scenes = core.listScenes().map(({ id }) => core.describeScene(id));
const requests = scenes.flatMap(({ id, statistical, ...scene }) => settingsOf(id, scene).map(({ name, values }) => ({
  scene: id, name, values: name === 'defaults' ? values : { ...Object.fromEntries(lighter(id)), ...values }, statistical,
}))).filter((_, index) => index % parts === Number(part));
const answers = nativeReports(requests);
let passed = 0, failed = 0;
for (const { scene, name, values, statistical } of requests) {
  const next = answers.next(), wasm = core.run(scene, values, undefined), { value: text } = await next;
  const refusal = text?.startsWith('{') ? undefined : text?.trim().replace(/^kappaflow: /, '') ?? 'the native process has ended';
  const found = refusal || wasm.error ? (refusal === wasm.error ? [] : [`${refusal} and ${wasm.error}`]) : compare(JSON.parse(text), wasm, statistical);
  if (found.length === 0) ++passed;
  else ++failed, console.log(`${scene}, ${name}: ${found.join('; ')}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
