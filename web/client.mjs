/**
 * A figure in an iframe, spoken to: `const figure = await connect(iframe)`. It needs nothing else: copy it, or load it from the figures' server.
 * figure.version, figure.capabilities; every capability is a method that gives a promise: figure.setState({layers: 96});
 * `onEvent(name, detail)`: ready, change, result, error, observed.
 */
export function connect(frame, { onEvent = () => {}, patience = 30000 } = {}) {
  const view = frame.ownerDocument.defaultView, asked = new Map();
  let last = 0, figure;
  const ask = (name, args = [], id = ++last) => new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject });
    frame.contentWindow.postMessage({ kappaflow: 1, ask: name, id, args }, '*');
  });
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow || data?.kappaflow !== 1) return;
    if (data.event) return onEvent(data.event, data.detail);
    const { resolve, reject } = asked.get(data.answer) ?? {};
    asked.delete(data.answer);
    if ('error' in data) reject?.(new Error(data.error));
    else resolve?.(data.value);
  };
  view.addEventListener('message', hear);
  return new Promise((done, fail) => {
    const end = (error) => (clearInterval(timer), clearTimeout(limit), error && (view.removeEventListener('message', hear), fail(error)));
    const greet = () => ask('hello').then(({ version, capabilities }) => {
      if (figure) return;
      figure = { version, capabilities, close: () => view.removeEventListener('message', hear) };
      for (const name of capabilities) figure[name] = (...args) => ask(name, args);
      end();
      done(figure);
    });
    const timer = setInterval(greet, 250), limit = setTimeout(() => end(new Error('The frame does not answer.')), patience);
    greet();
  });
}
