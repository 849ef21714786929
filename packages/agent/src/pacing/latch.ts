/** Something that happens once and that several may wait for. */
export class Latch {
  #open: () => void = () => {};
  readonly opened: Promise<void> = new Promise((resolve) => {
    this.#open = resolve;
  });

  /** Idempotent. */
  open(): void {
    this.#open();
  }
}
