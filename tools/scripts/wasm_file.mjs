/** Just enough of the WebAssembly binary format to read, rename and drop the names of functions, and to move constant texts. */

const kCustom = 0, kDataCount = 12, kData = 11, kFunctionNames = 1, kShortest = 5; // characters of a text that is worth moving

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
const signedLeb = (value) => (value < 64 ? [value] : [(value % 128) + 128, ...signedLeb(Math.floor(value / 128))]); // of what is not negative
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

/** [{address, start, end}]: what stands where in memory when a module begins, and where in the file. */
function dataSegments(wasm) {
  const section = sections(wasm).find(({ id }) => id === kData), found = [];
  if (!section) return found;
  const bytes = new Bytes(wasm, section.start);
  for (let left = bytes.number(); left > 0; --left) {
    if (bytes.byte() !== 0 || bytes.byte() !== 0x41) throw new Error('A data segment that is not at a constant address.');
    const address = bytes.number();
    bytes.byte(); // end of the address
    const length = bytes.number();
    found.push({ address, start: bytes.at, end: bytes.at + length });
    bytes.at += length;
  }
  return found;
}

/** Texts among the constants of an object file, without the zero that ends them, a character for each byte. */
export function textsOf(object) {
  const constants = dataSegments(object).map(({ start, end }) => object.toString('latin1', start, end));
  return constants.filter((text) => text.length > kShortest && text.indexOf('\0') === text.length - 1).map((text) => text.slice(0, -1));
}

/**
 * {rest: the file with zeros where `texts` stood, taken: [{address, text}]}. The linker merges endings: a text stays into which a word of the
 * data or one of `constants`, those of the code, points.
 */
export function withoutTexts(wasm, texts, constants) {
  const segments = dataSegments(wasm), rest = Buffer.from(wasm), taken = [], pointed = new Set(constants);
  // A segment may begin and end within a word: the linker leaves out zeros, of which the rest consists.
  for (const { address, start, end } of segments)
    for (let at = start - (address & 3); at < end; at += 4) pointed.add([0, 1, 2, 3].reduce((word, i) => word + (at + i >= start && at + i < end ? wasm[at + i] * 256 ** i : 0), 0));
  for (const text of texts) {
    for (let place = wasm.indexOf(text, segments[0].start, 'latin1'); place >= 0; place = wasm.indexOf(text, place + 1, 'latin1')) {
      const { address, start, end } = segments.findLast((segment) => segment.start <= place), ends = (at) => at < start || at >= end || wasm[at] === 0;
      const from = address + place - start, shared = Array.from(text, (_, index) => pointed.has(from + index + 1)).includes(true);
      if (shared || place + text.length > end || !ends(place - 1) || !ends(place + text.length)) continue;
      rest.fill(0, place, place + text.length);
      taken.push({ address: from, text });
    }
  }
  return { rest, taken };
}

/** The file, which has no data, with `texts` of withoutTexts put into memory; those that follow one another as one segment. */
export function withTexts(wasm, texts) {
  const joined = [];
  for (const { address, text } of [...texts].sort((a, b) => a.address - b.address)) {
    const last = joined.at(-1);
    if (last && last.address + last.text.length + 1 === address) last.text += `\0${text}`;
    else joined.push({ address, text });
  }
  const segments = joined.map(({ address, text }) => Buffer.concat([Buffer.from([0, 0x41, ...signedLeb(address), 0x0b]), sized(Buffer.from(text, 'latin1'))]));
  const kept = sections(wasm).filter(({ id }) => id !== kDataCount).map(({ from, end }) => wasm.subarray(from, end));
  const section = sized(Buffer.concat([Buffer.from(leb(segments.length)), ...segments]));
  return Buffer.concat([wasm.subarray(0, 8), ...kept, Buffer.from([kData]), section]);
}
