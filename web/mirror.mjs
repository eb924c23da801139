/**
 * The picture in native elements: every param and handle, the buttons, the summary and the warnings, for Tab, typing, phone
 * keyboards and screen readers. Out of sight until focused; in plain view where nothing can be drawn.
 */
import { Keyed, setAttributes, setChildren, setText } from './dom.mjs';
import { makeHandleField, makeParamField, shapeKey, updateHandleField, updateParamField } from './fields.mjs';
import { sentence } from './markup.mjs';

const kSayEvery = 1000; // milliseconds between two announcements
const kSpeeds = [0.25, 0.5, 1, 2, 4];

export class Mirror {
  /** `actions`: what the buttons do; a figure (`ui`) has those that its picture has. */
  constructor({ make, page, wake, actions, controls, live, canvas, ui }) {
    Object.assign(this, { make, page, wake, actions, controls, live, canvas });
    this.figure = ui === 'figure';
    this.saidAt = -Infinity;
    this.params = new Keyed(
      (param) => makeParamField(make, param, (key, text) => this.change(() => page.setParam(key, text))),
      updateParamField,
    );
    this.handles = new Keyed(
      (handle) => makeHandleField(make, handle, {
        move: (id, value) => this.change(() => page.moveHandle(id, value)),
        focus: (id) => this.change(() => page.focusHandle(id)),
      }),
      updateHandleField,
    );
    this.build();
  }

  change(action) {
    const answer = action();
    this.wake();
    return answer ?? '';
  }

  build() {
    const { make } = this;
    this.legend = make('legend');
    this.presets = this.buildPresets();
    this.speed = this.buildSpeed();
    this.fields = make('div');
    this.grips = make('div');
    this.buttons = this.buildButtons();
    this.share = make('progress', { max: 1, 'aria-label': 'Computing' });
    this.left = make('span');
    this.work = make('div', { class: 'kf-control', hidden: true }, this.share, ' ', this.left, ' ', make('button', { type: 'button', onclick: () => this.change(() => this.page.stop()) }, 'Stop computing'));
    this.end = make('span', { class: 'kf-away', tabindex: -1 }, 'End of the figure');
    this.form = make('fieldset', { class: 'kf-form', onkeydown: ({ key }) => key === 'Escape' && this.leave() }, this.legend, this.presets.element, this.work, this.grips, this.fields, this.speed.element, this.buttons.element, this.end);
    this.alerts = make('p', { class: 'kf-alerts', role: 'alert' });
    this.controls.append(this.form, this.alerts);
    setAttributes(this.live, { 'aria-live': 'polite', 'aria-atomic': 'true' });
  }

  buildPresets() {
    const { make } = this;
    const select = make('select', {}, make('option', { value: '' }, 'Choose an example'));
    const element = make('div', { class: 'kf-control' }, make('label', {}, 'Example ', select));
    select.addEventListener('change', () => {
      if (select.value) this.change(() => this.page.setPreset(select.value));
      select.value = '';
    });
    return { element, select, names: '' };
  }

  buildSpeed() {
    const { make } = this;
    const select = make('select', {}, ...kSpeeds.map((speed) => make('option', { value: speed }, `${speed}×`)));
    select.addEventListener('change', () => this.change(() => this.page.setSpeed(Number(select.value))));
    return { element: make('div', { class: 'kf-control' }, make('label', {}, 'Speed of playing ', select)), select };
  }

  buildButtons() {
    const { make, actions } = this;
    const button = (text, act) => make('button', { type: 'button', onclick: () => this.change(act) }, text);
    const all = {
      play: button('Play', () => this.page.play(!this.description.playing)),
      undo: button('Undo', () => this.page.undo()),
      redo: button('Redo', () => this.page.redo()),
      reset: button('Back to the first settings', () => this.page.reset()),
      open: button('Open a file of your own (ONNX, safetensors, npz, CSV, JSON, images)', actions.openFile),
      link: button('Copy link', actions.copyLink),
      embed: button('Copy embed code', actions.copyEmbedCode),
      figure: button('Save figure (SVG)', () => actions.saveFigure('svg')),
      pixels: button('Save figure (PNG)', () => actions.saveFigure('png')),
      film: button('Save film (video)', () => actions.saveFigure('video')),
      gif: button('Save film (GIF)', () => actions.saveFigure('gif')),
      screen: button('Fill the screen', actions.fullScreen),
      network: button('Save network (ONNX)', () => this.page.askForNetworkFile()),
      json: button('Download numbers as JSON', () => actions.download('json')),
      csv: button('Download numbers as CSV', () => actions.download('csv')),
    };
    const offered = this.figure ? [all.play, all.undo, all.redo, all.reset] : Object.values(all);
    const element = make('div', { class: 'kf-control kf-buttons', role: 'toolbar', 'aria-label': 'Actions', onkeydown: (event) => this.walk(event, offered) }, ...offered);
    const stop = (button) => offered.forEach((one) => setAttributes(one, { tabindex: one === button ? 0 : -1 }));
    element.addEventListener('focusin', ({ target }) => stop(target));
    return { ...all, element, stop, offered };
  }

  /** The buttons are one stop of Tab; arrows go from one to the next. */
  walk(event, offered) {
    const towards = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key], open = offered.filter(({ hidden, disabled }) => !hidden && !disabled);
    if (!towards) return;
    event.preventDefault();
    open[(open.indexOf(event.target) + towards + open.length) % open.length].focus();
  }

  /** Of the buttons that can be pressed now one is a stop. */
  keepStop() {
    const { offered, stop } = this.buttons, able = ({ hidden, disabled }) => !hidden && !disabled;
    if (!offered.some((button) => able(button) && button.getAttribute('tabindex') === '0')) stop(offered.find(able));
  }

  /** Behind the last control: the next Tab is out of the figure. */
  leave() { this.end.focus({ preventScroll: true }); }

  /** The native field of a param, ready to be typed over; a phone's keyboard comes with it. */
  type(key) {
    const field = [...this.params.made.values()].find(({ element }) => element.dataset.key === key);
    field?.input.focus({ preventScroll: true });
    field?.input.select?.();
  }

  /** From page.describe(). */
  update(description) {
    this.description = description;
    setText(this.legend, `Controls: ${description.title}`);
    this.updatePresets(description.presets ?? []);
    const offered = description.params.filter((param) => param.offered);
    setChildren(this.fields, this.params.elements(offered, shapeKey));
    setChildren(this.grips, this.handles.elements(description.handles, (handle) => handle.id));
    setText(this.buttons.play, description.playing ? 'Pause' : 'Play');
    for (const name of ['play', 'film', 'gif']) this.buttons[name].hidden = !description.hasTimeline;
    this.speed.element.hidden = !description.hasTimeline;
    const { select } = this.speed, speed = String(description.speed);
    if (![...select.options].some(({ value }) => value === speed)) select.append(this.make('option', { value: speed }, `${speed}×`)); // an author's own
    select.value = speed;
    this.buttons.undo.disabled = !description.canUndo;
    this.buttons.redo.disabled = !description.canRedo;
    this.buttons.screen.hidden = !this.canvas.ownerDocument.fullscreenEnabled;
    this.buttons.network.hidden = !description.savesNetwork;
    this.buttons.open.hidden = !description.params.some(({ kind }) => kind === 'network' || kind === 'data');
    this.keepStop();
    this.work.hidden = !description.progressWords;
    setAttributes(this.share, { value: description.progress });
    setText(this.left, description.progressWords ?? '');
    setAttributes(this.canvas, { 'aria-label': `${description.title}. ${description.lookAt ?? ''}`.trim() });
    this.say(description);
    setText(this.alerts, [description.message, ...(description.warnings ?? [])].filter(Boolean).join(' '));
  }

  updatePresets(names) {
    this.presets.element.hidden = names.length < 2;
    if (this.presets.names === names.join('\n')) return;
    this.presets.names = names.join('\n');
    while (this.presets.select.options.length > 1) this.presets.select.lastChild.remove();
    this.presets.select.append(...names.map((name) => this.make('option', { value: name }, name)));
  }

  /** The summary, at most one announcement a second, always ending with the newest. */
  say({ summary }) {
    this.summary = summary ?? '';
    if (this.sayTimer) return;
    const wait = Math.max(0, this.saidAt + kSayEvery - performance.now());
    this.sayTimer = setTimeout(() => {
      this.sayTimer = 0;
      if (this.said === this.summary) return;
      this.saidAt = performance.now();
      this.said = this.summary;
      this.live.replaceChildren(...sentence(this.make, this.summary));
    }, wait);
  }

  destroy() {
    clearTimeout(this.sayTimer);
    this.form.remove();
    this.alerts.remove();
    this.live.textContent = '';
  }
}
