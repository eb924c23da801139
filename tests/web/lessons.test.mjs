// Home and lessons: questions are answered by keyboard, graded by the figure, in every kind of page.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { stepsIn } from '../../web/address.mjs';
import { ranked } from '../../web/home.mjs';
import { readLesson } from '../../web/lesson_text.mjs';
import { evaluate } from '../../web/expressions.mjs';
import { bySeed, chosen, grade } from '../../web/lesson_state.mjs';
import { house, launch, newPage, serve, site, untilShown, violations } from './support.mjs';

const own = `# A lesson of somebody

minutes: 3
let layers: 12 | 24

## A bell

figure: capacity-diffusion layers=6 play=false
focus: 0
controls: layers

It is [[spread]] wide. <img src=x onerror="window.bad = 1"> [link](javascript:alert(1))

::: goal
Make it wider.
reach: spread >= 3
solution: layers=24
:::
`;
const browser = await launch();
const server = await serve();
const small = { viewport: { width: 720, height: 640 } };
const graded = (page, state) => page.waitForFunction((wanted) => document.querySelector('.question')?.dataset.state === wanted, state);

test('a lesson is read with its line numbers, and refuses what it does not know', () => {
  const lesson = readLesson(own, 'own.md'), [step] = lesson.steps;
  assert.equal(lesson.title, 'A lesson of somebody');
  assert.deepEqual(step.figure, { scene: 'capacity-diffusion', params: { layers: '6', play: 'false' } });
  assert.deepEqual(step.blocks.map(({ kind }) => kind), [undefined, 'goal']);
  assert.ok(!/<img|javascript:alert\(1\)"/.test(step.blocks[0].html), step.blocks[0].html);
  assert.throws(() => readLesson(own.replace('solution: layers=24\n', ''), 'own.md'), /^Error: own\.md:14: a goal needs "solution: …"$/);
  assert.throws(() => readLesson(own.replace('reach:', 'goal:'), 'own.md'), /^Error: own\.md:14: a goal takes reach, solution, hint, show, right, not goal$/);
  assert.throws(() => readLesson('# No steps', 'own.md'), /^Error: own\.md:1: a lesson has at least one step/);
  assert.throws(() => readLesson(own.replace('figure: capacity-diffusion layers=6', 'figure: layers=6'), 'own.md'), /names no scene/);
});

test('neighbours get other numbers, a reader the same ones again', () => {
  const lesson = { ...readLesson(own.replace('Make it', 'In {layers} layers, make it'), 'own.md') };
  const words = (seed) => chosen(lesson, bySeed(seed)).steps[0].blocks[1].html;
  assert.equal(words(7), words(7));
  assert.equal(new Set(Array.from({ length: 20 }, (_, seed) => words(seed))).size, 2);
});

test('expressions sum, compare and find the largest; drawings are graded by their distance', () => {
  const report = { scene: 's', params: { layers: 4 }, scalars: { spread: { value: 2 } }, arrays: { c: { axes: [{ name: 'x', values: [0, 1, 2, 3] }], values: [0, 3, 1, 0] } } };
  for (const [text, value] of [['sum c', 4], ['argmax c', 1], ['1 + 2 * 3', 7], ['mean c(x=1..2) - 1', 1], ['spread >= 2 and param.layers = 4', 1], ['-( 1 - 3 ) / 4', 0.5], ['ratio max c spread', 1.5]]) assert.equal(evaluate(text, [report]), value, text);
  for (const text of ['c', 'sum d', 'c(x=9)', '1 +', '( 1', 'spread 2', 'param.none']) assert.throws(() => evaluate(text, [report]), text);
  const question = { kind: 'draw', curve: 'c', x: [0, 3], y: [0, 4], tolerance: { most: 0.1 } };
  const exact = grade(question, report, [0, 3, 1, 0].map((y, x) => ({ x, y }))), flat = grade(question, report, [{ x: 0, y: 1 }, { x: 3, y: 1 }]);
  assert.deepEqual([exact.right, exact.share, flat.right, flat.share], [true, 0, false, 0.25]); // |1|, |2|, |0|, |1| of 4 on average
});

test('by keyboard alone: a wrong answer gets its hint, a right one is told what the program computes', async () => {
  const page = await newPage(browser, { ...small, alone: true });
  await page.goto(`${server.url}?lesson=capacity-flow#step=2&seed=3`);
  await untilShown(page);
  await page.waitForFunction(() => document.querySelector('.question input'));
  await page.focus('.question input');
  await page.keyboard.type('0.5');
  await page.keyboard.press('Enter');
  await graded(page, 'wrong');
  assert.match(await page.textContent('.feedback'), /Not yet.*1\/9/);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('1/3');
  await page.keyboard.press('Enter');
  await graded(page, 'right');
  assert.match(await page.textContent('.feedback'), /Right\. The program computes 0\.333\./);
  await page.focus('h2');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => /Nothing is lost/.test(document.querySelector('h2').textContent) && location.hash.includes('step=3'));
  await page.waitForFunction(() => document.querySelector('.value')?.textContent === '1');
  assert.deepEqual(page.troubles, []);
  assert.deepEqual((await violations(page)).map(({ id, nodes }) => [id, nodes[0].html]), []);
  await page.finish();
});

test('a lesson of somebody else is read from its address, sanitised, and reached with its control', async () => {
  const pages = await serve({ '/own.md': own }), page = await newPage(browser, { ...small, alone: true });
  await page.goto(`${pages.url}?lesson=${encodeURIComponent(`${pages.url}own.md`)}`);
  await untilShown(page);
  await page.waitForSelector('.lever input');
  await page.focus('.lever input');
  for (let layers = 7; layers < 70 && (await page.getAttribute('.question', 'data-state')) !== 'right'; ++layers) {
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((text) => document.querySelector('.lever output').textContent === text, String(layers)); // every press is one more layer
  }
  await graded(page, 'right');
  assert.equal(await page.evaluate(() => window.bad), undefined);
  await page.goto(`${server.url}?lesson=${encodeURIComponent(`${pages.url}own.md`)}`); // from another server
  await page.waitForFunction((title) => document.title === title, await own.match(/^# (.*)$/m)[1] + ' — Kappaflow');
  await page.goto(`${pages.url}?lesson=${encodeURIComponent(`${pages.url}none.md`)}`);
  await page.waitForSelector('[role="alert"]');
  assert.match(await page.textContent('[role="alert"]:not(.kf-cause)'), /none\.md could not be fetched: the server answered 404\./);
  await page.finish();
});

test('the page in one file has the lessons, and home is clean for assistive technology', async () => {
  const page = await newPage(browser, { ...small, alone: true });
  await page.goto(`${pathToFileURL(join(site, 'single.html')).href}?lesson=residual`);
  await untilShown(page);
  assert.match(await page.textContent('h1'), /Why residual networks/);
  assert.deepEqual(page.troubles, []);
  await page.goto(pathToFileURL(join(site, 'single.html')).href);
  await untilShown(page);
  assert.deepEqual(await page.$$eval('a', (anchors) => anchors.filter((anchor) => anchor.checkVisibility() && !/^(\?|#|https:)/.test(anchor.getAttribute('href'))).map((anchor) => anchor.outerHTML)), [], 'no link leads to another file');
  await page.goto(server.url);
  await untilShown(page);
  const led = new Set(await page.$$eval('.chapter a', (anchors) => anchors.filter((anchor) => anchor.checkVisibility()).map((anchor) => new URL(anchor.href).searchParams.get('scene'))));
  assert.deepEqual(readdirSync(join(site, 'schemas')).map((name) => name.replace('.json', '')).filter((scene) => !led.has(scene)), [], 'every scene has a link in sight');
  assert.match(await page.textContent('h1'), /A network has a budget/);
  await page.fill('#search', 'receptive field');
  await page.waitForSelector('#found a');
  assert.deepEqual((await violations(page)).map(({ id, nodes }) => [id, nodes[0].html]), []);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('a thumbnail moves while the pointer or the focus is on it, and its poster is there again after', async () => {
  const page = await newPage(browser, { ...small, alone: true });
  await page.goto(server.url);
  await untilShown(page);
  const card = page.locator('.card[data-scene="shattering"]'), runs = () => page.waitForFunction(() => document.querySelector('.card kappaflow-figure')?.shadowRoot.querySelector('.kf-cover')?.hidden);
  await card.locator('img').hover();
  await runs();
  await page.mouse.move(2, 2);
  await page.waitForFunction(() => !document.querySelector('kappaflow-figure'));
  await card.locator('a').first().focus();
  await runs();
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('kappaflow-figure')].map((figure) => [figure.scene, figure.inert])), [['shattering', true]]);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('on a phone the thumbnail in the middle of the screen moves, one at a time', async () => {
  const page = await newPage(browser, { alone: true, viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true });
  await page.goto(server.url);
  await untilShown(page);
  for (const scene of ['shattering', 'decoupling']) {
    await page.locator(`.card[data-scene="${scene}"] > a`).evaluate((card) => card.scrollIntoView({ block: 'center' }));
    await page.waitForFunction((id) => document.querySelector(`.card[data-scene="${id}"] kappaflow-figure`)?.shadowRoot.querySelector('.kf-cover')?.hidden, scene);
    assert.equal(await page.locator('kappaflow-figure').count(), 1);
  }
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

/** Every kind of page that may show steps: its address, and where in it. */
const course = await serve({ '/course': `<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><iframe title="steps" sandbox="allow-scripts" width="700" height="900" src="${server.url}?scene=shattering&ui=lesson"></iframe>` });
for (const [where, address, prepare] of [
  ['on a phone', `${server.url}?scene=shattering&ui=lesson`],
  ['in a sandboxed frame', `${course.url}course`],
  ['in one file', `${pathToFileURL(join(site, 'single.html')).href}?scene=shattering&ui=lesson`],
  ['without WebGL', `${server.url}?scene=shattering&ui=lesson`, () => {
    const { getContext } = OffscreenCanvas.prototype;
    for (const kind of [HTMLCanvasElement, OffscreenCanvas]) kind.prototype.getContext = function (type, ...more) { return type.startsWith('webgl') ? null : getContext.call(this, type, ...more); };
  }],
])
  test(`steps ${where}: few words beside their figure, by keyboard to the end and on to all controls`, async () => {
    const page = await newPage(browser, { viewport: { width: 390, height: 844 }, alone: true });
    if (prepare) await page.addInitScript(prepare);
    await page.goto(address);
    const frame = where.includes('frame') ? await (await page.waitForSelector('iframe')).contentFrame() : page;
    await frame.waitForFunction(() => window.kappaflow?.page?.counters().results > 0);
    const steps = await frame.evaluate(() => window.lesson.lesson.steps.length), picture = prepare ? '.still[src^="blob:"]' : '.kf-stage canvas';
    for (let step = 1; step < steps; ++step) {
      await frame.focus('h2');
      await frame.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      await frame.press('h2', 'ArrowRight');
      await frame.waitForFunction((now) => document.querySelectorAll('.dots button')[now].getAttribute('aria-current') === 'step' && window.kappaflow.page.describe().status === 'ok' && ![...document.querySelectorAll('.value')].some(({ textContent }) => textContent === '…'), step);
      await frame.waitForSelector(picture);
      assert.ok(await frame.evaluate((selector) => ((top) => top > -1 && top < innerHeight / 2)(document.querySelector(selector).getBoundingClientRect().top), picture), 'the figure of the next step is in sight');
    }
    assert.deepEqual(await frame.evaluate(() => [document.documentElement.scrollWidth <= innerWidth, document.querySelectorAll('.lesson-end a').length > 0]), [true, true]);
    if (!where.includes('frame')) assert.deepEqual((await violations(page)).map(({ id, nodes }) => [id, nodes[0].html]), []);
    await frame.focus('.dots .all');
    await Promise.all([frame.waitForFunction(() => document.documentElement.dataset.page === 'scene' && window.kappaflow?.page?.counters().results > 0), frame.press('.dots .all', 'Enter')]);
    assert.equal(await frame.evaluate(() => window.kappaflow.page.describe().scene), 'shattering');
    assert.deepEqual(page.troubles.filter((text) => !/WebGL|GPU/i.test(text)), []);
    await page.finish();
  });

test('ui=lesson shows steps where the address sets nothing of the scene, and an author’s own state where it does', () => {
  for (const [search, hash, steps] of [['?scene=wavenet&ui=lesson', '', 'wavenet'], ['?ui=lesson&theme=dark&scene=wavenet', '#step=2', 'wavenet'], ['?scene=wavenet&ui=lesson&layers=3', '', ''], ['?scene=wavenet&ui=lesson&lock=layers', '', ''], ['?scene=wavenet&ui=lesson', '#v=1&scene=wavenet&layers=3', ''], ['?scene=wavenet', '', ''], ['?ui=lesson', '', '']])
    assert.equal(stepsIn(search, hash), steps, search + hash);
});

test('a search finds symbols, equations and words, best titles first', () => {
  const entries = JSON.parse(readFileSync(join(site, 'search.json'), 'utf8'));
  for (const query of ['χ', 'Eq 25', 'receptive field', 'folding', 'batch norm', 'residual layers spread less']) assert.ok(ranked(entries, query).length, query);
  assert.match(ranked(entries, 'folding space')[0].title, /Folding space/);
  assert.deepEqual(ranked(entries, 'xyzzy'), []);
  assert.equal(readdirSync(join(house, 'docs/lessons')).filter((name) => /^\d/.test(name)).length, 9);
});

test('words have the colour of the marks they name, light them, and are lit by them', async () => {
  const page = await newPage(browser, { viewport: { width: 1280, height: 800 }, alone: true });
  await page.goto(`${server.url}?scene=shattering&ui=lesson#step=2`);
  await untilShown(page);
  const colors = () => page.evaluate(() => [...document.querySelectorAll('.mark')].map((mark) => [mark.dataset.mark, mark.style.getPropertyValue('--mark')]));
  await page.waitForFunction(() => document.querySelectorAll('.mark').length && [...document.querySelectorAll('.mark')].every((mark) => mark.style.getPropertyValue('--mark').startsWith('#')));
  assert.deepEqual((await colors()).map(([id]) => id), ['strands/uniform/path', 'weight/uniform']);
  await page.hover('.mark[data-mark="weight/uniform"]');
  assert.equal(await page.evaluate(() => window.kappaflow.options.lit), 'weight/uniform');
  await page.hover('h2');
  assert.equal(await page.evaluate(() => window.kappaflow.options.lit), '');
  const { x, y, width, height } = await page.locator('.kf-stage canvas').boundingBox();
  for (let step = 1; step < 60 && !(await page.evaluate(() => document.querySelector('.mark.lit'))); ++step) await page.mouse.move(x + 0.2 * width + step * 4, y + height / 2), await page.waitForTimeout(120);
  assert.equal(await page.evaluate(() => document.querySelector('.mark.lit').dataset.mark), 'strands/uniform/path');
  assert.deepEqual(page.troubles, []);
  await page.finish();
});
