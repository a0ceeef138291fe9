// One message: avatar, bubble, what it answers, reactions, the way into its topic.
import { cardView } from "./card.js";
import { content } from "./content.js";
import { h, icon, unseen } from "./dom.js";
import { iso, minute } from "./times.js";
import { counted, known, t } from "./words.js";

export const REACTIONS = ["OK", "THUMBSUP", "DONE", "HEART", "Get", "OnIt"];
const REACTION_ICONS = { Get: "check", OnIt: "clock", DONE: "check", OK: "check" };

// Bots have one tone, groups another; people take theirs in the order in which they moved in.
const PEOPLE_TONES = 3;
const order = new Map();

export function meet(ids) {
  for (const id of ids) if (!order.has(id)) order.set(id, order.size % PEOPLE_TONES);
}

export function avatar(name, id) {
  const tone = order.has(id) ? order.get(id) + 1 : id.startsWith("oc_") ? 1 : 0;
  return h(`span.avatar.tone-${tone}`, { "aria-hidden": "true" }, [...name.trim()][0] ?? "?");
}

export const reactionWords = (emoji) => (known(`reaction_${emoji}`) ? t(`reaction_${emoji}`) : emoji);

// `frame` says how the message stands in its chat: { mine, quoted, replies, pointed }, what its controls do, and the
// table on which its card lies.
export function messageItem(message, frame) {
  if (message.withdrawn) return recalled(message);
  const { id, name } = message.sender;
  const classes = ["li", "message", frame.mine ? "mine" : "", frame.pointed ? "pointed" : ""].filter(Boolean);
  const said = h(
    "div.said",
    {},
    meta(message, frame),
    frame.quoted ? quote(frame.quoted, frame) : null,
    h("div.line", {}, body(message, frame), more(message, frame)),
    chips(message, frame),
    topic(message, frame),
  );
  return h(classes.join("."), { data: { id: message.message_id } }, avatar(name, id), said);
}

function body(message, frame) {
  return message.card ? card(message, frame) : h("div.bubble", {}, content(message));
}

// A card that cannot be drawn must not take the page with it.
function card(message, frame) {
  try {
    return cardView(message, frame.table);
  } catch (error) {
    return h("div.bubble", {}, h("p.hint", {}, t("card_not_drawn", { reason: error.message })));
  }
}

// What stands for a message where only one line is shown.
export const oneLine = (message) => (message.card?.summary ?? message.text).replaceAll("\n", " ");

function recalled(message) {
  return h("li.recalled", { data: { id: message.message_id } }, t("recalled", { name: message.sender.name }));
}

function meta(message, frame) {
  const name = frame.mine ? unseen(`${message.sender.name} `) : `${message.sender.name} `;
  const time = h("time", { datetime: iso(message.create_ms) }, minute(message.create_ms));
  return h("p.meta", {}, name, time, message.edits ? ` · ${t("edited")}` : null);
}

function quote(quoted, frame) {
  const words = quoted.withdrawn
    ? t("recalled", { name: quoted.sender.name })
    : t("said_by", { name: quoted.sender.name, text: oneLine(quoted) });
  const button = h("button.quote", { type: "button", data: { mark: "quote" } }, unseen(`${t("in_reply_to")} `), words);
  button.addEventListener("click", () => frame.point(quoted.message_id));
  return button;
}

function more(message, frame) {
  const name = t("actions_for", { name: message.sender.name, time: minute(message.create_ms) });
  const attributes = { type: "button", "aria-haspopup": "menu", "aria-label": name, title: t("actions") };
  const button = h("button.button.bare.more", { ...attributes, data: { mark: "more" } }, icon("more"));
  button.addEventListener("click", () => frame.offer(button, message));
  return button;
}

function chips(message, frame) {
  if (message.reactions.length === 0) return null;
  const emojis = [...new Set(message.reactions.map((item) => item.emoji))];
  return h("ul.chips", { "aria-label": t("reactions") }, emojis.map((emoji) => h("li", {}, chip(message, emoji, frame))));
}

function chip(message, emoji, frame) {
  const by = message.reactions.filter((item) => item.emoji === emoji).map((item) => item.by);
  const mine = by.some((party) => party.id === frame.acting);
  const who = t("reaction_by", { names: by.map((party) => party.name).join(", ") });
  const button = h(
    "button.chip",
    { type: "button", "aria-pressed": String(mine), title: who, data: { mark: `chip-${emoji}` } },
    icon(REACTION_ICONS[emoji] ?? "smile"),
    reactionWords(emoji),
    by.length > 1 ? ` ${by.length}` : null,
    unseen(`, ${who}`),
  );
  button.addEventListener("click", () => frame.react(message, emoji, mine));
  return button;
}

function topic(message, frame) {
  if (!message.opens_thread || frame.inThread) return null;
  const words = frame.replies ? counted("replies", frame.replies) : t("open_topic");
  const button = h("button.topic", { type: "button", data: { mark: "topic" } }, icon("topic"), words);
  button.addEventListener("click", () => frame.openThread(message.thread_id));
  return button;
}
