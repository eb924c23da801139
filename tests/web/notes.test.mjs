// Numbers in the scenes' notes: computed, and refused in one sentence where scene, param or field do not exist.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { filledNotes, inDigitsOf, keyOf, templatesIn } from '../../tools/scripts/notes_numbers.mjs';
import { notesHtml } from '../../web/notes_html.mjs';
import { notesOfScenes } from '../../tools/scripts/bundles.mjs';

const house = fileURLToPath(new URL('../..', import.meta.url));
const lags = { name: 'lag', values: [0, 1, 2] }, kinds = { name: 'kind', values: [], keys: ['plain', 'residual'] };
const report = ({ scene, params }) => {
  if (scene !== 'tree') throw new Error(`There is no scene "${scene}"; scenes: tree.`);
  if (params.chanels) throw new Error('There is no param chanels; meant is perhaps channels.');
  return {
    scene, params: { channels: Number(params.channels ?? 2), list: [1, 2], seed: Number(params.seed ?? 1) },
    scalars: { total: { value: 20 * Number(params.seed ?? 1) } },
    arrays: { capacity: { axes: [kinds, lags], values: new Float64Array([0.5, 0.25, 0.125, 1, 2, 3]) } },
  };
};
const filled = (text) => filledNotes(text, 'tree/notes.md', report);

test('what is computed stands in place of its source', () => {
  assert.equal(filled('of [[20 ← tree: total]] and [[0.25 ← tree channels=2: capacity(kind=plain,lag=1)]].'), 'of 20 and 0.25.');
  assert.equal(filled('[[5.0 ← tree: sum capacity(kind=residual,lag=1..2)]] [[0.50 ← tree: max capacity(kind=plain)]]'), '5.0 0.50');
  assert.equal(filled('[[160 ← tree seed=1..8: max total]], [[25 ← tree: percent ratio capacity(kind=plain,lag=1) capacity(kind=residual,lag=0)]]'), '160, 25');
  assert.equal(filled('$[[2.0\\cdot10^{1} ← tree: total]]$ [[4.47 ← tree: root total]] [[2 ← tree: ratio total 10]]'), '$2.0\\cdot10^{1}$ 4.47 2');
  assert.equal(filled('[a link](x) and [[brackets]]'), '[a link](x) and [[brackets]]');
});

test('numbers keep the digits of what is written', () => {
  for (const [written, value, expected] of [['0.60', 0.6034, '0.60'], ['12000', 11899, '12000'], ['525 312', 525312, '525 312'], ['-3.9', -3.906, '-3.9'], ['1.3\\cdot10^{-3}', 1.3278e-3, '1.3\\cdot10^{-3}'], ['7', 6.9999, '7']])
    assert.equal(inDigitsOf(written, value), expected);
});

test('a stale number, a misspelt scene, param, field or axis and a param out of range fail in one sentence', () => {
  for (const [text, sentence] of [
    ['[[21 ← tree: total]]', /^tree\/notes\.md: tree: total: 20 is computed where 21 is written/],
    ['[[1 ← three: total]]', /^tree\/notes\.md: three: total: There is no scene "three"/],
    ['[[1 ← tree chanels=2: total]]', /There is no param chanels/],
    ['[[1 ← tree: totl]]', /"tree" reports no "totl" there$/],
    ['[[1 ← tree: capacity(lags=1)]]', /"capacity" has no axis "lags"$/],
    ['[[1 ← tree: capacity(kind=plain,lag=7)]]', /"lag" has no value "7"$/],
    ['[[1 ← tree: capacity(kind=plain)]]', /has 3 values: put sum, mean, min or max in front/],
    ['[[1 ← tree channels=2.5: totl]]', /totl/],
    ['[[1 ← tree list=1,2,3: total]]', /list was taken as 1,2$/],
    ['[[x ← tree: total]]', /"x" is no number$/],
    ['[[1 ← tree total]]', /it should read "scene param=value: field"$/],
  ]) {
    assert.throws(() => filled(text), (error) => sentence.test(error.message) && !error.message.includes('\n'), text);
  }
});

test('the notes quote many numbers, all with their source in place', () => {
  const sources = Object.values(notesOfScenes()).flatMap((file) => templatesIn(readFileSync(file, 'utf8')));
  assert.ok(sources.length >= 130, `${sources.length}`);
  assert.ok(new Set(sources.map(({ source }) => source.split(':')[0])).size > 40);
  assert.equal(keyOf({ scene: 'a', params: { c: '2', play: 'false', b: '1' } }), keyOf({ scene: 'a', params: { b: '1', c: '2' } }));
  assert.notEqual(keyOf({ scene: 'a', params: { b: '1' } }), keyOf({ scene: 'a', params: { b: '2' } }));
  const words = join(house, 'build/web/site/words');
  for (const name of readdirSync(words)) assert.doesNotMatch(readFileSync(join(words, name), 'utf8'), /\[\[|\]\]/, name);
});

test('papers are links', () => assert.equal(notesHtml('P4, arXiv 1606.05336.'), '<p><a href="https://arxiv.org/abs/1606.05336">Raghu et al. 2016</a>, <a href="https://arxiv.org/abs/1606.05336">arXiv 1606.05336</a>.</p>\n'));
