// Texts with figures: the recipes of docs/courses.md and docs/sweeps.md, each from an empty folder, with Debian's Sphinx, MyST, pandoc and parallel.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { act, house, launch, newPage, serve, untilShown } from './support.mjs';

const browser = await launch();
const site = await serve();
const env = { ...process.env, PATH: `${join(house, 'build/release')}:${process.env.PATH}` };

function emptyFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'course-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The lines of code of a guide from the line that begins with `first` to the next prose. */
function recipe(guide, first) {
  const text = readFileSync(join(house, 'docs', guide), 'utf8'), start = text.indexOf(`    ${first}`);
  assert.ok(start >= 0, `${guide} has ${first}`);
  return text.slice(start).match(/^(?: {4}.*\n|\n(?= {4}))+/)[0].replace(/^ {4}/gm, '');
}

/** The first frame of a page of HTML, opened, shows the state. */
async function checkFrame(html, expected) {
  const course = await serve({ '/': html });
  const page = await newPage(browser, { alone: true });
  await page.goto(course.url);
  const first = await page.$('iframe');
  await first.scrollIntoViewIfNeeded(); // a lazy frame begins when it is seen
  const frame = await first.contentFrame();
  await untilShown(frame);
  const link = await act(frame, (p) => p.link());
  for (const part of expected) assert.ok(link.includes(part), `${link} has ${part}`);
  const { ui, hide } = await frame.evaluate(() => window.kappaflow.options), lang = await frame.evaluate(() => document.documentElement.lang);
  await page.finish();
  return { ui, hide, lang };
}

/** A folder with the guide's texts for Sphinx and MyST. */
function sphinxFolder() {
  const folder = emptyFolder();
  cpSync(join(house, 'tools/courses/kappaflow_sphinx.py'), join(folder, 'kappaflow_sphinx.py'));
  const conf = recipe('courses.md', 'import os, sys').replace('https://your.host/kappaflow/', site.url).replace('["kappaflow_sphinx"]', '["kappaflow_sphinx", "myst_parser"]');
  writeFileSync(join(folder, 'conf.py'), `${conf}\nproject = copyright = version = "Course"\n`);
  const figure = recipe('courses.md', '.. kappaflow:: shattering');
  writeFileSync(join(folder, 'index.rst'), `Course\n======\n\n${figure.replace(':layers: 30', ':layers: 30\n   :hide: seed,strands\n   :ui: lesson\n   :lang: fr')}\n.. kappaflow:: capacity-diffusion\n   :top-index: 12\n\n.. toctree::\n\n   more\n`);
  writeFileSync(join(folder, 'more.md'), `# More\n\n${recipe('courses.md', '```{kappaflow} shattering')}`);
  return folder;
}

const sphinx = (folder, builder, more = []) => spawnSync('sphinx-build', ['-q', '-b', builder, '-d', join(folder, 'trees'), ...more, folder, join(folder, builder)], { env, encoding: 'utf8' });

test('Sphinx and MyST make frames of HTML and pictures of EPUB and LaTeX, with captions, from the guide\'s own text', async () => {
  const folder = sphinxFolder(), html = sphinx(folder, 'html');
  assert.deepEqual([html.status, html.stderr], [0, '']);
  const written = readFileSync(join(folder, 'html/index.html'), 'utf8');
  assert.match(written, /<iframe [^>]*title="Paths through thirty layers" sandbox="allow-scripts"[^>]*><\/iframe>\s*<figcaption>[\s\S]*Every strand/);
  assert.match(written, /topIndex=12/);
  assert.match(readFileSync(join(folder, 'html/more.html'), 'utf8'), /<iframe[^>]*layers=30[\s\S]*<figcaption>/);
  assert.deepEqual(await checkFrame(written, ['scene=shattering', 'layers=30']), { ui: 'lesson', hide: 'seed,strands', lang: 'fr' });
  const latex = sphinx(folder, 'latex');
  assert.deepEqual([latex.status, latex.stderr], [0, '']);
  const [tex] = readdirSync(join(folder, 'latex')).filter((name) => name.endsWith('.tex'));
  const pictures = [...readFileSync(join(folder, 'latex', tex), 'utf8').matchAll(/\\sphinxincludegraphics\[[^\]]*\]\{(kappaflow-\w+\.png)\}/g)].map(([, name]) => name);
  assert.equal(pictures.length, 3);
  for (const name of pictures) assert.equal(readFileSync(join(folder, 'latex', name)).readUInt32BE(16), 2400);
  assert.equal(sphinx(folder, 'epub').status, 0);
  assert.ok(readdirSync(join(folder, 'epub')).filter((name) => /^kappaflow-.*\.svg$/.test(name)).length === 2, 'two different pictures');
  assert.equal(sphinx(folder, 'text').status, 0);
  assert.match(readFileSync(join(folder, 'text/index.txt'), 'utf8'), /Paths through thirty layers: http/);
});

test('without the program Sphinx says so and leaves a link; a value that is none is told with its place', () => {
  const folder = sphinxFolder(), without = sphinx(folder, 'latex', ['-D', 'kappaflow_program=no-such-program']);
  assert.equal(without.status, 0);
  assert.match(without.stderr, /index\.rst:\d+: WARNING: no-such-program cannot be run .*kappaflow_program/);
  const [tex] = readdirSync(join(folder, 'latex')).filter((name) => name.endsWith('.tex'));
  assert.match(readFileSync(join(folder, 'latex', tex), 'utf8'), /\\sphinxhref\{/);
  writeFileSync(join(folder, 'index.rst'), 'Course\n======\n\n.. kappaflow:: shattering\n   :layers: many\n');
  rmSync(join(folder, 'more.md'));
  assert.match(sphinx(folder, 'epub').stderr, /index\.rst:4: WARNING: .*layers.*many/);
});

test('pandoc makes frames of HTML and slides, and pictures of Word and EPUB, from the guide\'s own text', async () => {
  const folder = emptyFolder();
  cpSync(join(house, 'tools/courses/kappaflow.lua'), join(folder, 'kappaflow.lua'));
  writeFileSync(join(folder, 'course.md'), recipe('courses.md', '---').replace(/\n {4}pandoc[\s\S]*|\npandoc[\s\S]*/, '\n').replace('https://your.host/kappaflow/', site.url).replace('layers=30', 'layers=30 lang=fr'));
  const pandoc = (...more) => spawnSync('pandoc', ['--lua-filter', 'kappaflow.lua', 'course.md', ...more], { cwd: folder, env, encoding: 'utf8' });
  const html = pandoc('-t', 'html');
  assert.deepEqual([html.status, html.stderr], [0, '']);
  assert.match(html.stdout, /<iframe src="[^"]*layers=30[^"]*" title="Paths through thirty layers"[^>]*><\/iframe>\s*<figcaption>\s*<p>Every strand/);
  assert.deepEqual(await checkFrame(`<!doctype html><html lang="en"><title>A course</title>${html.stdout}`, ['scene=shattering', 'layers=30']), { ui: 'figure', hide: '', lang: 'fr' });
  assert.match(pandoc('-t', 'revealjs').stdout, /<iframe data-src="/);
  const latex = pandoc('-t', 'latex', '--extract-media', 'media');
  assert.match(latex.stdout, /\\includegraphics\[[^\]]*\]\{media\/kappaflow-\w+\.png\}[\s\S]*\\caption\{Every strand/);
  for (const [file, picture] of [['course.docx', /\.png$/m], ['course.epub', /\.svg$/m]]) {
    assert.equal(pandoc('-o', file).status, 0);
    assert.match(execFileSync('python3', ['-m', 'zipfile', '-l', join(folder, file)], { encoding: 'utf8' }).replace(/ .*$/gm, ''), picture);
  }
  const without = pandoc('-t', 'latex', '-M', 'kappaflow-program=no-such-program');
  assert.match(without.stderr, /no-such-program cannot draw/);
  assert.match(without.stdout, /\\href\{[^}]*scene=shattering/);
  writeFileSync(join(folder, 'course.md'), '::: {.kappaflow layers=30}\n:::\n');
  assert.match(pandoc('-t', 'html').stderr, /needs a scene/);
});

test('many requests on several cores: the guide\'s lines with GNU parallel and as an array job give what one process gives, and numpy reads it', () => {
  const folder = emptyFolder(), shell = (script, more = {}) => execFileSync('bash', ['-euc', script], { cwd: folder, env: { ...env, ...more }, encoding: 'utf8' });
  const [sweep] = recipe('sweeps.md', 'kappaflow sweep').split('\n');
  shell(sweep.replace('1..200', '1..12'));
  shell('kappaflow run --batch requests --out single.json');
  shell(recipe('sweeps.md', 'parallel').replace('-j 8', '-j 2'));
  const lines = (names) => names.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n')).sort();
  const shards = () => readdirSync(folder).filter((name) => /^results\.\d+\.jsonl$/.test(name));
  assert.equal(shards().length, 8);
  assert.deepEqual(lines(shards()), lines(['single.json']));
  const reading = recipe('sweeps.md', 'import glob').replace(/^numpy/m, 'values = numpy');
  assert.equal(shell(`/usr/bin/python3 - <<'END'\n${reading}\nassert len(values) == 24 and values.min() > 0\nprint(len(values))\nEND`).trim(), '24');
  for (const name of shards()) rmSync(join(folder, name));
  const job = recipe('sweeps.md', '#!/bin/bash').replaceAll('64', '4');
  for (const task of [1, 2, 3, 4]) shell(job, { SLURM_ARRAY_TASK_ID: String(task) });
  assert.deepEqual(lines(shards()), lines(['single.json']));
});
