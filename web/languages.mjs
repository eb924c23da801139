/**
 * Other languages. The program's texts are written in English; docs/languages/NAME/words.json says what stands for each of them. `#` in an
 * English text stands for any number, in its translation for the numbers in their order (`#2` for the second); `~` stands for any words,
 * which are looked up themselves, `@` for any that stay as they are. What is missing stays English.
 */
import { kSpoken, language, setText } from './dom.mjs';

const kNumber = /\d+(?:[.,]\d+)*(?:e[-+]?\d+|·10(?:⁻?[⁰¹²³⁴-⁹]+|\^\{−?\d+\}))?/g; // 12, 1.5, 2e-5, 3.1·10⁻⁵ and the same in a picture's markup
const kSentences = /(?<=[.!?])( +|\n)/;
const kBetween = [/( · |\n)/, /(: )/, /(; )/, /(, | and )/]; // what joins texts that stand in the table one by one
const kMostDone = 10000;

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const kNames = /^(?:\S*\w[.:/]\w\S*|"[^"]*"|“[^”]*”)$/; // of files and addresses, and what is quoted
const wordy = (text) => /\p{L}{2}/u.test(text.replace(/\*[^*]*\*/g, ''));

/** What stands for the numbers and for the words between a pattern's pieces; each is taken where it first comes, so that no text takes long. */
function fitted(pieces, text) {
  const numbers = [], words = [];
  let end = 0;
  for (const [at, piece] of pieces.entries()) {
    piece.lastIndex = at && end + 1; // words are one character at least
    const found = piece.exec(text);
    if (!found) return null;
    if (at) words.push(text.slice(end, found.index));
    numbers.push(...found.slice(1));
    end = found.index + found[0].length;
  }
  return { numbers, words };
}

/** say(english), from a table {english: translated}; asIs(text): this one is translated. `onMissing(english)` for each without a translation, its numbers as `#`. */
export function translator(table, onMissing = () => {}) {
  const fixed = (key) => key.replace(/[#~@]/g, '').length; // characters that must stand so: the most particular pattern decides
  const open = Object.keys(table).filter((key) => /[~@]/.test(key)).sort((a, b) => fixed(b) - fixed(a)).map((key) => {
    const parts = key.split(/[~@]/), piece = (part, at) => new RegExp(escaped(part).replaceAll('#', `(${kNumber.source})`) + (at < parts.length - 1 ? '' : '$'), at ? 'g' : 'y');
    return { key, pieces: parts.map(piece), signs: key.match(/[~@]/g) };
  });
  const done = new Set(); // what is translated already, and may come again in pieces
  const asIs = (text) => (done.size < kMostDone || done.clear(), done.add(text.trim()));
  const among = new Map(); // of the patterns those that can fit a text, by its first character
  const fitting = (first) => among.get(first) ?? among.set(first, open.filter(({ key }) => [first, '#', '~', '@'].includes(key[0]))).get(first);
  const found = (key) => (Object.hasOwn(table, key) ? table[key] : undefined);
  const filled = (template, numbers) => {
    let next = 0;
    return template.replace(/#(\d)?/g, (sign, which) => numbers[which ? which - 1 : next++] ?? sign);
  };
  function whole(text) {
    if (found(text) !== undefined) return found(text);
    const template = found(text.replace(kNumber, '#'));
    if (template !== undefined) return filled(template, text.match(kNumber) ?? []);
    if (!wordy(text)) return undefined;
    for (const { key, pieces, signs } of fitting(text[0])) {
      const fit = fitted(pieces, text), words = fit?.words.map((one, at) => (signs[at] === '~' ? say(one) : one));
      if (fit) return filled(table[key], fit.numbers).replace(/[~@]/g, () => words.shift());
    }
    return undefined;
  }
  /** The text from its parts, where all that have words are in the table; undefined otherwise. */
  function inParts(text, from = 0) {
    const known = whole(text) ?? (wordy(text) && !kNames.test(text) ? undefined : text);
    if (known !== undefined) return known;
    for (let i = from; i < kBetween.length; ++i) {
      const parts = text.split(kBetween[i]);
      if (parts.length < 2) continue;
      const said = parts.map((part, at) => (at % 2 ? (found(part) ?? part) : inParts(part, i + 1)));
      if (!said.includes(undefined)) return said.join('');
    }
    return undefined;
  }
  function sentence(text) {
    const said = inParts(text);
    if (said === undefined) onMissing(text.replace(kNumber, '#'));
    return said ?? text;
  }
  function say(text) {
    const bare = text.trim();
    if (!bare || done.has(bare)) return text;
    const said = whole(bare) ?? bare.split(kSentences).map((part, at) => (at % 2 ? part : sentence(part))).join('');
    return asIs(said), text.replace(bare, () => said);
  }
  return { say, asIs };
}

/** Texts and spoken attributes that a page's HTML came with. */
export function translateUnder(root) {
  const walker = root.ownerDocument.createTreeWalker(root, 4), nodes = []; // of text
  while (walker.nextNode()) nodes.push(walker.currentNode);
  for (const node of nodes) if (!node.parentElement.closest('script, style, noscript, svg, code, [translate=no]')) setText(node, node.data);
  for (const name of kSpoken) for (const element of root.querySelectorAll(`[${name}]`)) element.setAttribute(name, language.say(element.getAttribute(name)));
}

/** From now on texts of this page are put in the language `name`. Gives sentences about what could not be had. */
export async function speakIn(name, source, base) {
  if (name === language.name) return [];
  const table = await source.fetch(new URL(`languages/${name}.json`, base)).then((response) => (response.ok ? response.json() : null)).catch(() => null);
  if (!table) return [`The words for lang=${name} could not be loaded; the texts stay English.`];
  const missing = new Set();
  Object.assign(language, { name, folder: `languages/${name}/`, missing, ...translator(table, (text) => missing.add(text)) });
  return [];
}
