/** The timeline as a film: the moments that playing passes, evenly in time, as a video or a GIF. Fetched when a reader wants the first one. */
import { GIFEncoder, applyPalette, quantize } from 'gifenc';
import { figureCanvas } from './png.mjs';

const kPaces = { gif: { perSecond: 12, most: 240 }, video: { perSecond: 24, most: 480 } };
const kFewest = 12, kRest = 2000; // milliseconds that the last picture stays
const kWidest = { gif: 1200, video: 1920 }, kColours = 256;

/** How many pictures a film of so many seconds has, and how long each stays, in milliseconds. */
export function paceOf(seconds, format = 'gif') {
  const { perSecond, most } = kPaces[format], frames = Math.round(Math.min(most, Math.max(kFewest, seconds * perSecond)));
  return { frames, delay: format === 'gif' ? Math.max(20, Math.round((100 * seconds) / frames) * 10) : (1000 * seconds) / frames }; // GIF counts in hundredths
}

/** Takes pictures one by one; plays for ever. */
function gifWriter() {
  const gif = GIFEncoder();
  return {
    add(canvas, delay) {
      const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height), palette = quantize(data, kColours, { format: 'rgb444' });
      gif.writeFrame(applyPalette(data, palette, 'rgb444'), width, height, { palette, delay });
    },
    finish: () => (gif.finish(), { bytes: gif.bytes(), ending: 'gif', type: 'image/gif' }),
  };
}

/**
 * The film of what is on the page, whose timeline is where it was afterwards: {bytes, ending, type}; null where `signal` ended it.
 * `format`: gif or video. `svg()`: the picture as it stands. `tell(share)` after each picture.
 */
export async function filmOf({ page, svg, place, signal, tell = () => {}, wake, format }) {
  const { at: before, scene, speed } = page.describe(), letters = new Map(), gone = () => page.describe().scene !== scene;
  const { frames, delay } = paceOf(page.duration() / speed, format);
  const writer = format === 'gif' ? gifWriter() : (await import('./video.mjs')).videoWriter(place.owner);
  const pictureAt = async (share) => {
    page.seek(page.valueAfter(share)), wake();
    while (page.describe().busy && !signal.aborted) await new Promise((done) => setTimeout(done, 20));
    if (gone()) throw new Error('another figure was chosen meanwhile');
    const text = svg(), width = Number(text.match(/ width="([\d.]+)"/)[1]), least = format === 'gif' ? 1 : 2;
    return figureCanvas({ svg: text, ...place, faces: letters, scale: Math.min(least, kWidest[format] / width) });
  };
  try {
    for (let index = 0; index < frames; ++index) {
      await writer.add(await pictureAt(index / (frames - 1)), index + 1 < frames ? delay : kRest);
      if (signal.aborted) return await writer.cancel?.(), null;
      tell((index + 1) / frames);
    }
    return await writer.finish();
  } catch (error) {
    await writer.cancel?.();
    throw error;
  } finally {
    if (!gone()) page.seek(before), wake();
  }
}
