// When the page draws, and at what size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, counters, describe, embedding, launch, open, pause, serve, settle, site, untilShown, untilStill, newPage } from './support.mjs';

const browser = await launch();
const server = await serve({ '/embed': embedding(), '/below': embedding('', 2500) });

test('an idle page draws no frame in two seconds', async () => {
  const page = await open(browser, server.url);
  await settle(page);
  const before = await counters(page);
  await pause(2000);
  const after = await counters(page);
  const why = JSON.stringify({ before, after, contexts: await page.evaluate(() => window.kappaflow.surface.contexts) });
  assert.equal(after.frames - before.frames, 0, why);
  assert.equal(after.ticks - before.ticks, 0, why);
  await page.finish();
});

test('a frame asks the graphics process nothing: every question would wait for all that was drawn before', async () => {
  const page = await open(browser, server.url);
  await settle(page);
  const { asked, frames } = await page.evaluate(async () => {
    const asked = new Set(), { prototype } = WebGL2RenderingContext, kappaflow = window.kappaflow;
    for (const name of ['getParameter', 'getError', 'readPixels', 'finish', 'checkFramebufferStatus', 'getProgramParameter']) {
      const inner = prototype[name];
      prototype[name] = function (...args) { return asked.add(`${name}(${args})`), inner.apply(this, args); };
    }
    const before = kappaflow.page.counters().frames;
    kappaflow.page.play(true);
    kappaflow.wake();
    for (const end = performance.now() + 20000; kappaflow.page.counters().frames < before + 5 && performance.now() < end;) await new Promise((done) => setTimeout(done, 50));
    return { asked: [...asked], frames: kappaflow.page.counters().frames - before };
  });
  assert.ok(frames > 3, `${frames} frames`);
  assert.deepEqual(asked, []);
  await page.finish();
});

test('a page that plays stops drawing when it is scrolled out of sight, and goes on when it is seen again', async () => {
  const page = await open(browser, `${server.url}embed`);
  await act(page, (p) => p.play(true));
  await page.evaluate(() => scrollTo(0, 2500));
  // A busy browser may take its time to tell a page that it is out of sight.
  let before = null, now = await counters(page);
  for (let tries = 0; tries < 20 && before?.ticks !== now.ticks; ++tries) {
    before = now;
    await pause(300);
    now = await counters(page);
  }
  const at = (await describe(page)).at;
  await pause(1500);
  assert.equal((await counters(page)).ticks - before.ticks, 0);
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForFunction((frames) => window.kappaflow.page.counters().frames > frames, before.frames);
  assert.ok(Math.abs((await describe(page)).at - at) < 5, 'playback was paused meanwhile, not advanced');
  await page.finish();
});

test('a figure further down takes no context and computes nothing before it is seen', async () => {
  const page = await newPage(browser);
  await page.goto(`${server.url}below`);
  await page.waitForFunction(() => window.kappaflow);
  await pause(700);
  assert.equal(await page.evaluate(() => window.kappaflow.page), null);
  await page.evaluate(() => scrollTo(0, 2300));
  await untilShown(page);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('a figure long out of sight gives its context back and draws again when seen', async () => {
  const page = await open(browser, `${server.url}embed`);
  await settle(page);
  const shot = await page.locator('canvas').screenshot();
  await page.evaluate(() => scrollTo(0, 2500));
  await page.waitForFunction(() => !window.kappaflow.surface.drawable);
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForFunction(() => window.kappaflow.surface.drawable);
  await untilStill(page);
  assert.ok(shot.equals(await page.locator('canvas').screenshot()), 'the same picture');
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('a lost context comes back with the same picture within a second', async () => {
  const page = await open(browser, server.url);
  await settle(page);
  const shot = await page.locator('#canvas').screenshot();
  const loseAndRestore = async () => {
    const { surface, page } = window.kappaflow;
    const lose = surface.context().getExtension('WEBGL_lose_context');
    lose.loseContext();
    await new Promise((done) => setTimeout(done, 300));
    const before = page.counters().frames, start = performance.now();
    lose.restoreContext();
    while (page.counters().frames === before) await new Promise((done) => setTimeout(done, 5));
    return performance.now() - start;
  };
  let took = Infinity; // the best of four: the machine may be busy with something else
  for (let attempt = 0; attempt < 4 && took >= 1000; ++attempt) took = await page.evaluate(loseAndRestore);
  assert.ok(took < 1000, `${took} ms`);
  await untilStill(page);
  assert.ok(shot.equals(await page.locator('#canvas').screenshot()));
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

for (const ratio of [1, 1.5, 3])
  test(`the buffer has one element per device pixel at a pixel ratio of ${ratio}`, async () => {
    const page = await open(browser, server.url, { viewport: { width: 801, height: 617 }, deviceScaleFactor: ratio });
    const { buffer, css } = await page.evaluate(() => {
      const canvas = document.getElementById('canvas');
      return { buffer: [canvas.width, canvas.height], css: [canvas.clientWidth, canvas.clientHeight] };
    });
    assert.ok(Math.abs(buffer[0] - css[0] * ratio) <= 1 && Math.abs(buffer[1] - css[1] * ratio) <= 1, `${buffer} for ${css}`);
    await page.finish();
  });

test('a screen that really has three pixels per CSS pixel is drawn at its own pixels', async () => {
  const sharp = await launch('--force-device-scale-factor=3');
  const page = await open(sharp, server.url, { viewport: null, deviceScaleFactor: undefined });
  const { buffer, css, ratio } = await page.evaluate(() => {
    const canvas = document.getElementById('canvas');
    return { buffer: canvas.width, css: canvas.clientWidth, ratio: devicePixelRatio };
  });
  assert.equal(ratio, 3);
  assert.ok(Math.abs(buffer - css * 3) <= 1);
  await page.finish();
});

/** A setting whose job takes about 20 ms in this browser on this machine: how many networks an ensemble must have for it. */
async function drawsForTwentyMilliseconds(page) {
  return page.evaluate(async () => {
    const { instantiate } = await import('/loader.mjs');
    const glue = (await import('/kappaflow-core.mjs')).default;
    const core = await instantiate(glue, await WebAssembly.compileStreaming(fetch('/kappaflow-core.wasm')));
    const time = (draws) => {
      const start = performance.now();
      core.run('capacity-diffusion', { kernel: 'random', draws }, {});
      return performance.now() - start;
    };
    for (let warm = 0; warm < 20; ++warm) time(40);
    // The shortest of many is what the job takes when nothing else runs: noise can only make the setting harder.
    const shortest = Math.min(...Array.from({ length: 30 }, () => time(40)));
    return Math.ceil((40 * 20) / shortest);
  });
}

/** From giving a job out to having its answer, the worker's journey included: window.jobTimes(). */
const timeJobs = (page) =>
  page.evaluate(() => {
    const { runner } = window.kappaflow, times = [];
    const { start } = runner, { onEvent } = runner.inner.parts;
    let began;
    runner.start = (...order) => ((began = performance.now()), start.apply(runner, order));
    runner.inner.parts.onEvent = (bytes, last) => {
      if (last) times.push(performance.now() - began);
      onEvent(bytes, last);
    };
    window.jobTimes = () => {
      const sorted = times.splice(0).sort((a, b) => a - b);
      return { median: sorted[sorted.length >> 1] ?? 0 };
    };
  });

/** Results and frames a second while a mouse drags the start of the capacity to and fro. */
async function dragRates(page) {
  const box = await page.locator('#canvas').boundingBox();
  const start = (await describe(page)).handles.find(({ id }) => id === 'top');
  assert.ok(start, 'there is a handle for where the capacity starts');
  const y = box.y + start.y + start.height / 2, x = box.x + start.x + start.width / 2;
  const devtools = await page.context().newCDPSession(page);
  const mouse = (type, at) => devtools.send('Input.dispatchMouseEvent', { type, x: at, y, button: 'left', buttons: type === 'mouseReleased' ? 0 : 1, clickCount: 1 });
  await mouse('mousePressed', x);
  let first;
  for (let step = 0; step < 160; ++step) {
    if (step === 40) first = { ...(await counters(page)), at: performance.now() };
    mouse('mouseMoved', x + 80 * (Math.abs(((step / 10) % 4) - 2) - 1)); // as a mouse does: without waiting for an answer
    await pause(16);
  }
  const last = { ...(await counters(page)), at: performance.now() };
  await mouse('mouseReleased', x);
  const rate = (name) => (last[name] - first[name]) / ((last.at - first.at) / 1000);
  return { results: rate('results'), frames: rate('frames') };
}

test('a drag is not starved: results keep coming, at least a quarter of what jobs of that length can bring', async () => {
  // A small picture: what is watched is the way of a result, not how fast software draws. Results a second are the benchmark's.
  const page = await open(browser, `${server.url}?ui=figure`, { viewport: { width: 400, height: 320 } });
  const draws = await drawsForTwentyMilliseconds(page);
  await page.goto(`${server.url}?ui=figure&kernel=random&draws=${draws}`);
  await untilShown(page);
  await settle(page);
  await timeJobs(page);
  let best = 0;
  for (let attempt = 0; attempt < 4 && best < 0.25; ++attempt) {
    // The machine may be busy with something else for a while; the job stays the same.
    const { results, frames } = await dragRates(page);
    const { median } = await page.evaluate(() => window.jobTimes());
    console.log(`# ${draws} draws, a job's way ${median.toFixed(1)} ms: ${results.toFixed(1)} results and ${frames.toFixed(1)} frames a second`);
    best = Math.max(best, (results * median) / 1000);
  }
  assert.ok(best >= 0.25, `${best} of the results that jobs of this length can bring`);
  await page.finish();
});
