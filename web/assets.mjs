/** Everything an instance is made of, fetched at once. */
const kFontsMayTake = 800; // milliseconds the first frame waits for its fonts
const kFonts = { ui: 'ui.ttf', italic: 'ui-italic.ttf', bold: 'ui-bold.ttf', math: 'math.ttf' };

async function loadFonts(loading, at) {
  const names = Object.keys(kFonts);
  const files = await Promise.all(names.map((name) => loading.bytes(at(`fonts/${kFonts[name]}`)).catch(() => new Uint8Array())));
  return Object.fromEntries(names.map((name, index) => [name, files[index]]));
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * {glue, compiled} of the page module, `core` as jobs.mjs wants it, and the fonts: `fonts` when they were in time, else null
 * and `lateFonts` a promise. Rejects with the first thing that cannot be had.
 */
export async function loadAssets(loading, base) {
  const at = (path) => new URL(path, base).href;
  const core = {
    compiled: loading.module(at('kappaflow-core.wasm')),
    workerText: loading.text(at('worker.js')),
    glueUrl: loading.source.moduleAddress(at('kappaflow-core.mjs')),
    glueText: loading.source.moduleText?.(at('kappaflow-core.mjs')),
    glue: () => loading.glue(at('kappaflow-core.mjs')),
  };
  const lateFonts = loadFonts(loading, at);
  const page = [loading.glue(at('kappaflow-page.mjs')), loading.module(at('kappaflow-page.wasm'))];
  const [glue, compiled] = await Promise.all([...page, core.compiled, core.workerText]);
  const fonts = await Promise.race([lateFonts, pause(kFontsMayTake)]);
  return { glue, compiled, core, fonts: fonts ?? null, lateFonts };
}
