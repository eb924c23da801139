/** Prepare for class: a figure or a lesson set as its students shall find it, and taken along as a link, code, a file or a SCORM package. */
import { zipSync, strToU8 } from 'fflate';
import { kSettings } from './address.mjs';
import { connect } from './client.mjs';
import { language, maker, setChildren, setText } from './dom.mjs';
import { embedCode } from './embed_code.mjs';
import { speakIn, translateUnder, translator } from './languages.mjs';
import { servedSource } from './loader.mjs';
import { scormFiles, withLanguage } from './scorm_package.mjs';

const make = maker(document), find = (id) => document.getElementById(id);
const { scenes, lessons } = JSON.parse(find('data').textContent);
const home = new URL('./', location.href).href;
const kebab = (key) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** What is chosen: `link` is the state that the preview was pulled into. */
const chosen = { what: `scene ${scenes[0].id}`, link: '', ui: 'figure', theme: 'auto', contrast: 'auto', lang: 'auto', title: '', hide: new Set(), lock: new Set() };
const kLooks = ['theme', 'contrast', 'lang'], kLanguages = kSettings.lang.slice(1);
const isLesson = () => chosen.what.startsWith('lesson ');
const id = () => chosen.what.split(' ')[1];
const scene = () => scenes.find((one) => one.id === id());
let inWords = (text) => text; // what stands for it in the language that is chosen
const titleOf = () => chosen.title || inWords((isLesson() ? lessons : scenes).find((one) => one.id === id()).title);
const stateOf = () => chosen.link || `v=1&scene=${id()}`;

/** Of what the students open; with `lang` of this page in that language, with the same chosen. */
function queryOf(lang) {
  const looks = { ...chosen, lang: lang ?? chosen.lang }, theme = kLooks.filter((name) => looks[name] !== 'auto').map((name) => `${name}=${looks[name]}`), { ui } = chosen;
  if (lang && chosen.title) theme.push(`title=${encodeURIComponent(chosen.title)}`);
  if (isLesson()) return `?${[`lesson=${id()}`, ...theme].join('&')}`;
  if (ui === 'steps' && !lang) return `?${[`scene=${id()}`, 'ui=lesson', ...theme].join('&')}`;
  const lists = ['hide', 'lock'].filter((name) => chosen[name].size).map((name) => `${name}=${[...chosen[name]]}`);
  return `?${[stateOf(), `ui=${ui}`, ...theme, ...lists].join('&')}`;
}

// ---- settings ----

const field = (label, control) => make('div', {}, make('label', {}, label, control));
function select(name, options, value = chosen[name]) {
  const control = make('select', { name }, ...options.map(([key, label]) => make('option', { value: key, selected: key === value }, label)));
  control.addEventListener('change', async () => {
    chosen[name] = control.value;
    if (name === 'lang') await learn();
    if (name === 'what') Object.assign(chosen, { link: '', title: '', hide: new Set(), lock: new Set() });
    if (!kLooks.includes(name)) showSettings(), find('form').querySelector(`[name="${name}"]`).focus(); // there are other fields now
    preview();
  });
  return control;
}

function showSettings() {
  const groups = [['Lessons', lessons, 'lesson'], ['Figures', scenes, 'scene']].map(([label, list, kind]) => make('optgroup', { label }, ...list.map((one) => make('option', { value: `${kind} ${one.id}`, selected: chosen.what === `${kind} ${one.id}` }, one.title))));
  const what = select('what', []);
  what.append(...groups);
  const title = make('input', { type: 'text', value: chosen.title, oninput: ({ target }) => ((chosen.title = target.value.trim()), showWays()) });
  const boxes = (key) => ['hide', 'lock'].map((name) => make('td', {}, make('input', { type: 'checkbox', 'aria-label': `${name} ${key}`, checked: chosen[name].has(key), onchange: ({ target }) => (chosen[name][target.checked ? 'add' : 'delete'](key), preview()) })));
  const row = ([key, label]) => make('tr', {}, make('th', { scope: 'row' }, label), ...boxes(key));
  const keys = () => make('fieldset', {}, make('legend', {}, 'Controls'), make('table', {}, make('tr', {}, make('td'), make('td', {}, 'hide'), make('td', {}, 'lock')), ...scene().params.map(row), ...[['examples', 'examples'], ['timeline', 'timeline'], ['handles', 'handles']].map(([key, label]) => make('tr', {}, make('th', { scope: 'row' }, label), boxes(key)[0]))));
  setChildren(find('form'), [
    field('Figure or lesson', what),
    ...(isLesson() ? [] : [field('With', select('ui', [['figure', 'the picture and its timeline'], ['lesson', 'its main controls and words'], ['full', 'everything'], ['steps', 'steps, a question, then all controls']]))]),
    field('Colours', select('theme', [['auto', "as the reader's system"], ['light', 'light'], ['dark', 'dark']])),
    field('Contrast', select('contrast', [['auto', "as the reader's system"], ['usual', 'usual'], ['more', 'more, for a projector: thick lines, large letters']])),
    field('Language', select('lang', [['auto', 'English'], ['fr', 'français']])),
    field('Title, for screen readers and platforms', title),
    ...(isLesson() || chosen.ui === 'steps' ? [] : [keys()]),
    ...(isLesson() || chosen.ui === 'steps' ? [] : [make('div', {}, make('button', { type: 'button', onclick: () => ((chosen.link = ''), preview()) }, 'Back to the first state'))]),
  ]);
}

// ---- as the students will see it ----

let figure = null, shown = 0;
async function preview() {
  const mine = ++shown, frame = find('preview');
  showWays();
  figure?.close();
  figure = null;
  frame.src = `./${queryOf()}`;
  if (isLesson() || chosen.ui === 'steps') return;
  const take = ({ scene: there, link }) => {
    if (mine !== shown || there !== id()) return;
    chosen.link = link;
    showWays();
  };
  const found = await connect(frame, { onEvent: (name, detail) => name === 'change' && take(detail), patience: 0 }).catch(() => null);
  if (mine !== shown) return found?.close();
  figure = found;
}

// ---- what is taken along ----

const said = (sentence) => setText(find('said'), sentence);
function save(bytes, name, type) {
  const url = URL.createObjectURL(new Blob([bytes], { type })), anchor = make('a', { href: url, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

async function fetched(name) {
  const response = await fetch(name).catch(() => null);
  if (!response?.ok) throw new Error(`${name} could not be fetched`);
  return response.text();
}

/** The words of the language that is chosen, for titles. */
async function learn() {
  const { lang } = chosen;
  const say = lang === language.name ? language.say : lang === 'auto' ? (text) => text : translator(JSON.parse(await fetched(`languages/${lang}.json`).catch(() => '{}'))).say;
  if (lang === chosen.lang) inWords = say;
}

/** The whole program in one file, in the language that is chosen. */
async function singleFile() {
  const [single, packed] = await Promise.all([fetched('single.html'), chosen.lang === 'auto' ? '' : fetched(`languages/${chosen.lang}/packed.txt`)]);
  return packed ? withLanguage(single, packed) : single;
}

async function saveSingle() {
  const single = await singleFile();
  save(single.replace('<html lang="en">', () => `<html lang="en" data-query="${escape(queryOf())}">`), `${id()}.html`, 'text/html');
}

async function saveScorm(version) {
  const [launcher, single] = await Promise.all([fetched('scorm.html'), singleFile()]);
  const files = scormFiles({ version, query: queryOf(), title: titleOf(), launcher, single });
  save(zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), { level: 6 }), `${id()}-scorm-${version}.zip`, 'application/zip');
}

/** The state's own keys, and what goes beside them. */
function settings() {
  // Of a foreign link only params of the scene go into code, each on one line.
  const own = [...new URLSearchParams(stateOf())].filter(([key]) => scene().keys.includes(key)).map(([key, value]) => [kebab(key), value.replace(/\s+/g, ' ')]);
  const lists = ['hide', 'lock'].filter((name) => chosen[name].size).map((name) => [name, [...chosen[name]].join()]);
  return [...own, ...(chosen.ui === 'figure' ? [] : [['ui', chosen.ui]]), ...kLooks.filter((name) => chosen[name] !== 'auto').map((name) => [name, chosen[name]]), ...lists, ...(chosen.title ? [['title', chosen.title]] : [])];
}

function ways() {
  const lesson = isLesson() || chosen.ui === 'steps', address = home + queryOf(), title = titleOf();
  const frame = lesson
    ? `<iframe src="${escape(address)}" title="${escape(title)}" sandbox="allow-scripts" allow="clipboard-write; fullscreen" loading="lazy" style="width:100%;height:80vh;min-height:560px;border:0"></iframe>`
    : embedCode({ address: home, link: stateOf(), title, hide: [...chosen.hide].join(), lock: [...chosen.lock].join(), theme: chosen.theme, contrast: chosen.contrast, lang: chosen.lang, ui: chosen.ui });
  const whole = [
    ['Address, to send or to paste where a page embeds by itself', address],
    ['Frame for a page or a learning platform', frame],
  ];
  if (lesson) return whole;
  const quoted = (value) => (/^[\w.,-]+$/.test(value) ? value : `"${value.replaceAll('"', '&quot;')}"`);
  const own = settings(), written = (each) => own.map(([key, value]) => each(key, value)).join('');
  return [
    ...whole,
    ['Element, for a page of your own', `<script type="module" src="${home}element.mjs"></script>\n<kappaflow-figure scene="${id()}"${written((key, value) => ` ${key}="${escape(value)}"`)}></kappaflow-figure>`],
    ['MyST and Jupyter Book', `\`\`\`{kappaflow} ${id()}\n${written((key, value) => `:${key}: ${value}\n`)}\`\`\``],
    ['Sphinx', `.. kappaflow:: ${id()}\n${written((key, value) => `   :${key}: ${value}\n`)}`],
    ['pandoc and Quarto', `::: {.kappaflow scene=${id()}${written((key, value) => ` ${key}=${quoted(value)}`)}}\n:::`],
  ];
}

function showWays() {
  find('form').querySelector('input[type="text"]').placeholder = titleOf();
  document.querySelector('a.language').href = `teach.html${queryOf(language.name === 'en' ? kLanguages[0] : 'auto')}`;
  const texts = ways().map(([label, text]) => {
    const area = make('textarea', { readonly: true, rows: Math.min(6, text.split('\n').length + Math.floor(text.length / 110)), 'aria-label': label, spellcheck: 'false' });
    area.value = text;
    const copy = make('button', { type: 'button', onclick: () => navigator.clipboard.writeText(text).then(() => said(`Copied: ${label}.`), () => (area.select(), said('Press Ctrl or ⌘ and C to copy it.'))) }, 'Copy');
    return make('div', { class: 'ways-text' }, make('p', {}, label, copy), area);
  });
  const file = (label, act) => make('button', { type: 'button', onclick: () => act().then(() => said(`${label}: saved.`), ({ message }) => said(`${label}: ${message}.`)) }, label);
  setChildren(find('ways'), [
    ...texts,
    make('div', { class: 'files' }, file('Save as one file that works offline', saveSingle), file('SCORM 1.2 package', () => saveScorm('1.2')), file('SCORM 2004 package', () => saveScorm('2004'))),
  ]);
}

const asked = new URLSearchParams(location.search), wanted = asked.get('lang');
if (kLanguages.includes(wanted)) {
  chosen.lang = wanted;
  said((await speakIn(wanted, servedSource, home)).join(' '));
  if ((document.documentElement.lang = language.name) !== 'en') translateUnder(document.body), (document.title = language.say(document.title));
}
await learn();
chosen.title = asked.get('title') ?? '';
for (const [name, known] of [['ui', ['figure', 'lesson', 'full', 'steps']], ['theme', ['light', 'dark']], ['contrast', ['more', 'usual']]]) if (known.includes(asked.get(name))) chosen[name] = asked.get(name);
if (lessons.some((one) => one.id === asked.get('lesson'))) chosen.what = `lesson ${asked.get('lesson')}`;
if (scenes.some((one) => one.id === asked.get('scene'))) {
  chosen.what = `scene ${asked.get('scene')}`;
  for (const name of ['hide', 'lock']) chosen[name] = new Set(asked.get(name)?.split(',').filter((key) => [...scene().keys, 'examples', 'timeline', 'handles'].includes(key)));
  for (const name of ['ui', ...kLooks, 'hide', 'lock', 'title']) asked.delete(name);
  chosen.link = String(asked);
}
const other = document.querySelector('a.language'), back = document.querySelector('a[href="./"]');
if (language.name !== 'en') [other.textContent, other.lang, other.hreflang, back.href] = ['English', 'en', 'en', `./?lang=${language.name}`];
showSettings();
preview();
