/** The code that shows a state on somebody's page: an iframe, its state in the query, so that readers' changes stay their own. */
import { language } from './dom.mjs';

const kLongestTitle = 160, kLongestValue = 24; // characters

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

const cut = (text, length) => (text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`);

/** Declared texts in the page's language, without their markup: "r_0" and "10^−24" are read out as they stand, stars and braces are not. */
const plain = (text) => language.say(text).replace(/[*{}]/g, '').trim();

function valueInWords({ kind, label, unit, value, options = [] }) {
  const name = plain(label);
  if (kind === 'boolean') return value === 'true' ? name : `${name}: ${plain('no')}`;
  const named = options.find(({ key }) => key === value);
  if (named) return `${name}: ${plain(named.label || named.key)}`;
  if (kind === 'profile' || value.length > kLongestValue) return `${name}: ${plain("of one's own")}`;
  return `${name} ${value}${unit ? ` ${unit}` : ''}`;
}

/** The scene's title and what differs from its first settings, for those who cannot see the figure. */
export function titleInWords(description, link) {
  const changed = new Set(new URLSearchParams(link).keys());
  const told = description.params.filter(({ key, visible, group }) => changed.has(key) && visible && group !== 'hidden');
  return cut([plain(description.title), told.map(valueInWords).join(', ')].filter(Boolean).join(' — '), kLongestTitle);
}

/**
 * `address`: the program's page without query and fragment; `link`: the state; `title`: what tells it, otherwise made of both; `hide`, `lock`, `focus`, `theme`, `contrast`, `lang`, `ui`: as the author of this page
 * chose them. The least height keeps axes and timeline apart on phones.
 */
export function embedCode({ address, link, description, title = titleInWords(description, link), hide = '', lock = '', focus = '', theme = 'auto', contrast = 'auto', lang = 'auto', ui = 'figure' }) {
  const keys = (name, text) => text && `${name}=${encodeURIComponent(text).replaceAll('%2C', ',')}`;
  const query = [link, `ui=${ui}`, theme !== 'auto' && `theme=${theme}`, contrast !== 'auto' && `contrast=${contrast}`, !['auto', 'en'].includes(lang) && `lang=${lang}`, keys('hide', hide), keys('lock', lock), keys('focus', focus)];
  const src = `${address}?${query.filter(Boolean).join('&')}`;
  return `<iframe src="${escape(src)}" title="${escape(cut(title, kLongestTitle))}" sandbox="allow-scripts" allow="clipboard-write; fullscreen" loading="lazy" ` +
    'style="width:100%;aspect-ratio:16/10;min-height:400px;border:0"></iframe>';
}
