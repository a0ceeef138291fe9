// Building and updating elements. Text goes in as text nodes only.
const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

// h("button.small.bare", { type: "button", onclick }, "words", icon("send"))
export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  node.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) put(node, key, value);
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

function put(node, key, value) {
  if (value === undefined || value === null || value === false) return;
  if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
  else if (key === "data") Object.assign(node.dataset, value);
  else node.setAttribute(key, value === true ? "" : value);
}

export function icon(name, style = "icon") {
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `/static/icons.svg#${name}`);
  svg.setAttribute("class", style);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

export const unseen = (words) => h("span.unseen", {}, words);

export function empty(title, words) {
  return h("div.empty", {}, icon("skein", "skein"), h("strong", {}, title), words ? h("p", {}, words) : null);
}

// Keeps the children of `parent` equal to the items and touches only those whose sign changed.
export class KeyedList {
  constructor(parent) {
    this.parent = parent;
    this.kept = new Map();
  }

  show(items) {
    const focus = this.focus();
    let cursor = this.parent.firstElementChild;
    for (const item of items) {
      const node = this.node(item);
      if (node.replaced === cursor && cursor) cursor = node.shown;
      if (node.shown === cursor) cursor = cursor.nextElementSibling;
      else this.parent.insertBefore(node.shown, cursor);
    }
    this.drop(new Set(items.map((item) => item.key)));
    this.refocus(focus);
  }

  node({ key, sign, build }) {
    const known = this.kept.get(key);
    if (known && known.sign === sign) return { shown: known.node };
    const shown = build();
    if (known) known.node.replaceWith(shown);
    this.kept.set(key, { sign, node: shown });
    return { shown, replaced: known?.node };
  }

  drop(wanted) {
    for (const [key, { node }] of this.kept) {
      if (wanted.has(key)) continue;
      node.remove();
      this.kept.delete(key);
    }
  }

  // A rebuilt or moved row loses the focus; find the same control in its successor.
  focus() {
    const active = document.activeElement;
    if (!this.parent.contains(active)) return null;
    for (const [key, { node }] of this.kept) {
      if (node.contains(active)) return { key, active, mark: active.dataset.mark };
    }
    return null;
  }

  refocus(focus) {
    if (!focus || document.activeElement === focus.active) return;
    const node = this.kept.get(focus.key)?.node;
    if (!node) return;
    const marked = focus.mark ? node.querySelector(`[data-mark="${CSS.escape(focus.mark)}"]`) : null;
    const target = marked ?? (focus.active.isConnected ? focus.active : node.querySelector("button"));
    target?.focus({ preventScroll: true });
  }
}

// One tab stop for a list; the arrow keys walk it.
export function walkable(list) {
  list.addEventListener("keydown", (event) => {
    const buttons = [...list.querySelectorAll("button")];
    const here = buttons.indexOf(document.activeElement);
    const steps = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: buttons.length - 1 };
    const next = buttons[steps[event.key]];
    if (here < 0 || !next) return;
    event.preventDefault();
    next.focus();
  });
  list.addEventListener("focusin", (event) => {
    for (const button of list.querySelectorAll("button")) button.tabIndex = button === event.target ? 0 : -1;
  });
}

export function oneTabStop(list) {
  const buttons = [...list.querySelectorAll("button")];
  const chosen =
    buttons.find((button) => button === document.activeElement) ??
    buttons.find((button) => button.getAttribute("aria-current") === "true") ??
    buttons[0];
  for (const button of buttons) button.tabIndex = button === chosen ? 0 : -1;
}
