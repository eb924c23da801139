// Words and equations as they are written at build.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { formulaCharacters, notesHtml } from '../../web/notes_html.mjs';
import { site } from './support.mjs';

test('the characters of equations are those between math tags, single letters in italics too', () => {
  assert.equal(formulaCharacters('<p>no x</p><math><mi>h</mi><mo>&lt;</mo><mi>κ</mi><mi>Z</mi></math> y'), ['<', 'Z', 'h', 'κ', 'ℎ', '𝑍', '𝜅'].sort().join(''));
  assert.equal(formulaCharacters('<p>none</p>'), '');
  assert.equal(formulaCharacters(notesHtml('$\\sqrt{2}$')), '2√', 'a root is a sign of the font too');
  assert.match(formulaCharacters(notesHtml('$a \\le \\mathcal{D}$')), /≤.*𝑎.*𝒟|≤.*𝒟.*𝑎/u);
});

test('the font of the equations has every character of every scene, and few others', () => {
  const words = readdirSync(join(site, 'words')).map((name) => readFileSync(join(site, 'words', name), 'utf8')).join('');
  const print = 'import sys; from fontTools.ttLib import TTFont; print(*TTFont(sys.argv[1]).getBestCmap())';
  const held = new Set(execFileSync('/usr/bin/python3', ['-c', print, join(site, 'fonts/formulas.woff2')], { encoding: 'utf8' }).trim().split(' ').map(Number));
  const wanted = [...formulaCharacters(words)].map((letter) => letter.codePointAt(0)).filter((code) => code !== 0x2061); // "function of": draws nothing
  assert.deepEqual(wanted.filter((code) => !held.has(code)).map((code) => String.fromCodePoint(code)), []);
  assert.ok(wanted.length > 50 && held.size <= wanted.length + 5, `${held.size} for ${wanted.length}`);
});
