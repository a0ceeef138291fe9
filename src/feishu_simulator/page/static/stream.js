// Follows the simulator's changes. The browser resumes after a short break by itself (Last-Event-ID);
// after a long one, a gap or a reset, everything is read anew.
const RETRY_MS = 2_000;

export class Stream {
  constructor(store, tellTrouble) {
    this.store = store;
    this.tellTrouble = tellTrouble;
    this.source = null;
  }

  async start() {
    this.source?.close();
    try {
      await this.store.load();
    } catch (error) {
      this.tellTrouble(error.status === 401 ? "no_session" : "no_answer");
      if (error.status !== 401) setTimeout(() => this.start(), RETRY_MS);
      return;
    }
    this.tellTrouble(null);
    this.listen();
  }

  listen() {
    const source = new EventSource(`/_sim/stream?after=${this.store.lastChange}`);
    this.source = source;
    source.onopen = () => this.tellTrouble(null);
    source.onmessage = (event) => this.take(JSON.parse(event.data));
    source.onerror = () => {
      this.tellTrouble("no_answer");
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.start(), RETRY_MS);
    };
  }

  take(change) {
    const expected = this.store.lastChange + 1;
    if (change.number < expected) return;
    if (change.number > expected || change.kind === "reset") {
      this.start();
      return;
    }
    this.store.apply(change);
  }
}
