/** Every setting of an address, and every param and number of every scene, as one page, from the declarations that the program itself reads. */
import { kSettings } from '../../web/address.mjs';
import { declaredHtml } from '../../web/markup.mjs';
import { withPapers } from '../../web/notes_html.mjs';
import { docsPage } from './docs_html.mjs';

const code = (text) => `<code>${declaredHtml(String(text)).replace(/<\/?su[bp]>/g, '')}</code>`;
const table = (heads, rows) => `<table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></thead><tbody>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</tbody></table>`;
const symbol = (text) => (text ? `<i>${declaredHtml(text)}</i>` : '');

function param({ key, symbol: sign, label, unit, takes, default: usual, help }) {
  const given = Array.isArray(usual) ? usual.join(',') : String(usual ?? '');
  return [code(key), symbol(sign), declaredHtml(unit ? `${label}, ${unit}` : label), declaredHtml(takes), given ? code(given) : '', declaredHtml(help)];
}

const field = ({ name, symbol: sign, axes, role, about }) => [code(name), symbol(sign), axes.map(code).join(' × '), role, declaredHtml(about)];

function scene({ id, title, claim, source, params, fields }) {
  return `<h2>${id}</h2>
<p><a href="../?scene=${id}">${declaredHtml(title)}</a>. ${declaredHtml(claim)} (${withPapers(declaredHtml(source))})</p>
<h3>${id}: params</h3>
${table(['key', 'symbol', 'name', 'takes', 'default', 'meaning'], params.map(param))}
<h3>${id}: report</h3>
${table(['name', 'symbol', 'axes', 'what it is', 'meaning'], fields.map(field))}`;
}

export function referencePage(scenes) {
  const settings = [
    ['scene', 'the id of a scene, below'], ['ui', kSettings.ui.map(code).join(', ')], ['theme', kSettings.theme.map(code).join(', ')], ['contrast', kSettings.contrast.map(code).join(', ')], ['lang', kSettings.lang.map(code).join(', ')],
    ['hide', `keys of params by commas, and ${kSettings.hide.filter((key) => key !== 'presets').map(code).join(', ')}`], ['lock', 'keys of params by commas: they are shown and cannot be changed'],
    ['focus', 'numbers of the panels that are shown, by commas: <code>0</code> is the main picture'], ['speed', 'how fast it plays: a number from 0.1 to 10'], ['lesson', 'the name of a lesson, or the address of one'],
  ];
  return docsPage('All params and numbers', `<p>An address is <code>?scene=ID&amp;key=value</code>; the same keys are attributes of the element, arguments of <code>run</code> in the package, and <code>--set KEY=VALUE</code> on the command line. What a scene reports is in its JSON under these names. Each scene\'s own file is <code>schemas/ID.json</code>.</p>
<h2>Settings beside the params</h2>
${table(['key', 'takes'], settings.map(([key, takes]) => [code(key), takes]))}
<h2>Scenes</h2>
<ul>${scenes.map(({ id, title }) => `<li><a href="#${id}">${declaredHtml(title)}</a></li>`).join('')}</ul>
${scenes.map(scene).join('\n')}`);
}
