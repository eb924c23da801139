/**
 * The start page of a SCORM package: the program in a frame, and what its reader does told to the learning platform, in SCORM 1.2 or 2004,
 * whichever it speaks. What it keeps for the reader is the fragment of a lesson's address: step, seed, answers.
 */
import { stepsIn } from './address.mjs';
import { connect } from './client.mjs';

const kFarthest = 10; // windows around this one
const kKinds = { choice: 'choice', number: 'numeric' }; // of questions; the others are performances

/** The platform's object, in a window around this one or around the one that opened it. */
export function findPlatform(view) {
  for (let start = view, opened = 0; start && opened < 2; start = start.opener, ++opened)
    for (let at = start, steps = 0; steps < kFarthest; at = at.parent, ++steps) {
      try {
        if (typeof at.API_1484_11?.Initialize === 'function') return { api: at.API_1484_11, newer: true };
        if (typeof at.API?.LMSInitialize === 'function') return { api: at.API, newer: false };
      } catch {
        break; // another server's window
      }
      if (at.parent === at) break;
    }
  return null;
}

const two = (number) => String(number).padStart(2, '0');
const clock = (seconds) => `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(Math.floor(seconds) % 60)}`;

/** What both versions can be told, in the words of each. Without a platform everything is let go by. */
export class Platform {
  constructor(found) {
    this.begun = performance.now();
    if (!found) return;
    const { api, newer } = found;
    this.newer = newer;
    this.call = (name, ...values) => api[newer ? name : `LMS${name}`](...values);
    this.call('Initialize', '');
    const status = this.get(newer ? 'cmi.completion_status' : 'cmi.core.lesson_status');
    this.finished = /completed|passed/.test(status);
    if (!this.finished) this.set(newer ? 'cmi.completion_status' : 'cmi.core.lesson_status', 'incomplete');
    this.set(newer ? 'cmi.exit' : 'cmi.core.exit', 'suspend');
  }
  get(name) { return this.call ? String(this.call('GetValue', name) ?? '') : ''; }
  set(name, value) { return this.call?.('SetValue', name, String(value)); }
  commit() { this.call?.('Commit', ''); }

  get kept() { return this.get('cmi.suspend_data'); }
  keep(fragment, place) {
    this.set('cmi.suspend_data', fragment);
    this.set(this.newer ? 'cmi.location' : 'cmi.core.lesson_location', place);
  }
  score(right, of) {
    const core = this.newer ? 'cmi.score' : 'cmi.core.score', percent = Math.round((100 * right) / of);
    for (const [name, value] of [['min', 0], ['max', 100], ['raw', percent]]) this.set(`${core}.${name}`, value);
    if (this.newer) this.set(`${core}.scaled`, Number((right / of).toFixed(4)));
  }
  progress(share) { if (this.newer) this.set('cmi.progress_measure', Number(share.toFixed(4))); }
  complete() {
    if (this.finished) return;
    this.finished = true;
    this.set(this.newer ? 'cmi.completion_status' : 'cmi.core.lesson_status', 'completed');
  }
  answer({ question, kind, right }) {
    const at = `cmi.interactions.${Number(this.get('cmi.interactions._count')) || 0}`, now = new Date();
    this.set(`${at}.id`, `question-${question}`);
    this.set(`${at}.type`, kKinds[kind] ?? 'performance');
    this.set(`${at}.${this.newer ? 'timestamp' : 'time'}`, this.newer ? `${now.toISOString().slice(0, 19)}Z` : clock((now - new Date(now).setHours(0, 0, 0, 0)) / 1000));
    this.set(`${at}.result`, right ? 'correct' : this.newer ? 'incorrect' : 'wrong');
  }
  end() {
    if (!this.call) return;
    const seconds = (performance.now() - this.begun) / 1000;
    this.set(this.newer ? 'cmi.session_time' : 'cmi.core.session_time', this.newer ? `PT${Math.round(seconds)}S` : clock(seconds));
    this.call(this.newer ? 'Terminate' : 'Finish', '');
    this.call = null;
  }
}

/** `frame`: the iframe; `query`: what the program opens. */
export async function launch({ view, frame, query }) {
  const platform = new Platform(findPlatform(view)), { kept } = platform, asks = new URLSearchParams(query).has('lesson') || stepsIn(query, '');
  view.addEventListener('pagehide', () => platform.end());
  frame.src = `single.html${query}${kept ? `#${kept}` : ''}`;
  const hear = (name, detail) => {
    if (name === 'answer') platform.answer(detail);
    if (name === 'progress') {
      const { step, steps, right, settled, questions, seed, done } = detail;
      platform.keep(`step=${step}&seed=${seed}&done=${done}`, step);
      if (questions) platform.score(right, questions);
      platform.progress(questions ? settled / questions : step / steps);
      if (step === steps && settled === questions) platform.complete();
    }
    if (name === 'result' && !asks) platform.complete(); // a figure has been seen
    if (['answer', 'progress', 'result'].includes(name)) platform.commit();
  };
  await connect(frame, { onEvent: hear, patience: 0 });
  platform.commit();
}
