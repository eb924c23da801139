// Figures that other pages and programs speak to: the element, and frames by messages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { house, launch, newPage, serve, shared } from './support.mjs';

const browser = await launch();
const page = (body, head = '') => `<!doctype html><html lang="en"><head><meta charset="utf-8">${head}<title>A course</title></head><body>${body}`;
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; style-src 'self'; connect-src 'self'; img-src blob:">`; // as docs/embedding.md asks for
const kPort = /PORT/g;
const own = await serve({
  '/element': page('<kappaflow-figure id="figure" scene="shattering" layers="12" play="false"><p id="poster">A picture comes.</p></kappaflow-figure><script type="module" src="/element.mjs"></script>', policy),
  '/hostile': `<!doctype html><script>addEventListener('message', ({data}) => { parent.postMessage(data, '*'); for (let i = 0; i < parent.length; ++i) if (parent[i] !== window) parent[i].postMessage(data, '*'); parent.postMessage('relayed', '*'); }); parent.postMessage('here', '*')</script>`,
});
const frames = page(`<iframe id="figure" title="figure" sandbox="allow-scripts" src="http://localhost:PORT/?scene=shattering&layers=12&play=false&ui=figure" width="700" height="420"></iframe>
<iframe id="hostile" title="neighbour" src="http://localhost:PORT/hostile"></iframe>
<script type="module">
import { connect } from 'http://localhost:PORT/client.mjs';
window.told = [];
window.relayed = 0;
addEventListener('message', ({ data }) => (window.relayed += data === 'relayed'));
window.framed = await connect(document.getElementById('figure'), { onEvent: (name, detail) => window.told.push({ name, detail }) });
</script>`);
const course = await serve({ '/': frames.replace(kPort, own.port) });

/** The page with the element, its first result there. */
const elementPage = shared(async () => {
  const found = await newPage(browser, { alone: true });
  await found.goto(`${own.url}element`);
  await found.evaluate(() => {
    window.figure = document.getElementById('figure');
    window.told = [];
    for (const name of ['change', 'result', 'error']) window.figure.addEventListener(name, ({ detail }) => window.told.push({ name, detail }));
    window.heard = (name, from = 0) => new Promise((done) => {
      const look = () => (window.told.slice(from).some((one) => one.name === name) ? done(window.told.length) : setTimeout(look, 20));
      look();
    });
  });
  await found.evaluate(() => window.heard('result'));
  return found;
});

test('the element opens its attributes as params, and its children stand there until the picture does', async () => {
  const found = await elementPage();
  const state = await found.evaluate(() => window.figure.getState());
  assert.deepEqual([state.scene, state.params.layers, state.params.play, state.status], ['shattering', '12', 'false', 'ok']);
  assert.match(state.link, /scene=shattering/);
  assert.ok(state.summary.length > 20);
  assert.equal(await found.locator('#poster').isVisible(), false);
  assert.ok(await found.evaluate(() => window.figure.shadowRoot.querySelector('canvas').getBoundingClientRect().height === 480));
  assert.ok(found.workers().length > 0, 'in a worker, under that policy');
});

test('an attribute that changes is a param that changes; what is no value is told in a sentence', async () => {
  const found = await elementPage();
  const layers = await found.evaluate(async () => {
    const from = window.told.length;
    window.figure.setAttribute('layers', '20');
    await window.heard('result', from);
    return (await window.figure.getState()).params.layers;
  });
  assert.equal(layers, '20');
  const sentence = await found.evaluate(async () => {
    const from = window.told.length;
    window.figure.setAttribute('layers', 'many');
    await window.heard('error', from);
    return window.told.at(-1).detail.sentence;
  });
  assert.match(sentence, /layers.*many/);
  assert.match(await found.evaluate(() => window.figure.setState({ layers: 'none', nonsense: 1 })), /none.*nonsense/);
  const back = await found.evaluate(async () => {
    const from = window.told.length;
    window.figure.removeAttribute('layers');
    await window.heard('result', from);
    window.figure.setAttribute('scene', 'deep-limit');
    await new Promise((done) => setTimeout(done));
    const state = await window.figure.getState();
    window.figure.setAttribute('scene', 'shattering');
    window.figure.setAttribute('layers', '12');
    return state.scene;
  });
  assert.equal(back, 'deep-limit');
});

test('the element gives its report, one value of it with every result, its picture as SVG and PNG, and comes back to its attributes', async () => {
  const found = await elementPage();
  const { report, seen, svg, png, layers } = await found.evaluate(async () => {
    const seen = [];
    const end = window.figure.observe('limit', (value) => seen.push(value.value));
    await window.figure.setState({ scene: 'shattering', layers: 30 });
    while (seen.length < 1) await new Promise((done) => setTimeout(done, 20));
    const from = window.told.length;
    await window.figure.setState({ profile: 'varying' });
    await window.heard('result', from);
    while (seen.length < 2) await new Promise((done) => setTimeout(done, 20));
    end();
    const report = await window.figure.getReport(), svg = await window.figure.toSVG(), blob = await window.figure.toPNG({ scale: 1 });
    const bitmap = await createImageBitmap(blob), canvas = new OffscreenCanvas(bitmap.width, bitmap.height), context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
    await window.figure.reset();
    return { report, seen, svg, png: { type: blob.type, width: bitmap.width, height: bitmap.height, colours: new Set(pixels).size }, layers: (await window.figure.getState()).params.layers };
  });
  assert.equal(report.scene, 'shattering');
  assert.ok(seen.every((value) => value > 0 && value < 1) && seen.length >= 2, seen.join());
  assert.match(svg, /^<\?xml[\s\S]*<\/svg>\s*$/);
  const [, width, height] = svg.match(/ width="([\d.]+)" height="([\d.]+)"/).map(Number);
  assert.deepEqual([png.type, png.width, png.height], ['image/png', Math.round(width), Math.round(height)]);
  assert.ok(png.colours > 50, `${png.colours} colours`);
  assert.equal(layers, '12');
});

test('the timeline is stepped, sought and played at another speed, and its reader has the same', async () => {
  const found = await elementPage();
  const answer = await found.evaluate(async () => {
    const { figure } = window, speed = [...figure.shadowRoot.querySelectorAll('select')].find((select) => select.closest('label')?.textContent.startsWith('Speed'));
    const at = async () => Number((await figure.getState()).params.at), rest = () => new Promise((done) => setTimeout(done, 700));
    await figure.seek(4);
    const sought = await at();
    await figure.step(3);
    await rest();
    const on = await at();
    await figure.step(-2);
    await rest();
    const back = await at();
    await figure.setSpeed(2);
    await rest();
    const shown = speed.value;
    speed.value = '0.5';
    speed.dispatchEvent(new Event('change'));
    await figure.setSpeed(1);
    return { sought, on, back, shown, refused: await figure.seek('far').then(() => '', ({ message }) => message) };
  });
  assert.deepEqual([answer.sought, Math.abs(answer.on - 4), Math.abs(answer.back - answer.on), answer.shown], [4, 3, 2, '2']);
  assert.match(answer.refused, /number/);
});

test('an element that is moved goes on, one that is removed takes everything with it', async () => {
  const found = await elementPage();
  const after = await found.evaluate(async () => {
    const flow = () => window.figure.shadowRoot.querySelector('canvas');
    const before = flow(), box = document.body.appendChild(document.createElement('div'));
    box.append(window.figure);
    await new Promise((done) => setTimeout(done, 50));
    const same = flow() === before, state = await window.figure.getState();
    window.figure.remove();
    await new Promise((done) => setTimeout(done, 50));
    const refused = await window.figure.getState().then(() => '', ({ message }) => message);
    const left = window.figure.shadowRoot.querySelectorAll('.kf-controls').length;
    // Removed and put back before it is ready, and changed while it is removed: the last one lives.
    document.body.append(window.figure);
    await new Promise((done) => setTimeout(done));
    window.figure.remove();
    await new Promise((done) => setTimeout(done));
    document.body.append(window.figure);
    window.figure.setAttribute('ui', 'lesson');
    const again = (await window.figure.getState()).params.layers;
    window.figure.setAttribute('layers', '9');
    window.figure.setAttribute('ui', 'figure');
    window.figure.remove();
    await new Promise((done) => setTimeout(done, 100));
    return { same, scene: state.scene, refused, left, again, end: await window.figure.getState().then(() => '', ({ message }) => message) };
  });
  assert.deepEqual(after, { same: true, scene: 'shattering', refused: 'This figure is on no page.', left: 0, again: '12', end: 'This figure is on no page.' });
  await found.waitForFunction(() => true);
  for (const deadline = Date.now() + 20e3; found.workers().length && Date.now() < deadline; ) await new Promise((done) => setTimeout(done, 50));
  assert.equal(found.workers().length, 0, 'no worker is left');
  assert.deepEqual(found.troubles, []);
});

/** The course's page, its frame connected. */
const framesPage = shared(async () => {
  const found = await newPage(browser, { alone: true });
  await found.goto(course.url);
  await found.waitForFunction(() => window.framed && document.readyState === 'complete');
  return found;
});

test('a sandboxed frame of another origin answers the page around it', async () => {
  const found = await framesPage();
  const seen = await found.evaluate(async () => {
    const { framed: figure } = window;
    const before = await figure.getState();
    await figure.observe('limit');
    const refused = await figure.setState({ layers: 33, nonsense: 2 });
    while (!window.told.some(({ name, detail }) => name === 'result' && detail.params.layers === '33')) await new Promise((done) => setTimeout(done, 20));
    while (!window.told.some(({ name }) => name === 'observed')) await new Promise((done) => setTimeout(done, 20));
    const report = await figure.getReport(), svg = await figure.toSVG(), png = await figure.toPNG({ scale: 1 });
    await figure.reset();
    return { version: figure.version, capabilities: figure.capabilities, before, refused, report, svg, png: [png.type, png.size > 5000], after: await figure.getState(), told: [...new Set(window.told.map(({ name }) => name))] };
  });
  assert.equal(seen.version, 1);
  assert.ok(seen.capabilities.includes('setState'));
  assert.deepEqual([seen.before.params.layers, seen.after.params.layers], ['12', '12']);
  assert.match(seen.refused, /nonsense/);
  assert.equal(Number(seen.report.params.layers), 33);
  assert.match(seen.svg, /<\/svg>\s*$/);
  assert.deepEqual(seen.png, ['image/png', true]);
  assert.deepEqual(found.troubles, []);
  for (const name of ['change', 'result', 'observed']) assert.ok(seen.told.includes(name), `${name} among ${seen.told}`);
});

test('a neighbour that speaks to the frame or in its name is not heard, and nonsense is answered in a sentence', async () => {
  const found = await framesPage();
  const { before, after, told, answers } = await found.evaluate(async () => {
    const { framed: figure } = window, neighbour = document.getElementById('hostile').contentWindow, frame = document.getElementById('figure').contentWindow;
    const before = await figure.getState(), from = window.told.length;
    for (const message of [{ kappaflow: 1, ask: 'setState', id: 1, args: [{ layers: 77 }] }, { kappaflow: 1, event: 'result', detail: { forged: true } }, { kappaflow: 1, answer: 'x 1', value: 'forged' }])
      neighbour.postMessage(message, '*');
    while (window.relayed < 3) await new Promise((done) => setTimeout(done, 20));
    const answers = new Map();
    const hear = ({ source, data }) => source === frame && data?.answer && answers.set(data.answer, data.error ?? 'no error');
    addEventListener('message', hear);
    const junk = [null, 7, 'setState', {}, { kappaflow: 2, ask: 'reset', id: 'a' }, { kappaflow: 1, ask: 'constructor', id: 'b' }, { kappaflow: 1, ask: '__proto__', id: 'c', args: 3 },
      { kappaflow: 1, ask: 'setState', id: 'd', args: [null] }, { kappaflow: 1, ask: 'toPNG', id: 'e', args: ['?'] }, { kappaflow: 1, ask: 'observe', id: 'f' }];
    for (const message of junk) frame.postMessage(message, '*');
    while (answers.size < 5) await new Promise((done) => setTimeout(done, 20));
    return { before, after: await figure.getState(), told: window.told.slice(from).filter(({ detail }) => detail?.forged), answers: Object.fromEntries(answers) };
  });
  assert.deepEqual(after.params, before.params);
  assert.deepEqual(told, []);
  assert.match(answers.b, /There is no "constructor"/);
  assert.match(answers.c, /There is no "__proto__"/);
  assert.equal(answers.a, undefined, 'another version is not answered');
  assert.ok(answers.d !== 'no error', answers.d);
});

test('the client is at most 2 kB and asks for nothing else', () => {
  const text = readFileSync(join(house, 'web/client.mjs'), 'utf8');
  assert.ok(Buffer.byteLength(text) <= 2048, `${Buffer.byteLength(text)} bytes`);
  assert.doesNotMatch(text, /\bimport\b.*\bfrom\b/);
});
