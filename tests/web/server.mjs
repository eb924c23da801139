/**
 * The site as good and bad hosts serve it. Prefixes choose the fault: /nocors/, /wrongmime/, /stall/ (page wasm never ends),
 * /missing/ (page wasm is 404), /nopictures/ (the pictures of bundles but the first are 404), /latepictures/ (they never end), /noglue/ and
 * /lateglue/ (the same of the glue of what computes them), /noflow/ (of the first's), /nofont/ (the letters are 404), /badwasm/ (an HTML page in its place), /noworkers/ (a
 * policy that forbids workers), /nofirst/ and /badfirst/ (the recorded first results are 404, or an HTML page), /noinline/ (no CORS header, and a policy that forbids scripts inside pages), /trusted/
 * (a policy that asks for Trusted Types).
 * Test pages are given as {path: html}.
 */
import { sendFile, startServer } from '../../tools/scripts/serve.mjs';

const kAny = { 'Access-Control-Allow-Origin': '*' };
const kNoWorkers = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' blob:; worker-src 'none'; style-src 'self'; connect-src 'self' blob:; img-src 'self' data:";

const kNoInline = "script-src 'self' 'wasm-unsafe-eval' blob:";

const broken = (what, files) => (context) => (files.test(context.path) && !context.state.mended ? what(context) : context.send(kAny));
const absent = (context) => context.refuse(404, 'not found'), endless = (context) => context.stall();

const faults = {
  nocors: (context) => context.send({}),
  wrongmime: (context) => context.send({ ...kAny, ...(context.isWasm ? { 'Content-Type': 'text/plain' } : {}) }),
  noworkers: (context) => context.send({ ...kAny, 'Content-Security-Policy': kNoWorkers }),
  noinline: (context) => context.send({ 'Content-Security-Policy': kNoInline }),
  trusted: (context) => context.send({ ...kAny, 'Content-Security-Policy': "require-trusted-types-for 'script'" }),
  missing: broken(absent, /kappaflow-page\.wasm$/),
  stall: broken(endless, /kappaflow-page\.wasm$/),
  nopictures: broken(absent, /-pictures-(?!flow)/),
  latepictures: broken(endless, /-pictures-(?!flow)/),
  noglue: broken(absent, /-core-(?!flow)\w+\.mjs$/),
  lateglue: broken(endless, /-core-(?!flow)\w+\.mjs$/),
  nofirst: broken(absent, /first\/\w+\.bin$/),
  badfirst: broken((context) => context.refuse(200, '<!'), /first\/\w+\.bin$/),
  nofont: broken(absent, /fonts\/ui\.ttf$/),
  noflow: broken(absent, /-core-flow\.mjs$/),
  badwasm: (context) => (context.isPageWasm ? context.refuse(200, '<!doctype html><p>This is the front page.') : context.send(kAny)),
};

/** {port, url, requests: [paths], state: {mended}, close()} */
export async function serveSite(folder, pages = {}) {
  const requests = [], state = { mended: false };
  const handle = (request, response) => {
    requests.push(request.url);
    const path = request.url.split(/[?#]/)[0];
    if (pages[path]) return response.writeHead(200, { ...kAny, 'Content-Type': 'text/html; charset=utf-8' }).end(pages[path]);
    if (path === '/favicon.ico') return response.writeHead(204).end(); // browsers ask for it, the project has none
    const [, prefix] = path.split('/');
    const fault = faults[prefix];
    if (fault) request.url = request.url.slice(prefix.length + 1);
    const send = (headers) => sendFile(folder, request, response, headers) || response.writeHead(404, kAny).end('not found');
    const context = {
      state, send, path,
      isWasm: path.endsWith('.wasm'),
      isPageWasm: path.endsWith('kappaflow-page.wasm'),
      refuse: (status, text) => response.writeHead(status, { ...kAny, 'Content-Type': 'text/html' }).end(text),
      stall: () => response.writeHead(200, { ...kAny, 'Content-Type': 'application/wasm', 'Content-Length': 300000 }).write('\0asm'),
    };
    return fault ? fault(context) : send(kAny);
  };
  const server = await startServer(0, handle);
  const { port } = server.address();
  const close = () => (server.closeAllConnections(), new Promise((done) => server.close(done)));
  return { port, url: `http://localhost:${port}/`, requests, state, close };
}
