/**
 * A lesson on the page, or the steps into one scene: words beside one figure, which shows what each step names and computes the answers.
 * Nothing of it is stored or sent, unless a page around asks how far the reader is.
 */
import { setAttributes, setChildren, setText, setWritten } from './dom.mjs';
import { evaluate } from './expressions.mjs';
import { bySeed, chosen, inWords, linkOf, questionsOf, readAnswers, writeAnswers } from './lesson_state.mjs';
import { Levers } from './levers.mjs';
import { fetchWords } from './loader.mjs';
import { Question } from './questions.mjs';
import { Formulas } from './symbols.mjs';

const kTintsEvery = 80; // milliseconds between two readings of the marks' colours
const kReportsEvery = 200; // milliseconds between two readings of what the figure shows

/** Own lessons come as data, those of others as text, with the reader that turns it into data. */
export async function fetchLesson({ name, base, source, read, view }) {
  if (/^[\w-]+$/.test(name)) {
    const response = await fetchWords(source, `lessons/${name}.json`, base);
    if (!response) throw new Error(`There is no lesson "${name}".`);
    return response.json();
  }
  const address = new URL(name, view.location.href), response = await view.fetch(address).catch(() => null);
  if (!response) throw new Error(`${address.href} could not be fetched: its server is away, or sends no Access-Control-Allow-Origin.`);
  if (!response.ok) throw new Error(`${address.href} could not be fetched: the server answered ${response.status}.`);
  return (await read())(await response.text(), address.pathname.split('/').pop());
}

export class Lesson {
  /**
   * `parts`: {make, view, root, stage, base, source, create(options): an instance on the stage's canvas, live, embedded: in a frame}; `lesson`: the data;
   * `seed` chooses the reader's own values; `done`: what was answered in an earlier visit; `home`: the address of the page itself;
   * `onAnswer({question, of, kind, right, first})` with every answer that was graded.
   */
  constructor(parts, lesson, { seed, step = 0, done = '', home, onProgress, onAnswer = () => {} }) {
    Object.assign(this, parts, { seed, home, onProgress, onAnswer });
    this.lesson = chosen(lesson, bySeed(seed));
    this.all = questionsOf(this.lesson);
    this.answers = readAnswers(done, this.all.length);
    this.step = Math.min(this.lesson.steps.length - 1, Math.max(0, step));
    this.figure = this.current.figure;
    this.waiters = [];
    this.pages = new Map(); // what was answered in a step stays while the reader is elsewhere
    this.build();
  }

  get current() { return this.lesson.steps[this.step]; }
  link() { return `?${linkOf(this.figure)}`; }

  build() {
    const { make, lesson, root } = this;
    const dots = lesson.steps.map(({ title, blocks }, index) => make('li', {}, make('button', { type: 'button', 'aria-label': `Step ${index + 1} of ${lesson.steps.length}: ${title}`, title, class: blocks.some(({ kind }) => kind) ? 'asks' : '', onclick: () => this.go(index) })));
    this.dots = dots.map((item) => item.firstChild);
    if (lesson.scene) dots.push(make('li', {}, this.last = make('a', { class: 'all', href: '', 'aria-label': 'Explore with all controls', title: 'Explore with all controls' })));
    const button = (text, by) => make('button', { type: 'button', class: 'turn', onclick: () => this.go(this.step + by, true) }, text);
    this.back = button('← Back', -1);
    this.forth = button('Next →', 1);
    this.words = make('article', { class: 'lesson-words' });
    this.formulas = new Formulas(this.words, make);
    setWritten(this.symbols = make('div', { hidden: true }), lesson.symbols ?? '');
    this.turns = make('p', { class: 'turns' }, this.back, ' ', this.forth);
    this.levers = new Levers({ make, apply: (key, text) => this.change(key, text) });
    this.explore = make('a', { href: '', ...(this.embedded ? {} : { target: '_blank', rel: 'noopener' }) }, 'Explore this figure with all its controls');
    this.still = make('img', { class: 'still', hidden: true, alt: '' });
    const side = make('div', { class: 'lesson-figure' }, this.stage, this.still, this.levers.element, this.live, make('p', { class: 'explore' }, this.explore));
    root.replaceChildren(
      make('header', { class: 'lesson-head' }, make('div', { class: 'crumbs' }, ...(this.embedded ? [] : [make('a', { href: this.home }, 'Kappaflow'), ' › ']), make('h1', {}, lesson.title)), make('nav', { 'aria-label': 'Steps of the lesson' }, make('ol', { class: 'dots' }, ...dots))),
      make('div', { class: lesson.scene ? 'lesson-body short' : 'lesson-body' }, make('div', { class: 'lesson-column' }, this.words, this.turns), side));
    root.ownerDocument.addEventListener('keydown', (event) => this.key(event));
    this.words.addEventListener('click', (event) => this.define(event.target.closest('.term')));
    for (const [type, on] of [['pointerover', true], ['focusin', true], ['pointerout', false], ['focusout', false]])
      this.words.addEventListener(type, ({ target }) => this.light(on ? (target.closest('.mark')?.dataset.mark ?? '') : ''));
    this.stage.addEventListener('pointermove', () => this.marks.length && this.tintSoon());
  }

  async begin() {
    this.instance = await this.create({ link: () => this.link(), ...this.optionsOf(this.current), onState: (description) => this.hear(description) });
    this.display();
    return this.instance;
  }

  optionsOf({ focus, hide, blocks }) {
    const spots = new Set(blocks.flatMap(({ html }) => [...(html ?? '').matchAll(/data-mark="([^"]*)"/g)].map(([, id]) => id)));
    return { ui: 'figure', focus, hide: ['examples', ...(hide ? [hide] : [])].join(','), spots: [...spots].join(','), lit: '' };
  }

  /** Arrows turn the page where nothing else wants them. */
  key(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input, select, textarea, canvas, summary, [role="radiogroup"]')) return;
    event.preventDefault();
    this.go(this.step + by, true);
  }

  go(step, turned = false) {
    if (step < 0 || step >= this.lesson.steps.length || step === this.step) return;
    this.step = step;
    this.display();
    this.figure = null; // whatever the reader made of the figure: the step's own comes
    this.show(this.current.figure).catch(() => {}); // the figure says it itself
    const heading = this.words.querySelector('h2');
    heading.focus({ preventScroll: true });
    if (turned) for (const place of [heading, this.still.hidden ? this.stage : this.still]) place.scrollIntoView({ block: 'nearest' }); // on a phone the figure stands above its words
    this.progress();
  }

  display() {
    const { make, lesson, step } = this;
    this.dots.forEach((dot, index) => setAttributes(dot, { 'aria-current': index === step && 'step' }));
    this.back.disabled = step === 0;
    this.forth.disabled = step === lesson.steps.length - 1;
    if (!this.pages.has(step)) this.pages.set(step, this.written(lesson.steps[step]));
    const { elements, questions } = this.pages.get(step);
    this.questions = questions;
    this.end = step === lesson.steps.length - 1 ? make('div', { class: 'lesson-end' }) : null;
    this.words.replaceChildren(...elements, ...(this.end ? [this.end] : []), this.symbols);
    this.formulas.refresh();
    this.tellEnd();
    this.levers.show(this.current.controls);
    this.values = [...this.words.querySelectorAll('.value')];
    this.marks = [...this.words.querySelectorAll('.mark')];
  }

  written({ title, blocks }) {
    const { make } = this;
    const first = this.pages.size === 0 && this.step === 0 && !this.lesson.scene ? [this.introduction()] : [];
    const elements = [...first, make('h2', { tabindex: -1 }, title)], questions = [];
    for (const block of blocks) {
      if (block.kind) {
        const index = this.all.indexOf(block);
        const question = new Question({ make, question: block, before: this.answers.get(index), show: (figure) => this.show(figure), onGraded: (...how) => this.count(index, ...how), onShown: () => this.settle(index, 's') });
        questions.push(question);
        elements.push(question.element);
        continue;
      }
      const words = make('div', { class: 'say' });
      setWritten(words, block.html);
      elements.push(words);
    }
    return { elements, questions };
  }

  introduction() {
    const { make, lesson } = this, words = make('div', { class: 'intro' });
    setWritten(words, lesson.intro);
    const facts = [lesson.minutes ? `About ${lesson.minutes} minutes.` : '', lesson.needs ? `You need: ${lesson.needs}.` : '', `${this.all.length} question${this.all.length === 1 ? '' : 's'}.`];
    words.prepend(make('p', { class: 'lesson-title', 'aria-hidden': 'true' }, lesson.title));
    words.append(make('p', { class: 'facts' }, facts.filter(Boolean).join(' ')));
    return words;
  }

  count(index, right, atOnce) {
    this.onAnswer({ question: index + 1, of: this.all.length, kind: this.all[index].kind, right, first: right && atOnce });
    if (right) this.settle(index, atOnce ? 'f' : 'r');
  }

  /** How a question ended: answered at the first try, later, or by being shown the answer. */
  settle(index, how) {
    if (!this.answers.has(index)) this.answers.set(index, how);
    this.tellEnd();
    this.progress();
  }

  get score() {
    const ends = [...this.answers.values()], count = (hows) => ends.filter((how) => hows.includes(how)).length;
    return { right: count('fr'), first: count('f'), settled: ends.length };
  }

  tellEnd() {
    if (!this.end) return;
    const { make, lesson } = this, all = this.all.length, { first, right } = this.score;
    const score = lesson.scene ? [] : [make('p', {}, `You have answered ${right} of ${all} question${all === 1 ? '' : 's'}, ${first} of them at the first try.`)];
    const ways = (lesson.next ?? []).map(({ text, href }) => make('p', {}, make('a', { class: 'next', href: `${this.home}${href}` }, text)));
    setChildren(this.end, [...score, ...ways, ...(this.embedded ? [] : [make('p', {}, make('a', { href: this.home }, 'All lessons and figures'))])]);
  }

  progress() {
    const { step, lesson, score, seed } = this;
    this.onProgress({ lesson: lesson.title, step: step + 1, steps: lesson.steps.length, ...score, questions: this.all.length, seed, done: writeAnswers(this.answers) });
  }

  // ---- the figure ----

  change(key, text) {
    const why = this.instance.page.setParam(key, text);
    this.instance.wake();
    return why;
  }

  /** Brings a figure on screen; its report, once it has been computed. */
  async show(figure) {
    const { instance } = this;
    this.figure = figure;
    await instance.ready;
    if (this.figure !== figure) throw new Error('another figure was asked for meanwhile.');
    Object.assign(instance.options, this.optionsOf(this.current));
    instance.setOptions();
    instance.page.openLink(this.link());
    instance.wake();
    const before = instance.page.describe();
    if (before.warnings.length) throw new Error(before.warnings[0]);
    await new Promise((resolve, reject) => this.waiters.push({ figure, resolve, reject }));
    return this.report();
  }

  async report() {
    const report = await this.instance.outlet.report();
    if (!report) throw new Error('there is no result yet.');
    return report;
  }

  /** From the instance: what it shows now. */
  hear(description) {
    const { instance } = this;
    this.levers.update(description);
    if (!instance?.page) return;
    for (const way of [this.explore, this.last]) if (way) setAttributes(way, { href: `${this.home}#${instance.page.link()}` });
    if (description.busy) return;
    const waiting = this.waiters.splice(0);
    for (const { figure, resolve, reject } of waiting) {
      if (description.message) reject(new Error(description.message));
      else if (figure !== this.figure) reject(new Error('another figure was asked for meanwhile.'));
      else resolve();
    }
    if (this.stage.classList.contains('kf-without-picture')) this.showStill(description);
    this.readSoon();
    if (this.marks.length) this.tintSoon();
  }

  /** The marks that a word names stand out in the figure while the reader is on the word. */
  light(id) {
    const { instance } = this;
    if (!instance?.page || (instance.options.lit ?? '') === id) return;
    instance.options.lit = id;
    instance.setOptions();
  }

  /** Words in the colours of the marks they name, and the other way round: those under the pointer stand out. */
  tintSoon() {
    this.tinting ??= setTimeout(() => {
      this.tinting = undefined;
      const seen = new Map((this.instance.page?.spots() ?? '').split('\n').map((line) => line.split(' ')).map(([id, color, pointed]) => [id, { color, pointed: Boolean(pointed) }]));
      for (const mark of this.marks) {
        const { color = 'inherit', pointed = false } = seen.get(mark.dataset.mark) ?? {};
        mark.style.setProperty('--mark', color);
        mark.classList.toggle('lit', pointed);
      }
    }, kTintsEvery);
  }

  /** Where nothing can be drawn by WebGL, the figure as an image. */
  showStill({ dark, summary }) {
    const svg = this.instance.page.figureSvg(760, 480, dark, '', '');
    if (!svg) return;
    const { URL, Blob } = this.view, before = this.still.src;
    setAttributes(this.still, { src: URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' })), alt: summary, hidden: false });
    if (before) URL.revokeObjectURL(before);
  }

  /** Numbers in the words and goals follow what the figure shows, a few times a second. */
  readSoon() {
    if (this.reading || !(this.values.length || this.questions.some(({ question, done }) => question.kind === 'goal' && !done))) return;
    this.reading = setTimeout(async () => {
      const report = await this.report().catch(() => null);
      this.reading = 0;
      if (!report) return;
      for (const value of this.values) setText(value, this.valueOf(value.dataset.value, report));
      for (const question of this.questions) question.note(report);
    }, kReportsEvery);
  }

  valueOf(expression, report) {
    try {
      return inWords(evaluate(expression, [report]));
    } catch {
      return '–'; // a question's figure is of another scene
    }
  }

  /** The word that was pressed, explained under its paragraph; pressed again, it goes. */
  async define(button) {
    if (!button) return;
    const old = this.words.querySelector('.definition'), mine = old?.dataset.term === button.dataset.term;
    old?.remove();
    for (const other of this.words.querySelectorAll('.term[aria-expanded="true"]')) setAttributes(other, { 'aria-expanded': 'false' });
    if (mine) return;
    this.glossary ??= await fetchWords(this.source, 'lessons/glossary.json', this.base).then((response) => response.json()).catch(() => ({}));
    const box = this.make('div', { class: 'definition', role: 'note', 'data-term': button.dataset.term });
    const html = Object.hasOwn(this.glossary, button.dataset.term) ? this.glossary[button.dataset.term] : '';
    if (html) setWritten(box, html);
    else setText(box, `“${button.dataset.term}” is not in the glossary.`);
    setAttributes(button, { 'aria-expanded': 'true' });
    (button.closest('p, li') ?? button).after(box);
  }
}
