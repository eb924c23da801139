// Many figures in frames of one page: none blank, none drawing unseen, each in its reader's theme.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundlesOfScenes } from '../../tools/scripts/bundles.mjs';
import { beats, complete, counters, launch, newPage, paintEverything, serious, serve, untilShown, untilStill, violations } from './support.mjs';

paintEverything();
const browser = await launch();
const site = await serve();
const frame = (id, address, more = '') => `<iframe id="${id}" title="${id}" src="${address}" style="border:0;display:block;width:100%" ${more}></iframe>`;
const page = (style, frames) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><style>body { margin: 0 } ${style}</style><body>${frames.join('\n')}`;

const kMany = 20;
const many = Array.from({ length: kMany }, (_, index) => frame(`figure${index}`, `${site.url}?ui=figure&play=false&layers=${10 + index}`, 'sandbox="allow-scripts" loading="lazy"'));
const grid = 'body.grid { display: grid; grid-template-columns: repeat(5, 1fr); gap: 4px } .grid iframe { height: 196px } .column iframe { height: 500px; margin-bottom: 300px }';
const course = await serve({
  '/many': page(grid, many).replace('<body>', '<body class="grid">'),
  '/foreign': page('iframe { height: 500px }', [frame('figure', `${site.url}?ui=figure`, 'sandbox="allow-scripts"'), '<div style="height:4000px"></div>']),
  '/themes': page('iframe { height: 380px }', ['', '&theme=dark', '&theme=light'].map((theme, index) => frame(`figure${index}`, `${site.url}?ui=figure${theme}`, 'sandbox="allow-scripts"'))),
});
const kElements = 20, elements = Array.from({ length: kElements }, (_, index) => `<kappaflow-figure id="figure${index}" scene="capacity-diffusion" play="false" layers="${10 + index}" style="height:196px"></kappaflow-figure>`);
const own = await serve({
  '/elements': page('body { display: grid; grid-template-columns: repeat(5, 1fr); gap: 4px }', [...elements, '<script type="module" src="/element.mjs"></script>']), '/unseen': page('iframe { height: 500px }', ['<div style="height:3000px"></div>', frame('figure', '/?ui=figure&scene=shattering')]), '/own': page('iframe { height: 500px }', [frame('figure', '/?ui=figure'), '<div style="height:4000px"></div>']) });

/** Share of coloured pixels of a frame's part of the window: words are grey, pictures are not. */
async function colouredShares(page, ids) {
  const boxes = await page.evaluate((names) => names.map((name) => document.getElementById(name).getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height].map(Math.round)), ids);
  const png = await page.screenshot();
  return page.evaluate(async ([base64, places]) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return places.map(([x, y, width, height]) => {
      const { data } = context.getImageData(x, y, width, Math.min(height, bitmap.height - y));
      let coloured = 0;
      for (let at = 0; at < data.length; at += 4) coloured += Math.max(data[at], data[at + 1], data[at + 2]) - Math.min(data[at], data[at + 1], data[at + 2]) > 60;
      return coloured / (data.length / 4);
    });
  }, [png.toString('base64'), boxes]);
}

/** Until every one of these frames or elements shows a picture; fails with the shares of those that stay blank. */
async function untilPictured(page, ids) {
  for (const id of ids) {
    const frame = await (await page.$(`#${id}`)).contentFrame();
    if (frame) await untilShown(frame);
  }
  let shares = [];
  for (let looks = 0; looks < 30; ++looks) {
    shares = await colouredShares(page, ids);
    if (shares.every((share) => share > 0.003)) return;
    await beats(page, 20);
  }
  assert.fail(ids.map((id, index) => `${id} ${(100 * shares[index]).toFixed(2)} %`).join(', '));
}

test('of twenty figures none is blank: all in view at once, scrolled through, scrolled back', async () => {
  const page = await newPage(browser, { viewport: { width: 1000, height: 800 } });
  await page.goto(`${course.url}many`);
  const ids = Array.from({ length: kMany }, (_, index) => `figure${index}`);
  await untilPictured(page, ids);
  const all = await Promise.all(page.frames().slice(1).map((one) => counters(one)));
  const sum = (name) => all.reduce((total, each) => total + each[name], 0);
  console.log(`# contexts of ${kMany} figures in view: ${sum('contextsTaken')} taken, ${sum('contextsLost')} lost`);
  assert.ok(all.some(({ contextsLost }) => contextsLost > 0), 'there were more figures than contexts, or this test tests nothing');

  // A still picture wakes when a reader points at it.
  const stills = await Promise.all(page.frames().slice(1).map((one) => one.evaluate(() => !window.kappaflow.surface.drawable)));
  const still = stills.indexOf(true);
  assert.ok(still >= 0);
  await page.locator(`#figure${still}`).hover();
  await page.frames()[1 + still].waitForFunction(() => window.kappaflow.surface.drawable);

  await page.evaluate(() => (document.body.className = 'column'));
  for (let index = 0; index < kMany; index += complete ? 3 : 6) {
    await page.evaluate((name) => document.getElementById(name).scrollIntoView(), `figure${index}`);
    await untilPictured(page, [`figure${index}`]);
  }
  for (let y = 16000; y > 0; y -= 2000) {
    await page.evaluate((to) => scrollTo(0, to), y);
    await beats(page, 3);
  }
  for (const index of [13, 6, 0]) {
    await page.evaluate((name) => document.getElementById(name).scrollIntoView(), `figure${index}`);
    await untilPictured(page, [`figure${index}`]);
  }
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

for (const [whose, server] of [['foreign', course], ['own', own]])
  test(`a playing figure in a frame of ${whose} origin draws nothing while it is scrolled away`, async () => {
    const page = await newPage(browser);
    await page.goto(`${server.url}${whose}`);
    const figure = page.frames()[1];
    await untilShown(figure);
    await figure.evaluate(() => (window.kappaflow.page.play(true), window.kappaflow.wake()));
    await page.evaluate(() => scrollTo(0, 2500));
    await figure.waitForFunction(() => !window.kappaflow.seen, null, { polling: 100 }); // unseen frames of other origins have no animation frames
    const before = await counters(figure);
    await beats(page, 60);
    assert.equal((await counters(figure)).ticks, before.ticks);
    await page.evaluate(() => scrollTo(0, 0));
    await figure.waitForFunction((frames) => window.kappaflow.page.counters().frames > frames + 2, before.frames);
    await page.finish();
  });

test('figures follow the reader’s system or their author, and nothing moves where motion is not wanted', async () => {
  const page = await newPage(browser, { alone: true, colorScheme: 'dark', reducedMotion: 'reduce', viewport: { width: 700, height: 1200 } });
  await page.goto(`${course.url}themes`);
  const figures = page.frames().slice(1);
  for (const figure of figures) await untilShown(figure);
  const themes = () => Promise.all(figures.map((figure) => figure.evaluate(() => [document.documentElement.dataset.theme, window.kappaflow.page.describe().dark])));
  assert.deepEqual(await themes(), [['dark', true], ['dark', true], ['light', false]]);
  for (const figure of figures) assert.equal(await figure.evaluate(() => window.kappaflow.page.describe().playing), false);
  for (const figure of figures) await untilStill(figure);
  const before = await Promise.all(figures.map((figure) => counters(figure)));
  await beats(page, 60);
  for (const [index, figure] of figures.entries()) assert.equal((await counters(figure)).ticks, before[index].ticks, 'at rest');
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await figures[0].waitForFunction(() => !window.kappaflow.page.describe().dark);
  assert.deepEqual(await themes(), [['light', false], ['dark', true], ['light', false]]);
  await page.finish();
});

test('contrast=more draws for a projector; otherwise the figure follows the contrast that the reader prefers, and a tool changes it', async () => {
  const page = await newPage(browser, { alone: true, viewport: { width: 1000, height: 700 } });
  const looks = () => page.evaluate(() => [document.documentElement.dataset.contrast, window.kappaflow.page.describe().highContrast]);
  const curves = () => page.evaluate(() => [...new DOMParser().parseFromString(window.kappaflow.outlet.svg(), 'image/svg+xml').querySelectorAll('[data-mark="by-width/mean-field"], [data-mark="by-width/theorem"], path[data-mark="by-width/measured"]')].map((path) => Number(path.getAttribute('stroke-width'))));
  await page.goto(`${site.url}?scene=trajectory-length&sweepDraws=2&ui=figure&contrast=more`);
  await untilShown(page);
  assert.deepEqual(await looks(), ['more', true]);
  const wide = await curves();
  assert.ok(wide.length >= 2 && wide.every((width) => width >= 3), `widths ${wide}`);
  await page.goto(`${site.url}?scene=trajectory-length&sweepDraws=2&ui=figure`);
  await untilShown(page);
  assert.deepEqual(await looks(), ['usual', false]);
  assert.ok((await curves()).every((width) => width < 3));
  await page.emulateMedia({ contrast: 'more' });
  await page.waitForFunction(() => window.kappaflow.page.describe().highContrast);
  assert.deepEqual(await looks(), ['more', true]);
  await page.evaluate(() => window.kappaflow.setContrast('usual'));
  assert.deepEqual(await looks(), ['usual', false]);
  await page.finish();
});

for (const options of [...(complete ? [{ viewport: { width: 1280, height: 800 } }] : []), { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'dark' }])
  test(`the sample course page shows four figures of different states, ${options.viewport.width} pixels wide`, async () => {
    const page = await newPage(browser, options);
    await page.goto(`${site.url}embedding.html`);
    const links = [], frames = page.locator('iframe');
    assert.equal(await frames.count(), 4);
    for (let index = 0; index < 4; ++index) {
      await frames.nth(index).scrollIntoViewIfNeeded();
      const figure = await (await frames.nth(index).elementHandle()).contentFrame();
      await untilShown(figure);
      links.push(await figure.evaluate(() => window.kappaflow.page.link()));
      assert.equal(await figure.evaluate(() => document.documentElement.dataset.ui), 'figure');
      const box = await frames.nth(index).boundingBox();
      assert.ok(box.height >= 400 && box.width <= options.viewport.width);
    }
    assert.equal(new Set(links).size, 4);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(page.troubles, []);
    await page.finish();
  });

test('a figure that nobody has seen yet is printed as its scene\'s first picture, with its words', async () => {
  const page = await newPage(browser, { viewport: { width: 800, height: 500 } });
  await page.goto(`${own.url}unseen`);
  const frame = page.frames()[1];
  await frame.waitForFunction(() => document.querySelector('.kf-poster')?.naturalWidth > 0);
  const poster = frame.locator('.kf-poster');
  assert.equal(await poster.isVisible(), false);
  assert.equal(await frame.evaluate(() => Boolean(window.kappaflow.page)), false, 'nothing was started');
  await page.emulateMedia({ media: 'print' });
  assert.ok((await poster.boundingBox()).height > 150);
  assert.match(await frame.locator('.kf-cover').innerText(), /residual[\s\S]*strand/i);
  const pdf = await page.pdf();
  assert.ok(pdf.length > 20000, `${pdf.length} bytes`);
  await page.finish();
});

test('the guide, the sample page and the reference have no dead links and no serious fault for axe', async () => {
  for (const path of ['docs/embedding.html', 'embedding.html', 'docs/reference.html']) {
    const page = await newPage(browser, { viewport: { width: 390, height: 844 } });
    await page.goto(`${site.url}${path}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path} does not scroll sideways`);
    const links = await page.evaluate(() => [...document.querySelectorAll('a[href], iframe')].map(({ href, src }) => href ?? src));
    await page.evaluate(() => [...document.querySelectorAll('main > *')].slice(60).forEach((one) => one.remove())); // the reference goes on alike
    assert.deepEqual(serious(await violations(page)), [], path);
    const dead = [];
    for (const link of new Set(links.filter((one) => one.startsWith(site.url)))) if (!(await fetch(link)).ok) dead.push(link);
    assert.deepEqual(dead, []);
    await page.finish();
  }
  const reference = await (await fetch(`${site.url}docs/reference.html`)).text();
  for (const id of Object.keys(bundlesOfScenes())) {
    const { params, fields } = await (await fetch(`${site.url}schemas/${id}.json`)).json(), part = reference.slice(reference.indexOf(`<h2 id="${id}">`)).split('<h2', 2).join('');
    for (const { key } of params) assert.ok(part.includes(`<code>${key}</code>`), `${id} ${key}`);
    for (const { name } of fields) assert.ok(part.includes(`<code>${name}</code>`), `${id} ${name}`);
  }
  const index = await (await fetch(site.url)).text();
  assert.match(index, /href="docs\/embedding.html"/);
});

test('of twenty elements all are drawn and at most four run; one that rests runs again, in its state, when a reader or a script comes to it', async () => {
  const page = await newPage(browser, { alone: true, viewport: { width: 1000, height: 800 } });
  await page.goto(`${own.url}elements`);
  await page.mouse.move(999, 799);
  const ids = Array.from({ length: kElements }, (_, index) => `figure${index}`);
  await page.waitForFunction(() => [...document.querySelectorAll('kappaflow-figure')].filter(({ shadowRoot }) => shadowRoot?.querySelector('.kf-still')).length >= 16);
  await untilPictured(page, ids); // those that run may be the last
  for (let looks = 0; page.workers().length > 8 && looks < 100; ++looks) await beats(page, 2); // ended ones are gone by and by
  assert.ok(page.workers().length <= 8, `${page.workers().length} workers, two of each that runs`);

  const rests = (id) => page.evaluate((name) => Boolean(document.getElementById(name).shadowRoot.querySelector('.kf-still')), id);
  const resting = [];
  for (const id of ids) if (await rests(id)) resting.push(id);
  const [pointed, asked, changed] = resting;
  await page.locator(`#${pointed}`).hover();
  await page.waitForFunction((name) => !document.getElementById(name).shadowRoot.querySelector('.kf-still'), pointed);
  assert.equal(await page.evaluate(async (name) => (await document.getElementById(name).getState()).params.layers, asked), String(10 + Number(asked.slice(6))));
  assert.equal(await page.evaluate(async (name) => {
    const figure = document.getElementById(name);
    await figure.setState({ layers: 77 });
    while (!figure.shadowRoot.querySelector('.kf-still')) { // until others have been used instead
      for (const other of document.querySelectorAll('kappaflow-figure')) if (other !== figure) await other.getState();
      await new Promise((done) => setTimeout(done, 100));
    }
    return (await figure.getState()).params.layers;
  }, changed), '77');
  const still = page.locator('.kf-still').first();
  await still.focus();
  assert.match(await still.getAttribute('aria-label'), /\d/);
  await page.evaluate(() => (document.getElementById('figure19').setAttribute('layers', '31'), document.getElementById('figure19').getState().then(() => null)));
  await page.waitForFunction(() => document.getElementById('figure19').getState().then(({ params }) => params.layers === '31'));
  assert.deepEqual(page.troubles, []);
  await page.finish();
});
