/**
 * Large networks stay in the browser's hands: the page's module gets a short text in their place, and who computes asks for the bytes by it.
 * So nothing on the page's own thread grows with a file.
 */
const kMark = 'held/', kSmall = 2 ** 22, kMostHeld = 8; // bytes that may be handed on as they are; files that an undo may come back to
const maybeHeld = (name) => /\.(onnx|safetensors)$/i.test(name);

/** Bytes that a file of this name may have. */
export const mostOf = (name) => (maybeHeld(name) ? 200 : 64) * 2 ** 20;

/** The name under which a file is held, for which these bytes stand; undefined where they are a file's own. worker.js has the same. */
export function heldName(bytes) {
  const text = bytes?.length < 100 ? new TextDecoder().decode(bytes) : '';
  return text.startsWith(kMark) ? text : undefined;
}

export class Held {
  constructor() { this.files = new Map(); }

  /** The bytes of a file, or those that stand for a large network's. */
  async standIn(name, file) {
    if (file.size <= kSmall || !maybeHeld(name)) return new Uint8Array(await file.arrayBuffer());
    const key = `${kMark}${Math.random().toString(36).slice(2)}/${file.size}`; // nobody else's file names it by chance
    this.files.set(key, file);
    if (this.files.size > kMostHeld) this.files.delete(this.files.keys().next().value);
    return new TextEncoder().encode(key);
  }

  /** A promise of what is held under a name, as a Blob; nothing for other names. */
  find(name) {
    if (!name?.startsWith(kMark)) return undefined;
    const file = this.files.get(name);
    return file ? Promise.resolve(file) : Promise.reject(new Error('This file is no longer at hand: open it again.'));
  }

  /** What these bytes stand for, or they themselves. */
  whole(bytes) { return this.find(heldName(bytes)) ?? Promise.resolve(bytes); }
}
