/** What stands over the canvas while nothing is drawn: the scene's sentence, why it takes long, what failed, and a Retry button. */
import { setText } from './dom.mjs';
import { declared } from './markup.mjs';

const kPosterAfter = 1500; // milliseconds: the program itself goes first

export class Cover {
  /** `element`: already in the page with the first scene's words, or made here; `poster`: address of a picture for who prints before. */
  constructor({ make, stage, element, poster, retry }) {
    this.make = make;
    this.made = !element;
    this.element = element ?? make('div', { class: 'kf-cover' }, make('p', { class: 'kf-cover-title' }), make('p', { class: 'kf-cover-text' }));
    if (this.made) stage.append(this.element);
    this.element.querySelector('.kf-unreached')?.remove(); // the program is here: from now on it speaks for itself
    this.cause = make('p', { class: 'kf-cause', role: 'alert' });
    this.share = make('progress', { 'aria-label': 'Loading', max: 1, hidden: true });
    this.retry = make('button', { type: 'button', class: 'kf-retry', hidden: true, onclick: retry }, 'Retry');
    this.element.append(this.share, this.cause, this.retry);
    this.loading();
    if (poster) this.timer = setTimeout(() => this.element.hidden || this.element.append(make('img', { class: 'kf-poster', src: poster, alt: '' })), kPosterAfter);
  }

  introduce(title, text) {
    const [titleElement, textElement] = this.element.children;
    if (title) setText(titleElement, title);
    if (text) textElement.replaceChildren(...declared(this.make, text));
  }

  /** How much has come, in bytes; nothing is shown where nobody knows of how many. */
  come(received, bytes) {
    this.share.hidden = !bytes || !['loading', 'late'].includes(this.element.dataset.state);
    this.share.value = bytes ? Math.min(1, received / bytes) : 0;
  }

  loading() { this.show('loading', '', false); }
  late(what) { this.show('late', `Still waiting for ${what.join(' and ')}.`, true); }
  failed(sentence) { this.show('failed', sentence, true); }
  /** Nothing can be drawn, but everything else works. */
  withoutPicture(sentence) { this.show('without', sentence, false); }
  done() { this.show('done', '', false); }
  get refused() { return this.element.dataset.state === 'without'; }

  show(state, cause, retry) {
    this.element.dataset.state = state;
    setText(this.cause, cause);
    this.retry.hidden = !retry;
    this.share.hidden = true;
    this.element.hidden = state === 'done';
  }

  destroy() {
    clearTimeout(this.timer);
    this.share.remove();
    this.cause.remove();
    this.retry.remove();
    if (this.made) this.element.remove();
  }
}
