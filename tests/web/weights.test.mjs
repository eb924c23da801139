// The bars for what the page weighs.
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bundlesOfScenes } from '../../tools/scripts/bundles.mjs';
import { firstView, table, weigh, weighAtMost, weights } from '../../tools/scripts/weights.mjs';
import { act, describe, launch, newPage, serve, settle, site, untilShown } from './support.mjs';

const browser = await launch();
const server = await serve();
const found = weights(site), bundles = bundlesOfScenes();

test('the table of weights lists what a browser asks for until the first picture, and nothing else', async () => {
  const page = await newPage(browser);
  const asked = new Set();
  page.on('request', (request) => request.url().startsWith(server.url) && asked.add(new URL(request.url()).pathname.slice(1) || 'index.html'));
  await page.goto(`${server.url}?ui=full`);
  await untilShown(page);
  await settle(page);
  for (let waits = 0; waits < 200 && asked.size < firstView(site).length; ++waits) await page.waitForTimeout(50); // what computes comes behind the picture
  assert.deepEqual([...asked].sort(), firstView(site));
  await page.finish();
});

test('home shows its living figure before anything that computes is asked for, within 520 kB; the rest of its numbers and the pictures of the chapters come behind it', async () => {
  const page = await newPage(browser, { alone: true });
  await page.addInitScript(() => {
    const look = () => (document.querySelector('.kf-cover')?.hidden ? (window.shownAt = performance.now()) : requestAnimationFrame(look));
    look();
  });
  let go;
  const computing = new Promise((done) => (go = done));
  await page.route('**/kappaflow-core-*', async (route) => (await computing, route.continue()));
  await page.goto(server.url);
  await page.waitForFunction(() => window.shownAt);
  const { summary, status } = await describe(page);
  assert.equal(status, 'computing');
  assert.match(summary, /\d/);
  await page.evaluate(() => (window.early = window.kappaflow.page.reportBytes()));
  const before = await page.evaluate((base) => performance.getEntries().filter(({ entryType, startTime }) => /^(resource|navigation)$/.test(entryType) && startTime < window.shownAt).map(({ name }) => name.replace(base, '').split('?')[0] || 'index.html'), server.url);
  const names = [...new Set(before)].filter((name) => !/^(kappaflow-core-|blob:|data:)/.test(name)), bytes = names.reduce((sum, name) => sum + weigh(site, name).brotli, 0);
  console.log(`# home: ${bytes} bytes as brotli until its figure moves`);
  assert.ok(names.includes('first/home.bin') && names.includes('kappaflow-page.wasm') && bytes < 520e3, `${bytes} bytes: ${names}`);
  assert.ok(!names.some((name) => name.startsWith('posters/') && name !== 'posters/home.svg'), `${names}`);
  go();
  await untilShown(page);
  assert.equal((await describe(page)).summary, summary);
  const [early, whole] = await page.evaluate(async () => [JSON.parse(await window.kappaflow.outlet.runner.files('exportReport', window.early, 'json')), await window.kappaflow.outlet.report()]);
  assert.deepEqual(Object.keys(whole.arrays).filter((name) => !early.arrays[name]), ['gaussian']);
  for (const [name, { values }] of Object.entries(early.arrays)) values.forEach((value, i) => assert.ok(Math.abs(value - whole.arrays[name].values[i]) <= 2 ** -21 * Math.abs(value), `${name} ${i}`));
  await page.locator('.card img').first().scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector('.card img').naturalWidth > 0);
  await page.finish();
});

test('choosing a scene of another bundle fetches the bundle\'s two modules, a trained network its file, and neither twice', async () => {
  const page = await newPage(browser);
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.slice(1)));
  await page.goto(`${server.url}?ui=full`);
  await untilShown(page);
  await settle(page);
  const since = asked.length;
  const changes = [(p) => p.setScene('shattering'), (p) => p.setScene('capacity-diffusion'), (p) => p.setParam('network', 'strokes-cnn'), (p) => p.setParam('network', ''), (p) => p.setParam('network', 'strokes-cnn')];
  for (const change of changes) {
    await act(page, change);
    await settle(page);
  }
  assert.equal((await describe(page)).status, 'ok');
  const modules = asked.slice(since).filter((name) => /\.(wasm|onnx|network)$/.test(name));
  const { shattering } = bundles;
  assert.deepEqual(modules.sort(), [`kappaflow-core-${shattering}.wasm`, `kappaflow-pictures-${shattering}.wasm`, 'samples/strokes-cnn.network']);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

const kHeaviest = 600e3; // bytes as brotli

test('the modules of a bundle and the page together keep the limit, and the bundle weighs less than all of them', () => {
  for (const bundle of new Set(Object.values(bundles))) {
    const core = `kappaflow-core-${bundle}.wasm`, bytes = weighAtMost(site, [core, `kappaflow-pictures-${bundle}.wasm`, 'kappaflow-page.wasm'], kHeaviest);
    assert.ok(bytes <= kHeaviest, `${bundle}: ${bytes} bytes`);
    assert.ok(statSync(join(site, core)).size < statSync(join(site, 'kappaflow-core.wasm')).size, bundle);
  }
});

test('every scene opened directly keeps the limit: what all scenes need, and its bundle\'s modules in place of the first\'s', () => {
  const first = Object.values(bundles)[0], limit = found.sums.find(({ name }) => name === 'everything, with what computes').limit;
  for (const [scene, bundle] of Object.entries(bundles)) {
    const names = [...firstView(site).map((name) => name.replace(`-${first}.`, `-${bundle}.`)).filter((name) => !name.startsWith('first/')), `words/${scene}.html`, ...[`first/${scene}.bin`].filter((name) => existsSync(join(site, name)))];
    const bytes = weighAtMost(site, names, limit);
    assert.ok(bytes <= limit, `${scene}: ${bytes} bytes`);
  }
});

for (const { name, bytes, limit } of found.sums)
  test(`${name}: at most ${limit} bytes`, () => assert.ok(bytes > 0 && bytes <= limit, `${bytes} bytes`));

test('what is compressed already is not compressed again, everything else shrinks', () => {
  console.log(table(found).replace(/^/gm, '# '));
  for (const { name, raw, gzip, brotli } of found.files.filter((file) => file.raw > 500 && !file.name.endsWith('woff2')))
    assert.ok(brotli < gzip && gzip < raw, name);
});
