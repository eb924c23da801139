/**
 * Bytes as printable characters, five for four bytes: in a text of one byte a character a sixteenth less than base64. None of the characters
 * means anything in HTML, in JSON or in a pattern of String.replace. A last group of k bytes is k + 1 characters.
 */
const kDigits = '!#%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}';
const kValues = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, kDigits.indexOf(String.fromCharCode(code))));
const kBase = 85;

export function encode85(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 4) {
    let value = 0, group = '';
    for (let k = 0; k < 4; ++k) value = value * 256 + (bytes[i + k] ?? 0);
    for (let k = 0; k < 5; ++k, value = Math.floor(value / kBase)) group = kDigits[value % kBase] + group;
    text += group.slice(0, Math.min(4, bytes.length - i) + 1);
  }
  return text;
}

export function decode85(text) {
  const groups = Math.ceil(text.length / 5), bytes = new DataView(new ArrayBuffer(4 * groups));
  const whole = text.padEnd(5 * groups, kDigits[kBase - 1]), at = (i) => kValues[whole.charCodeAt(i)];
  for (let group = 0, i = 0; group < groups; ++group, i += 5)
    bytes.setUint32(4 * group, (((at(i) * kBase + at(i + 1)) * kBase + at(i + 2)) * kBase + at(i + 3)) * kBase + at(i + 4));
  return new Uint8Array(bytes.buffer, 0, 4 * groups - (5 * groups - text.length));
}
