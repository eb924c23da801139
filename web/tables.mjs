/** A report's numbers in the forms that other programs read: NumPy's .npz, and CSV in long form. */

/** Everything of a report as [name, values, shape], axes of numbers as NAME.AXIS, of words as UTF-32 texts; standard errors as NAME.standardError. */
function arraysOf({ scalars = {}, arrays = {} }) {
  const found = [];
  for (const [name, { value, standardError }] of Object.entries(scalars)) {
    found.push([name, [value], []]);
    if (standardError !== undefined && standardError !== null) found.push([`${name}.standardError`, [standardError], []]);
  }
  for (const [name, { axes, values, standardError }] of Object.entries(arrays)) {
    const shape = axes.map((axis) => axis.values.length);
    found.push([name, values, shape]);
    if (standardError?.length) found.push([`${name}.standardError`, standardError, shape]);
    for (const axis of axes) found.push([`${name}.${axis.name}`, axis.values, [axis.values.length]]);
  }
  return found;
}

/** One array as NumPy's format 1.0: float64, or texts of one length. */
function npy(values, shape) {
  const texts = Array.prototype.some.call(values, (value) => typeof value === 'string') ? Array.from(values, (value) => [...String(value)]) : null;
  const longest = texts ? Math.max(1, ...texts.map(({ length }) => length)) : 0, width = texts ? 4 * longest : 8;
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const header = `{'descr': '${texts ? `<U${longest}` : '<f8'}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const begin = Math.ceil((10 + header.length + 1) / 64) * 64, bytes = new Uint8Array(begin + width * values.length), view = new DataView(bytes.buffer);
  bytes.set([0x93, ...new TextEncoder().encode('NUMPY'), 1, 0]);
  view.setUint16(8, begin - 10, true);
  bytes.set(new TextEncoder().encode(`${header.padEnd(begin - 11)}\n`), 10);
  if (texts) texts.forEach((letters, index) => letters.forEach((letter, at) => view.setUint32(begin + width * index + 4 * at, letter.codePointAt(0), true)));
  else Array.prototype.forEach.call(values, (value, index) => view.setFloat64(begin + 8 * index, value ?? NaN, true));
  return bytes;
}

const kCrc = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; ++bit) byte = byte & 1 ? 0xedb88320 ^ (byte >>> 1) : byte >>> 1;
  return byte;
});
const crc32 = (bytes) => ~bytes.reduce((crc, byte) => kCrc[(crc ^ byte) & 255] ^ (crc >>> 8), -1) >>> 0;

/** Files in one archive, uncompressed as numpy.savez writes them. */
function zip(files) {
  const head = (signature, size) => {
    const view = new DataView(new ArrayBuffer(size));
    view.setUint32(0, signature, true);
    return view;
  };
  const parts = [], list = [];
  let at = 0;
  for (const [name, bytes] of files) {
    const label = new TextEncoder().encode(name), local = head(0x04034b50, 30), entry = head(0x02014b50, 46);
    entry.setUint16(4, 20, true);
    for (const [view, from] of [[local, 4], [entry, 6]]) {
      view.setUint16(from, 20, true); // version 2.0
      view.setUint16(from + 2, 0x800, true); // names in UTF-8
      view.setUint16(from + 8, 0x21, true); // 1980-01-01, from + 6 is midnight
      view.setUint32(from + 10, crc32(bytes), true);
      view.setUint32(from + 14, bytes.length, true);
      view.setUint32(from + 18, bytes.length, true);
      view.setUint16(from + 22, label.length, true);
    }
    entry.setUint32(42, at, true);
    parts.push(new Uint8Array(local.buffer), label, bytes);
    list.push(new Uint8Array(entry.buffer), label);
    at += 30 + label.length + bytes.length;
  }
  const end = head(0x06054b50, 22), size = list.reduce((sum, { length }) => sum + length, 0);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, at, true);
  return new Blob([...parts, ...list, new Uint8Array(end.buffer)], { type: 'application/zip' });
}

/** All numbers as a Blob of an .npz: numpy.load(file)["NAME"] is an array's values, ["NAME.AXIS"] an axis. */
export const npzOf = (report) => zip(arraysOf(report).map(([name, values, shape]) => [`${name}.npy`, npy(values, shape)]));

const cell = (value) => {
  const text = value === null || value === undefined || Number.isNaN(value) ? '' : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Values on each axis of the value with this number, the last axis running fastest. */
export function labelsOf(number, axes) {
  const labels = [];
  for (let index = axes.length - 1; index >= 0; --index) {
    const { values } = axes[index];
    labels.unshift(values[number % values.length]);
    number = Math.floor(number / values.length);
  }
  return labels;
}

/** One array, a line for each value: its place on every axis, the value, its standard error where there is one. */
export function csvOf({ axes, values, standardError }) {
  const errors = standardError?.length ? standardError : null, heads = [...axes.map(({ name }) => name), 'value', ...(errors ? ['standardError'] : [])];
  const lines = Array.from(values, (value, number) => [...labelsOf(number, axes), value, ...(errors ? [errors[number]] : [])]);
  return [heads, ...lines].map((line) => `${line.map(cell).join(',')}\n`).join('');
}
