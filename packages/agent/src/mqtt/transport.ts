import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket, type ConnectionOptions as TlsOptions } from 'node:tls';
import type { SocketEnd } from '../processes/network.ts';
import type { TlsProvider } from '../tls/client-tls.ts';
import type { ByteWriter } from './packets.ts';

/** The broker as seen by a client. */
export interface BrokerEndpoint extends SocketEnd {
  /** Address to which the socket is bound; if absent, the kernel chooses. */
  localAddress?: string;
}

interface TransportOptions {
  broker: BrokerEndpoint;
  /** null without TLS. */
  tls: TlsProvider | null;
  /** Buffer into which all connections without TLS are read; the bytes are consumed within `onBytes`. */
  readBuffer: Buffer;
}

/** Handler for the events on one transport. */
interface TransportListener {
  /** Called immediately before the system is asked to connect, which sends SYN. */
  onAttempt: () => void;
  /** Called when the first `length` bytes of `chunk` have arrived. */
  onBytes: (chunk: Uint8Array, length: number) => void;
  /**
   * Called when the other end closed its half; the local half stays open until `destroy`. If null, both
   * halves close together.
   */
  onHalfClosed: (() => void) | null;
  /** Called when the connection has ended, with the error, or with null if the other end closed it. */
  onClosed: (error: Error | null) => void;
}

/**
 * A TCP connection and optionally TLS on top of it. TLS uses a separate socket, so that the bytes below TLS
 * can be counted. TCP_NODELAY is on.
 */
export class Transport implements ByteWriter {
  readonly #options: TransportOptions;
  readonly #listener: TransportListener;
  readonly #tls: TlsOptions | null;
  #socket: Socket | null = null;
  #tlsSocket: TLSSocket | null = null;
  #error: Error | null = null;
  #closed = false;
  #localPort = 0;
  #localAddress = '';

  constructor(options: TransportOptions, listener: TransportListener) {
    this.#options = options;
    this.#listener = listener;
    this.#tls = options.tls?.take() ?? null;
  }

  /** Number of bytes passed to TCP, including TLS records. */
  get bytesSent(): number {
    return this.#socket?.bytesWritten ?? 0;
  }

  get bytesReceived(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  get localPort(): number {
    return this.#localPort;
  }

  get localAddress(): string {
    return this.#localAddress;
  }

  get tlsSocket(): TLSSocket | null {
    return this.#tlsSocket;
  }

  /** Opens the TCP connection. Rejects with the system's error. */
  openTcp(): Promise<void> {
    const { broker, readBuffer } = this.#options;
    const { address: host, port, localAddress } = broker;
    const { onAttempt, onBytes, onHalfClosed } = this.#listener;
    const onread = {
      buffer: readBuffer,
      callback: (length: number, buffer: Uint8Array): boolean => {
        onBytes(buffer, length);
        return true;
      },
    };
    // With TLS, records are passed to OpenSSL without JavaScript.
    const socket = connectTcp({
      host,
      port,
      ...(localAddress === undefined ? {} : { localAddress }),
      noDelay: true,
      allowHalfOpen: onHalfClosed !== null,
      ...(this.#tls === null ? { onread } : {}),
    });
    this.#socket = socket;
    this.#watch(socket);
    socket.once('connectionAttempt', onAttempt);
    return new Promise((resolve, reject) => {
      socket.once('connect', () => {
        this.#localPort = socket.localPort ?? 0;
        this.#localAddress = socket.localAddress ?? '';
        resolve();
      });
      socket.once('close', () => reject(this.#error ?? new Error('closed')));
    });
  }

  /** Performs the TLS handshake, from ClientHello to Finished; rejects with OpenSSL's error. */
  openTls(): Promise<void> {
    const { onBytes } = this.#listener;
    if (this.#socket === null || this.#tls === null) throw new Error('There is no TCP connection for TLS');
    const socket = connectTls({ ...this.#tls, socket: this.#socket });
    this.#tlsSocket = socket;
    this.#options.tls?.watch(socket);
    this.#watch(socket);
    socket.on('data', (chunk: Buffer) => onBytes(chunk, chunk.length));
    return new Promise((resolve, reject) => {
      socket.once('secureConnect', resolve);
      socket.once('close', () => reject(this.#error ?? new Error('the broker closed the connection')));
    });
  }

  write(bytes: Buffer, done: () => void): void {
    (this.#tlsSocket ?? this.#socket)?.write(bytes, done);
  }

  /** Writes the last bytes, closes the connection, and waits until the other end has also closed it. */
  async end(bytes: Buffer): Promise<void> {
    const stream = this.#tlsSocket ?? this.#socket;
    if (stream === null || this.#closed) return;
    const closed = new Promise<void>((resolve) => this.#socket?.once('close', () => resolve()));
    stream.end(bytes);
    await closed;
  }

  /** Stops reading until `resume`, so that the other end must wait. */
  pause(): void {
    (this.#tlsSocket ?? this.#socket)?.pause();
  }

  resume(): void {
    (this.#tlsSocket ?? this.#socket)?.resume();
  }

  destroy(): void {
    this.#tlsSocket?.destroy();
    this.#socket?.destroy();
  }

  #watch(socket: Socket): void {
    socket.on('error', (error) => {
      this.#error ??= error;
    });
    socket.on('end', () => this.#listener.onHalfClosed?.());
    socket.on('close', () => {
      if (this.#closed) return;
      this.#closed = true;
      this.#listener.onClosed(this.#error);
    });
  }
}
