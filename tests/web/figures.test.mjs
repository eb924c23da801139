// The figure a reader saves: SVG that parses, says what it shows and opens the same state again.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pitches, sound, toneInWords } from '../../web/tones.mjs';
import { lighter } from './lighter.mjs';
import { act, describe, enter, house, launch, newPage, open, sampled, serve, settle, shared, site, small, untilShown, untilStill } from './support.mjs';

const browser = await launch();
const server = await serve();
const course = await serve({
  '/': `<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><body><iframe title="figure" sandbox="allow-scripts" src="http://localhost:${server.port}/?scene=shattering" width="900" height="600"></iframe>`,
});
const scenes = readdirSync(join(site, 'schemas')).map((name) => JSON.parse(readFileSync(join(site, 'schemas', name), 'utf8')));

/** What a browser finds in an SVG document. */
const reader = await newPage(browser); // no page of ours, whose policy would judge the document's own styles
const read = (text) =>
  reader.evaluate((source) => {
    const svg = new DOMParser().parseFromString(source, 'image/svg+xml');
    const all = (name) => [...svg.getElementsByTagName(name)].map((element) => element.textContent);
    const root = svg.documentElement;
    return {
      fault: svg.querySelector('parsererror')?.textContent ?? '', root: root.localName, size: [Number(root.getAttribute('width')), Number(root.getAttribute('height'))],
      texts: all('text'), metadata: all('metadata').join(' '), scripts: all('script').length, outside: [...source.matchAll(/(?:href|src)="(?!#|data:)([^"]+)"|url\((?!#)/g)].length,
    };
  }, text);

const linkIn = (metadata) => metadata.match(/https?:\/\/\S+#\S+/)?.[0];

// Every preset is drawn natively (tests/pictures), at desktop and phone size, in both themes: what the browser adds is the saving, with
// the drawing code of a bundle.
const saving = shared(() => open(browser, `${server.url}?play=false`, small)), opening = shared(() => open(browser, `${server.url}?play=false`, small));
for (const { id, presets: [{ name }], title } of scenes.filter((scene) => sampled.includes(scene.id)))
  test(`the figure saved of ${id} parses, has text and opens the same state`, async () => {
    const page = await saving(), again = await opening();
    await enter(page, id, lighter(id), name);
    const link = await act(page, (p) => p.link());
    const [download] = await Promise.all([page.waitForEvent('download'), page.evaluate(() => window.kappaflow.outlet.saveFigure())]);
    assert.equal(download.suggestedFilename(), `${id}.svg`);
    const text = readFileSync(await download.path(), 'utf8');
    assert.ok(text.length <= 2e6, `${text.length} bytes`);
    const found = await read(text);
    assert.equal(found.fault, '');
    assert.equal(found.root, 'svg');
    assert.ok(found.texts.join('').length > 10, `${found.texts}`);
    assert.deepEqual([found.scripts, found.outside], [0, 0], 'a figure loads and runs nothing');
    assert.match(text, new RegExp(title.slice(0, 12)));
    assert.ok(linkIn(found.metadata).includes(`scene=${id}`));
    await again.evaluate((address) => (location.href = address), linkIn(found.metadata)); // another fragment of the same page
    await again.waitForFunction((scene) => window.kappaflow.page.describe().scene === scene, id);
    await settle(again);
    assert.equal(await act(again, (p) => p.link()), link);
    assert.deepEqual([...page.troubles, ...again.troubles], []);
  });

test('the button among the native controls saves the figure, in the theme that is seen', async () => {
  const page = await open(browser, `${server.url}?theme=dark&play=false`, small);
  await settle(page);
  const button = page.getByRole('button', { name: 'Save figure (SVG)' });
  await button.focus();
  const [download] = await Promise.all([page.waitForEvent('download'), button.press('Enter')]);
  const dark = readFileSync(await download.path(), 'utf8');
  await page.evaluate(() => window.kappaflow.setTheme('light'));
  await untilStill(page);
  const [second] = await Promise.all([page.waitForEvent('download'), button.press('Enter')]);
  assert.notEqual(readFileSync(await second.path(), 'utf8'), dark);
  await page.finish();
});

test('another button saves it as pixels, twice as many as the figure has', async () => {
  const page = await open(browser, `${server.url}?play=false`, small);
  await settle(page);
  const button = page.getByRole('button', { name: 'Save figure (PNG)' });
  await button.focus();
  const [download] = await Promise.all([page.waitForEvent('download'), button.press('Enter')]);
  assert.equal(download.suggestedFilename(), 'capacity-diffusion.png');
  const png = readFileSync(await download.path()), svg = await page.evaluate(() => window.kappaflow.outlet.svg());
  const [, width, height] = svg.match(/ width="([\d.]+)" height="([\d.]+)"/).map(Number);
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [Math.round(2 * width), Math.round(2 * height)]);
  // What was saved brings its state back when it is dropped.
  const link = await act(page, (p) => p.link()), files = { 'figure.png': png, 'figure.svg': Buffer.from(svg) };
  for (const [name, bytes] of Object.entries(files)) {
    await act(page, (p) => p.openLink('scene=shattering&play=false'));
    await settle(page);
    await page.evaluate(([file, data]) => window.kappaflow.files.read(new File([Uint8Array.from(data)], file)), [name, [...bytes]]);
    await settle(page);
    assert.equal(await act(page, (p) => p.link()), link, name);
  }
  await page.evaluate((data) => window.kappaflow.files.read(new File([Uint8Array.from(data)], 'figure.png')), [...png.subarray(0, 40)]);
  await page.waitForFunction(() => window.kappaflow.page.describe().message.length > 10); // a PNG that is none of ours is refused in a sentence
  await page.finish();
});

test('the first picture in pixels has all its letters: it is the same as those after it', async () => {
  const page = await open(browser, `${server.url}?scene=deep-limit&ui=figure&play=false`, { viewport: { width: 480, height: 420 } });
  await settle(page);
  const same = await page.evaluate(async () => {
    const bytes = async () => new Uint8Array(await (await window.kappaflow.outlet.png(1)).arrayBuffer());
    const [first, second, third] = [await bytes(), await bytes(), await bytes()];
    return [second, third].every((later) => later.length === first.length && later.every((byte, index) => byte === first[index]));
  });
  assert.ok(same);
  await page.finish();
});

test('the figure fills the screen and goes back into its page', async () => {
  const page = await open(browser, `${server.url}?play=false`, small);
  await settle(page);
  const width = () => page.evaluate(() => document.getElementById('canvas').getBoundingClientRect().width), before = await width();
  const button = page.getByRole('button', { name: 'Fill the screen' });
  await button.focus();
  await button.press('Enter');
  await page.waitForFunction(() => document.fullscreenElement?.classList.contains('kf-stage'));
  await page.waitForFunction((narrow) => document.getElementById('canvas').getBoundingClientRect().width !== narrow || innerWidth === narrow, before);
  assert.equal(await width(), await page.evaluate(() => innerWidth));
  await button.press('Enter');
  await page.waitForFunction(() => !document.fullscreenElement);
  await page.finish();
});

test('the pitch of a curve is linear in its value, over two octaves, and silent where there is no number', () => {
  const close = (found, wanted) => assert.ok(found.every((pitch, index) => (wanted[index] === null ? pitch === null : Math.abs(pitch - wanted[index]) < 1e-9 * wanted[index])), `${found}`);
  close(pitches([0, 1, 2]), [220, 440, 880]);
  close(pitches([-3, null, 5, NaN, 1]), [220, null, 880, null, 440]);
  close(pitches([7, 7]), [440, 440]);
  close(pitches([-1.7e308, 0, 1.7e308]), [220, 440, 880]);
  close(pitches([null, Infinity]), [null, null]);
  assert.equal(toneInWords([0.5, null, 2], String), '3 seconds, from 220 Hz at 0.5 to 880 Hz at 2');
});

test('what sounds has these pitches, and is still in between; a curve of the report is heard at a reader’s wish and stopped by another', async () => {
  // The oscillator itself, rendered: frequencies counted from where the wave crosses zero upwards.
  const heard = await reader.evaluate(async ([source, hertz]) => {
    const context = new OfflineAudioContext(1, 44100 * 3, 44100);
    new Function(`return ${source}`)()(context, hertz, 2, 0.5);
    const wave = (await context.startRendering()).getChannelData(0);
    return [0.55, 1.05, 1.55].map((at) => {
      const some = wave.slice(44100 * (at - 0.1), 44100 * (at + 0.1)), crossings = [];
      for (let index = 1; index < some.length; ++index) if (some[index - 1] < 0 && some[index] >= 0) crossings.push(index);
      return { loud: Math.max(...some), hertz: (44100 * (crossings.length - 1)) / (crossings.at(-1) - crossings[0]) };
    });
  }, [sound.toString(), [...Array(21).fill(330), ...Array(19).fill(null), ...Array(21).fill(660)]]);
  assert.ok(Math.abs(heard[0].hertz - 330) < 3 && heard[0].loud > 0.45, JSON.stringify(heard));
  assert.ok(heard[1].loud < 1e-3, JSON.stringify(heard));
  assert.ok(Math.abs(heard[2].hertz - 660) < 6 && heard[2].loud > 0.45, JSON.stringify(heard));

  const page = await open(browser, `${server.url}?scene=trajectory-length&sweepDraws=2&play=false`, small);
  await settle(page);
  await page.evaluate(() => {
    window.oscillators = [];
    const create = AudioContext.prototype.createOscillator;
    AudioContext.prototype.createOscillator = function () { return (window.oscillators.push(create.call(this)), window.oscillators.at(-1)); };
  });
  await page.locator('.kf-numbers > summary').click();
  const some = page.locator('.kf-numbers-body > details', { hasText: 'layer' }).filter({ hasNotText: '×' }).first();
  await some.locator('summary').click();
  assert.equal(await page.evaluate(() => window.oscillators.length), 0, 'nothing sounds by itself');
  const button = some.getByRole('button', { name: /^Listen to/ });
  assert.match(await some.locator('small').innerText(), /^3 seconds, from 220 Hz at [-\d.e]+ to 880 Hz at [-\d.e]+\.$/);
  await button.click();
  assert.equal(await page.evaluate(() => window.oscillators.length), 1);
  await some.getByRole('button', { name: /^Stop/ }).click();
  await button.waitFor();
  await button.click();
  await button.waitFor({ timeout: 20e3 }); // by itself, at its end
  await page.finish();
});

test('the layers of the network that is chosen stand among the numbers, a sample\'s and those of a file, as the command line has them', async () => {
  const page = await open(browser, `${server.url}?scene=activation-regions&network=shapes-classifier&play=false`, small);
  await settle(page);
  await page.locator('.kf-numbers > summary').click();
  const expected = (file) => {
    const { layers, weights, biases, multiplyAdds } = JSON.parse(execFileSync(join(house, 'build/release/kappaflow'), ['network', file, '--format', 'json'], { encoding: 'utf8' }));
    const number = (value) => value.toLocaleString('en');
    const rows = layers.map((one) => [one.layer, one.name, one.activation || one.kind, one.output[0] === 1 && one.output[1] === 1 ? String(one.output[2]) : one.output.join(' × '), number(one.weights), number(one.biases), number(one.multiplyAdds)]);
    return [...rows, ['sum', '', '', '', number(weights), number(biases), number(multiplyAdds)]];
  };
  const table = async (name) => {
    const details = page.locator('.kf-numbers-body > details', { hasText: `The layers of ${name}` });
    await details.waitFor();
    if (!(await details.evaluate((element) => element.open))) await details.locator('summary').click();
    return details.evaluate((element) => [...element.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent)));
  };
  assert.deepEqual(await table('shapes-classifier.onnx'), expected(join(house, 'src/samples/shapes-classifier.onnx')));
  await act(page, (p, bytes) => p.attach('mine.onnx', new Uint8Array(bytes)), [...readFileSync(join(house, 'tests/data/networks/mlp_batchnorm.onnx'))]);
  await settle(page);
  assert.deepEqual(await table('mine.onnx'), expected(join(house, 'tests/data/networks/mlp_batchnorm.onnx')));
  // Another file of the same name and size.
  const other = readFileSync(join(house, 'tests/data/networks/mlp_batchnorm.onnx')), named = other.indexOf('/1/Gemm');
  for (let at = named; at >= 0; at = other.indexOf('/1/Gemm', at + 1)) other.write('/9/Gemm', at);
  await act(page, (p, bytes) => p.attach('mine.onnx', new Uint8Array(bytes)), [...other]);
  await settle(page);
  await page.locator('.kf-numbers-body td', { hasText: '/9/Gemm' }).first().waitFor();
  await act(page, (p) => p.setParam('network', ''));
  await settle(page);
  await page.waitForFunction(() => !/The layers of/.test(document.querySelector('.kf-numbers-body').textContent));
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('the timeline is saved as a film: as many pictures as playing takes, the first and last those of the page, which stands where it was; a second wish ends it', async () => {
  const page = await open(browser, `${server.url}?scene=deep-limit&ui=figure&play=false`, { viewport: { width: 480, height: 420 } });
  await settle(page);
  await act(page, (p) => p.seek(p.valueAfter(0.5)));
  await settle(page);
  const before = await describe(page), paces = await page.evaluate(async () => {
    const { paceOf } = await import('/film.mjs'), { page: program } = window.kappaflow;
    return [5, 0.2, 100, program.duration() / program.describe().speed].map((seconds) => paceOf(seconds));
  });
  const { frames } = paces.pop();
  assert.deepEqual(paces, [{ frames: 60, delay: 80 }, { frames: 12, delay: 20 }, { frames: 240, delay: 420 }]);
  const save = () => page.evaluate(() => void window.kappaflow.outlet.saveFigure('gif'));
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 80e3 }), save()]);
  assert.equal(download.suggestedFilename(), 'deep-limit.gif');
  assert.equal((await describe(page)).at, before.at);
  const gif = readFileSync(await download.path());
  assert.equal(gif.toString('latin1', 0, 6), 'GIF89a');
  const found = await page.evaluate(async (base64) => {
    const { page: program, outlet } = window.kappaflow, decoder = new ImageDecoder({ type: 'image/gif', data: Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)) });
    await decoder.tracks.ready;
    const { frameCount } = decoder.tracks.selectedTrack;
    const pixels = (image, width, height) => {
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context.drawImage(image, 0, 0, width, height);
      return context.getImageData(0, 0, width, height).data;
    };
    const differences = [];
    for (const share of [0, 1]) {
      const { image } = await decoder.decode({ frameIndex: Math.round(share * (frameCount - 1)) }), { displayWidth: width, displayHeight: height } = image;
      program.seek(program.valueAfter(share));
      const own = pixels(await createImageBitmap(await outlet.png(1)), width, height), seen = pixels(image, width, height);
      differences.push(own.reduce((sum, value, index) => sum + Math.abs(value - seen[index]), 0) / own.length);
    }
    return { frameCount, differences };
  }, gif.toString('base64'));
  assert.equal(found.frameCount, frames);
  assert.ok(found.differences.every((difference) => difference < 4), `${found.differences} of 255`); // 256 colours for all
  await save();
  await page.waitForFunction(() => /is \d+ % made/.test(document.querySelector('.kf-toast')?.textContent ?? ''));
  await save();
  await page.waitForFunction(() => /given up/.test(document.querySelector('.kf-toast').textContent));
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('the same film as a video: as long as playing takes, its last picture that of the page', async () => {
  const page = await open(browser, `${server.url}?scene=deep-limit&ui=figure&play=false&speed=4`, { viewport: { width: 480, height: 420 } });
  await settle(page);
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 80e3 }), page.evaluate(() => void window.kappaflow.outlet.saveFigure('film'))]);
  assert.match(download.suggestedFilename(), /^deep-limit\.(mp4|webm)$/);
  const bytes = readFileSync(await download.path()), type = `video/${download.suggestedFilename().split('.').pop()}`;
  const own = await page.evaluate(async () => {
    const { page: program, outlet } = window.kappaflow;
    program.seek(program.valueAfter(1));
    const png = new Uint8Array(await (await outlet.png(2)).arrayBuffer());
    return { png: btoa(Array.from(png, (byte) => String.fromCharCode(byte)).join('')), played: program.duration() / program.describe().speed };
  });
  const plain = await newPage(browser), empty = await serve({ '/': '<!doctype html><title>Nothing</title>' }); // the program's own page plays no films
  await plain.goto(empty.url);
  const found = await plain.evaluate(async ([film, kind, png]) => {
    const blobOf = (base64, type) => new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type }), video = document.createElement('video');
    const heard = (name) => new Promise((done, fail) => (video.addEventListener(name, done, { once: true }), (video.onerror = () => fail(new Error(video.error.message)))));
    const loaded = heard('loadeddata');
    video.src = URL.createObjectURL(blobOf(film, kind));
    await loaded;
    const { videoWidth: width, videoHeight: height, duration } = video, sought = heard('seeked');
    video.currentTime = duration - 0.5;
    await sought;
    const pixels = (image) => {
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, width, height).data;
    };
    while (!pixels(video)[3]) await new Promise((done) => setTimeout(done, 20)); // 'seeked' may come before there is a picture to draw
    const seen = pixels(video), expected = pixels(await createImageBitmap(blobOf(png, 'image/png')));
    const difference = expected.reduce((sum, value, index) => sum + Math.abs(value - seen[index]), 0) / expected.length;
    return { difference, width, height, duration };
  }, [bytes.toString('base64'), type, own.png]);
  await plain.finish();
  assert.ok(found.difference < 6, `${found.difference} of 255`);
  assert.ok(found.width % 2 === 0 && found.height % 2 === 0);
  assert.ok(Math.abs(found.duration - own.played - 2) < 0.3, `${found.duration} s beside ${own.played} s and two of rest`);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('in a sandbox the figure is shown as text to copy', async () => {
  const page = await newPage(browser);
  await page.goto(course.url);
  const frame = page.frames()[1];
  await untilShown(frame);
  await frame.evaluate(() => window.kappaflow.outlet.saveFigure());
  await frame.waitForSelector('.kf-offer textarea');
  const found = await read(await frame.locator('.kf-offer textarea').inputValue());
  assert.equal(found.fault, '');
  assert.match(linkIn(found.metadata), /scene=shattering/);
  await page.finish();
});
