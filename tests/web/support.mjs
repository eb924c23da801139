/** What the browser tests share: one browser a file, pages that fail on console errors, waiting for a running instance. */
import { after } from 'node:test';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serveSite } from './server.mjs';

export const house = resolve(fileURLToPath(import.meta.url), '../../..');
export const site = resolve(process.env.KAPPAFLOW_SITE ?? `${house}/build/web/site`);

const kFlags = [
  '--headless=new', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
];

export async function launch(...flags) {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: [...kFlags, ...flags] });
  after(() => browser.close());
  return browser;
}

export async function serve(pages) {
  const server = await serveSite(site, pages);
  after(() => server.close());
  return server;
}

/** A page whose console errors and uncaught errors are collected in `page.troubles`. */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.troubles = [];
  page.on('console', (message) => message.type() === 'error' && page.troubles.push(message.text()));
  page.on('pageerror', (error) => page.troubles.push(error.message));
  page.finish = () => context.close();
  return page;
}

/** Until the program in this page or frame has drawn a finished result. */
export async function untilShown(frame, name = 'kappaflow') {
  await frame.waitForFunction((key) => window[key]?.page?.counters().results > 0 && window[key].page.counters().frames > 0 && !window[key].page.describe().busy, name, { timeout: 20000 });
}

export async function open(browser, url, options) {
  const page = await newPage(browser, options);
  await page.goto(url);
  await untilShown(page);
  return page;
}

/** Puts an action on the program and lets it draw. */
export const act = (page, action, argument) =>
  page.evaluate(([text, value]) => {
    const result = new Function('page', 'value', `return (${text})(page, value)`)(window.kappaflow.page, value);
    window.kappaflow.wake();
    return result;
  }, [action.toString(), argument]);

/** Stops what moves by itself, and waits until nothing is computed or drawn any more. */
export async function settle(page) {
  await page.evaluate(() => (window.kappaflow.page.play(false), window.kappaflow.wake()));
  await untilStill(page);
}

/**
 * Until four looks at the page, each after a frame of the browser's own, find it idle and nothing newly drawn: on a busy machine
 * a frame that was asked for may be half a second late. A frame out of sight is given none, so half a second stands for it.
 */
export async function untilStill(page) {
  await page.evaluate(async () => {
    const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
    const frame = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(500)]);
    const state = () => JSON.stringify([window.kappaflow.page.counters().frames, window.kappaflow.page.describe().busy]);
    for (let before = '', same = 0; same < 4; await pause(60), await frame()) {
      same = state() === before && !window.kappaflow.page.describe().busy ? same + 1 : 0;
      before = state();
    }
  });
}

/** The page's address once it says the state `link`; an address is written at most four times a second. */
export async function addressOf(page, link) {
  await page.waitForFunction((hash) => decodeURIComponent(location.hash) === hash, decodeURIComponent(link && `#${link}`));
  return page.evaluate(() => location.href);
}

export const counters = (page, name = 'kappaflow') => page.evaluate((key) => window[key].page.counters(), name);
export const describe = (page) => page.evaluate(() => window.kappaflow.page.describe());
export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** A page with one canvas between two long stretches of text, as an author would embed it. */
export const embedding = (options = '', above = 0) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>An article</title>
<body style="margin:0"><main><h1>An article</h1><div style="height:${above}px"></div><button id="before">before</button>
<canvas id="figure" style="width:800px;height:500px"></canvas><button id="after">after</button><div style="height:3000px"></div></main>
<script type="module">
import { createKappaflow } from '/host.mjs';
window.kappaflow = await createKappaflow({ canvas: document.getElementById('figure'), ${options} });
</script>`;
