// The clock: shown in the top bar, moved in its dialog.
import { api } from "./api.js";
import { byId, h } from "./dom.js";
import { second } from "./times.js";
import { t } from "./words.js";

const STEPS = [
  ["step_15s", 15_000],
  ["step_5min", 300_000],
  ["step_1h", 3_600_000],
  ["step_6h", 21_600_000],
];

export class Clock {
  constructor(store, tellProblem) {
    Object.assign(this, { store, tellProblem });
    setInterval(() => this.tick(), 1_000);
  }

  tick() {
    const now = this.store.lastChange || this.store.clock.now_ms ? second(this.store.nowMs()) : "";
    byId("clock-now").textContent = now;
    byId("clock-reading").textContent = now;
  }

  render() {
    this.tick();
    byId("clock-kind").textContent = t(this.store.clock.virtual ? "clock_virtual" : "clock_real");
    const box = byId("clock-steps");
    if (box.dataset.shown === document.documentElement.lang) return;
    box.dataset.shown = document.documentElement.lang;
    box.replaceChildren(...STEPS.map(([words, ms]) => this.step(words, ms)), this.toNext());
  }

  step(words, milliseconds) {
    const button = h("button.button", { type: "button" }, t(words));
    button.addEventListener("click", () => this.move(() => Promise.resolve(milliseconds)));
    return button;
  }

  toNext() {
    const button = h("button.button", { type: "button" }, t("to_next_timer"));
    button.addEventListener("click", () => this.move(nextTimer));
    return button;
  }

  async move(howFar) {
    try {
      const milliseconds = await howFar();
      const clock = milliseconds > 0 ? await api.advance(milliseconds) : await api.clock();
      this.store.setClock(clock);
      byId("clock-said").textContent = milliseconds > 0 ? "" : t("no_timer");
      this.tick();
    } catch (error) {
      this.tellProblem(error);
    }
  }
}

async function nextTimer() {
  const { now_ms: now, next_due_ms: due } = await api.clock();
  return due === null ? 0 : Math.max(1, due - now);
}
