/** A curve drawn by hand: over a small plot with the pointer, or by values. */
import { setAttributes, setText } from './dom.mjs';
import { inWords } from './lesson_state.mjs';

const kSize = { width: 520, height: 260 }, kEdge = { left: 48, right: 12, top: 10, bottom: 34 };
const kPoints = 49, kTyped = 7; // of the drawing, and of those that are typed
const kSvg = 'http://www.w3.org/2000/svg';

/** About five round values within [from, to]. */
export function ticksOf(from, to) {
  const raw = (to - from) / 5, size = 10 ** Math.floor(Math.log10(raw)), step = size * [1, 2, 5, 10].find((factor) => factor * size >= raw * 0.999);
  const first = Math.ceil(from / step - 1e-9);
  return Array.from({ length: Math.floor(to / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}

export class Sketch {
  /** `question`: {x: [from, to], y: [from, to], names: [of x, of y]}; `onDrawn()` whenever there is a new drawing. */
  constructor({ make, question, onDrawn }) {
    Object.assign(this, { make, question, onDrawn });
    const { x, y, names } = question;
    this.values = Array(kPoints).fill(null);
    const svg = this.shape('svg', { viewBox: `0 0 ${kSize.width} ${kSize.height}`, class: 'sketch', role: 'img', 'aria-label': `A plot of ${names[1]} over ${names[0]} to draw on; the fields below take values instead.` });
    this.svg = svg;
    for (const at of ticksOf(...x)) this.label(at, y[0], { dy: 18, 'text-anchor': 'middle' }, at);
    for (const at of ticksOf(...y)) {
      svg.append(this.shape('line', { class: 'grid', x1: this.left(x[0]), x2: this.left(x[1]), y1: this.top(at), y2: this.top(at) }));
      this.label(x[0], at, { dx: -6, dy: 4, 'text-anchor': 'end' }, at);
    }
    this.label(x[1], y[0], { dy: 32, 'text-anchor': 'end' }, names[0]);
    this.label(x[0], y[1], { dx: 6, dy: 12 }, names[1]);
    this.truth = svg.appendChild(this.shape('path', { class: 'truth' }));
    this.line = svg.appendChild(this.shape('path', { class: 'drawn' }));
    svg.addEventListener('pointerdown', (event) => this.begin(event));
    svg.addEventListener('pointermove', (event) => this.held && this.draw(event));
    for (const type of ['pointerup', 'pointercancel']) svg.addEventListener(type, () => (this.held = false));
    this.typed = Array.from({ length: kTyped }, (_, i) => {
      const at = Math.round((i * (kPoints - 1)) / (kTyped - 1));
      const input = make('input', { type: 'number', step: 'any', inputmode: 'decimal', onchange: () => this.type() });
      return { at, input, element: make('label', {}, `${names[0]} ${inWords(this.xAt(at))} `, input) };
    });
    this.element = make('div', { class: 'sketch-box' }, make('p', { class: 'hint-line' }, 'Draw your curve from left to right.'), svg, make('details', {}, make('summary', {}, 'By values'), make('div', { class: 'typed' }, ...this.typed.map(({ element }) => element))));
  }

  shape(tag, attributes) {
    const element = this.make('p').ownerDocument.createElementNS(kSvg, tag);
    setAttributes(element, attributes);
    return element;
  }
  label(x, y, attributes, text) {
    const element = this.shape('text', { x: this.left(x), y: this.top(y), ...attributes });
    setText(element, typeof text === 'number' ? inWords(Number(text.toPrecision(6))) : text);
    this.svg.append(element);
  }

  xAt(index) { return this.question.x[0] + (index / (kPoints - 1)) * (this.question.x[1] - this.question.x[0]); }
  left(x) { return kEdge.left + ((x - this.question.x[0]) / (this.question.x[1] - this.question.x[0])) * (kSize.width - kEdge.left - kEdge.right); }
  top(y) { return kSize.height - kEdge.bottom - ((y - this.question.y[0]) / (this.question.y[1] - this.question.y[0])) * (kSize.height - kEdge.top - kEdge.bottom); }

  begin(event) {
    event.preventDefault();
    this.svg.setPointerCapture(event.pointerId);
    this.held = true;
    this.last = null;
    this.draw(event);
  }

  /** All points between the last place of the pointer and this one. */
  draw({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect(), { y } = this.question;
    const across = ((clientX - box.left) / box.width) * kSize.width, down = ((clientY - box.top) / box.height) * kSize.height;
    const place = ((across - kEdge.left) / (kSize.width - kEdge.left - kEdge.right)) * (kPoints - 1);
    const value = y[0] + ((kSize.height - kEdge.bottom - down) / (kSize.height - kEdge.top - kEdge.bottom)) * (y[1] - y[0]);
    const now = { place: Math.min(kPoints - 1, Math.max(0, place)), value: Math.min(y[1], Math.max(y[0], value)) }, from = this.last ?? now;
    const [low, high] = [from, now].sort((a, b) => a.place - b.place);
    for (let i = Math.round(low.place); i <= Math.round(high.place); ++i) {
      const t = high.place > low.place ? Math.min(1, Math.max(0, (i - low.place) / (high.place - low.place))) : 1;
      this.values[i] = low.value + t * (high.value - low.value);
    }
    this.last = now;
    for (const { at, input } of this.typed) input.value = this.values[at] === null ? '' : Number(this.values[at].toPrecision(3));
    this.show();
  }

  /** Straight between the values that are typed. */
  type() {
    const known = this.typed.filter(({ input }) => input.value !== '' && Number.isFinite(input.valueAsNumber)).map(({ at, input }) => ({ at, value: input.valueAsNumber }));
    this.values.fill(null);
    known.forEach(({ at, value }, index) => {
      const next = known[index + 1];
      for (let i = at; i <= (next?.at ?? at); ++i) this.values[i] = next ? value + ((i - at) / (next.at - at)) * (next.value - value) : value;
    });
    this.show();
  }

  path(points) { return points.map(({ x, y }, index) => `${index ? 'L' : 'M'}${this.left(x).toFixed(1)} ${this.top(Math.min(this.question.y[1], Math.max(this.question.y[0], y))).toFixed(1)}`).join(''); }

  show() {
    this.line.setAttribute('d', this.path(this.points()));
    this.onDrawn();
  }

  /** Of the drawing so far, in the plot's units. */
  points() { return this.values.flatMap((y, index) => (y === null ? [] : [{ x: this.xAt(index), y }])); }
  /** From end to end, or nearly. */
  complete() { return this.values.filter((value) => value !== null).length >= 0.9 * kPoints; }

  reveal({ x, y }) {
    const [from, to] = this.question.x;
    this.truth.setAttribute('d', this.path(x.map((at, index) => ({ x: at, y: y[index] })).filter((point) => point.x >= from && point.x <= to && Number.isFinite(point.y))));
  }
}
