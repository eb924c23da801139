// Other languages: what stands for an English text, that translated words keep every setting, number and formula, and the page in French.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { kSettings } from '../../web/address.mjs';
import { translator } from '../../web/languages.mjs';
import { bundlesOfScenes, notesOfScenes } from '../../tools/scripts/bundles.mjs';
import { readLessons } from '../../tools/scripts/lessons.mjs';
import { painter } from '../../tools/scripts/posters.mjs';
import { lighter } from './lighter.mjs';
import { act, house, launch, newPage, open, serve, site, small, untilShown } from './support.mjs';

const languages = kSettings.lang.slice(1), folderOf = (name) => join(house, 'docs/languages', name);
const tableOf = (name) => JSON.parse(readFileSync(join(folderOf(name), 'words.json'), 'utf8'));

test('a text is looked up whole, with its numbers, with any words, and in its parts; what is missing stays', () => {
  const missing = [], { say, asIs } = translator({
    layer: 'couche', 'layer #': 'couche #', 'layer # of #': 'de #2 la #1', 'Listen to ~': 'Écouter ~', capacity: 'capacité', 'It spreads.': 'Elle s’étale.', '~ of # units': '~ sur # unités', '# of ~, all of #': '#1 parmi « ~ », tous les #2', ' and ': ' et ', toString: 'x',
  }, (text) => missing.push(text));
  for (const [english, french] of [
    ['layer', 'couche'], [' layer ', ' couche '], ['layer 7', 'couche 7'], ['layer 1.5', 'couche 1.5'], ['layer 3 of 12', 'de 12 la 3'], ['Listen to capacity', 'Écouter capacité'], ['layer 2 of 16 units', 'couche 2 sur 16 unités'], ['16 of layer 16, all of 16', '16 parmi « couche 16 », tous les 16'],
    ['layer 2e-5', 'couche 2e-5'], ['layer 3.1·10⁻⁵', 'couche 3.1·10⁻⁵'], ['layer 3·10^{−5}', 'couche 3·10^{−5}'], ['"layer" of 3 units', '"layer" sur 3 unités'],
    ['layer 2 · capacity', 'couche 2 · capacité'], ['layer 2, capacity', 'couche 2, capacité'], ['layer and capacity', 'couche et capacité'], ['It spreads. Unknown words.', 'Elle s’étale. Unknown words.'],
    ['layer 2, unknown', 'layer 2, unknown'], ['', ''], ['3.14', '3.14'], ['Listen to ui-italic.ttf', 'Écouter ui-italic.ttf'], ['κ^L', 'κ^L'], ['constructor', 'constructor'], ['$& layer', '$& layer'],
  ]) assert.equal(say(english), french);
  assert.deepEqual(missing, ['Unknown words.', 'layer #, unknown', 'constructor', '$& layer']);
  asIs('capacity');
  assert.equal(say('capacity'), 'capacity');
});

test('words that stay are not looked up; a long text that fits a pattern of many words almost is given back', () => {
  const { say } = translator({ layers: 'couches', '@ takes @ or @, not @.': '@ attend @ ou @, et non @.', '~, ~, ~, ~, ~ and ~ spread.': '~, ~, ~, ~, ~ et ~ s’étalent.' });
  assert.equal(say('layers takes dense or layers, not layers.'), 'layers attend dense ou layers, et non layers.');
  assert.equal(say('layers, a, b, c, d and layers spread.'), 'couches, a, b, c, d et couches s’étalent.');
  const long = ', x and x'.repeat(2000); // tried in every way it would take years
  assert.equal(say(long), long);
});

for (const name of languages) {
  test(`${name}: every text of the table has its numbers, its words and its markup`, () => {
    const count = (text, sign) => text.split(sign).length - 1, faults = [];
    for (const [english, text] of Object.entries(tableOf(name))) {
      const numbers = [...text.matchAll(/#(\d)?/g)].map(([, which], at) => Number(which ?? at + 1)).sort((a, b) => a - b);
      if (String(numbers) !== String(Array.from({ length: count(english, '#') }, (_, at) => at + 1))) faults.push(`${english}: its numbers`);
      if (String(english.match(/[~@]/g)) !== String(text.match(/[~@]/g)) || !text.trim()) faults.push(`${english}: its words`);
      if (count(text, '{') !== count(text, '}') || count(text, '*') % 2 !== count(english, '*') % 2) faults.push(`${english}: its markup`);
    }
    const table = tableOf(name), again = Object.entries(table).filter(([english, text]) => text !== english && Object.hasOwn(table, text) && table[text] !== text);
    assert.deepEqual([...faults, ...again.map(([english, text]) => `${english}: its translation ${text} would be translated`)], []);
  });

  test(`${name}: every text that a scene declares is in the table`, () => {
    const missing = new Set(), { say } = translator(tableOf(name), (text) => missing.add(text));
    const kShown = ['title', 'claim', 'tryThis', 'lookAt', 'label', 'help', 'unit', 'about', 'group', 'source'];
    const walk = (value, key) => {
      if (typeof value === 'string') return kShown.includes(key) && say(value);
      for (const [inner, one] of Object.entries(value ?? {})) walk(one, Array.isArray(value) ? key : inner);
    };
    for (const file of readdirSync(join(site, 'schemas'))) {
      const scene = JSON.parse(readFileSync(join(site, 'schemas', file), 'utf8'));
      walk({ ...scene, presets: scene.presets.map(({ name, ...more }) => ({ ...more, title: name })) });
    }
    assert.deepEqual([...missing], []);
  });

  test(`${name}: a refusal of each choice of each scene is in the table, its options as a link has them`, () => {
    const missing = new Set(), { say } = translator(tableOf(name), (text) => missing.add(text));
    for (const file of readdirSync(join(site, 'schemas')))
      for (const { key, options } of JSON.parse(readFileSync(join(site, 'schemas', file), 'utf8')).params.filter(({ kind }) => kind === 'choice')) {
        const keys = options.map((one) => one.key), said = say(`${key} takes ${keys.slice(0, -1).join(', ')} or ${keys.at(-1)}, not "zz".`);
        for (const one of [key, ...keys]) assert.ok(said.includes(one), `${key}: ${said}`);
      }
    assert.deepEqual([...missing], []);
  });

  test(`${name}: every summary, warning and refusal of the recorded runs is in the table`, () => {
    const missing = new Set(), { say } = translator(tableOf(name), (text) => missing.add(text));
    let said = 0;
    for (const file of readdirSync(join(house, 'tests/goldens')))
      for (const [, text] of brotliDecompressSync(readFileSync(join(house, 'tests/goldens', file))).toString().matchAll(/^(?:summary|warning|refused) (".*")$/gm)) said += say(JSON.parse(text)).length > 0;
    assert.ok(said > 900, `${said} sentences`);
    assert.deepEqual([...missing], []);
  });

  test(`${name}: lessons and steps ask and show what the English ones do`, () => {
    const kWords = new Set(['title', 'html', 'intro', 'hint', 'right', 'needs', 'unit', 'names', 'file', 'label', 'symbols', 'text']);
    const bare = (value) => (Array.isArray(value) ? value.map(bare) : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).filter(([key]) => !kWords.has(key)).map(([key, inner]) => [key, bare(inner)])) : value);
    const mine = readLessons(undefined, undefined, folderOf(name)), english = readLessons();
    for (const kind of ['lessons', 'steps']) {
      assert.deepEqual(mine[kind].map(({ id }) => id), english[kind].map(({ id }) => id));
      mine[kind].forEach((lesson, at) => assert.deepEqual(bare(lesson), bare(english[kind][at]), `${kind} ${lesson.id}`));
    }
    assert.deepEqual(Object.keys(mine.glossary), Object.keys(english.glossary));
  });

  test(`${name}: notes, lessons and steps quote the same numbers, formulas and links`, () => {
    const notes = Object.entries(notesOfScenes()).map(([id, file]) => [file, join(folderOf(name), 'notes', `${id}.md`)]);
    const others = ['lessons', 'steps'].flatMap((kind) => readdirSync(join(house, 'docs', kind)).map((file) => [join(house, 'docs', kind, file), join(folderOf(name), kind, file)]));
    const fixed = (file) => [...readFileSync(file, 'utf8').replace(/\\text\{[^}]*\}/g, '').matchAll(/\[\[.*?\]\]|\$\$[^$]*\$\$|\$[^$\n]*\$|\]\([^)]*\)/g)].map(([text]) => text.replace(/[.,;]?\s*\$\$$/, '$$')).sort();
    for (const [english, mine] of [...notes, ...others]) {
      assert.ok(existsSync(mine), `${mine} is missing`);
      assert.deepEqual(fixed(mine), fixed(english), mine);
    }
  });
}

const browser = await launch(), server = await serve();
const missing = (page) => page.evaluate(() => [...globalThis[Symbol.for('kappaflow language')].missing]);

test('in French every text of a picture is French', async () => {
  const missing = new Set(), { say } = translator(tableOf('fr'), (text) => missing.add(text)), { draw } = await painter(site, bundlesOfScenes(), say);
  for (const scene of Object.keys(bundlesOfScenes())) {
    assert.match(await draw(`?scene=${scene}&play=false${lighter(scene).map(([key, value]) => `&${key}=${value}`).join('')}`, { width: 1200, height: 800 }), /<text/);
    assert.deepEqual([...missing], [], scene);
  }
});

test('in French every text of a scene\'s page at rest is French, in the picture too', async () => {
  const page = await open(browser, `${server.url}?scene=network-lens&play=false&lang=fr`);
  await page.waitForFunction(() => document.querySelector('#summary').textContent);
  assert.deepEqual(await missing(page), []);
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'fr');
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('home, a lesson and its glossary are French; links keep the language and one leads back', async () => {
  const page = await newPage(browser, small);
  await page.goto(`${server.url}?lang=fr`);
  await untilShown(page);
  assert.match(await page.textContent('h1'), /dépense/);
  assert.deepEqual(await missing(page), []);
  await page.click('a.start');
  await page.waitForFunction(() => window.lesson && document.querySelector('.term'));
  assert.match(page.url(), /lang=fr/);
  assert.match(await page.textContent('main'), /capacité/);
  await page.click('.term');
  assert.match(await page.textContent('.definition'), /[éèàê]/);
  assert.deepEqual((await missing(page)).filter((text) => /\b(the|of|and|answer|figure)\b/.test(text)), []); // words of the lesson itself are French already
  assert.deepEqual(page.troubles, []);
  await page.goto(`${server.url}?scene=decoupling&activation=relu&lang=fr`);
  await untilShown(page);
  await page.click('footer a.language');
  await page.waitForURL((url) => !url.search.includes('lang') && url.search.includes('activation=relu'));
  await untilShown(page);
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'en');
  await page.finish();
});

test('the search of home finds French words and English ones', async () => {
  const page = await newPage(browser, small), found = async (query, wanted) => {
    await page.fill('#search', query);
    await page.locator(`#found ${wanted}`).first().waitFor();
  };
  await page.goto(`${server.url}?lang=fr`);
  await untilShown(page);
  await found('réseaux résiduels', 'a[href="?scene=shattering"]');
  await found('qwertz', 'li:has-text("Rien ici ne dit “qwertz”.")');
  await found('residual networks', 'a[href="?scene=shattering"]');
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('prepare for class is French, and so is the file that it saves', async () => {
  const page = await newPage(browser, { alone: true, viewport: { width: 1280, height: 900 } });
  await page.goto(`${server.url}teach.html?v=1&scene=shattering&layers=30&lang=fr`);
  await page.waitForFunction(() => document.querySelectorAll('textarea').length === 6);
  await page.waitForFunction(() => document.querySelector('#preview').src.includes('lang=fr'));
  assert.match(await page.title(), /cours/);
  assert.deepEqual((await missing(page)).filter((text) => text.includes(' ')), []); // keys of params stay as they are
  assert.ok(await page.evaluate(() => [...document.querySelectorAll('textarea')].every(({ value }) => /lang[=:]\W*fr/.test(value))));
  assert.match(await page.getAttribute('a.language', 'href'), /^teach\.html\?(?!.*lang).*layers=30/); // the way back to English keeps what is chosen
  const titleIs = (words) => page.waitForFunction((wanted) => [...document.querySelectorAll('textarea')][1]?.value.includes(`title="${wanted}`), words);
  await titleIs('Pourquoi');
  await page.selectOption('select[name=lang]', 'auto');
  await titleIs('Why');
  await page.selectOption('select[name=lang]', 'fr');
  await titleIs('Pourquoi');
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('.files button')]), single = readFileSync(await download.path(), 'utf8');
  const own = await serve({ '/': single });
  await page.goto(own.url);
  await untilShown(page);
  await page.waitForFunction(() => /[éè]/.test(document.querySelector('#summary').textContent));
  assert.deepEqual(await missing(page), []);
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'fr');
  await page.finish();
});

test('a control and the summary follow in French; a language that is not there is said', async () => {
  const page = await open(browser, `${server.url}?scene=capacity-diffusion&layers=12&play=false&lang=fr`, small);
  const summary = () => page.textContent('#summary');
  await page.waitForFunction(() => document.querySelector('#summary').textContent);
  const before = await summary();
  await act(page, (inner) => inner.setParam('layers', '36'));
  await page.waitForFunction((old) => document.querySelector('#summary').textContent !== old, before);
  assert.deepEqual(await missing(page), []);
  assert.match(await page.evaluate(async () => {
    let copied;
    window.kappaflow.outlet.files.copy = (text) => (copied = text);
    await window.kappaflow.outlet.copyEmbedCode();
    return copied;
  }), /lang=fr/);
  await page.goto(`${server.url}?scene=capacity-diffusion&lang=tlh`);
  await untilShown(page);
  await page.waitForFunction(() => document.body.textContent.includes('lang=tlh is none of en, fr; en was taken.'));
  await page.finish();
});

test('words that cannot be loaded leave the texts English, and a sentence says so', async () => {
  const page = await newPage(browser, { ...small, alone: true });
  await page.route(/languages\/fr\.json/, (route) => route.abort());
  await page.goto(`${server.url}?scene=decoupling&lang=fr`);
  await untilShown(page);
  await page.waitForFunction(() => document.body.textContent.includes('The words for lang=fr could not be loaded; the texts stay English.'));
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'en');
  await page.finish();
});

test('a figure on somebody’s page speaks the language that its element names, and leaves the rest of the page alone', async () => {
  const page = await newPage(browser, { ...small, alone: true });
  await page.route('**/own.html', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>o</title><p>layers</p><kappaflow-figure scene="decoupling" ui="lesson" lang="fr"></kappaflow-figure><script type="module" src="element.mjs"></script>' }));
  await page.route('**/other.html', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>o</title><kappaflow-figure scene="decoupling" ui="lesson" lang="de-AT"></kappaflow-figure><script type="module" src="element.mjs"></script>' }));
  await page.goto(`${server.url}other.html`); // a language that is none of these
  await page.waitForFunction(() => /^Controls:/.test(document.querySelector('kappaflow-figure')?.shadowRoot?.querySelector('legend')?.textContent ?? ''));
  await page.goto(`${server.url}own.html`);
  await page.waitForFunction(() => /[éè]/.test(document.querySelector('kappaflow-figure')?.shadowRoot?.querySelector('legend')?.textContent ?? ''));
  assert.equal(await page.textContent('p'), 'layers');
  assert.deepEqual(page.troubles, []);
  await page.finish();
});
