/** The project's own page: home, a scene with words around it, or a lesson. */
import { fullLink, isLaunch, isPlain, readOptions, stepsIn, withoutForeign } from './address.mjs';
import { language, maker, setText } from './dom.mjs';
import { Heights, contentWish, figureWish } from './heights.mjs';
import { createKappaflow } from './host.mjs';
import { servedSource } from './loader.mjs';
import { declared } from './markup.mjs';
import { Messages } from './messages.mjs';

/**
 * The project's page: the query's options, the address bar, the words, the list of scenes. `unpack(text)`: the source of a page
 * that carries the program's files in itself.
 */
export async function openPage({ unpack } = {}) {
  const find = (id) => document.getElementById(id);
  const source = unpack?.(find('files-data').textContent);
  const inFrame = window.parent !== window;
  const root = document.documentElement;
  // A page inside another one's text (srcdoc) has no query; its author writes <html data-query="?scene=…&ui=figure"> instead.
  const query = () => withoutForeign(location.search || (root.dataset.query ?? ''));
  const options = readOptions(query());
  const scenes = JSON.parse(find('scenes-data').textContent);
  const steps = stepsIn(query(), location.hash);
  if (scenes.some(({ id }) => id === steps)) options.lesson ||= steps;
  root.dataset.page = options.lesson ? 'lesson' : /^(\?lang=\w*)?$/.test(query()) && !location.hash && !inFrame ? 'home' : 'scene';
  if (options.lang !== 'en') {
    const { speakIn, translateUnder } = await import('./languages.mjs');
    options.faults.push(...(await speakIn(options.lang, source ?? servedSource, new URL(source?.base ?? '.', location.href))));
    if ((root.lang = language.name) !== 'en') translateUnder(document.body), keepInLinks(`lang=${language.name}`);
  }
  offerLanguage(root.lang, Boolean(source?.alone));
  const home = root.dataset.page === 'home';
  if (home) options.ui = 'figure';
  const addressOf = () => (/^(https?|file):/.test(location.href) ? location.href.split(/[?#]/, 1)[0] : '');
  takeDroppedLessons((file) => openLessonPage({ find, source, options, inFrame, addressOf, file }));
  if (options.lesson) return openLessonPage({ find, source, options, inFrame, addressOf });
  root.dataset.ui = options.ui;
  if (inFrame) followHeight(find('canvas').parentElement, options.ui);
  const show = (scene) => showScene(find, scenes, scene);
  const named = new URLSearchParams(location.hash.slice(1)).get('scene') ?? options.scene;
  const first = scenes.find(({ id }) => id === named) ?? scenes.find(({ id }) => id === options.scene) ?? scenes[0];
  // The first result that the site may have recorded: home's for the bare address, else that of the scene's defaults.
  const defaults = named === first.id || (!named && /[?&#]play=/.test(query() + location.hash));
  const opening = defaults ? first.id : named ? '' : 'home', recorded = opening === 'home' ? first.homeBytes : opening && first.firstBytes;
  show(first);
  const records = await recordsOf({ source, title: first.title, address: addressOf() + query() });
  let shown = first.id, messages;
  const instance = await createKappaflow({
    canvas: find('canvas'), root: document, cover: find('cover'), controls: find('controls'), live: find('summary'), words: find('words'), numbers: find('numbers'),
    styles: false, source, base: source?.base ?? '.', ...options, title: first.title, lookAt: first.lookAt, bytes: source ? 0 : (isPlain(query() + location.hash) && recorded) || first.bytes, opening: !source && recorded ? opening : '', poster: inFrame && !source ? `posters/${first.id}.svg` : '',
    embedded: inFrame, ownWheel: !inFrame, eager: !inFrame, ownAddress: !inFrame && !home,
    link: () => query() + location.hash,
    authorLink: query,
    fullLink: (link) => fullLink(location, link),
    embedAddress: addressOf,
    onTheme: (theme, contrast) => Object.assign(root.dataset, { theme, contrast }),
    onFailure: (error) => messages?.failed(error),
    onState(description) {
      const { scene, claim } = description;
      messages?.note(description);
      if (!description.busy && !description.message) records?.seen();
      if (!description.busy || description.message) root.dataset.looked = '';
      if (scene !== shown) show(scenes.find(({ id }) => id === (shown = scene)) ?? first);
      find('claim').hidden = claim === ''; // it speaks of the first preset: beside other params the summary below speaks alone
    },
  });
  if (inFrame) messages = new Messages({ instance, view: window });
  // The link takes the state on screen along.
  find('prepare')?.addEventListener('click', ({ currentTarget }) => (currentTarget.href = `teach.html?${instance.page?.link() ?? `scene=${shown}`}${language.name === 'en' ? '' : `&lang=${language.name}`}`));
  followSceneLinks(find('scenes'), instance);
  if (home) (await import('./home.mjs')).openHome({ root: find('home'), make: maker(document), base: source?.base ?? location.href, source: source ?? servedSource, still: matchMedia('(prefers-reduced-motion: reduce)').matches, touch: matchMedia('(hover: none)').matches && !navigator.connection?.saveData });
  window.kappaflow = instance;
  return instance;
}

/** Links within the page take a setting along; by then they are where the reader saw them. */
function keepInLinks(setting) {
  const follow = ({ target }) => {
    const link = target.closest?.('a[href]');
    const ours = link?.host === location.host && (link.pathname === location.pathname || link.pathname.endsWith('/teach.html'));
    if (ours && link.search !== location.search && !link.search.includes(setting)) link.search += `${link.search ? '&' : '?'}${setting}`;
  };
  for (const type of ['click', 'auxclick']) document.addEventListener(type, follow, { capture: true });
}

/** The same page, as it stands, in the other language. */
function offerLanguage(present, alone) {
  for (const link of document.querySelectorAll('a.language')) {
    link.hidden = alone; // the page in one file has one language
    if (present !== 'en') [link.textContent, link.lang, link.hreflang] = ['English', 'en', 'en'];
    link.addEventListener('click', () => {
      const query = new URLSearchParams(location.search);
      if (present === 'en') query.set('lang', 'fr');
      else query.delete('lang');
      link.href = `?${query}${location.hash}`;
    });
  }
}

/** A lesson of somebody's own, dropped anywhere on the page. */
function takeDroppedLessons(open) {
  const isLesson = ({ dataTransfer }) => [...(dataTransfer?.items ?? [])].some(({ kind, type }) => kind === 'file' && (type === 'text/markdown' || type === ''));
  document.addEventListener('dragover', (event) => isLesson(event) && event.preventDefault());
  document.addEventListener('drop', (event) => {
    const file = [...event.dataTransfer.files].find(({ name }) => /\.(md|markdown)$/i.test(name));
    if (!file) return;
    event.preventDefault(), event.stopPropagation();
    window.kappaflow?.destroy();
    open(file);
  }, { capture: true });
}

/** `file`: a lesson that was dropped; without it the one that the query names. The fragment carries the step and the reader's seed. */
async function openLessonPage({ find, source = servedSource, options, inFrame, addressOf, file }) {
  const make = maker(document), main = document.querySelector('main'), root = document.documentElement;
  Object.assign(root.dataset, { page: 'lesson', ui: '' });
  const base = new URL(source.base ?? '.', location.href), home = addressOf();
  const canvas = make('canvas'), stage = make('div', { class: 'kf-stage' }, canvas), live = make('p', { class: 'summary' });
  try {
    const { fetchLesson, Lesson } = await import('./lesson.mjs'), read = async () => {
      if (source.alone) throw new Error('The page in one file shows its own lessons only; the page on a server, made from the same program, reads yours.');
      return (await import('./foreign_lesson.mjs')).readLesson;
    };
    const data = file ? (await read())(await file.text(), file.name) : await fetchLesson({ name: options.lesson, base, source, read, view: window });
    const records = file ? null : await recordsOf({ source, title: data.title, address: `${home}?lesson=${encodeURIComponent(options.lesson)}` });
    const where = new URLSearchParams(location.hash.slice(1) || (await records?.kept()));
    const seed = where.get('seed') ?? String(1 + Math.floor(Math.random() * 9999)), step = Number(where.get('step') ?? 1) - 1;
    document.title = `${language.say(data.title)} — Kappaflow`;
    let messages;
    const lesson = new Lesson({
      make, root: main, stage, base, source, live, view: window, embedded: inFrame,
      create: (given) => createKappaflow({ canvas, root: document, live, styles: false, source, base, theme: options.theme, contrast: options.contrast, embedded: inFrame, eager: true, title: data.title, onTheme: (theme, contrast) => Object.assign(root.dataset, { theme, contrast }), onFailure: (error) => messages?.failed(error), fullLink: (link) => `${home}#${link}`, embedAddress: addressOf, ...given }),
    }, data, {
      seed, step, home, done: where.get('done') ?? '',
      onProgress: (progress) => (writeHash(`step=${progress.step}&seed=${seed}${progress.done && `&done=${progress.done}`}`), messages?.tell('progress', progress), records?.progress(progress)),
      onAnswer: (answer) => (messages?.tell('answer', answer), records?.answer(answer)),
    });
    window.lesson = lesson;
    window.kappaflow = await lesson.begin();
    if (inFrame) followHeight(stage, '');
    if (inFrame) messages = new Messages({ instance: window.kappaflow, view: window });
    window.addEventListener('hashchange', () => lesson.go(Number(new URLSearchParams(location.hash.slice(1)).get('step') ?? 1) - 1));
    return window.kappaflow;
  } catch (error) {
    main.replaceChildren(make('div', { class: 'column' }, make('h1', {}, 'This lesson cannot be shown'), make('p', { role: 'alert' }, error.message), make('p', {}, make('a', { href: home }, 'All lessons and figures'))));
  }
}

/** Where a learning platform launched this page and named a record store: what tells it. Its faults stand above the page's words. */
async function recordsOf({ source, title, address }) {
  if (!isLaunch(location.search)) return null;
  const line = maker(document)('p', { role: 'status', class: 'records', hidden: true });
  document.querySelector('main').before(line);
  const say = (sentence) => ((line.hidden = !sentence), setText(line, sentence));
  try {
    if (source?.alone) throw new Error('The page in one file tells no record store anything; the page on a server does.');
    const { Records } = await import('./xapi.mjs'), records = new Records({ address, title, say });
    window.addEventListener('pagehide', () => records.end());
    window.addEventListener('pageshow', ({ persisted }) => persisted && records.begin()); // back from where the browser kept it
    records.begin();
    return records;
  } catch (error) {
    say(error.message);
    return null;
  }
}

function writeHash(hash) {
  try {
    history.replaceState(null, '', `${location.href.split('#', 1)[0]}#${hash}`);
  } catch {
    // Sandboxed pages: the address lags behind, nothing else does.
  }
}

function showScene(find, scenes, scene) {
  document.title = `${language.say(scene.title)} — Kappaflow`;
  setText(find('title'), scene.title);
  find('claim').replaceChildren(...declared(maker(document), scene.claim));
  find('claim').hidden = false;
  if (find('words').dataset.scene !== scene.id) find('words').textContent = ''; // those of another scene: its own are on their way
  find('steps').href = `?scene=${scene.id}&ui=lesson`;
  for (const anchor of find('scenes').querySelectorAll('a[data-scene]'))
    if (anchor.dataset.scene === scene.id) anchor.setAttribute('aria-current', 'page');
    else anchor.removeAttribute('aria-current');
}

/** In a frame the page tells its host how high it would be; page.css sees to it that the frame's own height does not matter. */
function followHeight(stage, ui) {
  document.documentElement.dataset.embedded = '';
  const content = contentWish(document.body), figure = figureWish(window);
  const isFigure = () => ui === 'figure' && !stage.classList.contains('kf-without-picture');
  const heights = new Heights({ view: window, wanted: () => (isFigure() ? figure() : content()) });
  new ResizeObserver(() => heights.note()).observe(document.body);
  window.addEventListener('resize', () => heights.note());
}

/** Real links, for new tabs and without scripts; a plain click changes the scene in place. */
function followSceneLinks(list, instance) {
  list.addEventListener('click', (event) => {
    const anchor = event.target.closest('a[data-scene]');
    if (!anchor || !instance.page || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    instance.page.setScene(anchor.dataset.scene);
    instance.wake();
    window.scrollTo({ top: 0 });
  });
}
