/**
 * What the page weighs: weights.mjs [site]. One line a file of the first view (raw, gzip -9, brotli -q 11, bytes), then the sums
 * that have a bar, each with its target and its limit; exit status 1 when a limit is passed.
 */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Sums of what is fetched for the first scene, bytes as brotli. */
export const kBars = [
  { name: 'until the first picture', of: /^(?!kappaflow-core)/, target: 520e3, limit: 620e3 },
  { name: 'all wasm', of: /\.wasm$/, target: 400e3, limit: 520e3 },
  { name: 'fonts', of: /^fonts\//, target: 60e3, limit: 120e3 },
  { name: 'everything, with what computes', of: /./, target: 660e3, limit: 750e3 },
];
/**
 * Of the page in one file, bytes as they are. Its models are one module, whatever the bundles; a scene adds 40 to 100 kB of models, picture
 * and words, and no one waits for it twice: it is kept, or sent by mail.
 */
export const kSingle = { name: 'single.html, raw', file: 'single.html', limit: 3e6 };

/** Everything that index.html and its style sheets ask for before the first picture, and the modules that compute, which come behind it. */
export function firstView(site) {
  const html = readFileSync(join(site, 'index.html'), 'utf8').replace(/<body[\s\S]*/, '');
  const linked = [...html.matchAll(/ (?:href|src)="([^"#?:]+)"/g)].map(([, name]) => name);
  const fonts = [...readFileSync(join(site, 'page.css'), 'utf8').matchAll(/url\((fonts\/[^)]+)\)/g)].map(([, name]) => name);
  const [, bundle] = html.match(/const b=\{"[\w-]+":"(\w+)"/); // of the first scene: a script asks for it
  return [...new Set(['index.html', ...linked, ...fonts, 'fonts/math.ttf', 'worker.js', 'first/home.bin', `kappaflow-core-${bundle}.wasm`, `kappaflow-core-${bundle}.mjs`, `kappaflow-pictures-${bundle}.wasm`])].sort();
}

const known = new Map();
const once = (key, make) => known.get(key) ?? known.set(key, make()).get(key); // brotli at its best takes seconds a megabyte
const brotli = (bytes, quality) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length;

export function weigh(site, name) {
  const path = join(site, name);
  return once(path, () => {
    const bytes = readFileSync(path);
    return { name, raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotli(bytes, 11) };
  });
}

/** Bytes as brotli of all `names`, or, where that is within `limit`, those of a worse compression that takes a fiftieth of the time. */
export function weighAtMost(site, names, limit) {
  const bound = names.reduce((sum, name) => sum + once(`5 ${join(site, name)}`, () => brotli(readFileSync(join(site, name)), 5)), 0);
  return bound <= limit ? bound : names.reduce((sum, name) => sum + weigh(site, name).brotli, 0);
}

/** {files, sums: [{name, bytes, target, limit}]}; `names`: those of the first view. */
export function weights(site, names = firstView(site)) {
  const files = names.map((name) => weigh(site, name));
  const sums = kBars.map(({ of, ...bar }) => ({ ...bar, bytes: files.reduce((sum, { name, brotli }) => sum + (of.test(name) ? brotli : 0), 0) }));
  return { files, sums: [...sums, { ...kSingle, target: kSingle.limit, bytes: statSync(join(site, kSingle.file)).size }] };
}

export function table({ files, sums }) {
  const line = (name, ...cells) => name.padEnd(34) + cells.map((cell) => String(cell).padStart(12)).join('');
  const rows = files.map(({ name, raw, gzip, brotli }) => line(name, raw, gzip, brotli));
  const bars = sums.map(({ name, bytes, target, limit }) => line(name, bytes, target, limit));
  return [line('bytes of a file', 'raw', 'gzip', 'brotli'), ...rows, '', line('bytes of the compressed sum', 'now', 'target', 'limit'), ...bars].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = weights(process.argv[2] ?? resolve(fileURLToPath(import.meta.url), '../../../build/web/site'));
  console.log(table(found));
  process.exitCode = found.sums.some(({ bytes, limit }) => bytes > limit) ? 1 : 0;
}
