// Browsers beside Chromium, which all other files use: the page, a figure in a sandbox and an element in each that is installed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { browsers } from './browsers.mjs';
import { complete, serve } from './support.mjs';

const site = await serve();
const course = await serve({
  '/frame': `<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><iframe id="figure" title="figure" sandbox="allow-scripts" width="700" height="420" src="${site.url}?scene=shattering&layers=12&play=false&ui=figure"></iframe>`,
  '/many': `<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><body style="display:grid;grid-template-columns:repeat(5,1fr)">${Array.from({ length: 20 }, (_, index) => `<kappaflow-figure scene="capacity-diffusion" play="false" layers="${10 + index}" style="height:180px"></kappaflow-figure>`).join('')}<script type="module" src="${site.url}element.mjs"></script>`,
  '/element': `<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><kappaflow-figure scene="shattering" layers="12" play="false"></kappaflow-figure><script type="module" src="${site.url}element.mjs"></script>`,
});

/** Of the program that this document runs, once it has a result, and has drawn it or cannot. */
const kSeen = `for (;;) {
  const flow = window.kappaflow, state = flow?.page?.describe();
  if (state && !state.busy && state.status === 'ok' && (flow.page.counters().frames || document.querySelector('.kf-without-picture'))) return { scene: state.scene, summary: state.summary, worker: flow.runner.kind, frames: flow.page.counters().frames,
    picture: !document.querySelector('.kf-without-picture'), file: location.pathname.split('/').pop(), origin: String(window.origin) };
  await new Promise((done) => setTimeout(done, 50));
}`;
const kPolicy = "const told = new Promise((done) => { addEventListener('securitypolicyviolation', ({ violatedDirective }) => done(violatedDirective)); setTimeout(() => done('allowed'), 3000); }); fetch('http://127.0.0.1:9/').catch(() => {}); return told";

for (const [name, { start, missing }] of Object.entries(browsers)) {
  const skip = missing.length ? `${missing.join(' and ')} missing` : false;
  const inFull = skip || (name === 'WebKitGTK' && !complete && 'in the complete run: minutes in software');
  let driver;
  const begun = skip ? null : start();
  begun?.catch(() => {});
  after(async () => (await begun?.catch(() => null))?.close());

  test(`${name}: the page computes in a worker and holds its own policy`, { skip }, async () => {
    driver = await begun;
    await driver.goto(`${site.url}?play=false`);
    const seen = await driver.run(kSeen);
    assert.deepEqual([seen.scene, seen.worker], ['capacity-diffusion', 'worker']);
    assert.match(seen.summary, /\d/);
    assert.equal(await driver.run(kPolicy), 'connect-src');
    assert.ok(seen.picture && seen.frames > 0, 'with WebGL 2, in software');
  });

  test(`${name}: a figure in a sandbox runs from the site's own files, not from the single one`, { skip }, async () => {
    driver = await begun;
    site.requests.length = 0;
    await driver.goto(`${course.url}frame`);
    await driver.frame('figure');
    const seen = await driver.run(kSeen);
    assert.deepEqual([seen.scene, seen.origin, seen.worker, seen.file], ['shattering', 'null', 'worker', '']);
    assert.equal(await driver.run(kPolicy), 'connect-src');
    assert.ok(!site.requests.some((path) => path.includes('single.html')));
  });

  test(`${name}: a question of a scene's steps is answered, and the last sign leads to all controls`, { skip: inFull }, async () => {
    driver = await begun;
    await driver.goto(`${site.url}?scene=capacity-diffusion&ui=lesson#step=2`);
    const found = await driver.run(`const until = async (look) => { for (;;) { const found = look(); if (found) return found; await new Promise((done) => setTimeout(done, 50)); } };
      const options = await until(() => document.querySelectorAll('.question .option input').length && document.querySelectorAll('.question .option input'));
      options[1].click();
      document.querySelector('.question .check').click();
      await until(() => document.querySelector('.question').dataset.state);
      return { state: document.querySelector('.question').dataset.state, says: document.querySelector('.feedback').textContent, last: document.querySelector('.dots .all').getAttribute('href') };`);
    assert.equal(found.state, 'right', found.says);
    await driver.goto(new URL(found.last, site.url).href);
    assert.equal((await driver.run(kSeen)).scene, 'capacity-diffusion');
  });

  test(`${name}: an element on another site's page computes and gives its picture as a document`, { skip: inFull }, async () => {
    driver = await begun;
    await driver.goto(`${course.url}element`);
    const found = await driver.run(`const figure = document.querySelector('kappaflow-figure'); await customElements.whenDefined('kappaflow-figure');
      const state = await new Promise((done) => { figure.addEventListener('result', ({ detail }) => done(detail)); figure.getState().then((now) => now.status === 'ok' && now.summary && done(now)); });
      return { scene: state.scene, layers: state.params.layers, svg: await figure.toSVG() };`);
    assert.deepEqual([found.scene, found.layers], ['shattering', '12']);
    assert.match(found.svg, /^<\?xml|^<svg/);
  });

  test(`${name}: of twenty elements all are drawn`, { skip: inFull }, async () => {
    driver = await begun;
    const from = performance.now();
    await driver.goto(`${course.url}many`);
    const blank = await driver.run(`const all = [...document.querySelectorAll('kappaflow-figure')], drawn = new Set();
      while (drawn.size < all.length) {
        for (const figure of all) if (figure.shadowRoot?.querySelector('.kf-still')) drawn.add(figure);
        if (drawn.size >= 16) for (const figure of all) if (!figure.shadowRoot.querySelector('.kf-cover:not([hidden]), .kf-without-picture')) drawn.add(figure);
        await new Promise((done) => setTimeout(done, 50));
      }
      return all.filter((figure) => {
        const shown = figure.shadowRoot.querySelector('.kf-still') ?? figure.shadowRoot.querySelector('canvas'), copy = Object.assign(document.createElement('canvas'), { width: 200, height: 100 });
        const pen = copy.getContext('2d');
        pen.drawImage(shown, 0, 0, 200, 100);
        return new Set(new Uint32Array(pen.getImageData(0, 0, 200, 100).data.buffer)).size < 20;
      }).length;`);
    assert.equal(blank, 0);
    console.log(`# ${name}: twenty elements in ${((performance.now() - from) / 1000).toFixed(1)} s`);
  });
}
