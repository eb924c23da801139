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

for (const colorScheme of ['light', 'dark'])
  for (const { id } of colorScheme === 'light' ? scenes : scenes.slice(0, 1)) // colours are the theme's, whatever the scene
    test(`axe finds no serious fault in ${id}, ${colorScheme}`, async () => {
      const page = await open(browser, `${server.url}?scene=${id}`, { colorScheme });
      await settle(page);
      await page.locator('#numbers > details > summary').click();
      await page.locator('#numbers table').first().waitFor();
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      assert.deepEqual(serious.map(({ id: rule, nodes }) => `${rule}: ${nodes[0].html}`), []);
      await page.finish();
    });

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
for (const { id, presets, timeline } of scenes)
  for (const [device, options] of [['desktop', { viewport: { width: 1280, height: 800 } }], ['phone', { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }]])
    for (const colorScheme of ['light', 'dark']) {
      // Colours are the theme's, whatever the preset; narrow layouts of every preset are the pictures' own tests'.
      const every = colorScheme === 'light' && device === 'desktop';
      test(`${id} on a ${device}, ${colorScheme}, is drawn in ${every ? 'every preset' : 'its first preset'}`, async () => {
        const wanted = every ? presets : presets.slice(0, 1);
        const page = await open(browser, `${server.url}?scene=${id}`, { ...options, colorScheme });
        const seen = new Set();
        for (const [index, { name }] of wanted.entries()) {
          await act(page, (p, preset) => (p.setPreset(preset), p.play(false)), name);
          await untilStill(page);
          if (timeline) {
            const { arrays } = await page.evaluate(() => window.kappaflow.outlet.report());
            const axis = Object.values(arrays).flatMap(({ axes }) => axes).find(({ name: itsName }) => itsName === timeline.axis);
            // A preset may have nothing to play: where a measurement would diverge, none is made.
            if (axis) await act(page, (p, [key, at]) => p.setParam(key, at), [timeline.param, String(axis.values[Math.floor(axis.values.length / 3)])]);
          }
          await untilStill(page);
          const { most, number } = await colours(page);
          assert.ok(number > 100 && most < 0.93, `${name}: ${number} colours, ${(100 * most).toFixed(1)} % of one`);
          const file = join(folder, `${id}-${device}-${colorScheme}-${index}.png`);
          await page.screenshot({ path: file });
          seen.add(createHash('sha1').update(readFileSync(file)).digest('hex'));
        }
        assert.equal(seen.size, wanted.length, 'every preset looks different');
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'nothing is cut or scrolls sideways');
        assert.deepEqual(page.troubles, []);
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
