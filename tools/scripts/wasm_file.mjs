/** Just enough of the WebAssembly binary format to read, rename and drop the names of functions. */

const kCustom = 0, kFunctionNames = 1;

class Bytes {
  constructor(buffer, at = 0, end = buffer.length) {
    Object.assign(this, { buffer, at, end });
  }
  byte() { return this.buffer[this.at++]; }
  number() {
    let value = 0, scale = 1, byte;
    do {
      byte = this.byte();
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte & 128);
    return value;
  }
  text() {
    const length = this.number();
    return this.buffer.toString('utf8', this.at, (this.at += length));
  }
}

const leb = (value) => (value < 128 ? [value] : [(value % 128) + 128, ...leb(Math.floor(value / 128))]);
const sized = (bytes) => Buffer.concat([Buffer.from(leb(bytes.length)), bytes]);
const written = (text) => sized(Buffer.from(text));

/** [{id, name, from, start, end}]: `name` of custom sections; from the section's id at `from` to its end, contents from `start`. */
function sections(wasm) {
  const found = [], bytes = new Bytes(wasm, 8);
  while (bytes.at < wasm.length) {
    const from = bytes.at, id = bytes.byte(), length = bytes.number(), end = bytes.at + length;
    const name = id === kCustom ? bytes.text() : '';
    found.push({ id, name, from, start: bytes.at, end });
    bytes.at = end;
  }
  return found;
}

/** Names of functions by index, imported ones first; [] when the file has none. */
export function functionNames(wasm) {
  const section = sections(wasm).find(({ name }) => name === 'name'), names = [];
  if (!section) return names;
  for (const bytes = new Bytes(wasm, section.start); bytes.at < section.end;) {
    const kind = bytes.byte(), length = bytes.number(), end = bytes.at + length;
    if (kind === kFunctionNames) for (let left = bytes.number(); left > 0; --left) names[bytes.number()] = bytes.text();
    bytes.at = end;
  }
  return names;
}

/** The file without custom sections. */
export function withoutNames(wasm) {
  return Buffer.concat([wasm.subarray(0, 8), ...sections(wasm).filter(({ id }) => id !== kCustom).map(({ from, end }) => wasm.subarray(from, end))]);
}

/** The file with these names of functions, by index, and no other custom section. */
export function withNames(wasm, names) {
  const entries = names.map((name, index) => Buffer.concat([Buffer.from(leb(index)), written(name)]));
  const map = Buffer.concat([Buffer.from(leb(names.length)), ...entries]);
  const section = Buffer.concat([written('name'), Buffer.from([kFunctionNames]), sized(map)]);
  return Buffer.concat([withoutNames(wasm), Buffer.from([kCustom]), sized(section)]);
}
