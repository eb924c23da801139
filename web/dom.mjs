/** Building HTML without a framework. */

/** Texts are written in English; `say(english)` gives what stands on the page for them (languages.mjs), `folder` has what is written anew. Shared by all scripts of a page. */
export const language = (globalThis[Symbol.for('kappaflow language')] ??= { name: 'en', folder: '', say: (text) => text, asIs() {} });
const say = (text) => language.say(text);
/** Attributes that are read out or shown. */
export const kSpoken = ['aria-label', 'title', 'placeholder', 'alt', 'aria-valuetext', 'aria-description', 'label'];

/** A function that makes elements: make('p', {class: 'kf-note', hidden: true}, 'text', otherElement). */
export function maker(owner) {
  return (tag, attributes = {}, ...children) => {
    const element = owner.createElement(tag);
    setAttributes(element, attributes);
    element.append(...children.map((child) => (typeof child === 'string' && attributes.translate !== 'no' ? say(child) : child)));
    return element;
  };
}

/** True and false set and remove; functions listen (onclick); the rest is text. */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === false || value === undefined || value === null) element.removeAttribute(name);
    else {
      const text = kSpoken.includes(name) ? say(String(value)) : String(value === true ? '' : value);
      if (element.getAttribute(name) !== text) element.setAttribute(name, text);
    }
  }
}

let policy;

/** HTML that the project wrote at build, also in pages that ask for Trusted Types. */
export function setWritten(element, html) {
  policy ??= element.ownerDocument.defaultView.trustedTypes?.createPolicy('kappaflow', { createHTML: (text) => text }) ?? { createHTML: (text) => text };
  element.innerHTML = policy.createHTML(html);
}

export function setText(element, text) {
  const words = say(text);
  if (element.textContent !== words) element.textContent = words;
}

/** Makes the children exactly these, in this order, without moving those that are already right (moving would take the focus). */
export function setChildren(parent, wanted) {
  const keep = new Set(wanted);
  for (const child of [...parent.children]) if (!keep.has(child)) child.remove();
  wanted.forEach((child, index) => {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
}

/** One element per item and key, made once and updated from then on. */
export class Keyed {
  constructor(create, update) {
    Object.assign(this, { create, update, made: new Map() });
  }
  elements(items, keyOf) {
    const present = new Set();
    const elements = items.map((item) => {
      const key = keyOf(item);
      present.add(key);
      if (!this.made.has(key)) this.made.set(key, this.create(item));
      const entry = this.made.get(key);
      this.update(entry, item);
      return entry.element;
    });
    for (const key of this.made.keys()) if (!present.has(key)) this.made.delete(key);
    return elements;
  }
}
