/**
 * Random input on the built page for as long as wanted: scenes, presets, params at random and at their ends, drags, keys, wheel, dropped
 * files good and bad, resizes, lost contexts, hidden tabs, undo, films given up. Chromium, drawing in software.
 *   soak.mjs [MINUTES [SEED]]   a line a minute; then exceptions, the slowest frames with what was done before them, how the heaps grew
 *   after the first sixth of the time (slope with its error), and whether it still answers like a fresh page. Fails where it does not.
 * Where the page crashes, the last actions and the state before them are told. KAPPAFLOW_SITE: the site's folder. A frame's time is the program's own: calls of WebGL, which wait for the software that fills pixels, are left out.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serveSite } from '../../tests/web/server.mjs';

const site = resolve(process.env.KAPPAFLOW_SITE ?? fileURLToPath(new URL('../../build/web/site', import.meta.url)));
const [minutes, seed] = [Number(process.argv[2] ?? 60), Number(process.argv[3] ?? 1)];
const kPatience = 90e3, kRest = 40; // milliseconds: for an answer, between two actions
const kSlow = 100; // milliseconds of a frame that is named
const kSettled = 1 / 6; // of the time, after which heaps should stay

/** Mulberry32. */
let state = seed >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const below = (count) => Math.floor(random() * count), pick = (list) => list[below(list.length)];

const server = await serveSite(site);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--enable-precise-memory-info', '--js-flags=--expose-gc'] });
const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
const troubles = [];
let told = 0; // of them

/** Notes every module's memory, workers' too, and every long call of page.frame. */
function watch(slow) {
  window.memories = [];
  const note = (instance) => {
    const memory = Object.values(instance.exports).find((one) => one instanceof WebAssembly.Memory);
    if (memory) window.memories.push(new WeakRef(memory));
    return instance;
  };
  const original = WebAssembly.instantiate;
  WebAssembly.instantiate = async (...given) => {
    const made = await original.apply(WebAssembly, given);
    note(made.instance ?? made);
    return made;
  };
  window.workers = new Map();
  const Native = window.Worker;
  window.Worker = class extends Native {
    constructor(...given) {
      super(...given);
      window.workers.set(this, 0);
      this.addEventListener('message', ({ data }) => data.heap && window.workers.set(this, data.heap));
    }
    terminate() {
      window.workers.delete(this);
      super.terminate();
    }
  };
  window.heaps = () => {
    window.gc?.();
    const own = window.memories.map((one) => one.deref()?.buffer.byteLength ?? 0).reduce((sum, bytes) => sum + bytes, 0);
    return { page: own, workers: [...window.workers.values()].reduce((sum, bytes) => sum + bytes, 0), script: performance.memory.usedJSHeapSize };
  };
  window.slow = [];
  let waited = 0;
  for (const name of ['drawElements', 'drawArrays', 'bufferData', 'bufferSubData', 'texImage2D', 'texSubImage2D', 'clear', 'linkProgram', 'getProgramParameter', 'useProgram']) {
    const call = WebGL2RenderingContext.prototype[name];
    WebGL2RenderingContext.prototype[name] = function (...given) {
      const begun = performance.now(), result = call.apply(this, given);
      waited += performance.now() - begun;
      return result;
    };
  }
  setInterval(() => {
    const program = window.kappaflow?.page;
    if (!program || program.timed) return;
    program.timed = true;
    const frame = program.frame;
    program.frame = function (...given) {
      const begun = performance.now(), before = waited, result = frame.apply(this, given), took = performance.now() - begun - (waited - before);
      if (took > slow) window.slow.push({ took, link: this.link(), done: window.lastAction });
      return result;
    };
  }, 20);
  window.addEventListener('unhandledrejection', ({ reason }) => console.error(`unhandled: ${reason?.stack ?? reason}`));
}

async function open(path) {
  const page = await context.newPage();
  page.on('pageerror', (error) => troubles.push(`${error.message} ${error.stack?.split('\n')[1] ?? ''}`));
  page.on('console', (message) => (message.type() === 'error' || /WebGL: INVALID/.test(message.text())) && troubles.push(message.text()));
  await page.addInitScript(watch, kSlow);
  await page.goto(server.url + path);
  await page.waitForFunction(() => window.kappaflow?.page?.counters().results > 0, null, { timeout: kPatience });
  return page;
}

const page = await open('?ui=full&scene=shattering');
const scenes = await page.evaluate(() => [...document.querySelectorAll('#scenes a[data-scene]')].map(({ dataset }) => dataset.scene));
const samples = readdirSync(join(site, 'samples')).filter((name) => name.endsWith('.onnx')).map((name) => ({ name, bytes: [...readFileSync(join(site, 'samples', name))] }));
const rubbish = () => Array.from({ length: 1 + below(4000) }, () => below(256));
const files = [
  ...samples, ...samples.map(({ name, bytes }) => ({ name: `cut-${name}`, bytes: bytes.slice(0, bytes.length >> 1) })),
  { name: 'points.csv', bytes: [...Buffer.from(Array.from({ length: 40 }, (_, i) => `${Math.cos(i)},${Math.sin(2 * i)},${i % 2}`).join('\n'))] },
  { name: 'broken.csv', bytes: [...Buffer.from('1,2\n3\nx,y,z')] }, { name: 'points.json', bytes: [...Buffer.from('[{"x":1,"y":2,"label":0},{"x":0,"y":1,"label":1}]')] },
];

/** One param, at random or at an end, as the reader's slider could set it. */
const setParam = (how) => page.evaluate(([which, share, end]) => {
  const { page: program } = window.kappaflow, params = program.describe().params.filter(({ offered, locked }) => offered && !locked);
  const param = params[Math.floor(which * params.length)];
  if (!param) return '';
  let value;
  if (param.options.length) value = param.options[Math.floor(share * param.options.length)].key;
  else if (param.kind === 'boolean') value = share < 0.5;
  else if (param.min < param.max) {
    value = end ? (share < 0.5 ? param.min : param.max) : param.min + (param.max - param.min) * share ** 2;
    if (param.kind !== 'number') value = Math.round(value);
  } else return '';
  program.setParam(param.key, String(value));
  window.kappaflow.wake();
  return `${param.key}=${value}`;
}, how);
const act = (text, value) => page.evaluate(([body, given]) => {
  const result = new Function('p', 'k', 'v', body)(window.kappaflow.page, window.kappaflow, given);
  window.kappaflow.wake?.();
  return result === undefined ? '' : String(result);
}, [text, value]);
const spot = async () => {
  const box = await page.locator('canvas').first().boundingBox();
  return { x: box.x + random() * box.width, y: box.y + random() * Math.min(box.height, 690 - Math.max(0, box.y)) };
};

const actions = {
  scene: [5, async () => { const scene = pick(scenes); await act('p.setScene(v)', scene); return scene; }],
  preset: [5, () => act('const names = p.describe().presets ?? []; if (names.length) p.setPreset(names[Math.floor(v * names.length)]);', random())],
  param: [14, () => setParam([random(), random(), false])],
  extreme: [8, () => setParam([random(), random(), true])],
  handle: [4, () => act('const all = p.describe().handles, one = all[Math.floor(v[0] * all.length)]; if (one) p.moveHandle(one.id, one.min + v[1] * (one.max - one.min));', [random(), random()])],
  seek: [4, () => act('p.seek(p.valueAfter(v))', random())],
  play: [2, () => act('p.play(v)', random() < 0.5)],
  undo: [4, () => act('p.undo()')],
  redo: [2, () => act('p.redo()')],
  reset: [1, () => act('p.reset()')],
  theme: [1, () => act('k.setTheme(v)', pick(['dark', 'light', 'auto']))],
  contrast: [1, () => act('k.setContrast(v)', pick(['more', 'usual']))],
  drag: [8, async () => {
    const from = await spot(), to = await spot();
    await page.mouse.move(from.x, from.y), await page.mouse.down();
    for (let i = 1; i <= 4; ++i) await page.mouse.move(from.x + ((to.x - from.x) * i) / 4, from.y + ((to.y - from.y) * i) / 4);
    await page.mouse.up();
  }],
  click: [5, async () => { const { x, y } = await spot(); await page.mouse.click(x, y); }],
  wheel: [4, async () => {
    const { x, y } = await spot();
    await page.mouse.move(x, y);
    if (random() < 0.3) await page.keyboard.down('Control');
    await page.mouse.wheel(0, 400 * (random() - 0.5)), await page.keyboard.up('Control');
  }],
  keys: [4, async () => { for (let i = 0; i < 3; ++i) await page.keyboard.press(pick(['Tab', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'Space', 'Escape', 'Home', 'End', 'Control+z', 'a', '7'])); }],
  drop: [3, async () => {
    const file = random() < 0.7 ? pick(files) : { name: pick(['a.onnx', 'b.npz', 'c.safetensors', 'd.csv', 'e.png', 'f.json', 'g']), bytes: rubbish() };
    await act('p.attach(v.name, new Uint8Array(v.bytes))', file);
    return file.name;
  }],
  resize: [2, async () => { const size = { width: 300 + below(1000), height: 240 + below(660) }; await page.setViewportSize(size); return `${size.width}x${size.height}`; }],
  lose: [1, () => page.evaluate(async () => {
    const lost = window.kappaflow.surface?.context()?.getExtension('WEBGL_lose_context');
    lost?.loseContext();
    await new Promise((done) => setTimeout(done, 50));
    lost?.restoreContext();
  })],
  hide: [1, async () => {
    const other = await context.newPage();
    await other.bringToFront(), await other.waitForTimeout(300), await other.close();
    await page.bringToFront();
  }],
  figure: [1, () => act('k.outlet.svg(); k.outlet.report()')],
  film: [0.3, async () => { await act('k.outlet.saveFigure("gif")'); await page.waitForTimeout(400); await act('k.outlet.filming?.abort()'); }],
};
const bag = Object.entries(actions).flatMap(([name, [weight]]) => Array(Math.ceil(10 * weight)).fill(name));

const mb = (bytes) => (bytes / 2 ** 20).toFixed(1).padStart(7), begun = Date.now(), until = begun + 60e3 * minutes, heaps = [], counts = {};
const recent = []; // actions, for a crash
let done = 0, lastLine = begun, crashed = false;
page.on('crash', () => (crashed = true));
async function look() {
  const found = await page.evaluate(() => window.heaps()), slow = await page.evaluate(() => window.slow.length);
  heaps.push({ minute: (Date.now() - begun) / 60e3, ...found });
  console.log(`${heaps.at(-1).minute.toFixed(1).padStart(6)} min ${String(done).padStart(6)} actions | MB page${mb(found.page)} workers${mb(found.workers)} script${mb(found.script)} | ${slow} slow frames, ${troubles.length} troubles`);
  for (; told < troubles.length; ++told) console.log(`       ${troubles[told].slice(0, 300)}`);
}
while (Date.now() < until) {
  const name = pick(bag);
  try {
    await page.evaluate((action) => (window.lastAction = action), name);
    recent.push(`${await page.evaluate(() => window.kappaflow.page.link())}   then ${name}`), recent.splice(0, recent.length - 12);
    const what = await actions[name][1]();
    if (what) await page.evaluate((action) => (window.lastAction = action), `${name} ${what}`), recent[recent.length - 1] += ` ${what}`;
    counts[name] = (counts[name] ?? 0) + 1, ++done;
    await page.waitForTimeout(kRest + below(3) * 150);
    if (Date.now() - lastLine > 60e3) (lastLine = Date.now()), await look();
  } catch (error) {
    troubles.push(`${name}: ${error.message.split('\n')[0]}`);
    if (crashed || page.isClosed()) break;
  }
}
if (crashed || page.isClosed()) {
  console.log(`the page crashed after ${done} actions, with seed ${seed}:\n  ${recent.join('\n  ')}`);
  await browser.close(), await server.close();
  process.exit(1);
}

/** Slope of a heap in MB an hour over the settled part, with its standard error; successive looks are taken as independent. */
function slope(key) {
  const points = heaps.filter(({ minute }) => minute > kSettled * minutes).map((one) => [one.minute / 60, one[key] / 2 ** 20]), n = points.length;
  if (n < 3) return 'too short';
  const mean = (k) => points.reduce((sum, point) => sum + point[k], 0) / n, [x, y] = [mean(0), mean(1)], sxx = points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
  const b = points.reduce((sum, [a, c]) => sum + (a - x) * (c - y), 0) / sxx, rest = points.reduce((sum, [a, c]) => sum + (c - y - b * (a - x)) ** 2, 0);
  return `${b.toFixed(1)} ± ${Math.sqrt(rest / (n - 2) / sxx).toFixed(1)} MB an hour`;
}

// Afterwards: ten ordinary scenes, what they leave, and the same answer as from a page that has seen nothing.
for (const scene of scenes.slice(0, 10)) {
  await act('p.setScene(v), p.reset()', scene);
  await page.waitForFunction(() => !window.kappaflow.page.describe().busy, null, { timeout: kPatience }).catch(() => troubles.push(`${scene} did not answer at the end`));
}
await look();
const numbers = (one) => one.evaluate(async () => { const { scalars, arrays } = await window.kappaflow.outlet.report(); return JSON.stringify({ scalars, arrays }); });
const fresh = await open('?ui=full&scene=shattering');
await act('p.openLink("?scene=shattering")');
await page.bringToFront();
await page.waitForFunction(() => !window.kappaflow.page.describe().busy && window.kappaflow.page.describe().scene === 'shattering', null, { timeout: kPatience });
const same = (await numbers(page)) === (await numbers(fresh));
const slow = (await page.evaluate(() => window.slow)).sort((a, b) => b.took - a.took);
console.log(`\n${done} actions in ${minutes} minutes: ${Object.entries(counts).map(([name, count]) => `${name} ${count}`).join(', ')}`);
console.log(`heaps after ${(kSettled * minutes).toFixed(0)} minutes: page ${slope('page')}, workers ${slope('workers')}, script ${slope('script')}`);
console.log(`at the end ${same ? 'the same numbers as a fresh page' : 'OTHER numbers than a fresh page'}; ${slow.length} frames over ${kSlow} ms, ${troubles.length} troubles`);
for (const { took, link, done: action } of slow.slice(0, 20)) console.log(`  ${took.toFixed(0)} ms after "${action}": ${link}`);
for (const [text, count] of [...troubles.reduce((map, text) => map.set(text, (map.get(text) ?? 0) + 1), new Map())]) console.log(`  ${count} × ${text.slice(0, 300)}`);
await browser.close(), await server.close();
process.exit(same && !troubles.length ? 0 : 1);
