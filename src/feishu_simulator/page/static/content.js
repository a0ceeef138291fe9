// A message's content as its reader sees it. Everything that was said goes in as text.
import { api } from "./api.js";
import { h, icon } from "./dom.js";
import { t } from "./words.js";

const KEY = /(@_user_\d+|@_all)/;
const STYLES = { bold: "strong", italic: "slanted", underline: "underline", lineThrough: "strike" };
const resources = new Map();

export function content(message) {
  const said = parsed(message.content);
  if (message.msg_type === "text") return [h("p", {}, withMentions(said.text ?? "", message.mentions))];
  if (message.msg_type === "post") return post(said, message.mentions);
  if (message.msg_type === "image") return [picture(said.image_key)];
  if (message.msg_type === "file") return [attachment("file", said.file_name ?? said.file_key)];
  return [h("p.hint", {}, t("not_drawn", { type: message.msg_type }))];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

function withMentions(text, mentions) {
  return text.split(KEY).map((piece) => (KEY.test(piece) ? mention(piece, mentions) : piece));
}

function mention(key, mentions, fallback = "") {
  const name = key === "@_all" ? "all" : (mentions.find((item) => item.key === key)?.name ?? fallback);
  return name ? h("span.mention", {}, `@${name}`) : key;
}

function post(said, mentions) {
  const title = said.title ? [h("p.post-title", {}, said.title)] : [];
  return [...title, ...(said.content ?? []).map((nodes) => paragraph(nodes, mentions))];
}

function paragraph(nodes, mentions) {
  const [only] = nodes;
  if (only?.tag === "code_block") return h("pre", { tabindex: "0" }, h("code", {}, only.text ?? ""));
  if (only?.tag === "hr") return h("hr");
  if (only?.tag === "img") return picture(only.image_key);
  return h("p", {}, nodes.map((node) => inline(node, mentions)));
}

function inline(node, mentions) {
  if (node.tag === "at") return mention(node.user_id, mentions, node.user_name);
  if (node.tag === "emotion") return `[${node.emoji_type ?? ""}]`;
  if (node.tag === "a") return link(node);
  const classes = (node.style ?? []).map((name) => STYLES[name]).filter(Boolean);
  return classes.length ? h(`span.${classes.join(".")}`, {}, node.text ?? "") : (node.text ?? "");
}

function link({ href = "", text }) {
  const safe = /^https?:\/\//i.test(href);
  return safe ? h("a", { href, target: "_blank", rel: "noreferrer noopener" }, text || href) : (text ?? href);
}

function attachment(kind, name) {
  return h("span.attachment", {}, icon(kind), h("span", {}, name));
}

// A picture of ours is shown with its name; a key that nobody uploaded stays a name.
export function picture(key) {
  const line = attachment("image", key);
  const box = h("div", {}, line);
  read(key).then(
    ({ name, base64 }) => {
      line.lastChild.textContent = name;
      if (!base64) return;
      const image = h("img.picture", { src: `data:image/png;base64,${base64}`, alt: name });
      image.addEventListener("error", () => image.remove());
      box.prepend(image);
    },
    () => {}, // the key stands there already
  );
  return box;
}

function read(key) {
  if (!resources.has(key)) resources.set(key, api.resource(key));
  return resources.get(key);
}
