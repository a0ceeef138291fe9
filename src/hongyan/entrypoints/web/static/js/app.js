// The console: which place is open, what every place shows, and what the stream says changed.
import { byId, h } from "./dom.js";
import { w, setNow } from "./words.js";
import { get } from "./net.js";
import { follow, gathered } from "./stream.js";
import { List } from "./list.js";
import { Conversation } from "./conversation.js";
import { Needs } from "./needs.js";
import { Ledger } from "./ledger.js";
import { Settings } from "./settings.js";
import { listenKeys } from "./keys.js";

const PLACES = ["conversations", "needs", "ledger", "settings"];
const TOAST_MS = 5_000;

const say = (words) => {
  byId("status").textContent = words;
};

function alarm(words) {
  byId("alert").textContent = "";
  byId("alert").textContent = words;
  byId("toast").textContent = words;
  byId("toast").hidden = false;
  clearTimeout(alarm.timer);
  alarm.timer = setTimeout(() => (byId("toast").hidden = true), TOAST_MS);
}

const go = (hash) => {
  location.hash = hash;
};
const list = new List({ alarm, open: (id) => go(`#/c/${id}`) });
const conversation = new Conversation({ alarm, say });
const places = {
  needs: new Needs({ alarm, say }),
  ledger: new Ledger({ alarm }),
  settings: new Settings({ alarm }),
};
let place = "";

function route() {
  const [, name = "", rest = ""] = location.hash.split("/");
  const next = PLACES.includes(name) ? name : "conversations";
  const session = name === "c" ? decodeURIComponent(rest) : null;
  document.documentElement.dataset.place = next;
  document.documentElement.dataset.open = session ? "conversation" : "list";
  for (const one of PLACES) {
    byId(`place-${one}`).hidden = one !== next;
    byId(`nav-${one}`).ariaCurrent = one === next ? "page" : null;
  }
  if (next !== "conversations") document.title = `${w(`nav.${next}`)} · Hongyan`;
  else if (!session) document.title = `${w("nav.conversations")} · Hongyan`;
  list.choose(session);
  if (next === "conversations") conversation.open(session).catch(() => {});
  if (next !== place) byId("main").scrollTop = 0;
  place = next;
  places[next]?.open(rest);
}

async function overview() {
  const seen = await get("/console/overview");
  setNow(seen.now);
  list.set(seen);
  const off = seen.off_by.map(Math.abs).find((difference) => difference);
  note("conversations", seen.running ? w("nav.running", { n: seen.running }) : "", "running");
  note("needs", seen.needs ? String(seen.needs) : "", "waits");
  note("ledger", off ? w("off_by", { n: off }) : w("adds_up"), off ? "failed" : "quiet");
  byId("nav-needs").ariaLabel = seen.needs ? `${w("nav.needs")}, ${seen.needs}` : w("nav.needs");
}

function note(name, words, tone) {
  const node = byId(`note-${name}`);
  node.className = `note state ${tone}`;
  node.textContent = words;
}

function listeners(apps) {
  const rows = apps.map(({ app, state, code }) => {
    const tone = code || state === "stopped" ? "failed" : state === "listening" ? "quiet" : "waits";
    return h("li", {}, h("span", {}, app), h(`span.state.${tone}`, {}, code || w(`listener.${state}`)));
  });
  byId("apps").replaceChildren(...rows);
  const troubled = rows.filter((row) => !row.querySelector(".state.quiet"));
  byId("apps-strip").hidden = troubled.length === 0;
  byId("apps-strip").textContent = troubled.map((row) => [...row.children].map((one) => one.textContent).join(" · ")).join(", ");
}

const freshOverview = gathered(overview, 200);
const freshConversation = gathered(() => conversation.refresh(), 120);
const freshPlace = gathered(async () => places[place]?.refresh(), 250);

const CONCERNS = {
  hello: () => {},
  reset: () => [freshOverview, freshConversation, freshPlace].forEach((fresh) => fresh()),
  event: (facts) => conversation.takeEvent(facts) && freshConversation(),
  turn: () => [freshOverview, freshConversation].forEach((fresh) => fresh()),
  session: () => freshOverview(),
  transcript: (facts) => facts.session_id === conversation.id && freshConversation(),
  approval: () => [freshOverview, freshConversation, freshPlace].forEach((fresh) => fresh()),
  owed: () => [freshOverview, freshConversation, freshPlace].forEach((fresh) => fresh()),
  ledger: () => {
    freshOverview();
    if (place === "ledger") freshPlace();
    if (conversation.id) freshConversation(); // how far the last words came
  },
  settings: () => [freshOverview, freshConversation, freshPlace].forEach((fresh) => fresh()),
  listeners: (apps) => {
    listeners(apps);
    places.settings.listeners(apps);
  },
};

function reach(there) {
  byId("reach").hidden = there;
  conversation.composer.reached(there);
}

addEventListener("hashchange", route);
listenKeys({ go, find: () => byId("find") });
overview()
  .catch(() => freshOverview())
  .finally(() => {
    route();
    follow((kind, facts) => CONCERNS[kind](facts), reach);
    document.documentElement.dataset.ready = "true";
  });

