// Compares what the program says and draws today with what is kept in tests/goldens: numbers to 1e-10 of the largest of their field, marks to
// half a pixel, texts exactly; of fields that depend chaotically on rounding only their size. One line a difference, by scene.
//   goldens.mjs PROGRAM [--update SCENE|all] [--all] [SCENE…]     --all: every difference, not the first 20 of a scene
// KAPPAFLOW_QUICK=1: of settings that are no presets and would take more than about 0.3 s the cost alone.
//   goldens.mjs --show SCENE                                      the kept text (`brotli -dc tests/goldens/SCENE.txt.br` does the same)
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const kept = resolve(fileURLToPath(import.meta.url), '../../../tests/goldens');
const kRelative = 1e-10, kPixels = 0.5, kChaos = 3, kShown = 20;

const fileOf = (scene) => join(kept, `${scene}.txt.br`);
const readKept = (scene) => (existsSync(fileOf(scene)) ? brotliDecompressSync(readFileSync(fileOf(scene))).toString() : '');
function keep(scene, text) {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  mkdirSync(kept, { recursive: true });
  writeFileSync(fileOf(scene), brotliCompressSync(Buffer.from(text), { params }));
}

/** Setting → its lines by what they speak of ("array capacity", "1200 800: line profile/theory--"); what repeats is numbered. */
export function settingsOf(text) {
  const settings = new Map();
  for (const part of text.split(/^== /m).slice(1)) {
    const [name, ...lines] = part.trimEnd().split('\n'), entries = new Map();
    let picture = '';
    for (const line of lines) {
      if (line.startsWith('picture ')) picture = `${line.split(' ').slice(1, 3).join('×')}: `;
      const words = line.match(/^ *(\S*) ?(\S*)/);
      const alone = name === 'words' || /^(link|cost|status|summary|refused|warning)$/.test(words[1]);
      const subject = picture + (words[1] === 'axis' || words[1] === 'numbers' ? line.split(' ', 3).join(' ') : alone ? words[1] : words.slice(1).join(' ').trim());
      let key = subject;
      for (let i = 2; entries.has(key); ++i) key = `${subject} #${i}`;
      entries.set(key, line);
    }
    settings.set(name, entries);
  }
  return settings;
}

const isNumber = (word) => /^-?(\d|\.\d|inf)/.test(word) && !Number.isNaN(Number(word.replace('inf', 'Infinity')));
const wordsOf = (line) => line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
const after = (words, name) => Number(words[words.indexOf(name) + 1]);

/** How far apart the k-th numbers of two lines may be. */
function tolerance(subject, words) {
  if (/^(array|axis|errors|numbers|weights|bias|scalar)\b/.test(subject.replace(/^\d+×\d+: /, ''))) {
    const n = words.includes('n') ? after(words, 'n') : 1;
    const numbers = words.filter(isNumber).map(Number);
    const largest = words.includes('max') ? after(words, 'max') : words.includes('n') ? Math.max(0, ...words.slice(words.indexOf('|')).filter(isNumber).map((x) => Math.abs(x))) : 0;
    return (k, value) => {
      const before = words[k - 1];
      if (before === 'n' || before === 'undefined' || before === 'draws') return 0;
      if (before === 'squares') return kRelative * n * largest ** 2;
      if (before === 'sum') return kRelative * n * largest;
      return kRelative * Math.max(largest, numbers.length ? Math.abs(value) : 0);
    };
  }
  if (/^chaotic /.test(subject)) return (k, value) => (words[k - 1] === 'rms' ? kChaos * Math.abs(value) : 0);
  // The count of marks and of points is exact, places follow.
  if (/^\d+×\d+: /.test(subject) && !/: (picture|handle)/.test(subject)) return (k) => (/^(×|points|of)$/.test(words[k - 1]) ? 0 : kPixels);
  if (/: handle /.test(subject)) return (k, value) => (words.indexOf('points') >= 0 && k > words.indexOf('points') + 1 ? kPixels : kRelative * Math.abs(value));
  return () => 0;
}

/** From where two lines differ: "was … is …"; nothing when they are the same within what is allowed. */
function apart(subject, a, b) {
  if (a === b) return '';
  const [was, is] = [wordsOf(a), wordsOf(b)], allowed = tolerance(subject, was);
  const alike = (word, k) => word === is[k] || (isNumber(word) && isNumber(is[k] ?? '') && Math.abs(word - is[k]) <= allowed(k, Number(word)));
  const at = was.findIndex((word, k) => !alike(word, k)), from = at < 0 ? Math.min(was.length, is.length) : at;
  if (at < 0 && was.length === is.length) return '';
  const cut = (words) => { const text = words.slice(from, from + 12).join(' '); return text.length > 160 ? `${text.slice(0, 160)}…` : text; };
  // Of a long text the part around its first change.
  const [x, y] = [cut(was), cut(is)];
  if (x !== y) return `was ${x} is ${y}`;
  let i = 0;
  while (was[from][i] === is[from][i]) ++i;
  return `was …${was[from].slice(Math.max(0, i - 30), i + 60)} is …${is[from].slice(Math.max(0, i - 30), i + 60)}`;
}

/** What differs between two texts of a scene, one entry a difference. */
export function differences(before, now) {
  const [was, is] = [settingsOf(before), settingsOf(now)], found = [];
  let changed = 0;
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const [a, b] = [was.get(name), is.get(name)], known = found.length;
    if (!a || !b) found.push(`[${name}] ${a ? 'is gone' : 'is new'}`);
    else {
      if (b.delete('left out')) for (const subject of a.keys()) if (!b.has(subject)) a.delete(subject);
      for (const subject of new Set([...a.keys(), ...b.keys()])) {
        const [x, y] = [a.get(subject), b.get(subject)];
        if (x === undefined) found.push(`[${name}] ${subject} is new: ${y.slice(0, 140)}`);
        else if (y === undefined) found.push(`[${name}] ${subject} is gone: ${x.slice(0, 140)}`);
        else if (apart(subject, x, y)) found.push(`[${name}] ${subject}: ${apart(subject, x, y)}`);
      }
      const order = (entries, other) => [...entries.keys()].filter((key) => other.has(key)).join('\n');
      if (order(a, b) !== order(b, a)) found.push(`[${name}] fields or marks come in another order`);
    }
    changed += found.length > known;
  }
  return { found, changed, settings: is.size };
}

/** Runs tasks, so many at a time, in the order they came. */
function lanes(count) {
  const waiting = [];
  let free = count;
  return async (task) => {
    if (free > 0) --free;
    else await new Promise((go) => waiting.push(go));
    try {
      return await task();
    } finally {
      if (waiting.length) waiting.shift()();
      else ++free;
    }
  };
}

async function main(words) {
  const take = (flag) => { const at = words.indexOf(flag); return at < 0 ? undefined : words.splice(at, flag === '--update' || flag === '--show' ? 2 : 1).at(-1); };
  const shown = take('--show'), accepted = take('--update'), everything = take('--all') !== undefined;
  if (shown) return process.stdout.write(readKept(shown));
  const [program, ...wanted] = words, run = promisify(execFile), options = { maxBuffer: 1 << 28 };
  const scenes = (await run(program, ['--scenes'])).stdout.trim().split('\n');
  const unknown = [...wanted, accepted].filter((scene) => scene && scene !== 'all' && !scenes.includes(scene));
  if (unknown.length) throw new Error(`There is no scene ${unknown.join(', ')}; there are ${scenes.join(', ')}.`);
  const asked = accepted && accepted !== 'all' ? [accepted] : wanted.length ? wanted : scenes;
  // Each scene's settings in two processes; no core waits for the slower one.
  const lane = lanes(availableParallelism());
  async function say(scene) {
    const parts = await Promise.all([0, 1].map((part) => lane(async () => (await run(program, [scene, String(part), '2'], options)).stdout.split(/^(?=== )/m))));
    const longer = Math.max(...parts.map((part) => part.length));
    return Array.from({ length: longer }, (_, i) => parts.map((part) => part[i] ?? '').join('')).join('');
  }
  const saying = new Map(asked.map((scene) => [scene, say(scene)]));
  for (const said of saying.values()) said.catch(() => {}); // heard below
  let passed = 0, failed = 0;
  for (const scene of asked) {
    let now;
    try {
      now = await saying.get(scene);
    } catch (error) {
      ++failed, console.log(`${scene}\n  ${error.signal ? `dies of ${error.signal}` : `fails: ${error.stderr || error.message}`}`);
      continue;
    }
    if (!accepted && !existsSync(fileOf(scene))) {
      ++failed, console.log(`${scene}\n  new scene: accept its goldens with make goldens UPDATE=${scene}`);
      continue;
    }
    const { found, changed, settings } = differences(readKept(scene), now);
    if (found.length) console.log([scene, ...found.slice(0, everything ? Infinity : kShown)].join('\n  ') + (found.length > kShown && !everything ? `\n  and ${found.length - kShown} more` : ''));
    if (accepted) keep(scene, now);
    passed += Math.max(0, settings - changed), failed += changed;
  }
  if (accepted === 'all') for (const name of readdirSync(kept)) if (!scenes.includes(name.replace('.txt.br', ''))) rmSync(join(kept, name));
  if (!wanted.length && !accepted) for (const name of readdirSync(kept)) if (!scenes.includes(name.replace('.txt.br', ''))) ++failed, console.log(`${name} belongs to no scene`);
  console.log(accepted ? `kept ${asked.length} scenes, ${failed} settings changed` : `${passed} passed, ${failed} failed`);
  process.exitCode = accepted || !failed ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2)).catch((error) => (console.error(error.message), (process.exitCode = 2)));
