// What the site is: private, small, and quiet.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { act, house, launch, newPage, open, serve, settle, untilShown, untilStill } from './support.mjs';

const browser = await launch();
const server = await serve();

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
  await page.goto(`${server.url}?ui=full`);
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

test('only the host and the pages touch document, window and location', () => {
  for (const name of readdirSync(join(house, 'web')).filter((file) => /\.m?js$/.test(file) && !['host.mjs', 'page.mjs', 'teach.mjs', 'scorm_boot.mjs'].includes(file))) {
    const code = readFileSync(join(house, 'web', name), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    // Properties (view.location) and names of parameters of the file's own are fine; globals are not.
    const globals = code.match(/(?<![.\w'"`-])(document|window|globalThis|self)\b(?!\s*:)/g) ?? [];
    assert.deepEqual(globals.filter((word) => !['kappaflow.mjs', 'dom.mjs'].includes(name) || word !== 'globalThis'), [], name); // dom.mjs: the language, which all bundles share
  }
});

test('hand-written files of the page stay under 300 lines', () => {
  for (const name of readdirSync(join(house, 'web'))) assert.ok(readFileSync(join(house, 'web', name), 'utf8').split('\n').length <= 301, name);
});

test('at 360 pixels nothing scrolls sideways', async () => {
  const page = await open(browser, `${server.url}?ui=full`, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 3 });
  await page.locator('#numbers > details > summary').click();
  await page.locator('#numbers table').first().waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360));
  await page.finish();
});
