// How one row of the timeline reads.
import { toastText } from "./card_text.js";
import { h, icon, unseen } from "./dom.js";
import { fraction, iso, second, span } from "./times.js";
import { known, t } from "./words.js";

const LONGEST_PATH = 20;
const LONG_ID = /^(om|oc|ou|on|omt|cli|img|file|evt)?[-_]?[0-9A-Za-z_-]{12,}$/;

export function row(item, { open, body, toggle }) {
  const read = { event: readEvent, call: readCall, line: readLine, click: readClick }[item.kind](item);
  const id = `details-${item.key}`;
  const line = h(
    "button.line",
    { type: "button", "aria-expanded": String(open), "aria-controls": id, title: read.title, data: { mark: "line" } },
    h("time", { datetime: iso(item.atMs) }, second(item.atMs), h("span.fraction", {}, fraction(item.atMs))),
    icon(read.icon),
    h("span.what", {}, unseen(`${read.direction} `), read.what),
    h(`span.outcome${read.tone ? `.${read.tone}` : ""}`, {}, read.outcome),
  );
  line.addEventListener("click", toggle);
  const style = ["li", "entry", item.kind, read.style].filter(Boolean).join(".");
  const more = h("div.details", { id, hidden: !open }, open ? details(read, body) : null);
  return h(style, { data: { key: item.key } }, line, facts(read.facts), more);
}

function facts(pairs) {
  if (pairs.length === 0) return null;
  return h("dl.facts", {}, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function readCall({ facts: call, strike, repeated }) {
  return {
    icon: call.fault ? "bolt" : "left",
    direction: t("from_bot"),
    what: `${call.method} ${shortPath(call.path)}`,
    title: `${call.method} ${call.path}`,
    style: call.fault ? "fault" : repeated ? "notable" : "",
    ...callOutcome(call, repeated),
    facts: callFacts(call, strike, repeated),
    pairs: callPairs(call),
    text: ["body", call.body],
  };
}

function callOutcome(call, repeated) {
  if (call.status === null) {
    const words = call.fault?.includes("lost_response") ? t("response_lost") : t("no_answer_given");
    return { outcome: words, tone: "failed" };
  }
  if (repeated) return { outcome: t("same_uuid"), tone: "" };
  if (call.status >= 400 || call.code) {
    return { outcome: [call.status, call.code].filter(Boolean).join(" · "), tone: "failed" };
  }
  return { outcome: `${call.status} · ${span(call.duration_us)}`, tone: "" };
}

function callFacts(call, strike, repeated) {
  const pairs = [];
  if (call.fault) pairs.push([t("fault"), faultWords(call.fault, strike)]);
  if (call.card_id) pairs.push([t("card"), cardWords(call)]);
  if (call.uuid && call.sequence === null) {
    const message = call.message_id ? shortId(call.message_id) : "";
    const end = repeated ? t("answered_with", { message }) : message ? t("stored_as", { message }) : t("nothing_stored");
    pairs.push(["uuid", `${call.uuid}  ${end}`]);
  }
  return pairs;
}

function callPairs(call) {
  return [
    [t("path"), `${call.method} ${call.path}${call.query ? `?${call.query}` : ""}`],
    ["App", call.app_id ?? t("none")],
    [t("answer"), [call.status ?? t("none"), call.code].filter((item) => item !== null).join(" · ")],
    [t("took"), span(call.duration_us)],
    [t("message"), call.message_id],
    [t("card"), call.card_id],
    [t("sequence"), call.sequence],
    ["uuid", call.uuid],
  ];
}

function cardWords({ card_id: id, sequence }) {
  return sequence === null ? shortId(id) : `${shortId(id)}  ${t("as_sequence", { sequence })}`;
}

// A click that no bot was told of: its number says why.
function readClick({ facts: click }) {
  return {
    icon: "bolt",
    direction: "",
    what: t("click"),
    title: t("click"),
    style: click.code ? "fault" : "",
    outcome: click.code ? t("failed_with", { code: click.code }) : t("not_heard"),
    tone: click.code ? "failed" : "",
    facts: clickFacts(click),
    pairs: [[t("message"), click.message_id], ["App", click.app_id], [t("card"), click.card_id]],
    text: [],
  };
}

function clickFacts(click) {
  if (!click) return [];
  const pressed = click.control.text || click.control.name || click.control.tag;
  const pairs = [[t("click"), t("said_by", { name: click.user_name, text: pressed })]];
  if (click.toast) pairs.push([t("toast"), toastText(click.toast)]);
  if (click.card_updated) pairs.push([t("card"), t("card_updated")]);
  if (click.problem) pairs.push([t("problem"), [click.code, click.problem].filter(Boolean).join(" · ")]);
  return pairs;
}

function readEvent({ facts: event, strike, click }) {
  const fault = event.attempts.map((attempt) => attempt.fault).find(Boolean);
  const summary = fault ? [[t("fault"), faultWords(fault, strike)]] : [];
  if (event.attempts.length > 1) summary.push([t("tries"), event.attempts.map(attemptOutcome).join(", ")]);
  return {
    icon: fault ? "bolt" : "right",
    direction: t("to_bot"),
    what: event.event_type,
    title: event.event_type,
    style: fault || click?.state === "failed" ? "fault" : "",
    ...eventOutcome(event, click),
    facts: [...clickFacts(click), ...summary],
    pairs: [
      ["event_id", event.event_id],
      ["App", event.app_id],
      [t("subject"), event.subject],
      ...event.attempts.map((attempt) => [t("attempt", { number: attempt.number }), attemptWords(attempt)]),
    ],
    text: ["event"],
  };
}

function eventOutcome({ state, attempts }, click) {
  if (click?.state === "failed") return { outcome: t("failed_with", { code: click.code }), tone: "failed" };
  const last = attempts.at(-1);
  if (state === "acked") {
    const took = `${Math.max(0, (last.ended_ms ?? last.at_ms) - last.at_ms)} ms`;
    return { outcome: t(attempts.length > 1 ? "retried_acked" : "acked", { took }), tone: "" };
  }
  if (state === "abandoned") return { outcome: t("given_up"), tone: "failed" };
  if (state === "sent") return { outcome: t("awaits_ack"), tone: "running" };
  const reason = { no_connection: "nobody_listens", refused: "refused_retry" }[last?.outcome] ?? "not_acked";
  return { outcome: t(reason), tone: "waits" };
}

const attemptOutcome = ({ outcome }) => (known(`outcome_${outcome}`) ? t(`outcome_${outcome}`) : outcome);

function attemptWords(attempt) {
  const fault = attempt.fault ? faultWords(attempt.fault) : null;
  return [second(attempt.at_ms), attemptOutcome(attempt), attempt.ack_code, fault].filter(Boolean).join(" · ");
}

function readLine({ facts: line }) {
  const closed = line.action === "closed";
  return {
    icon: "line",
    direction: "",
    what: t("long_connection"),
    title: t("long_connection"),
    style: "",
    outcome: closed ? t("line_closed", { code: line.close_code }) : t(`line_${line.action}`),
    tone: line.action === "opened" ? "" : "waits",
    facts: [],
    pairs: [
      [t("connection"), line.connection_id],
      ["App", line.app_id],
      [t("counts"), t("line_counts", { events: line.events_sent, acks: line.acks, pings: line.pings })],
    ],
    text: [],
  };
}

function details(read, body) {
  const pairs = read.pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const list = h("dl", {}, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))]));
  const [kind, text] = read.text;
  const shown = kind === "event" ? body && JSON.stringify(body, null, 2) : pretty(text);
  return [list, shown ? [h("h3", {}, t("body")), h("pre", { tabindex: "0" }, shown)] : []].flat();
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function faultWords(label, strike) {
  const effects = label.split("+").map((name) => (known(`effect_${name}`) ? t(`effect_${name}`) : name));
  const times = strike?.match?.times;
  return times ? t("used_of", { effects: effects.join(", "), used: strike.used, times }) : effects.join(", ");
}

function shortPath(path) {
  const parts = path.replace("/open-apis/", "/").split("/").map(shortId);
  while (parts.length > 3 && parts.join("/").length > LONGEST_PATH) parts.splice(0, parts[0] === "…" ? 2 : 1, "…");
  return parts.join("/");
}

const shortId = (part) => (LONG_ID.test(part) && /\d/.test(part) ? `${part.slice(0, 7)}…` : part);
