/** Serves a folder on http://localhost:8000 (PORT): serve.mjs [folder]. Also what the browser tests serve with. */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const kTypes = {
  '.html': 'text/html; charset=utf-8', '.mjs': 'text/javascript', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.md': 'text/markdown; charset=utf-8', '.json': 'application/json',
  '.wasm': 'application/wasm', '.ttf': 'font/ttf', '.txt': 'text/plain; charset=utf-8', '.mts': 'text/plain; charset=utf-8', '.woff2': 'font/woff2', '.onnx': 'application/octet-stream',
};

function fileOf(folder, url) {
  const path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  const file = resolve(join(folder, path.endsWith('/') ? `${path}index.html` : path));
  return file.startsWith(resolve(folder) + sep) ? file : null;
}

/** Sends one file; false when there is none. Any page may embed this one: sandboxed frames need the CORS header. */
export function sendFile(folder, request, response, headers = { 'Access-Control-Allow-Origin': '*' }) {
  let file, size;
  try {
    file = fileOf(folder, request.url);
    size = file && statSync(file).isFile() ? statSync(file).size : -1;
  } catch {
    size = -1;
  }
  if (size < 0) return false;
  response.writeHead(200, { 'Content-Type': kTypes[extname(file)] ?? 'application/octet-stream', 'Content-Length': size, 'Cache-Control': 'no-cache', ...headers });
  if (request.method === 'HEAD') response.end();
  else createReadStream(file).pipe(response);
  return true;
}

export function startServer(port, handle) {
  const server = createServer(handle);
  return new Promise((done, failed) => server.once('error', failed).listen(port, () => done(server)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? resolve(fileURLToPath(import.meta.url), '../../../build/web/site');
  const port = Number(process.env.PORT ?? 8000);
  try {
    await startServer(port, (request, response) => sendFile(folder, request, response) || response.writeHead(404).end('not found'));
    console.log(`http://localhost:${port}`);
  } catch (error) {
    console.error(error.code === 'EADDRINUSE' ? `Port ${port} is taken; choose another: make serve PORT=8001` : error.message);
    process.exit(1);
  }
}
