// Every scene photographed: each is a picture, accessible, and scrolls nowhere sideways.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lighter } from './lighter.mjs';
import { act, complete, describe, house, pictureOf, serious, site, untilStill, violations } from './support.mjs';

export const scenes = readdirSync(join(site, 'schemas')).map((name) => JSON.parse(readFileSync(join(site, 'schemas', name), 'utf8')));
const folder = join(house, 'build/screenshots');
mkdirSync(folder, { recursive: true });

/** A third of the way along the timeline, where there is one. A preset may have nothing to play: where a measurement would diverge, none is made. */
async function scrub(page, timeline) {
  if (!timeline) return;
  const { arrays } = await page.evaluate(() => window.kappaflow.outlet.report());
  const axis = Object.values(arrays).flatMap(({ axes }) => axes).find(({ name }) => name === timeline.axis);
  if (axis) await act(page, (p, [key, at]) => p.setParam(key, at), [timeline.param, String(axis.values[Math.floor(axis.values.length / 3)])]);
}

/** Of the canvas's part of a screenshot: the share of the most frequent colour, and the number of colours. */
const colours = (page, png) =>
  page.evaluate(async (base64) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: 'image/png' }));
    const { x, y, width, height } = document.getElementById('canvas').getBoundingClientRect(), scale = bitmap.width / innerWidth;
    const canvas = new OffscreenCanvas(width * scale, Math.min(height * scale, bitmap.height - y * scale)), context = canvas.getContext('2d');
    context.drawImage(bitmap, -x * scale, -y * scale);
    const pixels = new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer), count = new Map();
    for (const pixel of pixels) count.set(pixel, (count.get(pixel) ?? 0) + 1);
    return { most: Math.max(...count.values()) / pixels.length, number: count.size };
  }, png.toString('base64'));

/** What is on the screen is kept for the eye, and is a picture; its digest. */
async function photograph(page, name) {
  const png = await pictureOf(page);
  const { most, number } = await colours(page, png);
  assert.ok(number > 100 && most < 0.93, `${name}: ${number} colours, ${(100 * most).toFixed(1)} % of one`);
  writeFileSync(join(folder, `${name}.png`), png);
  return createHash('sha1').update(png).digest('hex');
}

export async function seriousFaults(page) {
  const toggle = page.locator('#numbers > details > summary');
  await toggle.click();
  await page.locator('#numbers table').first().waitFor();
  const found = await violations(page);
  await toggle.click();
  await page.evaluate(() => scrollTo(0, 0));
  return serious(found);
}

export async function turn(page, colorScheme) {
  if ((await describe(page)).dark === (colorScheme === 'dark')) return;
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction((dark) => window.kappaflow.page.describe().dark === dark, colorScheme === 'dark');
  await untilStill(page);
}

/** Every one of these presets in the first theme, then the last of them in the others: all look different. */
export async function drawnEach(page, { id, timeline }, device, presets, [first, ...others]) {
  const seen = new Set();
  for (const [index, { name }] of presets.entries()) {
    await act(page, (p, [preset, params]) => {
      p.setPreset(preset);
      for (const [key, value] of params) p.setParam(key, value);
      p.play(false);
    }, [name, lighter(id)]);
    await untilStill(page);
    await scrub(page, timeline);
    await untilStill(page);
    seen.add(await photograph(page, `${id}-${device}-${first}-${index}`));
  }
  for (const theme of others) {
    await turn(page, theme);
    seen.add(await photograph(page, `${id}-${device}-${theme}`));
  }
  assert.equal(seen.size, presets.length + others.length, 'every one looks different');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'nothing is cut or scrolls sideways');
  assert.deepEqual(page.troubles, []);
}

// Colours are the theme's, whatever the preset, and every preset is drawn natively. So of each scene the first preset is looked at, in
// one theme on the desktop and in the other on the phone; the complete set has every preset, and each scene in both.
export const themesOf = (odd) => (complete ? ['light', 'dark'] : [odd ? 'dark' : 'light']);
