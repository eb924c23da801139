/**
 * The page's module comes in parts (tools/scripts/split_pictures.mjs): the program, and each room's drawing code, which is put into it
 * when it has come. Until then the program knows that it cannot draw the room's scenes.
 */
import { instantiate } from './loader.mjs';

const kRoom = /^pictures-(\w+)$/; // what the program imports in place of a room's drawing code

/** {placeholders: imports that stand in for what has not come, rooms} */
function partsToCome(compiled) {
  const placeholders = {}, rooms = new Set();
  for (const { module, name } of WebAssembly.Module.imports(compiled)) {
    const [, room] = module.match(kRoom) ?? [];
    if (!room) continue;
    rooms.add(room);
    (placeholders[module] ??= {})[name] = () => {
      throw new Error(`The drawing code of the room ${room} is not there yet.`);
    };
  }
  return { placeholders, rooms };
}

/** The page's module, and `addPictures(room)` → promise of its drawing code being there; `fetchPart(room)` → promise of the compiled part. */
export async function instantiateProgram(glue, compiled, fetchPart) {
  const { placeholders, rooms } = partsToCome(compiled), coming = new Map();
  let program;
  const module = await instantiate(glue, compiled, {}, { imports: placeholders, onInstance: (instance) => (program = instance) });
  rooms.forEach((room) => module.awaitPictures(room));
  const add = async (room) => {
    await WebAssembly.instantiate(await fetchPart(room), { page: program.exports });
    module.picturesCame(room);
  };
  const addPictures = (room) => {
    if (!rooms.has(room)) return Promise.resolve();
    if (!coming.has(room)) coming.set(room, add(room));
    coming.get(room).catch(() => coming.delete(room)); // a retry asks again
    return coming.get(room);
  };
  return { module, addPictures };
}
