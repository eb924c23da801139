/** The program's files inside the page itself: each was gzipped and written in base 85 by tools/scripts/build_single.mjs. */
import { decode85 } from './base85.mjs';
import { LoadError } from './loader.mjs';

const kTypes = { wasm: 'application/wasm', mjs: 'text/javascript', js: 'text/javascript' };

/** A source, see loader.mjs. */
export class PackedSource {
  /** Lessons of others are read by a module that is not in here. */
  alone = true;
  /** Names are resolved against it; nothing is ever asked there. */
  base = 'http://packed.invalid/';

  /** `text`: JSON of {name: base 85}; under `texts`, and `language` where there is one, is JSON of {name: text}, packed as one since texts are much alike. */
  constructor(text) {
    this.files = JSON.parse(text);
    this.addresses = new Map();
  }

  async fetch(url) {
    // One module computes the scenes of every bundle here: those of the bundles share most of what they are made of.
    const name = new URL(url).pathname.slice(1).replace(/^kappaflow-core-\w+/, 'kappaflow-core');
    if (typeof DecompressionStream !== 'function')
      throw new LoadError('This browser is too old to unpack the program: it lacks DecompressionStream, which all newer ones have.');
    const headers = { 'Content-Type': kTypes[name.split('.').pop()] ?? 'application/octet-stream' };
    if (Object.hasOwn(this.files, name)) return new Response(this.unpack(name), { headers });
    const texts = await (this.texts ??= this.allTexts());
    return Object.hasOwn(texts, name) ? new Response(texts[name], { headers }) : new Response(null, { status: 404 });
  }

  async allTexts() {
    const kinds = ['texts', 'language'].filter((kind) => Object.hasOwn(this.files, kind));
    return Object.assign({}, ...(await Promise.all(kinds.map((kind) => new Response(this.unpack(kind)).json()))));
  }

  unpack(name) {
    return new Blob([decode85(this.files[name])]).stream().pipeThrough(new DecompressionStream('gzip'));
  }

  /** Of a module's text, for the page to import. */
  moduleAddress(url) {
    const name = String(url);
    if (!this.addresses.has(name)) this.addresses.set(name, this.publish(name));
    return this.addresses.get(name);
  }

  async publish(name) {
    return URL.createObjectURL(new Blob([await (await this.fetch(name)).text()], { type: 'text/javascript' }));
  }
}
