// Words and equations as they are written at build.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { notesOfScenes } from '../../tools/scripts/bundles.mjs';
import { Symbols, symbolTable } from '../../tools/scripts/symbols.mjs';
import { sentence } from '../../web/markup.mjs';
import { formulaCharacters, notesHtml } from '../../web/notes_html.mjs';
import { entriesFor, symbolsOf } from '../../web/symbol_names.mjs';
import { house, launch, newPage, serve, site, untilShown } from './support.mjs';

test('sentences raise powers and lower the index of a single letter, and leave names of files', () => {
  const html = (text) => sentence((tag, _, inner) => `<${tag}>${inner}</${tag}>`, text).join('');
  assert.equal(html('σ_w² = 2·10^−24, n_S − κ(S), x_1.'), 'σ<sub>w</sub>² = 2·10<sup>−24</sup>, n<sub>S</sub> − κ(S), x<sub>1</sub>.');
  for (const name of ['a_b.onnx', 'x_1.csv', 'shapes_v', 'a_bc', 'net_2_x.npz']) assert.equal(html(`${name} has`), `${name} has`);
});

test('the characters of equations are those between math tags, single letters in italics too', () => {
  assert.equal(formulaCharacters('<p>no x</p><math><mi>h</mi><mo>&lt;</mo><mi>κ</mi><mi>Z</mi></math> y'), ['<', 'Z', 'h', 'κ', 'ℎ', '𝑍', '𝜅'].sort().join(''));
  assert.equal(formulaCharacters('<p>none</p>'), '');
  assert.equal(formulaCharacters(notesHtml('$\\sqrt{2}$')), '2√', 'a root is a sign of the font too');
  assert.match(formulaCharacters(notesHtml('$a \\le \\mathcal{D}$')), /≤.*𝑎.*𝒟|≤.*𝒟.*𝑎/u);
});

test('the font of the equations has every character of every scene, and few others', () => {
  const words = readdirSync(join(site, 'words')).map((name) => readFileSync(join(site, 'words', name), 'utf8')).join('');
  const print = 'import sys; from fontTools.ttLib import TTFont; print(*TTFont(sys.argv[1]).getBestCmap())';
  const held = new Set(execFileSync('/usr/bin/python3', ['-c', print, join(site, 'fonts/formulas.woff2')], { encoding: 'utf8' }).trim().split(' ').map(Number));
  const wanted = [...formulaCharacters(words)].map((letter) => letter.codePointAt(0)).filter((code) => code !== 0x2061); // "function of": draws nothing
  assert.deepEqual(wanted.filter((code) => !held.has(code)).map((code) => String.fromCodePoint(code)), []);
  assert.ok(wanted.length > 50 && held.size <= wanted.length + 5, `${held.size} for ${wanted.length}`);
});

test('the symbols of a formula are its letters with accents and scripts, names and operators need no entry', () => {
  const names = (tex) => symbolsOf(tex).filter(({ optional }) => !optional).map((symbol) => entriesFor(symbol)[0].key);
  assert.deepEqual(names('\\frac{\\sigma_w^2}{\\sqrt k}\\,\\tilde K^T \\mathbb E[x]'), ['\\sigma_w^2', 'k', '\\tilde{K}^T', '\\mathbb{E}', 'x']);
  assert.deepEqual(names('A^* = \\mathrm{orth}(\\bar{m}) \\le \\log\\chi^{(l)}'), ['A^*', '\\bar{m}', '\\chi^(l)']);
  assert.deepEqual(names('ε + 2'), ['\\varepsilon'], 'Greek letters as they are typed');
  assert.deepEqual(names('\\overline{ab}'), ['a', 'b']);
  assert.deepEqual(names('\\mathcal'), [], 'what ends too early is KaTeX\'s to refuse');
});

test('a formula has the entries of its symbols, the most particular ones; a symbol without any, or a bad table, is refused in a sentence', () => {
  const own = symbolTable('$n$ inputs; $n_l$, $m$ taps of layer $l$; $l$ a layer.', 'a.md'), general = symbolTable('$n$ never; $T$ transposed', 'general.md');
  const explained = (tex) => {
    const symbols = new Symbols('a.md');
    const html = symbols.in(notesHtml(`$${tex}$`, { symbols: true }), [own, general]);
    return { numbers: html.match(/data-symbols="([\d ]*)"/)?.[1].split(' ').map((at) => symbols.entries[at].says.replace(/<[^>]*>/g, '')), list: () => symbols.html() };
  };
  assert.deepEqual(explained('n + n_l').numbers, ['inputs', 'taps of layer l']);
  assert.deepEqual(explained('n_{l}^T m').numbers, ['taps of layer l']);
  assert.deepEqual(explained('n_{m}').numbers, ['inputs', 'taps of layer l'], 'where an index is not in the entry it is explained too');
  assert.match(explained('n').list(), /^<dl class="symbols"><div><dt><math>.*<\/dt><dd>inputs<\/dd><\/div><\/dl>$/);
  assert.throws(explained('q + \\hat x').list, { message: 'a.md: \\hat{x}, q are in no table of symbols.' });
  for (const [text, sentence] of [['n inputs', /"n inputs" is not "\$symbol\$ meaning"/], ['$n$', /is not/], ['$a b$ two', /\$a b\$ is not one symbol/], ['$2$ two', /\$2\$ is not one symbol/]]) assert.throws(() => symbolTable(text, 'a.md'), sentence);
});

test('every formula of the words and lessons knows what its symbols mean', () => {
  const files = ['words', 'lessons'].flatMap((folder) => readdirSync(join(site, folder)).map((name) => join(folder, name))).filter((name) => !name.endsWith('glossary.json'));
  let formulas = 0;
  for (const name of files) {
    const text = readFileSync(join(site, name), 'utf8'), html = name.endsWith('.json') ? JSON.stringify(JSON.parse(text)).replaceAll('\\"', '"') : text;
    const entries = (html.match(/<dl class="symbols">.*?<\/dl>/s)?.[0].match(/<dt>/g) ?? []).length;
    for (const [, numbers] of html.replace(/<dl class="symbols">.*?<\/dl>/s, '').matchAll(/<math[^>]*?data-symbols="([\d ]+)"/g)) {
      ++formulas;
      for (const number of numbers.split(' ')) assert.ok(Number(number) < entries, `${name}: ${number} of ${entries}`);
    }
    assert.ok(!/data-symbols="[^"\d]/.test(html), name);
  }
  assert.ok(formulas > 800, `${formulas}`);
});

test('every symbol that a picture writes is in the table of its scene, or in the general one', () => {
  const tableIn = (text) => symbolTable(text.replace(/^(# .*\n|\*\*Symbols\.\*\* )/, ''), 'table').flatMap(({ keys }) => keys);
  const bare = (key) => key.replace(/[_^].*/, '').replace(/^\\(mathcal|tilde|hat|bar|underline)\{(.*)\}$/, '$2').replace('\\varphi', '\\phi').replace('\\varepsilon', '\\epsilon');
  const general = tableIn(readFileSync(join(house, 'docs/symbols.md'), 'utf8')), without = [];
  let symbols = 0;
  for (const [id, file] of Object.entries(notesOfScenes())) {
    const known = new Set([...tableIn(readFileSync(file, 'utf8').match(/^\*\*Symbols\.\*\* .*/m)[0]), ...general].map(bare));
    const marks = brotliDecompressSync(readFileSync(join(house, `tests/goldens/${id}.txt.br`))).toString();
    for (const [, run] of marks.matchAll(/\*([^*\n"]{1,4})\*/g))
      for (const { base } of symbolsOf(run.replaceAll('𝒟', 'D'))) ++symbols, known.has(bare(base)) || without.push(`${id} ${base}`);
  }
  assert.deepEqual([...new Set(without)], []);
  assert.ok(symbols > 5000, `${symbols}`);
});

test('a formula says what its symbols mean under the mouse, under a resting finger, by Tab and arrows, and is silent after Escape', async () => {
  const browser = await launch(), server = await serve();
  const page = await newPage(browser, { alone: true, hasTouch: true });
  await page.goto(`${server.url}?scene=shattering`);
  await untilShown(page);
  const said = page.locator('.kf-meanings'), formulas = page.locator('#words math[data-symbols]:visible');
  const formula = formulas.nth(5);
  await formula.scrollIntoViewIfNeeded();
  await formula.hover();
  await said.waitFor();
  const meant = await formula.evaluate((one) => one.getAttribute('data-symbols').split(' ').map((at) => document.querySelectorAll('#words > details dl.symbols > div')[at].textContent).join());
  assert.equal(await said.evaluate((box) => [...box.querySelectorAll('dl > div')].map((row) => row.textContent).join()), meant);
  assert.equal(await formula.getAttribute('aria-describedby'), await said.getAttribute('id'));
  assert.ok(await said.evaluate((box) => { const { left, right, top, bottom } = box.getBoundingClientRect(); return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight; }), 'it is in sight');
  await page.keyboard.press('Escape');
  await said.waitFor({ state: 'detached' });
  await page.mouse.move(5, 5);

  await formulas.first().focus();
  await said.waitFor();
  const first = await said.textContent();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((before) => document.querySelector('.kf-meanings')?.textContent !== before || document.activeElement !== document.querySelector('#words math[data-symbols]'), first);
  assert.equal(await page.evaluate(() => document.activeElement.localName), 'math');
  assert.equal(await page.locator('#words math[tabindex="0"]:not([display="block"])').count(), 1, 'one stop of Tab for all of them');
  await page.keyboard.press('Escape');
  await said.waitFor({ state: 'detached' });

  const touched = formulas.nth(8);
  await touched.scrollIntoViewIfNeeded();
  await touched.dispatchEvent('pointerdown', { pointerType: 'touch', bubbles: true });
  await said.waitFor();
  await page.locator('#words p').first().click({ position: { x: 2, y: 2 } });
  await said.waitFor({ state: 'detached' });
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('in a lesson the arrows go through the formulas while one has the focus, and turn the page elsewhere', async () => {
  const browser = await launch(), server = await serve();
  const page = await newPage(browser, { alone: true });
  await page.goto(`${server.url}?lesson=activations#step=2`);
  await page.waitForFunction(() => window.lesson);
  await page.evaluate(() => { while (!document.querySelector('.lesson-words .say math[data-symbols]')) window.lesson.go(window.lesson.step + 1); });
  const before = await page.evaluate(() => window.lesson.step);
  await page.locator('.lesson-words .say math[data-symbols]').first().focus();
  await page.locator('.kf-meanings').waitFor();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => window.lesson.step), before);
  await page.locator('.lesson-words h2').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((step) => window.lesson.step === step + 1, before);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});
