// Bad hosts and bad luck: a cause and a Retry button, never a blank page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, beats, describe, launch, newPage, open, serve, settle, shared, small, untilShown } from './support.mjs';

const browser = await launch();

/** A page of a host with this fault, once the fault is known. */
async function faulty(server, fault, params = '') {
  const page = await newPage(browser, { clock: true, ...small });
  await page.goto(`${server.url}${fault}/?play=false${params}`, { waitUntil: 'commit' });
  if (fault === 'stall') {
    const begun = () => {
      const entries = [...(window.kappaflow?.loading?.entries.values() ?? [])]; // all others have come before the clock runs ahead
      return entries.length > 0 && entries.every(({ name, received, settled }) => (name === 'kappaflow-page.wasm' ? received > 0 : settled));
    };
    await page.waitForFunction(begun);
    await page.clock.runFor(1500); // of the page's own clock: with the time it took to come this far at most 2 s
    assert.ok(await page.getByRole('button', { name: 'Retry' }).isVisible(), 'after a second and a half without a byte');
  }
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  return page;
}

for (const [fault, words] of [['stall', /waiting for kappaflow-page\.wasm/], ['missing', /kappaflow-page\.wasm is missing.*404/], ['badwasm', /not a WebAssembly module/]])
  test(`a module that is ${{ stall: 'stalled', missing: 'missing', badwasm: 'something else' }[fault]} gives the cause and Retry${fault === 'badwasm' ? '' : ', which opens the page once the host is well again'}`, async () => {
    const server = await serve(), page = await faulty(server, fault);
    assert.match(await page.locator('.kf-cause').innerText(), words);
    assert.match(await page.locator('body').innerText(), /Capacity diffusing back/);
    if (fault === 'stall') {
      await page.getByRole('progressbar', { name: 'Loading' }).waitFor();
      const share = await page.getByRole('progressbar').evaluate(({ value, max }) => value / max);
      assert.ok(share > 0.05 && share < 0.95, `${share} has come: all but the module that stalls`);
    }
    if (fault !== 'badwasm') {
      server.state.mended = true;
      await page.getByRole('button', { name: 'Retry' }).click();
      await untilShown(page);
      assert.equal(await page.locator('#cover').isVisible(), false);
    }
    await page.finish();
  });

test('a host that asks for Trusted Types gets picture and words, of the first scene and of the next', async () => {
  const server = await serve();
  const page = await open(browser, `${server.url}trusted/?play=false`, small);
  await act(page, (p) => p.setScene('shattering'));
  await page.locator('#words[data-scene=shattering] p').first().waitFor();
  await page.finish();
});

test('a bundle whose pictures do not come says so; Retry opens the scene that was chosen', async () => {
  const server = await serve();
  const page = await open(browser, `${server.url}nopictures/?play=false`, small);
  await act(page, (p) => p.setScene('deep-limit'));
  await page.locator('.kf-cause').filter({ hasText: /kappaflow-pictures-\w+\.wasm is missing.*404/ }).waitFor();
  server.state.mended = true;
  await page.getByRole('button', { name: 'Retry' }).click();
  await untilShown(page);
  await settle(page);
  assert.equal((await describe(page)).scene, 'deep-limit');
  assert.ok((await describe(page)).handles.length > 0, 'its picture is there');
  await page.finish();
});

for (const fault of ['nofirst', 'badfirst'])
  test(`where a recorded first result ${{ nofirst: 'is missing', badfirst: 'is something else' }[fault]} the page computes it`, async () => {
    const server = await serve();
    const page = await open(browser, `${server.url}${fault}/?scene=shattering&play=false`, small);
    assert.equal((await describe(page)).status, 'ok');
    const numbers = (one) => one.evaluate(async () => { const { scalars, arrays } = await window.kappaflow.outlet.report(); return { scalars, arrays }; });
    const recorded = await open(browser, `${server.url}?scene=shattering&play=false`, small); // without the fault
    assert.deepEqual(await numbers(recorded), await numbers(page));
    await recorded.finish();
    assert.ok(server.requests.includes(`/${fault}/first/shattering.bin`) && server.requests.some((path) => path.includes('kappaflow-core-')));
    await page.finish();
  });

test('home keeps the figure that it began with where what computes does not come', async () => {
  const server = await serve(), page = await newPage(browser, { alone: true, ...small });
  await page.route('**/kappaflow-core-*', (route) => route.abort());
  await page.goto(server.url);
  await untilShown(page);
  const { status, message, warnings } = await describe(page);
  assert.deepEqual([status, message, warnings], ['partial', '', []]);
  assert.ok(await page.evaluate(() => document.querySelector('.kf-cover').hidden));
  await page.finish();
});

test('what a reader asks before the rest of home is computed takes its place', async () => {
  const server = await serve(), page = await newPage(browser, { alone: true, ...small });
  let go;
  const computing = new Promise((done) => (go = done));
  await page.route('**/kappaflow-core-*', async (route) => (await computing, route.continue()));
  await page.addInitScript(() => {
    window.jobs = 0;
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, ...others) {
      window.jobs += Number(message.what === 'run');
      return postMessage.call(this, message, ...others);
    };
  });
  await page.goto(server.url);
  await page.waitForFunction(() => window.kappaflow?.page?.counters().results === 1);
  await page.waitForTimeout(500); // longer than a superseded job is let finish
  await act(page, (p) => p.setParam('layers', '9'));
  go();
  await page.waitForFunction(() => !window.kappaflow.page.describe().busy);
  assert.match((await describe(page)).summary, /9 layers/);
  assert.equal((await describe(page)).status, 'ok');
  assert.equal(await page.evaluate(() => window.jobs), 1, 'home is not computed first');
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('behind a recorded first result what computes may be missing: the picture stays until it is needed, then the cause is said, and Retry computes', async () => {
  const server = await serve();
  const page = await open(browser, `${server.url}noflow/?play=false`, small);
  await settle(page);
  assert.equal(await page.locator('.kf-cause').filter({ visible: true }).count(), 0);
  await act(page, (p) => p.setParam('layers', '9'));
  await page.locator('.kf-cause').filter({ hasText: /kappaflow-core-flow\.mjs is missing.*404/ }).waitFor();
  server.state.mended = true;
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.waitForFunction(() => window.kappaflow.page?.describe().status === 'ok' && window.kappaflow.page.describe().params.find(({ key }) => key === 'layers').value === '9' && !window.kappaflow.page.describe().busy);
  await page.finish();
});

for (const [fault, words] of [['noglue', /kappaflow-core-\w+\.mjs is missing.*404/], ['lateglue', /Still waiting for kappaflow-core-\w+\.mjs/]])
  test(`a bundle whose glue ${{ noglue: 'is missing', lateglue: 'stalls' }[fault]} says so over the scene that was chosen; Retry opens it`, async () => {
    const server = await serve();
    const page = await open(browser, `${server.url}${fault}/?play=false`, small);
    await act(page, (p) => p.setScene('deep-limit'));
    await page.locator('.kf-cause').filter({ hasText: words }).waitFor();
    assert.match(await page.locator('.kf-cover-title').innerText(), new RegExp((await describe(page)).title.slice(0, 12)), 'the cover names the scene that was chosen');
    server.state.mended = true;
    await page.getByRole('button', { name: 'Retry' }).click();
    await untilShown(page);
    await settle(page);
    assert.equal((await describe(page)).scene, 'deep-limit');
    await page.finish();
  });

for (const [fault, file] of [['noflow', 'kappaflow-core-flow.mjs'], ['nofont', 'ui.ttf']])
  test(`${file} that is missing from the first view gives the cause and Retry`, async () => {
    const server = await serve(), page = await faulty(server, fault, '&layers=12'); // no first result of this is on the site
    await page.locator('.kf-cause').filter({ hasText: `${file} is missing: the server answered 404` }).waitFor(); // after what is only late
    server.state.mended = true;
    await page.getByRole('button', { name: 'Retry' }).click();
    await untilShown(page);
    await page.finish();
  });

for (const [fault, words] of [['nopictures', /is missing/], ['latepictures', /Still waiting for kappaflow-pictures-\w+\.wasm/]])
  test(`of a bundle whose pictures ${{ nopictures: 'are missing', latepictures: 'stall' }[fault]} nothing is left over another bundle's scene`, async () => {
    const server = await serve();
    const page = await open(browser, `${server.url}${fault}/?play=false`, small);
    const cover = page.locator('#cover');
    const leaveAndReturn = async () => {
      await act(page, (p) => p.setScene('deep-limit'));
      await page.locator('.kf-cause').filter({ hasText: words }).waitFor();
      await act(page, (p) => p.setScene('capacity-diffusion'));
      await cover.waitFor({ state: 'hidden' });
      await settle(page);
      assert.equal((await describe(page)).scene, 'capacity-diffusion');
    };
    await leaveAndReturn();
    await leaveAndReturn();
    await page.finish();
  });

test('Retry after pictures that stalled opens the scene that was chosen', async () => {
  const server = await serve();
  const page = await open(browser, `${server.url}latepictures/?play=false`, small);
  await act(page, (p) => p.setScene('deep-limit'));
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  server.state.mended = true;
  await page.getByRole('button', { name: 'Retry' }).click();
  await untilShown(page);
  await settle(page);
  assert.equal((await describe(page)).scene, 'deep-limit');
  assert.equal(await page.locator('#cover').isVisible(), false);
  await page.finish();
});

test('a refused file of another bundle leaves nothing over the scene that the reader is back on', async () => {
  const server = await serve();
  const page = await open(browser, `${server.url}nopictures/?play=false`, small);
  await act(page, (p) => p.attach('data_batch_1.bin', new Uint8Array(100)));
  await page.waitForFunction(() => window.kappaflow.page.describe().message !== '');
  assert.equal((await describe(page)).scene, 'capacity-diffusion');
  await page.locator('#cover').waitFor({ state: 'hidden' });
  await settle(page);
  assert.equal(await page.locator('#cover').isVisible(), false);
  await page.finish();
});

test('wasm sent with a wrong MIME type works', async () => {
  const server = await serve();
  const page = await open(browser, `${server.url}wrongmime/?play=false`, small);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('before the program is there the page shows the scene and its sentence, and nothing moves afterwards', async () => {
  const server = await serve();
  const page = await newPage(browser, small);
  await page.goto(`${server.url}stall/?play=false`, { waitUntil: 'commit' });
  await page.locator('.kf-cover-title').waitFor();
  const places = () => page.evaluate(() => ['canvas', 'title', 'words', 'numbers', 'scenes'].map((id) => document.getElementById(id).getBoundingClientRect().top));
  await beats(page, 20);
  const before = (await places()).slice(0, 2);
  server.state.mended = true;
  await page.getByRole('button', { name: 'Retry' }).click();
  await untilShown(page);
  assert.deepEqual((await places()).slice(0, 2), before);
  await page.finish();
});

test('the words do not move when the program starts', async () => {
  const server = await serve();
  const page = await newPage(browser, { alone: true });
  await page.addInitScript(() => {
    window.shifts = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.shifts += entry.value))).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(`${server.url}?ui=full`);
  await settle((await untilShown(page), page));
  assert.ok((await page.evaluate(() => window.shifts)) < 0.02);
  await page.finish();
});

/** A page in a browser that gives it no WebGL. */
const blind = shared(async () => {
  const page = await newPage(browser, { clock: true, alone: true, ...small });
  await page.addInitScript(() => {
    for (const kind of [HTMLCanvasElement, OffscreenCanvas]) {
      const { getContext } = kind.prototype;
      kind.prototype.getContext = function (type, ...more) {
        return type.startsWith('webgl') ? null : getContext.call(this, type, ...more);
      };
    }
  });
  return page;
});

async function withoutWebGl(url) {
  const page = await blind();
  page.troubles = [];
  await page.goto(url);
  await page.waitForFunction(() => window.kappaflow?.page?.counters().results > 0);
  return page;
}

test('without WebGL 2 words, controls, numbers and the table work, with one sentence why', async () => {
  const server = await serve();
  const page = await withoutWebGl(`${server.url}?ui=full`);
  assert.match(await page.locator('.kf-cause').innerText(), /WebGL 2/);
  assert.equal(await page.getByRole('button', { name: 'Retry' }).isVisible(), false);
  const layers = page.locator('[data-key="layers"] input');
  assert.ok(await layers.isVisible());
  await layers.fill('96');
  await page.waitForFunction(() => document.getElementById('summary').innerText.includes('96 layers'));
  await page.locator('#numbers summary').first().click();
  await page.locator('#numbers th', { hasText: 'spread' }).first().waitFor();
  assert.deepEqual(page.troubles.filter((text) => !/WebGL|GPU/i.test(text)), []);
});

test('without WebGL 2 the sentence why stays, whatever becomes of the drawing code of the bundles that are entered', async () => {
  for (const fault of ['nopictures', 'latepictures', 'nocors']) {
    const server = await serve();
    const page = await withoutWebGl(`${server.url}${fault}/`);
    await act(page, (p) => p.setScene('deep-limit'));
    await page.waitForFunction(() => window.kappaflow.page.describe().scene === 'deep-limit' && !window.kappaflow.page.describe().busy);
    await page.clock.runFor(5000); // longer than a stalled module is waited for in silence
    assert.match(await page.locator('.kf-cause').innerText(), /WebGL 2/);
    assert.ok(await page.locator('#cover').isVisible());
  }
});
