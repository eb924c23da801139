/** What the browser tests share: one browser a file, pages that fail on console errors, waiting for a running instance. */
import { after } from 'node:test';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium } from 'playwright-core';
import { bundlesOfScenes } from '../../tools/scripts/bundles.mjs';
import { serveSite } from './server.mjs';

export const house = resolve(fileURLToPath(import.meta.url), '../../..');
export const site = resolve(process.env.KAPPAFLOW_SITE ?? `${house}/build/web/site`);
export const complete = Boolean(process.env.KAPPAFLOW_COMPLETE); // every preset, not only what every change needs
/** The scenes to visit where a bundle's modules are what can differ: the last of each bundle; with the complete set, all. */
export const visited = complete ? Object.keys(bundlesOfScenes()) : [...new Map(Object.entries(bundlesOfScenes()).map(([id, bundle]) => [bundle, id])).values()];
/** A third of these, for tests of a way that all bundles share; with the complete set, all. */
export const sampled = complete ? visited : visited.filter((_, index) => index % 3 === 0);

const kPatience = 90e3; // milliseconds until what is waited for is taken as never coming, on a machine with much else to do
// Playwright's own list is replaced by this one, which so begins with it.
const kNotOfUse = [
  'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter',
  'PaintHolding', 'ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch',
];
const kFlags = [
  '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-compositing', `--disable-features=${kNotOfUse}`,
  // Playwright's own, and that pictures below the view come as they do for most readers, not as on an unknown network.
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4,lazyLoadingImageMarginPxUnknown=1250',
  // No optimising compilers: they take longer than these short visits save.
  ...(complete ? [] : ['--js-flags=--liftoff-only --no-turbofan']),
];

export async function launch(...flags) {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: [...kFlags, ...flags] });
  after(() => browser.close());
  return browser;
}

export async function serve(pages) {
  const server = await serveSite(site, pages);
  after(() => server.close());
  return server;
}

let paintsAll = false;
/**
 * Has every frame painted, for files of tests that look at pixels themselves. Elsewhere only `pictureOf` paints: in software, painting takes
 * about a fifth of the time.
 */
export const paintEverything = () => (paintsAll = true);

// In the page: triangles are painted only while `window.painting`.
function paintWhenAsked(painting) {
  window.painting = painting;
  for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced']) {
    const draw = WebGL2RenderingContext.prototype[name];
    WebGL2RenderingContext.prototype[name] = function (...all) { if (window.painting) draw.apply(this, all); };
  }
}

async function makePage(browser, { clock, ...options }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(kPatience);
  // A frame of the browser's own, whatever the page's clock says later; figures out of sight are given none, a moment stands for it.
  await context.addInitScript(() => {
    const frame = window.requestAnimationFrame.bind(window), moment = window.setTimeout.bind(window);
    window.beat = (seen = true) => new Promise((done) => (seen ? frame(done) : moment(done, 30)));
  });
  await context.addInitScript(paintWhenAsked, paintsAll);
  const page = await context.newPage();
  if (clock) await page.clock.install({ time: 0 });
  page.on('console', (message) => (message.type() === 'error' || /WebGL: INVALID|failed to compile/.test(message.text())) && page.troubles.push(message.text()));
  page.on('pageerror', (error) => page.troubles.push(error.message));
  return page;
}

export const small = { viewport: { width: 720, height: 540 } }; // where the size of the picture does not matter: it is drawn in software

const waiting = new Map(); // pages that earlier tests are done with, by browser and options: a new one costs four times as much

/**
 * A page whose console errors and uncaught errors are collected in `page.troubles`; after `page.finish()` it serves another test.
 * `clock`: with a clock that tests can run ahead. `alone`: one that will never be another test's, since it is given scripts, routes,
 * preferences or a stopped clock, which stay with it.
 */
export async function newPage(browser, { alone = false, ...options } = {}) {
  const key = JSON.stringify(options), mine = waiting.get(browser) ?? new Map();
  waiting.set(browser, mine.set(key, mine.get(key) ?? []));
  const page = (!alone && mine.get(key).pop()) || (await makePage(browser, options));
  page.troubles = [];
  page.finish = async () => {
    if (alone) return page.context().close();
    page.removeAllListeners('request');
    await page.mouse.move(-9, -9);
    await page.goto('about:blank');
    mine.get(key).push(page);
  };
  return page;
}

/** Until the program in this page or frame has drawn a finished result. */
export async function untilShown(frame, name = 'kappaflow') {
  await frame.waitForFunction((key) => window[key]?.page?.counters().results > 0 && window[key].page.counters().frames > 0 && !window[key].page.describe().busy, name);
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

/** What axe finds, in the page itself: a window of its own for its sums takes twice as long, and so do lists of what is right. */
export async function violations(page) {
  return (await new AxeBuilder({ page }).exclude('iframe').options({ resultTypes: ['violations'] }).setLegacyMode(true).analyze()).violations;
}
export const serious = (found) => found.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes[0].html}`);

/** Stops what moves by itself, and waits until nothing is computed or drawn any more. */
export async function settle(page) {
  await page.evaluate(() => (window.kappaflow.page.play(false), window.kappaflow.wake()));
  await untilStill(page);
}

/**
 * Until nothing is computed or drawn, nor wants to be: neither now nor two frames of the browser's own later. What a caret that blinks
 * wants by and by does not count.
 */
export async function untilStill(page) {
  await page.evaluate(async () => {
    const { kappaflow } = window;
    const isStill = () => {
      const { page, frames, seen, mirrorTimer } = kappaflow;
      return page && !page.describe().busy && !frames.request && !mirrorTimer && !(seen && frames.wanted && !frames.timer);
    };
    for (let looks = 0; looks < 3; await window.beat(kappaflow.seen)) looks = isStill() ? looks + 1 : 0;
  });
}

/** A screenshot of the whole page, or of the part at `selector`, painted. */
export async function pictureOf(page, selector) {
  const before = await page.evaluate(() => {
    const { painting } = window;
    window.painting = true;
    window.kappaflow.setOptions(); // draws again
    return painting;
  });
  await untilStill(page);
  const shot = await (selector ? page.locator(selector) : page).screenshot();
  await page.evaluate((painting) => (window.painting = painting), before);
  return shot;
}

/** Chooses a scene in place, with a preset and params, and waits until its drawing code has come and was used. */
export async function enter(page, scene, params = [], preset = '') {
  await act(page, (p, [id, given, name]) => {
    p.setScene(id);
    if (name) p.setPreset(name);
    for (const [key, value] of given) p.setParam(key, value);
    p.play(false);
  }, [scene, params, preset]);
  await settle(page);
  await page.evaluate(() => window.kappaflow.addBundle(window.kappaflow.bundles.bundle));
  await settle(page);
}

/** Lets the browser show so many frames: what was to happen by itself has had its chances. */
export const beats = (page, count = 40) =>
  page.evaluate(async (number) => {
    for (; number > 0; --number) await window.beat();
  }, count);

/** What several tests share, made when the first of them asks. */
export function shared(make) {
  let made;
  return () => (made ??= make());
}

/** The page's address once it says the state `link`; an address is written at most four times a second. */
export async function addressOf(page, link) {
  await page.waitForFunction((hash) => decodeURIComponent(location.hash) === hash, decodeURIComponent(link && `#${link}`));
  return page.evaluate(() => location.href);
}

export const counters = (page, name = 'kappaflow') => page.evaluate((key) => window[key].page.counters(), name);
export const describe = (page) => page.evaluate(() => window.kappaflow.page.describe());

/** A page with one canvas between two long stretches of text, as an author would embed it. */
export const embedding = (options = '', above = 0) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>An article</title>
<body style="margin:0"><main><h1>An article</h1><div style="height:${above}px"></div><button id="before">before</button>
<canvas id="figure" style="width:800px;height:500px"></canvas><button id="after">after</button><div style="height:3000px"></div></main>
<script type="module">
import { createKappaflow } from '/host.mjs';
window.kappaflow = await createKappaflow({ canvas: document.getElementById('figure'), ${options} });
</script>`;
