/** Of so many wakings, this share may come before the wanted instant; the rest of the way is then spun. */
const earlyShare = 0.2;
const stepUs = 1;
const maxUs = 120;

/**
 * Learns how late this machine wakes a thread (mostly the way out of an idle state, 30 to 80 µs) so that the
 * pacer can ask to be woken that much sooner. Follows a low quantile of what it is told (stochastic
 * approximation, Robbins and Monro 1951), so that waking early, which costs spinning, stays the exception.
 */
export class WakeLead {
  #us = 0;

  /** How much sooner to ask, µs. */
  get us(): number {
    return this.#us;
  }

  /** A waking came so long after the instant that was asked for. */
  learn(lateUs: number): void {
    const change = lateUs > this.#us ? stepUs * earlyShare : -stepUs * (1 - earlyShare);
    this.#us = Math.min(maxUs, Math.max(0, this.#us + change));
  }
}
