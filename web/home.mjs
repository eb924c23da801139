/** The home page's search. What it looks through is fetched when a reader comes to it. */
const kMost = 12; // found entries that are shown

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

export function openHome({ root, make, base, source }) {
  const input = root.querySelector('#search'), list = root.querySelector('#found');
  let coming;
  input.addEventListener('input', async () => {
    coming ??= source.fetch(new URL('search.json', base)).then((response) => (response.ok ? response.json() : Promise.reject(new Error(`the server answered ${response.status}`))));
    const query = input.value;
    try {
      const entries = await coming;
      if (query !== input.value) return;
      const found = ranked(entries, query);
      list.replaceChildren(...found.slice(0, kMost).map(({ title, says, href }) => make('li', {}, make('a', { href }, title), says ? make('span', {}, says.length > 140 ? `${says.slice(0, 138)} …` : says) : '')));
      if (query.trim() && !found.length) list.append(make('li', {}, `Nothing here says “${query.trim().slice(0, 60)}”.`));
    } catch (error) {
      coming = undefined;
      list.replaceChildren(make('li', {}, `The search could not be loaded: ${error.message}.`));
    }
  });
}
