import type { ConnectionOptions, TLSSocket } from 'node:tls';

/** Where each connection of a role gets its TLS options from: always the same, or with an earlier session. */
export interface TlsProvider {
  /** For the next connection. */
  take(): ConnectionOptions;
  /** Told of every TLS socket right after it was made, so that its session can be kept for later ones. */
  watch(socket: TLSSocket): void;
  /** Whether the next connection can be what the Trial asks; until then connections are opened to get there. */
  readonly ready: boolean;
}

/** The same options for every connection: full handshakes. */
export function makeFixedTls(options: ConnectionOptions): TlsProvider {
  return { take: () => options, watch: () => {}, ready: true };
}
