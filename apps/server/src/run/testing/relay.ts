import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { readBootId } from '../../devices/device-clocks.ts';

/** How the relay changes frames; may be modified at any time. */
interface Meddling {
  /** Frames to a device: returns the text to deliver. */
  down: (text: string) => string;
  /** Delay of the clock frames to a device, in ms; the opposite direction is not delayed. */
  clockDelayMs: number;
}

/**
 * Relays between real agents and the server. Every device appears as a separate machine, and the path to it can be
 * made slow in one direction or alter messages.
 */
export class Relay {
  readonly meddling: Meddling = { down: (text) => text, clockDelayMs: 0 };
  readonly #server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  #target = '';

  constructor() {
    this.#server.on('connection', (socket, request) => {
      const { authorization = '' } = request.headers;
      const upstream = new WebSocket(`${this.#target}${request.url ?? ''}`, { headers: { authorization } });
      this.#join(socket, upstream);
    });
  }

  /** The address that agents connect to instead. */
  through(serverUrl: string): string {
    this.#target = serverUrl.replace(/^http/, 'ws');
    const bound = this.#server.address();
    if (bound === null || typeof bound === 'string') throw new Error('the relay does not listen');
    return `http://127.0.0.1:${bound.port}`;
  }

  stop(): void {
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }

  #join(device: WebSocket, server: WebSocket): void {
    const [bootId, ownBootId] = [readBootId(), randomUUID()];
    const early: string[] = [];
    device.on('message', (data) => {
      // Also in results, which record the machine they were measured on.
      const text = textOf(data).replaceAll(bootId, ownBootId);
      if (server.readyState === WebSocket.OPEN) server.send(text);
      else early.push(text);
    });
    server.on('open', () => {
      for (const text of early) server.send(text);
    });
    server.on('message', (data) => void this.#passDown(textOf(data), device));
    for (const [from, to] of [
      [device, server],
      [server, device],
    ] as const) {
      from.on('error', () => to.terminate());
      from.on('close', () => to.close());
    }
  }

  async #passDown(text: string, device: WebSocket): Promise<void> {
    const { clockDelayMs, down } = this.meddling;
    if (clockDelayMs > 0 && text.includes('"type":"clock"')) await wait(clockDelayMs);
    if (device.readyState === WebSocket.OPEN) device.send(down(text));
  }
}

function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data as ArrayBuffer).toString();
}
