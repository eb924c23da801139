// Scenes on a phone: one of each bundle, which is drawn by the same code as the others; with the complete set, all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lighter } from './lighter.mjs';
import { drawnEach, scenes, seriousFaults, themesOf, turn } from './photographs.mjs';
import { enter, launch, open, serve, visited } from './support.mjs';

const browser = await launch();
const server = await serve();
const page = await open(browser, `${server.url}?play=false`, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true, colorScheme: 'light' });

const entries = [...scenes.entries()].filter(([, { id }]) => visited.includes(id)).sort(([a], [b]) => (a % 2) - (b % 2));
for (const [index, scene] of entries)
  test(`${scene.id} on a phone is drawn in its first preset`, async () => {
    const [first, ...others] = themesOf(index % 2 === 0);
    await enter(page, scene.id, lighter(scene.id), scene.presets[0].name);
    await turn(page, first);
    await drawnEach(page, scene, 'phone', scene.presets.slice(0, 1), [first, ...others]);
  });

test('on a phone the page is accessible: colours of the words are the same in every scene', async () => assert.deepEqual(await seriousFaults(page), []));
