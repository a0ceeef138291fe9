// A list that follows its newest line only while the reader is at the end.
const NEAR_PX = 48;

export class Follower {
  constructor(box, onEnd = () => {}) {
    this.box = box;
    this.atEnd = true;
    this.watcher = new ResizeObserver(() => this.keep());
    this.watcher.observe(box);
    box.addEventListener("scroll", () => {
      this.atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
      if (this.atEnd) onEnd();
    });
  }

  follow(content) {
    this.watcher.observe(content);
  }

  keep() {
    if (this.atEnd) this.box.scrollTop = this.box.scrollHeight;
  }

  // The reader opens something: what they look at stays where it is.
  stay() {
    this.atEnd = false;
  }

  toEnd() {
    this.atEnd = true;
    this.keep();
  }
}
