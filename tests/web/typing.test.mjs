// Typing where a screen is all there is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe, launch, open, serve, settle, untilStill } from './support.mjs';

const browser = await launch();
const server = await serve();

/** Taps down the right edge of the controls until a native field has the focus; its key, or undefined. */
async function tapNumbers(page, { x, from, to }) {
  for (let y = from; y < to; y += 9) {
    await page.touchscreen.tap(x, y);
    await untilStill(page); // the frame that sees the finger lifted gives the focus
    const key = await page.evaluate(() => document.activeElement.closest('[data-key]')?.dataset.key);
    if (key) return key;
  }
  return undefined;
}

test('a tapped number is typed into its native field, which a keyboard opens for', async () => {
  const page = await open(browser, `${server.url}?play=false`, { hasTouch: true, isMobile: true, viewport: { width: 1100, height: 800 } });
  await settle(page);
  const key = await tapNumbers(page, { x: 1100 - 36, from: 300, to: 700 });
  assert.ok(key, 'some number was tapped');
  const param = (await describe(page)).params.find((candidate) => candidate.key === key);
  const field = page.locator(`[data-key="${key}"] input`);
  assert.ok(await field.isVisible());
  assert.equal(await field.evaluate((element) => getComputedStyle(element.closest('.kf-control')).opacity), '1');
  assert.equal(await page.evaluate(() => window.kappaflow.page.wantsText()), false, 'the canvas has no text field of its own open');
  const wanted = String(Number(param.value) === param.min ? param.min + 1 : param.min);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(wanted);
  await page.keyboard.press('Enter');
  await settle(page);
  assert.equal((await describe(page)).params.find((candidate) => candidate.key === key).value, wanted);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('with a mouse the same number is typed into the picture', async () => {
  const page = await open(browser, `${server.url}?play=false`, { viewport: { width: 1100, height: 800 } });
  await settle(page);
  for (let y = 300; y < 700 && !(await page.evaluate(() => window.kappaflow.page.wantsText())); y += 9) {
    await page.mouse.click(1100 - 36, y);
    await untilStill(page);
  }
  assert.equal(await page.evaluate(() => window.kappaflow.page.wantsText()), true);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'canvas');
  await page.finish();
});
