/** Pictures as a video, by the browser's own encoders: MP4 with H.264 where it has that, else WebM. Fetched with the first one. */
import { BufferTarget, CanvasSource, Mp4OutputFormat, Output, QUALITY_VERY_HIGH, WebMOutputFormat, getFirstEncodableVideoCodec } from 'mediabunny';

const kKeyEvery = 2; // seconds between pictures that stand for themselves

/** A sized output as soon as the first picture is there; encoders want even sides. */
async function opened(owner, { width, height }) {
  const canvas = Object.assign(owner.createElement('canvas'), { width: width & ~1, height: height & ~1 });
  const codec = await getFirstEncodableVideoCodec(['avc', 'vp9', 'av1', 'vp8'], { width: canvas.width, height: canvas.height, quality: QUALITY_VERY_HIGH });
  if (!codec) throw new Error('this browser encodes no video of this size; a GIF is possible');
  const target = new BufferTarget(), ending = codec === 'avc' ? 'mp4' : 'webm';
  const output = new Output({ format: ending === 'mp4' ? new Mp4OutputFormat() : new WebMOutputFormat(), target });
  const source = new CanvasSource(canvas, { codec, quality: QUALITY_VERY_HIGH, keyFrameInterval: kKeyEvery });
  output.addVideoTrack(source);
  await output.start();
  return { canvas, output, source, target, ending };
}

export function videoWriter(owner) {
  let film = null, seconds = 0;
  return {
    async add(picture, delay) {
      film ??= await opened(owner, picture);
      film.canvas.getContext('2d').drawImage(picture, 0, 0);
      await film.source.add(seconds, delay / 1000);
      seconds += delay / 1000;
    },
    cancel: () => film?.output.cancel(),
    async finish() {
      await film.output.finalize();
      return { bytes: new Uint8Array(film.target.buffer), ending: film.ending, type: `video/${film.ending}` };
    },
  };
}
