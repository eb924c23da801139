/** A native process (goldens --batch) that carries out command lines, one after the other. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const kProgram = resolve(fileURLToPath(import.meta.url), '../../../build/release/goldens');

/** `ask(words)`: what a command line says, {status, out, err}; answers come in the order of the questions. */
export function nativeBatch(program = kProgram) {
  const child = spawn(program, ['--batch'], { stdio: ['pipe', 'pipe', 'inherit'] }), waiting = [];
  let chunks = [], held = 0, wanted = 1; // bytes until something can be read
  const take = () => {
    const buffer = Buffer.concat(chunks), line = buffer.indexOf(10);
    const [status, out, err] = line < 0 ? [0, held, 1] : buffer.subarray(0, line).toString().split(' ').map(Number), begin = line + 1, end = begin + out + err;
    chunks = [buffer];
    if (held < end) return void (wanted = end);
    waiting.shift().done({ status, out: buffer.toString('utf8', begin, begin + out), err: buffer.toString('utf8', begin + out, end).trim() });
    chunks = [buffer.subarray(end)], held -= end, wanted = 1;
  };
  child.stdout.on('data', (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= wanted) take();
  });
  child.on('error', (error) => waiting.splice(0).forEach(({ failed }) => failed(error)));
  child.on('close', (code) => waiting.splice(0).forEach(({ failed }) => failed(new Error(`${program} ended with ${code}.`))));
  return {
    ask: (words) => new Promise((done, failed) => {
      waiting.push({ done, failed });
      child.stdin.write(`${words.join('\t')}\n`);
    }),
    end: () => child.stdin.end(),
  };
}

/** `work(item, ask)` for every item, on as many processes as there are cores. */
export async function inBatches(program, items, work) {
  const queue = [...items];
  await Promise.all(Array.from({ length: Math.min(queue.length, availableParallelism()) }, async () => {
    const { ask, end } = nativeBatch(program);
    while (queue.length) await work(queue.shift(), ask);
    end();
  }));
}

/** Words of the command line that computes what is asked. */
export const wordsOf = ({ scene, params }, command = 'run', ...more) => [command, scene, ...Object.entries(params).flatMap(([key, value]) => ['--set', `${key}=${value}`]), ...more];
