// The elements of a card, one function a tag. `path` names an element's place, so that a panel stays open.
import { button, container, isControl, overflow } from "./card_controls.js";
import { field } from "./card_fields.js";
import { textOf } from "./card_text.js";
import { picture } from "./content.js";
import { h } from "./dom.js";
import { markdown, tableBox } from "./markdown.js";
import { colourClass, inline } from "./markdown_inline.js";
import { iso } from "./times.js";
import { t } from "./words.js";

const DRAWN = {
  markdown: (element, table) => h(textStyle("div.markdown", element), {}, markdown(textOf(element), table)),
  div: (element, table) => division(element, table),
  plain_text: (element) => h(textStyle("p", element), {}, textOf(element)),
  lark_md: (element, table) => h(textStyle("div.markdown", element), {}, markdown(textOf(element), table)),
  hr: () => h("hr"),
  img: (element) => picture(element.img_key ?? ""),
  note: (element, table, path) => h("div.note", {}, elements(element.elements ?? [], table, path)),
  action: (element, table, path) => h("div.actions", {}, elements(element.actions ?? [], table, path)),
  column_set: (element, table, path) => columns(element, table, path),
  form: (element, table, path) => form(element, table, path),
  collapsible_panel: (element, table, path) => panel(element, table, path),
  table: (element, table) => grid(element, table),
  person: (element, table) => h("span.mention", {}, table.nameOf(element.user_id) || element.user_id),
  person_list: (element, table) => h("p", {}, (element.persons ?? []).map(({ id }) => [table.nameOf(id) || id, " "])),
  button,
  overflow,
  interactive_container: (element, table, path) => container(element, table, elements(element.elements ?? [], table, path)),
};

// Buttons that follow each other share a line.
export function elements(list, table, path) {
  const drawn = [];
  list.forEach((element, index) => {
    const node = draw(element, table, `${path}.${index}`);
    const previous = drawn.at(-1);
    if (!isButton(element)) drawn.push(node);
    else if (previous?.classList.contains("actions") && isButton(list[index - 1])) previous.append(node);
    else drawn.push(h("div.actions", {}, node));
  });
  return drawn;
}

const isButton = (element) => element?.tag === "button" || element?.tag === "overflow";

function draw(element, table, path) {
  if (!element || typeof element !== "object") return null;
  const build = DRAWN[element.tag];
  if (build) return build(element, table, path);
  if (isControl(element)) return field(element, table);
  return h("p.hint", {}, t("element_not_drawn", { tag: element.tag ?? "" }));
}

function textStyle(name, { text_size: size, text_color: colour, text_align: align }) {
  const classes = [
    size === "notation" ? "notation" : /^heading/.test(size ?? "") ? "heading" : "",
    colour && colour !== "default" ? colourClass(colour) : "",
    align === "center" || align === "right" ? `align-${align}` : "",
  ];
  return [name, ...classes.filter(Boolean)].join(".");
}

function division(element, table) {
  const fields = (element.fields ?? []).map((item) => draw(item.text, table, ""));
  const extra = element.extra ? draw(element.extra, table, "") : null;
  return h("div.division", {}, element.text ? draw(element.text, table, "") : null, fields, extra);
}

function columns(element, table, path) {
  const style = ["div.columns-box", element.background_style && element.background_style !== "default" ? "tinted" : ""];
  const drawn = (element.columns ?? []).map((column, index) => {
    const node = h(`div.column.${column.width === "auto" ? "auto" : "weighted"}`, {}, elements(column.elements ?? [], table, `${path}.${index}`));
    if (column.width !== "auto") node.style.flexGrow = String(column.weight ?? 1);
    return node;
  });
  return h(style.filter(Boolean).join("."), {}, drawn);
}

function form(element, table, path) {
  const inside = { ...table, form: element };
  const drawn = h("form.card-form", { data: { form: element.name ?? "" } }, elements(element.elements ?? [], inside, path));
  drawn.addEventListener("submit", (event) => event.preventDefault());
  return drawn;
}

function panel(element, table, path) {
  const title = element.header?.title;
  const summary = h("summary", { data: { mark: `panel-${path}` } }, title ? draw({ tag: "plain_text", ...title }, table, path) : t("more"));
  const open = table.panels.get(path) ?? element.expanded === true;
  const details = h("details.panel", { open }, summary, h("div.panel-body", {}, elements(element.elements ?? [], table, path)));
  details.addEventListener("toggle", () => table.panels.set(path, details.open));
  return details;
}

function grid(element, table) {
  const heads = element.columns ?? [];
  const side = (column) => (column.data_type === "number" || column.horizontal_align === "right" ? "right" : "");
  const cell = (tag, column, ...words) => h([tag, side(column)].filter(Boolean).join("."), {}, words);
  const head = heads.map((column) => cell("th", column, column.display_name ?? column.name));
  const body = (element.rows ?? []).map((row) =>
    h("tr", {}, heads.map((column) => cell("td", column, value(row[column.name], column, table)))),
  );
  return tableBox(head, body);
}

function value(found, { data_type: kind }, table) {
  if (found === null || found === undefined) return "";
  if (kind === "options" && Array.isArray(found)) {
    return found.map((tag) => h(`span.text-tag.${colourClass(tag.color ?? "")}`, {}, textOf(tag.text)));
  }
  if (kind === "persons") return [found].flat().map((id) => [table.nameOf(id) || id, " "]);
  if (kind === "lark_md" || kind === "markdown") return inline(String(found), table);
  if (kind === "date" && Number.isFinite(Number(found))) return iso(Number(found)).slice(0, 10);
  return Array.isArray(found) ? found.map(textOf).join(", ") : String(found);
}
