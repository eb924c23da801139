/**
 * Numbers that the scenes' notes (NAME.md) quote, each with where it comes from:
 *   [[0.603 ← hierarchical channels=4: mean capacity(lag=28..35)]]
 * written value ← scene, params that differ from the defaults: an expression (web/expressions.mjs); `seed=1..8` stands for eight reports. What
 * is computed is written with as many digits as stand there; where it is not what stands there, or scene, param or field do not exist, one
 * sentence says so.
 *   notes_numbers.mjs [PROGRAM] [--update] [SCENE…]   all notes with the native program (build/release/goldens); --update corrects them
 * KAPPAFLOW_REPORTS: a folder that the reports are left in, for build_site.mjs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { evaluate } from '../../web/expressions.mjs';
import { notesOfScenes } from './bundles.mjs';
import { inBatches, kProgram, wordsOf } from './native_batch.mjs';

const kTemplate = /\[\[([^[\]←]+?) ← ([^[\]←]+)\]\]/g;
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
  return { requests, expression: expression.trim() };
}

/** A param that was brought into its range, or ignored, would make the sentence about something else. */
function requireTaken(report, params) {
  for (const [key, value] of Object.entries(params)) {
    const taken = report.params[key], text = Array.isArray(taken) ? taken.join(',') : String(taken);
    if (text !== value && text !== value.replaceAll('-', ',') && !(Number(text) === Number(value))) throw new Error(`${key} was taken as ${text}`);
  }
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
  const { requests, expression } = parsedSource(source);
  const reports = requests.map((request) => {
    const found = report(request);
    requireTaken(found, request.params);
    return found;
  });
  return inDigitsOf(written, evaluate(expression, reports));
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

/** Names the report that a request asks for; the order of params and whether the timeline plays do not change it. */
export const keyOf = ({ scene, params }) => JSON.stringify([scene, Object.entries(params).filter(([key]) => key !== 'play').sort()]);

async function main(args) {
  const house = resolve(fileURLToPath(import.meta.url), '../../..');
  const named = args.filter((arg) => !arg.startsWith('--')), files = notesOfScenes();
  const program = existsSync(named[0] ?? '') ? named.shift() : kProgram;
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
  await inBatches(program, requests.values(), async (request, ask) => {
    const { status, out, err } = await ask(wordsOf(request, 'run', '--format', 'json'));
    reports.set(keyOf(request), status ? { error: err } : JSON.parse(out));
  });
  if (process.env.KAPPAFLOW_REPORTS) writeFileSync(join(process.env.KAPPAFLOW_REPORTS, 'quoted.json'), JSON.stringify([...reports]));
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
