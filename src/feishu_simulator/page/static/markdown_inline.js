// A line of card Markdown as nodes. Whatever is not known markup is text; nothing is ever read as HTML.
import { h, icon } from "./dom.js";

const COLOURS = { red: "zhu", carmine: "zhu", green: "song", orange: "ochre", yellow: "ochre", blue: "dai", grey: "quiet" };
const MARKS = { "**": "strong", __: "strong", "~~": "strike", "*": "slanted", _: "slanted" };
const SPECIAL = /[`[!<*_~\\\n:]/g;
const FAR = 2_000; // no closing mark is looked for beyond this many characters
const PUNCTUATION = /[\p{P}\p{S}]/u;

const RULES = [
  [/\\([!-/:-@[-`{-~])/y, ([, sign]) => sign],
  [/\n|<br\s*\/?>/y, () => h("br")],
  [/(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/y, ([, , code]) => h("code", {}, code.replace(/^ (.*) $/, "$1"))],
  [/!\[([^\]\n]*)\]\(((?:[^()\s]|\([^()\s]*\))+)\)/y, ([, words, key], draw) => draw.picture(key, words)],
  [/\[([^\]\n]*)\]\(((?:[^()\s]|\([^()\s]*\))+)\)/y, ([, words, href], draw) => link(words, href, draw)],
  [/<a href=['"]?([^'">\s]+)['"]?>([\s\S]*?)<\/a>/y, ([, href, words], draw) => link(words, href, draw)],
  [/<font color=['"]?([\w-]+)['"]?>([\s\S]*?)<\/font>/y, ([, colour, words], draw) => coloured("font", colour, words, draw)],
  [/<text_tag color=['"]?([\w-]+)['"]?>([\s\S]*?)<\/text_tag>/y, ([, colour, words], draw) => coloured("text-tag", colour, words, draw)],
  [/<at id=['"]?([\w-]+)['"]?\s*\/?>(?:([^<\n]*)<\/at>)?/y, ([, id], draw) => mention(id, draw)],
  [/<at ids=['"]?([\w,-]+)['"]?\s*\/?>(?:<\/at>)?/y, ([, ids], draw) => ids.split(",").map((id) => mention(id, draw))],
  [/<person\s+id\s*=\s*['"]?([\w-]+)['"]?[^>]*>(?:<\/person>)?/y, ([, id], draw) => mention(id, draw)],
  [/:([A-Z][A-Za-z0-9_]{1,30}):/y, ([whole]) => h("span.emotion", {}, whole)],
];

// `draw` says what the page knows: nameOf(id) of a person, picture(key, words).
export function inline(text, draw) {
  const nodes = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    const found = marked(text, at, draw) ?? emphasis(text, at, draw);
    if (found) {
      nodes.push(plain, found.node);
      plain = "";
      at = found.end;
    } else {
      SPECIAL.lastIndex = at + 1;
      const next = SPECIAL.exec(text)?.index ?? text.length;
      plain += text.slice(at, next);
      at = next;
    }
  }
  return [...nodes, plain];
}

function marked(text, at, draw) {
  for (const [pattern, build] of RULES) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { node: build(match, draw), end: at + match[0].length };
  }
  return null;
}

// A mark opens before a word and closes behind one; beside a letter, punctuation inside keeps it a plain sign.
function emphasis(text, at, draw) {
  const mark = Object.keys(MARKS).find((sign) => text.startsWith(sign, at));
  if (!mark || !opens(text, at, mark)) return null;
  const start = at + mark.length;
  const end = partner(text, start, mark);
  if (end < 0) return null;
  return { node: h(`span.${MARKS[mark]}`, {}, inline(text.slice(start, end), draw)), end: end + mark.length };
}

// The closing mark that belongs to an opening one: what opens in between closes first.
function partner(text, start, mark) {
  let within = 0;
  for (let end = text.indexOf(mark, start + 1); end > 0 && end - start < FAR; end = text.indexOf(mark, end + mark.length)) {
    if (closes(text, end, mark)) {
      if (within === 0) return end;
      within -= 1;
    } else if (opens(text, end, mark)) {
      within += 1;
    }
  }
  return -1;
}

const blank = (sign) => sign === undefined || /\s/.test(sign);
const apart = (sign) => blank(sign) || PUNCTUATION.test(sign);
const before = (text, at) => [...text.slice(Math.max(0, at - 2), at)].at(-1);
const behind = (text, at) => [...text.slice(at, at + 2)][0];

function opens(text, at, mark) {
  const outer = before(text, at);
  const within = behind(text, at + mark.length);
  if (mark.length === 1 && within === mark) return false;
  if (mark.startsWith("_") && !apart(outer)) return false;
  return !blank(within) && (!PUNCTUATION.test(within) || apart(outer));
}

function closes(text, at, mark) {
  const within = before(text, at);
  const outer = behind(text, at + mark.length);
  if (mark.length === 1 && (outer === mark || within === mark)) return false;
  if (mark.startsWith("_") && !apart(outer)) return false;
  return !blank(within) && (!PUNCTUATION.test(within) || apart(outer));
}

function link(words, href, draw) {
  const shown = inline(words, draw);
  if (!/^https?:\/\//i.test(href)) return h("span", {}, shown);
  return h("a", { href, target: "_blank", rel: "noreferrer noopener" }, words ? shown : href);
}

export const colourClass = (name) => COLOURS[String(name).split("-")[0]] ?? "quiet";

function coloured(kind, colour, words, draw) {
  return h(`span.${kind}.${colourClass(colour)}`, {}, inline(words, draw));
}

function mention(id, draw) {
  const name = id === "all" ? "all" : draw.nameOf(id);
  return name ? h("span.mention", {}, `@${name}`) : h("span.mention.unknown", {}, icon("person"), id);
}
