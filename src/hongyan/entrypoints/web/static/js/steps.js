// What a running Turn shows: thoughts, tools and approvals in their order, then the text after the last of them.
import { h, icon, flight } from "./dom.js";
import { w, lasted, waiting } from "./words.js";
import { ApprovalRow } from "./approval.js";

const ICONS = { read: "file", search: "search", edit: "pencil", delete: "cross", execute: "terminal", fetch: "globe", think: "thought" };

export class Steps {
  constructor(turn) {
    this.turn = turn;
    this.cursor = 0;
    this.lastAt = 0;
    this.rows = new Map(); // tool, thought and approval rows by their key
    this.latest = null;
    this.box = h("ol.steps", { hidden: true });
    this.text = h("div.streaming", { hidden: true });
    this.node = h("div.live", {}, this.box, this.text);
    this.decisions = new Map();
    this.openThought = null;
  }

  // Takes events in their order; one that was told already changes nothing.
  take(event) {
    if (event.cursor <= this.cursor) return false;
    this.cursor = event.cursor;
    this.lastAt = event.at;
    const body = typeof event.body === "string" ? JSON.parse(event.body) : event.body;
    const act = { text_arrived: "say", thought_arrived: "think", tool_changed: "tool", permission_asked: "ask", agent_warned: "warn" }[event.kind];
    if (act) this[act](body, event.at);
    return true;
  }

  say(body) {
    this.openThought = null;
    if (this.text.hidden) {
      this.text.hidden = false;
      this.text.textContent = "";
    }
    const last = this.text.lastChild;
    if (last) last.appendData(body.text);
    else this.text.append(document.createTextNode(body.text));
    this.latest = { key: "activity.writing" };
  }

  // Text that was said before a tool is a step itself.
  settleText() {
    if (this.text.hidden) return;
    const said = this.text.textContent.trim();
    this.text.hidden = true;
    this.text.textContent = "";
    if (said) this.add(`said:${this.cursor}`, h("li.step.said-step", {}, said));
  }

  think(body, at) {
    if (!this.openThought) {
      this.settleText();
      const summary = h("summary", {}, icon("thought"), h("span.what", {}, ""));
      const whole = h("div.whole", {});
      this.openThought = { at, text: "", line: summary.lastChild, whole };
      this.add(`thought:${this.cursor}`, h("li.step.thought", {}, h("details", {}, summary, whole)));
    }
    const thought = this.openThought;
    thought.text += body.text;
    thought.line.textContent = w("step.thought", { text: thought.text.trim().split("\n")[0].slice(0, 160) });
    thought.whole.textContent = thought.text;
    this.latest = { key: "activity.thinking" };
  }

  tool(body, at) {
    this.openThought = null;
    const key = `tool:${body.tool_id}`;
    let row = this.rows.get(key);
    if (!row) {
      this.settleText();
      row = { started: at, title: "", node: h("li.step", {}) };
      row.name = h("span.what", {});
      row.end = h("span.end", {});
      row.icon = icon(ICONS[body.kind] ?? "terminal");
      row.node.append(row.icon, row.name, row.end);
      this.add(key, row.node, row);
    }
    if (body.title) row.title = body.title;
    row.name.replaceChildren(h("span.mono", {}, row.title || body.kind));
    const tone = { open: "running", failed: "failed" }[body.status] ?? "quiet";
    row.end.className = `end state ${tone}`;
    if (body.status === "open") row.end.replaceChildren(flight(), w("step.running"), " ", waiting(row.started));
    else row.end.replaceChildren(body.status === "failed" ? w("step.failed") : at - row.started < 1000 ? "" : lasted(at - row.started));
    this.latest = body.status === "open" ? { key: "activity.tool", name: row.title || body.kind } : { key: "activity.after_tool" };
  }

  ask(body) {
    this.openThought = null;
    this.settleText();
    const decision = this.decisions.get(body.tool_id);
    if (decision) this.approval(decision);
    else this.add(`slot:${body.tool_id}`, h("li", { hidden: true })); // its record comes with the next look
  }

  warn(body) {
    this.settleText();
    this.add(`warned:${this.cursor}`, h("li.step", {}, icon("warning"), h("span.what", {}, body.text)));
  }

  // The records behind the questions, as the gateway keeps them; a row is rebuilt only when its record changed.
  setDecisions(decisions, options) {
    this.options = options;
    for (const decision of decisions) {
      this.decisions.set(decision.call_id, decision);
      this.approval(decision);
    }
  }

  approval(decision) {
    const key = `ask:${decision.id}`;
    const known = this.rows.get(key);
    if (known) return known.row.update(decision);
    this.settleText();
    const row = new ApprovalRow(decision, this.options ?? {});
    const slot = this.rows.get(`slot:${decision.call_id}`);
    this.add(key, row.node, { row, node: row.node });
    if (slot) slot.node.replaceWith(row.node); // it stands where it was asked
    return undefined;
  }

  add(key, node, row = { node }) {
    this.rows.set(key, row);
    this.box.append(node);
    this.box.hidden = false;
  }
}
