/**
 * A figure or a lesson as a SCORM package, from the finished site: build_scorm.mjs QUERY [1.2|2004] [FILE.zip] [TITLE]
 * QUERY is what a reader would find behind the page's address: '?lesson=capacity', '?scene=shattering&layers=30&ui=figure'.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { strToU8, zipSync } from 'fflate';
import { scormFiles } from '../../web/scorm_package.mjs';

const site = resolve(process.env.KAPPAFLOW_SITE ?? join(fileURLToPath(import.meta.url), '../../../build/web/site'));
const [, , given = '', version = '1.2', file, title] = process.argv;
const query = `?${given.replace(/^\?/, '')}`, asked = new URLSearchParams(query), name = asked.get('lesson') ?? asked.get('scene');
const titleOf = (path) => JSON.parse(readFileSync(join(site, path), 'utf8')).title;
try {
  if (!/^[\w-]+$/.test(name ?? '')) throw new Error("say what is packed, such as '?lesson=capacity' or '?scene=shattering&layers=30&ui=figure'");
  const found = title ?? titleOf(asked.has('lesson') ? `lessons/${name}.json` : `schemas/${name}.json`);
  const files = scormFiles({ version, query, title: found, launcher: readFileSync(join(site, 'scorm.html'), 'utf8'), single: readFileSync(join(site, 'single.html'), 'utf8') });
  const out = file ?? `${name}-scorm-${version}.zip`;
  writeFileSync(out, zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])), { level: 6 }));
  console.log(out);
} catch (error) {
  console.error(`build_scorm.mjs: ${error.code === 'ENOENT' ? `${error.path} is missing: \`make site\` makes it, and the list of lessons and scenes is on its home page` : error.message}.`);
  process.exit(2);
}
