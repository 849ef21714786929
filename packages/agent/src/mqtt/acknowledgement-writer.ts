import { BufferPool, type Loan } from './buffer-pool.ts';
import type { ByteWriter } from './byte-writer.ts';
import { packetTypes } from './packet-parser.ts';

const acknowledgementBytes = 4;
const maxInOneWrite = 1_024;

/** Collects PUBACK, PUBREC, PUBREL and PUBCOMP while one chunk is parsed, and writes them together. */
export class AcknowledgementWriter {
  readonly #to: ByteWriter;
  readonly #pool = new BufferPool<AcknowledgementWriter>({
    bufferBytes: maxInOneWrite * acknowledgementBytes,
    onGiven: () => {},
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
    this.#to.write(loan.first(this.#used), loan.give);
    this.#used = 0;
  }
}
