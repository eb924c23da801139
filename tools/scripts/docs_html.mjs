/** A guide of docs/ as a page of the site, in the folder docs of it. */
import { notesHtml } from '../../web/notes_html.mjs';

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** Headings get ids, tables their own scroll bar, so that long addresses never widen the page. */
function dress(html) {
  const ids = (whole, level, text) => `<h${level} id="${text.toLowerCase().replace(/<[^>]*>/g, '').replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')}">${text}</h${level}>`;
  return html.replace(/<h([23])>(.*?)<\/h\1>/g, ids).replaceAll('<table>', '<div class="wide" tabindex="0" role="group" aria-label="table"><table>').replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">').replaceAll('<thead>\n<tr>\n<th></th>\n<th></th>\n</tr>\n</thead>\n', '');
}

/** `markdown`: its first line is the title. */
export const docsHtml = (markdown) => docsPage(escape(markdown.match(/^# (.*)/)[1]), notesHtml(markdown));

/** `title`: HTML; `head`: what else stands in the head. */
export function docsPage(title, body, head = '') {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title.replace(/<[^>]*>/g, '')} — Kappaflow</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="../article.css">
${head}</head>
<body>
<main>
<p class="back"><a href="../">Kappaflow</a></p>
<h1>${title}</h1>
${dress(body)}
</main>
</body>
</html>
`;
}
