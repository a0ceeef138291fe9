// Clock times as people read them.
import { language } from "./words.js";

const two = (number) => String(number).padStart(2, "0");

export function minute(ms) {
  const at = new Date(ms);
  return `${two(at.getHours())}:${two(at.getMinutes())}`;
}

export const second = (ms) => `${minute(ms)}:${two(new Date(ms).getSeconds())}`;

export const fraction = (ms) => `.${two(Math.floor((ms % 1000) / 10))}`;

export const iso = (ms) => new Date(ms).toISOString();

export const dayKey = (ms) => new Date(ms).toDateString();

export function day(ms) {
  const locale = language() === "zh" ? "zh-CN" : "en-GB";
  return new Date(ms).toLocaleDateString(locale, { weekday: "long", day: "numeric", month: "long" });
}

export function span(microseconds) {
  const ms = microseconds / 1000;
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}
