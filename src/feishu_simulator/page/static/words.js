// Every word people read: one catalogue, two languages.
let catalogue = {};

export async function loadWords() {
  const answer = await fetch("/static/words.json");
  catalogue = await answer.json();
}

export const language = () => (document.documentElement.lang.startsWith("zh") ? "zh" : "en");

export function t(key, values = {}) {
  const entry = catalogue[key];
  if (!entry) throw new Error(`the catalogue has no ${key}`);
  return entry[language()].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export const known = (key) => key in catalogue;

export const counted = (key, count) => t(count === 1 ? `${key}_one` : `${key}_many`, { count });

const PLACES = [
  ["t", (node, words) => (node.textContent = words)],
  ["label", (node, words) => node.setAttribute("aria-label", words)],
  ["title", (node, words) => (node.title = words)],
];

export function applyWords() {
  for (const [name, put] of PLACES) {
    for (const node of document.querySelectorAll(`[data-${name}]`)) put(node, t(node.dataset[name]));
  }
  document.title = t("page_title");
}
