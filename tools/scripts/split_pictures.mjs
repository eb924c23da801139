/**
 * The page's module without the drawing code of bundles, which becomes a module of its own for each bundle, fetched
 * with the bundle's models: a reader of one scene waits for one scene. Binaryen's wasm-split does it, once a bundle; what has to be decided
 * here is which functions are a bundle's.
 *
 * A function is a bundle's when it is defined in the bundle's picture files and in no other file, and when no function outside
 * the bundle calls it. The optimiser may have merged equal functions of two bundles into one: such a one is called from outside, or
 * stands in the function table twice, and stays. What only one bundle calls, in the end, goes there too. So do the texts that only its
 * picture files have and the sentences about its presets: zeros stand for them until they come. What is said of reports' fields is left
 * out: a report brings it along.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { notesOfScenes } from './bundles.mjs';
import { functionNames, textsOf, withNames, withTexts, withoutNames, withoutTexts } from './wasm_file.mjs';

const kRun = { encoding: 'utf8', maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'pipe'] };
const kFeatures = ['exception-handling', 'bulk-memory', 'sign-ext', 'mutable-globals', 'nontrapping-float-to-int', 'simd'].map((feature) => `--enable-${feature}`);
const kFiles = /^(kf_\w+|imgui|kappaflow-page|embedded_shaders)\.dir\/.*\.o$/;
/** The scene or bundle of a file of pictures, compiled one by one or together with the bundle's others. */
const kScene = /kf_pictures\.dir\/.*(?:\/scenes\/\w+\/(\w+)(?:\/|_)picture|\/unity_scenes_(?:\w+_(?=bundle_))?(\w+)_cxx)/;

/** {symbol: the bundle whose pictures alone define it, or ''}; names as people read them, as the module has them. */
function ownersOfSymbols(objects, bundleOf) {
  const owners = {};
  const defined = execFileSync('llvm-nm-14', ['--defined-only', '-C', '-A', ...objects], kRun);
  for (const [, file, symbol] of defined.matchAll(/^(.*?): \S+ [TtWw] (.*)$/gm)) {
    const bundle = bundleOf(file);
    owners[symbol] = owners[symbol] === undefined || owners[symbol] === bundle ? bundle : '';
  }
  return owners;
}

/** {bundle: texts that no object but those of its pictures has, and its sentences}. */
function textsOfBundles(objects, bundleOf, sentences) {
  const owners = new Map(), texts = {};
  for (const file of objects) {
    const bundle = bundleOf(file);
    for (const text of textsOf(readFileSync(file))) owners.set(text, (owners.get(text) ?? bundle) === bundle ? bundle : '');
  }
  for (const [bundle, said] of Object.entries(sentences)) for (const text of said) owners.set(Buffer.from(text).toString('latin1'), bundle);
  owners.forEach((bundle, text) => bundle && (texts[bundle] ??= []).push(text));
  return texts;
}

/** Texts of the scenes' tables that only what computes reads, for reports and schemas: what is said of fields, and sources of params. */
function unreadTexts(objects, scenes) {
  const read = new Set(objects.filter((file) => !/kf_scenes\w*\.dir/.test(file)).flatMap((file) => textsOf(readFileSync(file))));
  const bytes = (text) => Buffer.from(text).toString('latin1');
  for (const { title, claim, source, params, presets } of scenes)
    for (const text of [title, claim, source, ...params.flatMap(({ label, help }) => [label, help]), ...presets.map(({ name }) => name)]) read.add(bytes(text));
  const texts = scenes.flatMap(({ fields, params }) => [...fields.map(({ about }) => about), ...params.map(({ serves }) => serves)]).filter(Boolean).map(bytes);
  return [...new Set(texts)].filter((text) => !read.has(text));
}

/** What wasm-dis tells of a module whose functions are named by numbers: {calls: [callees by function], slots, exported}. */
function structure(text) {
  const numbers = (matches) => [...matches].map(([, number]) => Number(number));
  const calls = [];
  for (const part of text.split(/^ \(func \$/m).slice(1)) calls[Number.parseInt(part, 10)] = numbers(part.matchAll(/\((?:return_)?call \$(\d+)/g));
  const slots = numbers((text.match(/^ \(elem .*$/m)?.[0] ?? '').matchAll(/\$(\d+)/g));
  return { calls, slots, exported: numbers(text.matchAll(/^ \(export "[^"]*" \(func \$(\d+)/gm)) };
}

/** Takes back what others call, then hands over what only one bundle calls; `bundles` by function, '' for all. */
function settle(bundles, { calls, slots, exported }) {
  const everybodys = new Set([...exported, ...slots.filter((slot, index) => slots.indexOf(slot) !== index)]);
  everybodys.forEach((index) => (bundles[index] = ''));
  for (let changed = true; changed;) {
    changed = false;
    calls.forEach((callees, caller) => callees.forEach((callee) => {
      if (!bundles[callee] || bundles[callee] === bundles[caller]) return;
      bundles[callee] = '';
      changed = true;
    }));
  }
  for (let changed = true; changed;) {
    const callers = calls.map(() => new Set());
    calls.forEach((callees, caller) => callees.forEach((callee) => callers[callee]?.add(bundles[caller])));
    changed = false;
    callers.forEach((among, index) => {
      if (bundles[index] || among.size !== 1 || among.has('') || slots.includes(index) || exported.includes(index)) return;
      [bundles[index]] = among;
      changed = true;
    });
  }
  return bundles;
}

/** Of the object files of a bundle's pictures, '' for others. */
function bundlesOfFiles(bundles) {
  const notes = notesOfScenes(), bundleOfScene = {};
  for (const [scene, bundle] of Object.entries(bundles)) {
    const [family, name] = [basename(dirname(notes[scene])), basename(notes[scene], '.md')];
    bundleOfScene[name] ??= bundleOfScene[`bundle_${bundle}`] = bundle;
  }
  // What several scenes share is a bundle's where all that include it are.
  for (const folder of new Set(Object.values(notes).map(dirname)))
    for (const [, shared] of readdirSync(folder).join('\n').matchAll(/^(\w+)_picture\.h$/gm)) {
      const users = readdirSync(folder).filter((name) => name.endsWith('.cpp') && readFileSync(join(folder, name), 'utf8').includes(`/${shared}_picture.h"`));
      const found = new Set(users.map((name) => bundleOfScene[name.split(/_picture/)[0]]).filter(Boolean));
      if (found.size === 1) bundleOfScene[shared] ??= bundleOfScene[`${basename(folder)}_${shared}`] = [...found][0];
    }
  return (file) => bundleOfScene[file.match(kScene)?.slice(1).find(Boolean)] ?? '';
}

/** Functions of the module → the bundle of each, '' for all; indices as the module has them, imports first. */
function bundlesOfFunctions(whole, text, objects, bundleOf) {
  const names = functionNames(whole), imported = [...text.matchAll(/^ \(import "[^"]*" "[^"]*" \(func /gm)].length;
  const owners = ownersOfSymbols(objects, bundleOf);
  const entry = /_picture\(\)$/; // the list of pictures names them, called or not
  const initial = names.slice(imported).map((name) => (entry.test(name) ? '' : owners[name] ?? ''));
  return { imported, bundles: settle(initial, structure(text)) };
}

/** {kappaflow-page, kappaflow-pictures-BUNDLE…: bytes} of the build in `modules`; `bundles` as bundles.mjs has them; `scenes` as the schemas. */
export function splitPictures(modules, bundles, scenes) {
  const folder = mkdtempSync(join(tmpdir(), 'kappaflow-split-')), at = (name) => join(folder, name);
  const built = readFileSync(join(modules, 'build.ninja'), 'utf8'); // objects of an earlier layout may lie about
  const objects = readdirSync(join(modules, 'CMakeFiles'), { recursive: true })
    .filter((name) => kFiles.test(name) && built.includes(`build CMakeFiles/${name}:`)).map((name) => join(modules, 'CMakeFiles', name));
  const linked = readFileSync(join(modules, 'kappaflow-page.wasm')), bundleOf = bundlesOfFiles(bundles), sentences = {};
  if (!functionNames(linked).length) throw new Error('kappaflow-page.wasm has no names of functions: link it with --profiling-funcs.');
  for (const scene of scenes) (sentences[bundles[scene.id]] ??= []).push(...[scene, ...scene.presets].flatMap(({ lookAt, tryThis }) => [lookAt, tryThis].filter(Boolean)));
  writeFileSync(at('bare.wasm'), withoutNames(linked));
  const dump = execFileSync('wasm-dis', [...kFeatures, at('bare.wasm')], kRun), constants = Array.from(dump.matchAll(/(?:i32\.const |offset=)(\d+)/g), ([, value]) => Number(value));
  const texts = textsOfBundles(objects, bundleOf, sentences), delivered = Object.values(texts).flat();
  const { rest: whole, taken } = withoutTexts(linked, [...new Set([...delivered, ...unreadTexts(objects, scenes)])], constants);
  const found = bundlesOfFunctions(whole, dump, objects, bundleOf);
  const name = (index) => index.toString(36);
  writeFileSync(at('page.wasm'), withNames(whole, functionNames(whole).map((_, index) => name(index))));
  const parts = {};
  for (const bundle of new Set(found.bundles.filter(Boolean))) {
    const functions = found.bundles.flatMap((owner, index) => (owner === bundle ? [name(index + found.imported)] : []));
    writeFileSync(at('functions'), functions.join('\n'));
    execFileSync('wasm-split', [...kFeatures, '-g', '--split', at('page.wasm'), `--split-funcs=@${at('functions')}`, '-o1', at('rest.wasm'), '-o2', at('part.wasm'),
      '--import-namespace=page', `--placeholder-namespace=pictures-${bundle}`, `--export-prefix=${bundle}%`], kRun);
    const bundlesTexts = new Set(texts[bundle]);
    parts[`kappaflow-pictures-${bundle}`] = withTexts(withoutNames(readFileSync(at('part.wasm'))), taken.filter(({ text }) => bundlesTexts.has(text)));
    writeFileSync(at('page.wasm'), readFileSync(at('rest.wasm')));
  }
  parts['kappaflow-page'] = withoutNames(readFileSync(at('page.wasm')));
  rmSync(folder, { recursive: true });
  return parts;
}
