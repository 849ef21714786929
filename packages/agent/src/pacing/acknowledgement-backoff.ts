const longestUs = 2_000;
const shortestUs = 10;

/**
 * How long to leave acknowledgements alone when messages go as fast as the window allows. Waking for each one
 * costs several times the message itself; so the sender rests until about a third of its window came back.
 * The broker never runs dry: when more than half came back, the next rest is half as long.
 */
export class Rest {
  #us = 0;

  /** Acknowledgements that came since the last rest, and messages in flight when it began. Returns µs. */
  next(came: number, inFlight: number): number {
    const share = inFlight === 0 ? 1 : came / inFlight;
    if (share > 1 / 2) this.#us = this.#us < shortestUs ? 0 : this.#us / 2;
    else if (share < 1 / 4) this.#us = Math.min(longestUs, this.#us * 1.25 + shortestUs);
    return this.#us;
  }
}
