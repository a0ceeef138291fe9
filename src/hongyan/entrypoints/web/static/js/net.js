// Asking the gateway. A refusal is an error with its code and what the gateway says; no answer has no status.
const ASK_MS = 20_000;

export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail || String(status));
    Object.assign(this, { status, code: problem.code ?? "", hint: problem.hint ?? "" });
  }
}

export class NoAnswer extends Error {}

async function ask(path, options) {
  const signal = options.signal ? AbortSignal.any([options.signal, AbortSignal.timeout(ASK_MS)]) : AbortSignal.timeout(ASK_MS);
  let answer;
  try {
    answer = await fetch(path, { ...options, signal });
  } catch (error) {
    throw new NoAnswer(error.name);
  }
  if (answer.status === 401) location.reload(); // the page itself says how to come in again
  if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => ({})));
  return answer.status === 204 ? null : answer.json();
}

export const get = (path) => ask(path, {});

export const post = (path, body = {}, signal = undefined) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });
