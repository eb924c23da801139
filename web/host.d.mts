/** Kappaflow on anybody's page: `const flow = await createKappaflow({canvas, link: 'scene=shattering'})`. */

export interface KappaflowOptions {
  canvas: HTMLCanvasElement;
  /** Where the canvas lives: its document or shadow root (default: found from the canvas). */
  root?: Document | ShadowRoot | Element;
  /** The state to open: `scene=shattering&layers=100`, or a link; what stands behind its # is a reader's, which `lock` and a reset do without. */
  link?: string | (() => string);
  /** Everything; the picture, its few main params; the picture and its timeline. */
  ui?: 'full' | 'lesson' | 'figure';
  theme?: 'auto' | 'light' | 'dark';
  contrast?: 'auto' | 'more' | 'usual';
  /** Of words, controls and picture. The first figure that asks for another language than English decides for its page. */
  lang?: 'en' | 'fr';
  /** Keys of params without a control, by commas; `examples`, `timeline` and `handles` are taken away by their names. */
  hide?: string;
  /** Keys of params that keep the link's values whatever a reader does, by commas. */
  lock?: string;
  /** The panels of the picture that are shown, as digits by commas: `0,1`; 0 is the main one. */
  focus?: string;
  /** How fast playing begins, as a multiple of the scene's own pace: 0.1 to 10 (1). */
  speed?: number;
  /** Folder of the program's files (default: where this module lies). */
  base?: string;
  /** Who fetches them (default: the browser, from `base`). */
  source?: Source;
  /** Elements the program fills; those left out are made beside the canvas, out of sight (words and numbers: left out). */
  words?: HTMLElement;
  controls?: HTMLElement;
  live?: HTMLElement;
  numbers?: HTMLElement;
  cover?: HTMLElement;
  /** Shown until the picture is there. */
  title?: string;
  lookAt?: string;
  /** Address of a picture that is printed where the program has not drawn yet ('': none). */
  poster?: string;
  /** Bytes until then, for the bar that shows how much has come (0: unknown, no bar). */
  bytes?: number;
  /** False: the page already has instance.css. */
  styles?: boolean;
  /** Sentences about settings that mean nothing, to be shown. */
  faults?: string[];
  /** Stands in another page, whose wheel it leaves alone until it is clicked (true). */
  embedded?: boolean;
  /** Panels may take the wheel without a click (false). */
  ownWheel?: boolean;
  /** Load at once, not when first seen (false). */
  eager?: boolean;
  /** False: compute on the page's own thread, in slices. */
  workers?: 'auto' | false;
  /** Turns a state's link into what "copy link" gives. */
  fullLink?: (link: string) => string;
  /** The page that "copy embed code" puts into a frame, without query and fragment; "" when there is none (default: index.html in `base`). */
  embedAddress?: () => string;
  /** The page is the program's own: the state is kept in the fragment of its address. `authorLink` gives the query. */
  ownAddress?: boolean;
  authorLink?: () => string;
  onState?: (description: Description) => void;
  onTheme?: (theme: 'light' | 'dark', contrast: 'more' | 'usual') => void;
  onFailure?: (error: Error) => void;
}

/** Where the program's files come from. */
export interface Source {
  fetch(url: string | URL, options?: RequestInit): Promise<Response>;
  /** An address that can be imported; after `retries` failures another one. */
  moduleAddress(url: string | URL, retries?: number): Promise<string>;
}

/** Everything a reader sees, in words. */
export interface Description {
  scene: string;
  title: string;
  /** What the scene says of its first preset; where params leave that, lookAt is the summary and the others are "". */
  claim: string;
  lookAt: string;
  tryThis: string;
  params: { key: string; kind: string; label: string; symbol: string; unit: string; help: string; min: number; max: number; step: number;
    options: { key: string; label: string }[]; value: string; visible: boolean; group: string;
    /** It has a control: a lesson has the main ones, a figure none. */
    offered: boolean }[];
  handles: { id: string; label: string; valueText: string; value: number; min: number; max: number; step: number;
    x: number; y: number; width: number; height: number }[];
  presets: string[];
  /** The preset that the params are those of, or "". */
  preset: string;
  summary: string;
  warnings: string[];
  status: string;
  message: string;
  progress: number;
  /** "43 %, about 3 s left" while something is computed for more than a second, else "". */
  progressWords: string;
  busy: boolean;
  playing: boolean;
  /** A multiple of the scene's own pace. */
  speed: number;
  hasTimeline: boolean;
  /** Whether there is a network to save: `askForNetworkFile`. */
  savesNetwork: boolean;
  at: number;
  canUndo: boolean;
  canRedo: boolean;
  dark: boolean;
  highContrast: boolean;
}

/** Counts since the program was opened. */
export interface Counters {
  /** Frames drawn, and times it was asked whether to draw. */
  frames: number;
  ticks: number;
  /** Reports and partial reports taken. */
  results: number;
  drawMilliseconds: number;
  jobMilliseconds: number;
  /** WebGL contexts: asked for, given back out of sight, taken away by the browser or the driver, had again after that. */
  contextsTaken: number;
  contextsGivenBack: number;
  contextsLost: number;
  contextsRestored: number;
}

/** The page module's own object; what is not here is for the host alone. After a change call `instance.wake()`. */
export interface Page {
  describe(): Description;
  link(): string;
  openLink(link: string): void;
  setScene(id: string): void;
  /** "" or one sentence why not. */
  setParam(key: string, text: string): string;
  setPreset(name: string): void;
  moveHandle(id: string, value: number): void;
  play(playing: boolean): void;
  undo(): void;
  redo(): void;
  /** A network, points, images or their labels: what it is, name and bytes say. */
  attach(name: string, bytes: Uint8Array): void;
  /** Ends what is being computed; what there is of it stays. */
  stop(): void;
  /** Computes the scene once more; the network then comes as a file to save. */
  askForNetworkFile(): void;
  /** That file's bytes, once. */
  takeNetworkFile(): Uint8Array;
  /** The file of the reader's own that is shown; without one no bytes. */
  networkFile(): { name: string; bytes: Uint8Array };
  reset(): void;
  step(direction: 1 | -1): void;
  /** The timeline at a value of its axis. */
  seek(at: number): void;
  duration(): number;
  valueAfter(share: number): number;
  /** Playing, as a multiple of the scene's own pace: 0.1 to 10. */
  setSpeed(speed: number): void;
  /** The picture as a complete SVG document, "" before the first report. */
  figureSvg(width: number, height: number, dark: boolean, link: string, caption: string): string;
  counters(): Counters;
}

export interface Kappaflow {
  /** Null until everything has come. */
  readonly page: Page | null;
  /** Rejected where it cannot start; a retry has a promise of its own. */
  readonly ready: Promise<Kappaflow>;
  /** After a change through `page`: computes and draws it. */
  wake(): void;
  setTheme(theme: 'auto' | 'light' | 'dark'): void;
  setContrast(contrast: 'auto' | 'more' | 'usual'): void;
  /** Null until everything has come. */
  counters(): Counters | null;
  /** Takes everything down: timers, workers, the context, what was added to the page. */
  destroy(): void;
}

export function createKappaflow(options: KappaflowOptions): Promise<Kappaflow>;
