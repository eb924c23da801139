/** Which module computes which scene, as src/scenes/scenes.def has it. */
import { readFileSync } from 'node:fs';

/** {scene id: room}, in the order of the scenes. */
export function roomsOfScenes() {
  const lines = readFileSync(new URL('../src/scenes/scenes.def', import.meta.url), 'utf8').matchAll(/^SCENE\((\w+), (\w+)\)/gm);
  return Object.fromEntries([...lines].map(([, room, folder]) => [folder.replaceAll('_', '-'), room]));
}
