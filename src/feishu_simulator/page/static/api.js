// The control API. The cookie of the printed link is the proof of who calls.
export class RefusedError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function call(method, path, body) {
  const asked = { method, headers: {}, signal: AbortSignal.timeout(20_000) };
  if (body !== undefined) {
    asked.headers["content-type"] = "application/json";
    asked.body = JSON.stringify(body);
  }
  const answer = await fetch(`/_sim/${path}`, asked);
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new RefusedError(answer.status, found.error?.message ?? `HTTP ${answer.status}`);
  return found;
}

const part = encodeURIComponent;

export const api = {
  state: () => call("GET", "state"),
  timeline: () => call("GET", "timeline?last=400"),
  messages: (chatId) => call("GET", `messages?chat_id=${part(chatId)}`),
  click: (body) => call("POST", "clicks", body),
  event: (eventId) => call("GET", `events/${part(eventId)}`),
  resource: (key) => call("GET", `resources/${part(key)}`),
  act: (body) => call("POST", "messages", body),
  react: (body) => call("POST", "reactions", body),
  addFault: (match, effect) => call("POST", "faults", { match, effect }),
  removeFault: (faultId) => call("DELETE", `faults/${part(faultId)}`),
  cut: (connectionId, close) => call("POST", `connections/${part(connectionId)}`, { close }),
  clock: () => call("GET", "clock"),
  advance: (milliseconds) => call("POST", "clock", { advance_ms: milliseconds }),
  addApp: (name) => call("POST", "apps", { name }),
  addUser: (name, outside) => call("POST", "users", { name, outside_tenant: outside }),
  addGroup: (group) => call("POST", "chats", group),
};
