/** Times of the page in Chromium, never asserted: page_bench.mjs (KAPPAFLOW_SITE: the site's folder). Software drawing, so frames are slow. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serveSite } from '../tests/web/server.mjs';

const site = resolve(process.env.KAPPAFLOW_SITE ?? `${fileURLToPath(import.meta.url)}/../../build/web/site`);
const flags = ['--headless=new', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const server = await serveSite(site);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const print = (name, value, unit) => console.log(`${name.padEnd(52)} ${value.toFixed(1).padStart(8)} ${unit}`);
const open = async (path = '') => {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(server.url + path);
  await page.waitForFunction(() => window.kappaflow?.page?.counters().results > 0 && window.kappaflow.shown);
  return page;
};

async function start() {
  const texts = [], frames = [], results = [];
  for (let run = 0; run < 5; ++run) {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    await page.addInitScript(() => {
      const look = () => {
        const counters = window.kappaflow?.page?.counters();
        if (counters?.frames > 0) window.firstFrame ??= performance.now();
        if (counters?.results > 0) window.firstResult = performance.now();
        else setTimeout(look, 2);
      };
      look();
    });
    await page.goto(server.url);
    await page.waitForFunction(() => window.firstResult);
    const seen = await page.evaluate(() => [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, window.firstFrame, window.firstResult]);
    [texts, frames, results].forEach((list, index) => list.push(seen[index]));
    await page.context().close();
  }
  print('first text visible', median(texts), 'ms');
  print('first interactive frame', median(frames), 'ms');
  print('first result shown', median(results), 'ms');
}

/** From a changed param to its result in the page, the worker's journey included. */
async function recompute(name, path, key, values) {
  const page = await open(path);
  const times = await page.evaluate(async ([param, choices]) => {
    const { page } = window.kappaflow, times = [];
    page.play(false);
    for (let run = 0; run < 40; ++run) {
      const { results } = page.counters(), start = performance.now();
      page.setParam(param, choices[run % choices.length]);
      window.kappaflow.wake();
      while (page.counters().results === results) await new Promise((done) => setTimeout(done));
      times.push(performance.now() - start);
    }
    return times.slice(10);
  }, [key, values]);
  print(`recompute ${name}, to the result in the page`, median(times), 'ms');
  await page.context().close();
}

async function bareRecompute() {
  const page = await open();
  const took = await page.evaluate(async () => {
    const { instantiate } = await import('/loader.mjs');
    const core = await instantiate((await import('/kappaflow-core.mjs')).default, await WebAssembly.compileStreaming(fetch('/kappaflow-core.wasm')));
    const times = [];
    for (let run = 0; run < 300; ++run) {
      const start = performance.now();
      core.run('capacity-diffusion', {}, {});
      times.push(performance.now() - start);
    }
    return times.slice(100).sort((a, b) => a - b)[100];
  });
  print('default scene computed in the browser', took, 'ms');
  await page.context().close();
}

async function frame() {
  const page = await open();
  const times = await page.evaluate(async () => {
    const { page } = window.kappaflow, times = [];
    page.play(false);
    for (let run = 0; run < 60; ++run) {
      page.pointerMove(300 + run, 300, false);
      const start = performance.now();
      page.frame(start / 1000);
      times.push(performance.now() - start);
      await new Promise((done) => setTimeout(done, 80));
    }
    return times.slice(10);
  });
  print('one frame on the main thread', median(times), 'ms');
  await page.context().close();
}

/** Clock ticks used by all processes of the browser, from /proc. */
function cpuSeconds() {
  const pids = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n').filter((line) => line.includes('--headless=new') || line.includes('--type=')).map((line) => line.trim().split(/\s+/)[0]);
  return pids.reduce((total, pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ');
      return total + Number(fields[11]) + Number(fields[12]);
    } catch {
      return total; // ended meanwhile
    }
  }, 0) / 100;
}

async function idle() {
  const page = await open();
  await page.evaluate(() => (window.kappaflow.page.play(false), window.kappaflow.wake()));
  await new Promise((done) => setTimeout(done, 2000));
  const before = cpuSeconds(), start = performance.now();
  await new Promise((done) => setTimeout(done, 5000));
  print('CPU of the whole browser while the page idles', (100 * 1000 * (cpuSeconds() - before)) / (performance.now() - start), '% of a core');
  await page.context().close();
}

await start();
await bareRecompute();
await recompute('the default scene', '', 'layers', ['25', '24']);
await recompute('a hundred layers of 257', '?extent=257', 'layers', ['100', '101']);
await frame();
await idle();
await browser.close();
await server.close();
