/** Kappaflow's computations for other programs: the same scenes, params and reports as the command line's. */

export interface SceneInfo {
  id: string;
  title: string;
  /** One line. */
  claim: string;
  group: string;
  /** Paper, figure, equations. */
  source: string;
}

export type ParamKind = 'number' | 'integer' | 'seed' | 'boolean' | 'choice' | 'list' | 'profile' | 'architecture' | 'network' | 'data';
export type ParamValue = number | boolean | string | number[];

export interface ParamInfo {
  key: string;
  symbol: string;
  label: string;
  unit: string;
  kind: ParamKind;
  default: ParamValue;
  min?: number;
  max?: number;
  maxLength?: number;
  odd?: true;
  logarithmic?: true;
  /** Of a choice, network or data; of a number: names for special values. */
  options?: { key: string; label: string; value?: number | null }[];
  /** What the param takes, in words. */
  takes: string;
  help: string;
  serves: string;
  group: 'main' | 'more' | 'hidden';
  /** View params change the picture only. */
  affects: 'request' | 'view';
}

export type Role = 'measurement' | 'theory' | 'bound';

export interface SceneDescription extends SceneInfo {
  /** Whether reports can carry their network as a file. */
  savesNetwork: boolean;
  lookAt: string;
  tryThis: string;
  params: ParamInfo[];
  fields: { name: string; symbol: string; axes: string[]; role: Role; about: string }[];
  /** lookAt: what to look at; the first preset has the scene's own. */
  presets: { name: string; lookAt?: string; values: Record<string, ParamValue> }[];
  timeline?: { param: string; axis: string; label: string };
  /** Takes its place while its param is visible. */
  timelineInstead?: { param: string; axis: string; label: string };
  /** Arrays whose numbers depend chaotically on rounding. */
  statistical: string[];
}

export interface Scalar {
  value: number | null;
  symbol: string;
  about: string;
  /** Of a Monte Carlo value. */
  standardError?: number;
  draws?: number;
}

export interface ReportArray {
  axes: { name: string; values: number[] | string[] }[];
  shape: number[];
  /** Row-major; NaN where nothing is defined. */
  values: Float64Array;
  standardError?: Float64Array;
  symbol: string;
  role: Role;
  about: string;
}

export interface Report {
  kappaflow: string;
  schema: number;
  scene: string;
  /** Every param, defaults included. */
  params: Record<string, ParamValue>;
  status: 'ok' | 'partial' | 'cancelled' | 'failed';
  message: string;
  warnings: string[];
  /** One to three sentences made from the numbers. */
  summary: string;
  /** Sentences about parts of the result, as why one is missing; left out when there are none. */
  notes?: Record<string, string>;
  scalars: Record<string, Scalar>;
  arrays: Record<string, ReportArray>;
  /** Only with `withNetwork`. */
  network?: { layers: { kind: string; weights: { shape: number[]; values: number[] }; bias: number[] }[] };
  /** The network as an ONNX file: only with `withNetwork`, of scenes whose description says `savesNetwork`. */
  networkFile?: Uint8Array;
}

export interface RunOptions {
  /** An ONNX file's bytes. */
  network?: Uint8Array | ArrayBuffer;
  /** A data file's bytes. */
  data?: Uint8Array | ArrayBuffer;
  /** Puts the network's weights into the report, and the network as a file where the scene saves it. */
  withNetwork?: boolean;
  /** Stops the computation at once; the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** 0 … 1, never falling. */
  onProgress?: (fraction: number) => void;
  /** The report so far, at most every 100 ms. */
  onPartial?: (report: Report) => void;
  /** False: compute on the spot, in one piece, where `signal` cannot stop it. Also what happens where workers are forbidden. */
  worker?: boolean;
}

/** A request that cannot be met; the message says what would be right. */
export class InputError extends Error {}

export function listScenes(): Promise<SceneInfo[]>;
/** Rejects with InputError on an unknown scene. */
export function describeScene(id: string): Promise<SceneDescription>;
export function exampleNetworks(): Promise<{ id: string; label: string; about: string }[]>;
/** Computes a scene in a worker (Node: a worker thread). Params left out have their defaults; out of range ones are clamped with a warning. */
export function run(id: string, params?: Record<string, ParamValue>, options?: RunOptions): Promise<Report>;
