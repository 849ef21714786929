import * as z from 'zod';
import { count, measure, sentence, word } from '../bounds.ts';

/** headers: the first bytes of each packet, with the headers and most hellos. full: whole packets. */
export const captureLevels = ['none', 'headers', 'full'] as const;

/** Most that is kept of one Run at one device. */
export const maxCaptureBytes = 32 * 1024 * 1024;
const [maxConnections, maxSizes] = [1000, 12];

export const capturedConnectionSchema = z.strictObject({
  clientPort: count,
  /** TCP payload as its client sees it; what came twice counts once. */
  bytesSent: count,
  bytesReceived: count,
  /** "TLS 1.3" and the suite as OpenSSL names it, both of the ServerHello; null where there is none. */
  version: word.nullable(),
  suite: word.nullable(),
  /** PUBLISH packets stamped as measured; null where they cannot be read. */
  messagesSent: count.nullable(),
  messagesReceived: count.nullable(),
});

/** Messages of one length on the wire: PUBLISH packets, or TLS records of application data. */
export const capturedSizeSchema = z.strictObject({
  towards: z.enum(['broker', 'client']),
  bytes: count,
  messages: count,
  /** Median time from one to the next on the same connection; null below two. */
  everyMs: measure.nullable(),
});

/** What a capture at the broker's device holds: what anybody between the devices could have seen. */
export const captureSchema = z.strictObject({
  level: z.enum(captureLevels),
  /** What captured: "tcpdump 4.99.3". */
  program: word,
  fileBytes: count,
  packets: count,
  /** Dropped by the kernel, as the program said at its end; null where it did not. */
  lostPackets: count.nullable(),
  /** CPU time of the program; null where it was gone before it could be read. */
  cpuUs: measure.nullable(),
  /** Why it ends before the Run does, as a sentence; null where it does not. */
  cut: sentence.nullable(),
  connections: z.array(capturedConnectionSchema).max(maxConnections),
  /** Further connections, of which only the number is kept. */
  moreConnections: count,
  serverNames: z.array(sentence).max(maxSizes),
  /** Subjects of certificates in the clear. */
  certificates: z.array(sentence).max(maxSizes),
  topics: z.array(sentence).max(maxSizes),
  /** Of PUBLISH packets that could be read. */
  payloadBytes: count,
  /** The first bytes of one payload as hexadecimal digits; null where none could be read. */
  payloadSample: word.nullable(),
  /** The lengths that made up most of the bytes. */
  sizes: z.array(capturedSizeSchema).max(maxSizes),
});

/** What of a connection could be seen: "Topics", "plant/1". */
export const seenFactSchema = z.strictObject({
  label: z.string(),
  seen: z.string(),
  /** Whether it gave something away; null where there was nothing to see. */
  exposed: z.boolean().nullable(),
});

export const capturedRowSchema = z.strictObject({
  /** Its key. */
  treatment: z.string(),
  /** The broker at whose port it was captured, in words. */
  role: z.string(),
  seen: z.array(seenFactSchema),
});

/** A file that an agent keeps beside a result until the server has fetched it. */
export const resultFileNames = ['capture.pcap', 'keys.log'] as const;
export const resultFileSchema = z.strictObject({
  name: z.enum(resultFileNames),
  bytes: z.int().min(1).max(maxCaptureBytes),
});

/** What goes along with a bundle or a link where somebody chooses so: captures, and with them the keys that open them. */
export const packetChoices = ['none', 'captures', 'captures and keys'] as const;
export type PacketChoice = (typeof packetChoices)[number];

export function goesAlong(choice: PacketChoice, name: ResultFile['name']): boolean {
  return name === 'keys.log' ? choice === 'captures and keys' : choice !== 'none';
}

const sizeSchema = z.strictObject({ files: count, bytes: count });
/** What there is to choose from. */
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
