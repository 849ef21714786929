import { closeSync, openSync, readSync } from 'node:fs';

const pageBytes = 4_096;

/** A file of /proc or /sys that is read again and again: opened once, read from its beginning each time. */
export class ProcFile {
  readonly #path: string;
  readonly #buffer: Buffer;
  #descriptor: number | null = null;

  /** Files longer than `bytes` are cut. */
  constructor(path: string, bytes: number = pageBytes) {
    this.#path = path;
    this.#buffer = Buffer.allocUnsafe(bytes);
  }

  /** Throws the system's error: ENOENT, or ESRCH once the process is gone. */
  read(): string {
    this.#descriptor ??= openSync(this.#path, 'r');
    const length = readSync(this.#descriptor, this.#buffer, 0, this.#buffer.length, 0);
    return this.#buffer.toString('latin1', 0, length);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}
