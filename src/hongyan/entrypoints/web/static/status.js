// Keeps the status page fresh, and carries the buttons of what is owed. Nothing here decides or words anything.

const EVERY_MS = 2000;
const tongue = document.documentElement.dataset.tongue;
const overview = document.getElementById("overview");
const reach = document.getElementById("reach");
const refused = document.getElementById("refused");
let shown = "";

function place(html) {
  if (html === shown) return;
  shown = html;
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  for (const part of fresh.content.querySelectorAll("[data-part]")) {
    const old = overview.querySelector(`[data-part="${part.dataset.part}"]`);
    if (old.innerHTML !== part.innerHTML) exchange(old, part);
  }
}

// A part that is exchanged under the reader's hand keeps the focus: on the same button, or on the part's heading.
function exchange(old, part) {
  const held = old.contains(document.activeElement) ? document.activeElement : null;
  old.replaceWith(part);
  if (!held) return;
  const { owed, act } = held.dataset;
  const same = owed && part.querySelector(`[data-owed="${owed}"][data-act="${act}"]`);
  (same || part.querySelector("h2")).focus();
}

async function refresh() {
  try {
    const answer = await fetch(`/overview?lang=${tongue}`, { signal: AbortSignal.timeout(EVERY_MS * 5) });
    if (answer.status === 401) location.reload();
    if (!answer.ok) throw new Error(String(answer.status));
    place((await answer.json()).html);
    reach.hidden = true;
  } catch {
    reach.hidden = false;
  }
}

async function act(button) {
  if (button.ariaDisabled) return;
  button.ariaDisabled = "true"; // a truly disabled button would lose the focus
  const { owed, act: action, version } = button.dataset;
  const answer = await fetch(`/api/v1/owed/${owed}/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ expected_version: Number(version) }),
    signal: AbortSignal.timeout(EVERY_MS * 5),
  }).catch(() => null);
  refused.hidden = answer !== null && answer.ok;
  if (!refused.hidden) {
    const reason = answer === null ? reach.textContent : (await answer.json()).detail;
    refused.textContent = refused.dataset.words.replace("{reason}", reason);
    button.ariaDisabled = null;
  }
  await refresh();
}

overview.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-owed]");
  if (button) act(button);
});

async function keepFresh() {
  if (!document.hidden) await refresh();
  setTimeout(keepFresh, EVERY_MS);
}

setTimeout(keepFresh, EVERY_MS);
