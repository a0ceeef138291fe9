// The faults dialog: a few ready-made rules, and those in force.
import { api } from "./api.js";
import { KeyedList, byId, h } from "./dom.js";
import { known, language, t } from "./words.js";

const REPLY = "POST /open-apis/im/v1/messages/:message_id/reply";
const RECEIVED = "event:im.message.receive_v1";
const CLICKED = "event:card.action.trigger";
const CUT_THE_LINE = 1006;

// Each offer has its words under `offer_NAME` and `offer_NAME_hint`.
const OFFERS = {
  lost_reply: { match: { endpoint: REPLY, times: 1 }, effect: { lost_response: true } },
  refused_reply: { match: { endpoint: REPLY, times: 1 }, effect: { error_code: 230013 } },
  gateway_error: { match: { endpoint: REPLY, times: 1 }, effect: { http_status: 503 } },
  rate_limit: { match: { endpoint: REPLY }, effect: { rate_limit: { limit: 1, window_ms: 10_000 } } },
  drop_event: { match: { endpoint: RECEIVED, times: 1 }, effect: { drop: true } },
  twice_event: { match: { endpoint: RECEIVED, times: 1 }, effect: { duplicate: true } },
  silent_click: { match: { endpoint: CLICKED, times: 1 }, effect: { drop: true } },
  delay: { match: { endpoint: "*" }, effect: { delay_ms: 2_000 } },
};

export class Faults {
  constructor(store, tellProblem) {
    Object.assign(this, { store, tellProblem });
    this.offers = new KeyedList(byId("offers"));
    this.standing = new KeyedList(byId("standing"));
  }

  render() {
    const open = this.active().length;
    byId("faults-count").textContent = open ? ` ${open}` : "";
    if (!byId("faults").open) return;
    this.offers.show([...Object.keys(OFFERS), "cut_line"].map((name) => this.offerItem(name)));
    this.standing.show([...this.store.faults.values()].map((rule) => this.ruleItem(rule)));
    byId("none-standing").hidden = this.store.faults.size > 0;
  }

  active() {
    return [...this.store.faults.values()].filter((rule) => !spent(rule));
  }

  offerItem(name) {
    const build = () => {
      const words = t(`offer_${name}`);
      const add = h("button.button.small", { type: "button", "aria-label": `${t("add")}: ${words}` }, t("add"));
      if (name === "cut_line") add.replaceChildren(t("close_now"));
      add.addEventListener("click", () => this.attempt(name === "cut_line" ? this.cutLines() : this.add(name)));
      return line(words, t(`offer_${name}_hint`), add);
    };
    return { key: name, sign: language(), build };
  }

  ruleItem(rule) {
    const build = () => {
      const remove = h("button.button.small", { type: "button", "aria-label": `${t("remove")}: ${effects(rule)}` }, t("remove"));
      remove.addEventListener("click", () => this.attempt(api.removeFault(rule.fault_id)));
      return line(effects(rule), `${rule.match.endpoint} · ${uses(rule)}`, remove);
    };
    return { key: rule.fault_id, sign: `${language()} ${rule.used}`, build };
  }

  add(name) {
    return api.addFault(OFFERS[name].match, OFFERS[name].effect);
  }

  cutLines() {
    const live = [...this.store.connections.values()].filter((item) => item.live);
    return Promise.all(live.map((item) => api.cut(item.connection_id, CUT_THE_LINE)));
  }

  attempt(promise) {
    promise.catch((error) => this.tellProblem(error));
  }
}

const spent = (rule) => rule.match.times !== undefined && rule.used >= rule.match.times;

function line(words, hint, button) {
  return h("li", {}, h("span.words", {}, words, h("span.hint", {}, hint)), button);
}

const effects = (rule) =>
  Object.keys(rule.effect)
    .map((name) => (known(`effect_${name}`) ? t(`effect_${name}`) : name))
    .join(", ");

function uses(rule) {
  if (spent(rule)) return t("used_up", { used: rule.used });
  return rule.match.times ? t("uses", { used: rule.used, times: rule.match.times }) : t("until_removed", { used: rule.used });
}
