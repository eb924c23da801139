/**
 * A page for every scene, figures/ID.html, that says without a script what the figure shows: what search engines, messengers and learning
 * platforms make a card of. With the site's own address (KAPPAFLOW_ADDRESS) it names its picture in full, as Open Graph asks, and answers
 * oEmbed with figures/ID.json.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { embedCode } from '../../web/embed_code.mjs';
import { declaredHtml } from '../../web/markup.mjs';
import { withPapers } from '../../web/notes_html.mjs';
import { docsPage } from './docs_html.mjs';

const kWidth = 1200, kHeight = 630, kScale = 1.5; // pixels of a card, and how many of them a letter's pixel takes
const kFrame = { width: 800, height: 560 };

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const plain = (text) => text.replace(/[*{}]/g, '');

/** The address with one slash at its end; throws where it is none. '' stays. */
export function addressOf(given) {
  if (!given) return '';
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) throw new Error(`KAPPAFLOW_ADDRESS is no address such as https://example.org/kappaflow/: ${given}`);
  return new URL('.', given.endsWith('/') ? given : `${given}/`).href;
}

/** `raster(svg)` → bytes of a PNG, with the site's letters. */
export async function rasteriser(site) {
  await initWasm(readFileSync(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')));
  const fontBuffers = ['ui', 'ui-italic', 'ui-bold', 'math'].map((name) => new Uint8Array(readFileSync(join(site, `fonts/${name}.ttf`))));
  return (svg) => {
    const drawing = new Resvg(svg, { fitTo: { mode: 'width', value: kWidth }, font: { fontBuffers, defaultFontFamily: 'Inter' } }), image = drawing.render(), bytes = image.asPng();
    image.free(), drawing.free();
    return bytes;
  };
}

export const kCard = { width: kWidth / kScale, height: kHeight / kScale };

/** What stands in the head of a page; `path`: of the page, `image`: of its picture, both below the address. */
export function cardOf({ address, path, image, title, description }) {
  const meta = (key, content) => `<meta ${key.startsWith('og:') ? 'property' : 'name'}="${key}" content="${escape(content)}">`;
  return [
    meta('og:type', 'website'), meta('og:site_name', 'Kappaflow'), meta('og:title', title), meta('og:description', description), meta('twitter:card', 'summary_large_image'),
    ...(address ? [`<link rel="canonical" href="${escape(address + path)}">`, meta('og:url', address + path), meta('og:image', address + image), meta('og:image:width', String(kWidth)), meta('og:image:height', String(kHeight)), meta('og:image:alt', title)] : []),
  ].join('\n');
}

export function figurePage({ id, title, claim, lookAt, source }, address) {
  const name = plain(title), card = cardOf({ address, path: `figures/${id}.html`, image: `figures/${id}.png`, title: name, description: plain(claim) });
  const oembed = address ? `\n<link rel="alternate" type="application/json+oembed" href="${escape(`${address}figures/${id}.json`)}" title="${escape(name)}">` : '';
  return docsPage(declaredHtml(title), `<p class="lead">${declaredHtml(claim)}</p>
<p><a href="../?scene=${id}&amp;ui=full"><img class="card" src="${id}.png" width="${kWidth}" height="${kHeight}" alt="${escape(`${name}: the figure at its beginning`)}"></a></p>
<p><a href="../?scene=${id}&amp;ui=full">Open the living figure</a>, <a href="../?scene=${id}&amp;ui=lesson">go through it step by step</a>, or <a href="../teach.html?scene=${id}">prepare it for class</a>. ${declaredHtml(lookAt)}</p>
<footer><p>After ${withPapers(declaredHtml(source))}.</p></footer>`, `<meta name="description" content="${escape(plain(claim))}">\n${card}${oembed}\n`);
}

/** oembed.com 1.0, type rich: the figure in a frame of its own. */
export const oembedOf = ({ id, title }, address) => ({
  version: '1.0', type: 'rich', provider_name: 'Kappaflow', provider_url: address, title: plain(title), ...kFrame,
  html: embedCode({ address, link: `scene=${id}`, description: { title, params: [] } }), thumbnail_url: `${address}figures/${id}.png`, thumbnail_width: kWidth, thumbnail_height: kHeight,
});
