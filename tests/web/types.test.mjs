// The declarations for TypeScript say what the modules are.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { house, launch, open, serve, settle } from './support.mjs';

const browser = await launch();
const server = await serve();

/** The members an interface declares: {name: optional}. */
function members(file, name) {
  const source = ts.createSourceFile(file, readFileSync(join(house, 'web', file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found = source.statements.find((statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name);
  assert.ok(found, `${file} declares ${name}`);
  return Object.fromEntries(found.members.map((member) => [member.name.text, Boolean(member.questionToken)]));
}

test('a strict TypeScript program that uses both modules compiles, and its mistakes do not', () => {
  const options = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom,dom.iterable', '--typeRoots', join(house, 'tests/web/types')]; // without those that our tools bring along
  const { status, stdout } = spawnSync(process.execPath, [join(house, 'node_modules/typescript/bin/tsc'), ...options, join(house, 'tests/web/types/consumer.mts')], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

test('what is declared of a running program is what there is', async () => {
  const page = await open(browser, `${server.url}?play=false`);
  await settle(page);
  const methods = Object.keys(members('host.d.mts', 'Page'));
  const found = await page.evaluate((names) => {
    const { kappaflow } = window, { page } = kappaflow;
    return {
      missing: names.filter((name) => typeof page[name] !== 'function'),
      description: Object.keys(page.describe()), counters: Object.keys(page.counters()),
      instance: ['page', 'ready', 'wake', 'setTheme', 'setContrast', 'counters', 'destroy'].filter((name) => kappaflow[name] === undefined),
    };
  }, methods);
  assert.deepEqual(found.missing, []);
  assert.deepEqual(found.instance, []);
  assert.deepEqual(found.description.sort(), Object.keys(members('host.d.mts', 'Description')).sort());
  assert.deepEqual(found.counters.sort(), Object.keys(members('host.d.mts', 'Counters')).sort());
  assert.deepEqual(Object.keys(members('host.d.mts', 'Kappaflow')).sort(), ['counters', 'destroy', 'page', 'ready', 'setContrast', 'setTheme', 'wake']);

  const report = await page.evaluate(async () => {
    const { run, describeScene } = await import('/kappaflow.mjs');
    const report = await run('capacity-diffusion', { kernel: 'random', draws: 3, layers: 6 }), scene = await describeScene('capacity-diffusion');
    const keys = (objects) => [...new Set(objects.flatMap(Object.keys))];
    return {
      Report: Object.keys(report), Scalar: keys(Object.values(report.scalars)), ReportArray: keys(Object.values(report.arrays)),
      SceneDescription: Object.keys(scene), ParamInfo: keys(scene.params),
    };
  });
  for (const [name, keys] of Object.entries(report)) {
    const declared = { ...members('kappaflow.d.mts', name), ...(name === 'SceneDescription' ? members('kappaflow.d.mts', 'SceneInfo') : {}) };
    assert.deepEqual(keys.filter((key) => !(key in declared)), [], `${name} has nothing undeclared`);
    assert.deepEqual(Object.keys(declared).filter((key) => !declared[key] && !keys.includes(key)), [], `${name} has all that is declared`);
  }
  await page.finish();
});
