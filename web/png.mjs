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

/** `svg`: a whole document with width and height; `scale`: pixels for one of its. Gives a PNG blob. */
export async function figurePng({ svg, owner, view, base, source, scale }) {
  const [, width, height] = svg.match(/ width="([\d.]+)" height="([\d.]+)"/).map(Number);
  const times = Math.max(0.1, Math.min(Number(scale) || 1, kMost / width, kMost / height));
  const style = `<style>${await faces(base, source)}</style>`;
  const url = URL.createObjectURL(new Blob([svg.replace(/<svg[^>]*>/, (start) => start + style)], { type: 'image/svg+xml' }));
  try {
    const image = new view.Image();
    image.src = url;
    await image.decode();
    const canvas = owner.createElement('canvas');
    canvas.width = Math.round(width * times);
    canvas.height = Math.round(height * times);
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be made.'))), 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}
