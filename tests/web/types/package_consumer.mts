// What people write who have the npm package; compiled in a fresh folder, never run.
import type { AnyModel, AnyWidget } from '@anywidget/types';
import widget, { KappaflowFigure, type FigureState } from 'kappaflow';
import { connect } from 'kappaflow/client';
import { createKappaflow } from 'kappaflow/host';
import { run, type Report } from 'kappaflow/run';

export const front: AnyWidget = widget;
export const shown = (model: AnyModel, el: HTMLElement): (() => void) => widget.render({ model, el });

export async function spread(figure: KappaflowFigure, frame: HTMLIFrameElement, canvas: HTMLCanvasElement): Promise<number> {
  const state: FigureState = await figure.getState();
  await (await connect(frame)).setState(state.link);
  (await createKappaflow({ canvas, link: state.link })).destroy();
  const report: Report = await run('capacity-diffusion', { layers: 16 });
  // @ts-expect-error a widget needs a place
  widget.render({ model: null });
  return report.scalars['spread']?.value ?? Number.NaN;
}
