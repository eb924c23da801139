/** The report as HTML tables, made when a reader asks for them. */
import { language, setChildren, setText } from './dom.mjs';
import { declared } from './markup.mjs';
import { labelsOf } from './tables.mjs';
import { Listening, rangeOf, toneInWords } from './tones.mjs';

const kMostRows = 400, kMostColumns = 60;
const more = (count, what) => `${count} more ${what}${count === 1 ? '' : 's'}`;
const kRefreshEvery = 1000; // milliseconds

const format = (value) => (value === null || value === undefined ? '' : typeof value === 'number' ? String(Number(value.toPrecision(6))) : value);

export class Numbers {
  /**
   * `fetchReport()` gives the report as an object, or null before the first; `fetchLayers()` the layers of the network that is chosen, or null;
   * `download(format, array)` saves the report, or one array of it.
   */
  constructor({ make, root, fetchReport, fetchLayers = () => null, download }) {
    Object.assign(this, { make, fetchReport, fetchLayers, download });
    this.listening = new Listening(root.ownerDocument.defaultView);
    this.body = make('div', { class: 'kf-numbers-body' });
    const button = (label, kind) => make('button', { type: 'button', onclick: () => download(kind) }, label);
    const buttons = make('p', {}, button('Download JSON', 'json'), ' ', button('Download CSV', 'csv'), ' ', button('Download for NumPy (npz)', 'npz'));
    this.details = make('details', { class: 'kf-numbers' }, make('summary', {}, 'The numbers'), buttons, this.body);
    this.details.addEventListener('toggle', () => this.changed());
    this.opened = new Set();
    root.append(this.details);
  }

  /** There may be new numbers: shown within a second while the tables are open. */
  changed() {
    if (!this.details.open || this.timer) return;
    const wait = Math.max(0, (this.shownAt ?? -Infinity) + kRefreshEvery - performance.now());
    this.timer = setTimeout(async () => {
      this.timer = 0; // what changes while these are fetched is fetched next
      this.shownAt = performance.now();
      const turn = (this.turn = (this.turn ?? 0) + 1);
      const [report, layers] = await Promise.all([this.fetchReport(), this.fetchLayers()].map((one) => Promise.resolve(one).catch(() => null)));
      if (!this.gone && turn === this.turn) this.show(report, layers);
    }, wait);
  }

  show(report, layers) {
    this.listening.stop(); // its button goes
    if (!report) return this.body.replaceChildren(this.make('p', {}, 'There are no numbers yet.'));
    const arrays = Object.entries(report.arrays ?? {});
    this.body.replaceChildren(this.scalarTable(report.scalars ?? {}), ...(layers ? [this.layersDetails(layers)] : []), ...arrays.map(([name, array]) => this.arrayDetails(name, array)));
  }

  scalarTable(scalars) {
    const { make } = this;
    const rows = Object.entries(scalars).map(([name, scalar]) =>
      make('tr', {}, make('th', { scope: 'row', translate: 'no' }, name), make('td', {}, ...declared(make, scalar.symbol ?? '')),
        make('td', { class: 'kf-number' }, format(scalar.value) + (scalar.standardError ? ` ± ${format(scalar.standardError)}` : '')),
        make('td', {}, ...declared(make, scalar.about ?? ''))));
    return this.table('Single numbers', ['name', 'symbol', 'value', 'meaning'], rows);
  }

  /** What a network file holds, a row a layer; those inside a block behind it. */
  layersDetails({ file, input, layers, weights, biases, multiplyAdds }) {
    const { make } = this, shape = (extents) => (extents[0] === 1 && extents[1] === 1 ? String(extents[2]) : extents.join(' × '));
    const row = (cells) => make('tr', {}, ...cells.map((cell, at) => (typeof cell === 'number' ? make('td', { class: 'kf-number' }, cell.toLocaleString(language.name)) : make('td', at === 1 ? { translate: 'no' } : {}, cell)))); // the file's name of it
    const rows = layers.slice(0, kMostRows).map((one) => row([one.layer, one.name, one.activation || one.kind, shape(one.output), one.weights, one.biases, one.multiplyAdds]));
    const rest = layers.length > kMostRows ? ` Not shown here: ${more(layers.length - kMostRows, 'layer')}.` : '';
    const sums = row(['sum', '', '', '', weights, biases, multiplyAdds]);
    const details = make('details', { open: this.opened.has('') }, make('summary', {}, `The layers of ${file} (${layers.length})`), this.table(`${file} takes ${shape(input)}.${rest}`, ['layer', 'name', 'kind', 'output', 'weights', 'biases', 'multiply-adds'], [...rows, sums]));
    details.addEventListener('toggle', () => (details.open ? this.opened.add('') : this.opened.delete('')));
    return details;
  }

  table(caption, heads, rows) {
    const { make } = this;
    const head = make('tr', {}, ...heads.map((text) => make('th', { scope: 'col' }, text)));
    const table = make('table', {}, make('caption', {}, ...declared(make, caption)), make('thead', {}, head), make('tbody', {}, ...rows));
    return make('div', { class: 'kf-scroll', role: 'group', tabindex: '0', 'aria-label': caption }, table);
  }

  /** One array, its table built when it is opened. */
  arrayDetails(name, array) {
    const { make } = this;
    const details = make('details', { open: this.opened.has(name) });
    const axes = array.axes.map((axis) => `${axis.name} ${axis.values.length}`).join(' × ');
    details.append(make('summary', {}, make('span', { translate: 'no' }, name), ' ', make('i', {}, ...declared(make, array.symbol ?? '')), ` (${axes || 'empty'})`));
    const fill = () => {
      if (details.open) this.opened.add(name);
      else this.opened.delete(name);
      if (details.open && details.childElementCount === 1) details.append(make('p', {}, make('button', { type: 'button', onclick: () => this.download('csv', name) }, `Download ${name} as CSV`), ...this.listenButton(name, array)), this.arrayTable(name, array));
    };
    details.addEventListener('toggle', fill);
    fill();
    return details;
  }

  /** A curve can be heard, from its first value to its last. */
  listenButton(name, { axes, values }) {
    const range = axes.length === 1 && values.length > 1 && this.listening.possible ? rangeOf(values) : null;
    if (!range) return [];
    const label = (sounds) => (sounds ? `Stop ${name}` : `Listen to ${name}`);
    const button = this.make('button', { type: 'button' }, label(false)), words = `${toneInWords(values, format)}.`;
    let sounds = false;
    const show = (now) => ((sounds = now), setText(button, label(now)));
    button.addEventListener('click', () => (sounds ? this.listening.stop() : (this.listening.play(values, () => show(false)), show(true))));
    return [' ', button, ' ', this.make('small', {}, words)];
  }

  /** Rows run over all axes but the last, columns over the last; a single axis stands in rows. */
  arrayTable(name, array) {
    const { make } = this;
    const axes = array.axes.length === 1 ? [...array.axes, { name: '', values: [''] }] : array.axes;
    const columns = axes[axes.length - 1];
    const rowAxes = axes.slice(0, -1);
    const width = columns.values.length, height = rowAxes.reduce((product, axis) => product * axis.values.length, 1);
    const shownRows = Math.min(height, kMostRows), shownColumns = Math.min(width, kMostColumns);
    const heads = columns.values.slice(0, shownColumns).map((value) => (value === '' ? 'value' : `${columns.name} ${format(value)}`));
    const rows = [];
    for (let row = 0; row < shownRows; ++row) {
      const labels = labelsOf(row, rowAxes).map((label) => make('th', { scope: 'row' }, format(label)));
      const values = array.values.slice(row * width, row * width + shownColumns);
      rows.push(make('tr', {}, ...labels, ...Array.from(values, (value) => make('td', { class: 'kf-number' }, format(value)))));
    }
    const left = [height > shownRows && more(height - shownRows, 'row'), width > shownColumns && more(width - shownColumns, 'column')];
    const rest = left.filter(Boolean).join(' and ');
    const caption = `${array.about || name} ${rest ? `Not shown here: ${rest}; the download has them.` : ''}`.trim();
    return this.table(caption, [...rowAxes.map((axis) => axis.name), ...heads], rows);
  }

  destroy() {
    this.gone = true;
    this.listening.destroy();
    clearTimeout(this.timer);
    setChildren(this.body, []);
    this.details.remove();
  }
}
