/**
 * A lesson's markdown (docs/writing-lessons.md) as data: {title, minutes, needs, lets, intro, steps: [{title, figure, focus, controls, hide,
 * blocks: [{html} or a question]}]}. Errors name file and line.
 */
import container from 'markdown-it-container';
import { markdown } from './notes_html.mjs';

export const kKinds = ['choice', 'number', 'draw', 'goal'];
const kOfLesson = ['minutes', 'needs', 'next'], kOfStep = ['figure', 'focus', 'controls', 'hide'];
const kOfQuestion = {
  choice: { needed: [], taken: ['at', 'hint', 'show', 'right'] },
  number: { needed: ['answer', 'tolerance'], taken: ['at', 'unit', 'hint', 'show', 'right'] },
  draw: { needed: ['curve', 'x', 'y', 'names', 'tolerance'], taken: ['at', 'hint', 'show', 'right'] },
  goal: { needed: ['reach', 'solution'], taken: ['hint', 'show', 'right'] },
};
const kMost = { text: 200_000, steps: 40, values: 12 };

for (const kind of kKinds) markdown.use(container, kind);

// [[expression]]: a number of the figure beside the words.
markdown.inline.ruler.before('link', 'value', (state, silent) => {
  const end = state.src.startsWith('[[', state.pos) ? state.src.indexOf(']]', state.pos) : -1;
  if (end < 0) return false;
  const [text, source] = state.src.slice(state.pos + 2, end).split(' ← '); // with a source: a number that was computed when it was written
  if (!silent) state.push(source ? 'text' : 'value', '', 0).content = text.trim();
  state.pos = end + 2;
  return true;
});
markdown.renderer.rules.value = (tokens, index) => `<output class="value" data-value="${markdown.utils.escapeHtml(tokens[index].content)}">…</output>`;

/** [word](term:capacity) opens the glossary on the word, [word](mark:capacity/now) names marks of the figure; other links open a tab of their own. */
const plainOpen = markdown.renderer.rules.link_open ?? ((tokens, index, options, env, renderer) => renderer.renderToken(tokens, index, options));
markdown.renderer.rules.link_open = (tokens, index, options, env, renderer) => {
  const [, kind, name] = tokens[index].attrGet('href').match(/^(term|mark):(.*)$/) ?? [], term = kind === 'term' ? name : undefined;
  (env.open ??= []).push(kind ? '</button>' : '</a>');
  if (kind === 'mark') return `<button type="button" class="mark" data-mark="${markdown.utils.escapeHtml(decodeURIComponent(name))}">`;
  if (term !== undefined) return `<button type="button" class="term" aria-expanded="false" data-term="${markdown.utils.escapeHtml(decodeURIComponent(term))}">`;
  if (env.lesson) tokens[index].attrSet('target', '_blank'), tokens[index].attrSet('rel', 'noopener');
  return plainOpen(tokens, index, options, env, renderer);
};
markdown.renderer.rules.link_close = (tokens, index, options, env) => env.open?.pop() ?? '</a>';

const render = (tokens) => markdown.renderer.render(tokens, markdown.options, { lesson: true });
const inline = (text, symbols) => markdown.renderer.render(markdown.parseInline(text, { symbols }), markdown.options, { lesson: true });

/** `scene key=value …`; without a scene, on top of another figure. */
export function figureOf(text, base) {
  const [first, ...others] = text.trim().split(/\s+/), own = !first.includes('=');
  if (!own && !base) throw new Error(`"${text}" names no scene`);
  const params = own ? {} : { ...base.params };
  for (const setting of own ? others : [first, ...others]) {
    const [, key, value] = setting.match(/^(\w+)=(.+)$/) ?? [];
    if (!key) throw new Error(`"${setting}" is no param=value`);
    params[key] = value;
  }
  return { scene: own ? first : base.scene, params };
}

const numbers = (text, count, name) => {
  const found = text.split(/\s*\.\.\s*|\s*,\s*/).map(Number);
  if (found.length !== count || found.some(Number.isNaN)) throw new Error(`${name} is "${text}", which should be ${count} numbers such as 0..10`);
  return found;
};

/** "2 %" of the answer, or "0.1". */
function toleranceOf(text) {
  const [, size, percent] = text.match(/^(\d+(?:\.\d+)?)\s*(%)?$/) ?? [];
  if (size === undefined) throw new Error(`tolerance is "${text}", which should be a number, or per cent`);
  return percent ? { share: Number(size) / 100 } : { most: Number(size) };
}

/** Lines of a container: words first, then `key: value`, a list of options in a choice. A line that begins with blanks goes on the one before. */
function questionOf(kind, lines, figure, symbols) {
  const { needed, taken } = kOfQuestion[kind], words = [], given = {}, options = [];
  let last;
  for (const line of lines) {
    const [, key, value] = line.match(/^(\w+): (.*)$/) ?? [], [, condition, text] = line.match(/^- \[([^\]]+)\] (.*)$/) ?? [];
    if (key && [...needed, ...taken].includes(key)) last = { add: (more) => (given[key] = more), text: value };
    else if (condition && kind === 'choice') last = (({ index }) => ({ add: (more) => (options[index] = { condition, text: more }), text }))({ index: options.length });
    else if (key) throw new Error(`a ${kind} takes ${[...needed, ...taken].join(', ')}, not ${key}`);
    else if (/^ +\S/.test(line) && last) last.text += ` ${line.trim()}`;
    else if (last && line.trim()) throw new Error(`"${line}" is neither "key: value" nor an option "- [condition] text"`);
    else words.push(line);
    last?.add(last.text);
  }
  for (const key of needed) if (!given[key]) throw new Error(`a ${kind} needs "${key}: …"`);
  if (kind === 'choice' && options.length < 2) throw new Error('a choice needs two options "- [condition] text" at least');
  const question = { kind, html: markdown.render(words.join('\n'), { lesson: true, symbols }), figure: given.at ? figureOf(given.at, figure) : figure, moved: Boolean(given.at) };
  for (const key of ['hint', 'right']) if (given[key]) question[key] = inline(given[key], symbols);
  if (given.show) question.show = figureOf(given.show, question.figure);
  if (kind === 'choice') question.options = options.map(({ condition, text }) => ({ condition, html: inline(text, symbols) }));
  if (kind === 'number') Object.assign(question, { answer: given.answer, tolerance: toleranceOf(given.tolerance), unit: given.unit ?? '' });
  if (kind === 'draw') Object.assign(question, { curve: given.curve, x: numbers(given.x, 2, 'x'), y: numbers(given.y, 2, 'y'), names: given.names.split(/\s*,\s*/), tolerance: toleranceOf(given.tolerance) });
  if (kind === 'goal') Object.assign(question, { reach: given.reach, solution: figureOf(given.solution, figure) });
  return question;
}

/** `key: value` lines of a paragraph right behind a heading; null where it is an ordinary one. */
function settingsOf(content, known) {
  const pairs = content.split('\n').map((line) => line.match(/^(let \w+|\w+): (.*)$/));
  if (!pairs.every((pair) => pair && (known.includes(pair[1]) || pair[1].startsWith('let ')))) return null;
  return Object.fromEntries(pairs.map(([, key, value]) => [key, value.trim()]));
}

const listOf = (text) => (text ?? '').split(',').map((one) => one.trim()).filter(Boolean);

/** Throws "NAME:LINE: sentence". `symbols`: formulas tell which they use. */
export function readLesson(text, name, { symbols = false } = {}) {
  let line = 1;
  const fail = (sentence) => { throw new Error(`${name}:${line}: ${sentence}`); };
  const tried = (make) => {
    try {
      return make();
    } catch (error) {
      return fail(error.message);
    }
  };
  if (text.length > kMost.text) fail(`a lesson has at most ${kMost.text} letters.`);
  const lines = text.split('\n'), tokens = tried(() => markdown.parse(text, { symbols }));
  const lesson = { title: '', minutes: 0, needs: '', lets: {}, intro: '', steps: [] };
  let step = null, waiting = [], behind = null;
  const flush = () => {
    const html = waiting.length ? render(waiting) : '';
    waiting = [];
    if (html && step) step.blocks.push({ html });
    else lesson.intro += html;
  };
  for (let i = 0; i < tokens.length; ++i) {
    const token = tokens[i], heading = token.type === 'heading_open' ? token.tag : '';
    if (token.map) line = token.map[0] + 1;
    if (heading === 'h1') {
      lesson.title = tokens[i + 1].content, i += 2, behind = 'lesson';
      continue;
    }
    if (heading === 'h2') {
      flush();
      step = { title: tokens[i + 1].content, figure: step?.figure, focus: '', controls: [], hide: '', blocks: [] };
      if (lesson.steps.push(step) > kMost.steps) fail(`a lesson has at most ${kMost.steps} steps.`);
      i += 2, behind = 'step';
      continue;
    }
    const given = behind && token.type === 'paragraph_open' && settingsOf(tokens[i + 1].content, behind === 'step' ? kOfStep : kOfLesson);
    if (given && behind === 'lesson') {
      Object.assign(lesson, { minutes: Number(given.minutes) || 0, needs: given.needs ?? '' });
      for (const [key, values] of Object.entries(given)) if (key.startsWith('let ')) lesson.lets[key.slice(4)] = values.split('|').map((value) => value.trim()).slice(0, kMost.values);
    }
    if (given && behind === 'step') tried(() => {
      if (given.figure) step.figure = figureOf(given.figure, step.figure);
      Object.assign(step, { focus: given.focus ?? '', hide: given.hide ?? '', controls: listOf(given.controls) });
    });
    behind = null;
    if (given) {
      i += 2;
      continue;
    }
    const [, kind] = token.type.match(/^container_(\w+)_open$/) ?? [];
    if (!kind) {
      waiting.push(token);
      continue;
    }
    if (!step?.figure) fail('a question stands behind a step with a figure.');
    flush();
    const [from, to] = token.map;
    step.blocks.push({ ...tried(() => questionOf(kind, lines.slice(from + 1, lines[to - 1]?.startsWith(':::') ? to - 1 : to), step.figure, symbols)), line });
    while (tokens[i].type !== `container_${kind}_close` || tokens[i].level !== token.level) ++i;
  }
  flush();
  line = 1;
  if (!lesson.title) fail('a lesson begins with "# its title".');
  if (!lesson.steps.length) fail('a lesson has at least one step, "## its title".');
  for (const { title, figure } of lesson.steps) if (!figure) fail(`the step "${title}" has no "figure: scene param=value".`);
  return lesson;
}

/** `## word` and its explanation, each as HTML by word. */
export function readGlossary(text) {
  const parts = text.split(/^## /m).slice(1);
  return Object.fromEntries(parts.map((part) => [part.slice(0, part.indexOf('\n')).trim(), markdown.render(part.slice(part.indexOf('\n')), { lesson: true })]));
}
