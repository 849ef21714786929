export interface RequestOptions {
  /** Sends the request. If it throws, the request is rejected with the thrown error. */
  send: () => void;
  /** Timeout after which the request is rejected with `late()`. If omitted, the request never times out. */
  timeout?: { ms: number; late: () => Error };
}

interface Pending<Answer> {
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Requests that wait for an answer, by key. The channel may be a WebSocket, IPC or anything else that delivers
 * answers as separate messages.
 *
 *     const answer = requests.ask(id, { send: () => socket.send(frame), timeout: { ms: 5_000, late } });
 *     socket.on('message', (text) => requests.resolve(idOf(text), text));
 *     socket.on('close', () => requests.rejectAll(new Error('connection lost')));
 */
export class Requests<Key, Answer> {
  readonly #pending = new Map<Key, Pending<Answer>>();

  /** Number of requests without an answer. */
  get size(): number {
    return this.#pending.size;
  }

  /** Sends the request and returns its answer. A key can be reused after its request was answered. */
  ask(key: Key, { send, timeout }: RequestOptions): Promise<Answer> {
    if (this.#pending.has(key)) throw new RangeError(`request ${String(key)} is already pending`);
    return new Promise((resolve, reject) => {
      const timer =
        timeout && setTimeout(() => this.#expire(key, pending, () => reject(timeout.late())), timeout.ms);
      const pending: Pending<Answer> = { resolve, reject, timer };
      this.#pending.set(key, pending);
      try {
        send();
      } catch (error) {
        this.reject(key, error);
      }
    });
  }

  /** Returns false if no such request is pending. */
  resolve(key: Key, answer: Answer): boolean {
    const pending = this.#take(key);
    pending?.resolve(answer);
    return pending !== null;
  }

  /** Returns false if no such request is pending. */
  reject(key: Key, error: unknown): boolean {
    const pending = this.#take(key);
    pending?.reject(error);
    return pending !== null;
  }

  /** Rejects all pending requests, because the channel is closed and no answer can arrive. */
  rejectAll(error: unknown): void {
    for (const key of [...this.#pending.keys()]) this.reject(key, error);
  }

  #take(key: Key): Pending<Answer> | null {
    const pending = this.#pending.get(key) ?? null;
    this.#pending.delete(key);
    clearTimeout(pending?.timer);
    return pending;
  }

  /**
   * Waits for one turn, so that answers that have already arrived are read first. After a process was
   * blocked, Node.js runs due timers before it reads from sockets.
   */
  #expire(key: Key, pending: Pending<Answer>, reject: () => void): void {
    pending.timer = setTimeout(() => {
      if (this.#pending.get(key) !== pending) return;
      this.#pending.delete(key);
      reject();
    }, 0);
  }
}
