/** The timeline as a film: the moments that playing passes, evenly in time, as a GIF. Fetched when a reader wants the first one. */
import { GIFEncoder, applyPalette, quantize } from 'gifenc';
import { figureCanvas } from './png.mjs';

const kFramesASecond = 12, kFewest = 12, kMost = 240, kRest = 2000; // milliseconds that the last picture stays
const kWidest = 1200, kColours = 256;

/** How many pictures a film of so many seconds has, and how long each stays, in milliseconds. */
export function paceOf(seconds) {
  const frames = Math.round(Math.min(kMost, Math.max(kFewest, seconds * kFramesASecond)));
  return { frames, delay: Math.max(20, Math.round((100 * seconds) / frames) * 10) }; // GIF counts in hundredths
}

/**
 * `pictureAt(index, frames)` → promise of {data, width, height}, RGBA; `delay`: milliseconds each. Bytes of a GIF that plays for ever;
 * null where `signal` ended it. `tell(share)` after each picture.
 */
export async function gifOf({ frames, delay, pictureAt, signal, tell = () => {} }) {
  const gif = GIFEncoder();
  for (let index = 0; index < frames; ++index) {
    const { data, width, height } = await pictureAt(index, frames);
    if (signal.aborted) return null;
    const palette = quantize(data, kColours, { format: 'rgb444' });
    gif.writeFrame(applyPalette(data, palette, 'rgb444'), width, height, { palette, delay: index + 1 < frames ? delay : kRest });
    tell((index + 1) / frames);
  }
  gif.finish();
  return gif.bytes();
}

/** The film of what is on the page, whose timeline is where it was afterwards. `svg()`: the picture as it stands. Null where it was ended. */
export async function filmOf({ page, svg, place, signal, tell, wake }) {
  const { at: before, scene } = page.describe(), faces = new Map(), gone = () => page.describe().scene !== scene;
  const pictureAt = async (index, frames) => {
    page.seek(page.valueAfter(index / (frames - 1))), wake();
    while (page.describe().busy && !signal.aborted) await new Promise((done) => setTimeout(done, 20));
    if (gone()) throw new Error('another figure was chosen meanwhile');
    const text = svg(), width = Number(text.match(/ width="([\d.]+)"/)[1]);
    const canvas = await figureCanvas({ svg: text, ...place, faces, scale: Math.min(1, kWidest / width) });
    return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  };
  try {
    return await gifOf({ ...paceOf(page.duration() / page.describe().speed), pictureAt, signal, tell });
  } finally {
    if (!gone()) page.seek(before), wake();
  }
}
