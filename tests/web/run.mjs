/**
 * The browser tests, two files at a time: run.mjs [name parts]. KAPPAFLOW_SITE: the folder of the site (build/web/site).
 * KAPPAFLOW_COMPLETE=1: every preset of every scene, in both themes, as before a release.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const kLanes = 2; // each with a browser of its own
const kLongest = ['desktop', 'phone', 'single', 'figures', 'runners', 'state', 'embeds', 'loading']; // these begin, so that no lane waits for the other in the end
const kHangs = 3600e3; // milliseconds after which a file is given up

const folder = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const rank = (name) => (kLongest.indexOf(name.split('.')[0]) + 1 || kLongest.length + 1);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.test.mjs') && (!wanted.length || wanted.some((part) => name.includes(part))))
  .sort((a, b) => rank(a) - rank(b));

/** One file's tests; its output comes in one piece, without node's own sums. */
function run(name) {
  const begun = performance.now();
  const child = spawn(process.execPath, ['--test-reporter=spec', join(folder, name)], { stdio: ['ignore', 'pipe', 'pipe'], timeout: kHangs });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((done) => child.on('close', (status) => {
    const sum = (word) => Number(output.match(new RegExp(`^ℹ ${word} (\\d+)$`, 'm'))?.[1] ?? 0);
    const passed = sum('pass'), failed = sum('fail') + sum('cancelled') || Number(status !== 0);
    const seconds = (performance.now() - begun) / 1000;
    console.log(`-- ${name}, ${seconds.toFixed(0)} s\n${output.replace(/^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*\n/gm, '')}`);
    done({ name, seconds, passed, failed });
  }));
}

const queue = [...files], results = [], begun = performance.now();
await Promise.all(Array.from({ length: kLanes }, async () => {
  while (queue.length) results.push(await run(queue.shift()));
}));
const total = (what) => results.reduce((sum, result) => sum + result[what], 0);
for (const { name, seconds, passed, failed } of results.sort((a, b) => b.seconds - a.seconds))
  console.log(`${name.padEnd(26)}${seconds.toFixed(0).padStart(5)} s ${String(passed).padStart(4)} passed${failed ? `, ${failed} failed` : ''}`);
console.log(`${'all'.padEnd(26)}${((performance.now() - begun) / 1000).toFixed(0).padStart(5)} s, ${total('seconds').toFixed(0)} s in ${kLanes} lanes`);
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exit(total('failed') || !total('passed') ? 1 : 0);
