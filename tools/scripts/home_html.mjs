/** The home page: chapters, lessons, what a search looks through. */
import { declaredHtml } from '../../web/markup.mjs';
import { questionsOf } from '../../web/lesson_state.mjs';

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** The first scene of a chapter stands for it; those in `side` are its side rooms. */
export const kChapters = [
  { title: 'Where capacity goes', says: 'A trained layer has a budget of constraints. Follow it back to the inputs: where does the network look, and how much?', scenes: ['capacity-diffusion', 'decoupling', 'shattering'], side: ['augmented-space', 'nu-continuum', 'deep-limit', 'lower-layers'], lessons: ['capacity-flow', 'residual', 'activations'] },
  { title: 'How finely a network cuts', says: 'A ReLU network is linear in pieces. Count the pieces, watch them fold, and follow a curve as layers stretch it.', scenes: ['activation-regions', 'trajectory-length', 'transitions'], side: ['dichotomies', 'training-tradeoff', 'remaining-depth'], lessons: ['folding', 'curves'] },
  { title: 'What linear models tell', says: 'Trees, echoes and WaveNets without activations: what they spend on each of their inputs can be computed exactly.', scenes: ['hierarchical', 'recurrent', 'wavenet'], side: ['subspace', 'capacity-sweep', 'layer-contributions', 'multi-input', 'feature-map', 'errors-vs-capacity'], lessons: ['capacity', 'linear-models'] },
  { title: 'Does the signal survive?', says: 'Noise grows and signals shrink on their way through random layers; batch norm and skips decide how fast.', scenes: ['moments', 'signal-and-noise', 'sensitivity-theorems'], side: ['moment-diffusion'], lessons: ['signal'] },
  { title: 'All at once', says: 'One network, yours if you like, under every lens.', scenes: ['network-lens', 'measured-capacity'], side: [], lessons: ['every-lens'] },
];

/** What a scene's thumbnail shows: its defaults, but where another state says more at this size. */
const kPosters = { 'capacity-diffusion': 'space=grid' };
export const posterLink = (id) => `?scene=${id}${kPosters[id] ? `&${kPosters[id]}` : ''}`;

const hrefOf = ({ id, scene }) => (scene ? `?scene=${id}&ui=lesson` : `?lesson=${id}`);

/** Where a reader goes after a lesson, or after the steps into a scene: [{text, href}]. */
export function waysOn({ id, scene }, scenes, lessons) {
  const lesson = (one, before) => one && { text: `${before}: ${one.title}`, href: hrefOf(one) };
  if (!scene) return [lesson(lessons[lessons.findIndex((one) => one.id === id) + 1], 'Next lesson')].filter(Boolean);
  const order = kChapters.flatMap((chapter) => [...chapter.scenes, ...chapter.side].map((room) => ({ room, chapter }))), here = order.findIndex(({ room }) => room === id);
  const next = order[here + 1]?.room, further = lessons.find((one) => one.id === order[here].chapter.lessons[0]);
  return [next && { text: `Next figure: ${scenes.find((one) => one.id === next).title}`, href: hrefOf({ id: next, scene: next }) }, lesson(further, 'A lesson about it')].filter(Boolean);
}

/** Everything a reader may look for: [{title, text, href, kind}]. `say`: what stands for English texts; words of figures are found in both languages. */
export function searchIndex(scenes, lessons, steps, say = null) {
  const words = (parts) => [...parts, ...(say ? parts.filter(Boolean).map(say) : [])].filter(Boolean).join(' '), said = say ?? ((text) => text);
  const plain = (html) => html.replace(/<math[\s\S]*?<\/math>|<[^>]*>/g, ' ').replace(/&\w+;/g, ' ').replace(/\s+/g, ' ').trim();
  return [
    ...scenes.map(({ id, title, claim, source, params, fields, presets }) => ({ kind: 'figure', title: said(title), says: said(claim), href: `?scene=${id}`, text: words([...(say ? [title, claim] : []), source, ...params.flatMap(({ symbol, label }) => [symbol, label]), ...fields.flatMap(({ symbol, about }) => [symbol, about]), ...presets.map(({ name }) => name)]) })),
    ...lessons.map(({ id, title, intro }) => ({ kind: 'lesson', title, says: plain(intro), href: `?lesson=${id}`, text: '' })),
    ...[...lessons, ...steps].flatMap((lesson) => lesson.steps.map(({ title, blocks }, index) => ({ kind: 'step', title: `${lesson.title}: ${title}`, says: '', href: `${hrefOf(lesson)}#step=${index + 1}`, text: blocks.map(({ html }) => plain(html)).join(' ') }))),
  ];
}

function lessonRow({ id, title, minutes, steps }, number) {
  return `<li><a href="?lesson=${id}"><b>${number}</b> ${escape(title)}</a><span>${minutes} minutes, ${questionsOf({ steps }).length} questions</span></li>`;
}

const kTeachers = `<section class="more"><h2>For teachers</h2><p><a href="teach.html">Prepare for class</a>: set a figure or a lesson and take it to your page, your text or your learning platform · <a href="docs/embedding.html">Put a figure into a page</a>, or <a href="docs/courses.html">into a text in Sphinx, MyST, pandoc or Quarto</a> · <a href="docs/writing-lessons.html">Write a lesson of your own</a>: one text file, opened by <code>?lesson=</code>address, or dropped here.</p></section>`;

/** Values of the page's template. Throws where a chapter names what is not there, or forgets a scene. */
export function homeValues(scenes, lessons) {
  const sceneOf = (id) => scenes.find((scene) => scene.id === id) ?? (() => { throw new Error(`the home page names ${id}, which is no scene`); })();
  const missing = scenes.filter(({ id }) => !kChapters.some((chapter) => [...chapter.scenes, ...chapter.side].includes(id)));
  if (missing.length) throw new Error(`no chapter of the home page has ${missing.map(({ id }) => id).join(', ')}`);
  const card = (id) => {
    const { title, claim } = sceneOf(id);
    return `<li class="card" data-scene="${id}"${kPosters[id] ? ` data-state="${posterLink(id)}"` : ''}><a href="?scene=${id}&amp;ui=lesson"><img src="posters/${id}.svg" width="480" height="300" alt="" loading="lazy"><b>${escape(title)}</b></a><span>${declaredHtml(claim)} <a href="?scene=${id}">All controls</a></span></li>`;
  };
  const side = (id) => `<a href="?scene=${id}&amp;ui=lesson">${escape(sceneOf(id).title)}</a>`;
  const lessonLink = (id) => {
    const index = lessons.findIndex((lesson) => lesson.id === id);
    return index < 0 ? '' : `<a href="?lesson=${id}">Lesson ${index + 1}: ${escape(lessons[index].title)}</a>`;
  };
  const chapters = kChapters.map(({ title, says, scenes: main, side: rooms, lessons: ways }) => `<section class="chapter"><h2>${title}</h2><p>${says}</p>
<ul class="cards">${main.map(card).join('\n')}</ul>
<p class="ways">${ways.map(lessonLink).filter(Boolean).join(' · ')}${rooms.length ? `<br>More figures: ${rooms.map(side).join(' · ')}` : ''}</p></section>`).join('\n');
  return { lessons: `<ol class="lessons">${lessons.map((lesson, index) => lessonRow(lesson, index + 1)).join('\n')}</ol>`, chapters, teachers: kTeachers, start: lessons[0]?.id ?? '', startMinutes: String(lessons[0]?.minutes ?? '') };
}
