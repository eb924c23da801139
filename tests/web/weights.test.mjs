// The bars for what the page weighs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstView, table, weights } from '../../scripts/weights.mjs';
import { launch, newPage, serve, settle, site, untilShown } from './support.mjs';

const browser = await launch();
const server = await serve();
const found = weights(site);

test('the table of weights lists what a browser asks for until the first picture, and nothing else', async () => {
  const page = await newPage(browser);
  const asked = new Set();
  page.on('request', (request) => request.url().startsWith(server.url) && asked.add(new URL(request.url()).pathname.slice(1) || 'index.html'));
  await page.goto(server.url);
  await untilShown(page);
  await settle(page);
  assert.deepEqual([...asked].sort(), firstView(site));
  await page.finish();
});

for (const { name, bytes, limit } of found.sums)
  test(`${name}: at most ${limit} bytes`, () => assert.ok(bytes > 0 && bytes <= limit, `${bytes} bytes`));

test('what is compressed already is not compressed again, everything else shrinks', () => {
  console.log(table(found).replace(/^/gm, '# '));
  for (const { name, raw, gzip, brotli } of found.files.filter((file) => file.raw > 500 && !file.name.endsWith('woff2')))
    assert.ok(brotli < gzip && gzip < raw, name);
});
