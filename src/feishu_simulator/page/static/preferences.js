// Language and theme: the reader's choice, kept; without one the system's.
import { byId, icon } from "./dom.js";
import { language, t } from "./words.js";

const THEMES = { system: "light", light: "dark", dark: "system" };
const THEME_ICONS = { system: "half", light: "sun", dark: "moon" };

const theme = () => document.documentElement.dataset.theme ?? "system";

function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // without storage the choice holds until the page is closed
  }
}

export function preferences(onLanguage) {
  byId("language").addEventListener("click", () => {
    const next = language() === "en" ? "zh-CN" : "en";
    document.documentElement.lang = next;
    keep("language", next);
    history.replaceState(null, "", location.pathname); // an address with ?lang= would win over the choice
    onLanguage();
  });
  byId("theme").addEventListener("click", () => {
    const next = THEMES[theme()];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    keep("theme", next === "system" ? null : next);
    showTheme();
  });
}

export function showChoices() {
  byId("language").lang = language() === "en" ? "zh-CN" : "en"; // it speaks the other language
  showTheme();
}

function showTheme() {
  const words = t("theme_is", { theme: t(`theme_${theme()}`) });
  byId("theme").replaceChildren(icon(THEME_ICONS[theme()]));
  byId("theme").setAttribute("aria-label", words);
  byId("theme").title = words;
}
