/**
 * single.html: the page with everything it needs in one file, for file://, for offline use and for frames without any header.
 * Modules, fonts and words are gzipped and written in base 85 (1.25 times the gzipped size; browsers have no decoder for brotli);
 * web/packed.mjs unpacks them. Made from the finished site's folder.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { encode85 } from '../../web/base85.mjs';
import { bundled } from './minify.mjs';

const kProgram = ['kappaflow-page.mjs', 'kappaflow-page.wasm', 'kappaflow-core.mjs', 'kappaflow-core.wasm', 'worker.js', 'fonts/ui.ttf', 'fonts/ui-italic.ttf', 'fonts/ui-bold.ttf', 'fonts/math.ttf'];
const kFontTypes = { ttf: 'font/ttf', woff2: 'font/woff2' };

/** How a policy names an inline script or style. */
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const pack = (bytes) => encode85(gzipSync(bytes, { level: 9 }));

/** Files of text as one: base 85 of JSON of {name: text}. */
export function packedTexts(site, names) {
  const text = (name) => readFileSync(join(site, name), 'utf8').replace(/<a href=\\"docs\/[^>]*>(.*?)<\/a>/g, '$1'); // links to files that are not packed
  return pack(JSON.stringify(Object.fromEntries(names.map((name) => [name, text(name)]))));
}

function packed(site) {
  const inFolder = (folder) => readdirSync(join(site, folder)).map((name) => `${folder}/${name}`);
  const pictures = readdirSync(site).filter((name) => /^kappaflow-pictures-.*\.wasm$/.test(name));
  const names = [...kProgram, ...pictures, ...inFolder('samples').filter((name) => name.endsWith('.onnx'))];
  const texts = [...inFolder('words'), ...inFolder('schemas'), ...inFolder('lessons'), 'search.json'];
  return { ...Object.fromEntries(names.map((name) => [name, pack(readFileSync(join(site, name)))])), texts: packedTexts(site, texts) };
}

function styles(site) {
  const inlined = (_, name) => `url(data:${kFontTypes[name.split('.').pop()]};base64,${readFileSync(join(site, name)).toString('base64')})`;
  return ['instance.css', 'page.css', 'lesson.css'].map((name) => readFileSync(join(site, name), 'utf8')).join('\n').replace(/url\((fonts\/[^)]+)\)/g, inlined);
}

function policy(code, style) {
  return [
    "default-src 'none'", `script-src ${hashOf(code)} 'wasm-unsafe-eval' blob:`, 'worker-src blob:', `style-src ${hashOf(style)}`, 'font-src data:', 'img-src data: blob:',
    "base-uri 'none'", "form-action 'none'",
  ].join('; ');
}

/** What the page's template needs to become the single file; `values` are those of the scenes. */
export function singleValues({ house, site, values }) {
  const code = bundled(join(house, 'web/boot_single.mjs'), ['./foreign_lesson.mjs', './video.mjs', './xapi.mjs']), style = styles(site);
  return {
    ...values,
    chapters: values.chapters.replace(/<img[^>]*>/g, ''), // thumbnails would weigh as much as the program
    poster: '',
    prepare: '',
    teachers: '', // links to files that are not packed
    policy: `<meta http-equiv="Content-Security-Policy" content="${policy(code, style)}">`,
    head: `<style>${style}</style>`,
    unreached: 'The program has not started: this browser is too old for it, or this place forbids scripts inside a page.',
    footer: `<details><summary>MIT licence</summary><pre translate="no">${values.licence}</pre></details>`,
    program: `<script type="application/json" id="files-data">${JSON.stringify(packed(site))}</script>\n<script type="module">${code}</script>`,
  };
}
