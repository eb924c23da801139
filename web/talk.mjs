/** Sentences and texts shown over the picture. */
import { setText } from './dom.mjs';

const kToast = 6000; // milliseconds

export class Talk {
  constructor(make, stage) {
    Object.assign(this, { make, stage });
  }

  /** One sentence for a while. */
  say(sentence) {
    this.toast ??= this.stage.appendChild(this.make('p', { class: 'kf-toast', role: 'status' }));
    setText(this.toast, sentence);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.toast.textContent = ''), kToast);
  }

  /** A text to be copied by hand, until it is closed. */
  offer(text, sentence) {
    this.offered?.remove();
    const area = this.make('textarea', { readonly: true, rows: 4, 'aria-label': sentence });
    area.value = text;
    const close = this.make('button', { type: 'button', onclick: () => this.offered.remove() }, 'Close');
    this.offered = this.make('div', { class: 'kf-offer' }, this.make('p', {}, sentence), area, close);
    this.stage.append(this.offered);
    area.select();
  }

  destroy() {
    clearTimeout(this.timer);
    this.toast?.remove();
    this.offered?.remove();
  }
}
