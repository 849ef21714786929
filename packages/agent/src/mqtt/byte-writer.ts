/** Where packets go. `done` is called when the bytes may be reused, also when they could not be sent. */
export interface ByteWriter {
  write(bytes: Buffer, done: () => void): void;
}
