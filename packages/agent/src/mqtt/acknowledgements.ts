import { packetTypes } from './packet-parser.ts';
import { BufferPool, type ByteWriter, type Loan } from './packets.ts';

/** State of an outgoing message with QoS 1 or 2. */
const awaitingFirst = 1;
const awaitingComplete = 2;
const measuredBit = 4;

const nothing = new Uint8Array(0);
const noTimes = new Float64Array(0);
const minStates = 1_024;
const maxStates = 65_536;

/**
 * Packet identifiers in flight (MQTT 5 section 2.2.1): one byte for each used identifier, and for as many
 * unused identifiers.
 */
export class PacketIds {
  /** Index 0 is not an identifier. Allocated for the first message, and doubled when half of it is in use. */
  #states = nothing;
  /** Due time of each message, in µs on the caller's clock. */
  #dueUs = noTimes;
  #last = 0;
  #inFlight = 0;

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Returns a free identifier; the caller's window is at most 65,535. */
  open(measured: boolean, dueUs = 0): number {
    if (this.#inFlight * 2 >= this.#states.length && this.#states.length < maxStates) this.#grow();
    const highest = this.#states.length - 1;
    let id = this.#last;
    do {
      id = id >= highest ? 1 : id + 1;
    } while (this.#states[id] !== 0);
    this.#last = id;
    this.#states[id] = measured ? awaitingFirst | measuredBit : awaitingFirst;
    this.#dueUs[id] = dueUs;
    this.#inFlight += 1;
    return id;
  }

  #grow(): void {
    const grown = new Uint8Array(Math.max(minStates, this.#states.length * 2));
    grown.set(this.#states);
    this.#states = grown;
    const times = new Float64Array(grown.length);
    times.set(this.#dueUs);
    this.#dueUs = times;
  }

  /** Returns the due time of the last message with this identifier. */
  dueUsOf(id: number): number {
    return this.#dueUs[id] ?? 0;
  }

  /** Called when PUBREC arrived; returns true if a PUBREL must be sent in response. */
  release(id: number): boolean {
    const state = this.#states[id] ?? 0;
    if (state === 0) return false;
    this.#states[id] = (state & measuredBit) | awaitingComplete;
    return true;
  }

  /**
   * Called when PUBACK or PUBCOMP arrived. Returns 1 for a measured message, 0 for any other message, -1 for
   * an identifier that is not in flight.
   */
  close(id: number): number {
    const state = this.#states[id] ?? 0;
    if (state === 0) return -1;
    this.#states[id] = 0;
    this.#inFlight -= 1;
    return state & measuredBit ? 1 : 0;
  }
}

const acknowledgementBytes = 4;
const maxInOneWrite = 1_024;

/** Collects PUBACK, PUBREC, PUBREL and PUBCOMP packets while a chunk is parsed, and writes them together. */
export class AcknowledgementWriter {
  readonly #to: ByteWriter;
  readonly #pool = new BufferPool<AcknowledgementWriter>({
    bufferBytes: maxInOneWrite * acknowledgementBytes,
    onReturned: () => {},
  });
  #loan: Loan<AcknowledgementWriter> | null = null;
  #used = 0;

  constructor(to: ByteWriter) {
    this.#to = to;
  }

  add(type: number, packetId: number): void {
    this.#loan ??= this.#pool.take(this);
    const { bytes } = this.#loan;
    const at = this.#used;
    // The reserved flags of PUBREL are 0010 (MQTT 5 section 3.6.1).
    bytes[at] = (type << 4) | (type === packetTypes.pubrel ? 2 : 0);
    bytes[at + 1] = 2;
    bytes[at + 2] = packetId >> 8;
    bytes[at + 3] = packetId & 0xff;
    this.#used += acknowledgementBytes;
    if (this.#used === bytes.length) this.flush();
  }

  flush(): void {
    const loan = this.#loan;
    if (loan === null) return;
    this.#loan = null;
    this.#to.write(loan.first(this.#used), loan.giveBack);
    this.#used = 0;
  }
}
