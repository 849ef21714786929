/** What a client offers (RFC 8446 section 4.1.2), by number. */
export interface ClientHello {
  /** From supported_versions; legacy_version alone where that is absent. */
  versions: number[];
  suites: number[];
  groups: number[];
}

const handshakeRecord = 22;
const clientHelloType = 1;
const supportedGroups = 10;
const supportedVersions = 43;
/** Signals, not suites: RFC 5746 section 3.3 and RFC 7507. */
const signals = new Set([0x00ff, 0x5600]);

/** From the first bytes of a connection; null while they are not enough. Throws when they are no ClientHello. */
export function parseClientHello(bytes: Buffer): ClientHello | null {
  if (bytes.length < 5) return null;
  if (bytes[0] !== handshakeRecord) throw new Error('the client does not speak TLS');
  const end = 5 + bytes.readUInt16BE(3);
  if (bytes.length < end) return null;
  const record = bytes.subarray(5, end);
  if (record[0] !== clientHelloType) throw new Error('the client does not begin with a ClientHello');
  // Type and length of four bytes, version, random of 32 bytes.
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

/** A vector behind its length of one or two bytes. */
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
