// Follows the simulator's changes. After a break, a gap or a reset everything is read anew: it may be another run.
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
    source.onmessage = (event) => this.take(JSON.parse(event.data));
    source.onerror = () => {
      source.close();
      this.tellTrouble("no_answer");
      setTimeout(() => this.start(), RETRY_MS);
    };
  }

  take(change) {
    const expected = this.store.lastChange + 1;
    if (change.number < expected) return;
    if (change.number === expected && change.kind !== "reset") this.store.apply(change);
    else this.start();
  }
}
