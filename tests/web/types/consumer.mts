// What people who use the modules from TypeScript write; compiled, never run. Lines marked as errors have to be errors.
import { createKappaflow, type Counters, type Description, type Kappaflow } from '../../../web/host.mjs';
import { connect } from '../../../web/client.mjs';
import { KappaflowFigure, type FigureState } from '../../../web/element.mjs';
import { describeScene, exampleNetworks, InputError, listScenes, run, type Report } from '../../../web/kappaflow.mjs';

export async function embed(canvas: HTMLCanvasElement): Promise<() => void> {
  const flow: Kappaflow = await createKappaflow({
    canvas,
    link: 'scene=capacity-diffusion&layers=48',
    ui: 'figure',
    theme: 'auto',
    hide: 'seed,draws',
    embedAddress: () => 'https://your.host/kappaflow/',
    onState: ({ summary, params }: Description) => console.log(summary, params.map(({ key, value }) => `${key}=${value}`)),
    onFailure: (error) => console.error(error.message),
  });
  await flow.ready;
  const why: string | undefined = flow.page?.setParam('layers', '96');
  if (why) throw new Error(why);
  flow.wake();
  const counters: Counters | null = flow.counters();
  console.log(counters?.contextsLost, flow.page?.figureSvg(800, 500, false, flow.page.link(), 'A caption').length);
  // @ts-expect-error a canvas is needed
  createKappaflow({ link: '' });
  // @ts-expect-error there is no such interface
  createKappaflow({ canvas, ui: 'tiny' });
  // @ts-expect-error the page may not be there yet
  flow.page.undo();
  // @ts-expect-error values are texts, as in a link
  flow.page?.setParam('layers', 96);
  return () => flow.destroy();
}

export async function compute(signal: AbortSignal, file: File): Promise<number> {
  const [first] = await listScenes();
  const { params, presets } = await describeScene(first?.id ?? 'shattering');
  const networks: { id: string; label: string }[] = await exampleNetworks();
  console.log(params.map(({ key, min }) => `${key} ${min ?? ''}`), presets.length, networks.length);
  try {
    const report: Report = await run('capacity-diffusion', { layers: 48, kernel: 'random', shared: true }, {
      network: new Uint8Array(await file.arrayBuffer()), signal, onProgress: (fraction) => console.log(fraction.toFixed(2)),
    });
    const values: Float64Array | undefined = report.arrays['capacity']?.values;
    // @ts-expect-error a status is one of four words
    if (report.status === 'done') return 0;
    // @ts-expect-error a network is bytes, not a name
    await run('shattering', {}, { network: 'model.onnx' });
    const saved: Uint8Array | undefined = (await run('activation-regions', {}, { withNetwork: true })).networkFile;
    return (report.scalars['spread']?.value ?? Number.NaN) + (values?.length ?? 0) + (saved?.byteLength ?? 0);
  } catch (error) {
    if (error instanceof InputError) return -1;
    throw error;
  }
}

export async function figures(frame: HTMLIFrameElement): Promise<() => void> {
  const figure: KappaflowFigure = document.createElement('kappaflow-figure');
  figure.scene = 'shattering';
  figure.addEventListener('result', ({ detail }) => console.log(detail.summary, detail.params['layers']));
  const refused: string = await figure.setState({ layers: 96, play: false });
  const blob: Blob | null = await figure.toPNG({ scale: 1 });
  const end = figure.observe('spread', (value) => console.log(value?.symbol));
  console.log(refused, blob?.size);
  const framed = await connect(frame, { onEvent: (name, detail) => console.log(name, detail) });
  const state: FigureState = await framed.getState();
  // @ts-expect-error links and objects only
  await framed.setState(42);
  // @ts-expect-error no such event
  await connect(frame, { onEvent: (name: 'click') => console.log(name) });
  console.log(state.link, (await framed.getReport())?.summary);
  return end;
}
