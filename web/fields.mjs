/** Native elements for params and handles: made once, then kept in step with the state without touching what is being typed. */
import { setAttributes, setText } from './dom.mjs';
import { declared } from './markup.mjs';

let lastId = 0;
const newId = () => `kf-field-${++lastId}`;

/** What kind of element edits a param: numbers with named values are typed, because "centre" is no number. */
function shapeOf(param) {
  if (param.kind === 'boolean') return 'checkbox';
  if (param.kind === 'choice' || param.kind === 'network' || param.kind === 'data') return 'select';
  if (['list', 'profile', 'architecture'].includes(param.kind) || param.options?.length) return 'text';
  return 'number';
}

export const shapeKey = (param) => `${param.key} ${shapeOf(param)} ${(param.options ?? []).map((o) => `${o.key}=${o.label}`).join()}`;

function options(make, param) {
  return param.options.map(({ key, label }) => make('option', { value: key }, label || key));
}

function makeInput(make, param, id) {
  const shape = shapeOf(param);
  const describedBy = `${id}-help ${id}-error`;
  if (shape === 'select') return { shape, input: make('select', { id, 'aria-describedby': describedBy }, ...options(make, param)) };
  const input = make('input', { id, type: shape, 'aria-describedby': describedBy, autocomplete: 'off', spellcheck: 'false' });
  if (shape !== 'text' || !param.options?.length) return { shape, input };
  const list = make('datalist', { id: `${id}-names` }, ...param.options.map(({ key, label }) => make('option', { value: key }, label)));
  setAttributes(input, { list: list.id });
  return { shape, input, list };
}

/** `apply(key, text)` changes the state and gives "" or one sentence why not. */
export function makeParamField(make, param, apply) {
  const id = newId();
  const { shape, input, list } = makeInput(make, param, id);
  const symbol = param.symbol ? [' ', make('i', {}, ...declared(make, param.symbol))] : [];
  const label = make('label', { for: id }, param.label || param.key, ...symbol, param.unit ? ` (${param.unit})` : '');
  const range = make('span');
  const help = make('p', { id: `${id}-help`, class: 'kf-help' }, ...declared(make, param.help ?? ''), range);
  const error = make('p', { id: `${id}-error`, class: 'kf-error', hidden: true });
  const element = make('div', { class: 'kf-control', 'data-key': param.key }, label, input, ...(list ? [list] : []), help, error);
  const field = { element, input, label, help, range, error, shape, typing: false };
  const commit = () => showError(field, apply(param.key, shape === 'checkbox' ? String(input.checked) : input.value.trim()));
  input.addEventListener('input', () => {
    field.typing = shape === 'number' || shape === 'text';
    if (shape === 'text' || !input.checkValidity()) return; // half a list or "1" of "12" below the minimum is not meant yet
    commit();
  });
  input.addEventListener('change', () => ((field.typing = false), commit()));
  input.addEventListener('blur', () => {
    field.typing = false;
    if (field.value !== undefined && shape !== 'checkbox') input.value = field.value;
    showError(field, '');
  });
  return field;
}

function showError(field, sentence) {
  setText(field.error, sentence);
  field.error.hidden = !sentence;
  setAttributes(field.input, { 'aria-invalid': sentence ? 'true' : undefined });
}

export function updateParamField(field, param) {
  field.value = String(param.value);
  if (field.shape === 'checkbox') field.input.checked = param.value === 'true' || param.value === true;
  else if (!field.typing && field.input.value !== field.value) field.input.value = field.value;
  if (field.shape !== 'number') return;
  const { min, max, kind, step } = param;
  // A phone's keyboard for whole numbers has no minus, that for others has none on some.
  setAttributes(field.input, { min, max, step: kind === 'number' ? 'any' : step || 1, inputmode: min < 0 ? undefined : kind === 'number' ? 'decimal' : 'numeric' });
  setText(field.range, ` From ${min} to ${max}.`);
}

/** A handle is a slider to the keyboard: its arrows move it by its own step. */
export function makeHandleField(make, handle, { move, focus }) {
  const id = newId();
  const input = make('input', { id, type: 'range', 'aria-describedby': `${id}-value` });
  const label = make('label', { for: id });
  const value = make('p', { id: `${id}-value`, class: 'kf-help' });
  const element = make('div', { class: 'kf-control', 'data-handle': handle.id }, label, input, value);
  input.addEventListener('input', () => move(handle.id, Number(input.value)));
  input.addEventListener('focus', () => focus(handle.id));
  return { element, input, label, value };
}

export function updateHandleField(field, handle) {
  setText(field.label, handle.label);
  setText(field.value, handle.valueText ?? '');
  setAttributes(field.input, { min: handle.min, max: handle.max, step: handle.step || 'any', 'aria-valuetext': handle.valueText });
  if (Number(field.input.value) !== handle.value) field.input.value = handle.value;
}
