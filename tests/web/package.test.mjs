// The npm package, as packed, in an empty folder: in Node, under TypeScript, built by Vite, as a static page, and as a front-end module of notebooks.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sendFile, startServer } from '../../tools/scripts/serve.mjs';
import { house, launch, newPage, shared, site } from './support.mjs';

const browser = await launch();
const require = createRequire(import.meta.url);
const work = mkdtempSync(join(tmpdir(), 'kappaflow-')), fresh = join(work, 'fresh'), installed = join(fresh, 'node_modules/kappaflow');
after(() => rmSync(work, { recursive: true }));
const node = (cwd, ...args) => execFileSync(process.execPath, args, { cwd, encoding: 'utf8' });
const npm = (cwd, ...args) => execFileSync('npm', args, { cwd, encoding: 'utf8', env: { ...process.env, npm_config_cache: join(work, 'cache') } });

/** Built, packed and installed without a network. */
const folder = shared(async () => {
  const built = join(work, 'built');
  mkdirSync(fresh);
  node(house, 'tools/scripts/build_package.mjs', site, built);
  const [{ filename }] = JSON.parse(npm(built, 'pack', '--json', '--pack-destination', work));
  cpSync(join(house, 'tests/web/types/package_consumer.mts'), join(fresh, 'consumer.mts'));
  writeFileSync(join(fresh, 'package.json'), '{"name": "course", "private": true, "type": "module"}');
  npm(fresh, 'install', '--offline', '--no-audit', '--no-fund', join(work, filename));
  return fresh;
});

const server = await startServer(0, (request, response) => sendFile(fresh, request, response) || response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end());
after(() => (server.closeAllConnections(), server.close()));
const url = `http://localhost:${server.address().port}/`;

const pageWith = (body) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>A course</title><body>${body}`;
const figure = '<kappaflow-figure id="figure" scene="shattering" layers="12" play="false"></kappaflow-figure>';

async function opened(url) {
  const page = await newPage(browser, { alone: true });
  await page.goto(url);
  return page;
}

/** The element's figure has numbers, a picture drawn by its own letters, and a document. */
async function checkFigure(page) {
  const seen = await page.evaluate(async () => {
    const figure = document.getElementById('figure');
    await customElements.whenDefined('kappaflow-figure');
    const said = new Promise((done) => figure.addEventListener('result', ({ detail }) => done(detail)));
    const now = await figure.getState(), state = now.status === 'ok' && now.summary ? now : await said;
    const blob = await figure.toPNG({ scale: 1 });
    return { scene: state.scene, layers: state.params.layers, svg: (await figure.toSVG()).slice(0, 400), png: blob.size, networks: (await figure.getReport()).scene };
  });
  assert.deepEqual([seen.scene, seen.layers, seen.networks], ['shattering', '12', 'shattering']);
  assert.ok(seen.png > 2000, `${seen.png} bytes`);
  assert.doesNotMatch(seen.svg, /index\.html/, 'a package has no page of its own that a link could open');
}

test('the package installs without a network, runs no script, and is what package tools expect', async () => {
  await folder();
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.deepEqual([manifest.scripts, manifest.dependencies, manifest.name], [undefined, undefined, 'kappaflow']);
  const { publint } = await import('publint');
  const { messages } = await publint({ pkgDir: installed, strict: true, pack: false });
  assert.deepEqual(messages, []);
});

test('in Node its numbers are computed, and the element may be imported though there is no page', async () => {
  const said = node(await folder(), '--input-type=module', '-e', "import 'kappaflow'; import { run } from 'kappaflow/run'; const { scalars } = await run('capacity-diffusion', { layers: 16 }); console.log(scalars.spread.value)");
  assert.ok(Math.abs(Number(said) - Math.sqrt(2 / 3 * 16)) < 1e-9, said); // the variance of one step is 2/3
});

test('a strict TypeScript program finds its types, those of anywidget included', async () => {
  const root = await folder();
  cpSync(join(house, 'node_modules/@anywidget'), join(root, 'node_modules/@anywidget'), { recursive: true });
  try {
    node(root, require.resolve('typescript/bin/tsc'), '--noEmit', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom,dom.iterable', 'consumer.mts');
  } catch ({ stdout }) {
    assert.fail(stdout);
  }
});

test('Vite builds a page of it, in a folder below the server\'s own', async () => {
  const root = await folder();
  writeFileSync(join(root, 'index.html'), pageWith(`${figure}<script type="module" src="/main.js"></script>`));
  writeFileSync(join(root, 'main.js'), "import 'kappaflow';\nimport { run } from 'kappaflow/run';\nwindow.computed = run('capacity-diffusion', { layers: 16, kernel: 'random', draws: 2 });\n");
  node(root, join(house, 'node_modules/vite/bin/vite.js'), 'build', '--base', './', '--outDir', 'out/course', '--logLevel', 'error');
  const page = await opened(`${url}out/course/index.html`);
  await checkFigure(page);
  assert.equal(await page.evaluate(async () => (await window.computed).params.layers), 16);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

test('a static page imports it from where it was installed', async () => {
  const root = await folder();
  writeFileSync(join(root, 'static.html'), pageWith(`${figure}<script type="module" src="node_modules/kappaflow/dist/element.mjs"></script>`));
  const page = await opened(`${url}static.html`);
  await checkFigure(page);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});

/** The guide's recipe for Python; what makes the file of a torch module is replaced by a file that there is. */
test('the recipe of the guide gives Python the report about a network file, or the sentence why not', () => {
  const [recipe] = readFileSync(join(house, 'docs/embedding.md'), 'utf8').match(/^    import json, subprocess\n(.*\n)*?(?=\n    torch)/m);
  const program = `${recipe.replace(/^    /gm, '')}
found = report("src/samples/shapes-classifier.onnx", "capacity-diffusion", at=1)
try:
    report("LICENSE")
except ValueError as refused:
    print(json.dumps({"scene": found["scene"], "at": found["params"]["at"], "capacity": sum(found["arrays"]["capacity"]["values"][:64]), "refused": str(refused)}))`;
  const env = { ...process.env, PATH: `${join(house, 'build/release')}:${process.env.PATH}` };
  const said = JSON.parse(execFileSync('/usr/bin/python3', ['-c', program], { cwd: house, env, encoding: 'utf8' }));
  assert.deepEqual([said.scene, said.at], ['capacity-diffusion', 1]);
  assert.ok(Math.abs(said.capacity - 1) < 1e-9, 'of the layer that stands first, all of it');
  assert.match(said.refused, /LICENSE|ONNX/);
});

/** A host after anywidget's specification: models with get, set, on, off and save_changes, and a module that renders into an element. */
const kHost = `<div id="cell"></div><script type="module">
  class Model {
    values = { scene: 'shattering', params: { layers: 12, play: false }, height: 300, report: null };
    listeners = new Map();
    saved = 0;
    get(key) { return this.values[key]; }
    set(key, value) {
      if (this.values[key] === value) return;
      this.values[key] = value;
      for (const tell of this.listeners.get('change:' + key) ?? []) tell();
    }
    on(name, tell) { this.listeners.set(name, [...(this.listeners.get(name) ?? []), tell]); }
    off(name, tell) { this.listeners.set(name, (this.listeners.get(name) ?? []).filter((one) => one !== tell)); }
    save_changes() { ++this.saved; }
    get heard() { return [...this.listeners.values()].flat().length; }
  }
  window.model = new Model();
  const { default: widget } = await import('./node_modules/kappaflow/dist/element.mjs');
  window.end = await widget.render({ model: window.model, el: document.getElementById('cell') });
</script>`;

test('the same module is a widget of notebooks: the model\'s params in, link, summary and report out, and nothing left in the end', async () => {
  const root = await folder();
  writeFileSync(join(root, 'notebook.html'), pageWith(kHost));
  const page = await opened(`${url}notebook.html`);
  const layersOf = (layers) => page.waitForFunction((wanted) => window.model?.get('report')?.params.layers === wanted && window.model.get('summary'), layers);
  await layersOf(12);
  assert.deepEqual(await page.evaluate(() => [document.querySelector('kappaflow-figure').clientHeight, window.model.saved > 0]), [300, true]);
  await page.evaluate(() => window.model.set('params', { layers: 17, play: false }));
  await layersOf(17);
  assert.match(await page.evaluate(() => window.model.get('link')), /layers=17/);
  await page.evaluate(() => document.querySelector('kappaflow-figure').setState({ layers: 21 })); // as a reader would
  await layersOf(21);
  await page.evaluate(() => window.model.set('params', { layers: 'many', play: false }));
  await page.waitForFunction(() => /layers/.test(window.model.get('error')));
  await page.evaluate(() => (window.model.set('scene', 'capacity-diffusion'), window.model.set('params', { layers: 9, play: false })));
  await page.waitForFunction(() => window.model.get('report').scene === 'capacity-diffusion' && window.model.get('report').params.layers === 9);
  assert.deepEqual(await page.evaluate(() => (window.end(), [document.querySelectorAll('kappaflow-figure').length, window.model.heard])), [0, 0]);
  assert.deepEqual(page.troubles, []);
  await page.finish();
});
