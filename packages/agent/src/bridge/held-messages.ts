/** Plaintexts on their way to the cloud, all of one size, each until the cloud broker has it. */
export class HeldMessages {
  readonly #bytes: number;
  readonly #plain: Buffer[] = [];
  readonly #free: number[] = [];
  /** By slot: its identifier on the local leg, 0 where nobody waits for an acknowledgement. */
  readonly upstream: number[] = [];
  /** By slot, rising: the order in which they came. */
  readonly order: number[] = [];
  #next = 0;
  #count = 0;

  constructor(plainBytes: number) {
    this.#bytes = plainBytes;
  }

  get count(): number {
    return this.#count;
  }

  /** Copies; returns the slot. Rooms are made as they are needed and kept. */
  take(source: Uint8Array, at: number, upstreamId: number): number {
    const slot = this.#free.pop() ?? this.#make();
    Buffer.prototype.copy.call(source, this.#plain[slot]!, 0, at, at + this.#bytes);
    this.upstream[slot] = upstreamId;
    this.order[slot] = this.#next;
    this.#next += 1;
    this.#count += 1;
    return slot;
  }

  plainOf(slot: number): Buffer {
    return this.#plain[slot]!;
  }

  free(slot: number): void {
    this.#free.push(slot);
    this.#count -= 1;
  }

  /** The local broker has forgotten its session: its identifiers mean nothing any more. */
  forgetUpstream(): void {
    this.upstream.fill(0);
  }

  #make(): number {
    return this.#plain.push(Buffer.alloc(this.#bytes)) - 1;
  }
}
