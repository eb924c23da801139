// The page as one file: from file://, offline, in frames without any header; and where the many files cannot be loaded.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { decode85, encode85 } from '../../web/base85.mjs';
import { kSingle } from '../../tools/scripts/weights.mjs';
import { act, addressOf, describe, launch, newPage, sampled, serve, settle, shared, site, small, untilShown, untilStill, visited } from './support.mjs';

const browser = await launch();
const file = join(site, 'single.html'), address = pathToFileURL(file).href;
const text = readFileSync(file, 'utf8');
const scenes = readdirSync(join(site, 'schemas')).map((name) => name.replace(/\.json$/, ''));

/** A server of bare bodies: not even a content type. */
async function bareServer(pages) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    const body = pages[request.url.split('?')[0]];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise((done) => server.listen(0, done));
  after(() => (server.closeAllConnections(), server.close()));
  return { url: `http://localhost:${server.address().port}/`, requests };
}

async function openFile(suffix = '?ui=full', options) {
  const page = await newPage(browser, { ...small, offline: true, ...options });
  page.asked = [];
  page.on('request', (request) => page.asked.push(request.url()));
  await page.goto(address + suffix);
  await untilShown(page);
  return page;
}

const foreign = (urls) => urls.filter((url) => !/^(blob|data):/.test(url) && url.split(/[?#]/)[0] !== address);

test('bytes of any number survive base 85', () => {
  for (let count = 0; count < 40; ++count)
    for (const value of [0, 84, 85, 255]) {
      const bytes = Uint8Array.from({ length: count }, (_, index) => (index % 3 ? value : 255 - value)), text = encode85(bytes);
      assert.deepEqual([text.length, [...decode85(text)]], [Math.ceil((5 * count) / 4), [...bytes]]);
    }
});

test('one file holds the program, the words and the schemas of every scene in at most 3 MB', () => {
  const bytes = statSync(file).size;
  console.log(`# single.html: ${bytes} bytes`);
  assert.ok(bytes <= kSingle.limit, `${bytes} bytes`);
  const packed = JSON.parse(text.match(/id="files-data">(.*?)<\/script>/s)[1]);
  const samples = readdirSync(join(site, 'samples')).filter((name) => name.endsWith('.onnx')).map((name) => `samples/${name}`);
  const modules = readdirSync(site).filter((name) => /^kappaflow-(page|core|pictures-\w+)\.wasm$/.test(name));
  for (const name of [...modules, ...samples]) assert.ok(gunzipSync(decode85(packed[name])).equals(readFileSync(join(site, name))), name);
  const texts = JSON.parse(gunzipSync(decode85(packed.texts)).toString());
  for (const name of scenes.flatMap((id) => [`words/${id}.html`, `schemas/${id}.json`])) assert.equal(texts[name], readFileSync(join(site, name), 'utf8'), name);
  assert.match(readFileSync(join(site, 'lessons/every-lens.json'), 'utf8'), /href=..?docs\//, 'there is a link to leave out');
  for (const [name, written] of Object.entries(texts)) assert.doesNotMatch(written, /href=..?docs\//, name);
});

test('from file://, offline, it draws, computes in a worker and asks nobody for anything', async () => {
  const page = await openFile();
  assert.equal(await page.evaluate(() => window.kappaflow.runner.kind), 'worker');
  assert.equal((await describe(page)).status, 'ok');
  assert.equal(await page.locator('#cover').isVisible(), false);
  assert.ok(await page.evaluate(() => document.fonts.check('16px Kappaflow')), 'in its own letters');
  assert.deepEqual(foreign(page.asked), []);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

const chooser = shared(() => openFile(`?play=false&scene=${visited.at(-1)}`));
for (const scene of sampled)
  test(`from file:// ${scene} is chosen in place and shows its words`, async () => {
    const page = await chooser();
    await page.locator(`a[data-scene="${scene}"]`).click();
    await page.waitForFunction((id) => document.getElementById('words').dataset.scene === id && window.kappaflow.page.describe().scene === id, scene);
    await settle(page);
    assert.equal((await describe(page)).status, 'ok');
    assert.ok((await page.locator('#words').innerText()).length > 500);
    assert.ok((await page.locator('#words math').count()) > 0);
    assert.deepEqual(foreign(page.asked), []);
    assert.deepEqual(page.troubles, []);
  });

test('from file:// a trained network that comes with the program is computed', async () => {
  const page = await openFile('?scene=capacity-diffusion&network=strokes-cnn');
  const { status, params } = await describe(page);
  assert.equal(status, 'ok');
  assert.equal(params.find(({ key }) => key === 'network').value, 'strokes-cnn');
  assert.deepEqual(foreign(page.asked), []);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('from file:// the address keeps the state, and the copied link opens it again', async () => {
  const page = await openFile('?ui=lesson&theme=dark', { permissions: ['clipboard-read', 'clipboard-write'] });
  assert.equal((await describe(page)).dark, true);
  assert.equal(await page.locator('#scenes').isVisible(), false);
  await act(page, (p) => (p.play(false), p.setParam('layers', '13')));
  await untilStill(page);
  const link = await act(page, (p) => p.link());
  assert.equal(await addressOf(page, link), `${address}?ui=lesson&theme=dark#${link}`);
  await page.evaluate(() => window.kappaflow.outlet.copyLink());
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, `${address}?ui=lesson&theme=dark#${link}`);
  await page.goto('about:blank');
  await page.goto(copied);
  await untilShown(page);
  assert.equal(await act(page, (p) => p.link()), link);
  assert.equal((await describe(page)).params.find(({ key }) => key === 'layers').value, '13');
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('from file:// the numbers are saved as a file', async () => {
  const page = await openFile('?play=false');
  await page.locator('#numbers summary').click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
  assert.match(readFileSync(await download.path(), 'utf8'), /^name,value/);
  await page.finish();
});

const frame = (attributes) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><body><iframe title="figure" sandbox="allow-scripts" ${attributes} width="900" height="600"></iframe>`;
const quoted = (html) => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const script = (html) => JSON.stringify(html).replaceAll('<', '\\u003c');
const course = await bareServer({
  '/single.html': text,
  '/src': frame('src="/single.html?scene=shattering&amp;ui=figure"'),
  '/srcdoc': frame(`srcdoc="${quoted(text.replace('<html', '<html data-query="?scene=shattering&amp;ui=figure"'))}"`),
  '/blob': `${frame('')}<script>document.querySelector('iframe').src = URL.createObjectURL(new Blob([${script(text)}], { type: 'text/html' })) + '#scene=shattering'</script>`,
});

for (const way of ['src', 'srcdoc', 'blob'])
  test(`in a sandboxed frame by ${way}, from a server that sends no header, it draws and computes in a worker`, async () => {
    const page = await newPage(browser);
    const before = course.requests.length;
    await page.goto(course.url + way);
    await page.waitForFunction(() => document.querySelector('iframe'));
    const [, inner] = page.frames();
    await untilShown(inner);
    assert.equal(await inner.evaluate(() => window.origin), 'null');
    assert.equal(await inner.evaluate(() => window.kappaflow.page.describe().scene), 'shattering');
    assert.equal(await inner.evaluate(() => window.kappaflow.runner.kind), 'worker');
    assert.equal(await inner.locator('.column').evaluate((element) => element.getBoundingClientRect().height > 1), way === 'blob', 'ui=figure where it was asked for');
    await inner.evaluate(() => window.kappaflow.outlet.download('csv'));
    await inner.waitForSelector('.kf-offer textarea');
    assert.match(await inner.locator('.kf-offer textarea').inputValue(), /^name,value/);
    assert.deepEqual(course.requests.slice(before).filter((url) => !/^\/(src|srcdoc|blob|single\.html|favicon\.ico)/.test(url)), []);
    assert.deepEqual(page.troubles.filter((trouble) => !/favicon|404/.test(trouble)), []);
    await page.finish();
  });

test('a page inside another one\'s text gives the state as its link, to be put behind an address', async () => {
  const page = await newPage(browser);
  await page.goto(`${course.url}srcdoc`);
  const [, inner] = page.frames();
  await untilShown(inner);
  const link = await inner.evaluate(() => window.kappaflow.outlet.linkOf(window.kappaflow.page.link()));
  assert.match(link, /^#v=1&scene=shattering/);
  await page.finish();
});

test('a browser that cannot unpack the program says so, with the words still there', async () => {
  const page = await newPage(browser, { alone: true });
  await page.addInitScript(() => delete globalThis.DecompressionStream);
  await page.goto(`${address}?ui=full`);
  await page.locator('.kf-retry').waitFor();
  assert.match(await page.locator('.kf-cause').innerText(), /too old.*DecompressionStream/);
  assert.match(await page.locator('#words').innerText(), /\w{3}/);
  await page.finish();
});

// ---- the site, where its modules cannot be had ----

const server = await serve();
const embedding = await bareServer({
  '/nocors': frame(`src="http://localhost:${server.port}/nocors/?scene=shattering&amp;layers=20"`),
  '/noinline': frame(`src="http://localhost:${server.port}/noinline/?scene=shattering"`),
});

test('in a sandboxed frame without CORS headers the page goes on as the single file, with its query', async () => {
  const page = await newPage(browser);
  await page.goto(`${embedding.url}nocors`);
  await page.waitForFunction(() => frames.length === 1);
  const [, inner] = page.frames();
  await inner.waitForURL(/single\.html\?scene=shattering&layers=20/);
  await untilShown(inner);
  const { scene, params } = await inner.evaluate(() => window.kappaflow.page.describe());
  assert.equal(scene, 'shattering');
  assert.equal(params.find(({ key }) => key === 'layers').value, '20');
  await page.finish();
});

test('index.html opened from file:// goes on as the single file', async () => {
  const page = await newPage(browser, { ...small, offline: true });
  await page.goto(pathToFileURL(join(site, 'index.html')).href + '?scene=shattering');
  await page.waitForURL(/single\.html\?scene=shattering/);
  await untilShown(page);
  await page.finish();
});

test('where even that is forbidden the page says why, and what to do', async () => {
  const page = await newPage(browser);
  await page.goto(`${embedding.url}noinline`);
  const [, inner] = page.frames();
  const why = inner.locator('.kf-unreached');
  await why.waitFor();
  assert.match(await why.innerText(), /Access-Control-Allow-Origin.*Retry.*tab.*one file/s);
  await why.getByRole('link', { name: /one file/ }).click();
  await inner.waitForURL(/single\.html/);
  await inner.locator('.kf-unreached').waitFor();
  assert.match(await inner.locator('.kf-unreached').innerText(), /forbids scripts/);
  await page.finish();
});

test('the sentence about a missing program is not seen where the program comes', async () => {
  const page = await newPage(browser);
  await page.goto(`${server.url}?ui=full`);
  await untilShown(page);
  assert.equal(await page.locator('.kf-unreached').count(), 0);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});
