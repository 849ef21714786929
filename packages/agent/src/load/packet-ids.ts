/** Where an outgoing message of QoS 1 or 2 stands. */
const awaitingFirst = 1;
const awaitingComplete = 2;
const measuredBit = 4;

const nothing = new Uint8Array(0);

/** Packet identifiers in flight (MQTT 5 section 2.2.1): one byte for each of the 65,535. */
export class PacketIds {
  /** Made for the first message: a publisher at QoS 0 has no identifiers. */
  #states = nothing;
  #last = 0;
  #inFlight = 0;

  get inFlight(): number {
    return this.#inFlight;
  }

  /** A free identifier; the caller keeps to a window of at most 65,535. */
  open(measured: boolean): number {
    if (this.#states.length === 0) this.#states = new Uint8Array(65_536);
    let id = this.#last;
    do {
      id = id === 65_535 ? 1 : id + 1;
    } while (this.#states[id] !== 0);
    this.#last = id;
    this.#states[id] = measured ? awaitingFirst | measuredBit : awaitingFirst;
    this.#inFlight += 1;
    return id;
  }

  /** PUBREC came: whether a PUBREL is the answer. */
  release(id: number): boolean {
    const state = this.#states[id] ?? 0;
    if (state === 0) return false;
    this.#states[id] = (state & measuredBit) | awaitingComplete;
    return true;
  }

  /** PUBACK or PUBCOMP came: 1 for a measured message, 0 for another, -1 for an identifier that is not in flight. */
  close(id: number): number {
    const state = this.#states[id] ?? 0;
    if (state === 0) return -1;
    this.#states[id] = 0;
    this.#inFlight -= 1;
    return state & measuredBit ? 1 : 0;
  }
}
