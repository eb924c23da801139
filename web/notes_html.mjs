/** A scene's notes.md as HTML: markdown-it, and $…$ and $$…$$ as MathML by KaTeX, so that no script or font is needed to read it. */
import katex from 'katex';
import MarkdownIt from 'markdown-it';
import { symbolsOf } from './symbol_names.mjs';

// Browsers that follow MathML Core ignore mathvariant but for "normal": the letters themselves have to be the styled ones.
const kLetters = {
  script: { A: '𝒜', B: 'ℬ', C: '𝒞', D: '𝒟', E: 'ℰ', F: 'ℱ', G: '𝒢', H: 'ℋ', I: 'ℐ', J: '𝒥', K: '𝒦', L: 'ℒ', M: 'ℳ', N: '𝒩', O: '𝒪', P: '𝒫', Q: '𝒬', R: 'ℛ', S: '𝒮', T: '𝒯', U: '𝒰', V: '𝒱', W: '𝒲', X: '𝒳', Y: '𝒴', Z: '𝒵' },
  'double-struck': { C: 'ℂ', E: '𝔼', N: 'ℕ', P: 'ℙ', Q: 'ℚ', R: 'ℝ', Z: 'ℤ' },
};

function styled(whole, variant, letter) {
  const found = kLetters[variant]?.[letter];
  return found ? `<mi mathvariant="normal">${found}</mi>` : whole;
}

// TeX sets a thin space on either side of log, max, …; browsers do not, and a parenthesis wants none.
function spacedFunction(whole, before, name, parenthesis) {
  const space = '<mspace width="0.17em"></mspace>';
  return `${before ? before + space : ''}${name}<mo>\u2061</mo>${parenthesis ? '' : space}`;
}

function mathml(tex, displayMode) {
  const html = katex.renderToString(tex, { output: 'mathml', displayMode, throwOnError: true, strict: 'error' });
  const math = html.slice(html.indexOf('<math'), html.lastIndexOf('</math>') + 7);
  // The page's policy allows no inline styles; the TeX source is not for readers.
  return math
    .replace(/<annotation[^>]*>.*?<\/annotation>/gs, '')
    .replace(/<\/?semantics>| style="[^"]*"| xmlns="[^"]*"/g, '')
    .replace(/<mi mathvariant="([\w-]+)">(\w)<\/mi>/g, styled)
    .replace(/(<\/m(?:i|n|sub|sup|row)>)?(<mi>[a-z]{2,}<\/mi>)<mo>\u2061<\/mo>(?=(<mo)?)/g, spacedFunction);
}

/** Inline $…$ (no blank inside the dollars, no digit after: prices stay prices) and $$…$$. */
function mathRule(state, silent) {
  const { src, pos } = state;
  if (src[pos] !== '$') return false;
  const mark = src[pos + 1] === '$' ? '$$' : '$';
  const end = src.indexOf(mark, pos + mark.length);
  if (end < 0) return false;
  const tex = src.slice(pos + mark.length, end);
  if (!tex.trim() || (mark === '$' && (/^\s|\s$/.test(tex) || /^\d/.test(src[end + 1] ?? '')))) return false;
  if (!silent) {
    const math = mathml(tex, mark === '$$'), symbols = state.env.symbols ? ` data-symbols="${encodeURIComponent(JSON.stringify(symbolsOf(tex)))}"` : '';
    state.push('math', '', 0).content = math.replace('<math', `<math${symbols}`);
  }
  state.pos = end + mark.length;
  return true;
}

/** Raw HTML in the source stays text; links that run scripts are none. */
export const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.inline.ruler.before('escape', 'math', mathRule);
markdown.renderer.rules.math = (tokens, index) => tokens[index].content;

// Browsers set a single letter of an equation, but one marked normal, in the italic letters of the mathematical plane.
const kItalics = [[0x41, 0x5a, 0x1d434], [0x61, 0x7a, 0x1d44e], [0x391, 0x3a9, 0x1d6e2], [0x3b1, 0x3c9, 0x1d6fc]];
const kItalicVariants = { h: 'ℎ', '∂': '𝜕', ϵ: '𝜖', ϑ: '𝜗', ϰ: '𝜘', ϕ: '𝜙', ϱ: '𝜚', ϖ: '𝜛' };

function italic(letter) {
  const code = letter.codePointAt(0), [first, , target] = kItalics.find(([low, high]) => code >= low && code <= high) ?? [];
  return kItalicVariants[letter] ?? (first ? String.fromCodePoint(target + code - first) : '');
}

const kEntities = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&nbsp;': '\u00a0' };
const characterOf = (entity) => kEntities[entity] ?? String.fromCodePoint(Number(entity.slice(2, -1).replace('x', '0x')));

/** All characters that a browser draws for the equations of these words, sorted. */
export function formulaCharacters(html) {
  const found = new Set();
  for (const [math] of html.matchAll(/<math[\s\S]*?<\/math>/g)) {
    if (/<m(sqrt|root)>/.test(math)) found.add('√');
    const text = math.replace(/<[^>]*>/g, '').replace(/&[#\w]+;/g, characterOf);
    for (const letter of text) if (!/\s/.test(letter)) found.add(letter).add(italic(letter));
  }
  return [...found].sort().join('');
}

const kPapers = { 'Donier 2019a': '1902.04485', 'Donier 2019b': '1902.08572', 'Labatie 2019': '1811.03087', 'Raghu et al. 2016': '1606.05336' };
const kShort = { P1: 'Donier 2019b', P2: 'Donier 2019a', P3: 'Labatie 2019', P4: 'Raghu et al. 2016' }; // as the scenes' tables name them

/** Papers by name, as links. */
export function withPapers(html) {
  const named = html.replace(/\bP[1-4]\b(?![_^∘])/g, (short) => kShort[short]).replace(/arXiv (\d{4}\.\d{4,5})/g, '<a href="https://arxiv.org/abs/$1">arXiv $1</a>');
  return named.replace(new RegExp(Object.keys(kPapers).join('|'), 'g'), (name) => `<a href="https://arxiv.org/abs/${kPapers[name]}">${name}</a>`);
}

/**
 * The page has one h1, the scene's title: a leading title is left out and deeper headings start at h2. Papers are links. `symbols`: formulas
 * tell which they use (tools/scripts/symbols.mjs).
 */
export function notesHtml(text, { symbols = false } = {}) {
  const tokens = markdown.parse(text.replace(/^\s*# .*\n/, ''), { symbols });
  const depths = tokens.filter(({ type }) => type === 'heading_open').map(({ tag }) => Number(tag[1]));
  const shift = 2 - Math.min(2, ...depths);
  for (const token of tokens) if (token.type.startsWith('heading')) token.tag = `h${Math.min(6, Number(token.tag[1]) + shift)}`;
  return withPapers(markdown.renderer.render(tokens, markdown.options, {}));
}
