// What belongs to the page around a figure stays with it: wheel, touch, Tab, shadow roots, frames.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, beats, describe, embedding, launch, newPage, open, serve, settle, untilShown, untilStill } from './support.mjs';

const browser = await launch();
const twoFigures = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Two figures</title><body>
<canvas id="one" style="width:700px;height:360px"></canvas><div id="host"></div>
<script type="module">
import { createKappaflow } from '/host.mjs';
const shadow = document.getElementById('host').attachShadow({ mode: 'open' });
shadow.innerHTML = '<canvas style="width:700px;height:360px"></canvas>';
window.one = await createKappaflow({ canvas: document.getElementById('one'), ui: 'figure' });
window.two = await createKappaflow({ canvas: shadow.querySelector('canvas'), root: shadow, ui: 'figure', link: 'scene=shattering', theme: 'dark' });
</script>`;
const sized = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sizes</title><body><div id="outer"><canvas></canvas></div><script type="module">
import { createKappaflow } from '/host.mjs';
const query = new URLSearchParams(location.search), canvas = document.querySelector('canvas');
document.getElementById('outer').style.cssText = query.get('outer');
canvas.style.cssText = query.get('own');
window.kappaflow = await createKappaflow({ canvas });
</script>`;
const server = await serve({ '/sized': sized, '/embed': embedding("link: 'play=false'", 300), '/two': twoFigures });
const frame = (port, path, sandbox) => `<!doctype html><html lang="en"><title>A course</title><body><iframe id="frame" title="figure" ${sandbox} src="http://localhost:${port}/${path}" width="900" height="600"></iframe>`;
const course = await serve({
  '/': frame(server.port, '', 'sandbox="allow-scripts"'),
  '/noworkers': frame(server.port, 'noworkers/', 'sandbox="allow-scripts"'),
  '/nocors': frame(server.port, 'nocors/', 'sandbox="allow-scripts"'),
  '/shattering': frame(server.port, '?scene=shattering&ui=figure', 'sandbox="allow-scripts"'),
});

const sizes = {
  'a size in pixels': ['', 'width:620px;height:410px', [620, 410]],
  'per cent of its container': ['width:700px;height:333px', 'width:100%;height:100%', [700, 333]],
  'no size at all': ['width:640px', '', [640, 480]],
};
for (const [name, [outer, own, expected]] of Object.entries(sizes))
  test(`a figure whose canvas has ${name} takes that place and no more`, async () => {
    const page = await newPage(browser, { deviceScaleFactor: 2 });
    await page.goto(`${server.url}sized?outer=${encodeURIComponent(outer)}&own=${encodeURIComponent(own)}`);
    await untilShown(page);
    const rects = await page.evaluate(() => ['.kf-canvas', '.kf-stage'].map((selector) => document.querySelector(selector).getBoundingClientRect()).map(({ width, height }) => [width, height]));
    assert.deepEqual(rects, [expected, expected]);
    await page.finish();
  });

test('the wheel over an embedded figure scrolls the page around it', async () => {
  const page = await open(browser, `${server.url}embed`);
  await page.mouse.move(400, 560);
  for (let notch = 0; notch < 6; ++notch) await page.mouse.wheel(0, 100);
  await page.waitForFunction(() => scrollY >= 400);
  await page.finish();
});

/** Turns the wheel and tells whether the page around was kept from having it. */
async function prevented(page) {
  await page.evaluate(() => (window.told = new Promise((done) => addEventListener('wheel', (event) => done(event.defaultPrevented), { once: true }))) && null);
  await page.mouse.wheel(0, -100);
  return page.evaluate(() => window.told);
}

test('with the control key the wheel zooms a figure only after it was clicked', async () => {
  const page = await open(browser, `${server.url}embed`);
  await page.mouse.move(400, 560);
  await page.keyboard.down('Control');
  assert.equal(await prevented(page), false);
  await page.keyboard.up('Control');
  await page.mouse.click(400, 600);
  await page.keyboard.down('Control');
  assert.equal(await prevented(page), true);
  await page.keyboard.up('Control');
  await page.finish();
});

test('regions are zoomed by the wheel once they were clicked, and with the control key before that too', async () => {
  const page = await open(browser, `${server.url}?scene=activation-regions&play=false`);
  await settle(page);
  const knob = (await describe(page)).handles.find(({ id }) => id === 'zoom');
  const box = await page.locator('canvas').first().boundingBox();
  const x = box.x + knob.x - 100, y = box.y + knob.y - 100;
  await page.mouse.move(x, y);
  assert.equal(await prevented(page), false);
  await page.keyboard.down('Control');
  assert.equal(await prevented(page), true);
  await page.keyboard.up('Control');
  await page.mouse.click(x, y);
  assert.equal(await prevented(page), true);
  await settle(page);
  assert.match(await act(page, (p) => p.link()), /half=0\./);
  await page.finish();
});

async function touchDrag(page, from, to, steps = 12) {
  const devtools = await page.context().newCDPSession(page);
  const send = (type, point) => devtools.send('Input.dispatchTouchEvent', { type, touchPoints: point ? [point] : [] });
  await send('touchStart', from);
  for (let step = 1; step <= steps; ++step) {
    await send('touchMove', { x: from.x + ((to.x - from.x) * step) / steps, y: from.y + ((to.y - from.y) * step) / steps });
    await beats(page, 1);
  }
  await send('touchEnd');
  await untilStill(page);
}

test('a finger that starts on a handle drags it and does not scroll the page', async () => {
  const page = await open(browser, `${server.url}embed`, { hasTouch: true, isMobile: true, viewport: { width: 800, height: 700 } });
  await settle(page);
  const box = await page.locator('#figure').boundingBox();
  const layer = (await describe(page)).handles.find(({ id }) => id === 'layer');
  const from = { x: box.x + layer.x + layer.width / 2, y: box.y + layer.y + layer.height / 2 };
  await touchDrag(page, from, { x: from.x, y: from.y - 150 }); // upwards the page would scroll
  assert.equal(await page.evaluate(() => scrollY), 0);
  const moved = (await describe(page)).handles.find(({ id }) => id === 'layer');
  assert.notEqual(moved.value, layer.value);
  await page.finish();
});

test('a finger that starts on nothing scrolls the page and changes nothing', async () => {
  const page = await open(browser, `${server.url}embed`, { hasTouch: true, isMobile: true, viewport: { width: 800, height: 700 } });
  await settle(page);
  const box = await page.locator('#figure').boundingBox();
  const empty = await page.evaluate(() => {
    const { page, canvas } = window.kappaflow;
    for (let y = canvas.clientHeight - 20; y > 40; y -= 10)
      for (let x = 20; x < canvas.clientWidth; x += 20) if (!page.wantsPointerAt(x, y) && !page.wantsWheelAt(x, y)) return { x, y };
  });
  const link = await act(page, (p) => p.link());
  const from = { x: box.x + empty.x, y: box.y + empty.y };
  await touchDrag(page, from, { x: from.x, y: from.y - 200 });
  await page.waitForFunction(() => scrollY > 50);
  assert.equal(await act(page, (p) => p.link()), link);
  await page.finish();
});

const focusedName = (page) => page.evaluate(() => {
  const element = document.activeElement;
  return element.closest('[data-key]')?.dataset.key || element.closest('[data-handle]')?.dataset.handle || element.id || element.textContent.trim().slice(0, 30) || element.tagName;
});

test('Tab walks every control and handle, shows the one it is on, and leaves', async () => {
  const page = await open(browser, `${server.url}embed`);
  await settle(page);
  const { params, handles } = await describe(page);
  await page.focus('#before');
  const walked = [];
  for (let step = 0; step < 60; ++step) {
    await page.keyboard.press('Tab');
    const name = await focusedName(page);
    if (name === 'after') break;
    walked.push(name);
    const visible = await page.evaluate(() => getComputedStyle(document.activeElement.closest('.kf-control') ?? document.activeElement).opacity);
    assert.equal(visible, '1', `${name} is seen while it has the focus`);
  }
  const expected = [...handles.map(({ id }) => id), ...params.filter(({ visible, group }) => visible && group !== 'hidden').map(({ key }) => key)];
  for (const name of expected) assert.ok(walked.includes(name), `${name} among ${walked}`);
  assert.equal(await focusedName(page), 'after');
  await page.keyboard.press('Shift+Tab');
  assert.notEqual(await focusedName(page), 'before');
  await page.finish();
});

test('Escape leaves a figure, from a control and from the canvas: the next Tab is the page\'s', async () => {
  const page = await open(browser, `${server.url}embed`);
  await settle(page);
  for (const enter of [() => page.locator('[data-key="layers"] input').focus(), () => page.locator('#figure').click({ position: { x: 60, y: 440 } })]) {
    await enter();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    assert.equal(await focusedName(page), 'after');
  }
  await page.finish();
});

test('the buttons are one stop, walked by arrows, and never one that cannot be pressed', async () => {
  const page = await open(browser, `${server.url}embed`);
  await settle(page);
  const stops = () => page.locator('.kf-buttons button').evaluateAll((all) => all.filter(({ tabIndex, hidden, disabled }) => tabIndex === 0 && !hidden && !disabled).map(({ textContent }) => textContent));
  assert.equal((await stops()).length, 1);
  await page.locator('.kf-buttons button[tabindex="0"]').focus();
  const first = await focusedName(page), walked = [];
  for (let step = 0; step < 20; ++step) {
    await page.keyboard.press('ArrowRight');
    walked.push(await focusedName(page));
    if (walked.at(-1) === first) break;
  }
  assert.ok(walked.includes('Copy link') && walked.includes('Download numbers as CSV') && walked.at(-1) === first, `${walked}`);
  assert.deepEqual(await page.locator('.kf-buttons button:disabled').evaluateAll((all) => all.filter((one) => one === document.activeElement)), []);
  await page.finish();
});

test('number fields say their range, are 16 pixels high in type, and ask phones for a keyboard of numbers', async () => {
  const page = await open(browser, `${server.url}embed`);
  await settle(page);
  const { params } = await describe(page);
  const found = await page.locator('.kf-control[data-key] input[type="number"]').evaluateAll((all) => all.map((input) => ({
    key: input.closest('[data-key]').dataset.key, size: parseFloat(getComputedStyle(input).fontSize), mode: input.inputMode, help: document.getElementById(input.getAttribute('aria-describedby').split(' ')[0]).textContent,
  })));
  assert.ok(found.length > 3);
  for (const { key, size, mode, help } of found) {
    const { min, max } = params.find((param) => param.key === key);
    assert.ok(size >= 16, `${key}: ${size} px`);
    assert.ok(help.endsWith(`From ${min} to ${max}.`), help);
    assert.equal(['numeric', 'decimal'].includes(mode), min >= 0, key);
  }
  await page.finish();
});

test('typing into a native control changes the state and keeps the caret', async () => {
  const page = await open(browser, `${server.url}embed`);
  await settle(page);
  const input = page.locator('[data-key="layers"] input');
  await input.focus();
  await page.keyboard.press('Control+A');
  for (const typed of ['1', '13', '137']) {
    await page.keyboard.type(typed.at(-1));
    await page.waitForFunction((text) => window.kappaflow.page.describe().params.find(({ key }) => key === 'layers').value === text, typed);
    await untilStill(page); // the native elements have heard of it
  }
  assert.equal(await input.evaluate((element) => element === document.activeElement && element.value), '137');
  await page.finish();
});

test('a handle moves by the arrow keys of its native element', async () => {
  const page = await open(browser, `${server.url}embed`);
  await settle(page);
  await page.locator('[data-handle="top"] input').focus();
  const value = async () => (await describe(page)).handles.find(({ id }) => id === 'top').value;
  const before = await value();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await settle(page);
  assert.equal(await value(), before + 2);
  await page.finish();
});

test('loading never takes the focus, and Tab leaves a clicked canvas', async () => {
  const page = await newPage(browser);
  await page.goto(`${server.url}embed`);
  await page.focus('#before');
  await untilShown(page);
  await beats(page);
  assert.equal(await focusedName(page), 'before');
  await page.mouse.click(400, 700);
  assert.equal(await focusedName(page), 'figure');
  await page.keyboard.press('Tab');
  assert.notEqual(await focusedName(page), 'figure');
  await page.finish();
});

test('two figures on a page, one in a shadow root, run side by side and are destroyed without a trace', async () => {
  const page = await newPage(browser, { clock: true });
  await page.goto(`${server.url}two`);
  await untilShown(page, 'one');
  await untilShown(page, 'two');
  assert.equal(await page.evaluate(() => window.one.page.describe().scene), 'capacity-diffusion');
  assert.equal(await page.evaluate(() => window.two.page.describe().scene), 'shattering');
  await page.evaluate(() => {
    const contexts = [window.one, window.two].map(({ surface }) => surface.context());
    const workers = [window.one, window.two].map(({ runner }) => runner.inner.current.worker);
    const left = (window.left = { requested: 0, messages: 0, fired: [], contexts });
    workers.forEach((worker) => worker.addEventListener('message', () => ++left.messages));
    const { requestAnimationFrame: request, setTimeout: set } = window;
    window.requestAnimationFrame = (action) => (++left.requested, request(action));
    window.one.destroy();
    window.two.destroy();
    window.one.destroy(); // twice is once
    window.setTimeout = (...args) => (left.fired.push(String(args[0])), set(...args));
    window.dispatchEvent(new Event('resize'));
  });
  await page.clock.runFor(20e3);
  const after = await page.evaluate(() => {
    const { requested, messages, fired, contexts } = window.left, { shadowRoot } = document.getElementById('host');
    return {
      requested, messages, fired, lost: contexts.map((context) => context.isContextLost()),
      left: document.querySelectorAll('[class^="kf-"], link').length + shadowRoot.querySelectorAll('[class^="kf-"], link').length,
      canvas: Boolean(document.getElementById('one').isConnected && shadowRoot.querySelector('canvas')),
    };
  });
  assert.deepEqual(after, { requested: 0, messages: 0, fired: [], lost: [true, true], left: 0, canvas: true });
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

async function framed(path) {
  const page = await newPage(browser);
  await page.goto(`${course.url}${path}`);
  return { page, frame: page.frames()[1] };
}

test('in a sandboxed frame of another origin the page computes in a worker', async () => {
  const { page, frame } = await framed('');
  await untilShown(frame);
  assert.equal(await frame.evaluate(() => window.origin), 'null');
  assert.equal(await frame.evaluate(() => window.kappaflow.runner.kind), 'worker');
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('every scene runs in a sandboxed frame', async () => {
  const { page, frame } = await framed('shattering');
  await untilShown(frame);
  assert.equal(await frame.evaluate(() => window.kappaflow.page.describe().scene), 'shattering');
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('where workers are refused the page computes in one piece, with less to spend, and says so', async () => {
  const { page, frame } = await framed('noworkers');
  await untilShown(frame);
  await frame.waitForFunction(() => window.kappaflow.runner.kind === 'inline'); // found out when what computes has come, behind the first picture
  const seen = await frame.evaluate(async () => {
    const { page } = window.kappaflow;
    const answered = async (settings) => {
      for (const [key, text] of Object.entries(settings)) page.setParam(key, text);
      window.kappaflow.wake();
      do await new Promise((done) => setTimeout(done, 50)); while (page.describe().busy);
      return page.describe();
    };
    page.play(false);
    const small = await answered({ layers: '11' });
    const large = await answered({ kernel: 'random', channels: '64', draws: '100', extent: '512' });
    return { summary: small.summary, refused: large.message, kept: large.summary };
  });
  assert.match(seen.summary, /11 layers/);
  assert.match(seen.refused, /the most allowed where the page may not compute in the background; lower \w+\.$/);
  assert.match(seen.kept, /11 layers/, 'what was on screen stays');
  await page.finish();
});

test('without CORS headers a sandboxed frame shows the words, not a blank', async () => {
  const { page, frame } = await framed('nocors');
  await frame.locator('h1', { hasText: 'Capacity diffusing back' }).waitFor();
  await page.finish();
});

test('in a sandbox a download is shown as text to copy', async () => {
  const { page, frame } = await framed('');
  await untilShown(frame);
  await frame.evaluate(() => window.kappaflow.outlet.download('csv'));
  await frame.waitForSelector('.kf-offer textarea');
  assert.match(await frame.locator('.kf-offer textarea').inputValue(), /spread/);
  await page.finish();
});
