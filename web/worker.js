/*
 * The computing half of the page, in a classic worker made from a Blob: the only kind that starts in sandboxed frames too.
 * Bytes of files may come as a Blob.
 * Messages in:  {what: 'load', compiled, glueUrl, glueText}   {what: 'run', job, bytes}   {what: 'failure', job, sentence}
 *               {what: 'call', id, method, args, listening}
 *               {what: 'file', name, bytes | error}            {what: 'maker', compiled, glueUrl, glueText | error}
 * Messages out: {what: 'missing', name}: work goes on when that file is here, or for the name 'maker' the module that makes it
 *               {what: 'ready'}   {what: 'event', job, last, bytes, heap: bytes that the module holds}   {what: 'answer', id, value | error}   {what: 'progress' | 'partial', id, value}
 *               {what: 'broken', reason}: this worker must be replaced
 * Stopping a job means terminating the worker, so nothing here listens while computing.
 */
'use strict';
(() => {
  let core = null;
  let memory = null; // the core's, which grows and never shrinks
  let waiting = null; // {missing, source, again, refuse} of what needs a file that the module lacks
  let maker = null; // what the module that makes files is made of, once it was asked for

  const broken = (reason) => postMessage({ what: 'broken', reason: String((reason && reason.message) || reason) });

  /** From its text, which the page has watched coming; where a host's policy forbids that, from its address. */
  async function importGlue(url, text) {
    if (!text) return import(url);
    return import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))).catch((error) => (url ? import(url) : Promise.reject(error)));
  }

  async function open({ compiled, glueUrl, glueText }) {
    const glue = (await importGlue(glueUrl, glueText)).default;
    return new Promise((resolve, reject) => {
      const instantiateWasm = (imports, done) => {
        const opened = (instance) => {
          memory ??= Object.values(instance.exports).find((one) => one instanceof WebAssembly.Memory);
          done(instance, compiled);
        };
        WebAssembly.instantiate(compiled, imports).then(opened, reject);
        return {};
      };
      glue({ locateFile: (name) => name, instantiateWasm }).then(resolve, reject);
    });
  }

  async function load(parts) {
    core = await open(parts);
    postMessage({ what: 'ready' });
  }

  function send(job, bytes, last) {
    postMessage({ what: 'event', job, last, bytes, heap: memory.buffer.byteLength }, [bytes.buffer]);
  }

  const fail = (job, sentence) => send(job, core.failureBytes(job, sentence), true);

  const bytesOf = async (given) => (given instanceof Blob ? new Uint8Array(await given.arrayBuffer()) : given);

  /** As in held.mjs. */
  function heldName(bytes) {
    const text = bytes?.length < 100 ? new TextDecoder().decode(bytes) : '';
    return text.startsWith('held/') ? text : undefined;
  }

  function waitFor(asked, again, refuse) {
    waiting = { ...asked, again, refuse, held: heldName(asked.source) };
    if (waiting.held) postMessage({ what: 'missing', name: waiting.held });
    else goOn();
  }

  function goOn() {
    const { missing, source } = waiting;
    if (source && maker) return makeFile(maker);
    postMessage({ what: 'missing', name: source ? 'maker' : missing });
  }

  /** In a new module each time, which takes its memory with it. */
  async function makeFile({ error, ...parts }) {
    const { missing, source } = waiting;
    if (error) return waiting.refuse(error);
    maker = parts;
    const made = (await open(parts)).makeFile(missing, source);
    takeFile({ name: missing, bytes: made, error: made.error });
  }

  async function takeFile({ name, bytes, error }) {
    const { again, refuse, held } = waiting;
    if (name === held && !error) {
      waiting.source = await bytesOf(bytes).catch(({ message }) => refuse(`The file could not be read (${message}).`));
      return waiting.source && goOn();
    }
    const trouble = error ?? core.provideFile(name, bytes).error;
    if (trouble) refuse(trouble);
    else again();
  }

  function run({ job, bytes }) {
    const answer = core.runJob(job, bytes, 1, (event, last) => send(job, event, last)) ?? {};
    if (answer.missing) waitFor(answer, () => run({ job, bytes }), (sentence) => fail(job, sentence));
    else if (answer.error) fail(job, answer.error);
  }

  /** Any function of the core module: how kappaflow.mjs reaches listScenes, describeScene and run, and the page what reads and writes files. */
  function call({ id, method, args, listening }) {
    if (listening) {
      const options = args[args.length - 1];
      options.onProgress = (value) => postMessage({ what: 'progress', id, value });
      options.onPartial = (value) => postMessage({ what: 'partial', id, value });
    }
    Promise.all(args.map(bytesOf)).then((given) => answer(id, () => core[method](...given)), ({ message }) => postMessage({ what: 'answer', id, error: `The file could not be read (${message}).`, name: 'InputError' }));
  }

  function answer(id, make) {
    try {
      const value = make();
      if (value?.missing) waitFor(value, () => answer(id, make), (error) => postMessage({ what: 'answer', id, error }));
      else if (value?.error) postMessage({ what: 'answer', id, error: value.error, name: 'InputError' });
      else postMessage({ what: 'answer', id, value });
    } catch (error) {
      // The core refuses by {error}; what it throws is a trap, after which the module is in an unknown state.
      postMessage({ what: 'answer', id, error: error.message, name: error.name });
      broken(error);
    }
  }

  const handlers = {
    load,
    run,
    call,
    file: takeFile,
    maker: makeFile,
    failure: ({ job, sentence }) => fail(job, sentence),
  };

  onmessage = async ({ data }) => {
    try {
      await handlers[data.what](data);
    } catch (error) {
      broken(error);
    }
  };
})();
