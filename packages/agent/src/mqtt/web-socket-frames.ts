import { MqttProtocolError } from './mqtt-protocol-error.ts';

/** Opcodes, RFC 6455 section 5.2. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface FrameSink {
  /** Bytes `start` to `end` of the chunk are payload of a data frame; valid during the call only. */
  onPayload(chunk: Uint8Array, end: number, start: number): void;
  onControlFrame(opcode: number, payload: Uint8Array): void;
}

const longestHeader = 10;
/** Most payload of a control frame, RFC 6455 section 5.5. */
const longestControl = 125;

/** Incremental reader of what a WebSocket server sends: payload is handed on without being copied. */
export class WebSocketFrames {
  readonly #sink: FrameSink;
  readonly #header = new Uint8Array(longestHeader);
  #headerBytes = 0;
  /** Of the frame that is being read. */
  #opcode = 0;
  #left = 0;
  readonly #control = new Uint8Array(longestControl);
  #controlBytes = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** Throws MqttProtocolError. */
  push(chunk: Uint8Array, end: number, start = 0): void {
    let at = start;
    while (at < end) {
      if (this.#left === 0) {
        this.#header[this.#headerBytes] = chunk[at]!;
        this.#headerBytes += 1;
        at += 1;
        if (!this.#readHeader() || this.#left > 0) continue;
      }
      const until = Math.min(end, at + this.#left);
      this.#take(chunk, at, until);
      at = until;
    }
  }

  #take(chunk: Uint8Array, at: number, until: number): void {
    this.#left -= until - at;
    if (this.#opcode < opcodes.close) {
      if (until > at) this.#sink.onPayload(chunk, until, at);
      return;
    }
    this.#control.set(chunk.subarray(at, until), this.#controlBytes);
    this.#controlBytes += until - at;
    if (this.#left > 0) return;
    this.#sink.onControlFrame(this.#opcode, this.#control.subarray(0, this.#controlBytes));
    this.#controlBytes = 0;
  }

  /** Whether the header is whole; then opcode and length are known. */
  #readHeader(): boolean {
    const header = this.#header;
    if (this.#headerBytes < 2) return false;
    const short = header[1]! & 0x7f;
    const whole = short === 126 ? 4 : short === 127 ? longestHeader : 2;
    if (this.#headerBytes < whole) return false;
    this.#headerBytes = 0;
    this.#opcode = header[0]! & 0x0f;
    this.#left = short;
    if (short >= 126) {
      this.#left = 0;
      for (let i = 2; i < whole; i += 1) this.#left = this.#left * 256 + header[i]!;
    }
    this.#check(header);
    return true;
  }

  #check(header: Uint8Array): void {
    if ((header[0]! & 0x70) !== 0) throw new MqttProtocolError('a WebSocket frame with an unknown extension');
    if (header[1]! >= 0x80) throw new MqttProtocolError('a masked WebSocket frame, which no server may send');
    if (this.#opcode >= opcodes.close && this.#left > longestControl)
      throw new MqttProtocolError('a WebSocket control frame that is too long');
    // MQTT 5 section 6: a server sends binary data only.
    if (this.#opcode === opcodes.text) throw new MqttProtocolError('a WebSocket text frame');
  }
}
