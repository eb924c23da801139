/** Formulas that say what their symbols mean: under the pointer, under a resting finger, and by keys. Their words end with the list (dl.symbols). */
import { setAttributes, setWritten } from './dom.mjs';

const kSoon = 250, kRests = 450; // milliseconds until a mouse, or a finger, has come to rest
const kSteps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class Formulas {
  /** `words`: the element whose formulas these are; what is in it may change, then refresh() is due. */
  constructor(words, make) {
    this.words = words;
    this.box = make('div', { class: 'kf-meanings', role: 'tooltip', id: `${words.id || 'lesson'}-meanings` });
    const formula = (event) => event.target.closest?.('math[data-symbols]');
    const on = (type, act) => words.addEventListener(type, (event) => act(formula(event), event));
    on('pointerover', (found, { pointerType }) => found && pointerType === 'mouse' && this.soon(found, kSoon));
    on('pointerout', (found, { relatedTarget }) => found && !found.contains(relatedTarget) && this.hide());
    on('pointerdown', (found, { pointerType }) => found && pointerType !== 'mouse' && this.soon(found, kRests));
    on('click', (found) => (found ? this.show(found) : this.hide()));
    on('focusin', (found) => found && this.show(found));
    on('focusout', (found) => found && this.hide());
    on('keydown', (found, event) => {
      const step = found && !event.ctrlKey && !event.metaKey && !event.altKey ? kSteps[event.key] : 0;
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const all = this.all(), next = all[(all.indexOf(found) + step + all.length) % all.length];
      this.stop(next);
      next.focus();
    });
    words.ownerDocument.addEventListener('keydown', ({ key }) => key === 'Escape' && this.hide()); // wherever the focus is
    this.refresh();
  }

  /** Those that are in sight: a closed part of the words has none. */
  all() { return [...this.words.querySelectorAll('math[data-symbols]')].filter((one) => !one.closest('details:not([open])')); }

  write(html) {
    setWritten(this.words, html);
    this.refresh();
  }

  /** One stop of Tab for all formulas, arrows go on from it; equations wider than their column are stops too, since they scroll. */
  refresh() {
    this.hide();
    for (const one of this.words.querySelectorAll('math')) setAttributes(one, { tabindex: one.getAttribute('display') === 'block' && one.scrollWidth > one.clientWidth ? 0 : one.hasAttribute('data-symbols') && -1 });
    const [first] = this.all();
    if (first) this.stop(first);
  }
  stop(formula) {
    if (this.first?.isConnected && this.first.scrollWidth <= this.first.clientWidth) setAttributes(this.first, { tabindex: -1 });
    setAttributes(this.first = formula, { tabindex: 0 });
  }

  soon(formula, wait) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => formula.isConnected && this.show(formula), wait);
  }

  show(formula) {
    clearTimeout(this.waiting);
    if (this.shown === formula) return;
    this.hide();
    const entries = [...this.words.querySelectorAll('dl.symbols > div')], list = this.words.ownerDocument.createElement('dl');
    for (const number of formula.getAttribute('data-symbols').split(' ')) if (entries[number]) list.append(entries[number].cloneNode(true));
    if (!list.children.length) return;
    this.shown = formula;
    this.box.replaceChildren(list);
    this.words.append(this.box);
    setAttributes(formula, { 'aria-describedby': this.box.id });
    const at = formula.getBoundingClientRect(), frame = this.words.getBoundingClientRect(), { offsetWidth, offsetHeight } = this.box;
    const under = at.bottom + 6 + offsetHeight <= this.words.ownerDocument.documentElement.clientHeight || at.top < offsetHeight;
    this.box.style.left = `${Math.max(0, Math.min(at.left - frame.left, frame.width - offsetWidth))}px`;
    this.box.style.top = `${under ? at.bottom - frame.top + 6 : at.top - frame.top - 6 - offsetHeight}px`;
  }

  hide() {
    clearTimeout(this.waiting);
    if (this.shown) setAttributes(this.shown, { 'aria-describedby': false });
    this.shown = null;
    this.box.remove();
  }
}
