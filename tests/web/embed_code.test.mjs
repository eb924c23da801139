// The code that a reader copies and an author pastes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bundlesOfScenes } from '../../tools/scripts/bundles.mjs';
import { act, describe, launch, newPage, open, serve, settle, site as folder, small, untilShown, untilStill } from './support.mjs';
import { addressOf as addressGiven, cardOf, figurePage, oembedOf } from '../../tools/scripts/figure_pages.mjs';
import { embedCode, titleInWords } from '../../web/embed_code.mjs';

const browser = await launch();
const site = await serve();

const param = (key, value, more = {}) => ({ key, value, label: key, unit: '', kind: 'integer', options: [], visible: true, group: 'main', ...more });
const described = (...params) => ({ title: 'A scene', params });

test('the title tells the scene and what differs from its first settings, in the words of its controls', () => {
  const description = described(
    param('layers', '48'),
    param('layer', 'residual', { kind: 'choice', label: 'layer type', options: [{ key: 'residual', label: 'with a skip' }] }),
    param('shared', 'true', { kind: 'boolean', label: 'shared weights' }),
    param('gradient', 'false', { kind: 'boolean', label: 'gradient' }),
    param('tilt', '25', { unit: '°', label: '*tilt*' }),
    param('profile', '0,1,2,3', { kind: 'profile', label: 'painted start' }),
    param('seed', '7', { visible: false }),
    param('at', '3', { group: 'hidden' }),
    param('kernel', 'random'),
  );
  assert.equal(
    titleInWords(description, 'v=1&scene=a&layers=48&layer=residual&shared=true&gradient=false&tilt=25&profile=0,1&seed=7&at=3'),
    "A scene — layers 48, layer type: with a skip, shared weights, gradient: no, tilt 25 °, painted start: of one's own",
  );
  assert.equal(titleInWords(description, 'v=1&scene=a'), 'A scene');
  const long = described(...Array.from({ length: 30 }, (_, index) => param(`param${index}`, '1')));
  const title = titleInWords(long, long.params.map(({ key }) => `${key}=1`).join('&'));
  assert.ok(title.length <= 160 && title.endsWith('…'));
});

test('nothing in a state, a title or an address can break out of the code', async () => {
  const nasty = '"><script>window.broken = true</script>';
  const code = embedCode({ address: `${site.url}${encodeURI('"q"')}'"/`, link: `v=1&x=${nasty}`, description: { title: nasty, params: [] }, hide: `${nasty}&ui=full`, theme: 'dark' });
  const page = await newPage(browser, { alone: true });
  await page.route('**/*', (route) => (route.request().isNavigationRequest() ? route.fulfill({ contentType: 'text/html', body: '' }) : route.abort()));
  await page.goto('http://localhost/');
  const found = await page.evaluate((html) => {
    document.body.innerHTML = html;
    const frame = document.body.firstElementChild, attributes = Object.fromEntries([...frame.attributes].map(({ name, value }) => [name, value]));
    return { elements: document.body.querySelectorAll('*').length, names: Object.keys(attributes), attributes, query: [...new URL(frame.src).searchParams] };
  }, code);
  assert.equal(found.elements, 1);
  assert.deepEqual(found.names, ['src', 'title', 'sandbox', 'allow', 'loading', 'style']);
  assert.equal(found.attributes.title, nasty);
  assert.deepEqual(found.query.filter(([key]) => ['ui', 'theme', 'hide'].includes(key)), [['ui', 'figure'], ['theme', 'dark'], ['hide', `${nasty}&ui=full`]]);
  await page.finish();
});

test('copied, pasted into another page and opened, the code shows the same state as a figure', async () => {
  const page = await open(browser, `${site.url}?scene=capacity-diffusion&hide=seed#scene=capacity-diffusion&layers=30`, { permissions: ['clipboard-read', 'clipboard-write'] });
  await settle(page);
  await act(page, (p) => (p.setParam('kernel', 'random'), p.setParam('topIndex', '11'), p.setParam('at', '4')));
  await settle(page);
  await page.locator('.kf-buttons button', { hasText: 'Copy embed code' }).evaluate((button) => button.click());
  await page.locator('.kf-toast', { hasText: 'Copied the code' }).waitFor();
  const code = await page.evaluate(() => navigator.clipboard.readText());
  const link = await act(page, (p) => p.link());
  assert.match(code, /^<iframe src="[^"]+" title="[^"]+ — [^"]*layers 30[^"]*" sandbox="allow-scripts" allow="clipboard-write; fullscreen" loading="lazy" style="width:100%;aspect-ratio:16\/10;[^"]*border:0"><\/iframe>$/);
  assert.ok(code.length < 700);
  const course = await serve({ '/': `<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><body>${code}` });
  await page.goto(course.url);
  const frame = page.frames()[1];
  await untilShown(frame);
  assert.equal(await frame.evaluate(() => window.kappaflow.page.link()), link);
  assert.equal(await frame.evaluate(() => window.kappaflow.options.hide), 'seed');
  assert.equal(await frame.evaluate(() => document.documentElement.dataset.ui), 'figure');
  assert.equal(await frame.evaluate(() => window.origin), 'null');
  const box = await page.locator('iframe').boundingBox();
  assert.ok(Math.abs(box.width / box.height - 1.6) < 0.01);
  assert.deepEqual(page.troubles, []);

  // Inside the sandbox a click copies as well; where nothing may be copied the code is shown.
  const again = await frame.evaluate(() => {
    document.execCommand = () => false;
    return window.kappaflow.outlet.copyEmbedCode().then(() => document.querySelector('.kf-offer textarea').value);
  });
  assert.equal(again, code);
  await page.finish();
});

test("a reader's own network file is said to be missing from the code, and a page without an address has none to give", async () => {
  const page = await open(browser, `${site.url}?ui=figure&play=false`, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.evaluate(async () => {
    const bytes = new Uint8Array(await (await fetch('samples/shapes-classifier.onnx')).arrayBuffer());
    window.kappaflow.page.attach('mine.onnx', bytes);
    window.kappaflow.wake();
  });
  await settle(page);
  assert.equal((await describe(page)).params.find(({ key }) => key === 'network').value, 'file');
  await page.evaluate(() => window.kappaflow.outlet.copyEmbedCode());
  assert.match(await page.locator('.kf-toast').innerText(), /network file is not in it/);
  await page.evaluate(() => {
    window.kappaflow.outlet.embed.address = () => '';
    return window.kappaflow.outlet.copyEmbedCode();
  });
  assert.match(await page.locator('.kf-toast').innerText(), /no address/);
  await page.finish();
});

test('the menu on the canvas copies it too', async () => {
  const page = await open(browser, `${site.url}?play=false`);
  await settle(page);
  await page.evaluate(() => {
    const { outlet, files } = window.kappaflow;
    outlet.copyEmbedCode = () => (window.copied = true);
    outlet.download = outlet.saveFigure = files.pick = () => {};
  });
  const box = await page.locator('#canvas').boundingBox();
  for (let row = 0; row < 8 && !(await page.evaluate(() => window.copied)); ++row) {
    await page.mouse.click(box.x + box.width - 23, box.y + 24);
    await untilStill(page);
    await page.mouse.click(box.x + box.width - 160, box.y + 66 + 32 * row);
    await untilStill(page);
  }
  assert.equal(await page.evaluate(() => window.copied), true);
  await page.finish();
});

test('every scene has a page that says without a script what it shows, with a picture for cards; no link of it is dead', async () => {
  const ids = Object.keys(bundlesOfScenes()), page = await newPage(browser, { ...small, javaScriptEnabled: false });
  for (const id of ids) {
    const png = readFileSync(join(folder, `figures/${id}.png`)), html = readFileSync(join(folder, `figures/${id}.html`), 'utf8');
    assert.deepEqual([png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)], ['PNG', 1200, 630], id);
    assert.ok(png.length > 8000 && png.length < 400e3, `${id}: ${png.length} bytes`);
    assert.match(html, /<meta property="og:title" content="[^"]{4,}">\n<meta property="og:description" content="[^"]{20,}">/);
    assert.ok(!/og:image|oembed|canonical/.test(html), 'without an address nothing claims one');
  }
  await page.goto(`${site.url}figures/capacity-diffusion.html`);
  assert.equal(await page.locator('img.card').evaluate(({ complete, naturalWidth }) => complete && naturalWidth), 1200);
  for (const link of await page.locator('a').evaluateAll((all) => all.map(({ href }) => href))) if (link.startsWith(site.url)) assert.equal((await fetch(link)).status, 200, link);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('where the site knows its address, pages name their picture in full and answer oEmbed', async () => {
  const scene = { id: 'shattering', title: 'A *title* & more', claim: 'What "it" claims.', lookAt: 'Look.', source: 'P1 Fig 3' };
  assert.equal(addressGiven('https://example.org/kappaflow'), 'https://example.org/kappaflow/');
  assert.equal(addressGiven(''), '');
  for (const bad of ['example.org', 'javascript:alert(1)', 'https://']) assert.throws(() => addressGiven(bad), /is no address such as/);
  const reader = await newPage(browser, small);
  const found = await reader.evaluate((html) => {
    const { head } = new DOMParser().parseFromString(html, 'text/html'), of = (name) => head.querySelector(`[property="${name}"], [name="${name}"]`)?.content;
    return { title: of('og:title'), description: of('og:description'), url: of('og:url'), image: of('og:image'), card: of('twitter:card'), canonical: head.querySelector('[rel=canonical]').href, oembed: head.querySelector('[type="application/json+oembed"]').href };
  }, figurePage(scene, 'https://example.org/k/'));
  assert.deepEqual(found, {
    title: 'A title & more', description: 'What "it" claims.', url: 'https://example.org/k/figures/shattering.html', image: 'https://example.org/k/figures/shattering.png', card: 'summary_large_image',
    canonical: 'https://example.org/k/figures/shattering.html', oembed: 'https://example.org/k/figures/shattering.json',
  });
  const { version, type, width, height, html, thumbnail_url } = oembedOf(scene, 'https://example.org/k/');
  assert.deepEqual([version, type, width, height, thumbnail_url], ['1.0', 'rich', 800, 560, 'https://example.org/k/figures/shattering.png']);
  assert.match(html, /^<iframe src="https:\/\/example\.org\/k\/\?scene=shattering&amp;ui=figure" title="A title &amp; more"/);
  assert.match(cardOf({ address: '', path: '', image: '', title: 'a"b', description: '<c>' }), /content="a&quot;b">\n.*&lt;c&gt;/);
  await reader.finish();
});
