/**
 * The page as a folder for any static host: build_site.mjs [folder of the wasm modules] [output folder]
 * KAPPAFLOW_ADDRESS: where the site will stand, for pages that must name themselves in full (https://example.org/kappaflow/).
 * Everything a reader can read without computing is written now: titles, claims, words with their equations, schemas.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kPlain, kSettings } from '../../web/address.mjs';
import { translator } from '../../web/languages.mjs';
import { declaredHtml } from '../../web/markup.mjs';
import { packedTexts, singleValues } from './build_single.mjs';
import { docsHtml } from './docs_html.mjs';
import { addressOf, cardOf, figurePage, kCard, oembedOf, rasteriser } from './figure_pages.mjs';
import { bundled, minified } from './minify.mjs';
import { homeValues, posterLink, searchIndex, waysOn } from './home_html.mjs';
import { readLessons } from './lessons.mjs';
import { painter } from './posters.mjs';
import { referencePage } from './reference_html.mjs';
import { computedAhead, opened, reportsOf } from './reports.mjs';
import { Symbols, symbolTable } from './symbols.mjs';
import { formulaCharacters, notesHtml, withPapers } from '../../web/notes_html.mjs';
import { filledNotes, keyOf, parsedSource, templatesIn } from './notes_numbers.mjs';
import { notesOfScenes, bundlesOfScenes } from './bundles.mjs';
import { splitPictures } from './split_pictures.mjs';

const house = resolve(fileURLToPath(import.meta.url), '../../..');
const modules = resolve(process.argv[2] ?? join(house, 'build/web'));
const site = resolve(process.argv[3] ?? join(house, 'build/web/site'));
const address = addressOf(process.env.KAPPAFLOW_ADDRESS);
const bundles = bundlesOfScenes(), notes = notesOfScenes();
const kModules = ['kappaflow-core', 'kappaflow-core-files', ...new Set(Object.values(bundles).map((bundle) => `kappaflow-core-${bundle}`))].flatMap((name) => [`${name}.mjs`, `${name}.wasm`]).concat('kappaflow-page.mjs');
const kDocs = ['embedding', 'courses', 'network-files', 'writing-lessons']; // guides for people who use the page
const kFonts = ['ui.ttf', 'ui-italic.ttf', 'ui-bold.ttf', 'math.ttf'];

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const write = (name, text) => writeFileSync(join(site, name), text);

/** Fonts are made by a script of their own; made again only when that script is newer, or equations (`formulas`) have new characters. */
function makeFonts(formulas = '') {
  const folder = join(modules, 'fonts'), script = join(house, 'tools/scripts/subset_fonts.py'), held = join(folder, 'formulas.txt');
  const made = (name) => existsSync(join(folder, name)) && statSync(join(folder, name)).mtimeMs > statSync(script).mtimeMs;
  const make = (...given) => execFileSync('/usr/bin/python3', [script, folder, ...given], { stdio: 'inherit' });
  if (!kFonts.every(made)) make();
  for (const name of kFonts) cpSync(join(folder, name), join(site, 'fonts', name));
  if (!formulas) return;
  if (!made('formulas.woff2') || !existsSync(held) || readFileSync(held, 'utf8') !== formulas) {
    make(formulas);
    writeFileSync(held, formulas);
  }
  cpSync(join(folder, 'formulas.woff2'), join(site, 'fonts', 'formulas.woff2'));
}

/** A language: its files of notes by scene, say(text) for what is not in them, and what explains a scene's symbols. English is the first. */
const english = { notes, say: (text) => text, tables: tablesIn(notes, join(house, 'docs/symbols.md')) };
function translated(name) {
  const folder = join(house, 'docs/languages', name), table = JSON.parse(readFileSync(join(folder, 'words.json'), 'utf8'));
  const own = Object.fromEntries(Object.keys(notes).map((id) => [id, join(folder, 'notes', `${id}.md`)]).filter(([, file]) => existsSync(file)));
  return { folder, table, say: translator(table).say, notes: own, tables: tablesIn(own, join(folder, 'symbols.md')) };
}

/** The parts of notes: a name in bold at the beginning of each. */
function partsOf(text) {
  return text.replace(/^# .*\n/, '').trim().split(/^(?=\*\*)/m).map((part) => ({ name: part.match(/^\*\*(.*?)\.?\*\*/)[1], text: part }));
}
const kName = /^\*\*.*?\*\*:?\s*/;

function words(scene, { notes: own, say, tables } = english) {
  const file = own[scene.id], model = notes[scene.id];
  if (!file) throw new Error(`${scene.id} has no words: every scene has a .md beside it.`);
  const kinds = partsOf(readFileSync(model, 'utf8')).map(({ name }) => name); // parts of another language are those of the English, one by one
  const parts = partsOf(filledNotes(readFileSync(file, 'utf8'), `${scene.id}.md`, report)).map((part, at) => ({ ...part, kind: kinds[at] }));
  if (parts.length !== kinds.length) throw new Error(`${file} has ${parts.length} parts, ${model} ${kinds.length}.`);
  if (kinds[0] !== 'What you see' || kinds[1] !== 'The idea' || !kinds.includes('What is exact') || parts[1].text.match(/[.?!](?=\s|$)/g).length !== 3) throw new Error(`${file} begins with **What you see.** and **The idea.** in three sentences, and has **What is exact.**`);
  const [see, idea] = parts, exact = parts.find(({ kind }) => kind === 'What is exact'), known = tables(scene.id), symbols = new Symbols(file, known[0]);
  const html = (text) => symbols.in(notesHtml(text, { symbols: true }), known), source = parts.filter(({ kind }) => kind === 'Source').map(({ text }) => notesHtml(text)).join('');
  const main = parts.filter((part) => ![see, idea, exact].includes(part) && ![...kFolded, 'Source', 'Symbols'].includes(part.kind)).concat(exact).map(({ text }) => text).join('');
  const figures = withPapers(`<p class="source">${say('Figures and equations:')} ${escape(say(scene.source))}</p>`);
  const text = `${html(see.text)}<p><strong>${say('What to try')}.</strong> ${declaredHtml(say(scene.tryThis))}</p>\n${html(idea.text)}<h2>${say('The mathematics')}</h2>\n${html(main)}`;
  const details = parts.filter(({ kind }) => kFolded.includes(kind)).map((part) => `<details><summary>${part.name}</summary>\n${html(part.text.replace(kName, ''))}</details>\n`);
  return `${text}<details><summary>${say('Symbols')}</summary>\n${symbols.html()}</details>\n${details.join('')}${source}${figures}\n`;
}

/** What explains the symbols of a scene's words, and of the lessons about it: its own table, then the general one. */
function tablesIn(files, everywhere) {
  const general = symbolTable(readFileSync(everywhere, 'utf8').replace(/^# .*\n/, ''), everywhere);
  return (id) => {
    const at = partsOf(readFileSync(notes[id], 'utf8')).findIndex(({ name }) => name === 'Symbols'), part = files[id] && at >= 0 && partsOf(readFileSync(files[id], 'utf8'))[at];
    return [part ? symbolTable(part.text.trim().replace(kName, ''), files[id]) : [], general];
  };
}

/** Parts of the words that few readers want, closed at their end. */
const kFolded = ['Printed differently', 'Misprint', 'Columns of any norm', 'Network files', 'A network of your own', 'Your own files', 'With the network', 'Not in the papers', 'Where the paper is silent', 'What the paper does not say', 'Conventions', 'Settings', "The survey's setting", "The paper's size", 'Rounding'];

function sceneList(scenes) {
  const item = ({ id, title, claim }) => `<li><a href="?scene=${id}" data-scene="${id}">${escape(title)}</a><span>${declaredHtml(claim)}</span></li>`;
  const groups = [...new Set(scenes.map(({ group }) => group))];
  const list = (group) => `<ul>\n${scenes.filter((scene) => scene.group === group).map(item).join('\n')}\n</ul>`;
  return groups.length === 1 ? list(groups[0]) : groups.map((group) => `<h3>${escape(group)}</h3>\n${list(group)}`).join('\n');
}

/** Everything the first picture needs is asked for at once, not one after the other. */
const kPreloads = [
  '<link rel="preload" as="font" type="font/ttf" crossorigin href="fonts/ui.ttf">', '<link rel="preload" as="fetch" crossorigin href="kappaflow-page.wasm">',
  '<link rel="modulepreload" href="kappaflow-page.mjs">',
].join('\n');

/** The same for the modules of the bundle that the address asks for, which only a script can tell. */
function preloadOfBundle() {
  const scenes = Object.keys(bundles), recorded = readdirSync(join(site, 'first')).map((name) => basename(name, '.bin'));
  const keys = "k=[location.search,location.hash].map((t)=>new URLSearchParams(t.slice(1))),w=k[1].get('scene')??k[0].get('scene')";
  return `{const b=${JSON.stringify(bundles)},${keys},n=Object.hasOwn(b,w??'')?b[w]:'${bundles[scenes[0]]}',s=w??(k.some((q)=>q.has('play'))?'${scenes[0]}':'home'),p=(name)=>document.head.append(Object.assign(document.createElement('link'),{rel:'preload',as:'fetch',crossOrigin:'anonymous',href:name}));if(${JSON.stringify(recorded)}.includes(s)&&k.every((q)=>[...q.keys()].every((key)=>${JSON.stringify(kPlain)}.includes(key))))p('first/'+s+'.bin');else{p('kappaflow-core-'+n+'.wasm');p('kappaflow-core-'+n+'.mjs')}p('kappaflow-pictures-'+n+'.wasm')}`;
}

/** What the page counts while it waits for a scene's first picture, in bytes as they are. */
function bytesUntilShown(bundle, results) {
  const names = ['kappaflow-page.wasm', 'worker.js', ...kFonts.map((name) => `fonts/${name}`), ...results, `kappaflow-pictures-${bundle}.wasm`];
  return names.reduce((sum, name) => sum + statSync(join(site, name)).size, 0);
}

/** What both pages say of the scenes, the first of which is there before any script runs. */
function sceneValues(scenes, words) {
  const [first] = scenes, recordedBytes = (name, id = name) => (existsSync(join(site, `first/${name}.bin`)) ? bytesUntilShown(bundles[id], [`first/${name}.bin`]) : 0);
  // "<" must not end the script element that carries the data.
  const data = JSON.stringify(scenes.map(({ id, title, claim, lookAt }) => ({
    id, title, claim, lookAt, bytes: bytesUntilShown(bundles[id], ['wasm', 'mjs'].map((ending) => `kappaflow-core-${bundles[id]}.${ending}`)), firstBytes: recordedBytes(id), ...(id === first.id ? { homeBytes: recordedBytes('home', id) } : {}),
  }))).replaceAll('<', '\\u003c');
  return {
    title: escape(first.title), claim: escape(first.claim), claimHtml: declaredHtml(first.claim), lookAt: declaredHtml(first.lookAt), scene: first.id,
    words, scenes: sceneList(scenes), data, licence: escape(readFileSync(join(house, 'LICENSE'), 'utf8')),
  };
}

/**
 * Where modules may not be fetched but pages may (frames of an opaque origin whose server sends no CORS header, and file://), the
 * page goes on as the single file. An ordinary script, because it has to run just there.
 */
const kGuard = "addEventListener('error',(event)=>{if(event.target.localName==='script'&&origin==='null')location.replace('single.html'+location.search+location.hash)},true)";

/**
 * The page's policy, put into its head before anything is fetched. It names the server instead of 'self', which in WebKit stands for nothing
 * where the page has an opaque origin, as in a sandboxed frame.
 */
function policyScript() {
  const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'self'; connect-src 'self' blob: data:; img-src 'self' blob: data:; font-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'";
  // Lessons, files and a record store that the address names are where it says, and nothing else is elsewhere.
  const named = "const q=new URLSearchParams(location.search),n=['lesson','network','data','endpoint'].map(k=>q.get(k)).filter(u=>/^https?:/.test(u??'')&&URL.canParse(u)).map(u=>new URL(u).origin)";
  return `{${named},o=new URL(location.href).origin,m=document.createElement('meta');m.httpEquiv='Content-Security-Policy';m.content=${JSON.stringify(policy)}.replace('connect-src',['connect-src',...n].join(' ')).replaceAll("'self'",o==='null'?"'self'":o);document.head.append(m)}`;
}

/**
 * An address of a scene or lesson, and a frame, never lay out home: its pictures would be fetched; nor home the words of a scene, with their
 * font. Home's further pictures wait for its figure, or a reader who scrolls, or 4 s. page.mjs decides in the end.
 */
const kPage = "{const r=document.documentElement,f=()=>r.dataset.looked='';if(location.search.replace(/^\\?lang=\\w*$/,'')||location.hash||parent!==window)r.dataset.page='scene';else{r.dataset.page='home';addEventListener('scroll',f,{once:true});setTimeout(f,4e3)}}";

function indexValues(values) {
  const sheets = ['instance.css', 'page.css', 'lesson.css'].map((name) => `<link rel="stylesheet" href="${name}">`);
  return {
    ...values,
    policy: `<script>${policyScript()}${kPage}${kGuard};${preloadOfBundle()}</script>`,
    head: [...sheets, cardOf({ address, path: '', image: `figures/${values.scene}.png`, title: 'A network has a budget. Where does it spend it?', description: 'Capacity, activation regions, trajectories and moments of deep networks, computed live and drawn.' }), kPreloads, '<script type="module" src="boot.mjs"></script>'].join('\n'),
    unreached: `The program is not here yet: the connection is slow, or this sandboxed frame may not load it because the server sends no Access-Control-Allow-Origin. <a href="">Retry</a>, <a href="" target="_blank">open it in a tab of its own</a>, or take <a href="single.html">the program in one file</a>.`,
    poster: '<picture class="home-poster"><source media="(prefers-color-scheme: dark)" srcset="posters/home-dark.svg"><img src="posters/home.svg" alt="" loading="lazy"></picture>',
    prepare: ' · <a id="prepare" href="teach.html?scene=' + values.scene + '">Prepare for class</a>',
    footer: `<p><a href="docs/embedding.html">Put a figure into your own course</a>. <a href="docs/reference.html">All params and numbers</a>. <a href="single.html">The whole program in one file</a>, to keep, to send, to use offline. <a href="LICENSE.txt">MIT licence</a>.</p>`,
    program: '',
  };
}

const kPlanes = ['gaussian']; // of home's first result: planes of numbers for a line that is drawn when the play has ended
const kWorthIt = 60e3; // bytes of a first result as sent, half of what computes it; home's may be larger: everybody waits for it

const template = readFileSync(join(house, 'index.html'), 'utf8');
const page = (values) => template.replace(/\{\{(\w+)\}\}/g, (_, key) => values[key]);

rmSync(site, { recursive: true, force: true });
for (const folder of ['fonts', 'words', 'schemas', 'samples', 'docs', 'lessons', 'posters', 'figures', 'first']) mkdirSync(join(site, folder), { recursive: true });
// The page itself comes as one module; other pages import host.mjs or kappaflow.mjs, and with them the rest.
const kLater = ['./lesson.mjs', './home.mjs', './foreign_lesson.mjs', './film.mjs', './video.mjs', './xapi.mjs', './languages.mjs']; // modules that only some addresses and wishes ask for
const kOfLessons = ['expressions.mjs', 'lesson_state.mjs', 'lesson_text.mjs', 'levers.mjs', 'notes_html.mjs', 'questions.mjs', 'sketch.mjs', 'symbol_names.mjs']; // in those
const kOfTeachers = ['scorm.mjs', 'scorm_boot.mjs', 'scorm_package.mjs', 'scorm.html', 'teach.mjs', 'teach.html']; // written at the end
const kNotOnTheSite = [...kOfTeachers, 'boot.mjs', 'boot_single.mjs', 'packed.mjs', 'page.mjs', 'element.mjs', 'living.mjs', 'widget.mjs', ...kOfLessons];
const copy = (folder, name) => (name.endsWith('.mjs') ? write(name, minified(join(folder, name))) : cpSync(join(folder, name), join(site, name)));
for (const name of readdirSync(join(house, 'web'))) if (!kNotOnTheSite.includes(name)) copy(join(house, 'web'), name);
for (const name of kModules) copy(modules, name);
for (const name of ['boot.mjs', 'element.mjs', ...kLater]) write(name, bundled(join(house, 'web', name), kLater));
// Sample networks as they are, and as the bundles' modules take them, which have no readers.
const files = await opened(modules, 'kappaflow-core-files');
for (const name of readdirSync(join(house, 'src/samples')).filter((file) => file.endsWith('.onnx'))) {
  cpSync(join(house, 'src/samples', name), join(site, 'samples', name));
  write(`samples/${basename(name, '.onnx')}.network`, files.makeFile(`networks/0/${name}`, readFileSync(join(house, 'src/samples', name))));
}
cpSync(join(house, 'tools/courses'), join(site, 'courses'), { recursive: true });
cpSync(join(house, 'LICENSE'), join(site, 'LICENSE.txt'));
for (const name of kDocs) write(`docs/${name}.html`, docsHtml(readFileSync(join(house, 'docs', `${name}.md`), 'utf8')));

// Numbers that words quote are computed beside the pictures, unless the native program has left them for the tests.
const requestsOf = ({ source }) => {
  try {
    return parsedSource(source).requests;
  } catch {
    return []; // `words` says where it stands
  }
};
const asked = Object.values(notes).flatMap((file) => templatesIn(readFileSync(file, 'utf8'))).flatMap(requestsOf);
const left = process.env.KAPPAFLOW_REPORTS ? join(process.env.KAPPAFLOW_REPORTS, 'quoted.json') : '';
const quoted = existsSync(left) ? new Map(JSON.parse(readFileSync(left, 'utf8'))) : computedAhead(modules, [...new Map(asked.map((request) => [keyOf(request), request])).values()]);
const core = await opened(modules, 'kappaflow-core');
const scenes = core.listScenes().map(({ id }) => core.describeScene(id));
for (const [name, bytes] of Object.entries(splitPictures(modules, bundles, scenes))) write(`${name}.wasm`, bytes);
for (const scene of scenes) write(`schemas/${scene.id}.json`, JSON.stringify(scene, null, 2));
makeFonts();
const { draw, first } = await painter(site, bundles);
const raster = await rasteriser(site);
/** A picture for an <img>: nobody reads what it says of itself, or sees a fill of less than three hundredths. */
const poster = async (id, options) => (await draw(posterLink(id), options))
  .replace(/<metadata>[^]*?<\/metadata>\n|<desc>[^]*?<\/desc>\n| data-mark="[^"]*"|<path [^>]*fill-opacity="0\.0[0-2]\d*"[^>]*\/>\n?/g, '');
for (const scene of scenes) { // all of one computation
  for (const [name, link] of [[scene.id, `?scene=${scene.id}`], ...(scene === scenes[0] ? [['home', '']] : [])]) {
    const result = await first(link, name === 'home' ? kPlanes : []);
    if (name === 'home' || brotliCompressSync(result, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length <= kWorthIt) write(`first/${name}.bin`, result);
  }
  if (scene === scenes[0]) for (const dark of [false, true]) write(`posters/home${dark ? '-dark' : ''}.svg`, await poster(scene.id, { width: 1280, height: 570, dark }));
  write(`posters/${scene.id}.svg`, await poster(scene.id, { width: 480, height: 300 }));
  write(`figures/${scene.id}.png`, raster(await draw(posterLink(scene.id), kCard)));
  write(`figures/${scene.id}.html`, figurePage(scene, address));
  if (address) write(`figures/${scene.id}.json`, JSON.stringify(oembedOf(scene, address)));
}
const report = reportsOf(core, await quoted);
for (const scene of scenes) write(`words/${scene.id}.html`, words(scene));
write('docs/reference.html', referencePage(scenes));
const { lessons, steps, glossary } = readLessons(report, english.tables);
for (const { id } of scenes) if (!steps.some(({ scene }) => scene === id)) throw new Error(`${id} has no steps: every scene has docs/steps/${id}.md.`);
for (const lesson of [...lessons, ...steps]) write(`lessons/${lesson.id}.json`, JSON.stringify({ ...lesson, next: waysOn(lesson, scenes, lessons) }));
write('lessons/glossary.json', JSON.stringify(glossary));
for (const name of kSettings.lang.slice(1)) {
  const language = translated(name), { say, folder, table } = language, anew = readLessons(report, language.tables, folder), titled = scenes.map((scene) => ({ ...scene, title: say(scene.title) }));
  for (const inner of ['', '/words', '/lessons']) mkdirSync(join(site, 'languages', name + inner), { recursive: true });
  write(`languages/${name}.json`, JSON.stringify(table));
  for (const scene of scenes)
    if (language.notes[scene.id]) write(`languages/${name}/words/${scene.id}.html`, words(scene, language));
    else console.log(`docs/languages/${name}/notes/${scene.id}.md is missing; its words stay English.`);
  for (const lesson of [...anew.lessons, ...anew.steps]) write(`languages/${name}/lessons/${lesson.id}.json`, JSON.stringify({ ...lesson, next: waysOn(lesson, titled, anew.lessons) }));
  write(`languages/${name}/lessons/glossary.json`, JSON.stringify(anew.glossary));
  write(`languages/${name}/search.json`, JSON.stringify(searchIndex(scenes, anew.lessons, anew.steps, say)));
  const inFolder = ['words', 'lessons'].flatMap((inner) => readdirSync(join(site, 'languages', name, inner)).map((file) => `languages/${name}/${inner}/${file}`));
  write(`languages/${name}/packed.txt`, packedTexts(site, [`languages/${name}.json`, `languages/${name}/search.json`, ...inFolder])); // for single.html
}
write('search.json', JSON.stringify(searchIndex(scenes, lessons, steps)));
makeFonts(formulaCharacters([...readdirSync(join(site, 'words')).map((name) => `words/${name}`), ...readdirSync(join(site, 'lessons')).map((name) => `lessons/${name}`)].map((name) => readFileSync(join(site, name), 'utf8')).join('')));
const values = { ...sceneValues(scenes, readFileSync(join(site, `words/${scenes[0].id}.html`), 'utf8')), ...homeValues(scenes, lessons) };
write('index.html', page(indexValues(values)));
write('single.html', page(singleValues({ house, site, values })));
const listed = { scenes: scenes.map(({ id, title, params }) => ({ id, title, params: params.filter(({ group }) => group !== 'hidden').map(({ key, label }) => [key, label]), keys: params.map(({ key }) => key) })), lessons: lessons.map(({ id, title }) => ({ id, title })) };
write('teach.html', readFileSync(join(house, 'web/teach.html'), 'utf8').replace('{{data}}', () => JSON.stringify(listed).replaceAll('<', '\\u003c')));
write('teach.mjs', bundled(join(house, 'web/teach.mjs')));
write('scorm.html', readFileSync(join(house, 'web/scorm.html'), 'utf8').replace('{{program}}', () => bundled(join(house, 'web/scorm_boot.mjs'))));
console.log(`${scenes.length} scenes in ${site}`);
