/** Files and the clipboard: what comes in by drop or picker, what goes out as download or copied text. */
import { mostOf } from './held.mjs';
import { linkIn } from './png.mjs';

const kMostFiles = 2; // at once: images and their labels

const inMegabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(bytes < 2 ** 20 ? 2 : 0)} MB`;

export class Files {
  /** `attach(name, bytes)` takes a file, of which `held` may give what stands for it; `join(model, name, weights)` gives the model with its weights inside, `open(link)` what a saved figure shows; `say(sentence)` tells a reader, `refuse(sentence)` why not; `offer(text, sentence)` shows text to copy by hand. */
  constructor({ make, canvas, root, view, held, attach, join, open, say, refuse, offer, signal }) {
    Object.assign(this, { make, canvas, root, view, held, attach, join, open, say, refuse, offer });
    const listen = (type, handler) => canvas.addEventListener(type, handler, { signal });
    listen('dragover', (event) => {
      if (![...event.dataTransfer.types].includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      canvas.classList.add('kf-dropping');
    });
    listen('dragleave', () => canvas.classList.remove('kf-dropping'));
    listen('drop', (event) => {
      event.preventDefault();
      canvas.classList.remove('kf-dropping');
      this.readAll(event.dataTransfer.files);
    });
  }

  /** One after the other, in their order; of a model and the file that it keeps its weights in, the model with them. */
  async readAll(files) {
    const taken = [...files].slice(0, kMostFiles), model = taken.find(({ name }) => /\.onnx$/i.test(name)), weights = model && taken.find((file) => file !== model);
    if (weights && model.size <= mostOf(model.name) && new TextDecoder().decode(await model.arrayBuffer().catch(() => new Uint8Array())).includes(weights.name)) await this.read(model, weights);
    else for (const file of taken) await this.read(file);
    if (files.length > kMostFiles) this.say(`Of ${files.length} files the first two were read: a network or data, a model and its weights, or images and their labels.`);
  }

  /** The size is looked at before a byte is read. */
  async read(file, weights) {
    const size = file.size + (weights?.size ?? 0), most = mostOf(file.name);
    if (size > most) return this.refuse(`${file.name} has ${inMegabytes(size)}${weights ? ' with its weights' : ''}; files may have ${inMegabytes(most)} at the most.`);
    try {
      const whole = weights ? new Blob([await this.join(file, weights.name, weights)]) : file;
      const bytes = await this.held.standIn(file.name, whole), link = linkIn(bytes);
      if (link) this.open(link);
      else this.attach(file.name, bytes);
    } catch (error) {
      this.refuse(error.name === 'InputError' ? error.message : `${file.name} could not be read (${error.message}).`);
    }
  }

  pick() {
    const input = this.make('input', { type: 'file', multiple: true, hidden: true, 'aria-label': 'network or data file' });
    input.addEventListener('change', () => (this.readAll(input.files), input.remove()));
    input.addEventListener('cancel', () => input.remove());
    this.root.append(input);
    input.click();
  }

  /** Copies a text; where both ways are refused it is shown to be copied by hand. */
  async copy(text, what) {
    try {
      await this.view.navigator.clipboard.writeText(text);
    } catch {
      if (!this.copyBySelection(text)) return this.offer(text, `Copy ${what} from here:`);
    }
    this.say(`Copied ${what}.`);
  }

  copyBySelection(text) {
    const before = this.root.getRootNode().activeElement;
    const area = this.make('textarea', { class: 'kf-away', 'aria-hidden': 'true' });
    area.value = text;
    this.root.append(area);
    area.select();
    let done = false;
    try {
      done = area.ownerDocument.execCommand('copy');
    } catch {
      // refused: the caller shows the text
    }
    area.remove();
    before?.focus?.({ preventScroll: true });
    return done;
  }

  /** Saves a text or bytes as a file. A sandbox without allow-downloads ignores that silently, so there a text is shown as well. */
  download(text, name, type) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const anchor = this.make('a', { href: url, download: name, hidden: true });
    this.root.append(anchor);
    anchor.click();
    anchor.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
    if (this.mayNotDownload() && typeof text !== 'string') this.say(`This page may not be allowed to save files here, such as ${name}.`);
    else if (this.mayNotDownload()) this.offer(text, `This page may not be allowed to save files here. ${name} to copy:`);
  }

  mayNotDownload() {
    if (this.view.origin === 'null') return true;
    try {
      const frame = this.view.frameElement;
      return Boolean(frame?.hasAttribute('sandbox') && !frame.sandbox.contains('allow-downloads'));
    } catch {
      return false;
    }
  }
}
