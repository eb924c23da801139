// What the site is: accessible, private, small, and what it looks like.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import { act, complete, enter, house, launch, newPage, open, serve, settle, shared, site, untilShown, untilStill } from './support.mjs';

const browser = await launch();
const server = await serve();
const scenes = readdirSync(join(site, 'schemas')).map((name) => JSON.parse(readFileSync(join(site, 'schemas', name), 'utf8')));

test('the summary stands in a polite live region and is said at most once a second', async () => {
  const page = await newPage(browser, { clock: true, alone: true, viewport: { width: 640, height: 480 } });
  await page.goto(`${server.url}?play=false`);
  await untilShown(page);
  await untilStill(page);
  await page.clock.pauseAt(100e3); // from here on a second is one of the page's own clock
  await page.evaluate(() => {
    window.said = [];
    new MutationObserver(() => window.said.push(performance.now())).observe(document.getElementById('summary'), { childList: true, characterData: true, subtree: true });
  });
  for (let layers = 30; layers < 66; ++layers) {
    await act(page, (p, count) => p.setParam('layers', count), String(layers));
    await page.clock.runFor(100);
  }
  const isSaid = () => page.evaluate(() => /65 layers/.test(document.getElementById('summary').textContent));
  for (let tries = 0; tries < 100 && !(await isSaid()); ++tries) await page.clock.runFor(100); // its worker keeps the time of the world
  const { times, live, text, summary } = await page.evaluate(() => {
    const region = document.getElementById('summary');
    return { times: window.said, live: region.getAttribute('aria-live'), text: region.textContent, summary: window.kappaflow.page.describe().summary };
  });
  assert.equal(live, 'polite');
  assert.ok(times.length >= 3, `${times.length} times`);
  times.slice(1).forEach((time, index) => assert.ok(time - times[index] >= 1000, `${time - times[index]} ms of its clock apart`));
  assert.equal(text, summary);
  await page.finish();
});

test('the page asks nobody else for anything and stores nothing', async () => {
  const page = await newPage(browser);
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(server.url);
  await untilShown(page);
  await act(page, (p) => p.setScene('shattering'));
  await untilStill(await settle(page).then(() => page));
  const foreign = asked.filter((url) => !url.startsWith(server.url) && !/^(blob|data):/.test(url));
  assert.deepEqual(foreign, []);
  assert.deepEqual(await page.context().cookies(), []);
  const kept = await page.evaluate(async () => [localStorage.length, sessionStorage.length, (await indexedDB.databases()).length, (await caches.keys()).length]);
  assert.deepEqual(kept, [0, 0, 0, 0]);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('only the host touches document, window and location', () => {
  for (const name of readdirSync(join(house, 'web')).filter((file) => /\.m?js$/.test(file) && file !== 'host.mjs')) {
    const code = readFileSync(join(house, 'web', name), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    // Properties (view.location) and names of parameters of the file's own are fine; globals are not.
    const globals = code.match(/(?<![.\w'"`-])(document|window|globalThis|self)\b(?!\s*:)/g) ?? [];
    assert.deepEqual(globals.filter((word) => name !== 'kappaflow.mjs' || word !== 'globalThis'), [], name);
  }
});

test('hand-written files of the page stay under 300 lines', () => {
  for (const name of readdirSync(join(house, 'web'))) assert.ok(readFileSync(join(house, 'web', name), 'utf8').split('\n').length <= 301, name);
});

const folder = join(house, 'build/screenshots');
mkdirSync(folder, { recursive: true });

/** A third of the way along the timeline, where there is one. A preset may have nothing to play: where a measurement would diverge, none is made. */
async function scrub(page, timeline) {
  if (!timeline) return;
  const { arrays } = await page.evaluate(() => window.kappaflow.outlet.report());
  const axis = Object.values(arrays).flatMap(({ axes }) => axes).find(({ name }) => name === timeline.axis);
  if (axis) await act(page, (p, [key, at]) => p.setParam(key, at), [timeline.param, String(axis.values[Math.floor(axis.values.length / 3)])]);
}

/** Of the canvas's part of a screenshot: the share of the most frequent colour, and the number of colours. */
const colours = (page, png) =>
  page.evaluate(async (base64) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: 'image/png' }));
    const { x, y, width, height } = document.getElementById('canvas').getBoundingClientRect(), scale = bitmap.width / innerWidth;
    const canvas = new OffscreenCanvas(width * scale, Math.min(height * scale, bitmap.height - y * scale)), context = canvas.getContext('2d');
    context.drawImage(bitmap, -x * scale, -y * scale);
    const pixels = new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer), count = new Map();
    for (const pixel of pixels) count.set(pixel, (count.get(pixel) ?? 0) + 1);
    return { most: Math.max(...count.values()) / pixels.length, number: count.size };
  }, png.toString('base64'));

/** What is on the screen is kept for the eye, and is a picture; its digest. */
async function photograph(page, name) {
  const png = await page.screenshot();
  const { most, number } = await colours(page, png);
  assert.ok(number > 100 && most < 0.93, `${name}: ${number} colours, ${(100 * most).toFixed(1)} % of one`);
  writeFileSync(join(folder, `${name}.png`), png);
  return createHash('sha1').update(png).digest('hex');
}

async function seriousFaults(page) {
  const toggle = page.locator('#numbers > details > summary');
  await toggle.click();
  await page.locator('#numbers table').first().waitFor();
  const { violations } = await new AxeBuilder({ page }).analyze();
  await toggle.click();
  await page.evaluate(() => scrollTo(0, 0));
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
}

async function turn(page, colorScheme) {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction((dark) => window.kappaflow.page.describe().dark === dark, colorScheme === 'dark');
  await untilStill(page);
}

/** Every one of these presets in the first theme, then the last of them in the others: all look different. */
async function drawnEach(page, { id, timeline }, device, presets, [first, ...others]) {
  const seen = new Set();
  for (const [index, { name }] of presets.entries()) {
    await act(page, (p, preset) => (p.setPreset(preset), p.play(false)), name);
    await untilStill(page);
    await scrub(page, timeline);
    await untilStill(page);
    seen.add(await photograph(page, `${id}-${device}-${first}-${index}`));
  }
  for (const theme of others) {
    await turn(page, theme);
    seen.add(await photograph(page, `${id}-${device}-${theme}`));
  }
  assert.equal(seen.size, presets.length + others.length, 'every one looks different');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'nothing is cut or scrolls sideways');
  assert.deepEqual(page.troubles, []);
}

// Colours are the theme's, whatever the preset, and every preset is drawn natively. So of each scene the first preset is looked at, in
// one theme on the desktop and in the other on the phone; the complete set has every preset, and each scene in both.
const themesOf = (odd) => (complete ? ['light', 'dark'] : [odd ? 'dark' : 'light']);
const desktop = shared(() => open(browser, `${server.url}?play=false`));
const phone = shared(() => open(browser, `${server.url}?play=false`, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true, colorScheme: 'light' }));

for (const [index, scene] of scenes.entries()) {
  const { id, presets } = scene;
  test(`${id} on a desktop is drawn in ${complete ? 'every preset' : 'its first preset'} and accessible`, async () => {
    const page = await desktop(), [first, ...others] = themesOf(index % 2);
    await enter(page, id);
    await turn(page, first);
    await drawnEach(page, scene, 'desktop', complete ? presets : presets.slice(0, 1), [first, ...others]);
    assert.deepEqual(await seriousFaults(page), []);
  });
  test(`${id} on a phone is drawn in its first preset`, async () => {
    const page = await phone(), [first, ...others] = themesOf(index % 2 === 0);
    await enter(page, id);
    await turn(page, first);
    await drawnEach(page, scene, 'phone', presets.slice(0, 1), [first, ...others]);
  });
}

test('on a phone the page is accessible: colours of the words are the same in every scene', async () => {
  assert.deepEqual(await seriousFaults(await phone()), []);
});

test('at 360 pixels nothing scrolls sideways', async () => {
  const page = await open(browser, server.url, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 3 });
  await page.locator('#numbers > details > summary').click();
  await page.locator('#numbers table').first().waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360));
  await page.finish();
});
