/** The home page: a search, which fetches what it looks through when a reader comes to it, and thumbnails that move under the pointer. */
import { language } from './dom.mjs';

const kMost = 12; // found entries that are shown
const kRests = 150, kStays = 800; // milliseconds on a card before its figure starts, and with it in the middle of a phone's screen

const folded = (text) => text.toLowerCase().normalize('NFKD').replace(/[\u0300-\u036f]/g, '').replace(/eqs?\.?\s*/g, 'eq ');

/** How well an entry answers: all words of the query must be in it; those in its title count most. */
export function ranked(entries, query) {
  const words = folded(query).split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  return entries
    .map((entry) => {
      const title = folded(entry.title), says = folded(entry.says), text = folded(entry.text);
      const points = words.map((word) => (title.includes(word) ? 9 : says.includes(word) ? 4 : text.includes(word) ? 1 : -1e3));
      return { entry, points: points.reduce((sum, one) => sum + one, 0) };
    })
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ entry }) => entry);
}

/**
 * A card's figure runs over its poster while the pointer or the focus is there, under a finger while it stays in the middle of the screen;
 * one at a time.
 */
function enliven(root, make, base, touch) {
  let timer, here, nearest;
  const leave = () => (clearTimeout(timer), here?.remove(), (here = null));
  const enter = (card, rests = kRests) => {
    leave();
    timer = setTimeout(async () => {
      const { scene, state } = card.dataset, figure = make('kappaflow-figure', { ...(state ? { state } : { scene }), theme: 'light', focus: '0', hide: 'timeline,examples,handles', inert: true, 'aria-hidden': 'true' });
      here = figure;
      await import(new URL('element.mjs', base).href).catch(leave);
      if (here === figure) card.querySelector('a').append(figure);
    }, rests);
  };
  const cards = root.querySelectorAll('.card'), middle = new Set();
  const watcher = !touch ? null : new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) isIntersecting ? middle.add(target) : middle.delete(target);
    const first = [...cards].find((card) => middle.has(card));
    if (first === nearest) return;
    nearest = first;
    first ? enter(first, kStays) : leave();
  }, { rootMargin: '-50% 0px -50% 0px' }); // a line across the middle
  for (const card of cards) {
    watcher?.observe(card);
    for (const type of ['pointerenter', 'focusin']) card.addEventListener(type, (event) => event.pointerType !== 'touch' && enter(card));
    for (const type of ['pointerleave', 'focusout']) card.addEventListener(type, (event) => event.pointerType !== 'touch' && leave());
  }
}

export function openHome({ root, make, base, source, still, touch }) {
  if (!source.alone && !still) enliven(root, make, base, touch);
  const input = root.querySelector('#search'), list = root.querySelector('#found');
  let coming;
  input.addEventListener('input', async () => {
    coming ??= source.fetch(new URL(`${language.folder}search.json`, base)).then((response) => (response.ok ? response.json() : Promise.reject(new Error(`the server answered ${response.status}`))));
    const query = input.value;
    try {
      const entries = await coming;
      if (query !== input.value) return;
      const found = ranked(entries, query);
      for (const { title, says } of found) [title, says].forEach(language.asIs);
      list.replaceChildren(...found.slice(0, kMost).map(({ title, says, href }) => make('li', {}, make('a', { href }, title), says ? make('span', {}, says.length > 140 ? `${says.slice(0, 138)} …` : says) : '')));
      if (query.trim() && !found.length) list.append(make('li', {}, `Nothing here says “${query.trim().slice(0, 60)}”.`));
    } catch (error) {
      coming = undefined;
      list.replaceChildren(make('li', {}, `The search could not be loaded: ${error.message}.`));
    }
  });
}
