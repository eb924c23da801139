// What the site is: accessible, private, small, and what it looks like.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import { AxeBuilder } from '@axe-core/playwright';
import { act, house, launch, newPage, open, serve, settle, site, untilShown, untilStill } from './support.mjs';

const browser = await launch();
const server = await serve();
const scenes = readdirSync(join(site, 'schemas')).map((name) => JSON.parse(readFileSync(join(site, 'schemas', name), 'utf8')));

test('the summary stands in a polite live region and is said at most once a second', async () => {
  const page = await open(browser, server.url);
  await settle(page);
  const said = await page.evaluate(async () => {
    const region = document.getElementById('summary'), times = [];
    new MutationObserver(() => times.push(performance.now())).observe(region, { childList: true, characterData: true, subtree: true });
    const { page } = window.kappaflow;
    for (let layers = 20; layers < 60; ++layers) {
      page.setParam('layers', String(layers));
      window.kappaflow.wake();
      await new Promise((done) => setTimeout(done, 60));
    }
    await new Promise((done) => setTimeout(done, 1500));
    return { times, live: region.getAttribute('aria-live'), text: region.textContent, summary: page.describe().summary };
  });
  assert.equal(said.live, 'polite');
  assert.ok(said.times.length >= 2);
  said.times.slice(1).forEach((time, index) => assert.ok(time - said.times[index] > 950, `${time - said.times[index]} ms apart`));
  assert.equal(said.text, said.summary);
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

const brotli = (name) => brotliCompressSync(readFileSync(join(site, name)), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

test('the compressed site is small: wasm 600 kB, fonts 120 kB, all of the first view 750 kB', async () => {
  const page = await newPage(browser);
  const asked = new Set();
  page.on('request', (request) => request.url().startsWith(server.url) && asked.add(new URL(request.url()).pathname.slice(1) || 'index.html'));
  await page.goto(server.url);
  await untilShown(page);
  const sizes = Object.fromEntries([...asked].map((name) => [name, brotli(name)]));
  const sum = (match) => Object.entries(sizes).reduce((total, [name, size]) => total + (match.test(name) ? size : 0), 0);
  const [wasm, fonts, all] = [sum(/\.wasm$/), sum(/^fonts\//), sum(/./)];
  console.log(`# brotli: wasm ${wasm}, fonts ${fonts}, first view ${all} bytes`);
  assert.ok(wasm > 0 && wasm <= 600e3, `${wasm} bytes of wasm`);
  assert.ok(fonts > 0 && fonts <= 120e3, `${fonts} bytes of fonts`);
  assert.ok(all <= 750e3, `${all} bytes`);
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

/** Share of the most frequent colour, and the number of colours, of what is in the canvas's part of the screenshot. */
const colours = (page) =>
  page.locator('#canvas').screenshot().then((png) =>
    page.evaluate(async (base64) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), context = canvas.getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const pixels = new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer), count = new Map();
      for (const pixel of pixels) count.set(pixel, (count.get(pixel) ?? 0) + 1);
      return { most: Math.max(...count.values()) / pixels.length, number: count.size };
    }, png.toString('base64')));

const folder = join(house, 'build/screenshots');
mkdirSync(folder, { recursive: true });

/** A third of the way along the timeline, where there is one. A preset may have nothing to play: where a measurement would diverge, none is made. */
async function scrub(page, timeline) {
  if (!timeline) return;
  const { arrays } = await page.evaluate(() => window.kappaflow.outlet.report());
  const axis = Object.values(arrays).flatMap(({ axes }) => axes).find(({ name }) => name === timeline.axis);
  if (axis) await act(page, (p, [key, at]) => p.setParam(key, at), [timeline.param, String(axis.values[Math.floor(axis.values.length / 3)])]);
}

/** What is on the screen is kept for the eye, and is a picture; its digest. */
async function photograph(page, name) {
  const { most, number } = await colours(page);
  assert.ok(number > 100 && most < 0.93, `${name}: ${number} colours, ${(100 * most).toFixed(1)} % of one`);
  const file = join(folder, `${name}.png`);
  await page.screenshot({ path: file });
  return createHash('sha1').update(readFileSync(file)).digest('hex');
}

async function seriousFaults(page) {
  await page.locator('#numbers > details > summary').click();
  await page.locator('#numbers table').first().waitFor();
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
}

const devices = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
};
for (const { id, presets, timeline } of scenes)
  for (const [device, options] of Object.entries(devices)) {
    // Colours are the theme's, whatever the preset; narrow layouts of every preset are the pictures' own tests'.
    const wanted = device === 'desktop' ? presets : presets.slice(0, 1);
    test(`${id} on a ${device} is drawn in ${device === 'desktop' ? 'every preset' : 'its first preset'}, light and dark, and accessible`, async () => {
      const page = await open(browser, `${server.url}?scene=${id}`, { ...options, colorScheme: 'light' });
      const seen = new Set();
      for (const [index, { name }] of wanted.entries()) {
        await act(page, (p, preset) => (p.setPreset(preset), p.play(false)), name);
        await untilStill(page);
        await scrub(page, timeline);
        await untilStill(page);
        seen.add(await photograph(page, `${id}-${device}-light-${index}`));
      }
      assert.equal(seen.size, wanted.length, 'every preset looks different');
      if (device === 'desktop') assert.deepEqual(await seriousFaults(page), []);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForFunction(() => window.kappaflow.page.describe().dark);
      await untilStill(page);
      assert.ok(!seen.has(await photograph(page, `${id}-${device}-dark`)));
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'nothing is cut or scrolls sideways');
      assert.deepEqual(page.troubles, []);
      if (device === 'phone' && id === scenes[0].id) assert.deepEqual(await seriousFaults(page), [], 'colours of the words are the same in every scene');
      await page.finish();
    });
  }

test('at 360 pixels nothing scrolls sideways', async () => {
  const page = await open(browser, server.url, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 3 });
  await page.locator('#numbers > details > summary').click();
  await page.locator('#numbers table').first().waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360));
  await page.finish();
});
