import { language } from './dom.mjs';
import { embedCode } from './embed_code.mjs';
import { sameBytes } from './first.mjs';
import { figurePng } from './png.mjs';
import { csvOf, npzOf } from './tables.mjs';

/** What a reader takes away: the link, the code for another page, the picture, the numbers. */
export class Outlet {
  /** `linkOf(link)`: the address that opens a state; `wake()`: after a change of the page; `place`: {owner, view, base, source} of the page, for pixels; `embed`: {address(), hide, lock, focus, theme, contrast} for the code that shows it elsewhere. */
  constructor({ page, held, runner, files, talk, linkOf, place, embed, wake }) {
    Object.assign(this, { page, held, runner, files, talk, linkOf, place, embed, wake });
  }

  copyLink() {
    return this.files.copy(this.linkOf(this.page.link()), 'the link');
  }

  async copyEmbedCode() {
    const { hide, lock, focus, theme, contrast } = this.embed, address = this.embed.address();
    if (!address) return this.talk.say('This page has no address of its own, so there is nothing another page could show.');
    const description = this.page.describe();
    await this.files.copy(embedCode({ address, link: this.page.link(), description, hide, lock, focus, theme, contrast, lang: language.name }), 'the code to embed this figure');
    const own = description.params.find(({ kind, value }) => (kind === 'network' || kind === 'data') && value === 'file');
    if (own) this.talk.say(`Copied the code to embed this figure; your own ${own.kind} file is not in it.`);
  }

  /** The picture as it is seen, as SVG with its own link in it; "" before there is one. */
  svg() { return this.page.figureSvg(0, 0, this.page.describe().dark, this.linkOf(this.page.link()), ''); }

  /** The same as a PNG blob, `scale` pixels for one of the figure's; null before there is a picture. */
  async png(scale = 2, svg = this.svg()) {
    return svg ? figurePng({ svg, ...this.place, scale }) : null;
  }

  /** The timeline as a video or a GIF, picture by picture; asked for again meanwhile it ends the one that is being made. */
  async saveFilm(wanted) {
    if (this.filming) return this.filming.abort();
    const { scene } = this.page.describe(), { signal } = (this.filming = new AbortController());
    const videos = this.place.view.VideoEncoder && !this.place.source.alone, format = wanted === 'film' ? (videos ? 'video' : 'gif') : wanted;
    const tell = (share) => this.talk.say(`The film is ${Math.round(100 * share)} % made. Save it again to give it up.`);
    try {
      if (format === 'video' && !videos) throw new Error(this.place.source.alone ? 'the page in one file makes GIFs only' : 'this browser, or a page without https, encodes no video; a GIF is possible');
      const { filmOf } = await import('./film.mjs'), film = await filmOf({ page: this.page, svg: () => this.svg(), place: this.place, signal, tell, wake: this.wake, format });
      if (film) this.talk.say(`The film has ${(film.bytes.length / 2 ** 20).toFixed(1)} MB.`), this.files.download(film.bytes, `${scene}.${film.ending}`, film.type);
      else this.talk.say('The film was given up.');
    } catch (error) {
      this.talk.say(`The film could not be made (${error.message}).`);
    } finally {
      this.filming = null;
    }
  }

  /** `format`: svg or png; of the whole timeline gif, video (MP4 or WebM), or film, a video where the browser can. */
  async saveFigure(format = 'svg') {
    const { scene } = this.page.describe(), svg = this.svg();
    if (svg && ['gif', 'video', 'film'].includes(format)) return this.saveFilm(format);
    if (!svg) return this.talk.say('There is no picture yet.');
    if (format === 'svg') return this.files.download(svg, `${scene}.svg`, 'image/svg+xml');
    try {
      this.files.download(await this.png(2, svg), `${scene}.png`, 'image/png');
    } catch (error) {
      this.talk.say(`The picture could not be made (${error.message}).`);
    }
  }

  /** The newest shown report as an object, null before the first. */
  async report() {
    const bytes = this.page.reportBytes();
    return bytes.length ? JSON.parse(await this.runner.files('exportReport', bytes, 'json')) : null;
  }

  /** The layers of the network that is chosen, as `kappaflow network --format json` gives them; null where none is. */
  async layers() {
    const chosen = this.page.describe().params.find(({ kind, value, visible }) => kind === 'network' && value && visible);
    if (!chosen) return null;
    const own = chosen.value === 'file' ? this.page.networkFile() : { name: `${chosen.value}.onnx` }, { described } = this;
    if (own.bytes?.length === 0) return null;
    if (described?.own.name === own.name && (own.bytes === described.own.bytes || sameBytes(own.bytes, described.own.bytes))) return described.layers;
    const layers = this.bytesOf(own).then((bytes) => this.runner.files('describeNetwork', bytes, own.name)).then(JSON.parse);
    this.described = { own, layers };
    layers.catch(() => (this.described = null)); // the next time may fare better
    return layers;
  }

  async bytesOf({ name, bytes }) {
    const { base, source } = this.place;
    return bytes ? this.held.whole(bytes) : new Uint8Array(await (await source.fetch(new URL(`samples/${name}`, base))).arrayBuffer());
  }

  /** The network on screen, once the page has asked for it. */
  saveNetwork() {
    const bytes = this.page.takeNetworkFile();
    if (bytes.length) this.files.download(bytes, `${this.page.describe().scene}.onnx`, 'application/octet-stream');
  }

  /** `format`: json, csv, of one array where it is named, or npz; onnx: the network's file, which the page then has. */
  async download(format, array) {
    if (format === 'onnx') return this.saveNetwork();
    const bytes = this.page.reportBytes();
    if (!bytes.length) return this.talk.say('There are no numbers yet.');
    const { scene } = this.page.describe();
    try {
      if (format === 'npz') return this.files.download(npzOf(await this.report()), `${scene}.npz`, 'application/zip');
      const text = array ? csvOf((await this.report()).arrays[array]) : await this.runner.files('exportReport', bytes, format);
      this.files.download(text, `${array ? `${scene}-${array}` : scene}.${format}`, format === 'json' ? 'application/json' : 'text/csv');
    } catch (error) {
      this.talk.say(`The numbers could not be written (${error.message}).`);
    }
  }
}
