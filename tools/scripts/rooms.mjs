/** Which module computes which scene, as src/scenes/scenes.def has it, and where scenes are kept. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** {scene id: room}, in the order of the scenes. */
export function roomsOfScenes() {
  const lines = readFileSync(new URL('../../src/scenes/scenes.def', import.meta.url), 'utf8').matchAll(/^SCENE\((\w+), (\w+)\)/gm);
  return Object.fromEntries([...lines].map(([, room, folder]) => [folder.replaceAll('_', '-'), room]));
}

/** {scene id: its folder, of src/scenes}. */
export function foldersOfScenes() {
  const scenes = fileURLToPath(new URL('../../src/scenes', import.meta.url));
  const foldersIn = (folder) => readdirSync(join(scenes, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  return Object.fromEntries(foldersIn('').flatMap(foldersIn).map((folder) => [folder.split('/')[1].replaceAll('_', '-'), folder]));
}
