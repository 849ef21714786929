import type { WebSocket } from 'ws';

/** Pings the other end, and ends the connection when nothing came back until the next ping is due. */
export class Heartbeat {
  readonly #socket: WebSocket;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | null = null;
  #answered = true;

  constructor(socket: WebSocket, everyMs: number) {
    this.#socket = socket;
    this.#everyMs = everyMs;
  }

  start(): void {
    if (this.#timer !== null) return;
    const hear = () => {
      this.#answered = true;
    };
    this.#socket.on('pong', hear);
    this.#socket.on('message', hear);
    this.#timer = setInterval(() => this.#beat(), this.#everyMs);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #beat(): void {
    if (!this.#answered) {
      this.#socket.terminate();
      return;
    }
    this.#answered = false;
    this.#socket.ping();
  }
}
