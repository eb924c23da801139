// When the page draws, and at what size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, beats, counters, describe, embedding, launch, newPage, open, paintEverything, serve, settle, untilShown, untilStill } from './support.mjs';

paintEverything();
const browser = await launch();
const server = await serve({ '/embed': embedding(), '/below': embedding('', 2500) });

test('an idle page asks for no frame and no timer, and draws nothing while the browser does', async () => {
  const page = await open(browser, `${server.url}?ui=full`);
  await settle(page);
  const before = await counters(page);
  await beats(page, 90);
  const after = await counters(page);
  const { contexts, waits } = await page.evaluate(() => {
    const { frames, surface } = window.kappaflow;
    return { contexts: surface.contexts, waits: [frames.request, frames.timer] };
  });
  assert.deepEqual(waits, [0, 0]);
  assert.deepEqual([after.frames - before.frames, after.ticks - before.ticks], [0, 0], JSON.stringify({ before, after, contexts }));
  await page.finish();
});

test('a frame asks the graphics process nothing: every question would wait for all that was drawn before', async () => {
  const page = await open(browser, `${server.url}?ui=full`);
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
    while (kappaflow.page.counters().frames < before + 5) await new Promise((done) => requestAnimationFrame(done));
    return { asked: [...asked], frames: kappaflow.page.counters().frames - before };
  });
  assert.ok(frames > 3, `${frames} frames`);
  assert.deepEqual(asked, []);
  await page.finish();
});

test('a page that plays stops drawing when it is scrolled out of sight, and goes on where it was when it is seen again', async () => {
  const page = await newPage(browser, { clock: true, alone: true });
  await page.goto(`${server.url}embed`);
  await untilShown(page);
  await act(page, (p) => (p.setParam('at', '12'), p.play(true)));
  await page.evaluate(() => scrollTo(0, 2500));
  await page.waitForFunction(() => !window.kappaflow.seen);
  const before = await counters(page), { at } = await describe(page);
  await page.clock.runFor(60e3);
  assert.equal((await counters(page)).ticks, before.ticks, 'in a minute of the page');
  await page.clock.pauseAt(1e6);
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForFunction(() => window.kappaflow.seen);
  for (let tries = 0; tries < 20 && (await counters(page)).frames === before.frames; ++tries) await page.clock.runFor(50); // its context has to be had again
  assert.ok((await counters(page)).frames > before.frames);
  const { at: later, playing } = await describe(page);
  assert.ok(playing && Math.abs(later - at) < 2, `${at}, then ${later}: paused meanwhile, not advanced`);
  await page.finish();
});

test('a figure further down takes no context and computes nothing before it is seen', async () => {
  const page = await newPage(browser);
  await page.goto(`${server.url}below`);
  await page.waitForFunction(() => window.kappaflow);
  await beats(page);
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

test('the graphics card draws what the saved figure shows: every sheet of the unfolded layers with its own cells and lines', async () => {
  const page = await open(browser, `${server.url}?ui=figure&scene=activation-regions&widths=16,16,16&unfold=true&play=false`, { viewport: { width: 900, height: 640 } });
  await settle(page);
  await untilStill(page);
  const shot = await page.locator('canvas').screenshot();
  const difference = await page.evaluate(async (base64) => {
    const canvas = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: 'image/png' }));
    const figure = await createImageBitmap(await window.kappaflow.outlet.png(1)), { width, height } = figure; // without the bar of playing
    const pixels = (image) => {
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, width, height).data;
    };
    const [drawn, saved] = [pixels(canvas), pixels(figure)];
    return drawn.reduce((sum, value, index) => sum + Math.abs(value - saved[index]), 0) / drawn.length;
  }, shot.toString('base64'));
  assert.ok(difference < 2, `${difference} of 255`); // the letters' edges make 1
  await page.finish();
});

for (const ratio of [1, 1.5, 3])
  test(`the buffer has one element per device pixel at a pixel ratio of ${ratio}`, async () => {
    const page = await open(browser, `${server.url}?ui=full`, { viewport: { width: 801, height: 617 }, deviceScaleFactor: ratio });
    const { buffer, css } = await page.evaluate(() => {
      const canvas = document.getElementById('canvas');
      return { buffer: [canvas.width, canvas.height], css: [canvas.clientWidth, canvas.clientHeight] };
    });
    assert.ok(Math.abs(buffer[0] - css[0] * ratio) <= 1 && Math.abs(buffer[1] - css[1] * ratio) <= 1, `${buffer} for ${css}`);
    await page.finish();
  });

test('a screen that really has three pixels per CSS pixel is drawn at its own pixels', async () => {
  const sharp = await launch('--force-device-scale-factor=3');
  const page = await open(sharp, `${server.url}?ui=full`, { viewport: null, deviceScaleFactor: undefined });
  const { buffer, css, ratio } = await page.evaluate(() => {
    const canvas = document.getElementById('canvas');
    return { buffer: canvas.width, css: canvas.clientWidth, ratio: devicePixelRatio };
  });
  assert.equal(ratio, 3);
  assert.ok(Math.abs(buffer - css * 3) <= 1);
  await page.finish();
});

test('a drag is not starved: results keep coming as long as the mouse keeps moving', async () => {
  // A small picture, not painted: what is watched is the way of a result, not how fast software draws.
  const page = await open(browser, `${server.url}?ui=figure&kernel=random&draws=40&play=false`, { viewport: { width: 400, height: 320 } });
  await settle(page);
  const box = await page.locator('#canvas').boundingBox();
  const start = (await describe(page)).handles.find(({ id }) => id === 'top');
  assert.ok(start, 'there is a handle for where the capacity starts');
  const y = box.y + start.y + start.height / 2, x = box.x + start.x + start.width / 2;
  await page.evaluate(() => {
    window.painting = false;
    const { runner, page } = window.kappaflow, { start, cancel } = runner;
    const seen = (window.seen = { started: 0, cancelled: 0, moves: 0, results: () => page.counters().results - before }), before = page.counters().results;
    runner.start = (...order) => (++seen.started, start.apply(runner, order));
    runner.cancel = () => (++seen.cancelled, cancel.call(runner));
    document.getElementById('canvas').addEventListener('pointermove', () => ++seen.moves);
  });
  const devtools = await page.context().newCDPSession(page);
  const mouse = (type, at) => devtools.send('Input.dispatchMouseEvent', { type, x: at, y, button: 'left', buttons: type === 'mouseReleased' ? 0 : 1, clickCount: 1 });
  const seen = () => page.evaluate(() => ({ ...window.seen, results: window.seen.results() }));
  await mouse('mousePressed', x);
  let found = await seen();
  for (let step = 0; step < 6000 && found.results < 12; ++step) {
    await new Promise((done) => setTimeout(done, 8)); // as often as a mouse tells of itself
    mouse('mouseMoved', x + 80 * (Math.abs(((step / 10) % 4) - 2) - 1)).catch(() => {}); // as a mouse does: without waiting for an answer
    if (step % 4 === 3) found = await seen();
  }
  await mouse('mouseReleased', x);
  console.log(`# ${found.moves} moves, ${found.started} jobs of which ${found.cancelled} were given up, ${found.results} results`);
  assert.ok(found.results >= 12, `${found.results} results of ${found.started} jobs in ${found.moves} moves`);
  await page.finish();
});
