/** A figure in an iframe, spoken to by messages. */
import type { FigureState } from './element.mjs';
import type { Report } from './kappaflow.mjs';

export interface FramedFigure {
  readonly version: number;
  readonly capabilities: string[];
  getState(): Promise<FigureState>;
  setState(state: string | Record<string, string | number | boolean>): Promise<string>;
  reset(): Promise<void>;
  play(on?: boolean): Promise<void>;
  /** Steps along the timeline, backward where n is negative; stops playing. */
  step(n?: number): Promise<void>;
  /** Puts the timeline at a value of its axis; stops playing. */
  seek(at: number): Promise<void>;
  /** Playing, as a multiple of the scene's own pace: 0.1 to 10. */
  setSpeed(speed: number): Promise<void>;
  setTheme(theme: 'auto' | 'light' | 'dark'): Promise<void>;
  setContrast(contrast: 'auto' | 'more' | 'usual'): Promise<void>;
  getReport(): Promise<Report | null>;
  toSVG(): Promise<string>;
  toPNG(options?: { scale?: number }): Promise<Blob | null>;
  /** From then on `observed` events tell {field, value} with every finished result. */
  observe(field: string): Promise<true>;
  unobserve(field: string): Promise<true>;
  /** Why the figure cannot be shown, "" while nothing failed. */
  readonly failure: string;
  /** Ends the conversation; what is still asked is rejected. */
  close(): void;
}
/** `patience`: milliseconds until a frame that does not answer is given up (30000; 0, never, for a lazy frame). */
export function connect(frame: HTMLIFrameElement, options?: { onEvent?: (name: 'ready' | 'change' | 'result' | 'error' | 'observed', detail: unknown) => void; patience?: number }): Promise<FramedFigure>;
