// What is pressed on a card: buttons, folded buttons, pressable boxes.
//
// The `table` that every drawing function gets: nameOf(id), picture(key, words), press(marks, put), busy (the marks of
// the control that waits for its answer, or null), drafts (what stands in fields), panels (which are open), form.
import { textOf } from "./card_text.js";
import { h, icon } from "./dom.js";
import { openMenu } from "./menu.js";
import { t } from "./words.js";

const FIELDS = new Set([
  ...["input", "checker", "select_static", "multi_select_static", "select_person", "multi_select_person"],
  ...["date_picker", "picker_time", "picker_datetime"],
]);

export const isControl = ({ tag }) => FIELDS.has(tag);

// What tells a control from the others of its card.
export function marksOf(element) {
  const callback = (element.behaviors ?? []).find((item) => item.type === "callback");
  const marks = {
    tag: element.tag,
    element: element.element_id,
    name: element.name,
    value: callback ? callback.value : element.value,
    text: element.tag === "button" ? textOf(element.text) : undefined,
  };
  return Object.fromEntries(Object.entries(marks).filter(([, value]) => value !== undefined && value !== ""));
}

export const heard = (element) => (element.behaviors ?? []).some((item) => item.type === "callback") || element.value !== undefined;

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export function button(element, table) {
  const words = textOf(element.text);
  const address = urlOf(element);
  const action = String(element.form_action_type ?? element.action_type ?? "").replace("form_", "");
  if (address && !heard(element) && !["submit", "reset"].includes(action)) {
    return h(styleOf(element), { href: address, target: "_blank", rel: "noreferrer noopener" }, words);
  }
  const marks = marksOf(element);
  const waiting = table.busy !== null && same(table.busy, marks);
  const attributes = {
    type: "button", // the card is drawn anew while it waits: a submission of the browser's own would lose its form
    disabled: element.disabled === true,
    "aria-disabled": table.busy === null ? undefined : "true", // it keeps the focus while it waits
    "aria-busy": waiting ? "true" : undefined,
    title: element.disabled === true ? textOf(element.disabled_tips) || undefined : undefined,
    data: { mark: `press-${JSON.stringify(marks)}` },
  };
  const node = h(styleOf(element), attributes, waiting ? t("waiting_for_bot") : words);
  node.addEventListener("click", () => pressed(element, { ...table, frame: node.closest("form") }, marks, action));
  return node;
}

function pressed(element, table, marks, action) {
  if (action === "reset" && table.form) {
    table.drafts.clear();
    table.frame?.reset();
  } else if (!heard(element) && action !== "submit") {
    return; // the bot does not hear of it
  } else if (action !== "submit" || table.frame?.reportValidity()) {
    table.press(marks, action === "submit" ? { form_value: formValue(table.frame) } : {}, element.confirm);
  }
}

// What the person put into the fields of a form.
function formValue(form) {
  const found = {};
  for (const field of form.querySelectorAll("[data-field]")) found[field.dataset.field] = field.read();
  return found;
}

function urlOf(element) {
  const opening = (element.behaviors ?? []).find((item) => item.type === "open_url");
  const address = opening?.default_url ?? element.url ?? element.multi_url?.url ?? "";
  return /^https?:\/\//i.test(address) ? address : null;
}

function styleOf(element) {
  const type = String(element.type ?? "default");
  const tag = urlOf(element) && !heard(element) ? "a" : "button";
  const classes = [
    "button",
    type.startsWith("primary") && !type.endsWith("text") ? "primary" : "",
    type.startsWith("danger") ? "danger" : "",
    type.endsWith("text") ? "worded" : "",
    ["tiny", "small"].includes(element.size) ? "small" : "",
    element.width === "fill" ? "wide" : "",
  ];
  return [tag, ...classes.filter(Boolean)].join(".");
}

export function overflow(element, table) {
  const marks = marksOf(element);
  const attributes = { type: "button", "aria-haspopup": "menu", "aria-label": t("more"), disabled: table.busy !== null };
  const node = h("button.button.bare", { ...attributes, data: { mark: `press-${JSON.stringify(marks)}` } }, icon("more"));
  const entry = (option) => ({
    words: textOf(option.text),
    run: () => (option.value === undefined ? undefined : table.press(marks, { option: option.value }, element.confirm)),
  });
  node.addEventListener("click", () => openMenu(node, t("more"), (element.options ?? []).map(entry)));
  return node;
}

export function container(element, table, inner) {
  const style = element.has_border ? "div.pressable.bordered" : "div.pressable";
  if (!heard(element)) return h(style, {}, inner);
  const marks = marksOf(element);
  const node = h(style, { role: "button", tabindex: "0", "aria-disabled": String(table.busy !== null) }, inner);
  const act = () => (table.busy === null ? table.press(marks, {}, element.confirm) : undefined);
  node.addEventListener("click", act);
  node.addEventListener("keydown", (event) => {
    if (event.target !== node || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    act();
  });
  return node;
}
