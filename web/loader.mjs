/**
 * Fetching and compiling what an instance needs, watched: a byte that does not come is noticed. Compiled modules, glue and
 * fonts are shared by all instances of a page; what failed is forgotten, so that a retry asks again.
 * Where the bytes come from is a source's matter: {fetch(url, options) → Promise<Response>, moduleAddress(url, retries) → Promise of
 * an address that can be imported}. This one is a server's folder; packed.mjs has the files in the page itself.
 */
import { language } from './dom.mjs';
import { placeOf } from './places.mjs';

export const servedSource = {
  fetch: (url, options) => fetch(placeOf(url), options),
  /** Browsers may remember that an import failed: a retry asks under another address. */
  async moduleAddress(url, retries = 0) {
    const place = placeOf(url);
    return retries ? `${place}${new URL(place).search ? '&' : '?'}retry=${retries}` : place;
  },
};

/** After this long without a byte the reader is told (milliseconds). */
export const kStall = 900;

/** What went wrong, in a sentence for readers. */
export class LoadError extends Error {}

class Load {
  constructor(url, source, begin) {
    this.source = source;
    this.name = url.pathname.split('/').pop();
    this.received = 0;
    this.total = 0;
    this.settled = false;
    this.abort = new AbortController();
    this.touch();
    this.promise = begin(url, this).finally(() => (this.settled = true));
  }
  touch() { this.touched = performance.now(); }
  /** Milliseconds without news; 0 once settled. */
  silence() { return this.settled ? 0 : performance.now() - this.touched; }
  describe() {
    if (!this.received) return this.name;
    const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`;
    return `${this.name}, ${kilobytes(this.received)}${this.total ? ` of ${kilobytes(this.total)}` : ''} so far`;
  }
}

const loads = new Map();
const attempts = new Map();

function load(kind, url, source, begin) {
  const key = `${kind} ${url}`;
  if (!loads.has(key)) {
    const entry = new Load(new URL(url), source, begin);
    loads.set(key, entry);
    entry.promise.catch(() => forget(key, entry));
  }
  return loads.get(key);
}

function forget(key, entry) {
  if (loads.get(key) !== entry) return;
  loads.delete(key);
  attempts.set(key, (attempts.get(key) ?? 0) + 1);
}

async function get(url, entry) {
  let response;
  try {
    response = await entry.source.fetch(url, { signal: entry.abort.signal, credentials: 'same-origin' });
  } catch (error) {
    if (error instanceof LoadError) throw error;
    throw new LoadError(`${entry.name} could not be fetched: the network or the server refused (${error.message}).`);
  }
  entry.touch();
  if (!response.ok) throw new LoadError(`${entry.name} is missing: the server answered ${response.status}.`);
  // Compressed bodies are longer than their Content-Length: then the total is not told.
  entry.total = response.headers.get('Content-Encoding') ? 0 : Number(response.headers.get('Content-Length') ?? 0);
  return response;
}

async function readAll(response, entry) {
  const chunks = [];
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new LoadError(`${entry.name} broke off after ${entry.received} bytes.`);
    });
    if (done) break;
    chunks.push(value);
    entry.received += value.length;
    entry.touch();
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

async function beginBytes(url, entry) {
  return readAll(await get(url, entry), entry);
}

async function beginText(url, entry) {
  return new TextDecoder().decode(await beginBytes(url, entry));
}

async function beginModule(url, entry) {
  const response = await get(url, entry);
  const bytes = readAll(response.clone(), entry); // kept for hosts that send a wrong MIME type
  bytes.catch(() => {});
  try {
    return await WebAssembly.compileStreaming(response);
  } catch {
    const whole = await bytes;
    return WebAssembly.compile(whole).catch(() => {
      const type = response.headers.get('Content-Type') ?? 'an unknown type';
      throw new LoadError(`${entry.name} is not a WebAssembly module (${whole.length} bytes sent as ${type}).`);
    });
  }
}

async function beginGlue(url, entry) {
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ await entry.source.moduleAddress(url, attempts.get(`glue ${url}`)))).default;
  } catch (error) {
    throw new LoadError(`${entry.name} could not be loaded (${error.message}).`);
  }
}

/**
 * What one instance waits for. `onNews({stalled: [descriptions]})` is called when something is late and again when it is not;
 * `wait` gives the loaded thing.
 */
export class Loading {
  constructor(onNews, source = servedSource, onReceived = () => {}) {
    this.source = source;
    this.entries = new Map();
    this.late = '';
    this.timer = setInterval(() => (this.look(onNews), onReceived([...this.entries.values()].reduce((sum, { received }) => sum + received, 0))), 100);
  }
  bytes(url) { return this.wait('bytes', url, beginBytes); }
  text(url) { return this.wait('text', url, beginText); }
  module(url) { return this.wait('module', url, beginModule); }
  glue(url) { return this.wait('glue', url, beginGlue); }

  wait(kind, url, begin) {
    const entry = load(kind, url, this.source, begin);
    this.entries.set(`${kind} ${url}`, entry);
    return entry.promise;
  }
  /** What has not come for a while, in words; of files with this in their name. */
  stalled(part = '') {
    return [...this.entries.values()].filter((entry) => entry.name.includes(part) && entry.silence() > kStall).map((entry) => entry.describe());
  }
  look(onNews) {
    const stalled = this.stalled();
    if (stalled.join() === this.late) return;
    this.late = stalled.join();
    onNews(stalled);
  }
  /** Lets go of everything that has not come, so that the next attempt asks the server again. */
  abandon() {
    for (const [key, entry] of this.entries)
      if (!entry.settled) {
        forget(key, entry);
        entry.abort.abort();
        entry.promise.catch(() => {});
      }
  }
  stop() { clearInterval(this.timer); }
}

/**
 * An Emscripten module from its glue and its compiled code; several may be made of one. `more`: {imports beside those of the glue,
 * onInstance(WebAssembly.Instance)}.
 */
export function instantiate(glue, compiled, extra = {}, more = {}) {
  return new Promise((resolve, reject) => {
    const instantiateWasm = (imports, done) => {
      WebAssembly.instantiate(compiled, { ...imports, ...more.imports }).then((instance) => (more.onInstance?.(instance), done(instance, compiled)), reject);
      return {};
    };
    // locateFile keeps the glue from resolving against its own address, which may be a blob's.
    glue({ ...extra, locateFile: (name) => name, instantiateWasm }).then(resolve, reject);
  });
}

/** A file of words of the site, in the page's language where there is such a one. Gives the response, or null. */
export async function fetchWords(source, name, base) {
  for (const where of new Set([language.folder, ''])) {
    const response = await source.fetch(new URL(where + name, base)).catch(() => null);
    if (response?.ok) return response;
  }
  return null;
}
