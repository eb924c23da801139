/**
 * The lessons of docs/lessons and the steps into each scene of docs/steps: read for the site, and checked with the native program (build/release/goldens).
 *   lessons.mjs [PROGRAM] [--table] [LESSON…]   every figure, number, answer, tolerance and goal of each, at every value of its lets
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { curveOf, evaluate } from '../../web/expressions.mjs';
import { chosen, grade, questionsOf } from '../../web/lesson_state.mjs';
import { readGlossary, readLesson } from '../../web/lesson_text.mjs';
import { Symbols } from './symbols.mjs';
import { inBatches, kProgram, wordsOf } from './native_batch.mjs';
import { filledNotes, keyOf, parsedSource, templatesIn } from './notes_numbers.mjs';

const docs = resolve(fileURLToPath(import.meta.url), '../../../docs');

/** A lesson whose formulas have the numbers of their symbols' entries; `tables(scene)`: those of its scene and the general ones. */
function explained(lesson, tables) {
  const symbols = new Symbols(lesson.file);
  const inside = (block, known) => ({
    ...block, ...Object.fromEntries(['html', 'hint', 'right'].filter((key) => block[key]).map((key) => [key, symbols.in(block[key], known)])),
    ...(block.options && { options: block.options.map((option) => ({ ...option, html: symbols.in(option.html, known) })) }),
  });
  const steps = lesson.steps.map((step) => ({ ...step, blocks: step.blocks.map((block) => inside(block, tables(step.figure.scene))) }));
  const intro = symbols.in(lesson.intro, tables(lesson.steps[0].figure.scene)), all = symbols.html();
  return { ...lesson, intro, steps, ...(symbols.entries.length ? { symbols: all } : {}) };
}

/**
 * Lessons in their order, with ids, and each scene's steps; `report` as filledNotes takes it, without one quoted numbers stay as they are;
 * `tables(scene)`: what explains the symbols of formulas; `folder`: docs, or that of another language.
 */
export function readLessons(report, tables, folder = docs) {
  const read = (file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const lesson = { ...readLesson(report ? filledNotes(text, file, report) : text, file, { symbols: Boolean(tables) }), id: file.replace(/^.*\/(\d+-)?|\.md$/g, ''), file };
    return tables ? explained(lesson, tables) : lesson;
  };
  const lessons = readdirSync(join(folder, 'lessons')).filter((name) => /^\d+-.*\.md$/.test(name)).sort((a, b) => parseInt(a, 10) - parseInt(b, 10));
  const steps = readdirSync(join(folder, 'steps')).map((name) => ({ ...read(`steps/${name}`), scene: name.replace(/\.md$/, '') }));
  return { lessons: lessons.map((name) => read(`lessons/${name}`)), steps, glossary: readGlossary(readFileSync(join(folder, 'lessons/glossary.md'), 'utf8')) };
}

const kWords = 20; // of a step's first sentences

/** What makes steps into a scene differ from a lesson: few, short, each with its panels, and a guess before an answer. */
function faultsOfSteps({ scene, file, steps }) {
  const faults = [];
  if (steps.length < 4 || steps.length > 6) faults.push(`${file}: ${steps.length} steps, which should be 4 to 6`);
  if (!steps.some(({ blocks }) => blocks.some(({ moved }) => moved))) faults.push(`${file}: no question comes before its answer is seen`);
  for (const { title, figure, focus, blocks } of steps) {
    const words = (blocks[0]?.html ?? '').replace(/<output[^>]*>[^<]*<\/output>/g, '0').replace(/<[^>]*>/g, ' ').split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
    if (!words || words > kWords) faults.push(`${file}, "${title}": ${words} words come first, which should be at most ${kWords}`);
    if (!focus) faults.push(`${file}, "${title}": no panels are named`);
    if (figure?.scene !== scene) faults.push(`${file}, "${title}": its figure is of another scene`);
  }
  return faults;
}

/** The lesson at every combination of its values. */
export function variants(lesson) {
  const all = Object.entries(lesson.lets).reduce((some, [name, values]) => some.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))), [{}]);
  return all.map((values) => ({ values, lesson: chosen(lesson, (name) => values[name]) }));
}

const everyHtml = ({ intro, steps }) => [intro, ...steps.flatMap(({ blocks }) => blocks.flatMap(({ html, hint, right, options }) => [html, hint, right, ...(options ?? []).map((option) => option.html)]))].filter(Boolean).join('\n');
const unescape = (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Every figure that a lesson shows or asks about. */
export function figuresOf(lesson) {
  return lesson.steps.flatMap(({ figure, blocks }) => [figure, ...blocks.filter(({ kind }) => kind).flatMap((question) => [question.figure, question.show, question.solution])]).filter(Boolean);
}

const marksIn = ({ blocks }) => blocks.flatMap(({ html }) => [...(html ?? '').matchAll(/data-mark="([^"]*)"/g)].map(([, id]) => unescape(id)));

/**
 * Sentences about what is wrong with one variant, and how much was looked at. `report(figure)` → a report, or throws; `marks(figure)`: the names
 * of what its picture is drawn of.
 */
export function faultsOf(lesson, glossary, report, marks) {
  const faults = [];
  let checks = 0;
  const check = (where, look) => {
    ++checks;
    try {
      const fault = look();
      if (fault) faults.push(`${where}: ${fault}`);
    } catch (error) {
      faults.push(`${where}: ${error.message}`);
    }
  };
  for (const [, term] of everyHtml(lesson).matchAll(/data-term="([^"]*)"/g)) check(lesson.file, () => (Object.hasOwn(glossary, unescape(term)) ? '' : `"${term}" is not in the glossary`));
  for (const step of lesson.steps) {
    check(`${lesson.file}, "${step.title}"`, () => void report(step.figure));
    for (const id of marksIn(step)) check(`${lesson.file}, "${step.title}"`, () => (marks(step.figure).some((name) => name === id || name.startsWith(`${id}/`)) ? '' : `the figure has no mark ${id}`));
    for (const key of step.controls) check(`${lesson.file}, "${step.title}"`, () => (Object.hasOwn(report(step.figure).params, key) ? '' : `there is no control ${key}`));
    for (const block of step.blocks) {
      const where = `${lesson.file}:${block.line ?? 1}`;
      for (const [, expression] of (block.html ?? '').matchAll(/data-value="([^"]*)"/g)) check(`${lesson.file}, "${step.title}"`, () => void evaluate(unescape(expression), [report(step.figure)]));
      if (!block.kind) continue;
      for (const text of [block.hint, block.right]) for (const [, expression] of (text ?? '').matchAll(/data-value="([^"]*)"/g)) check(where, () => void evaluate(unescape(expression), [report(block.figure)]));
      if (block.show) check(where, () => void report(block.show));
      if (block.kind === 'choice') check(where, () => {
        const holding = block.options.filter(({ condition }) => evaluate(condition, [report(block.figure)]));
        return holding.length === 1 ? '' : `${holding.length} of its answers are right`;
      });
      if (block.kind === 'number') check(where, () => {
        const truth = evaluate(block.answer, [report(block.figure)]), { share, most } = block.tolerance;
        if (!grade(block, report(block.figure), truth).right) return 'its own answer is not taken';
        const allowed = most ?? share * Math.abs(truth);
        return grade(block, report(block.figure), truth + 3 * allowed + 0.01 * Math.abs(truth) + 1e-6).right ? 'a wrong answer is taken' : '';
      });
      if (block.kind === 'draw') check(where, () => {
        const { x, y } = curveOf(report(block.figure), block.curve), inside = x.map((at, index) => ({ x: at, y: y[index] })).filter((point) => point.x >= block.x[0] && point.x <= block.x[1]);
        if (inside.length < 4) return `${block.curve} has ${inside.length} points between ${block.x.join(' and ')}`;
        const out = inside.filter((point) => point.y < block.y[0] || point.y > block.y[1]).length;
        if (out > inside.length / 10) return `${out} of ${inside.length} points of ${block.curve} lie outside of its plot`;
        if (!grade(block, report(block.figure), inside).right) return 'the curve itself is not taken';
        const flat = (value) => [{ x: block.x[0], y: value }, { x: block.x[1], y: value }];
        return grade(block, report(block.figure), flat(block.y[1])).right || grade(block, report(block.figure), flat(block.y[0])).right ? 'a line along an edge of the plot is taken' : '';
      });
      if (block.kind === 'goal') check(where, () => {
        if (grade(block, report(step.figure)).right) return 'it is reached before anything is done';
        return grade(block, report(block.solution)).right ? '' : 'its solution does not reach it';
      });
    }
  }
  return { faults, checks };
}

async function main(args) {
  const named = args.filter((arg) => !arg.startsWith('--'));
  const program = existsSync(named[0] ?? '') ? named.shift() : kProgram;
  const { lessons, steps, glossary } = readLessons(), wanted = [...lessons, ...steps].filter(({ id }) => !named.length || named.includes(id));
  const all = wanted.flatMap((lesson) => variants(lesson).map((variant) => variant.lesson)), known = new Map();
  const texts = wanted.map(({ file }) => ({ name: file, text: readFileSync(join(docs, file), 'utf8') }));
  for (const figure of all.flatMap(figuresOf)) known.set(keyOf(figure), figure);
  for (const { text } of texts) for (const { source } of templatesIn(text)) for (const request of parsedSource(source).requests) known.set(keyOf(request), request);
  const drawn = new Map(all.flatMap(({ steps }) => steps.filter((step) => marksIn(step).length).map(({ figure }) => [keyOf(figure), figure])));
  await inBatches(program, [...known, ...[...drawn].map(([key, figure]) => [key, figure, true])], async ([key, figure, asPicture], ask) => {
    const { status, out, err } = await ask(asPicture ? wordsOf(figure, 'render', '--marks') : wordsOf(figure, 'run', '--format', 'json'));
    if (asPicture) drawn.set(key, out.split('\n'));
    else known.set(key, status ? { error: err.replace(/^kappaflow: /, '') } : { ...JSON.parse(out), warned: err });
  });
  const report = (figure) => {
    const found = known.get(keyOf(figure));
    if (found.error || found.warned) throw new Error(found.error || found.warned);
    return found;
  };
  let checks = 0;
  const problems = new Set();
  for (const { name, text } of texts) {
    checks += templatesIn(text).length;
    filledNotes(text, name, report, (sentence) => problems.add(sentence));
  }
  for (const lesson of all) {
    const found = faultsOf(lesson, glossary, report, (figure) => drawn.get(keyOf(figure)));
    checks += found.checks;
    for (const fault of found.faults) problems.add(fault);
  }
  for (const scene of wanted.filter((one) => one.scene)) for (const fault of faultsOfSteps(scene)) problems.add(fault);
  for (const { id, title, minutes, steps } of wanted.filter(({ scene }) => !scene)) {
    const kinds = questionsOf({ steps }).map(({ kind }) => kind), count = (kind) => kinds.filter((one) => one === kind).length;
    if (args.includes('--table')) console.log(`| ${title} | ${steps.length} | ${['choice', 'number', 'draw', 'goal'].map(count).join(' | ')} | ${minutes} |`);
    if (kinds.length < 4 || new Set(kinds).size < 2) problems.add(`${id}: ${kinds.length} questions of ${new Set(kinds).size} kinds`);
    if (!steps.some(({ blocks }) => blocks.some(({ moved }) => moved))) problems.add(`${id}: no question comes before its answer is seen`);
  }
  for (const problem of problems) console.log(problem);
  console.log(`${checks - problems.size} passed, ${problems.size} failed`);
  process.exitCode = problems.size ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
