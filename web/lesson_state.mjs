/** What of a lesson needs no page: its values of this reader, and how its questions are graded. */
import { curveOf, evaluate } from './expressions.mjs';

/** The lesson with {name} replaced by the values that a seed chooses; `choose(name, values)` instead of a seed, for tests. */
export function chosen(lesson, choose) {
  const values = Object.fromEntries(Object.entries(lesson.lets).map(([name, all]) => [name, choose(name, all)]));
  return JSON.parse(JSON.stringify(lesson).replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole)));
}

/** A choice by seed and name, the same in every browser (FNV-1a, then a scramble). */
export function bySeed(seed) {
  return (name, values) => {
    let hash = 0x811c9dc5;
    for (const letter of `${seed} ${name}`) hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return values[((hash ^ (hash >>> 13)) >>> 0) % values.length];
  };
}

export const linkOf = ({ scene, params }) => String(new URLSearchParams({ scene, ...params }));
export const questionsOf = (lesson) => lesson.steps.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind));

/** How a reader's questions ended, as a text: "0f,3r,4s" (at the first try, later, shown), of questions counted from 0. */
export const writeAnswers = (answers) => [...answers].map(([index, how]) => `${index}${how}`).join();
export function readAnswers(text, questions) {
  const found = [...text.matchAll(/(\d+)([frs])/g)].map(([, index, how]) => [Number(index), how]);
  return new Map(found.filter(([index]) => index < questions));
}

/** To three digits, as people write numbers. */
export function inWords(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value).replace('-', '−');
  const size = Math.abs(value), text = size >= 1e5 || (size < 1e-3 && size > 0) ? value.toExponential(2).replace(/e\+?(-?)(\d+)/, (_, minus, power) => ` · 10${minus && '⁻'}${power.replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit])}`) : String(Number(value.toPrecision(3)));
  return text.replace(/^-/, '−');
}

/** Of a drawing over x, straight between its points: the mean distance from the curve, and the share of the plot's height that it is. */
export function distanceOf(question, report, drawn) {
  const curve = curveOf(report, question.curve), [from, to] = question.x, height = question.y[1] - question.y[0];
  const at = (x) => {
    const after = Math.max(1, drawn.findIndex((point) => point.x >= x)), [a, b] = [drawn[after - 1], drawn[after] ?? drawn[after - 1]];
    return a.y + (b.x > a.x ? ((x - a.x) / (b.x - a.x)) * (b.y - a.y) : 0);
  };
  let sum = 0, count = 0;
  curve.x.forEach((x, index) => {
    if (x < from || x > to || !Number.isFinite(curve.y[index])) return;
    sum += Math.abs(at(x) - curve.y[index]), ++count;
  });
  if (!count) throw new Error(`"${question.curve}" has no point from ${from} to ${to}`);
  return { mean: sum / count, share: sum / count / height, curve };
}

/** {right, truth: what the program says, in words}. `answer`: an option's index, a number, points {x, y}, or nothing for a goal. */
export function grade(question, report, answer) {
  const value = (text) => evaluate(text, [report]);
  if (question.kind === 'choice') {
    const holding = question.options.findIndex(({ condition }) => value(condition));
    return { right: answer === holding, truth: holding };
  }
  if (question.kind === 'goal') return { right: Boolean(value(question.reach)) };
  if (question.kind === 'draw') {
    const { share, curve } = distanceOf(question, report, answer);
    return { right: share <= (question.tolerance.share ?? question.tolerance.most), share, curve };
  }
  const truth = value(question.answer), { share, most } = question.tolerance;
  return { right: Math.abs(answer - truth) <= (most ?? share * Math.abs(truth)) + 1e-12 * Math.abs(truth), truth };
}
