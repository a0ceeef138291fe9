// Words and times. The catalogue came with the page; a state has the same words wherever it is shown.
import { h } from "./dom.js";

const WORDS = JSON.parse(document.body.dataset.words);
const ZH = document.documentElement.lang.startsWith("zh");
export const TONGUE = ZH ? "zh" : "en";

let ahead = 0; // how far the gateway's clock is ahead of this one

export function has(key) {
  return key in WORDS;
}

export function w(key, gaps = {}) {
  const words = WORDS[key] ?? key;
  return words.replace(/\{(\w+)\}/g, (whole, name) => gaps[name] ?? whole);
}

// Letters that cannot be seen, or that turn a line around.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

// What is decided on must be what is read: such a letter is shown by its number.
export const plain = (text) => text.replace(HIDDEN, (letter) => `⟨U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

// A name is one line, whatever somebody put into it.
export const named = (text) => text.replace(/\s+/g, " ").replace(HIDDEN, "").trim();

export function setNow(now) {
  ahead = now - Date.now();
}

export const now = () => Date.now() + ahead;

export function wait(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

// How long something took: seconds in words, a longer time as a clock shows it.
export const lasted = (ms) => (ms < 1_000 ? w("age.under_a_second") : ms < 60_000 ? w("age.seconds", { n: Math.floor(ms / 1000) }) : wait(ms));

// A state that begins a sentence.
export const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

// Two sentences, one after the other.
export const together = (...sentences) => sentences.join(ZH ? "" : " ");

const locale = ZH ? "zh-CN" : "en-GB";
const SECONDS = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const MINUTES = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hour12: false });
const WEEKDAY = new Intl.DateTimeFormat(locale, { weekday: "short" });
const DATE = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" });
const WHOLE = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
const DAY_MS = 86_400_000;

function timed(at, words) {
  if (!at) return ""; // what has no time is never shown as new
  const node = document.createElement("time");
  node.dateTime = new Date(at).toISOString();
  node.title = WHOLE.format(at);
  node.textContent = words;
  return node;
}

export const clock = (at) => timed(at, SECONDS.format(at));

// A list shows the time of today, the weekday of this week, else the date.
export function moment(at) {
  const age = now() - at;
  const today = new Date(at).toDateString() === new Date(now()).toDateString();
  return timed(at, (today ? MINUTES : age < 6 * DAY_MS ? WEEKDAY : DATE).format(at));
}

// What happens by itself about an owed thing, when; or why nothing does.
export function nextOf({ follow_up: next }) {
  return next ? w(`next.${next.state}`, { at: MINUTES.format(next.at), why: next.why }) : "";
}

export function age(ms) {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return w("age.seconds", { n: Math.max(0, Math.floor(ms / 1000)) });
  if (minutes < 60) return w("age.minutes", { n: minutes });
  if (minutes < 1440) return w("age.hours", { n: Math.floor(minutes / 60), m: minutes % 60 });
  return w("age.days", { n: Math.floor(minutes / 1440) });
}

export const number = (n) => n.toLocaleString("en-US");

// A wait that counts up by itself, from a recorded start.
export function waiting(since) {
  const node = document.createElement("span");
  node.className = "number";
  node.dataset.since = since;
  node.textContent = wait(now() - since);
  return node;
}

setInterval(() => {
  for (const node of document.querySelectorAll("[data-since]")) node.textContent = wait(now() - Number(node.dataset.since));
}, 1000);

// A list of names and values; what has no value is left out.
export function pairs(rows) {
  const filled = rows.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("dl.pairs", {}, filled.map(([name, value]) => h("div.pair", {}, h("dt", {}, w(name)), h("dd", {}, value))));
}
