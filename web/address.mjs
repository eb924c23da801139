/**
 * The address bar of a page of its own: the query is what an author fixed, the fragment what the reader changed. Written at
 * most four times a second; a scene change is a step of the history, everything else replaces the present one.
 */
const kWriteEvery = 250; // milliseconds

/** What mail programs, social networks and advertisers append to every address. */
const kForeign = /^(utm_|fbclid|gclid|gbraid|wbraid|dclid|msclkid|twclid|ttclid|yclid|li_fat_id|igsh|mc_[ce]id|_ga|_gl|_hs|hsCta)/;
/** What a learning platform appends that launches content by xAPI: for xapi.mjs alone, and never in a link to give away. */
const kLaunch = /^(endpoint|auth|actor|registration|activity_id|activity_platform|grouping|content_endpoint|content_token|externalRegistration|externalConfiguration|Accept-Language)=/;
export const withoutForeign = (search) => search.replace(/^\?/, '').split('&').filter((pair) => !kForeign.test(pair) && !kLaunch.test(pair)).join('&').replace(/^(?=.)/, '?');
export const isLaunch = (search) => /^https?:/.test(new URLSearchParams(search).get('endpoint') ?? '');

/** What the settings of an address take beside params; `hide` takes keys of params too. */
export const kSettings = { ui: ['full', 'lesson', 'figure'], theme: ['auto', 'light', 'dark'], contrast: ['auto', 'more', 'usual'], lang: ['en', 'fr'], hide: ['examples', 'timeline', 'handles', 'presets'], lock: [] };

/** ui, theme, contrast, lang, hide and lock of a query; the rest of it is the state's. `faults`: sentences about what means nothing. */
export function readOptions(search) {
  const query = new URLSearchParams(search), faults = [];
  const pick = (key, known) => {
    const given = query.get(key) ?? known[0], found = known.includes(given);
    if (!found) faults.push(`${key}=${given.slice(0, 40)} is none of ${known.join(', ')}; ${known[0]} was taken.`);
    return found ? given : known[0];
  };
  const focus = query.get('focus') ?? '';
  if (!/^(\d(,\d)*)?$/.test(focus)) faults.push(`focus=${focus.slice(0, 40)} is no list of digits such as 0,1; all panels are shown.`);
  const speed = query.get('speed') ?? '1';
  if (!(speed >= 0.1 && speed <= 10)) faults.push(`speed=${speed.slice(0, 40)} is no number from 0.1 to 10; 1 was taken.`);
  return {
    faults,
    focus,
    speed: speed >= 0.1 && speed <= 10 ? Number(speed) : 1,
    ui: pick('ui', kSettings.ui),
    theme: pick('theme', kSettings.theme),
    contrast: pick('contrast', kSettings.contrast),
    lang: pick('lang', kSettings.lang),
    hide: query.get('hide') ?? '',
    lock: query.get('lock') ?? '',
    scene: query.get('scene') ?? '',
    lesson: query.get('lesson') ?? '',
  };
}

/** The scene whose steps an address asks for: ui=lesson where nothing of the scene is set. Otherwise ''. */
export function stepsIn(search, hash) {
  const query = new URLSearchParams(search), bare = [...query.keys()].every((key) => ['scene', 'ui', 'theme', 'contrast', 'lang', 'v'].includes(key));
  return query.get('ui') === 'lesson' && bare && !sceneOf(hash) ? (query.get('scene') ?? '') : '';
}

/** What an address may say while it shows a scene as it opens. */
export const kPlain = ['v', 'scene', 'ui', 'theme', 'contrast', 'lang', 'hide', 'lock', 'focus', 'speed', 'play'];
export const isPlain = (link) => link.split('#').every((part) => [...new URLSearchParams(part.replace(/^\?/, '')).keys()].every((key) => kPlain.includes(key)));

/** Sentences about names in `hide` and `lock` that the scene does not have. */
export function unknownNames(options, { scene, params }) {
  const known = new Set(params.map(({ key }) => key));
  const unknown = (name) => options[name].split(',').filter((key) => key && !known.has(key) && !kSettings[name].includes(key));
  return ['hide', 'lock'].flatMap((name) => unknown(name).map((key) => `"${name}" names "${key.slice(0, 40)}", which "${scene}" does not have.`));
}

export const sceneOf = (link) => new URLSearchParams(link.replace(/^#/, '')).get('scene');

export class Address {
  /** `initial`: the link that the query alone stands for; there the fragment is left out. `onMoved()`: back, forward, edited by hand. */
  constructor({ view, initial, onMoved, signal }) {
    Object.assign(this, { view, initial });
    this.written = -Infinity;
    for (const type of ['popstate', 'hashchange'])
      view.addEventListener(type, () => this.view.location.hash !== this.hash && ((this.hash = this.view.location.hash), onMoved()), { signal });
    this.hash = view.location.hash;
    signal.addEventListener('abort', () => clearTimeout(this.timer));
  }

  /** The state's link, whenever it may have changed. */
  note(link) {
    this.link = link;
    if (this.timer) return;
    this.timer = setTimeout(() => this.write(), Math.max(0, this.written + kWriteEvery - performance.now()));
  }

  write() {
    this.timer = 0;
    const { location, history } = this.view;
    const hash = this.link === this.initial ? '' : `#${this.link}`;
    if (hash === location.hash) return;
    this.written = performance.now();
    const newScene = sceneOf(this.link) !== (sceneOf(location.hash) ?? sceneOf(this.initial));
    this.hash = hash;
    try {
      history[newScene ? 'pushState' : 'replaceState'](null, '', location.href.split('#', 1)[0] + hash);
    } catch {
      // Sandboxed pages, and browsers that find it too often: the address lags behind, nothing else does.
    }
  }
}

/**
 * The link to give away: this page's address with the state as its fragment. Pages without an address that others could open
 * (srcdoc, blob, data) give the fragment alone, to be put behind one.
 */
export function fullLink({ href }, link) {
  const [path, query = ''] = href.split('#', 1)[0].split('?');
  return `${/^(https?|file):/.test(href) ? `${path}${withoutForeign(query)}` : ''}#${link}`;
}
