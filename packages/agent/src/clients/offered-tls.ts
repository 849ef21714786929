import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { connect } from 'node:tls';
import type { Negotiated } from '@mqttlab/shared/domain/runs/role-result';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { loadFailure } from '../processes/failures.ts';
import type { SocketEnd } from '../processes/network.ts';
import { makeClientTls } from '../tls/client-tls.ts';
import { protocolOf } from '../tls/connect-options.ts';
import { plainText } from '../tls/negotiated.ts';

const timeoutMs = 10_000;
const host = '127.0.0.1';

/**
 * Lets a client connect to a local port and reads its ClientHello. `launch` starts the client and returns a
 * function that stops it. Rejects if nothing arrives in time.
 */
async function hearClientHello(launch: (port: number) => () => void): Promise<ClientHello> {
  const server = createServer().listen(0, host);
  if (!server.listening) await once(server, 'listening');
  const bound = server.address();
  const connected = once(server, 'connection', { signal: AbortSignal.timeout(timeoutMs) });
  const end = launch(typeof bound === 'object' && bound !== null ? bound.port : 0);
  let socket: Socket | null = null;
  try {
    socket = (await connected)[0] as Socket;
    return await readClientHello(socket);
  } finally {
    end();
    socket?.destroy();
    server.close();
  }
}

async function readClientHello(socket: Socket): Promise<ClientHello> {
  let received = Buffer.alloc(0);
  socket.setTimeout(timeoutMs, () => socket.destroy());
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk as Buffer]);
    const hello = parseClientHello(received);
    if (hello !== null) return hello;
  }
  throw new Error('the client disconnected before its ClientHello');
}

/**
 * Checks that a program offers exactly the parameters of the trial, compared with the offer of the built-in
 * client. Nothing else can then be negotiated. Rejects with Failure 'negotiation-mismatch'.
 */
export async function checkOffer(
  command: PrepareClient,
  name: string,
  launch: (port: number) => () => void,
): Promise<ClientHello> {
  const tls = await makeClientTls(command);
  const own = await hearClientHello((port) => {
    const socket = connect({ ...tls?.take(), port, host });
    socket.on('error', () => {});
    return () => socket.destroy();
  });
  const offered = await hearClientHello(launch).catch((error: unknown) => {
    throw loadFailure('tls-handshake', `The ${name} does not start a TLS handshake: ${String(error)}`);
  });
  for (const what of ['versions', 'suites', 'groups'] as const) {
    const [wanted, got] = [describe(own[what]), describe(offered[what])];
    if (wanted !== got) {
      throw loadFailure(
        'negotiation-mismatch',
        `The ${name}s offer the ${what} ${got}, but the trial requires ${wanted}.`,
      );
    }
  }
  return offered;
}

/** Returns the number in TLS notation, for example "0x1301". */
function describe(numbers: readonly number[]): string {
  if (numbers.length === 0) return 'none';
  return numbers.map((number) => `0x${number.toString(16).padStart(4, '0')}`).join(', ');
}

/** A client's offer (RFC 8446 section 4.1.2), as code points. */
export interface ClientHello {
  /** Versions from supported_versions, or legacy_version if that is absent. */
  versions: number[];
  suites: number[];
  groups: number[];
}

const handshakeRecord = 22;
const clientHelloType = 1;
const supportedGroups = 10;
const supportedVersions = 43;
/** Signalling values, not suites: RFC 5746 section 3.3 and RFC 7507. */
const signals = new Set([0x00ff, 0x5600]);

/**
 * Parses the first bytes of a connection; returns null if there are too few. Throws if they are not a
 * ClientHello.
 */
export function parseClientHello(bytes: Buffer): ClientHello | null {
  if (bytes.length < 5) return null;
  if (bytes[0] !== handshakeRecord) throw new Error('the client does not use TLS');
  const end = 5 + bytes.readUInt16BE(3);
  if (bytes.length < end) return null;
  const record = bytes.subarray(5, end);
  if (record[0] !== clientHelloType) throw new Error('the client does not start with a ClientHello');
  // Skips type and length (four bytes), version and random (32 bytes).
  const sessionId = take(record, 4 + 2 + 32, 1);
  const suites = take(record, sessionId.next, 2);
  const compression = take(record, suites.next, 1);
  const extensions = readExtensions(take(record, compression.next, 2).content);
  const versions = extensions.get(supportedVersions);
  const groups = extensions.get(supportedGroups);
  return {
    versions: versions === undefined ? [record.readUInt16BE(4)] : numbersOf(take(versions, 0, 1).content),
    suites: numbersOf(suites.content).filter((suite) => !signals.has(suite)),
    groups: groups === undefined ? [] : numbersOf(take(groups, 0, 2).content),
  };
}

/** Reads a vector with a length prefix of one or two bytes. */
function take(bytes: Buffer, at: number, lengthBytes: 1 | 2): { content: Buffer; next: number } {
  const from = at + lengthBytes;
  const next = from + bytes.readUIntBE(at, lengthBytes);
  return { content: bytes.subarray(from, next), next };
}

function readExtensions(bytes: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = 0; at + 4 <= bytes.length; ) {
    const { content, next } = take(bytes, at + 2, 2);
    found.set(bytes.readUInt16BE(at), content);
    at = next;
  }
  return found;
}

function numbersOf(bytes: Buffer): number[] {
  return Array.from({ length: Math.floor(bytes.length / 2) }, (_, index) => bytes.readUInt16BE(index * 2));
}

interface KnownOfConnection {
  /** Local end of the first connection; null if the kernel does not report it. */
  local: SocketEnd | null;
  /** True if a single group was offered. */
  singleGroup: boolean;
  /** null if the client does not report the granted QoS. */
  grantedQos: Negotiated['grantedQos'];
}

/**
 * Returns the parameters of a connection that belongs to another program. `checkOffer` ensured that the
 * program offers one version, suite and group, so nothing else can have been negotiated. The broker's
 * certificate is null, because it cannot be read.
 */
export function describeNegotiated({ spec, broker }: PrepareClient, known: KnownOfConnection): Negotiated {
  return {
    ...plainText,
    protocol: protocolOf(spec.security),
    cipherSuite: spec.cipherSuite,
    group: known.singleGroup ? spec.group : null,
    // Each process makes a full handshake, because processes keep no tickets.
    resumed: spec.security === 'plain' ? null : false,
    mqttVersion: spec.mqttVersion,
    grantedQos: known.grantedQos,
    receiveMaximum: null,
    maximumPacketBytes: null,
    localAddress: known.local?.address ?? '',
    localPort: known.local?.port ?? 0,
    remoteAddress: broker.address,
    remotePort: broker.port,
  };
}
