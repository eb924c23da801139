/**
 * Numbers that the scenes' notes (NAME.md) quote, each with where it comes from:
 *   [[0.603 ← hierarchical channels=4: mean capacity(lag=28..35)]]
 * written value ← scene, params that differ from the defaults: field. A value of an array names a value of each axis, `a..b` several. In
 * front of a field stands sum, mean, min or max where there are several values (so also over `seed=1..8`), and `percent x`, `root x` or
 * `ratio x y`, x and y fields or numbers. What is computed is written with as many digits as stand there; where it is not what stands there, or scene, param
 * or field do not exist, one sentence says so.
 *   notes_numbers.mjs [PROGRAM] [--update] [SCENE…]   all notes with the native program (build/release/kappaflow); --update corrects them
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { notesOfScenes } from './bundles.mjs';

const kTemplate = /\[\[([^[\]←]+?) ← ([^[\]←]+)\]\]/g;
const kSums = {
  sum: (values) => values.reduce((total, value) => total + value, 0),
  mean: (values) => kSums.sum(values) / values.length,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
};

/** Templates of a text; written: as it stands there, source: what is behind it. */
export const templatesIn = (text) => [...text.matchAll(kTemplate)].map(([, written, source]) => ({ written, source }));

/** `scene key=value …: expression`, one request for each seed of a range. */
export function parsedSource(source) {
  const [, head, expression] = source.match(/^([^:]+):(.+)$/) ?? [];
  if (!head) throw new Error('it should read "scene param=value: field"');
  const [scene, ...settings] = head.trim().split(/\s+/);
  const params = settings.map((setting) => {
    const [, key, value] = setting.match(/^(\w+)=(.*)$/) ?? [];
    if (!key) throw new Error(`"${setting}" is no param=value`);
    return [key, value];
  });
  const [from, to] = (params.find(([key]) => key === 'seed')?.[1] ?? '').split('..').map(Number);
  const seeds = to > from ? Array.from({ length: to - from + 1 }, (_, i) => from + i) : [null];
  const requests = seeds.map((seed) => ({ scene, params: Object.fromEntries(params.map(([key, value]) => [key, key === 'seed' && seed !== null ? String(seed) : value])) }));
  return { requests, words: expression.trim().split(/\s+(?![^(]*\))/) };
}

/** A param that was brought into its range, or ignored, would make the sentence about something else. */
function requireTaken(report, params) {
  for (const [key, value] of Object.entries(params)) {
    const taken = report.params[key], text = Array.isArray(taken) ? taken.join(',') : String(taken);
    if (text !== value && text !== value.replaceAll('-', ',') && !(Number(text) === Number(value))) throw new Error(`${key} was taken as ${text}`);
  }
}

/** Where on an axis a value lies, or the values of a range. */
function placesOn(axis, wanted) {
  const entries = axis.keys?.length ? axis.keys : [...axis.values], [from, to] = wanted.split('..');
  const at = (value) => entries.findIndex((entry) => (typeof entry === 'string' ? entry === value : Math.abs(entry - Number(value)) <= 1e-9));
  const first = at(from), last = to === undefined ? first : at(to);
  if (first < 0 || last < first) throw new Error(`${axis.name} has no value ${wanted}`);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** `field` of a scalar, `field(axis=value,axis=a..b)` of an array: all the values meant; axes left out count whole. */
function valuesOf(report, reference) {
  const [, name, places] = reference.match(/^(\w+)(?:\(([^)]*)\))?$/) ?? [];
  if (name && report.scalars[name] && places === undefined) return [report.scalars[name].value];
  const array = name && report.arrays[name];
  if (!array) throw new Error(`${report.scene} reports no ${report.scalars[name] ? `array ${name}` : `"${reference}"`} there`);
  const wanted = Object.fromEntries((places ?? '').split(',').filter(Boolean).map((part) => part.split('=')));
  for (const axis of Object.keys(wanted)) if (!array.axes.some((one) => one.name === axis)) throw new Error(`${name} has no axis ${axis}`);
  let found = [0];
  for (const axis of array.axes) {
    const length = (axis.keys?.length ? axis.keys : axis.values).length;
    const places = wanted[axis.name] === undefined ? Array.from({ length }, (_, i) => i) : placesOn(axis, wanted[axis.name]);
    found = found.flatMap((index) => places.map((place) => index * length + place));
  }
  return found.map((index) => array.values[index]);
}

function evaluated(words, reports) {
  const next = () => {
    const word = words.shift();
    if (word === undefined) throw new Error('something is missing at its end');
    if (word === 'ratio') {
      const above = next();
      return above / next();
    }
    if (word === 'percent') return 100 * next();
    if (word === 'root') return Math.sqrt(next());
    if (!Number.isNaN(Number(word))) return Number(word);
    const values = reports.flatMap((report) => valuesOf(report, Object.hasOwn(kSums, word) ? words[0] : word));
    if (Object.hasOwn(kSums, word)) words.shift();
    else if (values.length !== 1) throw new Error(`${word} has ${values.length} values: put sum, mean, min or max in front, or name a value of each axis`);
    return (kSums[word] ?? (([only]) => only))(values);
  };
  const value = next();
  if (words.length) throw new Error(`"${words.join(' ')}" is left over`);
  if (!Number.isFinite(value)) throw new Error(`its value is ${value}`);
  return value;
}

/** A value with the digits of the written one: 0.607, 12000 (three zeros and more are no digits), 525 312, 1.3277\cdot10^{-3}. */
export function inDigitsOf(written, value) {
  const [, sign, whole, fraction, power] = written.match(/^([-−]?)(\d[\d  ]*)(?:\.(\d+))?(?:\\cdot10\^\{-?\d+\})?$/) ?? [];
  if (whole === undefined) throw new Error(`"${written}" is no number`);
  const minus = value < 0 ? sign || '−' : '', size = Math.abs(value), digits = fraction?.length ?? 0;
  if (/cdot/.test(written)) {
    const [mantissa, exponent] = size.toExponential(digits).split('e');
    return `${minus}${mantissa}\\cdot10^{${Number(exponent)}}`;
  }
  const zeros = fraction === undefined ? (whole.match(/0{3,}$/)?.[0].length ?? 0) : 0;
  const text = zeros ? String(Math.round(size / 10 ** zeros) * 10 ** zeros) : size.toFixed(digits);
  return minus + (/[  ]/.test(whole) ? text.replace(/\B(?=(\d{3})+$)/g, whole.match(/[  ]/)[0]) : text);
}

function computed({ written, source }, report) {
  const { requests, words } = parsedSource(source);
  const reports = requests.map((request) => {
    const found = report(request);
    requireTaken(found, request.params);
    return found;
  });
  return inDigitsOf(written, evaluated(words, reports));
}

/**
 * The text with every number as computed. report: ({scene, params}) → a report. Throws in one sentence that begins with `name` where
 * one cannot be computed, or is not what is written.
 */
export function filledNotes(text, name, report, differs = (sentence) => { throw new Error(sentence); }) {
  return text.replace(kTemplate, (whole, written, source) => {
    let value;
    try {
      value = computed({ written, source }, report);
    } catch (error) {
      throw new Error(`${name}: ${source}: ${error.message}`);
    }
    if (value !== written) differs(`${name}: ${source}: ${value} is computed where ${written} is written; notes_numbers.mjs --update writes it`);
    return value;
  });
}

export const keyOf = ({ scene, params }) => JSON.stringify([scene, params]);

async function main(args) {
  const house = resolve(fileURLToPath(import.meta.url), '../../..');
  const named = args.filter((arg) => !arg.startsWith('--')), files = notesOfScenes();
  const program = existsSync(named[0] ?? '') ? named.shift() : join(house, 'build/release/kappaflow');
  const notes = Object.entries(files).filter(([scene]) => !named.length || named.includes(scene)).map(([scene, file]) => ({ scene, file }));
  for (const note of notes) note.text = readFileSync(note.file, 'utf8');
  const requests = new Map(), problems = [], reports = new Map();
  for (const { scene, text } of notes)
    for (const { source } of templatesIn(text)) {
      try {
        for (const request of parsedSource(source).requests) requests.set(keyOf(request), request);
      } catch (error) {
        problems.push(`${scene}: ${source}: ${error.message}`);
      }
    }
  const queue = [...requests.values()], run = promisify(execFile);
  await Promise.all(Array.from({ length: availableParallelism() }, async () => {
    for (let request = queue.shift(); request; request = queue.shift()) {
      const settings = Object.entries(request.params).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
      const answer = await run(program, ['run', request.scene, ...settings, '--format', 'json'], { maxBuffer: 2 ** 30 }).catch(({ stderr, message }) => ({ error: (stderr || message).trim() }));
      reports.set(keyOf(request), answer.error ? answer : JSON.parse(answer.stdout));
    }
  }));
  const report = (request) => {
    const found = reports.get(keyOf(request));
    if (found.error) throw new Error(found.error.replace(/^kappaflow: /, ''));
    return found;
  };
  let count = 0;
  for (const { scene, file, text } of notes) {
    const written = text.replace(kTemplate, (whole) => {
      ++count;
      try {
        let now = whole;
        filledNotes(whole, scene, report, (sentence) => {
          const { written: old, source } = templatesIn(whole)[0];
          now = whole.replace(old, () => computed({ written: old, source }, report));
          if (!args.includes('--update')) problems.push(sentence);
        });
        return now;
      } catch (error) {
        problems.push(error.message);
        return whole;
      }
    });
    if (args.includes('--update') && written !== text) writeFileSync(file, written);
  }
  for (const problem of problems) console.log(problem);
  console.log(`${count - problems.length} passed, ${problems.length} failed`);
  process.exitCode = problems.length ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
