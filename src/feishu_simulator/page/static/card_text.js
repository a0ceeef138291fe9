// The words of a card's text pieces, in the reader's language when the card brings it.
import { language } from "./words.js";

const LOCALES = { en: "en_us", zh: "zh_cn" };

export function textOf(piece) {
  if (typeof piece === "string") return piece;
  if (!piece || typeof piece !== "object") return "";
  return String(piece.i18n_content?.[LOCALES[language()]] ?? piece.content ?? "");
}

export function toastText({ content, i18n }) {
  return String(i18n?.[LOCALES[language()]] ?? (content || (Object.values(i18n ?? {})[0] ?? "")));
}
