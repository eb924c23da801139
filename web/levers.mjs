/** The few controls that a step of a lesson offers, in plain view under its figure: sliders for numbers, fields for the rest. */
import { Keyed, setAttributes, setChildren, setText } from './dom.mjs';
import { makeParamField, shapeKey, updateParamField } from './fields.mjs';
import { inWords } from './lesson_state.mjs';
import { declared } from './markup.mjs';

const kSteps = 400; // of a slider over decades

const isSlider = ({ kind, options, min, max }) => ['number', 'integer'].includes(kind) && !options?.length && Number.isFinite(min) && Number.isFinite(max);

let lastId = 0;

/** Numbers over decades move by equal factors, integers among them by at least 1: a press of an arrow always changes the number. */
function makeSlider(make, param, apply) {
  const id = `lever-${++lastId}`, { min, max, kind, logarithmic, step } = param, log = logarithmic && min > 0;
  const round = (value) => (kind === 'integer' ? Math.round(value) : Number(value.toPrecision(3)));
  const values = log && [...new Set(Array.from({ length: kSteps + 1 }, (_, place) => round(min * (max / min) ** (place / kSteps))))];
  const toValue = (place) => (log ? values[place] : place);
  const toPlace = (value) => (log ? Math.max(0, values.filter((each) => each <= value).length - 1) : value);
  const input = make('input', { id, type: 'range', min: log ? 0 : min, max: log ? values.length - 1 : max, step: log ? 1 : step || (kind === 'integer' ? 1 : 'any') });
  const shown = make('output', { for: id });
  input.addEventListener('input', () => apply(param.key, String(toValue(Number(input.value)))));
  const label = make('label', { for: id }, param.label || param.key, ...(param.symbol ? [' ', make('i', {}, ...declared(make, param.symbol))] : []));
  return { element: make('div', { class: 'lever', 'data-key': param.key }, label, input, shown), input, shown, toPlace };
}

function updateSlider({ input, shown, toPlace }, { value, kind }) {
  const place = String(toPlace(Number(value)));
  if (input.value !== place) input.value = place;
  setAttributes(input, { 'aria-valuetext': String(value) });
  setText(shown, kind === 'integer' ? String(value) : inWords(Number(value)));
}

export class Levers {
  /** `apply(key, text)`: changes a param, gives "" or one sentence why not. */
  constructor({ make, apply }) {
    this.element = make('div', { class: 'levers', role: 'group', 'aria-label': 'Controls of this step' });
    this.fields = new Keyed((param) => (isSlider(param) ? makeSlider(make, param, apply) : makeParamField(make, param, apply)), (field, param) => (field.toPlace ? updateSlider(field, param) : updateParamField(field, param)));
    this.keys = [];
  }

  show(keys) {
    this.keys = keys;
    if (this.description) this.update(this.description);
  }

  update(description) {
    this.description = description;
    const params = this.keys.flatMap((key) => description.params.filter((param) => param.key === key && param.visible !== false));
    setChildren(this.element, this.fields.elements(params, shapeKey));
    this.element.hidden = !params.length;
  }
}
