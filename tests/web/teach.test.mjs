// Prepare for class, and packages for learning platforms before scorm-again.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import { act, beats, house, launch, newPage, serious, serve, site as siteFolder, untilShown, violations } from './support.mjs';

const browser = await launch();
const site = await serve();
const folder = mkdtempSync(join(tmpdir(), 'scorm-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const pack = (...given) => spawnSync(process.execPath, [join(house, 'tools/scripts/build_scorm.mjs'), ...given], { cwd: folder, encoding: 'utf8', env: { ...process.env, KAPPAFLOW_SITE: siteFolder } });
const open = (zip) => Object.fromEntries(Object.entries(unzipSync(zip)).map(([name, bytes]) => [name, strFromU8(bytes)]));

/** A platform: scorm-again's object, and the package in a frame; `kept` is what an earlier visit left. */
async function platform(files, { version, kept }) {
  const [name, type] = version === '1.2' ? ['API', 'Scorm12API'] : ['API_1484_11', 'Scorm2004API'];
  const again = readFileSync(join(house, `node_modules/scorm-again/dist/scorm${version === '1.2' ? '12' : '2004'}.min.js`), 'utf8');
  const lms = `<!doctype html><html lang="en"><title>A platform</title><body><script>${again}</script><script>
    const type = globalThis.${type}.${type} ?? globalThis.${type};
    window.${name} = window.platform = new type({ autocommit: false, logLevel: 5 });
    const kept = ${JSON.stringify(kept ?? null)};
    if (kept) platform.loadFromJSON(kept.cmi ?? kept, '');
  </script><iframe src="/package/index.html" style="width:1000px;height:760px"></iframe>`;
  const server = await serve({ '/': lms, '/package/index.html': files['index.html'], '/package/single.html': files['single.html'] });
  const page = await newPage(browser, { alone: true });
  await page.goto(server.url);
  const found = () => page.frames().find((one) => one.url().includes('single.html'));
  while (!found()) await beats(page, 2);
  const frame = found();
  await frame.waitForFunction(() => window.lesson && window.kappaflow?.page && !window.kappaflow.page.describe().busy);
  const value = (key) => page.evaluate(([method, name]) => window.platform[method](name), [version === '1.2' ? 'LMSGetValue' : 'GetValue', key]);
  const json = () => page.evaluate(() => JSON.parse(JSON.stringify(window.platform.renderCMIToJSONObject())));
  return { page, frame, value, json };
}

/** Answers every question of the step that is shown, rightly where it is a choice, else by having the answer shown. */
const answerStep = (frame) => frame.evaluate(async () => {
  const settled = (form) => ['right', 'shown'].includes(form.dataset.state), soon = () => new Promise((done) => setTimeout(done, 50));
  const graded = async (form) => {
    while (/Computing/.test(form.textContent) || form.querySelector('.check')?.disabled) await soon();
  };
  for (const form of document.querySelectorAll('form.question')) {
    for (const input of form.querySelectorAll('input[type="radio"]')) {
      if (settled(form)) break;
      input.checked = true;
      form.requestSubmit();
      await soon();
      await graded(form);
    }
    for (let tries = 0; !settled(form) && tries < 4; ++tries) {
      const number = form.querySelector('input[type="text"]');
      if (number) (number.value = '12345.678'), form.requestSubmit();
      await soon();
      await graded(form);
      const help = [...form.querySelectorAll('button.plain')].find((button) => !button.hidden);
      help?.click();
      for (let waits = 0; waits < 100 && !settled(form); ++waits) await soon();
    }
  }
});

test('a scene\'s steps in SCORM 1.2: incomplete at first, every answer and the score told, completed at the end', async () => {
  assert.equal(pack('?scene=shattering&ui=lesson', '1.2', 'steps.zip').stdout.trim(), 'steps.zip');
  assert.ok(statSync(join(folder, 'steps.zip')).size < 3e6, `${statSync(join(folder, 'steps.zip')).size} bytes`);
  const files = open(readFileSync(join(folder, 'steps.zip')));
  assert.match(files['imsmanifest.xml'], /<schemaversion>1\.2<[\s\S]*adlcp:scormtype="sco" href="index\.html"/);
  for (const name of Object.keys(files)) assert.ok(name === 'imsmanifest.xml' || files['imsmanifest.xml'].includes(`<file href="${name}"/>`), name);
  const { page, frame, value } = await platform(files, { version: '1.2' });
  await page.waitForFunction(() => window.platform.LMSGetValue('cmi.core.lesson_status') === 'incomplete');
  const steps = await frame.evaluate(() => window.lesson.lesson.steps.length), questions = await frame.evaluate(() => window.lesson.all.length);
  for (let step = 1; step <= steps; ++step) {
    await answerStep(frame);
    if (step < steps) await frame.getByRole('button', { name: 'Next →' }).click();
  }
  await page.waitForFunction(() => window.platform.LMSGetValue('cmi.core.lesson_status') === 'completed');
  assert.equal(await value('cmi.core.lesson_location'), String(steps));
  assert.equal(await value('cmi.core.score.raw'), String(await frame.evaluate(() => Math.round((100 * window.lesson.score.right) / window.lesson.all.length))));
  assert.ok(Number(await value('cmi.interactions._count')) >= questions);
  assert.ok((await value('cmi.suspend_data')).length < 4096);
  await page.finish();
});

test('a lesson in SCORM 2004: left in the middle and launched again it goes on with its step, seed and answers', async () => {
  assert.equal(pack('?lesson=residual', '2004', 'lesson.zip').status, 0);
  const files = open(readFileSync(join(folder, 'lesson.zip')));
  assert.match(files['imsmanifest.xml'], /2004 4th Edition[\s\S]*adlcp:scormType="sco"/);
  const first = await platform(files, { version: '2004' });
  assert.equal(await first.value('cmi.completion_status'), 'incomplete');
  while (!(await first.frame.evaluate(() => window.lesson.questions.length))) await first.frame.getByRole('button', { name: 'Next →' }).click();
  await answerStep(first.frame);
  await first.page.waitForFunction(() => window.platform.GetValue('cmi.suspend_data').includes('done=0'));
  await first.frame.getByRole('button', { name: 'Next →' }).click();
  const seen = () => ({ step: window.lesson.step, seed: window.lesson.seed, answers: [...window.lesson.answers], score: window.lesson.score });
  const before = await first.frame.evaluate(seen);
  await first.page.waitForFunction((step) => window.platform.GetValue('cmi.location') === String(step + 1), before.step);
  const questions = await first.frame.evaluate(() => window.lesson.all.length);
  assert.ok(Math.abs(Number(await first.value('cmi.score.scaled')) - before.score.right / questions) < 1e-4);
  assert.ok(Math.abs(Number(await first.value('cmi.progress_measure')) - before.score.settled / questions) < 1e-4);
  const again = await platform(files, { version: '2004', kept: await first.json() });
  assert.deepEqual(await again.frame.evaluate(seen), before);
  await again.frame.getByRole('button', { name: '← Back' }).click();
  assert.match(await again.frame.locator('form.question .feedback').first().innerText(), /You have (answered this|seen the answer)/);
  await first.page.finish();
  await again.page.finish();
});

/** A record store: {endpoint, statements: every one taken, state: documents by stateId, refuse: the status of all answers, close}. */
async function recordStore() {
  const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*', 'Access-Control-Allow-Methods': '*' };
  const store = { statements: [], state: {}, refuse: 0 };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://store'), id = url.searchParams.get('stateId');
    let body = '';
    for await (const part of request) body += part;
    const answer = (status, text = '') => response.writeHead(status, { ...cors, 'Content-Type': 'application/json' }).end(text);
    if (request.method === 'OPTIONS') return answer(204);
    if (store.refuse) return answer(store.refuse);
    if (request.headers.authorization !== 'Basic c2VjcmV0' || !/^1\.0/.test(request.headers['x-experience-api-version'])) return answer(401);
    if (url.pathname === '/xapi/statements') return store.statements.push(...[JSON.parse(body)].flat()), answer(200, '[]');
    const { agent, activityId, registration } = Object.fromEntries(url.searchParams);
    if (url.pathname !== '/xapi/activities/state' || !agent || !activityId || !registration) return answer(400);
    if (request.method === 'PUT') return (store.state[id] = body), answer(204);
    return id in store.state ? answer(200, store.state[id]) : answer(404);
  });
  await new Promise((done) => server.listen(0, done));
  after(() => (server.closeAllConnections(), server.close()));
  return Object.assign(store, { endpoint: `http://localhost:${server.address().port}/xapi` });
}

test('steps launched by xAPI tell their record store what is done, go on where they were left, and give nothing of the launch away', async () => {
  const store = await recordStore(), actor = { name: ['A reader'], mbox: ['mailto:reader@example.org'] };
  const launched = new URLSearchParams({ endpoint: store.endpoint, auth: 'Basic c2VjcmV0', actor: JSON.stringify(actor), registration: 'a1b2c3d4-0000-4000-8000-000000000001', activity_id: 'https://course.example/paths' });
  const address = `${site.url}?scene=shattering&ui=lesson&${launched}`, begun = (page) => page.waitForFunction(() => window.lesson && window.kappaflow?.page && !window.kappaflow.page.describe().busy);
  const told = async (verb, count = 1) => {
    const found = () => store.statements.filter((one) => one.verb.id.endsWith(`/${verb}`));
    for (let waits = 0; waits < 400 && found().length < count; ++waits) await new Promise((done) => setTimeout(done, 50));
    assert.ok(found().length >= count, `${verb} is told`);
    return found();
  };
  const page = await newPage(browser, { alone: true });
  await page.goto(address);
  await begun(page);
  const [initialized] = await told('initialized');
  assert.deepEqual([initialized.actor, initialized.object.id, initialized.context.registration], [{ name: 'A reader', mbox: 'mailto:reader@example.org' }, 'https://course.example/paths', launched.get('registration')]);
  while (!(await page.evaluate(() => window.lesson.questions.length))) await page.getByRole('button', { name: 'Next →' }).click();
  await answerStep(page.mainFrame());
  const [answered] = await told('answered');
  assert.equal(typeof answered.result.success, 'boolean');
  assert.deepEqual([answered.object.id, answered.context.contextActivities.parent[0].id], ['https://course.example/paths#question-1', 'https://course.example/paths']);
  const seen = () => ({ step: window.lesson.step, seed: window.lesson.seed, answers: [...window.lesson.answers] });
  const before = await page.evaluate(seen);
  for (let waits = 0; waits < 400 && !store.state.progress?.includes(`step=${before.step + 1}`); ++waits) await beats(page, 2);
  assert.doesNotMatch(await page.evaluate(() => window.kappaflow.link()), /secret|c2VjcmV0|endpoint|mailto/);
  await page.goto('about:blank');
  await told('terminated');

  await page.goto(address);
  await begun(page);
  assert.deepEqual(await page.evaluate(seen), before);
  const steps = await page.evaluate(() => window.lesson.lesson.steps.length);
  for (let step = 1; step < steps; ++step) {
    await page.evaluate((index) => window.lesson.go(index), step);
    await answerStep(page.mainFrame());
  }
  const [completed] = await told('completed'), { right } = await page.evaluate(() => window.lesson.score), questions = await page.evaluate(() => window.lesson.all.length);
  assert.equal(completed.result.completion, true);
  assert.deepEqual(completed.result.score, { scaled: Number((right / questions).toFixed(4)), raw: right, min: 0, max: questions });
  assert.match(completed.result.duration, /^P/);
  assert.equal(new Set(store.statements.map(({ id }) => id)).size, store.statements.length);
  assert.deepEqual(page.troubles.filter((text) => !text.includes('404')), []); // which is how a store says that nothing is kept yet

  // What the store refuses is said; the lesson goes on.
  store.refuse = 403;
  await page.goto('about:blank');
  await page.goto(address);
  await begun(page);
  await page.getByRole('status').filter({ hasText: `Your answers and steps could not be recorded at ${new URL(store.endpoint).host}: it answered 403.` }).waitFor();
  for (const [launch, sentence] of [[{ endpoint: store.endpoint }, 'names no actor'], [{ endpoint: store.endpoint, actor: '[]' }, 'names no actor'], [{ endpoint: 'https://', actor: JSON.stringify(actor) }, 'names no address']]) {
    await page.goto(`${site.url}?scene=shattering&${new URLSearchParams(launch)}`);
    await page.getByRole('status').filter({ hasText: sentence }).waitFor();
  }
  await untilShown(page);
  await page.finish();
});

test('what cannot be packed is refused in a sentence', () => {
  for (const [given, sentence] of [[[''], /say what is packed/], [['?lesson=none'], /none\.json is missing/], [['?lesson=residual', '3'], /neither 1\.2 nor 2004/], [['?lesson=residual&lang=tlh'], /lang takes en or fr, not tlh/]]) {
    const { status, stderr } = pack(...given);
    assert.equal(status, 2);
    assert.match(stderr, sentence);
  }
});

test('prepare for class: what is pulled in the preview is in every way to take it along, what is hidden and locked too', async () => {
  const page = await newPage(browser, { alone: true, viewport: { width: 1280, height: 900 } });
  await page.goto(`${site.url}teach.html?v=1&scene=shattering&layers=30`);
  const preview = () => page.frames().find((one) => one.url().startsWith(`${site.url}?`));
  await page.waitForFunction(() => document.getElementById('preview').src.includes('layers=30'));
  await untilShown(preview());
  await act(preview(), (p) => p.setParam('taps', '5'));
  const text = (label) => page.getByRole('textbox', { name: label }).inputValue();
  await page.waitForFunction(() => [...document.querySelectorAll('textarea')].every(({ value }) => value.includes('5')));
  await page.getByRole('checkbox', { name: 'hide seed' }).check();
  assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'hide seed', 'the focus stays where it was');
  await page.getByRole('checkbox', { name: 'lock layers' }).check();
  assert.match(await text('Address'), /^http.*\?v=1&scene=shattering.*layers=30.*taps=5.*&ui=figure&hide=seed&lock=layers$/);
  assert.match(await text('Frame'), /<iframe src="[^"]*hide=seed&amp;lock=layers"/);
  assert.match(await text('Element'), /<kappaflow-figure scene="shattering" layers="30" taps="5".* hide="seed" lock="layers">/);
  assert.match(await text('MyST'), /^```\{kappaflow\} shattering\n:layers: 30\n[\s\S]*:taps: 5\n[\s\S]*:hide: seed\n:lock: layers\n```$/);
  assert.match(await text('Sphinx'), /^\.\. kappaflow:: shattering\n {3}:layers: 30/);
  assert.match(await text('pandoc'), /^::: \{\.kappaflow scene=shattering layers=30 .*\}\n:::$/);
  await untilShown(preview());
  assert.deepEqual(await preview().evaluate(() => [window.kappaflow.options.hide, window.kappaflow.options.lock]), ['seed', 'layers']);
  assert.deepEqual(serious(await violations(page)), []);

  // A foreign link's keys and lines are not written into code.
  const foreign = await newPage(browser, { alone: true });
  await foreign.goto(`${site.url}teach.html?scene=shattering&layers=30%0A%0A%3Cb%3E&onclick=alert(1)&ui=nonsense&hide=magic`);
  await foreign.waitForFunction(() => document.querySelectorAll('textarea').length === 6);
  const codes = await foreign.evaluate(() => [...document.querySelectorAll('textarea')].map(({ value }) => value));
  assert.ok(codes.slice(2).every((code) => !/onclick|magic|nonsense|\n\n/.test(code)), codes.join('\n'));
  await foreign.finish();

  const saved = async (name) => readFileSync(await (await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]))[0].path());
  const files = open(await saved('SCORM 1.2 package'));
  assert.deepEqual(Object.keys(files).sort(), ['imsmanifest.xml', 'index.html', 'single.html']);
  assert.match(files['index.html'], /scene=shattering.*taps=5.*lock=layers/);
  const alone = (await saved('one file')).toString();
  const own = await serve({ '/': alone });
  await page.goto(own.url);
  await untilShown(page);
  assert.deepEqual(await page.evaluate(() => { const { params } = window.kappaflow.page.describe(); return ['layers', 'taps'].map((key) => params.find((one) => one.key === key).value); }), ['30', '5']);
  await page.finish();
});

test('prepare for class on a phone, with a lesson: nothing runs over, and the package opens the lesson', async () => {
  const page = await newPage(browser, { alone: true, viewport: { width: 390, height: 844 } });
  await page.goto(`${site.url}teach.html`);
  await page.getByRole('combobox', { name: 'Figure or lesson' }).selectOption('lesson residual');
  await page.waitForFunction(() => document.getElementById('preview').src.endsWith('?lesson=residual'));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.equal(await page.getByRole('textbox', { name: 'MyST' }).count(), 0);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'SCORM 2004 package' }).click()]);
  assert.equal(download.suggestedFilename(), 'residual-scorm-2004.zip');
  assert.match(open(readFileSync(await download.path()))['index.html'], /"\?lesson=residual"/);
  await page.finish();
});
