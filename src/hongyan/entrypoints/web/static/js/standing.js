// Where the newest request stands, in three lines that never scroll away: is it there, who works on it, what became of
// a stop or a correction, where the answer is, and that coming back runs nothing.
import { byId, h, button } from "./dom.js";
import { w, clock, together, waiting } from "./words.js";
import { factWords } from "./turn.js";

export function showStanding(view, session) {
  const strip = byId("standing");
  strip.hidden = !view;
  if (!view) return void strip.replaceChildren();
  const { turn, node } = view;
  const sign = JSON.stringify([turn.text, turn.way, turn.answer.length, turn.steers, session.executor]);
  if (strip.dataset.sign === sign && strip.childElementCount) return undefined;
  strip.dataset.sign = sign;
  const toAnswer = () => (node.querySelector(".answer") ?? node).scrollIntoView({ block: "start" });
  const answer = turn.answer ? button("small.bare", w("standing.answer"), toAnswer, { data: { mark: "answer" } }) : null;
  return void strip.replaceChildren(
    h("div", {}, h("p.standing-request", {}, turn.text), h("p.standing-state", {}, state(turn, session))),
    answer ?? "",
    h("p.standing-result.hint", {}, together(result(turn), w("standing.back"))),
  );
}

function state(turn, session) {
  const fact = turn.way.at(-1);
  const steer = (turn.steers ?? []).at(-1);
  const time = fact.at ? clock(fact.at) : fact.since ? waiting(fact.since) : "";
  const parts = [h("strong", {}, session.executor), " · ", h(`span.state.${fact.tone}`, {}, factWords(fact)), " ", time];
  if (steer) parts.push(" · ", w("steer.taken"), " ", clock(steer.at));
  return parts;
}

function result(turn) {
  if (!turn.answer) return w(turn.is_open ? "standing.no_answer" : "standing.ended");
  if (turn.origin !== "lark") return w("standing.here");
  return w(turn.way.at(-1).key === "part.verified" ? "standing.verified" : "standing.unverified");
}
