/**
 * Reads the tables that explain the symbols of formulas and pictures, and lists the entries that some words use. A scene's table is the
 * paragraph **Symbols.** at the end of its notes,
 *   **Symbols.** $n$ number of inputs; $\kappa_i$, $\kappa$ capacity of input $i$, and of all; …
 * docs/symbols.md has the same form for all scenes. A symbol of a formula that no entry explains stops the build.
 */
import { notesHtml } from '../../web/notes_html.mjs';
import { entriesFor, keyOf } from '../../web/symbol_names.mjs';

/** [{keys, html: of the symbols, says: html}] of "$a$, $b$ meaning; …". */
export function symbolTable(text, name) {
  return text.trim().replace(/\.$/, '').split(/;\s+/).map((entry) => {
    const [, heads, says] = entry.match(/^((?:\$[^$]+\$(?:, )?)+)\s+([\s\S]+)$/) ?? [];
    if (!says) throw new Error(`${name}: "${entry}" is not "$symbol$ meaning".`);
    const texts = [...heads.matchAll(/\$([^$]+)\$/g)].map(([, tex]) => tex);
    const inner = (written) => notesHtml(written).trim().replace(/^<p>|<\/p>$/g, '');
    return { keys: texts.map(keyOf), html: inner(heads.trim()), says: inner(says) };
  });
}

/** Collects what some words use of `tables`, the first of which that has a symbol explains it; `all`: entries that are listed in any case. */
export class Symbols {
  constructor(name, all = []) {
    this.name = name;
    this.entries = [...all];
    this.missing = new Set();
  }
  number(entry) {
    const at = this.entries.findIndex(({ html, says }) => html === entry.html && says === entry.says);
    return at >= 0 ? at : this.entries.push(entry) - 1;
  }
  explain(symbol, tables, numbers) {
    for (const { key, rest } of entriesFor(symbol))
      for (const table of tables) {
        const entry = table.find(({ keys }) => keys.includes(key));
        if (!entry) continue;
        numbers.add(this.number(entry));
        for (const inner of rest) this.explain(inner, tables, numbers);
        return;
      }
    if (!symbol.optional) this.missing.add(symbol.base);
    for (const inner of [...symbol.within.sub, ...symbol.within.sup]) this.explain(inner, tables, numbers);
  }

  /** The words with the numbers of the entries that each formula uses. */
  in(html, tables) {
    return html.replace(/ data-symbols="([^"]*)"/g, (_, encoded) => {
      const numbers = new Set();
      for (const symbol of JSON.parse(decodeURIComponent(encoded))) this.explain(symbol, tables, numbers);
      return numbers.size ? ` data-symbols="${[...numbers].join(' ')}"` : '';
    });
  }

  /** The entries as a list; throws in one sentence where one is missing. */
  html() {
    if (this.missing.size) throw new Error(`${this.name}: ${[...this.missing].sort().join(', ')} ${this.missing.size === 1 ? 'is' : 'are'} in no table of symbols.`);
    return `<dl class="symbols">${this.entries.map(({ html, says }) => `<div><dt>${html}</dt><dd>${says}</dd></div>`).join('')}</dl>`;
  }
}
