// One Turn of the transcript: the person's words, what the agent did, its answer, and the way in the margin.
import { h, icon, button, fragment } from "./dom.js";
import { w, has, clock, lasted, named, waiting } from "./words.js";
import { get, post } from "./net.js";
import { Steps } from "./steps.js";
import { settledWords } from "./approval.js";

export function factWords(fact) {
  return w(fact.key, { n: fact.n, who: named(fact.who) });
}

function wayLine(fact, last) {
  const time = fact.at ? clock(fact.at) : fact.since ? waiting(fact.since) : null;
  const mark = fact.tone === "verified" ? icon("check", "icon mark") : h("span.dot", { "aria-hidden": "true" });
  return h(`li${last ? `.last.state.${fact.tone}` : ""}`, {}, mark, h("span.fact", {}, factWords(fact)), time);
}

export function wayOf(facts) {
  const lines = facts.map((fact, place) => wayLine(fact, place === facts.length - 1));
  const list = h("ol.way", { "aria-label": w("way") }, lines);
  list.addEventListener("click", () => list.classList.toggle("whole"));
  return list;
}

// Adds what only a page can add to the server's fragment: copying.
export function answerOf(html, lang) {
  const node = h("div.answer", { lang });
  node.append(fragment(html));
  for (const code of node.querySelectorAll(".code")) {
    const copy = button("small.copy", w("copy"), async () => {
      await navigator.clipboard.writeText(code.querySelector("code").textContent).catch(() => {});
      copy.textContent = w("copied");
      setTimeout(() => (copy.textContent = w("copy")), 2000);
    });
    const name = code.dataset.language;
    code.prepend(h("div.code-head", {}, h("span.mono", {}, name || w("code")), copy));
  }
  return node;
}

const languageOf = (text) => (/[\u4e00-\u9fff]/.test(text) ? "zh-CN" : undefined);

export class TurnView {
  constructor(turn, view) {
    this.view = view;
    this.steps = null;
    this.node = h("article.turn", { data: { turn: turn.id } });
    this.main = h("div.turn-main");
    this.margin = h("div.turn-way");
    this.node.append(this.main, this.margin);
    this.update(turn);
  }

  update(turn) {
    const sign = JSON.stringify(turn);
    if (sign !== this.sign) {
      this.sign = sign;
      this.turn = turn;
      if (turn.running_at || turn.events.length || turn.decisions.length) this.steps ??= new Steps(turn);
      this.draw();
    }
    if (!this.steps || (this.ended && !this.unfinished)) return;
    for (const event of turn.events) this.steps.take(event);
    this.steps.setDecisions(turn.decisions, this.view.approvals);
  }

  get ended() {
    return !this.turn.is_open;
  }

  get unfinished() {
    return this.ended && !this.turn.answer && this.turn.events.length > 0;
  }

  draw() {
    const turn = this.turn;
    const queued = turn.state === "queued";
    this.node.classList.toggle("queued", queued);
    this.node.setAttribute("aria-label", turn.text.slice(0, 60));
    const parts = [this.person(queued)];
    const begun = turn.running_at || turn.answer || turn.failure;
    if (begun) parts.push(h("p.speaker", {}, h("strong", {}, this.view.executor)));
    if (!this.ended || this.unfinished) parts.push(this.steps?.node ?? "");
    else if (turn.running_at && (turn.tools || turn.thought || turn.decisions.length)) parts.push(this.fold());
    if (turn.answer) parts.push(answerOf(turn.answer, languageOf(turn.answer)));
    if (this.ended && turn.state === "completed" && !turn.answer) parts.push(h("p.hint", {}, w("turn.no_words")));
    const failure = this.failure();
    if (failure) parts.push(failure);
    this.main.replaceChildren(...parts);
    this.margin.replaceChildren(wayOf(turn.way));
  }

  person(queued) {
    const turn = this.turn;
    const from = has(`origin.${turn.origin}`) ? w(`origin.${turn.origin}`) : turn.origin;
    const name = named(turn.speaker) || (turn.origin === "lark" ? w("speaker.someone") : w("speaker.you"));
    const said = h("div.said", { lang: languageOf(turn.text) }, h("span.said-text", {}, turn.text));
    if (queued) said.append(button("small.bare", w("cancel"), () => this.view.stop(turn.id), { data: { mark: "cancel" } }));
    const note = this.view.notes.get(turn.client_turn_id);
    const steers = (turn.steers ?? []).map((steer) =>
      h("div.said.steered", { lang: languageOf(steer.text) }, h("span.said-text", {}, steer.text), h("span.hint", {}, w("steer.taken"), " ", clock(steer.at))),
    );
    return h("div.person", {}, h("p.speaker", {}, h("strong", {}, name), " ", h("span.hint", {}, from)), said, note ? h("p.hint.note", {}, note) : null, steers);
  }

  fold() {
    const turn = this.turn;
    const took = turn.ended_at && turn.running_at ? lasted(turn.ended_at - turn.running_at) : "";
    const settled = turn.decisions.filter((decision) => decision.state !== "asked").map(settledWords);
    const key = ["turn.worked_none", "turn.worked_one"][turn.tools] ?? "turn.worked";
    const words = [took ? w(key, { time: took, n: turn.tools }) : "", ...settled].filter(Boolean).join(" · ");
    const inside = h("div.fold-inside", {});
    const fold = h("details.fold", {}, h("summary", {}, icon("right", "icon turner"), words), inside);
    fold.addEventListener("toggle", () => fold.open && this.unfold(inside));
    return fold;
  }

  async unfold(inside) {
    if (this.whole) return void inside.replaceChildren(this.whole.node);
    try {
      const told = await get(`/api/v1/turns/${encodeURIComponent(this.turn.id)}/events`);
      this.whole = new Steps(this.turn);
      for (const event of told.events) this.whole.take(event);
      this.whole.setDecisions(this.turn.decisions, this.view.approvals);
      this.whole.text.hidden = true; // the answer below says it whole
      inside.replaceChildren(this.whole.node);
    } catch {
      inside.replaceChildren(h("p.problem", {}, w("out_of_reach")));
    }
  }

  failure() {
    const turn = this.turn;
    if (!turn.failure) return null;
    const key = has(`why.${turn.failure}`) ? `why.${turn.failure}` : "why.other";
    const acts = turn.owed_id
      ? ["run_again", turn.state === "held" ? "drop" : "close"].map((action) =>
          button(action === "run_again" ? "" : "bare", w(`act.${action}`), () => this.act(action), { data: { mark: action } }),
        )
      : [];
    this.trouble = h("p.problem", { hidden: true });
    return h(
      "div.failure",
      {},
      h(`p.state.${turn.state === "held" ? "waits" : "failed"}`, {}, w(key, { code: turn.failure })),
      turn.detail ? h("p.hint.mono", {}, turn.detail) : null,
      acts.length ? h("div.acts", {}, acts) : null,
      this.trouble,
    );
  }

  async act(action) {
    const { owed_id: id, owed_version: version } = this.turn;
    try {
      await post(`/api/v1/owed/${id}/${action}`, { expected_version: version });
      this.view.refresh();
    } catch (error) {
      this.trouble.textContent = w("not_done", { reason: error.status ? error.message : w("out_of_reach") });
      this.trouble.hidden = false;
    }
  }
}
