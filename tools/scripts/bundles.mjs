/** Which module computes which scene, as src/scenes/scenes.def has it, and where scenes are kept. */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** {scene id: bundle}, in the order of the scenes. */
export function bundlesOfScenes() {
  const lines = readFileSync(new URL('../../src/scenes/scenes.def', import.meta.url), 'utf8').matchAll(/^SCENE\((\w+), (\w+)\)/gm);
  return Object.fromEntries([...lines].map(([, bundle, folder]) => [folder.replaceAll('_', '-'), bundle]));
}

/** {scene id: its words, NAME.md in the folder of its family, under src/scenes}. */
export function notesOfScenes() {
  const scenes = fileURLToPath(new URL('../../src/scenes', import.meta.url));
  const files = readdirSync(scenes, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(scenes, name)).filter((file) => file.endsWith('.md')).map((file) => join(name, file)));
  return Object.fromEntries(files.map((file) => [basename(file, '.md').replaceAll('_', '-'), join(scenes, file)]));
}
