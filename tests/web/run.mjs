/** Every browser test, one file after the other: run.mjs [name parts]. KAPPAFLOW_SITE: the folder of the site (build/web/site). */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(folder).filter((name) => name.endsWith('.test.mjs') && (!wanted.length || wanted.some((part) => name.includes(part))));
const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=1', '--test-reporter=spec', ...files.map((name) => join(folder, name))], { stdio: 'inherit' });
process.exit(status ?? 1);
