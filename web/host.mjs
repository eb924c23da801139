/**
 * `createKappaflow` puts the program on a canvas of anybody's page. This file and page.mjs, the project's own page, are the only ones that
 * touch document, window and location.
 */
import { kSettings } from './address.mjs';
import { fetchInto, withoutAddresses } from './fetched.mjs';
import { maker } from './dom.mjs';
import { Instance } from './instance.mjs';
import { servedSource } from './loader.mjs';
import { folder, placeOf } from './places.mjs';

const kStylesMayTake = 1000; // milliseconds

/** Waits for a stylesheet, so that what should be out of sight never flashes. */
function addStyles(make, root, base) {
  const link = make('link', { rel: 'stylesheet', href: placeOf(new URL('instance.css', base)) });
  root.append(link);
  const loaded = new Promise((resolve) => ['load', 'error'].forEach((type) => link.addEventListener(type, resolve)));
  return { link, loaded: Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, kStylesMayTake))]) };
}

/** A positioned box around the canvas, as large as it, for what stands over it; taken away again in the end. */
function makeStage(make, canvas) {
  const found = canvas.parentElement?.classList.contains('kf-stage') ? canvas.parentElement : null;
  if (found) return { stage: found, undo() {} };
  const before = canvas.getBoundingClientRect();
  const stage = make('div', { class: 'kf-stage' });
  canvas.replaceWith(stage);
  stage.append(canvas);
  // A size in per cent was one of the parent's, and has to be handed on; a narrower canvas keeps its box narrow.
  if (Math.abs(canvas.getBoundingClientRect().height - before.height) > 1) stage.style.height = '100%';
  if (stage.getBoundingClientRect().width - before.width > 1) stage.style.width = 'fit-content';
  return { stage, undo: () => stage.isConnected && stage.replaceWith(canvas) };
}

function makeMissing(make, stage, given) {
  const made = [];
  const add = (element) => (made.push(element), stage.append(element), element);
  const controls = given.controls ?? add(make('div', { class: 'kf-controls' }));
  const live = given.live ?? add(make('p', { class: 'kf-away' }));
  return { controls, live, undo: () => made.forEach((element) => element.remove()) };
}

/** See host.d.mts. */
export async function createKappaflow(options) {
  const { canvas } = options;
  const root = options.root ?? canvas.getRootNode();
  const view = canvas.ownerDocument.defaultView;
  const make = maker(canvas.ownerDocument);
  const base = options.base ? new URL(options.base, view.location.href) : new URL(folder);
  const styles = options.styles === false ? null : addStyles(make, root === canvas.ownerDocument ? root.head : root, base);
  canvas.classList.add('kf-canvas');
  canvas.tabIndex = -1; // clicks may focus it, Tab walks the native elements instead
  canvas.setAttribute('role', 'img');
  await styles?.loaded;
  const source = options.source ?? servedSource, lang = kSettings.lang.includes(options.lang) ? options.lang : 'en'; // any language may be named: lang is an attribute of every element
  const faults = lang === 'en' ? [] : await import('./languages.mjs').then(({ speakIn }) => speakIn(lang, source, base));
  const { stage, undo: undoStage } = makeStage(make, canvas);
  const { controls, live, undo: undoMissing } = makeMissing(make, stage, options);
  const parts = {
    canvas, stage, root, make, view, base, controls, live, source,
    words: options.words, numbersRoot: options.numbers, coverElement: options.cover,
  };
  const link = options.link ?? '', given = typeof link === 'function' ? link : () => link, files = withoutAddresses(given());
  const instance = new Instance(parts, {
    ui: 'full', theme: 'auto', contrast: 'auto', hide: '', lock: '', focus: '', speed: 1, embedded: true, ownWheel: false, eager: false, workers: 'auto', admit: (start) => start(), ...options,
    faults: [...(options.faults ?? []), ...faults],
    link: () => withoutAddresses(given()).link,
    onDestroy() {
      undoMissing();
      undoStage();
      styles?.link.remove();
      canvas.classList.remove('kf-canvas');
    },
  });
  if (files.found.length) instance.ready.then(() => fetchInto(instance, files), () => {}); // the cover says why not
  return instance;
}
