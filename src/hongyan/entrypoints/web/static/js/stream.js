// The one stream of this tab. The browser comes back by itself with the number it saw last.
import { get } from "./net.js";

const KINDS = ["hello", "reset", "event", "turn", "session", "transcript", "approval", "owed", "ledger", "settings", "listeners"];

export function follow(heard, reach) {
  const source = new EventSource("/api/v1/events");
  for (const kind of KINDS) {
    source.addEventListener(kind, (event) => {
      reach(true);
      heard(kind, JSON.parse(event.data));
    });
  }
  source.addEventListener("over", () => location.reload());
  source.onopen = () => reach(true);
  source.onerror = () => {
    reach(false);
    if (source.readyState !== EventSource.CLOSED) return;
    get("/console/overview").catch(() => {}); // a session that ended reloads the page, which says how to come in
    setTimeout(() => follow((kind, facts) => heard(kind === "hello" ? "reset" : kind, facts), reach), 2000);
  };
}

// Runs `act` soon, once for many wishes; a run that fails is tried again.
export function gathered(act, ms) {
  let timer = null;
  let running = false;
  const run = async () => {
    timer = null;
    if (running) return void wish();
    running = true;
    try {
      await act();
    } catch {
      timer ??= setTimeout(run, 2000); // the old view stays until then
    } finally {
      running = false;
    }
  };
  const wish = () => {
    timer ??= setTimeout(run, ms);
  };
  return wish;
}
