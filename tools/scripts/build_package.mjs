/**
 * The npm package `kappaflow`: build_package.mjs [site] [output folder]. The site's modules, wasm, fonts and samples beside the element and
 * `run`; these name every file by `new URL('./NAME', import.meta.url)`, which is how bundlers find what they have to take along.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { kOptions } from './minify.mjs';

const house = resolve(fileURLToPath(import.meta.url), '../../..');
const site = resolve(process.argv[2] ?? join(house, 'build/web/site'));
const folder = resolve(process.argv[3] ?? join(house, 'build/web/package')), dist = join(folder, 'dist');

const inFolder = (name) => readdirSync(join(site, name)).map((file) => `${name}/${file}`);
const files = [
  ...readdirSync(site).filter((name) => /^kappaflow-.*\.(mjs|wasm)$/.test(name)), 'worker.js', 'instance.css',
  ...inFolder('fonts').filter((name) => name.endsWith('.ttf')), ...inFolder('samples'),
];
const kTypes = ['element', 'kappaflow', 'host', 'client'];

/** Takes the place of web/places.mjs. */
function places() {
  const entries = files.map((name) => `${JSON.stringify(name)}: () => new URL(${JSON.stringify(`./${name}`)}, import.meta.url)`);
  return `const files = {\n${entries.join(',\n')}\n};
export const folder = import.meta.url.replace(/[^/]*$/, '');
export function placeOf(url) {
  if (!String(url).startsWith(folder)) return String(url); // an author's own base
  return files[String(url).slice(folder.length)]?.().href ?? '';
}\n`;
}

function buildModules() {
  const work = mkdtempSync(join(tmpdir(), 'kappaflow-package-'));
  cpSync(join(house, 'web'), work, { recursive: true });
  writeFileSync(join(work, 'places.mjs'), places());
  const entryPoints = ['element', 'kappaflow', 'host', 'client'].map((name) => join(work, `${name}.mjs`));
  buildSync({ ...kOptions, bundle: true, splitting: true, write: true, outdir: dist, entryPoints, nodePaths: [join(house, 'node_modules')], external: ['node:*'], outExtension: { '.js': '.mjs' } });
  rmSync(work, { recursive: true });
}

function manifest() {
  const { name, version, license, description } = JSON.parse(readFileSync(join(house, 'package.json'), 'utf8'));
  const entry = (module) => ({ types: `./dist/${module}.d.mts`, default: `./dist/${module}.mjs` });
  return {
    name, version, license, description, type: 'module', files: ['dist'], sideEffects: ['./dist/element.mjs'],
    exports: { '.': entry('element'), './run': entry('kappaflow'), './host': entry('host'), './client': entry('client'), './dist/*': './dist/*', './package.json': './package.json' },
    types: './dist/element.d.mts', engines: { node: '>=20' },
  };
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
for (const name of files) cpSync(join(site, name), join(dist, name));
buildModules();
for (const name of kTypes) cpSync(join(house, `web/${name}.d.mts`), join(dist, `${name}.d.mts`));
writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest(), null, 2));
cpSync(join(house, 'LICENSE'), join(folder, 'LICENSE'));
cpSync(join(house, 'docs/package.md'), join(folder, 'README.md'));
console.log(`${files.length} files in ${folder}`);
