import * as z from 'zod';
import { count, measure, sentence, word } from '../bounds.ts';

/** headers: the first bytes of each packet, including headers and most hellos. full: complete packets. */
export const captureLevels = ['none', 'headers', 'full'] as const;

/** Maximum capture size per run and device. */
export const maxCaptureBytes = 32 * 1024 * 1024;
const [maxConnections, maxSizes] = [1000, 12];

export const capturedConnectionSchema = z.strictObject({
  clientPort: count,
  /** TCP payload from the client's point of view, without retransmissions. */
  bytesSent: count,
  bytesReceived: count,
  /**
   * TLS version, such as "TLS 1.3", and OpenSSL suite name from the ServerHello; null if there is no
   * ServerHello.
   */
  version: word.nullable(),
  suite: word.nullable(),
  /** Number of PUBLISH packets stamped as measured; null if unreadable. */
  messagesSent: count.nullable(),
  messagesReceived: count.nullable(),
});

/** Messages of one length on the wire: PUBLISH packets, or TLS application data records. */
export const capturedSizeSchema = z.strictObject({
  towards: z.enum(['broker', 'client']),
  bytes: count,
  messages: count,
  /** Median interval between messages on the same connection; null for fewer than two messages. */
  everyMs: measure.nullable(),
});

/** Content of a capture at the broker's device: what an eavesdropper could see. */
export const captureSchema = z.strictObject({
  level: z.enum(captureLevels),
  /** Capture program, for example "tcpdump 4.99.3". */
  program: word,
  fileBytes: count,
  packets: count,
  /** Packets dropped by the kernel, as reported by the program; null if unreported. */
  lostPackets: count.nullable(),
  /** CPU time of the program; null if it exited before it could be read. */
  cpuUs: measure.nullable(),
  /** Reason why the capture ended before the run, as a sentence; null if it is complete. */
  cut: sentence.nullable(),
  connections: z.array(capturedConnectionSchema).max(maxConnections),
  /** Number of additional connections without details. */
  moreConnections: count,
  serverNames: z.array(sentence).max(maxSizes),
  /** Subjects of unencrypted certificates. */
  certificates: z.array(sentence).max(maxSizes),
  topics: z.array(sentence).max(maxSizes),
  /** Topics of readable PUBLISH packets. */
  payloadBytes: count,
  /** First bytes of one payload in hexadecimal; null if none could be read. */
  payloadSample: word.nullable(),
  /** The message sizes that account for most of the bytes. */
  sizes: z.array(capturedSizeSchema).max(maxSizes),
});

/** A visible fact about a connection, for example "Topics", "plant/1". */
export const seenFactSchema = z.strictObject({
  label: z.string(),
  seen: z.string(),
  /** True if the fact exposes information; null if nothing was visible. */
  exposed: z.boolean().nullable(),
});

export const capturedRowSchema = z.strictObject({
  /** Key of the treatment. */
  treatment: z.string(),
  /** The captured broker, in words. */
  role: z.string(),
  seen: z.array(seenFactSchema),
});

/** Files that an agent stores with a result until the server has fetched them. */
export const resultFileNames = ['capture.pcap', 'keys.log'] as const;
export const resultFileSchema = z.strictObject({
  name: z.enum(resultFileNames),
  bytes: z.int().min(1).max(maxCaptureBytes),
});

/** Files that a bundle or link includes on request: captures, or captures and the keys to decrypt them. */
export const packetChoices = ['none', 'captures', 'captures and keys'] as const;
export type PacketChoice = (typeof packetChoices)[number];

export function goesAlong(choice: PacketChoice, name: ResultFile['name']): boolean {
  return name === 'keys.log' ? choice === 'captures and keys' : choice !== 'none';
}

const sizeSchema = z.strictObject({ files: count, bytes: count });
/** Available files. */
export const keptPacketsSchema = z.strictObject({ captures: sizeSchema, keyLogs: sizeSchema });
export type KeptPackets = z.infer<typeof keptPacketsSchema>;

export function sumPackets(files: readonly Pick<ResultFile, 'name' | 'bytes'>[]): KeptPackets {
  const sum = (name: ResultFile['name']) => {
    const those = files.filter((file) => file.name === name);
    return { files: those.length, bytes: those.reduce((bytes, file) => bytes + file.bytes, 0) };
  };
  return { captures: sum('capture.pcap'), keyLogs: sum('keys.log') };
}

export const captureLimits = { connections: maxConnections, sizes: maxSizes } as const;

export type SeenFact = z.infer<typeof seenFactSchema>;
export type CapturedRow = z.infer<typeof capturedRowSchema>;
export type CaptureLevel = (typeof captureLevels)[number];
export type CapturedConnection = z.infer<typeof capturedConnectionSchema>;
export type CapturedSize = z.infer<typeof capturedSizeSchema>;
export type RunCapture = z.infer<typeof captureSchema>;
export type ResultFile = z.infer<typeof resultFileSchema>;
