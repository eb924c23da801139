// One contract for both runners, in the browser; what a worker's death looks like; the library for other programs, in Node.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundlesOfScenes } from '../../tools/scripts/bundles.mjs';
import { complete, describe, launch, newPage, open, serve, shared, site, small } from './support.mjs';

const browser = await launch();
const server = await serve({ '/empty': '<!doctype html><html lang="en"><title>Nothing</title>' });

/** Runs in the page: requests come from the page module, events are read as far as the contract speaks of them. */
async function prepare() {
  const { Loading } = await import('/loader.mjs');
  const { instantiateProgram } = await import('/pictures.mjs');
  const { InlineRunner, Runner, WorkerRunner } = await import('/jobs.mjs');
  const loading = new Loading(() => {});
  const at = (name) => new URL(name, window.location.href).href;
  const { module } = await instantiateProgram(await loading.glue(at('kappaflow-page.mjs')), await loading.module(at('kappaflow-page.wasm')));
  const request = (link, file) => {
    const page = new module.Page();
    if (file) page.attach(file.name, file.bytes);
    else page.openLink(link);
    const order = page.takeOutbox().find(({ what }) => what === 'start');
    page.delete();
    return order;
  };
  const read = (bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset), header = 2; // version and kind of message, see src/jobs/codec.cpp
    const text = view.getUint32(header + 17, true);
    return {
      what: ['progress', 'partial', 'done', 'failed'][view.getUint8(header)],
      job: Number(view.getBigUint64(header + 1, true)),
      progress: view.getFloat64(header + 9, true),
      message: new TextDecoder().decode(bytes.subarray(header + 21, header + 21 + text)),
    };
  };
  const make = (kind, extra = {}) => {
    const events = [];
    let wake = () => {};
    const parts = {
      core: (bundle) => ({
        compiled: loading.module(at(`kappaflow-core-${bundle}.wasm`)), glueUrl: at(`kappaflow-core-${bundle}.mjs`), glue: () => loading.glue(at(`kappaflow-core-${bundle}.mjs`)),
      }),
      workerText: loading.text(at('worker.js')),
      file: (name) => loading.bytes(at(name)),
      onEvent: (bytes, last) => (events.push({ ...read(bytes), last, bytes }), wake()),
      ...extra,
    };
    const kinds = { worker: () => new WorkerRunner(parts, () => {}), inline: () => new InlineRunner(parts), either: () => new Runner(parts) };
    const runner = kinds[kind]();
    const until = (found) => new Promise((done, fail) => {
      setTimeout(() => fail(new Error(`the event did not come: ${JSON.stringify(events.map(({ bytes, ...rest }) => rest)).slice(0, 500)}`)), 60e3);
      (wake = () => found(events) && done(events))();
    });
    return { runner, events, until };
  };
  const start = (runner, job, { bytes, bundle }) => runner.start(job, bytes.slice(), bundle); // a worker takes them along
  window.kit = { make, request, start };
}

async function newKit() {
  const page = await newPage(browser);
  await page.goto(`${server.url}empty`);
  await page.evaluate(prepare);
  return page;
}

/** The bytes of a small report: they are handed over as text. */
const report = shared(async () => {
  const page = await open(browser, `${server.url}?scene=shattering&play=false`, small), bytes = await page.evaluate(() => [...window.kappaflow.page.reportBytes()]);
  await page.finish();
  return bytes;
});
const kitPage = shared(newKit); // every test makes runners of its own, and destroys them

const quick = 'scene=capacity-diffusion', long = 'scene=capacity-diffusion&kernel=random&draws=600', bad = 'scene=capacity-diffusion&layers=400&extent=2048&kernel=random&draws=1000';

test('events come in order while memory is touched for them over several tasks, and none after cancel', async () => {
  const page = await kitPage();
  const { list, touched, late, next } = await page.evaluate(async ([slow, fast]) => {
    let calls = 0;
    const { runner, until, events } = window.kit.make('either', { touchMemory: () => ++calls % 3 !== 0 }); // two tasks more for every event
    window.kit.start(runner, 1, window.kit.request(slow));
    const list = (await until((seen) => seen.some(({ last }) => last))).map(({ job, progress, what }) => ({ job, progress, what }));
    const touched = calls / list.length;
    window.kit.start(runner, 2, window.kit.request(slow));
    await until((seen) => seen.some(({ job }) => job === 2));
    runner.cancel();
    const atCancel = events.length;
    window.kit.start(runner, 3, window.kit.request(fast));
    await until((seen) => seen.some(({ last, job }) => last && job === 3));
    runner.destroy();
    const after = events.slice(atCancel);
    return { list, touched, late: after.filter(({ job }) => job === 2).length, next: after.at(-1).what };
  }, [long, quick]);
  assert.ok(list.length > 2);
  list.slice(1).forEach(({ progress }, index) => assert.ok(progress >= list[index].progress));
  assert.equal(list.at(-1).what, 'done');
  assert.equal(touched, 3);
  assert.deepEqual([late, next], [0, 'done']);
});

for (const kind of ['worker', 'inline']) {
  test(`${kind}: a job ends with exactly one done, after progress that never falls`, async () => {
    const page = await kitPage();
    const { busy, after, list } = await page.evaluate(async ([name, slow, fast]) => {
      const { runner, until, events } = window.kit.make(name);
      window.kit.start(runner, 7, window.kit.request(slow));
      const busy = runner.busy;
      await until((seen) => seen.some(({ last }) => last));
      const after = runner.busy;
      window.kit.start(runner, 8, window.kit.request(fast)); // whatever the first had still to say has come when this one is done
      await until((seen) => seen.some(({ last, job }) => last && job === 8));
      runner.destroy();
      return { busy, after, list: events.filter(({ job }) => job !== 8).map(({ bytes, ...rest }) => rest) };
    }, [kind, long, quick]);
    assert.deepEqual([busy, after], [true, false]);
    assert.ok(list.length > 2, 'a long job tells how far it is');
    assert.ok(list.some(({ what }) => what === 'partial'), 'and what it has so far');
    assert.ok(list.every(({ job }) => job === 7));
    list.slice(1).forEach(({ progress }, index) => assert.ok(progress >= list[index].progress));
    assert.deepEqual(list.filter(({ last }) => last).map(({ what }) => what), ['done']);
    assert.equal(list.at(-1).what, 'done');
  });

  test(`${kind}: after cancel no event of the job arrives, and the next job runs`, async () => {
    const page = await kitPage();
    const { busy, jobs } = await page.evaluate(async ([name, slow, fast]) => {
      const { runner, until, events } = window.kit.make(name);
      window.kit.start(runner, 1, window.kit.request(slow));
      await until((list) => list.length > 0);
      runner.cancel();
      const atCancel = events.length, busy = runner.busy;
      for (const job of [2, 3]) {
        window.kit.start(runner, job, window.kit.request(fast));
        await until((list) => list.some((event) => event.last && event.job === job));
      }
      runner.cancel(); // with nothing running: nothing
      runner.destroy();
      return { busy, jobs: events.slice(atCancel).map(({ job }) => job) };
    }, [kind, long, quick]);
    assert.equal(busy, false);
    assert.deepEqual([...new Set(jobs)], [2, 3]);
  });

  if (kind === 'worker') test('worker: a module that has grown goes with its scene, another stays', async () => {
    const page = await kitPage();
    const { heap, stays, goes, answered } = await page.evaluate(async ([fast]) => {
      const { runner, until } = window.kit.make('worker'), { bytes, bundle } = window.kit.request(fast);
      const run = async (job, scene) => {
        runner.start(job, bytes.slice(), bundle, scene);
        await until((list) => list.some((event) => event.last && event.job === job));
        return runner.current;
      };
      const first = await run(1, 'a'), { heap } = first, second = await run(2, 'b');
      second.heap = 2 ** 30; // as after a large job
      const third = await run(3, 'b'), large = third.heap;
      third.heap = 2 ** 30;
      const fourth = await run(4, 'c');
      runner.destroy();
      return { heap, stays: second === first && third === second, goes: fourth !== third && !third.alive, answered: large };
    }, [quick]);
    assert.ok(heap > 2 ** 20 && heap < 48 * 2 ** 20, `${heap} bytes`);
    assert.equal(answered, heap, 'every result tells it anew');
    assert.deepEqual([stays, goes], [true, true]);
  });

  // A job on the page's own thread runs in one piece: there is no moment to cancel it in.
  if (kind === 'worker') test('worker: cancelled at any moment a job says nothing more, and the next result is that of a fresh worker', async () => {
    const page = await kitPage(), times = complete ? 100 : 15;
    const { late, differing, cut } = await page.evaluate(async ([slow, fast, count]) => {
      const { runner, until, events } = window.kit.make('worker'), hashes = new Set();
      const finished = async (one, job, list) => {
        await one.until((all) => all.some((event) => event.last && event.job === job));
        return list.find((event) => event.last && event.job === job);
      };
      const digest = async ({ bytes }) => Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes.slice(11))), (byte) => byte.toString(16)).join(''); // behind the header with the job's number
      let late = 0, cut = 0;
      for (let i = 0; i < count; ++i) {
        const job = 2 * i + 1;
        window.kit.start(runner, job, window.kit.request(slow));
        await new Promise((done) => setTimeout(done, (37 * i) % 160));
        cut += runner.busy;
        runner.cancel();
        const before = events.length;
        window.kit.start(runner, job + 1, window.kit.request(fast));
        hashes.add(await digest(await finished({ until }, job + 1, events)));
        late += events.slice(before).filter((event) => event.job === job).length;
      }
      runner.destroy();
      const fresh = window.kit.make('worker');
      window.kit.start(fresh.runner, 1, window.kit.request(fast));
      hashes.add(await digest(await finished(fresh, 1, fresh.events)));
      fresh.runner.destroy();
      return { late, differing: hashes.size, cut };
    }, [long, quick, times]);
    assert.deepEqual([late, differing], [0, 1]);
    assert.ok(cut > times / 2, `${cut} of ${times} were still running`);
  });

  test(`${kind}: a refused request fails with its sentence, and the next job runs`, async () => {
    const page = await kitPage();
    const events = await page.evaluate(async ([name, refused, fast]) => {
      const { runner, until, events } = window.kit.make(name);
      for (const [job, link] of [[1, refused], [2, fast]]) {
        window.kit.start(runner, job, window.kit.request(link));
        await until((list) => list.some((event) => event.last && event.job === job));
      }
      runner.start(3, new Uint8Array([1, 2, 3]), runner.bundle);
      await until((list) => list.some((event) => event.last && event.job === 3));
      runner.destroy();
      return events.filter(({ last }) => last).map(({ bytes, ...rest }) => rest);
    }, [kind, bad, quick]);
    assert.deepEqual(events.map(({ what }) => what), ['failed', 'done', 'failed']);
    assert.match(events[0].message, /lower/);
  });

  test(`${kind}: jobs of several bundles are computed, each by its bundle's module`, async () => {
    const page = await newKit();
    const seen = await page.evaluate(async ([name, links]) => {
      const { runner, until, events } = window.kit.make(name);
      const bundles = [];
      for (const [index, link] of links.entries()) {
        const order = window.kit.request(link);
        bundles.push(order.bundle);
        window.kit.start(runner, index + 1, order);
        await until((list) => list.some((event) => event.last && event.job === index + 1));
      }
      runner.destroy();
      const modules = performance.getEntriesByType('resource').map((entry) => entry.name.match(/kappaflow-core-(\w+)\.wasm/)?.[1]).filter(Boolean);
      return { bundles, modules, ends: events.filter(({ last }) => last).map(({ what, job }) => `${what} ${job}`) };
    }, [kind, ['scene=capacity-diffusion', 'scene=shattering', 'scene=capacity-diffusion']]);
    assert.deepEqual(seen.ends, ['done 1', 'done 2', 'done 3']);
    assert.notEqual(seen.bundles[0], seen.bundles[1]);
    assert.deepEqual([...new Set(seen.modules)], seen.bundles.slice(0, 2));
    await page.finish();
  });

  test(`${kind}: a sample network is fetched when it is asked for, and one that is not there fails the job with a sentence`, async () => {
    const page = await kitPage();
    const seen = await page.evaluate(async ([name, link]) => {
      const asked = [], request = window.kit.request(link);
      const results = [];
      for (const found of [true, false]) {
        const file = async (path) => {
          asked.push(path);
          if (!found) throw new Error('strokes-cnn.network is missing: the server answered 404.');
          return new Uint8Array(await (await fetch(`/${path}`)).arrayBuffer());
        };
        const { runner, until, events } = window.kit.make(name, { file });
        for (const job of [1, 2]) {
          window.kit.start(runner, job, request);
          await until((list) => list.some((event) => event.last && event.job === job));
        }
        results.push(...events.filter(({ last }) => last).map(({ what, message }) => `${what} ${message}`));
        runner.destroy();
      }
      return { asked, results };
    }, [kind, 'scene=capacity-diffusion&network=strokes-cnn']);
    assert.deepEqual(seen.asked, Array(3).fill('samples/strokes-cnn.network'));
    assert.deepEqual(seen.results.slice(0, 2), ['done ', 'done ']);
    for (const failed of seen.results.slice(2)) assert.match(failed, /^failed .*strokes-cnn\.network is missing.*404\.$/);
  });

  test(`${kind}: a reader's network is read by a module of its own, a bad one and a module that does not come fail the job with a sentence`, async () => {
    const page = await kitPage();
    const seen = await page.evaluate(async (name) => {
      const good = new Uint8Array(await (await fetch('/samples/shapes-classifier.onnx')).arrayBuffer());
      const files = [{ name: 'good.onnx', bytes: good }, { name: 'bad.onnx', bytes: good.slice(0, 3000) }, { name: 'good.onnx', bytes: good }];
      const results = [];
      for (const there of [true, false]) {
        const { runner, until, events } = window.kit.make(name);
        const { core } = runner.parts;
        if (!there) runner.parts.core = (bundle) => (bundle === 'files' ? { ...core(bundle), compiled: Promise.reject(new Error('kappaflow-core-files.wasm is missing.')) } : core(bundle));
        for (const [index, file] of (there ? files : files.slice(0, 1)).entries()) {
          window.kit.start(runner, index + 1, window.kit.request('', file));
          await until((list) => list.some((event) => event.last && event.job === index + 1));
        }
        results.push(...events.filter(({ last }) => last).map(({ what, message }) => `${what} ${message}`));
        runner.destroy();
      }
      return results;
    }, kind);
    assert.deepEqual([seen[0], seen[2], seen.length], ['done ', 'done ', 4]);
    assert.match(seen[1], /^failed .*bad\.onnx/);
    assert.match(seen[3], /^failed .*kappaflow-core-files\.wasm is missing\.$/);
  });

  test(`${kind}: a report is exported as JSON and CSV, also while a job runs`, async () => {
    const kit = await kitPage(), bytes = await report();
    const texts = await kit.evaluate(async ([name, report, slow]) => {
      const { runner } = window.kit.make(name);
      window.kit.start(runner, 1, window.kit.request(slow));
      const answers = [await runner.files('exportReport', new Uint8Array(report), 'json'), await runner.files('exportReport', new Uint8Array(report), 'csv')];
      const refusal = await runner.files('exportReport', new Uint8Array(report.slice(0, 100)), 'csv').catch((error) => error.message);
      runner.destroy();
      return [...answers, refusal];
    }, [kind, bytes, long]);
    assert.equal(JSON.parse(texts[0]).scene, 'shattering');
    assert.match(texts[1], /^name,value,/);
    assert.match(texts[2], /damaged/);
  });
}

test('both runners send the same bytes', async () => {
  const page = await kitPage();
  const same = await page.evaluate(async (link) => {
    const results = [];
    for (const kind of ['worker', 'inline']) {
      const { runner, until, events } = window.kit.make(kind);
      window.kit.start(runner, 5, window.kit.request(link));
      await until((list) => list.some(({ last }) => last));
      results.push(String(events.at(-1).bytes));
      runner.destroy();
    }
    return results[0] === results[1] && results[0].length > 1000;
  }, 'scene=shattering');
  assert.ok(same);
});

test('a worker that dies is replaced: its job fails with a sentence and the next one is done', async () => {
  const page = await kitPage();
  const events = await page.evaluate(async ([slow, fast]) => {
    const { runner, until, events } = window.kit.make('worker');
    window.kit.start(runner, 1, window.kit.request(fast));
    await until((list) => list.some(({ last }) => last));
    window.kit.start(runner, 2, window.kit.request(slow));
    await until((list) => list.some(({ job }) => job === 2));
    runner.current.worker.onerror(new ErrorEvent('error', { message: 'memory access out of bounds' }));
    await until((list) => list.some(({ job, last }) => job === 2 && last));
    window.kit.start(runner, 3, window.kit.request(fast));
    await until((list) => list.some(({ job, last }) => job === 3 && last));
    runner.destroy();
    return events.filter(({ last }) => last).map(({ what, job, message }) => ({ what, job, message }));
  }, [long, quick]);
  assert.deepEqual(events.map(({ what }) => what), ['done', 'failed', 'done']);
  assert.match(events[1].message, /^The computation .*\.$/);
});

for (const [name, extra] of [
  ['cannot be made', { startWorker: 'throw' }],
  ['never answers', { startWorker: 'mute', startUp: 300 }],
])
  test(`where a worker ${name} the job is computed on the spot`, async () => {
    const page = await kitPage();
    const result = await page.evaluate(async ([given, fast]) => {
      const startWorker = () => {
        if (given.startWorker === 'throw') throw new DOMException('refused', 'SecurityError');
        return { postMessage() {}, terminate() {} };
      };
      const { runner, until, events } = window.kit.make('either', { ...given, startWorker });
      window.kit.start(runner, 4, window.kit.request(fast));
      await until((list) => list.some(({ last }) => last));
      const { kind } = runner;
      runner.destroy();
      return { kind, what: events.at(-1).what, job: events.at(-1).job };
    }, [extra, quick]);
    assert.deepEqual(result, { kind: 'inline', what: 'done', job: 4 });
  });

test('where workers have come up, one that does not is replaced, with the job it had', async () => {
  const page = await kitPage();
  const result = await page.evaluate(async (fast) => {
    const { startBrowserWorker } = await import('/hand.mjs');
    let made = 0;
    const startWorker = (text) => {
      if (++made > 1 && made < 5) throw new Error('none to be had now');
      return startBrowserWorker(text);
    };
    const { runner, until, events } = window.kit.make('either', { startWorker }), ended = (wanted) => until((list) => list.some(({ job, last }) => last && job === wanted));
    window.kit.start(runner, 1, window.kit.request(fast));
    await ended(1);
    window.kit.start(runner, 2, window.kit.request(fast));
    runner.cancel();
    window.kit.start(runner, 3, window.kit.request(fast));
    await ended(3);
    const { kind } = runner;
    runner.destroy();
    return { kind, made, ends: events.filter(({ last }) => last).map(({ what, job }) => [what, job]) };
  }, quick);
  assert.equal(result.kind, 'worker');
  assert.ok(result.made >= 5, `${result.made} workers`);
  assert.deepEqual(result.ends, [['done', 1], ['done', 3]]);
});

test('a long job on the page is given up for the newest change', async () => {
  const page = await open(browser, `${server.url}?scene=capacity-diffusion&play=false`, small);
  await page.evaluate(() => {
    const { page, runner } = window.kappaflow, { start, cancel } = runner, { parts } = runner.inner, { onEvent } = parts;
    const log = (window.log = []);
    let current;
    const set = (key, text) => (page.setParam(key, text), window.kappaflow.wake());
    runner.start = (job, ...order) => ((current = job), start.call(runner, job, ...order));
    runner.cancel = () => (log.push(`cancelled ${current}`), cancel.call(runner));
    parts.onEvent = (bytes, last) => {
      log.push(`${last ? 'ended' : 'heard'} ${current}`);
      onEvent(bytes, last);
      if (window.long || last || !current) return;
      window.long = current; // changed while it runs, however soon it would end
      set('draws', '1');
      set('layers', '11');
    };
    page.setParam('kernel', 'random');
    page.setParam('layers', '200');
    set('draws', '1000'); // takes seconds
  });
  await page.waitForFunction(() => /11 layers/.test(window.kappaflow.page.describe().summary));
  const { long, log } = await page.evaluate(() => ({ long: window.long, log: window.log }));
  assert.ok(log.includes(`cancelled ${long}`) && !log.includes(`ended ${long}`), `job ${long}: ${log}`);
  assert.equal((await describe(page)).status, 'ok');
  await page.context().close();
});

// ---- the library, in Node ----

const library = mkdtempSync(join(tmpdir(), 'kappaflow-'));
after(() => rmSync(library, { recursive: true }));
for (const name of readdirSync(site).filter((file) => /\.(mjs|js|wasm)$/.test(file))) cpSync(join(site, name), join(library, name));
cpSync(join(site, 'samples'), join(library, 'samples'), { recursive: true });
const kappaflow = await import(pathToFileURL(join(library, 'kappaflow.mjs')));

test('the library lists and describes scenes', async () => {
  const scenes = await kappaflow.listScenes();
  assert.deepEqual(scenes.map(({ id }) => id), Object.keys(bundlesOfScenes()));
  const { params } = await kappaflow.describeScene('shattering');
  assert.ok(params.some(({ key }) => key === 'layers'));
  await assert.rejects(kappaflow.describeScene('nowhere'), { name: 'InputError', message: /nowhere/ });
  assert.ok((await kappaflow.exampleNetworks()).length > 0);
});

test('what is no scene or no params is refused by a sentence', async () => {
  for (const id of [undefined, null, 7, {}]) {
    await assert.rejects(kappaflow.run(id), { name: 'InputError', message: /id of a scene is a text/ });
    await assert.rejects(kappaflow.describeScene(id), { name: 'InputError' });
  }
  for (const params of [null, 'layers=4', 7]) await assert.rejects(kappaflow.run('shattering', params), { name: 'InputError', message: /params/ });
  for (const id of ['__proto__', 'constructor', 'toString']) await assert.rejects(kappaflow.run(id), { name: 'InputError', message: new RegExp(id) });
});

test('the library computes in a worker thread what it computes on the spot', async () => {
  const there = await kappaflow.run('capacity-diffusion', { extent: 129, layers: 48 });
  const here = await kappaflow.run('capacity-diffusion', { extent: 129, layers: 48 }, { worker: false });
  assert.deepEqual(there, here);
  assert.ok(there.arrays.capacity.values instanceof Float64Array);
  assert.ok(Math.abs(there.scalars.spread.value ** 2 - 32) < 1e-9, 'ring 129, 48 uniform layers of 3 taps: variance 32');
});

test('the library computes the networks that come with it, in a worker and on the spot', async () => {
  for (const { id } of await kappaflow.exampleNetworks()) {
    const [there, here] = [await kappaflow.run('capacity-diffusion', { network: id }), await kappaflow.run('capacity-diffusion', { network: id }, { worker: false })];
    assert.equal(there.status, 'ok');
    assert.deepEqual(there, here);
  }
});

test('the library reports progress and partial results, and stops when it is told to', async () => {
  const progress = [], partials = [];
  const settings = { kernel: 'random', draws: 300 };
  await kappaflow.run('capacity-diffusion', settings, { onProgress: (value) => progress.push(value), onPartial: (report) => partials.push(report.status) });
  assert.ok(progress.length > 1 && progress.every((value, index) => index === 0 || value >= progress[index - 1]));
  assert.ok(partials.every((status) => status === 'partial'));
  const controller = new AbortController(), told = [];
  const onProgress = (value) => (told.push(value), controller.abort());
  const pending = kappaflow.run('capacity-diffusion', { ...settings, draws: 1000, layers: 100 }, { signal: controller.signal, onProgress });
  await assert.rejects(pending, { name: 'AbortError' });
  assert.ok(told.length === 1 && told[0] < 1, `it went on to ${told}`);
  await assert.rejects(kappaflow.run('capacity-diffusion', {}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('the library refuses what cannot be computed in one sentence', async () => {
  for (const worker of [true, false]) {
    await assert.rejects(kappaflow.run('capacity-diffusion', { layers: 'many' }, { worker }), { name: 'InputError', message: /layers/ });
    await assert.rejects(kappaflow.run('capacity-diffusion', {}, { worker, network: new Uint8Array(10) }), { name: 'InputError' });
  }
});

test('the library works in a browser too', async () => {
  const page = await newPage(browser);
  await page.goto(`${server.url}empty`);
  const answer = await page.evaluate(async () => {
    const { run } = await import('/kappaflow.mjs');
    const reports = await Promise.all([run('shattering', { layers: 20 }), run('capacity-diffusion', { layers: 12 })]);
    const stopped = await run('capacity-diffusion', { kernel: 'random', draws: 1000 }, { signal: AbortSignal.timeout(50) }).catch(({ name }) => name);
    return [...reports.map(({ status, scene }) => `${scene} ${status}`), stopped];
  });
  assert.deepEqual(answer, ['shattering ok', 'capacity-diffusion ok', 'TimeoutError']);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});
