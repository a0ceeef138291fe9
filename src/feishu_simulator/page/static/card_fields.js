// What is filled in on a card. A field knows how it is read; in a form it waits for the form, alone it tells the bot.
import { heard, marksOf } from "./card_controls.js";
import { textOf } from "./card_text.js";
import { h, icon } from "./dom.js";
import { t } from "./words.js";

const PICKERS = { date_picker: "date", picker_time: "time", picker_datetime: "datetime-local" };

export function field(element, table) {
  const { control, read, put } = made(element, table);
  const key = element.name ?? element.element_id ?? JSON.stringify(marksOf(element));
  control.read = read;
  control.disabled = element.disabled === true || table.busy !== null;
  control.dataset.mark = `field-${key}`;
  if (table.form && element.name) control.dataset.field = element.name;
  control.addEventListener("input", () => table.drafts.set(key, read()));
  if (!table.form && heard(element)) {
    control.addEventListener("change", () => table.press(marksOf(element), put(read()), element.confirm));
  }
  return labelled(element, control);
}

function labelled(element, control) {
  const words = textOf(element.label) || (element.tag === "checker" ? textOf(element.text) : "");
  if (element.tag === "checker") return h("label.card-check", {}, control, h("span", {}, words));
  const shown = control.tagName === "SELECT" && !control.multiple ? select(control) : control;
  const named = h("span", {}, words, required(element));
  if (words && control.tagName !== "FIELDSET") return h("label.card-field", {}, named, shown);
  if (words) control.prepend(h("legend", {}, named));
  control.setAttribute("aria-label", textOf(element.placeholder) || element.name || t("field"));
  return h("div.card-field", {}, shown, required(element));
}

const required = (element) => (element.required === true ? h("span.required", { "aria-hidden": "true" }, "*") : null);

const select = (control) => h("span.select", {}, control, icon("down"));

function made(element, table) {
  const stored = table.drafts.get(element.name ?? element.element_id ?? JSON.stringify(marksOf(element)));
  if (element.tag === "checker") return checker(element, stored);
  if (element.tag.startsWith("multi_select")) return several(element, stored, table);
  if (element.tag.startsWith("select")) return one(element, stored, table);
  return text(element, stored);
}

function text(element, stored) {
  const long = element.input_type === "multiline_text";
  const kind = PICKERS[element.tag] ?? (element.input_type === "password" ? "password" : "text");
  const attributes = {
    placeholder: textOf(element.placeholder),
    required: element.required === true,
    maxlength: element.max_length,
    autocomplete: "off",
    ...(long ? { rows: element.rows ?? 3 } : { type: kind }),
  };
  const control = h(long ? "textarea.field" : "input.field", attributes);
  control.value = stored ?? element.default_value ?? "";
  const picked = element.tag !== "input";
  const put = (value) => (picked ? { option: value } : { input_value: value });
  return { control, read: () => control.value, put };
}

function checker(element, stored) {
  const control = h("input", { type: "checkbox" });
  control.checked = stored ?? element.checked === true;
  return { control, read: () => control.checked, put: (value) => ({ checked: value }) };
}

function one(element, stored, table) {
  const options = optionsOf(element, table);
  const control = h("select.field", { required: element.required === true });
  control.append(h("option", { value: "" }, textOf(element.placeholder) || t("choose")));
  control.append(...options.map(({ value, words }) => h("option", { value }, words)));
  control.value = stored ?? element.initial_option ?? options[(element.initial_index ?? 0) - 1]?.value ?? "";
  return { control, read: () => control.value, put: (value) => ({ option: value }) };
}

// Several choices stand as boxes: a list that wants the control key held is no use on a phone.
function several(element, stored, table) {
  const chosen = new Set(stored ?? element.selected_values ?? []);
  const boxes = optionsOf(element, table).map(({ value, words }) => {
    const box = h("input", { type: "checkbox", value, disabled: element.disabled === true || table.busy !== null });
    box.checked = chosen.has(value);
    return h("label.card-check", {}, box, h("span", {}, words));
  });
  const control = h("fieldset.choices", {}, boxes);
  const read = () => [...control.querySelectorAll("input:checked")].map((box) => box.value);
  return { control, read, put: (value) => ({ options: value }) };
}

function optionsOf(element, table) {
  return (element.options ?? []).map((option) => ({
    value: String(option.value ?? ""),
    words: textOf(option.text) || table.nameOf(option.value) || String(option.value ?? ""),
  }));
}
