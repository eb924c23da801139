/**
 * The figure in notebooks, as anywidget wants its front-end modules: `render({model, el})`. Read from the model: scene, params (an object),
 * state (a link), ui, theme, contrast, lang, hide, lock, focus, speed, base, height (pixels). Written into it: link, summary, error and, where the model has one, report.
 */
const kAttributes = ['scene', 'state', 'ui', 'theme', 'contrast', 'lang', 'hide', 'lock', 'focus', 'speed', 'base'];
const kRead = [...kAttributes, 'params', 'height'];

const attributeOf = (key) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const textOf = (value) => (Array.isArray(value) ? value.join(',') : String(value));

/** What the model says of the figure, as attributes. */
function attributesOf(model) {
  const params = Object.entries(model.get('params') ?? {}).map(([key, value]) => [attributeOf(key), textOf(value)]);
  const own = kAttributes.map((name) => [name, model.get(name)]).filter(([, value]) => value);
  return new Map([...params, ...own, ['style', `height:${Number(model.get('height')) || 480}px`]]);
}

function render({ model, el, signal }) {
  const figure = el.ownerDocument.createElement('kappaflow-figure');
  let given = new Map();
  const follow = () => {
    const wanted = attributesOf(model);
    for (const name of given.keys()) if (!wanted.has(name)) figure.removeAttribute(name);
    for (const [name, value] of wanted) if (given.get(name) !== value) figure.setAttribute(name, value);
    given = wanted;
  };
  const say = (values) => {
    for (const [key, value] of Object.entries(values)) model.set(key, value);
    model.save_changes();
  };
  const told = async ({ detail: { link, summary } }) => {
    const report = model.get('report') === undefined ? {} : { report: await figure.getReport() };
    if (figure.isConnected) say({ link, summary, error: '', ...report });
  };
  figure.addEventListener('change', ({ detail: { link } }) => say({ link }));
  figure.addEventListener('result', (event) => told(event).catch(({ message }) => say({ error: message })));
  figure.addEventListener('error', ({ detail: { sentence } }) => say({ error: sentence }));
  follow();
  for (const key of kRead) model.on(`change:${key}`, follow);
  el.append(figure);
  const end = () => {
    for (const key of kRead) model.off(`change:${key}`, follow);
    figure.remove();
  };
  signal?.addEventListener('abort', end, { once: true });
  return end;
}

export default { render };
