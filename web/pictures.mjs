/**
 * The page's module comes in parts (tools/scripts/split_pictures.mjs): the program, and each bundle's drawing code, which is put into it
 * when it has come. Until then the program knows that it cannot draw the bundle's scenes.
 */
import { instantiate } from './loader.mjs';

const kBundle = /^pictures-(\w+)$/; // what the program imports in place of a bundle's drawing code

/** {placeholders: imports that stand in for what has not come, bundles} */
function partsToCome(compiled) {
  const placeholders = {}, bundles = new Set();
  for (const { module, name } of WebAssembly.Module.imports(compiled)) {
    const [, bundle] = module.match(kBundle) ?? [];
    if (!bundle) continue;
    bundles.add(bundle);
    (placeholders[module] ??= {})[name] = () => {
      throw new Error(`The drawing code of the bundle ${bundle} is not there yet.`);
    };
  }
  return { placeholders, bundles };
}

/** The page's module, and `addPictures(bundle)` → promise of its drawing code being there; `fetchPart(bundle)` → promise of the compiled part. */
export async function instantiateProgram(glue, compiled, fetchPart) {
  const { placeholders, bundles } = partsToCome(compiled), coming = new Map();
  let program;
  const module = await instantiate(glue, compiled, {}, { imports: placeholders, onInstance: (instance) => (program = instance) });
  bundles.forEach((bundle) => module.awaitPictures(bundle));
  const add = async (bundle) => {
    await WebAssembly.instantiate(await fetchPart(bundle), { page: program.exports });
    module.picturesCame(bundle);
  };
  const addPictures = (bundle) => {
    if (!bundles.has(bundle)) return Promise.resolve();
    if (!coming.has(bundle)) coming.set(bundle, add(bundle));
    coming.get(bundle).catch(() => coming.delete(bundle)); // a retry asks again
    return coming.get(bundle);
  };
  return { module, addPictures };
}
