// WebGL contexts: lost and had again, given back, refused; the picture stays through all of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, counters, describe, embedding, launch, newPage, open, paintEverything, serve, settle, untilShown, untilStill } from './support.mjs';

paintEverything();
const browser = await launch();
const taken = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A canvas in use</title><body><canvas id="figure" style="width:800px;height:500px"></canvas>
<script>document.getElementById('figure').getContext('2d').fillRect(0, 0, 9, 9);</script>
<script type="module">
import { createKappaflow } from '/host.mjs';
window.kappaflow = await createKappaflow({ canvas: document.getElementById('figure'), link: 'play=false' });
</script>`;
const article = embedding("link: 'play=false'");
const older = article.replace('<script type="module">', '<script>delete OffscreenCanvas.prototype.transferToImageBitmap;</script><script type="module">');
const server = await serve({ '/embed': article, '/older': older, '/taken': taken });
const picture = (page) => page.locator('.kf-canvas').screenshot();

/** Takes the context away, as browsers and drivers do; `giveBack` milliseconds later it comes back by itself. */
const lose = (page, giveBack) =>
  page.evaluate(async (wait) => {
    const { surface } = window.kappaflow;
    const extension = surface.context().getExtension('WEBGL_lose_context');
    extension.loseContext();
    while (surface.drawable) await new Promise((done) => setTimeout(done, 2));
    if (wait !== undefined) setTimeout(() => extension.restoreContext(), wait);
  }, giveBack);

test('five losses in a row are mended with the same pixels, and counted', async () => {
  const page = await open(browser, `${server.url}?ui=figure&play=false`, { viewport: { width: 640, height: 440 } });
  await settle(page);
  const shot = await picture(page);
  for (let loss = 0; loss < 5; ++loss) {
    const { frames } = await counters(page);
    await lose(page, 0);
    await page.waitForFunction((before) => window.kappaflow.surface.drawable && window.kappaflow.page.counters().frames > before, frames);
    await untilStill(page);
    assert.ok(shot.equals(await picture(page)));
  }
  const { contextsTaken, contextsLost, contextsRestored, contextsGivenBack } = await page.evaluate(() => window.kappaflow.counters());
  assert.deepEqual([contextsLost, contextsRestored, contextsGivenBack], [5, 5, 0]);
  assert.ok(contextsTaken >= 1); // more, where the page asked sooner than the browser gave back
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('where the browser gives nothing back the page takes a new context as soon as a reader wants something', async () => {
  const page = await newPage(browser, { clock: true, viewport: { width: 640, height: 440 } });
  await page.goto(`${server.url}?ui=figure&play=false`);
  await untilShown(page);
  await settle(page);
  const shot = await picture(page);
  await page.waitForFunction(() => window.kappaflow.surface.kept); // what was drawn just before a loss is drawn again at once
  await lose(page);
  await page.clock.runFor(20e3);
  assert.equal(await page.evaluate(() => window.kappaflow.surface.drawable), false, 'nothing to draw, nothing is taken');
  assert.ok(shot.equals(await picture(page)), 'and the picture stays');
  await act(page, (p) => p.setParam('layers', '12'));
  await page.waitForFunction(() => window.kappaflow.surface.drawable);
  await untilStill(page);
  assert.equal((await describe(page)).params.find(({ key }) => key === 'layers').value, '12');
  assert.ok(!shot.equals(await picture(page)));
  const { contextsTaken, contextsLost, contextsRestored } = await counters(page);
  assert.deepEqual([contextsTaken, contextsLost, contextsRestored], [2, 1, 1]);
  await page.finish();
});

test('a loss in the middle of a drag does not end the drag', async () => {
  const page = await open(browser, `${server.url}?ui=figure&play=false`, { viewport: { width: 900, height: 600 } });
  await settle(page);
  const top = async () => (await describe(page)).handles.find(({ id }) => id === 'top');
  const from = await top();
  const x = from.x + from.width / 2, y = from.y + from.height / 2;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y, { steps: 4 });
  await settle(page);
  const before = (await top()).value;
  assert.notEqual(before, from.value);
  await lose(page);
  await page.mouse.move(x + 110, y, { steps: 6 });
  await page.waitForFunction(() => window.kappaflow.surface.drawable);
  await page.mouse.move(x + 120, y, { steps: 3 });
  await untilStill(page);
  await page.mouse.up();
  assert.ok((await top()).value > before, `${(await top()).value} after ${before}`);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('a loss out of sight is mended when the figure is seen again and somebody points at it', async () => {
  const page = await newPage(browser, { clock: true });
  await page.goto(`${server.url}embed`);
  await untilShown(page);
  await settle(page);
  const shot = await picture(page);
  await page.evaluate(() => scrollTo(0, 2500));
  await page.waitForFunction(() => !window.kappaflow.seen);
  await lose(page);
  await page.clock.runFor(20e3);
  assert.equal(await page.evaluate(() => window.kappaflow.surface.drawable), false, 'nobody sees it, nothing is taken');
  await page.evaluate(() => scrollTo(0, 0));
  await page.mouse.move(400, 400);
  await page.waitForFunction(() => window.kappaflow.surface.drawable);
  await page.mouse.move(900, 780);
  await untilStill(page);
  assert.ok(shot.equals(await picture(page)));
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('where no context comes back at all a sentence says so, and words, controls and numbers go on', async () => {
  const page = await open(browser, `${server.url}?ui=lesson&play=false`, { viewport: { width: 900, height: 600 } });
  await settle(page);
  await page.evaluate(() => {
    OffscreenCanvas.prototype.getContext = HTMLCanvasElement.prototype.getContext = () => null;
  });
  await lose(page);
  await act(page, (p) => p.setParam('layers', '12'));
  await page.locator('.kf-cause', { hasText: 'does not give it back' }).waitFor();
  const input = page.locator('[data-key="layers"] input');
  await input.fill('31');
  await page.waitForFunction(() => /31 layers/.test(window.kappaflow.page.describe().summary));
  assert.equal(await page.locator('.kf-numbers').count(), 1);
  await page.finish();
});

test('browsers without frames off the page show the same picture from an ordinary canvas', async () => {
  const shots = [];
  for (const path of ['embed', 'older']) {
    const page = await newPage(browser);
    await page.goto(`${server.url}${path}`);
    await untilShown(page);
    await settle(page);
    shots.push(await picture(page));
    assert.equal(await page.evaluate(() => window.kappaflow.surface.buffer instanceof HTMLCanvasElement), path === 'older');
    await page.finish();
  }
  assert.ok(shots[0].equals(shots[1]));
});

test('a canvas on which its owner has drawn is refused in a sentence', async () => {
  const page = await newPage(browser);
  await page.goto(`${server.url}taken`);
  await page.locator('.kf-cause', { hasText: 'WebGL 2' }).waitFor();
  await page.finish();
});

test('the diagnostics panel tells how many contexts were taken and lost', async () => {
  const page = await open(browser, `${server.url}?play=false`);
  await settle(page);
  await lose(page, 0);
  await page.waitForFunction(() => window.kappaflow.surface.drawable);
  await untilStill(page);
  const before = await picture(page);
  await page.mouse.click(640, 400);
  await page.keyboard.press('m');
  await untilStill(page);
  assert.ok(!before.equals(await picture(page)));
  assert.equal((await counters(page)).contextsLost, 1);
  await page.finish();
});
