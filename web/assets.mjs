/** Everything an instance is made of. */
import { isPlain } from './address.mjs';
import { FirstResult } from './first.mjs';
import { instantiateProgram } from './pictures.mjs';

/** Letters that the first font has are done without where another does not come. */
async function loadFonts(loading, at) {
  const [first, ...others] = ['ui', 'ui-italic', 'ui-bold', 'math'].map((name) => loading.bytes(at(`fonts/${name}.ttf`)));
  const [ui, italic, bold, math] = await Promise.all([first, ...others.map((file) => file.catch(() => new Uint8Array()))]);
  return { ui, italic, bold, math };
}

/**
 * What computes a bundle's scenes, as jobs.mjs wants it; fetched when it is first asked for. The glue comes as text: what a worker imports by
 * itself nobody sees stall, and from file:// it may not import at all.
 */
function coreOf(loading, at, bundle) {
  const glue = at(`kappaflow-core-${bundle}.mjs`);
  return { compiled: loading.module(at(`kappaflow-core-${bundle}.wasm`)), glueText: loading.text(glue), glueUrl: glue, glue: () => loading.glue(glue) };
}

/**
 * The page's `module`, `addBundle` (→ promise of what computes and draws a bundle's scenes), `computing` as jobs.mjs wants it, with the bundle of `link` there, and
 * the `fonts`. Rejects with the first thing that cannot be had. `opening`: a scene, or home, whose first result the site has; where the link asks for just that,
 * it comes as `first`, and nothing that computes is waited for.
 */
export async function loadAssets(loading, base, link, opening) {
  const at = (path) => new URL(path, base).href;
  const computing = {
    workerText: loading.text(at('worker.js')),
    core: (bundle) => coreOf(loading, at, bundle),
    file: (name) => loading.bytes(at(name)),
  };
  const coming = loadFonts(loading, at);
  coming.catch(() => {}); // heard below
  const recorded = opening && isPlain(link) ? loading.bytes(at(`first/${opening}.bin`)).then((bytes) => new FirstResult(bytes)).catch(() => null) : null; // what computes makes it too
  const [glue, compiled] = await Promise.all([loading.glue(at('kappaflow-page.mjs')), loading.module(at('kappaflow-page.wasm')), computing.workerText]);
  const { module, addPictures } = await instantiateProgram(glue, compiled, (bundle) => loading.module(at(`kappaflow-pictures-${bundle}.wasm`)));
  const addBundle = (bundle) => {
    const { compiled, glueText } = computing.core(bundle);
    return Promise.all([compiled, glueText, addPictures(bundle)]);
  };
  const bundle = module.bundleOf(link);
  const first = await recorded;
  const [fonts] = await Promise.all([coming, first ? addPictures(bundle) : addBundle(bundle)]);
  return { module, addBundle, computing, bundle, fonts, first };
}
