/** A curve as a tone, for those who listen to it: its values from first to last, the higher the higher. */
const kSeconds = 3, kLowest = 220, kOctaves = 2, kMostPoints = 1500, kLoudness = 0.15;

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/** Least and greatest value, null where there is no number. */
export function rangeOf(values) {
  const numbers = Array.prototype.filter.call(values, isNumber);
  return numbers.length ? [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))] : null;
}

/** A frequency in Hz for each value, null for what is no number: two octaves from the least to the greatest, the octave between for a constant. */
export function pitches(values) {
  const range = rangeOf(values);
  const share = (value) => (range[1] > range[0] ? (value / 2 - range[0] / 2) / (range[1] / 2 - range[0] / 2) : 0.5); // halves: no difference overflows
  return Array.from(values, (value) => (isNumber(value) ? kLowest * 2 ** (kOctaves * share(value)) : null));
}

/** Long curves by every nth value. */
const thinned = (values) => {
  const every = Math.ceil(values.length / kMostPoints);
  return every > 1 ? Array.prototype.filter.call(values, (_, index) => index % every === 0) : values;
};

/** Gliding from one frequency to the next; silent beside a null. The oscillator, which has been told when to begin and to end. */
export function sound(context, hertz, seconds, loudness) {
  const oscillator = context.createOscillator(), gain = context.createGain(), begin = context.currentTime + 0.05, pace = seconds / Math.max(1, hertz.length - 1);
  gain.gain.value = 0;
  hertz.forEach((pitch, index) => {
    const at = begin + index * pace, alone = pitch === null || hertz[index - 1] === null || index === 0;
    if (pitch !== null) oscillator.frequency[alone ? 'setValueAtTime' : 'exponentialRampToValueAtTime'](pitch, at);
    gain.gain.setTargetAtTime(pitch === null || hertz[index + 1] === null ? 0 : loudness, at, 0.005);
  });
  gain.gain.setTargetAtTime(0, begin + seconds, 0.01);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(begin);
  oscillator.stop(begin + seconds + 0.1);
  return oscillator;
}

/** One tone at a time. `view`: the window, whose AudioContext is made at a reader's first wish. */
export class Listening {
  constructor(view) { this.view = view; }

  get possible() { return Boolean(this.view.AudioContext); }

  /** `onEnd()`: it has come to its end, or another has begun. */
  play(values, onEnd) {
    this.stop();
    this.context ??= new this.view.AudioContext();
    this.context.resume();
    this.oscillator = sound(this.context, pitches(thinned(values)), kSeconds, kLoudness);
    this.ended = onEnd;
    const own = this.oscillator;
    own.onended = () => own === this.oscillator && this.stop();
  }

  stop() {
    const { oscillator, ended } = this;
    this.oscillator = this.ended = null;
    oscillator?.disconnect();
    ended?.();
  }

  destroy() {
    this.stop();
    this.context?.close();
  }
}

/** What is heard, in words. */
export function toneInWords(values, format) {
  const [least, greatest] = rangeOf(values);
  return `${kSeconds} seconds, from ${kLowest} Hz at ${format(least)} to ${kLowest * 2 ** kOctaves} Hz at ${format(greatest)}`;
}
