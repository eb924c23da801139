/** Pictures of states as SVG, drawn in Node by the finished site's own modules. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { instantiate } from '../../web/loader.mjs';
import { instantiateProgram } from '../../web/pictures.mjs';

/** `say`: what stands for English texts. {draw(link, {width, height, dark}) → promise of an SVG document, first(link, later) → promise of a first result's file, see web/first.mjs, of its beginning where there are names of arrays that come `later`}. */
export async function painter(site, bundles, say = null) {
  const compiled = (name) => WebAssembly.compile(readFileSync(join(site, `${name}.wasm`)));
  const glue = async (name) => (await import(pathToFileURL(join(site, `${name}.mjs`)))).default;
  const { module, addPictures } = await instantiateProgram(await glue('kappaflow-page'), await compiled('kappaflow-page'), (bundle) => compiled(`kappaflow-pictures-${bundle}`));
  const cores = new Map(), page = new module.Page();
  const fault = page.setFonts(Object.fromEntries(['ui', 'ui-italic', 'ui-bold', 'math'].map((name) => [name.replace('ui-', ''), new Uint8Array(readFileSync(join(site, `fonts/${name}.ttf`)))])));
  if (fault) throw new Error(fault);
  if (say) page.setWords(say);
  const opened = async (name) => instantiate(await glue(name), await compiled(name)), whole = () => opened('kappaflow-core');
  const core = (bundle) => {
    if (!cores.has(bundle)) cores.set(bundle, opened(`kappaflow-core-${bundle}`));
    return cores.get(bundle);
  };
  /** A job in one piece; what it misses of the samples is given to it. */
  const compute = async ({ job, bytes, bundle }) => {
    const program = await core(bundle), events = [];
    const asked = program.runJob(job, bytes, 1, (event) => events.push(event)) ?? {};
    if (asked.error) throw new Error(asked.error);
    if (!asked.missing) return events.forEach((event) => page.jobEvent(event)), events.at(-1);
    program.provideFile(asked.missing, new Uint8Array(readFileSync(join(site, asked.missing))));
    return compute({ job, bytes, bundle });
  };
  /** The page at the link with its result; the order of the job, where there was one, with the event that ended it. */
  const open = async (link) => {
    page.openLink(link);
    const { warnings, scene } = page.describe();
    if (warnings.length) throw new Error(`${link}: ${warnings.join(' ')}`);
    await addPictures(bundles[scene]);
    const orders = page.takeOutbox().filter(({ what }) => what === 'start');
    return orders.length ? { ...orders.at(-1), event: await compute(orders.at(-1)) } : null;
  };
  const draw = async (link, { width, height, dark = false }) => {
    page.setOptions({ ui: 'figure', hide: 'timeline', dark, reducedMotion: true });
    page.resize(width, height, 1);
    await open(link);
    const svg = page.figureSvg(width, height, dark, '', '');
    if (!svg) throw new Error(`${link} gives no picture: ${page.describe().message}`);
    return svg;
  };
  const first = async (link, later = []) => {
    const done = await open(link);
    if (!done) throw new Error(`${link} has been shown already: its result comes first.`);
    const size = Buffer.alloc(4), event = later.length ? (await whole()).beginningOf(done.event, later) : done.event;
    size.writeUInt32LE(done.bytes.length);
    return Buffer.concat([size, done.bytes, event]);
  };
  return { draw, first };
}
