// A page without a browser: its elements keep what they are told, and tell those who listen.

class Element extends EventTarget {
  attributes = {};
  children = [];
  isConnected = true;
  style = { setProperty() {} };
  classList = { add() {}, remove() {}, toggle() {} };

  append(...children) {
    this.children.push(...children);
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }
}

export function openPage() {
  globalThis.document = { createElement: () => new Element() };
}

/** Something happens to an element. */
export function happen(element, type, more = {}) {
  element.dispatchEvent(Object.assign(new Event(type), more));
}
