/** What the reader's system prefers, and whether the figure can be seen. */
const kQueries = { dark: '(prefers-color-scheme: dark)', highContrast: '(prefers-contrast: more)', touch: '(pointer: coarse)', reducedMotion: '(prefers-reduced-motion: reduce)' };

export function preferences(view) {
  const answers = Object.entries(kQueries).map(([name, query]) => [name, view.matchMedia(query).matches]);
  return { ...Object.fromEntries(answers), mac: /^Mac|^iP/.test(view.navigator.platform), fullScreen: Boolean(view.document.fullscreenEnabled) };
}

/** What `theme` and `contrast` come to where either may be 'auto', and their names. */
export function colours(view, { theme, contrast }) {
  const system = preferences(view), dark = theme === 'auto' ? system.dark : theme === 'dark', highContrast = contrast === 'auto' ? system.highContrast : contrast === 'more';
  return { dark, highContrast, names: { theme: dark ? 'dark' : 'light', contrast: highContrast ? 'more' : 'usual' } };
}

/** The figure alone on the screen, or back into its page. */
export function fillScreen(stage) {
  if (stage.getRootNode().fullscreenElement === stage) return stage.ownerDocument.exitFullscreen();
  return stage.requestFullscreen().catch(() => {}); // the browser has said why
}

/** `onPreference()` when one of them changes; `onSeen(bool)` when the stage comes into view of a reader or leaves it. */
export function watchSurroundings(stage, view, signal, { onPreference, onSeen }) {
  for (const query of Object.values(kQueries)) view.matchMedia(query).addEventListener('change', onPreference, { signal });
  const page = stage.ownerDocument;
  let inView = false;
  const look = () => onSeen(inView && page.visibilityState !== 'hidden');
  page.addEventListener('visibilitychange', look, { signal });
  const observer = new view.IntersectionObserver((entries) => ((inView = entries[entries.length - 1].isIntersecting), look()), { rootMargin: '64px' });
  observer.observe(stage);
  signal.addEventListener('abort', () => observer.disconnect());
}
