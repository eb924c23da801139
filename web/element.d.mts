/** `<kappaflow-figure scene="capacity-diffusion" layers="48">`, defined by importing this module. */
import type { Report, ReportArray, Scalar } from './kappaflow.mjs';

export interface FigureState {
  scene: string;
  /** Opens the same state: `setState(link)`. */
  link: string;
  /** Values as texts, as in links. */
  params: Record<string, string>;
  summary: string;
  status: string;
  warnings: string[];
}

export class KappaflowFigure extends HTMLElement {
  scene: string;
  theme: string;
  getState(): Promise<FigureState>;
  /** A link, or `{scene, key: value}`; "" or the sentences that say what was refused. */
  setState(state: string | Record<string, string | number | boolean>): Promise<string>;
  getReport(): Promise<Report | null>;
  /** With every finished result; gives what ends it. */
  observe(field: string, tell: (value: Scalar | ReportArray | undefined) => void): () => void;
  toSVG(): Promise<string>;
  /** `scale`: pixels for one CSS pixel (2). */
  toPNG(options?: { scale?: number }): Promise<Blob | null>;
  play(on?: boolean): Promise<void>;
  /** Steps along the timeline, backward where n is negative; stops playing. */
  step(n?: number): Promise<void>;
  /** Puts the timeline at a value of its axis; stops playing. */
  seek(at: number): Promise<void>;
  /** Playing, as a multiple of the scene's own pace: 0.1 to 10. */
  setSpeed(speed: number): Promise<void>;
  reset(): Promise<void>;
  addEventListener(type: 'ready', listener: (event: CustomEvent<object>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: 'change' | 'result', listener: (event: CustomEvent<FigureState>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: 'error', listener: (event: CustomEvent<{ sentence: string }>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

/** What anywidget hands to its front-end modules, as far as it is used. */
export interface WidgetModel {
  get(key: string): any;
  set(key: string, value: any): void;
  on(name: string, callback: () => void): void;
  off(name: string, callback: () => void): void;
  save_changes(): void;
}
/**
 * A front-end module for anywidget. Read from the model: scene, params, state, ui, theme, contrast, lang, hide, lock, focus, base, height; written: link, summary, error
 * and, where the model has it, report.
 */
declare const widget: { render(props: { model: WidgetModel; el: HTMLElement; signal?: AbortSignal }): () => void };
export default widget;

declare global {
  interface HTMLElementTagNameMap { 'kappaflow-figure': KappaflowFigure; }
}
