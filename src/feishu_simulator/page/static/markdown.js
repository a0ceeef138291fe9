// Card Markdown as blocks: headings, lists, quotes, fences, tables, rules, paragraphs.
import { h } from "./dom.js";
import { inline } from "./markdown_inline.js";

const FENCE = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)\s*$/;
const HEADING = /^(#{1,6})\s+(.+?)\s*#*\s*$/;
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/;
const QUOTE = /^\s*>\s?/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const NESTED = 2; // blanks that make an item an inner one; the platform wants four, people write two

export function markdown(source, draw) {
  const lines = source.replaceAll("\r\n", "\n").split("\n");
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at].trim() === "") {
      at += 1;
      continue;
    }
    const [block, end] = next(lines, at, draw);
    blocks.push(block);
    at = end;
  }
  return blocks;
}

function next(lines, at, draw) {
  const line = lines[at];
  if (FENCE.test(line)) return fence(lines, at);
  if (RULE.test(line)) return [h("hr"), at + 1];
  if (HEADING.test(line)) return [heading(line, draw), at + 1];
  if (QUOTE.test(line)) return quote(lines, at, draw);
  if (isTable(lines, at)) return table(lines, at, draw);
  if (ITEM.test(line)) return list(lines, at, draw);
  return paragraph(lines, at, draw);
}

const isTable = (lines, at) => lines[at].includes("|") && at + 1 < lines.length && TABLE_RULE.test(lines[at + 1]) && lines[at + 1].includes("-");

function opensBlock(lines, at) {
  const line = lines[at];
  const known = [FENCE, RULE, HEADING, QUOTE, ITEM].some((pattern) => pattern.test(line));
  return line.trim() === "" || known || isTable(lines, at);
}

function paragraph(lines, at, draw) {
  let end = at + 1;
  while (end < lines.length && !opensBlock(lines, end)) end += 1;
  return [h("p", {}, inline(lines.slice(at, end).join("\n"), draw)), end];
}

function heading(line, draw) {
  const [, signs, words] = HEADING.exec(line);
  const level = Math.min(6, signs.length + 2); // the page's own headings come first
  return h(`p.heading-${signs.length}`, { role: "heading", "aria-level": level }, inline(words, draw));
}

function fence(lines, at) {
  const [, signs, language] = FENCE.exec(lines[at]);
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(signs)) end += 1;
  return [codeBlock(lines.slice(at + 1, end), language), end + 1];
}

export function codeBlock(lines, language) {
  const code = language === "diff" ? lines.map(diffLine) : [lines.join("\n")];
  return h(language === "diff" ? "pre.diff" : "pre", { tabindex: "0" }, h("code", {}, code));
}

function diffLine(line) {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
  return h(`span.${kind}`, {}, `${line}\n`);
}

function quote(lines, at, draw) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return [h("blockquote", {}, markdown(inner.join("\n"), draw)), end];
}

function list(lines, at, draw) {
  const [, indent, sign] = ITEM.exec(lines[at]);
  const ordered = /\d/.test(sign);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const match = ITEM.exec(lines[end]);
    if (!match || match[1].length < indent.length || /\d/.test(match[2]) !== ordered) break;
    const stop = itemEnd(lines, end, indent.length);
    items.push(item(match[3], lines.slice(end + 1, stop), draw));
    end = stop;
  }
  const start = ordered && Number.parseInt(sign, 10) !== 1 ? Number.parseInt(sign, 10) : undefined;
  return [h(ordered ? "ol.list" : "ul.list", { start }, items), end];
}

// An item holds the lines below it that stand further in.
function itemEnd(lines, at, indent) {
  let end = at + 1;
  const depth = (line) => line.length - line.trimStart().length;
  while (end < lines.length && lines[end].trim() !== "" && depth(lines[end]) >= indent + NESTED) end += 1;
  return end;
}

function item(words, below, draw) {
  const depth = Math.min(...below.map((line) => line.length - line.trimStart().length));
  const inner = below.map((line) => line.slice(depth)).join("\n");
  return h("li", {}, inline(words, draw), below.length ? markdown(inner, draw) : null);
}

function cells(line) {
  const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function table(lines, at, draw) {
  const heads = cells(lines[at]);
  const sides = cells(lines[at + 1]).map((rule) => (/^:-*:$/.test(rule) ? "centre" : rule.endsWith(":") ? "right" : ""));
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|") && lines[end].trim() !== "") end += 1;
  const rows = lines.slice(at + 2, end).map((line) => cells(line));
  const cell = (tag, words, column) => h([tag, sides[column]].filter(Boolean).join("."), {}, inline(words ?? "", draw));
  const head = heads.map((words, column) => cell("th", words, column));
  const body = rows.map((row) => h("tr", {}, heads.map((_, column) => cell("td", row[column], column))));
  return [tableBox(head, body), end];
}

export function tableBox(head, body) {
  return h("div.table-box", { tabindex: "0" }, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)));
}
