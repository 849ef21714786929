import { ReplayWindow } from './replay-window.ts';

/** About 400 bytes each. */
const maxSenders = 65_536;

interface Sender {
  high: number;
  low: number;
  window: ReplayWindow;
  /** Another sender with the same `low`. */
  next: Sender | null;
}

/** The replay windows of everyone a subscriber has heard, by the 8 random bytes that each chose. */
export class SenderTable {
  readonly #senders = new Map<number, Sender>();
  readonly #most: number;
  #count = 0;

  constructor(most: number = maxSenders) {
    this.#most = most;
  }

  /** Made when it is not there; null when there are too many, rather than forgetting whom one has heard. */
  windowOf(high: number, low: number): ReplayWindow | null {
    const first = this.#senders.get(low) ?? null;
    for (let sender = first; sender !== null; sender = sender.next) {
      if (sender.high === high) return sender.window;
    }
    if (this.#count >= this.#most) return null;
    this.#count += 1;
    const window = new ReplayWindow();
    this.#senders.set(low, { high, low, window, next: first });
    return window;
  }
}
