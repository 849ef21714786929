import { payloadBytesOf } from '../../domain/plans/trial-levels.ts';
import type { TrialSpec } from '../../domain/plans/trial-spec.ts';
import type { PayloadCipherId } from '../ciphers/payload-ciphers.ts';

/**
 * Returns the topics of a device without an agent: requests, answers ("gone" is its Will message), and
 * messages that a subscriber sends back.
 */
export function deviceTopics(name: string): { ask: string; tell: string; echo: string } {
  const own = `mqttlab/device/${name}`;
  return { ask: `${own}/ask`, tell: `${own}/tell`, echo: `${own}/echo` };
}

/**
 * Maximum number of round trips that a device reports for one run; in longer runs, it times only every n-th
 * message.
 */
const maxRoundTrips = 2000;

/** Schedule of a device for one run. Times are on the device's clock, in µs. */
export interface DeviceSchedule {
  qos: TrialSpec['qos'];
  payloadBytes: number;
  intervalUs: number;
  /** Due time of the first message, a whole number of intervals before `measureUs`. */
  firstUs: number;
  /** Time from which messages are measured, by their due time. */
  measureUs: number;
  /** Time from which no message is due. */
  stopUs: number;
  /** Number of measured messages that are due. */
  planned: number;
  /** Every n-th measured message is timed as a round trip; 0 if none is. */
  timeEvery: number;
}

interface LoadInstants {
  warmUpAtUs: number;
  measureAtUs: number;
  stopAtUs: number;
}

/** Returns the schedule of a device; `toDeviceUs` converts the instants to its clock. Pure. */
export function scheduleFor(
  spec: TrialSpec,
  at: LoadInstants,
  { toDeviceUs, roundTrip }: { toDeviceUs: number; roundTrip: boolean },
): DeviceSchedule {
  const intervalUs = Math.max(1, Math.round((1e6 * spec.readingsPerMessage) / (spec.readingsPerSecond ?? 1)));
  const measureUs = Math.round(at.measureAtUs + toDeviceUs);
  const windowUs = Math.round(at.stopAtUs + toDeviceUs) - measureUs;
  const stopUs = measureUs + Math.min(windowUs, (spec.messages ?? Number.POSITIVE_INFINITY) * intervalUs);
  const planned = Math.ceil((stopUs - measureUs) / intervalUs);
  const before = Math.floor((at.measureAtUs - at.warmUpAtUs) / intervalUs);
  return {
    qos: spec.qos,
    payloadBytes: payloadBytesOf(spec),
    intervalUs,
    firstUs: measureUs - before * intervalUs,
    measureUs,
    stopUs,
    planned,
    timeEvery: roundTrip ? Math.max(1, Math.ceil(planned / maxRoundTrips)) : 0,
  };
}

/**
 * Returns the line that starts a device: words separated by one space, whole numbers in decimal, and the
 * topic at the end.
 */
export function writeStart(
  schedule: DeviceSchedule,
  { runTag, offsetUs, topic }: { runTag: number; offsetUs: number; topic: string },
): string {
  const { qos, payloadBytes, intervalUs, firstUs, measureUs, stopUs, timeEvery } = schedule;
  const numbers = [
    runTag,
    qos,
    payloadBytes,
    intervalUs,
    firstUs,
    measureUs,
    stopUs,
    Math.round(offsetUs),
    timeEvery,
  ];
  return `start ${numbers.join(' ')} ${topic}`;
}

/** Payload ciphers that the generated programs support; planning refuses all others. */
export const deviceCiphers: readonly PayloadCipherId[] = [
  'ecdh-p256-aes-128-cbc-as-published',
  'ecdh-p256-aes-128-gcm',
];

/** Returns the line with the other end's public key for this run (PEM, SubjectPublicKeyInfo). */
export function writeKey(cipher: string, peerPublicKey: string): string {
  return `key ${cipher} ${peerPublicKey.replaceAll(/-----[A-Z ]+-----|\s/g, '')}`;
}

/** A line that a device publishes on its topic. */
export type DeviceLine =
  | { kind: 'hello'; version: number; program: string }
  | { kind: 'clock'; id: number; atUs: number }
  /** 1: it has subscribed. */
  | { kind: 'echo'; subscribed: number }
  /** 1 if the device encrypts with the requested cipher. */
  | { kind: 'key'; agreed: number }
  | { kind: 'round'; us: readonly number[] }
  /** Number of measured messages: sent, acknowledged (QoS 1 and 2), and sent more than 10 ms late. */
  | { kind: 'sent'; sent: number; acknowledged: number; late: number }
  | { kind: 'gone' };

/** The version of these lines, and of the stamp. */
export const deviceProtocolVersion = 1;

const counts: Readonly<Record<string, number>> = { clock: 2, echo: 1, key: 1, sent: 3, gone: 0 };

/** Parses a line from a device; returns null if the line is unknown or lacks a number. Pure. */
export function readDeviceLine(text: string): DeviceLine | null {
  const [kind = '', ...words] = text.trim().split(/\s+/);
  if (kind === 'hello') {
    const version = Number(words[0]);
    return Number.isInteger(version) ? { kind, version, program: words.slice(1).join(' ') } : null;
  }
  const numbers = words.map(Number);
  if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0)) return null;
  if (kind === 'round') return { kind, us: numbers };
  if (counts[kind] !== numbers.length) return null;
  const [first = 0, second = 0, third = 0] = numbers;
  if (kind === 'echo') return { kind, subscribed: first };
  if (kind === 'key') return { kind, agreed: first };
  if (kind === 'clock') return { kind, id: first, atUs: second };
  if (kind === 'sent') return { kind, sent: first, acknowledged: second, late: third };
  return kind === 'gone' ? { kind } : null;
}
