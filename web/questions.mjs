/** A lesson's questions as native elements. The figure computes the answers: `show(figure)` → promise of its report. */
import { language, setText, setWritten } from './dom.mjs';
import { evaluate } from './expressions.mjs';
import { grade, inWords } from './lesson_state.mjs';
import { Sketch } from './sketch.mjs';

let lastId = 0;

export class Question {
  /**
   * `question`: from lesson_text.mjs; `show(figure)`: brings it on screen; `onGraded(right, atOnce)`: with every answer; `onShown()`: the
   * answer was shown instead; `before`: how it ended in an earlier visit.
   */
  constructor({ make, question, before, show, onGraded, onShown }) {
    Object.assign(this, { make, question, show, onGraded, onShown, tries: 0, done: Boolean(before) });
    const id = `question-${++lastId}`;
    this.feedback = make('div', { class: 'feedback', role: 'status' });
    this.check = make('button', { type: 'submit', class: 'check' }, 'Check');
    this.help = make('button', { type: 'button', class: 'plain', hidden: question.kind !== 'goal' || Boolean(before), onclick: () => this.helpOut() }, question.kind === 'goal' ? 'Hint' : 'Show the answer');
    const words = make('div', { id });
    setWritten(words, question.html);
    const field = this.field(id);
    this.element = make('form', { class: `question ${question.kind}`, 'aria-labelledby': id, novalidate: true }, words, ...field, make('p', { class: 'actions' }, ...(question.kind === 'goal' ? [] : [this.check, ' ']), this.help), this.feedback);
    this.element.addEventListener('submit', (event) => (event.preventDefault(), this.answer()));
    if (before) this.say(before === 's' ? 'shown' : 'right', before === 's' ? 'You have seen the answer.' : 'You have answered this.');
    else if (question.kind === 'goal') this.say('', 'Not reached yet.');
  }

  field(id) {
    const { make, question } = this;
    if (question.kind === 'choice') {
      this.options = question.options.map(({ html }, index) => {
        const input = make('input', { type: 'radio', name: id, value: index }), words = make('span');
        setWritten(words, html);
        return { input, element: make('label', { class: 'option' }, input, words) };
      });
      return [make('div', { role: 'radiogroup', 'aria-labelledby': id }, ...this.options.map(({ element }) => element))];
    }
    if (question.kind === 'number') {
      this.input = make('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', 'aria-labelledby': id, size: 10 });
      return [make('p', {}, this.input, question.unit ? ` ${question.unit}` : '')];
    }
    if (question.kind === 'draw') {
      this.sketch = new Sketch({ make, question, onDrawn: () => {} });
      return [this.sketch.element];
    }
    return [];
  }

  /** What was answered, or a sentence that says what is missing. */
  given() {
    if (this.question.kind === 'choice') {
      const chosen = this.options.findIndex(({ input }) => input.checked);
      return chosen < 0 ? { missing: 'Choose one of the answers first.' } : { answer: chosen };
    }
    if (this.question.kind === 'draw') return this.sketch.complete() ? { answer: this.sketch.points() } : { missing: 'Draw the curve from the left end to the right one first.' };
    const text = this.input.value.trim().replace('−', '-').replace(/^(-?\d+),(\d+)$/, '$1.$2'), fraction = text.match(/^(-?[\d.]+)\s*\/\s*([\d.]+)$/);
    const value = fraction ? Number(fraction[1]) / Number(fraction[2]) : Number(text.replace(/\s|%$/g, ''));
    return text && Number.isFinite(value) ? { answer: value } : { missing: 'Type a number first, such as 0.5 or 1/2.' };
  }

  say(state, ...words) {
    this.element && (this.element.dataset.state = state);
    this.feedback.replaceChildren(...words.filter(Boolean).map((word) => (typeof word === 'string' ? language.say(word) : word)));
  }
  /** Words with the numbers of a report. */
  written(html, report) {
    const words = this.make('span');
    setWritten(words, html);
    for (const value of words.querySelectorAll('.value')) setText(value, inWords(evaluate(value.dataset.value, [report])));
    return words;
  }

  async answer() {
    const { answer, missing } = this.given();
    if (missing) return this.say('', missing);
    const { question } = this;
    this.check.disabled = true;
    this.say('', 'Computing …');
    try {
      const report = await this.show(question.figure), found = grade(question, report, answer);
      ++this.tries;
      this.sketch?.reveal(found.curve);
      await this.told(found, report);
    } catch (error) {
      this.say('wrong', `This could not be graded: ${error.message}`);
    }
    this.check.disabled = false;
  }

  async told(found, report) {
    const { question } = this, distance = found.share === undefined ? '' : `Your curve is ${inWords(Number((100 * found.share).toPrecision(2)))} % of the plot's height away on average. `;
    if (found.right) {
      this.finish(distance, found, report);
      return this.onGraded(true, this.tries === 1);
    }
    this.say('wrong', 'Not yet. ', distance, question.hint ? this.written(question.hint, report) : '');
    this.help.hidden = this.tries < 2;
    this.onGraded(false, false);
    if (question.show) await this.show(question.show);
  }

  finish(before, { truth }, report) {
    const { question } = this;
    this.done = true;
    this.help.hidden = true;
    const number = question.kind === 'number' ? `The program computes ${inWords(truth)}${question.unit ? ` ${question.unit}` : ''}. ` : '';
    this.say('right', 'Right. ', before, number, question.right ? this.written(question.right, report) : '');
  }

  /** From the lesson: a new report of the figure; a goal is reached or not by what is seen there. */
  note(report) {
    if (this.question.kind !== 'goal' || this.done) return;
    this.seen = report;
    let right = false;
    try {
      ({ right } = grade(this.question, report));
    } catch {
      return; // another scene's report: the figure is elsewhere
    }
    if (!right) return;
    this.finish('', {}, report);
    this.onGraded(true, !this.helped);
  }

  /** A goal: first the hint, then one way to reach it. Else the right answer, after two wrong ones. */
  async helpOut() {
    const { question } = this, solve = question.kind !== 'goal' || this.helped || !question.hint;
    this.helped = true;
    if (!solve) {
      this.say('', this.written(question.hint, this.seen));
      setText(this.help, 'Show one way');
      if (question.show) await this.show(question.show);
      return;
    }
    if (question.kind === 'goal') return void (await this.show(question.solution));
    this.onShown();
    const report = await this.show(question.figure), { truth, curve } = grade(question, report, question.kind === 'draw' ? this.sketch.points() : NaN);
    if (question.kind === 'choice') this.options[truth].input.checked = true;
    if (question.kind === 'number') this.input.value = inWords(truth);
    this.sketch?.reveal(curve);
    this.help.hidden = true;
    this.say('shown', question.kind === 'number' ? `It is ${inWords(truth)}${question.unit ? ` ${question.unit}` : ''}. ` : 'This is the answer. ', question.right ? this.written(question.right, report) : '');
  }
}
