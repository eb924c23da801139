/**
 * Times of the built page in Chromium, never asserted: page_bench.mjs [parts of names] (KAPPAFLOW_SITE: the site's folder, RUNS: how often, 5).
 * Medians, one line each as of the other benchmarks: name|value unit. Drawing is done in software here, so frames are slow; with UNPAINTED=1
 * triangles are not painted, and what is measured is the program's own part, as beside a graphics card.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { table, weights } from '../scripts/weights.mjs';
import { serveSite } from '../../tests/web/server.mjs';

const site = resolve(process.env.KAPPAFLOW_SITE ?? `${fileURLToPath(import.meta.url)}/../../../build/web/site`);
const runs = Number(process.env.RUNS ?? 5);
const flags = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const article = `<!doctype html><html lang="en"><meta charset="utf-8"><title>An article</title><body style="margin:0"><canvas style="width:800px;height:500px"></canvas><div style="height:3000px"></div>
<script type="module">import { createKappaflow } from '/host.mjs'; window.kappaflow = await createKappaflow({ canvas: document.querySelector('canvas') });</script>`;
const course = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><body><iframe title="figure" sandbox="allow-scripts" src="/noinline/" width="900" height="600"></iframe>`;
const empty = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Nothing</title><body style="margin:0"><canvas width="900" height="600"></canvas>`;
const framed = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A frame</title><body><iframe title="figure" src="/?ui=figure&scene=shattering" width="900" height="600"></iframe>`;
const element = `<!doctype html><html lang="en"><meta charset="utf-8"><title>An element</title><body><script type="module" src="/element.mjs"></script><kappaflow-figure scene="shattering" style="display:block;width:900px;height:600px"></kappaflow-figure>`;
const server = await serveSite(site, { '/article': article, '/sandboxed': course, '/empty': empty, '/framed': framed, '/element': element });
const host = await chromium.launchServer({ executablePath: '/usr/bin/chromium-headless-shell', args: flags });
const browser = await chromium.connect(host.wsEndpoint());

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? NaN;
const median = (values) => quantile(values, 0.5);
const print = (name, value, unit) => console.log(`${name.padEnd(56)}|${value.toFixed(1).padStart(10)} ${unit}`);
const times = async (count, action) => {
  const found = [];
  for (let run = 0; run < count; ++run) found.push(await action());
  return found;
};

async function newPage(viewport = { width: 1280, height: 800 }) {
  const page = await (await browser.newContext({ viewport })).newPage();
  if (process.env.UNPAINTED) await page.addInitScript(() => ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced'].forEach((name) => (WebGL2RenderingContext.prototype[name] = () => {})));
  page.end = () => page.context().close();
  return page;
}

async function open(path = '', viewport) {
  const page = await newPage(viewport);
  await page.goto(server.url + path);
  await page.waitForFunction(() => window.kappaflow?.page?.counters().results > 0 && window.kappaflow.page.counters().frames > 0);
  return page;
}

/** [first text, first frame, first result], milliseconds after the page was asked for, in a browser that has nothing of it yet. */
async function startOnce(url) {
  const page = await newPage();
  await page.addInitScript(() => {
    const look = () => {
      const counters = window.kappaflow?.page?.counters();
      if (counters?.frames > 0) window.firstFrame ??= performance.now();
      if (counters?.results > 0) window.firstResult ??= performance.now();
      if (!window.firstFrame || !window.firstResult) setTimeout(look, 2);
    };
    look();
  });
  await page.goto(url);
  await page.waitForFunction(() => window.firstFrame && window.firstResult);
  const seen = await page.evaluate(() => [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN, window.firstFrame, window.firstResult]);
  await page.end();
  return seen;
}

async function start(name, url) {
  const seen = await times(runs, () => startOnce(url));
  ['first text visible', 'first interactive frame', 'first picture of a result'].forEach((what, index) => print(`${name}: ${what}`, median(seen.map((run) => run[index])), 'ms'));
}

/** First picture of an element beside that of a frame with the same figure, in turns; goal of the ratio 1.2. */
async function elementBesideFrame() {
  const once = async (path) => {
    const page = await newPage();
    await page.goto(server.url + path, { waitUntil: 'commit' });
    const took = await page.waitForFunction(() => {
      const frame = document.querySelector('iframe'), root = frame ? frame.contentDocument : document.querySelector('kappaflow-figure')?.shadowRoot;
      const program = frame?.contentWindow.kappaflow;
      const drawn = root?.querySelector('.kf-cover') && !root.querySelector('.kf-cover:not([hidden])') && (!frame || program?.page?.counters().results > 0);
      return drawn && performance.now();
    }, null, { polling: 5 });
    const found = await took.jsonValue();
    await page.end();
    return found;
  };
  const pairs = await times(2 * runs, async () => ({ frame: await once('framed'), element: await once('element') }));
  const [frame, element] = ['frame', 'element'].map((name) => median(pairs.map((pair) => pair[name])));
  print('a frame, first picture', frame, 'ms');
  print('an element, first picture', element, 'ms');
  console.log(`${'an element over a frame'.padEnd(56)}|${(element / frame).toFixed(2).padStart(10)} ×`);
}

/** From asking for a page of a bad host to its saying why, with what to do; goal 2 s. */
async function cause(name, path, selector) {
  const took = await times(runs, async () => {
    const page = await newPage();
    await page.addInitScript((wanted) => {
      const look = () => {
        const found = document.querySelector(wanted);
        if (found && getComputedStyle(found).visibility === 'visible') window.toldAfter = performance.now();
        else setTimeout(look, 10);
      };
      look();
    }, selector);
    await page.goto(server.url + path, { waitUntil: 'commit' });
    const frame = path === 'sandboxed' ? await (await page.waitForSelector('iframe')).contentFrame() : page;
    const seconds = await (await frame.waitForFunction(() => window.toldAfter)).jsonValue();
    await page.end();
    return seconds;
  });
  print(`${name}, until the page says so`, median(took), 'ms');
}

/** From the context's coming back to the first frame drawn with it; goal 1 s. */
async function contextLoss() {
  const page = await open('?play=false');
  const took = await page.evaluate(async (count) => {
    const { surface, page } = window.kappaflow, found = [], pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
    for (let run = 0; run < count; ++run) {
      await pause(600); // the picture is kept, see surface.mjs
      const lose = surface.context().getExtension('WEBGL_lose_context');
      lose.loseContext();
      while (surface.drawable) await pause(2);
      const { frames } = page.counters(), begun = performance.now();
      lose.restoreContext();
      while (!surface.drawable || page.counters().frames === frames) await pause(2);
      found.push(performance.now() - begun);
    }
    return found;
  }, runs);
  print('a lost context, until a frame is drawn again', median(took), 'ms');
  await page.end();
}

/** From a change to its result while a job of seconds runs, which is given up for it; goal 100 ms and the way of a job. */
async function givenUp() {
  const page = await open('?kernel=random&play=false');
  const took = await page.evaluate(async (count) => {
    const { page } = window.kappaflow, found = [], pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
    for (let run = 0; run < count; ++run) {
      page.setParam('draws', '1000');
      window.kappaflow.wake();
      await pause(400);
      const begun = performance.now(), layers = 11 + run;
      page.setParam('draws', '1');
      page.setParam('layers', String(layers));
      window.kappaflow.wake();
      while (!page.describe().summary.includes(`${layers} layers`)) await pause(2);
      found.push(performance.now() - begun);
    }
    return found;
  }, runs);
  print('a long job given up for the newest change', median(took), 'ms');
  await page.end();
}

/** The longest wait on the page's own thread while it computes there, because workers are refused. */
async function inline() {
  const page = await open('noworkers/?kernel=random&play=false');
  const took = await page.evaluate(async (count) => {
    const { page } = window.kappaflow, found = [];
    for (let run = 0; run < count; ++run) {
      page.setParam('draws', String(400 + run));
      window.kappaflow.wake();
      let longest = 0;
      for (let before = performance.now(); page.describe().busy; before = performance.now()) {
        await new Promise((done) => setTimeout(done));
        longest = Math.max(longest, performance.now() - before);
      }
      found.push(longest);
    }
    return found;
  }, runs);
  print('without workers: longest wait on the page\'s thread', median(took), 'ms');
  await page.end();
}

/** Draws of an ensemble whose job takes about 20 ms in this browser. */
async function drawsForTwentyMilliseconds() {
  const page = await open('?play=false');
  const draws = await page.evaluate(async () => {
    const { instantiate } = await import('/loader.mjs');
    const core = await instantiate((await import('/kappaflow-core.mjs')).default, await WebAssembly.compileStreaming(fetch('/kappaflow-core.wasm')));
    const time = (draws) => {
      const begun = performance.now();
      core.run('capacity-diffusion', { kernel: 'random', draws }, {});
      return performance.now() - begun;
    };
    for (let warm = 0; warm < 20; ++warm) time(40);
    return Math.ceil((40 * 20) / Math.min(...Array.from({ length: 30 }, () => time(40))));
  });
  await page.end();
  return draws;
}

/** From a changed param to its result in the page, the worker's journey included. */
async function recompute(name, path, key, values) {
  const page = await open(path);
  const took = await page.evaluate(async ([param, choices]) => {
    const { page } = window.kappaflow, found = [];
    page.play(false);
    for (let run = 0; run < 40; ++run) {
      const { results } = page.counters(), begun = performance.now();
      page.setParam(param, choices[run % choices.length]);
      window.kappaflow.wake();
      while (page.counters().results === results) await new Promise((done) => setTimeout(done));
      found.push(performance.now() - begun);
    }
    return found.slice(10);
  }, [key, values]);
  print(`${name}, from a change to its result`, median(took), 'ms');
  await page.end();
}

async function bareRecompute() {
  const page = await open();
  const took = await page.evaluate(async () => {
    const { instantiate } = await import('/loader.mjs');
    const core = await instantiate((await import('/kappaflow-core.mjs')).default, await WebAssembly.compileStreaming(fetch('/kappaflow-core.wasm')));
    const found = [];
    for (let run = 0; run < 300; ++run) {
      const begun = performance.now();
      core.run('capacity-diffusion', {}, {});
      found.push(performance.now() - begun);
    }
    return found.slice(100);
  });
  print('default scene, computed in the browser', median(took), 'ms');
  await page.end();
}

/** Time and distance of every frame from now on: window.frameTimes() gives {spent, apart} and forgets them. */
const watchFrames = (page) =>
  page.evaluate(() => {
    const { frames } = window.kappaflow, draw = frames.draw.bind(frames);
    let spent = [], apart = [], last = 0;
    frames.draw = () => {
      const begun = performance.now();
      if (last) apart.push(begun - last);
      last = begun;
      draw();
      spent.push(performance.now() - begun);
    };
    window.frameTimes = () => {
      const seen = { spent, apart };
      [spent, apart, last] = [[], [], 0];
      return seen;
    };
  });

/** Drags a handle to and fro for about two seconds, as a mouse does: without waiting for an answer. */
async function drag(page, mouse, { x, y }) {
  await mouse('mousePressed', x, y);
  const counters = () => page.evaluate(() => window.kappaflow.page.counters());
  let first;
  for (let step = 0; step < 130; ++step) {
    if (step === 20) first = { ...(await counters()), at: performance.now(), forgotten: await page.evaluate(() => void window.frameTimes()) };
    mouse('mouseMoved', x + 80 * (Math.abs(((step / 10) % 4) - 2) - 1), y);
    await pause(16);
  }
  const last = { ...(await counters()), at: performance.now() };
  const seen = await page.evaluate(() => window.frameTimes());
  await mouse('mouseReleased', x, y);
  return { ...seen, results: (1000 * (last.results - first.results)) / (last.at - first.at) };
}

async function dragging(name, path, handle = 'top', viewport = undefined) {
  const page = await open(path, viewport);
  await page.evaluate(() => (window.kappaflow.page.play(false), window.kappaflow.wake()));
  await pause(500);
  await watchFrames(page);
  const box = await page.locator('#canvas').boundingBox();
  const top = await page.evaluate((wanted) => window.kappaflow.page.describe().handles.find(({ id }) => id === wanted), handle);
  const devtools = await page.context().newCDPSession(page);
  const mouse = (type, x, y) => devtools.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons: type === 'mouseReleased' ? 0 : 1, clickCount: 1 });
  const from = { x: box.x + top.x + top.width / 2, y: box.y + top.y + top.height / 2 };
  const seen = await times(runs, () => drag(page, mouse, from));
  for (const [what, key] of [['main thread for a frame', 'spent'], ['from frame to frame', 'apart']])
    for (const [label, share] of [['p50', 0.5], ['p95', 0.95]]) print(`${name}: ${what}, ${label}`, median(seen.map((run) => quantile(run[key], share))), 'ms');
  print(`${name}: results`, median(seen.map(({ results }) => results)), 'per second');
  await page.end();
}

/** From frame to frame while a scene plays, beside a canvas that is only cleared. */
async function playing(name, path) {
  const page = await open(path);
  await watchFrames(page);
  await page.evaluate(() => (window.kappaflow.page.play(true), window.kappaflow.wake(), window.frameTimes()));
  await pause(4000);
  const { spent, apart } = await page.evaluate(() => window.frameTimes());
  await page.goto(`${server.url}empty`);
  const cleared = await page.evaluate(async () => {
    const gl = document.querySelector('canvas').getContext('webgl2'), found = [];
    for (let last = performance.now(), frame = 0; frame < 120; ++frame) {
      const now = await new Promise(requestAnimationFrame);
      gl.clearColor(frame % 2, 0, 0, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      found.push(now - last);
      last = now;
    }
    return found.slice(20);
  });
  print(`${name}: main thread for a frame, p50`, median(spent), 'ms');
  print(`${name}: from frame to frame, p50`, median(apart), 'ms');
  print(`${name}: the same of an empty canvas`, median(cleared), 'ms');
  await page.end();
}

/** Seconds of processor time used by our browser and all its children. */
function cpuSeconds() {
  const stats = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ');
      return [{ pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
    } catch {
      return []; // ended meanwhile
    }
  });
  const family = new Set([host.process().pid]);
  for (let before = 0; before !== family.size;) {
    before = family.size;
    for (const { pid, parent } of stats) if (family.has(parent)) family.add(pid);
  }
  return stats.reduce((sum, { pid, ticks }) => sum + (family.has(pid) ? ticks / 100 : 0), 0);
}

/** Frames and processor time of a page that nobody touches. */
async function resting(name, path, prepare) {
  const page = await open(path);
  await page.evaluate(prepare);
  await pause(2500);
  const seen = await times(runs, async () => {
    const cpu = cpuSeconds(), begun = performance.now(), { frames } = await page.evaluate(() => window.kappaflow.page.counters());
    await pause(2000);
    const used = (100 * 1000 * (cpuSeconds() - cpu)) / (performance.now() - begun);
    return { used, frames: (await page.evaluate(() => window.kappaflow.page.counters())).frames - frames };
  });
  print(`${name}: frames drawn in 2 s`, median(seen.map(({ frames }) => frames)), 'frames');
  print(`${name}: the whole browser`, median(seen.map(({ used }) => used)), '% of a core');
  await page.end();
}

const asked = process.argv.slice(2);
/** Takes a measurement, unless the command line asks for others. */
const take = async (name, measure, ...given) => {
  if (!asked.length || asked.some((part) => name.includes(part))) await measure(name, ...given);
};
const regions = (widths) => `?scene=activation-regions&widths=${widths}&biasVariance=1&play=false`;
const small = { width: 400, height: 320 };
if (!asked.length) console.log(table(weights(site)), '\n');
await take('page', start, server.url);
await take('single.html, served', start, `${server.url}single.html`);
await take('single.html, from file://', start, pathToFileURL(join(site, 'single.html')).href);
await take('an element over a frame', elementBesideFrame);
for (const [name, fault] of [['a stalled module', 'stall/'], ['a missing module', 'missing/'], ['no module', 'badwasm/']]) await take(name, cause, fault, '.kf-retry:not([hidden])');
await take('a sandbox that forbids scripts', cause, 'sandboxed', '.kf-unreached');
await take('a lost context', contextLoss);
await take('default scene, computed', bareRecompute);
await take('a long job given up', givenUp);
await take('without workers', inline);
await take('default scene', recompute, '', 'layers', ['25', '24']);
await take('a hundred layers of 257', recompute, '?extent=257', 'layers', ['100', '101']);
await take('regions of 2-32-32-32', recompute, regions('32,32,32'), 'seed', ['101', '102']);
await take('regions of 2-64-64-64-64', recompute, regions('64,64,64,64'), 'seed', ['101', '102']);
await take('drag', dragging, '');
await take('drag, small figure', dragging, '?ui=figure&extent=33');
await take('drag, jobs of 20 ms', async (name) => dragging(name, `?ui=figure&kernel=random&draws=${await drawsForTwentyMilliseconds()}`, 'top', small));
await take('ν of 64 units × 16 layers', dragging, '?scene=nu-continuum&inputs=64&features=64&layers=16', 'nu');
await take('a weight of 2-32-32-32', dragging, regions('32,32,32'), 'weight 1.0.0');
await take('a line of 2-32-32-32', dragging, regions('32,32,32'), 'line');
await take('the unfolded layers of 2-32-32-32', dragging, `${regions('32,32,32')}&unfold=true`, 'orbit');
await take('the unfolded layers of 2-80-72-72', dragging, `${regions('80,72,72')}&unfold=true`, 'orbit');
await take('400 parcels through 48 layers', playing, '?layers=48&extent=97&play=false');
await take('the plane of 3-64-64-64-64', dragging, `${regions('64,64,64,64')}&inputs=3`, 'azimuth');
await take('idle', resting, '', () => (window.kappaflow.page.play(false), window.kappaflow.wake()));
await take('playing out of sight', resting, 'article', () => (window.kappaflow.page.play(true), window.kappaflow.wake(), scrollTo(0, 2500)));
await browser.close();
await host.close();
await server.close();
