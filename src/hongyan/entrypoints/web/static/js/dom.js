// Building elements. Text goes in as text nodes only; the one exception is the fragment that the server made of Markdown.
const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

// h("button.small", { type: "button", onclick }, "words", icon("send"))
export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
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

export function flight() {
  return h("span.flight", { "aria-hidden": "true" }, icon("wing", "wing"), icon("wing", "wing"), icon("wing", "wing"));
}

export function button(style, words, onclick, more = {}) {
  return h(`button.button${style ? `.${style}` : ""}`, { type: "button", onclick, ...more }, words);
}

// A fragment that the server made; it holds no script, no style and nothing that is fetched.
export function fragment(html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  return made.content;
}

export function empty(words, more) {
  return h("div.empty", {}, icon("skein", "skein"), h("p.strong", {}, words), more ? h("p", {}, more) : null);
}

// Keeps the children of `parent` equal to the items and touches only those whose sign changed.
export class Keyed {
  constructor(parent) {
    this.parent = parent;
    this.kept = new Map();
  }

  show(items) {
    let cursor = this.parent.firstElementChild;
    for (const { key, sign, build } of items) {
      const known = this.kept.get(key);
      let node = known?.node;
      if (!known || known.sign !== sign) {
        node = build(known?.node);
        if (known && known.node !== node) {
          if (known.node === cursor) cursor = node;
          exchange(known.node, node);
        }
        this.kept.set(key, { sign, node });
      }
      if (node === cursor) cursor = cursor.nextElementSibling;
      else this.parent.insertBefore(node, cursor);
    }
    const wanted = new Set(items.map((item) => item.key));
    for (const [key, { node }] of this.kept) {
      if (wanted.has(key)) continue;
      node.remove();
      this.kept.delete(key);
    }
  }
}

// A node that is exchanged under the reader's hand keeps the focus on the same control.
function exchange(old, node) {
  const held = old.contains(document.activeElement) ? document.activeElement : null;
  const mark = held?.dataset.mark;
  old.replaceWith(node);
  if (!held) return;
  const same = mark ? node.querySelector(`[data-mark="${CSS.escape(mark)}"]`) : null;
  (same ?? (node.matches("a, button, [tabindex]") ? node : node.querySelector("a, button, [tabindex]")))?.focus({ preventScroll: true });
}
