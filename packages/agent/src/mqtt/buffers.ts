/** Where packets go. `done` is called when the bytes may be reused, also when they could not be sent. */
export interface ByteWriter {
  write(bytes: Buffer, done: () => void): void;
}

/** A buffer on loan: it belongs to its borrower until `give` is called, which is what a write callback does. */
export interface Loan<Borrower> {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly view: DataView;
  borrower: Borrower | null;
  /** The first `length` bytes, made once for each length so that writing allocates nothing of ours. */
  first(length: number): Buffer;
  readonly give: () => void;
}

export interface BufferPoolOptions<Borrower> {
  bufferBytes: number;
  /** Written once into every new buffer. */
  fill?: (bytes: Buffer) => void;
  /** Told after a buffer came back. */
  onGiven: (borrower: Borrower) => void;
}

/** Buffers of one size, made when none is free and never reused before their write is over. */
export class BufferPool<Borrower> {
  readonly #options: BufferPoolOptions<Borrower>;
  readonly #free: Loan<Borrower>[] = [];

  constructor(options: BufferPoolOptions<Borrower>) {
    this.#options = options;
  }

  take(borrower: Borrower): Loan<Borrower> {
    const loan = this.#free.pop() ?? this.#make();
    loan.borrower = borrower;
    return loan;
  }

  #make(): Loan<Borrower> {
    const bytes = Buffer.from(new ArrayBuffer(this.#options.bufferBytes));
    this.#options.fill?.(bytes);
    const beginnings = new Map<number, Buffer>();
    const loan: Loan<Borrower> = {
      bytes,
      view: new DataView(bytes.buffer),
      borrower: null,
      first(length) {
        let part = beginnings.get(length);
        if (part === undefined) {
          part = bytes.subarray(0, length);
          beginnings.set(length, part);
        }
        return part;
      },
      give: () => {
        const borrower = loan.borrower;
        if (borrower === null) return;
        loan.borrower = null;
        this.#free.push(loan);
        this.#options.onGiven(borrower);
      },
    };
    return loan;
  }
}
