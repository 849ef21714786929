import type { StateBytes } from '@mqttlab/shared/domain/runs/role-result';
import type { Connection } from '../../mqtt/connection.ts';
import type { Segments } from '../../mqtt/segments.ts';

/** A connection at rest: TCP payload from its socket, segments from the kernel (null where it does not tell). */
export interface Reading {
  bytesSent: number;
  bytesReceived: number;
  segments: Segments | null;
}

export function readingOf({ transport }: Connection, all: ReadonlyMap<number, Segments> | null): Reading {
  return {
    bytesSent: transport.bytesSent,
    bytesReceived: transport.bytesReceived,
    segments: all?.get(transport.localPort) ?? null,
  };
}

/** Of a connection that was not yet opened. */
export const nothingYet: Reading = { bytesSent: 0, bytesReceived: 0, segments: null };

/** Our closing FIN and its acknowledgement: the kernel forgets the connection before it could be asked for them. */
const closingFrames = 2;

/** What a connection spent between two readings. Frames are null when some were sent again. */
export function spentBetween(state: StateBytes['state'], before: Reading, after: Reading): StateBytes {
  const bytesSent = after.bytesSent - before.bytesSent;
  const bytesReceived = after.bytesReceived - before.bytesReceived;
  const payload = bytesSent + bytesReceived;
  return { state, bytesSent, bytesReceived, ...framesBetween(state, { before, after, payload }) };
}

function framesBetween(
  state: StateBytes['state'],
  { before, after, payload }: { before: Reading; after: Reading; payload: number },
): Pick<StateBytes, 'frames' | 'frameBytes'> {
  const { segments } = after;
  const opening = state === 'CON';
  const known = segments !== null && (opening || before.segments !== null);
  if (!known || segments.retransmitted > 0) return { frames: null, frameBytes: null };
  const { each, syn } = segments.headerBytes;
  const seen =
    segments.sent + segments.received - (before.segments?.sent ?? 0) - (before.segments?.received ?? 0);
  const frames = seen + (state === 'DISC' ? closingFrames : 0);
  // SYN and its answer carry other options than the rest.
  const more = opening ? 2 * (syn - each) : 0;
  return { frames, frameBytes: payload + frames * each + more };
}

const order = ['CON', 'SUB', 'PUB', 'DISC'] as const;

/**
 * For each state the connection in the middle, by payload, then by frames: its figures belong together and were
 * really seen. (Lengths differ a little: an ECDSA signature has 70 to 72 bytes.) Of an even number the lower one.
 */
export function summariseStates(all: readonly StateBytes[]): StateBytes[] {
  return order.flatMap((state) => {
    const own = all.filter((entry) => entry.state === state);
    const known = own.filter(({ frames }) => frames !== null);
    const sorted = (known.length > 0 ? known : own).toSorted(
      (a, b) => payloadOf(a) - payloadOf(b) || (a.frameBytes ?? 0) - (b.frameBytes ?? 0),
    );
    return sorted[Math.floor((sorted.length - 1) / 2)] ?? [];
  });
}

function payloadOf({ bytesSent, bytesReceived }: StateBytes): number {
  return bytesSent + bytesReceived;
}
