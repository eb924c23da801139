// Every scene on a desktop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lighter } from './lighter.mjs';
import { drawnEach, scenes, seriousFaults, themesOf, turn } from './photographs.mjs';
import { complete, enter, launch, open, serve, visited } from './support.mjs';

const browser = await launch();
const server = await serve();
const page = await open(browser, `${server.url}?play=false`);

for (const [index, scene] of [...scenes.entries()].sort(([a], [b]) => (a % 2) - (b % 2)))
  test(`${scene.id} on a desktop is drawn in ${complete ? 'every preset' : 'its first preset'}${visited.includes(scene.id) ? ' and accessible' : ''}`, async () => {
    const [first, ...others] = themesOf(index % 2);
    await enter(page, scene.id, lighter(scene.id), scene.presets[0].name);
    await turn(page, first);
    await drawnEach(page, scene, 'desktop', complete ? scene.presets : scene.presets.slice(0, 1), [first, ...others]);
    // The page's module is taken apart, its texts too: it says what the scene's own module declares.
    const words = ({ params }) => params.map(({ key, label, help, options = [] }) => ({ key, label, help, options: options.map((option) => option.label || option.key) }));
    const shown = words(await page.evaluate(() => window.kappaflow.page.describe())), keys = shown.map(({ key }) => key);
    assert.deepEqual(shown, words(scene).filter(({ key }) => keys.includes(key)));
    if (visited.includes(scene.id)) assert.deepEqual(await seriousFaults(page), []); // native elements of a bundle's scenes are alike
  });
