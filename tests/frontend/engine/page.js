// A minimal DOM: elements with attributes, children and events.

class Element extends EventTarget {
  attributes = {};
  children = [];
  dataset = {};
  isConnected = true;
  style = { setProperty() {} };
  classList = { add() {}, remove() {}, toggle() {} };

  prepend(...children) {
    this.children.unshift(...children);
  }

  append(...children) {
    this.children.push(...children);
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }

  removeAttribute(name) {
    delete this.attributes[name];
  }

  toggleAttribute(name, isOn = !(name in this.attributes)) {
    if (isOn) this.attributes[name] = "";
    else delete this.attributes[name];
  }

  remove() {}

  setPointerCapture() {}

  /** A square of 200 pixels at (50, 50). */
  getBoundingClientRect() {
    return { left: 50, top: 50, bottom: 250, width: 200, height: 200 };
  }
}

export function openPage() {
  globalThis.Node = { TEXT_NODE: 3 };
  globalThis.document = { createElement: () => new Element(), createElementNS: () => new Element() };
}

export function newElement() {
  return new Element();
}

/** Dispatch an event to an element. */
export function happen(element, type, more = {}) {
  element.dispatchEvent(Object.assign(new Event(type), more));
}
