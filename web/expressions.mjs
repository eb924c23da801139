/**
 * Expressions over reports, as notes and lessons write them:
 *   mean capacity(lag=28..35) > 1.5 * depthScale and param.layers <= 8
 * A field is a scalar, or an array with a value or a range `a..b` of each axis (axes left out count whole); param.KEY is what a param was. In
 * front of a field stands sum, mean, min, max or count, or argmax: where on its only axis it is largest. Besides there are percent x, root x,
 * abs x, ratio x y, + − * /, parentheses after a blank, comparisons (1 or 0), and `and`.
 */
const kSums = {
  sum: (values) => values.reduce((total, value) => total + value, 0),
  mean: (values) => kSums.sum(values) / values.length,
  min: (values) => values.reduce((least, value) => Math.min(least, value), Infinity),
  max: (values) => values.reduce((most, value) => Math.max(most, value), -Infinity),
  count: (values) => values.filter((value) => Math.abs(value) > 1e-12).length,
};
const kCompare = { '<': (a, b) => a < b, '>': (a, b) => a > b, '<=': (a, b) => a <= b, '>=': (a, b) => a >= b, '=': (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)) };
const kToken = /\s*(?:(\d+(?:\.\d+)?(?:e[-+]?\d+)?)|([A-Za-z]\w*(?:\.\w+)?(?:\([^)]*\))?)|(<=|>=|[-+*/()<>=]))/y;

const entriesOf = (axis) => (axis.keys?.length ? axis.keys : [...axis.values]);

/** Where on an axis a value lies, or the values of a range. */
function placesOn(axis, wanted) {
  const entries = entriesOf(axis), [from, to] = wanted.split('..');
  const at = (value) => entries.findIndex((entry) => (typeof entry === 'string' ? entry === value : Math.abs(entry - Number(value)) <= 1e-9));
  const first = at(from), last = to === undefined ? first : at(to);
  if (first < 0 || last < first) throw new Error(`"${axis.name}" has no value "${wanted}"`);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** `field` of a scalar, `field(axis=value,axis=a..b)` of an array: all the values meant. */
function valuesOf(report, reference) {
  const [, name, places] = reference.match(/^([\w.]+)(?:\(([^)]*)\))?$/) ?? [], [head, key] = (name ?? '').split('.');
  if (key !== undefined) {
    const given = head === 'param' ? report.params[key] : undefined, value = Number(given);
    if (given === undefined || Number.isNaN(value)) throw new Error(`"${report.scene}" has no number "${reference}"`);
    return [value];
  }
  if (name && Object.hasOwn(report.scalars, name) && places === undefined) return [report.scalars[name].value];
  const array = name && Object.hasOwn(report.arrays, name) && report.arrays[name];
  if (!array) throw new Error(`"${report.scene}" reports no ${Object.hasOwn(report.scalars, name) ? 'array ' : ''}"${reference}" there`);
  const wanted = Object.fromEntries((places ?? '').split(',').filter(Boolean).map((part) => part.split('=')));
  for (const axis of Object.keys(wanted)) if (!array.axes.some((one) => one.name === axis)) throw new Error(`"${name}" has no axis "${axis}"`);
  let found = [0];
  for (const axis of array.axes) {
    const { length } = entriesOf(axis);
    const places = wanted[axis.name] === undefined ? Array.from({ length }, (_, i) => i) : placesOn(axis, wanted[axis.name]);
    found = found.flatMap((index) => places.map((place) => index * length + place));
  }
  return found.map((index) => array.values[index]);
}

/** Where an array of one axis is largest, in the axis' own values. */
function placeOfLargest(report, name) {
  const array = Object.hasOwn(report.arrays, name) ? report.arrays[name] : null;
  if (array?.axes.length !== 1) throw new Error(`argmax takes an array of one axis, which "${name}" is not`);
  const values = [...array.values];
  return Number(entriesOf(array.axes[0])[values.indexOf(kSums.max(values))]);
}

/** Points of an array whose other axes are fixed: {x, y, axis}, as `field(axis=value)` names them. */
export function curveOf(report, reference) {
  const y = valuesOf(report, reference), name = reference.replace(/\(.*/, ''), array = report.arrays[name];
  const fixed = new Set((reference.match(/\((.*)\)/)?.[1] ?? '').split(',').filter((part) => part && !part.includes('..')).map((part) => part.split('=')[0]));
  const axes = (array?.axes ?? []).filter((axis) => !fixed.has(axis.name));
  if (axes.length !== 1 || axes[0].keys?.length) throw new Error(`"${reference}" is no curve over one axis of numbers`);
  const range = reference.match(new RegExp(`[(,]${axes[0].name}=([^,)]*)`))?.[1];
  const x = range ? placesOn(axes[0], range).map((place) => axes[0].values[place]) : [...axes[0].values];
  return { x, y, axis: axes[0] };
}

function tokensOf(text) {
  const tokens = [];
  kToken.lastIndex = 0;
  for (let at = 0; text.slice(at).trim(); at = kToken.lastIndex) {
    const [, number, word, sign] = kToken.exec(text) ?? [];
    if (number === undefined && word === undefined && sign === undefined) throw new Error(`"${text.slice(at).trim()}" means nothing here`);
    tokens.push({ number, word, sign });
  }
  return tokens;
}

/** The value of an expression over reports, one unless it sums over several. Throws a sentence without a subject where there is none. */
export function evaluate(text, reports) {
  const tokens = tokensOf(text);
  const take = (...signs) => (signs.includes(tokens[0]?.sign ?? tokens[0]?.word) ? (({ sign, word }) => sign ?? word)(tokens.shift()) : '');
  const reference = (word) => {
    if (word === undefined) throw new Error('a field is missing');
    return reports.flatMap((report) => valuesOf(report, word));
  };
  const primary = () => {
    if (take('-')) return -primary();
    if (take('(')) {
      const value = all();
      if (!take(')')) throw new Error('a parenthesis is not closed');
      return value;
    }
    const { number, word, sign } = tokens.shift() ?? {};
    if (number !== undefined) return Number(number);
    if (word === undefined) throw new Error(sign ? `"${sign}" stands where a value should` : 'something is missing at its end');
    if (word === 'ratio') {
      const above = primary();
      return above / primary();
    }
    if (word === 'percent') return 100 * primary();
    if (word === 'root') return Math.sqrt(primary());
    if (word === 'abs') return Math.abs(primary());
    if (word === 'argmax') return placeOfLargest(reports[0], tokens.shift()?.word);
    if (Object.hasOwn(kSums, word)) return kSums[word](reference(tokens.shift()?.word));
    const values = reference(word);
    if (values.length !== 1) throw new Error(`"${word}" has ${values.length} values: put sum, mean, min or max in front, or name a value of each axis`);
    return values[0];
  };
  const chain = (next, signs) => () => {
    let value = next();
    for (let sign = take(...Object.keys(signs)); sign; sign = take(...Object.keys(signs))) value = signs[sign](value, next());
    return value;
  };
  const product = chain(primary, { '*': (a, b) => a * b, '/': (a, b) => a / b });
  const total = chain(product, { '+': (a, b) => a + b, '-': (a, b) => a - b });
  const compared = chain(total, Object.fromEntries(Object.entries(kCompare).map(([sign, holds]) => [sign, (a, b) => Number(holds(a, b))])));
  const all = chain(compared, { and: (a, b) => Number(Boolean(a) && Boolean(b)) });
  const value = all();
  if (tokens.length) throw new Error(`"${tokens.map(({ number, word, sign }) => number ?? word ?? sign).join(' ')}" is left over`);
  if (!Number.isFinite(value)) throw new Error(`its value is ${value}`);
  return value;
}
