/**
 * A figure in an iframe, spoken to: `const figure = await connect(iframe)`. Copy it, or load it from the figures' server.
 * figure.version, figure.capabilities; every capability is a method that gives a promise: figure.setState({layers: 96});
 * `onEvent(name, detail)`: ready, change, result, error, observed. A lazy frame is waited for until it comes.
 */
export function connect(frame, { onEvent = () => {}, patience = frame.loading === 'lazy' ? 0 : 30000 } = {}) {
  const view = frame.ownerDocument.defaultView, asked = new Map(), mine = Math.random().toString(36).slice(2);
  let last = 0, figure;
  const ask = (name, args = []) => new Promise((resolve, reject) => {
    const id = `${mine} ${++last}`;
    asked.set(id, { resolve, reject });
    frame.contentWindow?.postMessage({ kappaflow: 1, ask: name, id, args }, '*');
  });
  const hear = ({ source, data }) => {
    if (!source || source !== frame.contentWindow || data?.kappaflow !== 1) return;
    if (data.event) return onEvent(data.event, data.detail);
    const { resolve, reject } = asked.get(data.answer) ?? {};
    asked.delete(data.answer);
    if ('error' in data) reject?.(new Error(data.error));
    else resolve?.(data.value);
  };
  const close = (error = Error('The figure was closed.')) => {
    view.removeEventListener('message', hear);
    for (const { reject } of asked.values()) reject(error);
    asked.clear();
  };
  view.addEventListener('message', hear);
  return new Promise((done, fail) => {
    const greet = () => ask('hello').then(({ version, capabilities, failure }) => {
      clearInterval(timer);
      clearTimeout(limit);
      if (figure) return;
      figure = { version, capabilities, failure, close: () => close() };
      for (const name of capabilities) figure[name] = (...args) => ask(name, args);
      done(figure);
    }, fail);
    const timer = setInterval(greet, 250);
    const limit = patience && setTimeout(() => (clearInterval(timer), close(Error('The frame does not answer.'))), patience);
    greet();
  });
}
