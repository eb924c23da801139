// Links, files and what is said about bad ones.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Held, heldName } from '../../web/held.mjs';
import { npzOf } from '../../web/tables.mjs';
import { act, addressOf, beats, describe, house, launch, newPage, open, pictureOf, serve, settle, shared, small, untilShown, untilStill } from './support.mjs';
import { seriousFaults } from './photographs.mjs';

const browser = await launch();
const server = await serve();
const sample = join(house, 'src/samples/shapes-classifier.onnx');

test('the link of a changed page gives the same link and the same pixels after a reload', async () => {
  const page = await open(browser, `${server.url}?theme=light&ui=figure`); // the panels show the history as well, which a reload ends
  await settle(page);
  await act(page, (p) => (p.setParam('layer', 'residual'), p.setParam('layers', '40'), p.setParam('kernel', 'triangle'), p.moveHandle('layer', 13)));
  await untilStill(page);
  const link = await act(page, (p) => p.link()), address = await addressOf(page, link);
  await page.mouse.move(1, 1);
  await untilStill(page);
  const shot = await pictureOf(page, '#canvas');
  await page.goto('about:blank');
  await page.goto(address);
  await untilShown(page);
  await untilStill(page);
  assert.equal(await act(page, (p) => p.link()), link);
  assert.ok(shot.equals(await pictureOf(page, '#canvas')), 'the same pixels');
  await page.finish();
});

test('the last eight large networks are held, and who asks for an older one is told to open it again', async () => {
  const held = new Held(), file = () => new Blob([new Uint8Array(5e6)]), names = [];
  for (let i = 0; i < 9; ++i) names.push(heldName(await held.standIn('net.onnx', file())));
  await assert.rejects(held.find(names[0]), { message: 'This file is no longer at hand: open it again.' });
  for (const name of names.slice(1)) assert.equal((await held.find(name)).size, 5e6);
  for (const [name, bytes] of [['net.onnx', 100], ['digits.npz', 5e6]]) {
    const own = await held.standIn(name, new Blob([new Uint8Array(bytes)]));
    assert.equal(own.length, bytes);
    assert.equal(heldName(own), undefined);
  }
});

test('a page nobody touched keeps a clean address, and what an author fixed stays in the query', async () => {
  const page = await newPage(browser, { clock: true, ...small });
  await page.goto(`${server.url}?scene=shattering&layers=80`);
  await untilShown(page);
  await page.clock.runFor(1000); // four times as long as a change waits for the address
  assert.equal(await page.evaluate(() => location.hash), '');
  assert.equal((await describe(page)).params.find(({ key }) => key === 'layers').value, '80');
  await page.finish();
});

test('the claim above the words and the picture\'s name are the first preset\'s; beside other params the summary speaks', async () => {
  const page = await open(browser, `${server.url}?scene=shattering&play=false`, small);
  await settle(page);
  const claim = page.locator('#claim'), label = () => page.locator('#canvas').getAttribute('aria-label');
  const { claim: own, lookAt } = await describe(page);
  assert.ok(own && (await claim.isVisible()));
  assert.ok((await label()).includes(lookAt));
  await act(page, (p) => p.setParam('layers', '20'));
  await untilStill(page);
  const left = await describe(page);
  assert.equal(left.claim, '');
  assert.equal(left.lookAt, left.summary);
  assert.ok(await claim.isHidden());
  assert.ok((await label()).includes(left.summary));
  await act(page, (p) => p.setParam('layers', '50'));
  await untilStill(page);
  assert.equal((await describe(page)).claim, own);
  assert.ok(await claim.isVisible());
  await page.finish();
});

test('a scene link changes scene, words, title and address in place, and Back returns', async () => {
  const page = await open(browser, `${server.url}?play=false`, small);
  await page.locator('a[data-scene="shattering"]').click();
  await page.waitForFunction(() => /shatter/i.test(document.title) && document.getElementById('words').dataset.scene === 'shattering');
  await page.waitForFunction(() => location.hash.includes('scene=shattering'));
  assert.match(await page.locator('#title').innerText(), /shatter/);
  await page.goBack();
  await page.waitForFunction(() => window.kappaflow.page.describe().scene === 'capacity-diffusion' && document.getElementById('words').dataset.scene === 'capacity-diffusion');
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('an address edited by hand is read at once', async () => {
  const page = await open(browser, `${server.url}?play=false`, small);
  await page.evaluate(() => (location.hash = '#v=1&scene=capacity-diffusion&layers=7'));
  await page.waitForFunction(() => window.kappaflow.page.describe().params.find(({ key }) => key === 'layers').value === '7');
  await page.finish();
});

test('unknown keys and bad values in a link are ignored with a visible warning', async () => {
  const good = await open(browser, `${server.url}?play=false`, small);
  await settle(good);
  const shot = await pictureOf(good, '#canvas');
  await good.finish();
  const page = await open(browser, `${server.url}?play=false&layers=many&colour=red&taps=4`, small);
  await settle(page);
  const { warnings, params } = await describe(page);
  assert.equal(warnings.length, 3, warnings.join('\n'));
  assert.equal(params.find(({ key }) => key === 'layers').value, '24');
  for (const word of ['many', 'colour', 'taps']) assert.ok(warnings.some((text) => text.includes(word)), word);
  assert.match(await page.locator('.kf-alerts').textContent(), /many/);
  assert.ok(!shot.equals(await pictureOf(page, '#canvas')), 'something is seen of it');
  await page.finish();
});

test('settings of the page that mean nothing are said, what others append to an address is not', async () => {
  const page = await open(browser, `${server.url}?play=false&ui=nonsense&theme=pink&hide=magic&lock=spell&utm_source=mail&fbclid=x`, small);
  await settle(page);
  const { warnings } = await describe(page);
  assert.equal(warnings.length, 4, warnings.join('\n'));
  for (const word of ['nonsense', 'pink', 'magic', 'spell']) assert.ok(warnings.some((text) => text.includes(word)), word);
  await page.finish();
});

test('a reset comes back to the author\'s state, from the native controls too, and what is locked stays', async () => {
  const page = await open(browser, `${server.url}?play=false&layers=40&seed=7&lock=seed#v=1&scene=capacity-diffusion&layers=9&seed=3&play=false`, small);
  await settle(page);
  const values = async () => Object.fromEntries((await describe(page)).params.map(({ key, value }) => [key, value]));
  assert.deepEqual([(await values()).layers, (await values()).seed], ['9', '7']);
  assert.match((await describe(page)).warnings.join(' '), /seed is fixed/);
  const button = page.getByRole('button', { name: 'Back to the first settings' });
  await button.focus();
  await button.press('Enter');
  await untilStill(page);
  assert.deepEqual([(await values()).layers, (await values()).seed], ['40', '7']);
  assert.equal(await page.locator('[data-key="seed"]').count(), 0, 'what is locked has no control');
  await page.finish();
});

test('a figure speaks: its summary and tables are there for screen readers, and nothing that it does not show can be changed', async () => {
  const page = await open(browser, `${server.url}?play=false&ui=figure`, small);
  await settle(page);
  const { summary, params, presets } = await describe(page);
  await page.locator('#summary').filter({ hasText: summary.slice(0, 20) }).waitFor({ state: 'attached' });
  const tree = await page.locator('body').ariaSnapshot();
  assert.ok(tree.includes(summary.slice(0, 20)), tree);
  assert.match(tree, /numbers/i);
  assert.doesNotMatch(tree.replace(/combobox "Speed of playing"/, ''), /combobox|spinbutton|checkbox|navigation/);
  assert.ok(params.every(({ offered }) => !offered));
  assert.deepEqual(presets, []);
  const seen = () => page.locator('.column').evaluate((element) => element.getBoundingClientRect().height);
  assert.ok((await seen()) <= 1, 'no words in sight');
  await page.locator('#numbers summary').first().focus();
  assert.ok((await seen()) > 20, 'what has the focus is seen');
  assert.deepEqual(await seriousFaults(page), []);
  await page.finish();
});

test('a page may take examples, timeline and handles away', async () => {
  const page = await open(browser, `${server.url}?play=false&hide=examples,timeline,handles`, small);
  await settle(page);
  const { handles, presets, hasTimeline } = await describe(page);
  assert.deepEqual([handles, presets, hasTimeline], [[], [], false]);
  for (const name of ['Example', 'Play']) assert.equal(await page.getByRole(name === 'Play' ? 'button' : 'combobox', { name }).count(), 0, name);
  await page.finish();
});

for (const [name, query, check] of [
  ['an unknown scene', '?scene=flying-circus', /flying-circus/],
  ['a value far outside its range', '?layers=1e9', /layers/],
  ['a link of many thousand characters', `?layers=${'9'.repeat(8000)}`, /./],
  ['a broken escape', '?layers=%zz&%', /./],
])
  test(`${name} in a link leaves a running page and a warning`, async () => {
    const page = await open(browser, `${server.url}${query}`, small);
    await settle(page);
    const { warnings } = await describe(page);
    assert.match(warnings.join(' '), check);
    assert.deepEqual(page.troubles, []);
    await page.finish();
  });

const drop = (page, ...files) =>
  page.evaluate(async (list) => {
    const data = new DataTransfer();
    for (const [file, numbers] of list) data.items.add(new File([new Uint8Array(numbers)], file));
    const canvas = document.getElementById('canvas');
    for (const type of ['dragover', 'drop']) canvas.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files.map(([name, bytes]) => [name, [...bytes]]));

test('dropping the sample network makes its capacity flow', async () => {
  const page = await open(browser, `${server.url}?play=false`, small);
  await drop(page, ['mine.onnx', readFileSync(sample)]);
  await page.waitForFunction(() => !window.kappaflow.page.describe().busy && window.kappaflow.page.describe().params.find(({ key }) => key === 'network').value === 'file');
  await settle(page);
  const { message, summary, status } = await describe(page);
  assert.equal(message, '');
  assert.equal(status, 'ok');
  const report = await page.evaluate(() => window.kappaflow.outlet.report());
  assert.deepEqual(report.arrays.widths.values, [64, 32, 24, 16, 10]);
  assert.ok(summary.length > 10);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('a model and the file of its weights become one network, whichever comes first; the model alone asks for both', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'model-')), path = (name) => join(folder, name);
  after(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('/usr/bin/python3', ['-c', 'import onnx, sys; onnx.save_model(onnx.load(sys.argv[1]), sys.argv[2], save_as_external_data=True, location="model.onnx.data", size_threshold=0)', sample, path('model.onnx')]);
  const model = ['model.onnx', readFileSync(path('model.onnx'))], weights = ['model.onnx.data', readFileSync(path('model.onnx.data'))];
  const page = await open(browser, `${server.url}?play=false`, small), before = (await describe(page)).summary;
  const told = async (what) => (await page.waitForFunction((text) => new RegExp(text).test(window.kappaflow.page.describe().message), what), (await describe(page)).summary);
  await drop(page, model);
  assert.equal(await told('its numbers are in another file \\("model.onnx.data"\\); open both together'), before);
  await drop(page, model, ['model.onnx.data', weights[1].subarray(0, 99)]);
  assert.equal(await told('The file "model.onnx.data" has 99 bytes, too few'), before);
  for (const pair of [[model, weights], [weights, model]]) {
    await act(page, (p) => p.reset());
    await settle(page);
    await drop(page, ...pair);
    await page.waitForFunction(() => window.kappaflow.page.describe().params.find(({ key }) => key === 'network').value === 'file');
    await settle(page);
    assert.deepEqual((await page.evaluate(() => window.kappaflow.outlet.report())).arrays.widths.values, [64, 32, 24, 16, 10]);
  }
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

/** 784 → 1400 → 10 as safetensors: above what the page's module is handed. */
function largeNetwork(seed) {
  const layers = [['1', 1400, 784], ['2', 10, 1400]], header = {};
  let at = 0;
  for (const [name, out, inputs] of layers) header[`${name}.weight`] = { dtype: 'F32', shape: [out, inputs], data_offsets: [at, (at += 4 * out * inputs)] };
  const text = JSON.stringify(header), bytes = new Uint8Array(8 + text.length + at), numbers = new DataView(bytes.buffer);
  numbers.setUint32(0, text.length, true);
  new TextEncoder().encodeInto(text, bytes.subarray(8));
  for (let i = 0; i < at; i += 4) numbers.setFloat32(8 + text.length + i, Math.sin(seed + i * i) / 20, true);
  return [`large-${seed}.safetensors`, bytes];
}

for (const where of ['a worker', 'one piece on the page'])
  test(`a large network never enters the page's module: computed in ${where}, listed, and come back to by undo`, async () => {
    const page = await newPage(browser, { alone: true, ...small });
    if (where !== 'a worker') await page.addInitScript(() => (window.Worker = function () { throw new Error('no workers here'); }));
    await page.goto(`${server.url}?play=false`);
    await untilShown(page);
    const shown = async (name) => {
      await page.waitForFunction((file) => !window.kappaflow.page.describe().busy && window.kappaflow.page.networkFile().name === file, name);
      const { message, status } = await describe(page);
      assert.deepEqual([message, status], ['', 'ok']);
      return page.evaluate(async () => ({
        length: window.kappaflow.page.networkFile().bytes.length, layers: (await window.kappaflow.outlet.layers()).layers.map(({ weights }) => weights),
        report: JSON.stringify((await window.kappaflow.outlet.report()).arrays),
      }));
    };
    const [first, second] = [largeNetwork(1), largeNetwork(2)], seen = [];
    for (const file of [first, second]) {
      await page.evaluate(([name, seed, make]) => window.kappaflow.files.read(new File([new Function(`return (${make})`)()(seed)[1]], name)), [file[0], file === first ? 1 : 2, largeNetwork.toString()]);
      seen.push(await shown(file[0]));
    }
    assert.ok(seen.every(({ length }) => length < 100), seen.map(({ length }) => length).join());
    assert.deepEqual(seen[0].layers.filter(Boolean), [784 * 1400, 14000]);
    assert.notEqual(seen[0].report, seen[1].report);
    await act(page, (p) => p.undo());
    assert.equal((await shown(first[0])).report, seen[0].report);
    assert.deepEqual(page.troubles, []);
    await page.finish();
  });

test('the network on screen is saved as ONNX, and dropping the file shows the same regions', async () => {
  const page = await open(browser, `${server.url}?scene=activation-regions&play=false`, small);
  await settle(page);
  const before = await page.evaluate(() => window.kappaflow.outlet.report());
  const button = page.getByRole('button', { name: 'Save network (ONNX)' });
  await button.focus();
  const [download] = await Promise.all([page.waitForEvent('download'), button.press('Enter')]);
  assert.equal(download.suggestedFilename(), 'activation-regions.onnx');
  await drop(page, ['saved.onnx', readFileSync(await download.path())]);
  await page.waitForFunction(() => !window.kappaflow.page.describe().busy && window.kappaflow.page.describe().params.find(({ key }) => key === 'network').value === 'file');
  await settle(page);
  assert.equal((await describe(page)).message, '');
  const after = await page.evaluate(() => window.kappaflow.outlet.report());
  assert.deepEqual(after.arrays.weights.values, before.arrays.weights.values);
  assert.equal(after.scalars.regions.value, before.scalars.regions.value);
  await act(page, (p) => p.setScene('shattering'));
  await settle(page);
  assert.equal(await button.isVisible(), false);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('dropping points leads to the scene that trains on them, and bad ones leave the picture as it was', async () => {
  const page = await open(browser, `${server.url}?play=false`, small);
  const rows = Array.from({ length: 40 }, (_, i) => `${Math.cos(i) * (1 + (i % 2))},${Math.sin(i) * (1 + (i % 2))},${i % 2 ? 'out' : 'in'}`);
  await drop(page, ['points.csv', new TextEncoder().encode(`x,y,kind\n${rows.join('\n')}\n`)]);
  await page.waitForFunction(() => !window.kappaflow.page.describe().busy && window.kappaflow.page.describe().params.find(({ key }) => key === 'data')?.value === 'file');
  await act(page, (p) => p.play(false));
  await settle(page);
  const { message, scene } = await describe(page);
  assert.equal(message, '');
  assert.equal(scene, 'activation-regions');
  const report = await page.evaluate(() => window.kappaflow.outlet.report());
  assert.deepEqual(report.arrays.samplePoints.shape, [40, 2]);
  await drop(page, ['bad.csv', new TextEncoder().encode('1,2,a\n1,x,b\n')]);
  await page.waitForFunction(() => !window.kappaflow.page.describe().busy && window.kappaflow.page.describe().message !== '');
  assert.match((await describe(page)).message, /bad\.csv.*line 2 has "x"/);
  // The same points as JSON and as an archive of numpy; what is wrong with others names its place.
  const cells = rows.map((row) => row.split(',')), x = cells.map(([first]) => Number(first)), y = cells.map(([, second]) => Number(second)), label = cells.map(([, , word]) => word);
  const archive = await npzOf({ arrays: { x: { axes: [{ name: 'row', values: x.map((_, index) => index) }], values: x }, y: { axes: [{ name: 'row', values: y }], values: y }, label: { axes: [{ name: 'row', values: y }], values: label } } }).arrayBuffer();
  for (const [name, bytes] of [['points.json', new TextEncoder().encode(JSON.stringify({ x, y, label }))], ['points.npz', new Uint8Array(archive)]]) {
    await act(page, (p) => p.setParam('data', 'spirals'));
    await settle(page);
    await drop(page, [name, bytes]);
    await page.waitForFunction(() => !window.kappaflow.page.describe().busy && window.kappaflow.page.describe().params.find(({ key }) => key === 'data')?.value === 'file');
    await settle(page);
    assert.equal((await describe(page)).message, '', name);
    assert.deepEqual((await page.evaluate(() => window.kappaflow.outlet.report())).arrays.samplePoints, report.arrays.samplePoints, name);
  }
  for (const [name, text, told] of [['bad.json', '[[0, 1, "a"],\n [1, null, "b"]]', /bad\.json" line 2, column 6: a number/], ['short.json', '{"x": [1, 2], "y": [1], "label": [0, 1]}', /short\.json" has 2 entries in "label" and 1 in "y"/]]) {
    await drop(page, [name, new TextEncoder().encode(text)]);
    await page.waitForFunction((file) => window.kappaflow.page.describe().message.includes(file), name);
    assert.match((await describe(page)).message, told);
  }
  assert.deepEqual((await page.evaluate(() => window.kappaflow.outlet.report())).arrays.samplePoints, report.arrays.samplePoints);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('an address names a network or data of another server: they are fetched and are the author’s; what cannot be had is said, and the picture stays', async () => {
  const other = await serve({ '/moons.json': JSON.stringify(Array.from({ length: 30 }, (_, i) => [Math.cos(i), Math.sin(i) + (i % 2), i % 2])) });
  const value = (page, key) => page.evaluate((name) => window.kappaflow.page.describe().params.find((param) => param.key === name)?.value, key);
  const untilFile = (page, key) => page.waitForFunction((name) => { const { busy, params } = window.kappaflow.page.describe(); return !busy && params.find((param) => param.key === name)?.value === 'file'; }, key);
  const page = await open(browser, `${server.url}?scene=activation-regions&play=false&network=${encodeURIComponent(`${other.url}samples/shapes-classifier.onnx`)}&plane=turned`, small);
  await untilFile(page, 'network');
  await settle(page);
  const own = await newPage(browser, small);
  await own.goto(`${server.url}?scene=activation-regions&play=false&plane=turned&network=shapes-classifier`);
  await untilShown(own);
  await settle(own);
  const regions = (one) => one.evaluate(async () => (await window.kappaflow.outlet.report()).scalars.regions.value);
  assert.equal(await regions(page), await regions(own));
  await own.finish();
  assert.equal((await describe(page)).message, '');
  await act(page, (p) => p.setParam('network', ''));
  await settle(page);
  assert.equal(await value(page, 'network'), '');
  await act(page, (p) => p.reset());
  await settle(page);
  assert.equal(await value(page, 'network'), 'file', 'a reset comes back to it');
  assert.deepEqual(page.troubles, []);

  await page.goto(`${server.url}?scene=activation-regions&play=false&steps=20&data=${other.url}moons.json`);
  await untilShown(page);
  await untilFile(page, 'data');
  await settle(page);
  assert.deepEqual((await page.evaluate(() => window.kappaflow.outlet.report())).arrays.samplePoints.shape, [30, 2]);

  for (const [address, told] of [[`${other.url}nocors/samples/shapes-classifier.onnx`, /sends no Access-Control-Allow-Origin/], [`${other.url}none.onnx`, /the server answered 404/], [`${other.url}index.html`, /index\.html/]]) {
    await page.goto('about:blank');
    await page.goto(`${server.url}?scene=activation-regions&play=false&network=${address}`);
    await untilShown(page);
    await page.waitForFunction(() => window.kappaflow.page.describe().message !== '');
    assert.match((await describe(page)).message, told);
    assert.equal(await value(page, 'network'), '');
  }
  await page.finish();
});

/** An IDX file: sizes, then bytes. */
const idx = (sizes, byte) => {
  const count = sizes.reduce((product, size) => product * size, 1);
  const head = [sizes.length, ...sizes].flatMap((n, i) => (i ? [n >> 24, (n >> 16) & 255, (n >> 8) & 255, n & 255] : [0, 0, 8, n]));
  return Uint8Array.from({ length: head.length + count }, (_, i) => (i < head.length ? head[i] : byte(i - head.length)));
};
/** Discs of many sizes on 28 × 28 pixels. */
const discs = idx([200, 28, 28], (i) => {
  const image = Math.floor(i / 784), x = (i % 28) - 14, y = (Math.floor(i / 28) % 28) - 14;
  return Math.hypot(x - (image % 7) + 3, y - (image % 5) + 2) < 3 + (image % 11) ? 255 : 10;
});

test('dropping images shows what random networks make of them, with labels beside them too, whatever the scene', async () => {
  const page = await open(browser, `${server.url}#v=1&scene=moments&layers=8&draws=2`, small);
  await settle(page);
  await drop(page, ['train-labels-idx1-ubyte', idx([200], (i) => i % 10)], ['train-images-idx3-ubyte', discs]);
  await page.waitForFunction(() => !window.kappaflow.page.describe().busy && window.kappaflow.page.describe().params.find(({ key }) => key === 'data')?.value === 'file');
  await settle(page);
  const { message, scene, status } = await describe(page);
  assert.equal(message, '');
  assert.equal(scene, 'moments');
  assert.equal(status, 'ok');
  await act(page, (p) => p.setScene('activation-regions'));
  await settle(page);
  await drop(page, ['t10k-images-idx3-ubyte', discs]);
  await page.waitForFunction(() => !window.kappaflow.page.describe().busy && window.kappaflow.page.describe().scene !== 'activation-regions');
  assert.equal((await describe(page)).params.find(({ key }) => key === 'data').value, 'file');
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

const badFiles = {
  'an empty file': () => new Uint8Array(),
  'random bytes': () => Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3) * 104729) & 255),
  'a truncated network': () => readFileSync(sample).subarray(0, 3000),
  'a text': () => new TextEncoder().encode('this is no network\n'.repeat(50)),
};
const receiving = shared(() => open(browser, `${server.url}?layers=31&play=false`, small));
for (const [name, make] of Object.entries(badFiles))
  test(`dropping ${name} shows a sentence and keeps the old picture`, async () => {
    const page = await receiving();
    await act(page, (p) => p.openLink('layers=31&play=false')); // and the sentence about the file before is gone
    await page.waitForFunction(() => !window.kappaflow.page.describe().busy && window.kappaflow.page.describe().message === '');
    await settle(page);
    const link = await act(page, (p) => p.link());
    const before = await page.evaluate(() => window.kappaflow.outlet.report());
    await drop(page, ['bad.onnx', make()]);
    await page.waitForFunction(() => !window.kappaflow.page.describe().busy && window.kappaflow.page.describe().message !== '');
    const { message } = await describe(page);
    assert.match(message, /^[A-Z“"'b].*\.$/s, message);
    await page.waitForFunction((sentence) => document.querySelector('.kf-alerts').textContent.includes(sentence), message);
    assert.equal(await act(page, (p) => p.link()), link);
    assert.deepEqual((await page.evaluate(() => window.kappaflow.outlet.report())).arrays, before.arrays);
    assert.deepEqual(page.troubles, []);
  });

test('a network above 200 MB is refused before it is read', async () => {
  const page = await open(browser, `${server.url}?play=false`, small);
  await page.evaluate(() => {
    const file = new File([new Uint8Array(201 * 2 ** 20)], 'huge.onnx');
    file.arrayBuffer = () => (window.read = true);
    window.kappaflow.files.read(file);
  });
  await page.waitForFunction(() => /200 MB/.test(window.kappaflow.page.describe().message));
  assert.equal(await page.evaluate(() => window.read), undefined);
  await page.finish();
});

test('numbers come as JSON and CSV that say what the picture shows', async () => {
  const page = await open(browser, `${server.url}?play=false`, small);
  await page.locator('#numbers summary').click();
  for (const [label, name] of [['Download JSON', 'capacity-diffusion.json'], ['Download CSV', 'capacity-diffusion.csv']]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#numbers').getByRole('button', { name: label }).click()]);
    assert.equal(download.suggestedFilename(), name);
    const text = readFileSync(await download.path(), 'utf8');
    if (name.endsWith('json')) assert.equal(JSON.parse(text).scene, 'capacity-diffusion');
    else assert.match(text, /^name,value/);
  }
  await page.finish();
});

test('numbers for NumPy, and an array as CSV, read back as what the program computed', async () => {
  const page = await open(browser, `${server.url}?scene=shattering&layers=12&play=false`, small);
  await settle(page);
  await page.locator('#numbers > details > summary').click();
  const save = async (name) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#numbers').getByRole('button', { name }).click()]);
    return { name: download.suggestedFilename(), path: await download.path() };
  };
  await page.locator('#numbers details summary', { hasText: /^maxPathWeight / }).click();
  const report = await page.evaluate(() => window.kappaflow.outlet.report()), all = await save('Download for NumPy (npz)'), one = await save('Download maxPathWeight as CSV');
  assert.deepEqual([all.name, one.name], ['shattering.npz', 'shattering-maxPathWeight.csv']);
  const read = 'import json, numpy, sys\nf = numpy.load(sys.argv[1])\nprint(json.dumps({k: [f[k].dtype.str, f[k].shape, [v if isinstance(v, str) else v if v == v else None for v in f[k].ravel().tolist()]] for k in f}))';
  const found = JSON.parse(execFileSync('/usr/bin/python3', ['-c', read, all.path], { encoding: 'utf8' }));
  for (const [name, { value }] of Object.entries(report.scalars)) assert.deepEqual(found[name], ['<f8', [], [value]]);
  for (const [name, { values, shape, axes }] of Object.entries(report.arrays)) {
    assert.deepEqual(found[name], ['<f8', shape, values], name);
    for (const axis of axes) assert.deepEqual(found[`${name}.${axis.name}`][2], axis.values);
  }
  assert.equal(found['maxPathWeight.kind'][0], '<U8');
  const [head, ...lines] = readFileSync(one.path, 'utf8').trim().split('\n'), { axes, values } = report.arrays.maxPathWeight;
  assert.equal(head, 'kind,layer,value');
  assert.deepEqual(lines.map((line) => line.split(',')).map(([kind, layer, value]) => [kind, Number(layer), Number(value)]), values.map((value, at) => [axes[0].values[Math.floor(at / 13)], axes[1].values[at % 13], value]));
  await page.finish();
});

test('the numbers stand in tables that say how much of an array they leave out', async () => {
  const page = await open(browser, `${server.url}?extent=129&play=false`, small);
  await settle(page);
  await page.locator('#numbers > details > summary').click();
  await page.locator('#numbers th[scope=row]', { hasText: 'spread' }).waitFor();
  const capacity = page.locator('#numbers details details', { has: page.locator('summary', { hasText: /^capacity / }) });
  await capacity.locator('summary').click();
  assert.match(await capacity.locator('caption').innerText(), /more columns/);
  const shown = await capacity.locator('tbody td').nth(30).innerText();
  const report = await page.evaluate(() => window.kappaflow.outlet.report());
  assert.equal(Number(shown), Number(report.arrays.capacity.values[30].toPrecision(6)));
  await page.finish();
});

test('copy link gives a link that opens the same state', async () => {
  const page = await open(browser, `${server.url}?play=false`, { ...small, permissions: ['clipboard-read', 'clipboard-write'] });
  await settle(page);
  await act(page, (p) => p.setParam('layers', '12'));
  await page.evaluate(() => window.kappaflow.outlet.copyLink());
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /^http:\/\/localhost:\d+\/.*layers=12/);
  await page.finish();
});

test('a theme and a mode in the query are obeyed', async () => {
  const page = await open(browser, `${server.url}?theme=dark&ui=figure`);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.equal((await describe(page)).dark, true);
  assert.ok(await page.locator('.column').evaluate((element) => element.getBoundingClientRect().height <= 1), 'no words in sight');
  const box = await page.locator('#canvas').boundingBox();
  assert.deepEqual([box.width, box.height], [1280, 800]);
  await page.finish();
});

test('an author sets the speed of playing, a reader changes it by keys; what is no speed is said', async () => {
  const page = await open(browser, `${server.url}?play=false&speed=2`, small);
  await settle(page);
  assert.deepEqual([(await describe(page)).speed, (await describe(page)).warnings], [2, []]);
  await page.locator('#canvas').click({ position: { x: 300, y: 20 } });
  await page.keyboard.press('Shift+Comma');
  await page.waitForFunction(() => window.kappaflow.page.describe().speed === 1);
  await page.keyboard.press('Shift+Period');
  await page.waitForFunction(() => window.kappaflow.page.describe().speed === 2);
  await page.finish();
  const bad = await open(browser, `${server.url}?play=false&speed=fast`, small);
  await settle(bad);
  assert.match((await describe(bad)).warnings.join(), /speed=fast/);
  await bad.finish();
});

test('with reduced motion nothing plays before it is asked to', async () => {
  const page = await newPage(browser, { ...small, reducedMotion: 'reduce' });
  await page.goto(`${server.url}?ui=full`);
  await untilShown(page);
  assert.equal((await describe(page)).playing, false);
  await untilStill(page);
  const { at } = await describe(page);
  await beats(page);
  assert.equal((await describe(page)).at, at);
  await act(page, (p) => p.play(true));
  await page.waitForFunction((before) => window.kappaflow.page.describe().at !== before, at);
  await page.finish();
});

test('what takes long says beside its controls how far it is, and stops by a button, with what there is of it', async () => {
  const page = await newPage(browser, { ...small, alone: true });
  await page.goto(`${server.url}?scene=moments&width=200&layers=300&draws=200&play=false`);
  await page.waitForFunction(() => /^\d+ %, about \d+ s left$/.test(document.querySelector('.kf-form progress + span')?.textContent), undefined, { timeout: 60e3 });
  const share = await page.evaluate(() => document.querySelector('.kf-form progress').value);
  assert.ok(share > 0 && share < 1, `${share}`);
  await page.locator('.kf-form button', { hasText: 'Stop computing' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !window.kappaflow.page.describe().busy && document.querySelector('.kf-form progress').parentElement.hidden);
  assert.match((await describe(page)).warnings.join(' '), /Stopped before the end/);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});
