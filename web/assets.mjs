/** Everything an instance is made of. */
import { instantiateProgram } from './pictures.mjs';

const kFontsMayTake = 800; // milliseconds the first frame waits for its fonts
const kFonts = { ui: 'ui.ttf', italic: 'ui-italic.ttf', bold: 'ui-bold.ttf', math: 'math.ttf' };

async function loadFonts(loading, at) {
  const names = Object.keys(kFonts);
  const files = await Promise.all(names.map((name) => loading.bytes(at(`fonts/${kFonts[name]}`)).catch(() => new Uint8Array())));
  return Object.fromEntries(names.map((name, index) => [name, files[index]]));
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * What computes a bundle's scenes, as jobs.mjs wants it; fetched when it is first asked for. The glue comes as text: what a worker imports by
 * itself nobody sees stall, and from file:// it may not import at all.
 */
function coreOf(loading, at, bundle) {
  const glue = at(`kappaflow-core-${bundle}.mjs`);
  return { compiled: loading.module(at(`kappaflow-core-${bundle}.wasm`)), glueText: loading.text(glue), glue: () => loading.glue(glue) };
}

/**
 * The page's `module`, `addBundle` (→ promise of what computes and draws a bundle's scenes), `computing` as jobs.mjs wants it, with the bundle of `link` there, and
 * the fonts: `fonts` when they were in time, else null and `lateFonts` a promise. Rejects with the first thing that cannot be had.
 */
export async function loadAssets(loading, base, link) {
  const at = (path) => new URL(path, base).href;
  const computing = {
    workerText: loading.text(at('worker.js')),
    core: (bundle) => coreOf(loading, at, bundle),
    file: (name) => loading.bytes(at(name)),
  };
  const lateFonts = loadFonts(loading, at);
  const [glue, compiled] = await Promise.all([loading.glue(at('kappaflow-page.mjs')), loading.module(at('kappaflow-page.wasm')), computing.workerText]);
  const { module, addPictures } = await instantiateProgram(glue, compiled, (bundle) => loading.module(at(`kappaflow-pictures-${bundle}.wasm`)));
  const addBundle = (bundle) => {
    const { compiled, glueText } = computing.core(bundle);
    return Promise.all([compiled, glueText, addPictures(bundle)]);
  };
  const bundle = module.bundleOf(link);
  await addBundle(bundle);
  const fonts = await Promise.race([lateFonts, pause(kFontsMayTake)]);
  return { module, addBundle, computing, bundle, fonts: fonts ?? null, lateFonts };
}
