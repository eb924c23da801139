/**
 * Tells the page around this one how high its frame should be, in the dialects hosts understand. `view.parent` learns nothing but
 * the height, and the frame's address where the dialect wants it back: that is the host's own.
 */
const kQuiet = 100; // milliseconds without a change before it is told

const dialects = [
  ({ height }) => ({ height }), // plain
  ({ height, src }) => JSON.stringify({ context: 'iframe.resize', height, src }), // Embedly, and sites that read it
  ({ height }) => ({ subject: 'lti.frameResize', height }), // Canvas
];

export class Heights {
  /** `wanted()`: the height this page would like, in CSS pixels, or 0 when the frame is fine as it is. */
  constructor({ view, wanted, signal }) {
    Object.assign(this, { view, wanted, told: 0 });
    signal?.addEventListener('abort', () => clearTimeout(this.timer));
  }

  /** Something may have changed. */
  note() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(), kQuiet);
  }

  tell() {
    const height = Math.ceil(this.wanted());
    if (!height || height === this.told) return;
    this.told = height;
    for (const dialect of dialects) this.view.parent.postMessage(dialect({ height, src: this.view.location.href }), '*');
  }
}

const kShape = 16 / 10, kLeast = 400, kMost = 900; // of a figure: width by height, CSS pixels
const kFlattest = 2.4, kLeastGiven = 220;

/** What suits a figure of this width; nothing else counts, so that a frame that follows does not chase itself. */
const figureHeight = (width) => Math.min(kMost, Math.max(kLeast, width / kShape));

/**
 * A figure fills any frame its author shaped, and keeps silent: only in one too flat to show anything (150 pixels, when a host
 * dropped the style) it asks for its own shape, and from then on with every new width.
 */
export function figureWish(view) {
  let asking = false;
  return () => {
    const { innerWidth: width, innerHeight: height } = view;
    asking ||= width > 0 && (height < kLeastGiven || width / height > kFlattest);
    return asking ? figureHeight(width) : 0;
  };
}

/** A page with words is as high as its content; nothing of it may depend on the frame's height (page.css). */
export const contentWish = (body) => () => body.getBoundingClientRect().height;
