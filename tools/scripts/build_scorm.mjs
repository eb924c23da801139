/**
 * A figure or a lesson as a SCORM package, from the finished site: build_scorm.mjs QUERY [1.2|2004] [FILE.zip] [TITLE]
 * QUERY is what a reader would find behind the page's address: '?lesson=capacity', '?scene=shattering&layers=30&ui=figure'.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { strToU8, zipSync } from 'fflate';
import { kSettings } from '../../web/address.mjs';
import { scormFiles, withLanguage } from '../../web/scorm_package.mjs';

const site = resolve(process.env.KAPPAFLOW_SITE ?? join(fileURLToPath(import.meta.url), '../../../build/web/site'));
const [, , given = '', version = '1.2', file, title] = process.argv;
const query = `?${given.replace(/^\?/, '')}`, asked = new URLSearchParams(query), name = asked.get('lesson') ?? asked.get('scene');
const read = (path) => readFileSync(join(site, path), 'utf8'), lang = asked.get('lang') ?? 'en', folder = lang === 'en' ? '' : `languages/${lang}/`;
const titleOf = (path) => JSON.parse(read(path)).title, inWords = (text) => (folder ? (JSON.parse(read(`languages/${lang}.json`))[text] ?? text) : text);
try {
  if (!/^[\w-]+$/.test(name ?? '')) throw new Error("say what is packed, such as '?lesson=capacity' or '?scene=shattering&layers=30&ui=figure'");
  if (!kSettings.lang.includes(lang)) throw new Error(`lang takes ${kSettings.lang.join(' or ')}, not ${lang}`);
  const found = title ?? (asked.has('lesson') ? titleOf(`${folder}lessons/${name}.json`) : inWords(titleOf(`schemas/${name}.json`)));
  const files = scormFiles({ version, query, title: found, launcher: read('scorm.html'), single: folder ? withLanguage(read('single.html'), read(`${folder}packed.txt`)) : read('single.html') });
  const out = file ?? `${name}-scorm-${version}.zip`;
  writeFileSync(out, zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])), { level: 6 }));
  console.log(out);
} catch (error) {
  console.error(`build_scorm.mjs: ${error.code === 'ENOENT' ? `${error.path} is missing: \`make site\` makes it, and the list of lessons and scenes is on its home page` : error.message}.`);
  process.exit(2);
}
