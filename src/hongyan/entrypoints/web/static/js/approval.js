// One request of an agent: what, why, the whole arguments or the change, and the decision. It settles where it stands.
import { h, icon, button } from "./dom.js";
import { w, clock, has, named, plain } from "./words.js";
import { post } from "./net.js";

const ICONS = { reads: "file", writes: "pencil", commands: "terminal", network: "globe", outside: "warning" };

export function diffOf(diff) {
  const rows = diff.lines.map((line) =>
    h(
      `span.line${{ "+": ".added", "-": ".removed", "…": ".gap" }[line.sign] ?? ""}`,
      {},
      h("span.at", {}, line.number ? String(line.number) : ""),
      h("span.sign", {}, line.sign === " " ? " " : line.sign),
      plain(line.text),
      "\n",
    ),
  );
  const head = h("div.diff-head", {}, h("span.mono", {}, plain(diff.path)), h("span.mono", {}, `+${diff.added} -${diff.removed}`));
  return h("div.diff", {}, head, h("pre", { tabindex: 0, "aria-label": w("approval.change", { path: diff.path }) }, h("code", {}, rows)));
}

// Arguments that only repeat the title say nothing new; everything else is shown whole.
export function argumentsOf(decision) {
  if (decision.diff) return diffOf(decision.diff);
  if (!decision.arguments.trim()) return h("p.hint", {}, w("approval.only_this"));
  return h("pre.arguments", { tabindex: 0, "aria-label": w("approval.arguments") }, h("code", {}, plain(decision.arguments)));
}

export function settledWords(decision) {
  if (decision.state === "expired") return w("decision.expired");
  if (decision.outcome === "cancelled") return w("decision.withdrawn");
  const where = has(`where.${decision.decided_where}`) ? w(`where.${decision.decided_where}`) : decision.decided_where;
  const who = decision.decided_by === "owner" ? w("by.you") : decision.decider ? w("by.name", { who: named(decision.decider) }) : "";
  return w(`decision.${decision.outcome}`, { where, by: who });
}

export class ApprovalRow {
  // `after` is called when a decision was taken here, with the words that settle it.
  constructor(decision, { tag = "li", after = () => {}, alarm = () => {}, bare = false, evidence = null } = {}) {
    Object.assign(this, { after, alarm, bare, evidence, sign: "" });
    this.node = h(`${tag}.step.approval`, { data: { approval: decision.id } });
    this.update(decision);
  }

  update(decision) {
    const sign = JSON.stringify([decision.state, decision.outcome, decision.applied, decision.version]);
    if (sign === this.sign) return;
    this.sign = sign;
    this.decision = decision;
    const asked = decision.state === "asked";
    const held = this.node.contains(document.activeElement);
    this.node.classList.toggle("asked", asked);
    this.node.classList.toggle("settled", !asked);
    this.node.replaceChildren(...(asked ? this.asked() : this.settled()));
    if (held && !asked) this.node.querySelector("details > summary, [tabindex]")?.focus({ preventScroll: true });
  }

  asked() {
    const decision = this.decision;
    const head = h(
      "div.ask-head",
      {},
      icon(ICONS[decision.risk] ?? "warning"),
      h("span.what", {}, h("strong.mono", {}, plain(decision.subject))),
      h("span.state.waits", {}, w("decision.needs")),
    );
    const acts = [
      button("primary", w("decide.once"), () => this.decide("allowed_once"), { data: { mark: "once" } }),
      button("", w("decide.session"), () => this.decide("allowed_session"), { data: { mark: "session" } }),
      button("bare", w("decide.reject"), () => this.decide("rejected"), { data: { mark: "reject" } }),
    ];
    this.trouble = h("p.problem", { hidden: true });
    const risk = has(`risk.${decision.risk}`) ? w(`risk.${decision.risk}`) : decision.risk;
    return [
      this.bare ? null : head,
      h("p.why", {}, plain(decision.reason) || risk),
      this.evidence,
      argumentsOf(decision),
      h("div.acts", {}, acts, h("span.hint", {}, w(decision.also_asked_in_chat ? "approval.also" : "approval.first"))),
      this.trouble,
    ].filter(Boolean);
  }

  settled() {
    const decision = this.decision;
    const good = decision.outcome.startsWith("allowed") && decision.applied !== "not_applied";
    const words = decision.applied === "not_applied" && decision.outcome.startsWith("allowed") ? w("decision.not_applied") : settledWords(decision);
    const end = h(`span.end.state.${good ? "verified" : "quiet"}`, {}, good ? icon("check") : null, words, decision.decided_at ? [" ", clock(decision.decided_at)] : null);
    const whole = argumentsOf(decision);
    const line = [icon(ICONS[decision.risk] ?? "terminal"), h("span.what.mono", {}, plain(decision.subject)), end];
    return whole ? [h("details", {}, h("summary", {}, line), whole)] : line;
  }

  async decide(outcome) {
    if (this.busy) return;
    this.busy = true;
    for (const control of this.node.querySelectorAll("button")) control.ariaDisabled = "true";
    try {
      const { id, version } = this.decision;
      const settled = await post(`/api/v1/approvals/${id}/decide`, { outcome, expected_version: version });
      const decision = { ...this.decision, ...settled };
      this.update(decision);
      this.after(decision, settledWords(decision));
    } catch (error) {
      this.trouble.textContent = w("not_done", { reason: error.status ? error.message : w("out_of_reach") });
      this.trouble.hidden = false;
      this.alarm(this.trouble.textContent);
      for (const control of this.node.querySelectorAll("button")) control.ariaDisabled = null;
    } finally {
      this.busy = false;
    }
  }
}
