/**
 * Declared texts write powers and indices as plain text ("10^−24", "κ^l", "D_ij", "r^(L − l)"): here they are raised and lowered.
 * Free sentences, which may hold names of files, have powers of numbers and indices of one character at single letters only.
 */
import { language } from './dom.mjs';

const kScript = /(?<=[\p{L}\p{M}\d)\]])([_^])(\{[^}]*\}|\([^)]*\)|[−-]?\d+(?:\.\d+)?|\p{L}[\p{L}\d]*)/gu;
const kPlain = /(?:(?<=\d)(?=\^)|(?<=(?<![\p{L}\p{M}\d_])\p{L})(?=_[\p{L}\d](?!\.?[\p{L}\p{M}\d_])))([_^])([−-]?\d+(?:\.\d+)?|\p{L})/gu;

/** [{text, tag}]: tag is 'sup', 'sub' or undefined. */
function pieces(text, pattern) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    found.push({ text: text.slice(end, match.index) });
    found.push({ text: match[2].replace(/^\{|\}$/g, '').replace(/^-/, '−'), tag: match[1] === '^' ? 'sup' : 'sub' });
    end = match.index + match[0].length;
  }
  found.push({ text: text.slice(end) });
  return found.filter((piece) => piece.text);
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** A declared text as HTML source. */
export const declaredHtml = (text) => pieces(text, kScript).map((piece) => (piece.tag ? `<${piece.tag}>${escape(piece.text)}</${piece.tag}>` : escape(piece.text))).join('');

const nodes = (make, text, pattern) => pieces(text, pattern).map((piece) => (language.asIs(piece.text), piece.tag ? make(piece.tag, {}, piece.text) : piece.text));

/** A declared text, or a free sentence, as nodes. */
export const declared = (make, text) => nodes(make, language.say(text), kScript);
export const sentence = (make, text) => nodes(make, language.say(text), kPlain);
