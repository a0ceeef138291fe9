// A toast: one line for a few seconds. What it says also stands in the timeline.
import { byId, h, icon } from "./dom.js";

const SHOWN_MS = 5_000;
const SIGNS = { success: "check", error: "cross", warning: "warning", info: "info" };

export function toast(kind, words) {
  const line = h(`p.toast.${kind}`, { role: kind === "error" ? "alert" : "status" }, icon(SIGNS[kind] ?? "info"), h("span", {}, words));
  byId("toasts").append(line);
  setTimeout(() => line.remove(), SHOWN_MS);
}
