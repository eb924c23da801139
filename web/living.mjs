/**
 * The figures of a page whose programs run: at most four, since each keeps two modules in memory and browsers have few WebGL contexts. Others wait;
 * the running one that has rested longest then becomes a picture of itself, and runs again when a reader comes to it.
 */
const kMost = 4;
const living = new Set(); // the one that was last used at the end
const waiting = new Map(); // figure → what starts it

/** Starts it now, or when there is room. */
export function admit(figure, start) {
  waiting.set(figure, start);
  settle();
}

/** A reader or a script is there: it counts as the newest, whatever the others do. */
export function use(figure) {
  waiting.delete(figure);
  living.delete(figure);
  living.add(figure);
  settle();
}

/** After every change. `figure.rest()` → whether it has stopped: its picture stands, and nobody uses it. */
export function settle() {
  for (const one of living) {
    if (living.size + waiting.size <= kMost) break;
    if (one.rest()) living.delete(one);
  }
  for (const [figure, start] of waiting) {
    if (living.size >= kMost) return;
    waiting.delete(figure);
    living.add(figure);
    start();
  }
}

export function forget(figure) {
  waiting.delete(figure);
  if (living.delete(figure)) settle();
}
