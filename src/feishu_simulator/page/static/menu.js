// A small menu beside its button: arrow keys walk it, Escape and a click elsewhere close it.
import { h, icon } from "./dom.js";

const GAP_PX = 4;

export function openMenu(button, label, entries) {
  const menu = h("div.menu", { role: "menu", popover: "auto", "aria-label": label });
  menu.append(...entries.map((entry) => item(menu, entry)));
  menu.addEventListener("keydown", (event) => walk(menu, event));
  menu.addEventListener("toggle", (event) => {
    if (event.newState === "closed") menu.remove();
  });
  (button.closest("main") ?? document.body).append(menu);
  menu.showPopover();
  place(menu, button);
  menu.firstElementChild?.focus();
  menu.opener = button;
}

function item(menu, { words, symbol, danger, run }) {
  const style = danger ? "button.danger" : "button";
  const entry = h(style, { type: "button", role: "menuitem", tabindex: "-1" }, symbol ? icon(symbol) : null, words);
  entry.addEventListener("click", () => {
    menu.hidePopover();
    menu.opener.focus({ preventScroll: true });
    run(menu.opener);
  });
  return entry;
}

function walk(menu, event) {
  const entries = [...menu.children];
  const here = entries.indexOf(document.activeElement);
  const steps = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: entries.length - 1 };
  if (event.key === "Tab") menu.hidePopover();
  if (!(event.key in steps)) return;
  event.preventDefault();
  entries.at(steps[event.key] % entries.length).focus();
}

function place(menu, button) {
  const anchor = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const below = anchor.bottom + GAP_PX;
  const top = below + height <= innerHeight ? below : Math.max(GAP_PX, anchor.top - GAP_PX - height);
  const left = Math.min(Math.max(GAP_PX, anchor.left), innerWidth - width - GAP_PX);
  menu.style.top = `${top}px`;
  menu.style.left = `${left}px`;
}
