/** Pictures of states as SVG, drawn in Node by the finished site's own modules. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { instantiate } from '../../web/loader.mjs';
import { instantiateProgram } from '../../web/pictures.mjs';

/** `draw(link, {width, height, dark})` → promise of an SVG document. */
export async function painter(site, bundles) {
  const compiled = (name) => WebAssembly.compile(readFileSync(join(site, `${name}.wasm`)));
  const glue = async (name) => (await import(pathToFileURL(join(site, `${name}.mjs`)))).default;
  const { module, addPictures } = await instantiateProgram(await glue('kappaflow-page'), await compiled('kappaflow-page'), (bundle) => compiled(`kappaflow-pictures-${bundle}`));
  const cores = new Map(), page = new module.Page();
  const fault = page.setFonts(Object.fromEntries(['ui', 'ui-italic', 'ui-bold', 'math'].map((name) => [name.replace('ui-', ''), new Uint8Array(readFileSync(join(site, `fonts/${name}.ttf`)))])));
  if (fault) throw new Error(fault);
  const core = (bundle) => {
    if (!cores.has(bundle)) cores.set(bundle, Promise.all([glue(`kappaflow-core-${bundle}`), compiled(`kappaflow-core-${bundle}`)]).then(([make, code]) => instantiate(make, code)));
    return cores.get(bundle);
  };
  /** A job in one piece; what it misses of the samples is given to it. */
  const compute = async ({ job, bytes, bundle }) => {
    const program = await core(bundle), events = [];
    const asked = program.runJob(job, bytes, 1, (event) => events.push(event)) ?? {};
    if (asked.error) throw new Error(asked.error);
    if (!asked.missing) return events.forEach((event) => page.jobEvent(event));
    program.provideFile(asked.missing, new Uint8Array(readFileSync(join(site, asked.missing))));
    return compute({ job, bytes, bundle });
  };
  return async (link, { width, height, dark = false }) => {
    page.setOptions({ ui: 'figure', hide: 'timeline', dark, reducedMotion: true });
    page.resize(width, height, 1);
    page.openLink(link);
    const { warnings, scene } = page.describe();
    if (warnings.length) throw new Error(`${link}: ${warnings.join(' ')}`);
    await addPictures(bundles[scene]);
    const orders = page.takeOutbox().filter(({ what }) => what === 'start');
    if (orders.length) await compute(orders.at(-1));
    const svg = page.figureSvg(width, height, dark, '', '');
    if (!svg) throw new Error(`${link} gives no picture: ${page.describe().message}`);
    return svg;
  };
}
