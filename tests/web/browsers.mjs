/**
 * Firefox and WebKitGTK, driven without a library: Marionette over a socket, WebDriver over HTTP. A driver has goto(url), run(body, …args):
 * what the async function of that body returns in the chosen document, frame(id) ("" is the page), close().
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kPatience = 300e3; // milliseconds: for what never comes, not for what is slow beside other work
const scriptOf = (body) => `const done = arguments[arguments.length - 1]; (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }))`;

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
async function retried(action) {
  for (const end = performance.now() + kPatience; ;) {
    try {
      return await action();
    } catch (error) {
      if (performance.now() > end) throw error;
      await pause(100);
    }
  }
}
const unpack = ({ value, error }) => {
  if (error) throw new Error(error);
  return value;
};
const has = (program) => spawnSync('which', [program]).status === 0;
const ended = (child) => new Promise((done) => (child.exitCode === null && child.signalCode === null ? child.once('exit', done) : done()));

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** Messages of Marionette: their length, a colon, JSON. */
class Marionette {
  constructor(socket) {
    this.socket = socket;
    this.asked = new Map();
    this.held = Buffer.alloc(0);
    socket.on('data', (bytes) => this.take(bytes)).on('error', () => {});
  }
  take(bytes) {
    this.held = Buffer.concat([this.held, bytes]);
    for (;;) {
      const colon = this.held.indexOf(':'), end = colon + 1 + Number(this.held.subarray(0, colon));
      if (colon < 0 || this.held.length < end) return;
      const message = JSON.parse(this.held.subarray(colon + 1, end));
      this.held = this.held.subarray(end);
      if (!Array.isArray(message)) continue; // its greeting
      const [, id, error, result] = message, { done, failed } = this.asked.get(id);
      if (error) failed(new Error(error.message));
      else done(result);
    }
  }
  ask(name, params = {}) {
    const id = this.asked.size + 1, text = JSON.stringify([0, id, name, params]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((done, failed) => this.asked.set(id, { done, failed }));
  }
}

/** A screen that nobody sees, with OpenGL in software; {env, close()}. */
async function screen() {
  const child = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const number = await new Promise((done) => child.stdout.once('data', done));
  return { env: { ...process.env, DISPLAY: `:${String(number).trim()}`, LIBGL_ALWAYS_SOFTWARE: '1' }, close: () => child.kill() };
}

async function firefox() {
  const seen = await screen();
  const profile = mkdtempSync(join(tmpdir(), 'firefox-')), port = await freePort();
  const settings = { 'marionette.port': port, 'webgl.force-enabled': true, 'datareporting.policy.dataSubmissionEnabled': false, 'app.update.enabled': false, 'browser.shell.checkDefaultBrowser': false };
  writeFileSync(join(profile, 'user.js'), Object.entries(settings).map(([key, value]) => `user_pref(${JSON.stringify(key)}, ${JSON.stringify(value)});`).join('\n'));
  const child = spawn('firefox-esr', ['--no-remote', '--marionette', '--profile', profile, 'about:blank'], { stdio: 'ignore', env: { ...seen.env, HOME: profile } });
  const socket = await retried(() => new Promise((done, failed) => {
    const tried = createConnection({ port, host: '127.0.0.1' }, () => done(tried)).once('error', failed);
  }));
  const marionette = new Marionette(socket);
  await marionette.ask('WebDriver:NewSession');
  await marionette.ask('WebDriver:SetTimeouts', { script: kPatience, pageLoad: kPatience }); // by default a script may take thirty seconds
  return {
    goto: (url) => marionette.ask('WebDriver:Navigate', { url }),
    run: async (body) => unpack((await marionette.ask('WebDriver:ExecuteAsyncScript', { script: scriptOf(body), args: [] })).value),
    async frame(id) {
      await marionette.ask('WebDriver:SwitchToFrame', { id: null });
      if (id) await marionette.ask('WebDriver:SwitchToFrame', { element: (await marionette.ask('WebDriver:FindElement', { using: 'css selector', value: `#${id}` })).value });
    },
    async close() {
      socket.destroy();
      child.kill();
      await ended(child);
      seen.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function webkit() {
  const seen = await screen();
  const port = await freePort();
  const child = spawn('WebKitWebDriver', [`--port=${port}`], { stdio: 'ignore', env: seen.env });
  const call = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(value.message || value.error);
    return value;
  };
  const { sessionId } = await retried(() => call('POST', '', { capabilities: { alwaysMatch: { timeouts: { script: kPatience, pageLoad: kPatience } } } }));
  const of = (method, path, body) => call(method, `/${sessionId}/${path}`, body);
  return {
    goto: (url) => of('POST', 'url', { url }),
    run: async (body) => unpack(await of('POST', 'execute/async', { script: scriptOf(body), args: [] })),
    async frame(id) {
      await of('POST', 'frame', { id: null });
      if (id) await of('POST', 'frame', { id: await of('POST', 'element', { using: 'css selector', value: `#${id}` }) });
    },
    async close() {
      await call('DELETE', `/${sessionId}`).catch(() => {});
      child.kill();
      await ended(child);
      seen.close();
    },
  };
}

/** {name: {start, missing: [programs that are not installed]}} */
export const browsers = Object.fromEntries(Object.entries({ Firefox: [firefox, ['firefox-esr', 'Xvfb']], WebKitGTK: [webkit, ['WebKitWebDriver', 'Xvfb']] })
  .map(([name, [start, programs]]) => [name, { start, missing: programs.filter((program) => !has(program)) }]));
