// A card as the platform draws it: header, elements, and the sign that it is still being written.
import { elements } from "./card_elements.js";
import { textOf } from "./card_text.js";
import { h } from "./dom.js";
import { inline } from "./markdown_inline.js";
import { t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const WINGS = ["M1 9q1.5-2.5 3 0q1.5-2.5 3 0", "M6 5.5q1.5-2.5 3 0q1.5-2.5 3 0", "M9 11.5q1.5-2.5 3 0q1.5-2.5 3 0"];
const TONES = {
  dai: ["blue", "wathet", "indigo", "turquoise", "violet", "purple"],
  song: ["green"],
  ochre: ["yellow", "orange"],
  zhu: ["red", "carmine"],
};

// `table` is what the card's controls need: see card_controls.js.
export function cardView({ card }, table) {
  const { shown } = card;
  const title = textOf(shown.header?.title);
  const style = ["div", "card", card.streaming ? "streaming" : ""].filter(Boolean).join(".");
  return h(
    style,
    { role: "group", "aria-label": t("card_named", { title: title || card.summary }), data: { card: card.card_id } },
    header(shown.header, title, table),
    h("div.card-body", {}, elements(shown.body?.elements ?? shown.elements ?? [], table, "e")),
    card.streaming ? h("p.generating", {}, flight(), t("generating")) : null,
  );
}

function header(found, title, table) {
  if (!found || !title) return null;
  const tone = Object.keys(TONES).find((name) => TONES[name].includes(found.template)) ?? "plain";
  const subtitle = textOf(found.subtitle);
  const tags = (found.text_tag_list ?? []).map((tag) => h("span.text-tag.quiet", {}, textOf(tag.text)));
  return h(
    `div.card-head.${tone}`,
    {},
    h("p.card-title", {}, inline(title, table), tags.length ? [" ", tags] : null),
    subtitle ? h("p.card-subtitle", {}, subtitle) : null,
  );
}

function flight() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon flight");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  for (const wing of WINGS) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", wing);
    svg.append(path);
  }
  return svg;
}
