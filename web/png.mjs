/** A figure as pixels: its SVG document drawn by the browser, with the fonts it was measured in. */
const kFaces = [
  ['Inter', 'ui.ttf', ''], ['Inter', 'ui-italic.ttf', 'font-style:italic;'], ['Inter', 'ui-bold.ttf', 'font-weight:600 700;'], ['STIX Two Math', 'math.ttf', ''],
];
const kMost = 8192; // pixels of a side

async function inBase64(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** An image may fetch nothing, so the fonts go into it; one that cannot be had is done without. */
async function faces(base, source) {
  const rules = await Promise.all(kFaces.map(async ([family, file, style]) => {
    const response = await source.fetch(new URL(`fonts/${file}`, base)).catch(() => null);
    return response?.ok ? `@font-face{font-family:'${family}';${style}src:url(data:font/ttf;base64,${await inBase64(await response.blob())})}` : '';
  }));
  return rules.join('');
}

const kHeader = 33; // bytes of a PNG before its second chunk
const kSource = 'tEXtSource\0';

/** The checksum of a PNG's chunks: RFC 2083, 3.4. */
function checksum(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; ++bit) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** The same picture with the link of what it shows as its text "Source". */
async function withSource(blob, link) {
  const bytes = new Uint8Array(await blob.arrayBuffer()), data = new TextEncoder().encode(kSource + link);
  const chunk = new Uint8Array(data.length + 8), view = new DataView(chunk.buffer);
  view.setUint32(0, data.length - 4);
  chunk.set(data, 4);
  view.setUint32(data.length + 4, checksum(data));
  return new Blob([bytes.subarray(0, kHeader), chunk, bytes.subarray(kHeader)], { type: blob.type });
}

/** The link inside a figure that this program saved, else "": an SVG's dc:source, a PNG's text "Source". */
export function linkIn(bytes) {
  const link = sourceIn(bytes);
  return /(^|[#?&])scene=/.test(link) ? link : ''; // other programs write a source too
}

function sourceIn(bytes) {
  const start = bytes.subarray(0, 1 << 16), text = Array.from(start, (byte) => String.fromCharCode(byte)).join(''), at = text.indexOf(kSource);
  if (text.startsWith('\x89PNG') && at > 4) return text.slice(at + kSource.length, at + 4 + new DataView(start.buffer, start.byteOffset).getUint32(at - 4));
  return (text.startsWith('<?xml') && text.match(/<dc:source>([^<]*)</)?.[1].replaceAll('&amp;', '&')) || '';
}

const kProbe = 16; // pixels of a letter in each face, below the picture: an image draws before its fonts are there, and does not say when they are

/** The document with its fonts and those letters, a strip higher. */
function withProbes(svg, style, width, height) {
  const letters = kFaces.map(([family, , face], index) => `<text x="${index * kProbe}" y="${height + kProbe - 3}" font-size="${kProbe - 2}" style="font-family:'${family}';${face.replace(/ \d+;/, ';')}">H</text>`);
  const head = (start) => start.replace(`height="${height}"`, `height="${height + kProbe}"`).replace(`viewBox="0 0 ${width} ${height}"`, `viewBox="0 0 ${width} ${height + kProbe}"`) + style;
  return svg.replace(/<svg[^>]*>/, head).replace(/<\/svg>\s*$/, `${letters.join('')}</svg>`);
}

/** Draws until every probe has ink: letters of a font that loads are left blank, for three seconds at the most. */
async function drawWithLetters(canvas, image, probes) {
  const context = canvas.getContext('2d', { willReadFrequently: true });
  for (let tries = 0; tries < 200; ++tries) {
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const inked = ({ x, y, side }) => context.getImageData(x, y, side, side).data.some((value, index) => index % 4 === 3 && value > 0);
    if (probes.every(inked)) return;
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** `svg`: a whole document with width and height; `scale`: pixels for one of its; `faces`: keeps the letters for the next picture. Gives a canvas. */
export async function figureCanvas({ svg, owner, view, base, source, scale, faces: kept = new Map() }) {
  const [, width, height] = svg.match(/ width="([\d.]+)" height="([\d.]+)"/).map(Number);
  const times = Math.max(0.1, Math.min(Number(scale) || 1, kMost / width, kMost / height));
  if (!kept.has(base.href)) kept.set(base.href, faces(base, source));
  const url = URL.createObjectURL(new Blob([withProbes(svg, `<style>${await kept.get(base.href)}</style>`, width, height)], { type: 'image/svg+xml' }));
  const canvasOf = (high) => Object.assign(owner.createElement('canvas'), { width: Math.round(width * times), height: Math.round(high * times) });
  try {
    const image = new view.Image();
    image.src = url;
    await image.decode();
    const all = canvasOf(height + kProbe), canvas = canvasOf(height), side = Math.max(1, Math.floor(kProbe * times));
    await drawWithLetters(all, image, kFaces.map((_, index) => ({ x: index * side, y: all.height - side, side })));
    canvas.getContext('2d').drawImage(all, 0, 0);
    return canvas;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The same as a PNG blob with the SVG's link. */
export async function figurePng(wanted) {
  const canvas = await figureCanvas(wanted), blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
  if (!blob) throw new Error('the browser made no PNG of it');
  return withSource(blob, linkIn(new TextEncoder().encode(wanted.svg.slice(0, 1 << 16))));
}
