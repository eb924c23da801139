// What a page in a frame tells its host about its height.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beats, complete, launch, newPage, serve, untilShown } from './support.mjs';

const browser = await launch();
const site = await serve();

/** A course page that follows the plain dialect and writes down everything it is told. */
const host = (frames) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><body style="margin:0">
<script>
window.told = {};
addEventListener('message', (event) => {
  const frame = [...document.querySelectorAll('iframe')].find(({ contentWindow }) => contentWindow === event.source);
  (window.told[frame.id] ??= []).push(event.data);
  if (frame.dataset.follows !== undefined && typeof event.data.height === 'number' && !event.data.subject) frame.style.height = event.data.height + Number(frame.dataset.follows) + 'px';
});
</script>
${frames.map(([id, query, style, more = '']) => `<iframe id="${id}" title="${id}" sandbox="allow-scripts" src="${site.url}${query}" style="border:0;display:block;width:100%;${style}" ${more}></iframe>`).join('\n')}`;

const course = await serve({
  '/lesson': host([['lesson', '?ui=lesson&play=false', 'height:500px', 'data-follows="0"']]),
  '/steps': host([['steps', '?scene=shattering&ui=lesson', 'height:500px', 'data-follows="0"']]),
  '/deaf': host([['deaf', '?ui=full&play=false', 'height:500px']]),
  '/figures': host([
    ['shaped', '?ui=figure&play=false', 'aspect-ratio:16/10'],
    ['flat', '?ui=figure&play=false', 'height:150px', 'data-follows="0"'],
    ['overshooting', '?ui=figure&play=false', 'height:150px', 'data-follows="7"'],
  ]),
});

async function opened(path, options) {
  const page = await newPage(browser, { clock: true, ...options });
  await page.goto(`${course.url}${path}`);
  for (const frame of page.frames().slice(1)) await untilShown(frame);
  return page;
}
const told = (page, id) => page.evaluate((name) => window.told[name] ?? [], id);

/** Until a second of the page's clock has brought no message, twice. */
async function untilQuiet(page, id) {
  for (let before = -1, same = 0; same < 2;) {
    await beats(page, 4);
    await page.clock.runFor(1000);
    const now = (await told(page, id)).length;
    same = now === before ? same + 1 : 0;
    before = now;
  }
}
const boxes = (page) => page.frames()[1].evaluate(() => ({
  content: document.body.getBoundingClientRect().height, frame: innerHeight, scrolls: document.documentElement.scrollHeight > innerHeight,
}));

const kWide = { width: 1280, height: 800 }, kPhone = { width: 390, height: 844 };
for (const [name, viewport] of complete ? ['lesson', 'steps'].flatMap((one) => [[one, kWide], [one, kPhone]]) : [['lesson', kWide], ['steps', kPhone]])
  test(`the frame of a ${name} that follows its height shows all of it and comes to rest, ${viewport.width} pixels wide`, async () => {
    const page = await opened(name, { viewport });
    await untilQuiet(page, name);
    const { content, frame, scrolls } = await boxes(page);
    assert.equal(frame, Math.ceil(content));
    assert.equal(scrolls, false);
    assert.ok((await told(page, name)).length <= 3 * 6, 'a few messages in each of three dialects');
    const before = (await told(page, name)).length;
    await page.clock.runFor(10e3);
    await beats(page);
    assert.equal((await told(page, name)).length, before);
    await page.finish();
  });

test('every height is told in three dialects, with nothing in them but the height and the address the host gave', async () => {
  const page = await opened('lesson');
  await untilQuiet(page, 'lesson');
  const messages = await told(page, 'lesson');
  assert.ok(messages.length >= 3 && messages.length % 3 === 0);
  for (let index = 0; index < messages.length; index += 3) {
    const [plain, embedly, canvas] = messages.slice(index, index + 3), { height } = plain;
    assert.ok(Number.isInteger(height) && height > 400);
    assert.deepEqual(plain, { height });
    assert.deepEqual(JSON.parse(embedly), { context: 'iframe.resize', height, src: `${site.url}?ui=lesson&play=false` });
    assert.deepEqual(canvas, { subject: 'lti.frameResize', height });
  }
  await page.finish();
});

test('the frame grows with tables that are opened and shrinks when they are closed', async () => {
  const page = await opened('lesson');
  await untilQuiet(page, 'lesson');
  const height = async () => (await boxes(page)).frame;
  const before = await height();
  const summary = page.frames()[1].locator('#numbers > details > summary');
  await summary.click();
  await page.frames()[1].locator('#numbers table').first().waitFor();
  await untilQuiet(page, 'lesson');
  const open = await height();
  assert.ok(open > before + 100, `${before}, then ${open}`);
  await summary.click();
  await untilQuiet(page, 'lesson');
  assert.equal(await height(), before);
  await page.finish();
});

test('a host that does not listen is not told the same height twice', async () => {
  const page = await opened('deaf');
  await untilQuiet(page, 'deaf');
  const heights = (await told(page, 'deaf')).filter(({ subject }) => subject).map(({ height }) => height);
  assert.ok(heights.length >= 1);
  heights.slice(1).forEach((height, index) => assert.notEqual(height, heights[index]));
  await page.finish();
});

test('a figure says nothing in a frame with a shape, asks for one in a flat frame, and never chases its own height', async () => {
  const page = await opened('figures', { alone: true, viewport: { width: 960, height: 1900 } });
  for (const id of ['shaped', 'flat', 'overshooting']) await untilQuiet(page, id);
  const wanted = Math.ceil((await page.evaluate(() => document.documentElement.clientWidth)) / 1.6);
  const plain = async (id) => (await told(page, id)).filter((data) => typeof data === 'object' && !data.subject).map(({ height }) => height);
  assert.deepEqual(await told(page, 'shaped'), []);
  assert.ok(Math.abs((await plain('flat')).at(-1) - wanted) <= 1, `${await plain('flat')} for ${wanted}`);
  assert.ok((await plain('overshooting')).length <= 2);
  await page.setViewportSize({ width: 640, height: 1900 });
  for (const id of ['shaped', 'flat', 'overshooting']) await untilQuiet(page, id);
  assert.deepEqual(await told(page, 'shaped'), []);
  assert.ok(Math.abs((await plain('flat')).at(-1) - 400) <= 10, 'the new width counts');
  await page.finish();
});

test('a page of its own tells nobody', async () => {
  const page = await newPage(browser, { alone: true });
  await page.addInitScript(() => {
    window.posted = 0;
    window.postMessage = () => ++window.posted;
  });
  await page.goto(`${site.url}?ui=lesson`);
  await untilShown(page);
  await beats(page);
  assert.equal(await page.evaluate(() => window.posted), 0);
  assert.equal(await page.evaluate(() => 'embedded' in document.documentElement.dataset), false);
  await page.finish();
});
