/** Unencrypted fields of a server's first flight: RFC 8446 section 4.1.3, RFC 5246 section 7.4.3, RFC 8422. */
export interface ClearHandshake {
  suite: number;
  /** 0x0304 in supported_versions for TLS 1.3. */
  version: number;
  group: number | null;
  /** From ServerKeyExchange; TLS 1.3 encrypts it. */
  signature: number | null;
}

const handshakeRecord = 22;
const serverHello = 2;
const serverKeyExchange = 12;
const namedCurve = 3;
const extensions = { supportedVersions: 43, keyShare: 51 };

/** Parses the first bytes of a server, from the wire. */
export function parseClearHandshake(stream: Buffer): ClearHandshake {
  const found: ClearHandshake = { suite: 0, version: 0, group: null, signature: null };
  for (const { type, body } of messagesOf(stream)) {
    if (type === serverHello) readServerHello(body, found);
    if (type === serverKeyExchange && body[0] === namedCurve) {
      found.group = body.readUInt16BE(1);
      found.signature = body.readUInt16BE(4 + body.readUInt8(3));
    }
  }
  return found;
}

function readServerHello(body: Buffer, found: ClearHandshake): void {
  found.version = body.readUInt16BE(0);
  const suiteAt = 35 + body.readUInt8(34);
  found.suite = body.readUInt16BE(suiteAt);
  for (let at = suiteAt + 5; at + 4 <= body.length; at += 4 + body.readUInt16BE(at + 2)) {
    if (body.readUInt16BE(at) === extensions.supportedVersions) found.version = body.readUInt16BE(at + 4);
    if (body.readUInt16BE(at) === extensions.keyShare) found.group = body.readUInt16BE(at + 4);
  }
}

/** Handshake messages of the unencrypted records; stops where the server starts to encrypt. */
function messagesOf(stream: Buffer): { type: number; body: Buffer }[] {
  const clear: Buffer[] = [];
  for (
    let at = 0;
    at + 5 <= stream.length && stream[at] === handshakeRecord;
    at += 5 + stream.readUInt16BE(at + 3)
  ) {
    clear.push(stream.subarray(at + 5, at + 5 + stream.readUInt16BE(at + 3)));
  }
  const joined = Buffer.concat(clear);
  const messages = [];
  for (let at = 0; at + 4 <= joined.length; at += 4 + joined.readUIntBE(at + 1, 3)) {
    messages.push({
      type: joined.readUInt8(at),
      body: joined.subarray(at + 4, at + 4 + joined.readUIntBE(at + 1, 3)),
    });
  }
  return messages;
}
