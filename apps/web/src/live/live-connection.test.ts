import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveConnection, type LiveSocket, reconnectDelayMs } from './live-connection.ts';
import { parseLiveEvent as parse } from './parse-live-event.ts';
import { makeEvent, makeExperimentSummary, makeSnapshotEvent } from './testing/live-factories.ts';

class Wire implements LiveSocket {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  closed = false;
  readonly path: string;
  constructor(path: string) {
    this.path = path;
  }
  close(): void {
    this.closed = true;
  }
  tell(...events: unknown[]): void {
    for (const event of events) this.onmessage?.({ data: JSON.stringify(event) });
  }
}

function setUp(probe: () => Promise<boolean> = async () => true) {
  const wires: Wire[] = [];
  const connection = new LiveConnection({
    openSocket: (path) => {
      const wire = new Wire(path);
      wires.push(wire);
      return wire;
    },
    probe,
    now: Date.now,
    random: () => 0,
  });
  const seen: number[] = [];
  connection.onEvent((event) => seen.push(event.id));
  const last = () => wires.at(-1) as Wire;
  return { connection, wires, last, seen };
}

const told = (id: number) => makeEvent(id, { event: 'experiment', data: makeExperimentSummary() });

beforeEach(() => vi.useFakeTimers({ now: 100_000 }));
afterEach(() => vi.useRealTimers());

describe('live connection', () => {
  it('opens only once, and not before it is started', () => {
    const { connection, wires } = setUp();
    expect(wires).toHaveLength(0);
    connection.start(parse);
    connection.start(parse);
    expect(wires.map((wire) => wire.path)).toEqual(['/api/v1/live']);
  });

  it('resumes after the last event, keeps its data and reports since when the server is unreachable', () => {
    const { connection, last, seen } = setUp();
    connection.start(parse);
    last().onopen?.();
    last().tell(makeSnapshotEvent({}, 4), told(5), told(6));
    vi.advanceTimersByTime(1000);
    last().onclose?.();
    expect(connection.getState()).toMatchObject({
      connection: { state: 'gone', sinceMs: 101_000 },
      active: [{ id: 7 }],
    });
    vi.advanceTimersByTime(500);
    expect(last().path).toBe('/api/v1/live?after=6');
    last().onclose?.();
    expect(connection.getState().connection).toEqual({ state: 'gone', sinceMs: 101_000 });
    vi.advanceTimersByTime(5000);
    last().onopen?.();
    last().tell(told(6), told(7));
    expect(connection.getState().connection).toEqual({ state: 'connected' });
    expect(seen).toEqual([4, 5, 6, 7]);
  });

  it('accepts the snapshot of a restarted server', () => {
    const { connection, last } = setUp();
    connection.start(parse);
    last().tell(makeSnapshotEvent({ active: [makeExperimentSummary()] }, 40));
    last().onclose?.();
    vi.advanceTimersByTime(500);
    last().tell(makeSnapshotEvent({}, 1), told(2));
    expect(connection.getState()).toMatchObject({ lastId: 2, active: [{ id: 7 }] });
  });

  it('requests a snapshot after a gap or an invalid frame', () => {
    for (const trouble of [JSON.stringify(told(9)), '{"event":"nonsense"}', 'no json']) {
      const { connection, wires, last, seen } = setUp();
      connection.start(parse);
      last().tell(makeSnapshotEvent({}, 4));
      last().onmessage?.({ data: trouble });
      expect(wires[0]?.closed).toBe(true);
      vi.advanceTimersByTime(500);
      expect(last().path).toBe('/api/v1/live');
      expect(seen).toEqual([4]);
    }
  });

  it('stays connected when a newer server sends unknown fields and unknown kinds of events', () => {
    const { connection, wires, last, seen } = setUp();
    connection.start(parse);
    last().tell(
      { ...makeSnapshotEvent({}, 4), ofNextYear: 1 },
      { ...told(5), event: 'weather' },
      { ...told(6), data: { ...makeExperimentSummary(), ofNextYear: {} } },
    );
    expect(connection.getState()).toMatchObject({ lastId: 6, active: [{ id: 7 }] });
    expect(seen).toEqual([4, 6]);
    last().onclose?.();
    vi.advanceTimersByTime(500);
    expect(last().path).toBe('/api/v1/live?after=6');
    expect(wires).toHaveLength(2);
  });

  it.each([
    ['every frame is unreadable', []],
    ['a frame behind each snapshot is unreadable', [makeSnapshotEvent({}, 4)]],
  ])('waits longer and longer if %s', (_when, before) => {
    const { connection, wires, last } = setUp();
    connection.start(parse);
    const waits: number[] = [];
    for (let tries = 0; tries < 6; tries++) {
      last().onopen?.();
      last().tell(...before, 'no event');
      const [attempts, from] = [wires.length, Date.now()];
      while (wires.length === attempts) vi.advanceTimersByTime(100);
      waits.push(Date.now() - from);
    }
    expect(waits).toEqual([500, 500, 1000, 2000, 2500, 2500]);
  });

  it('resets the reconnect delay after a stable connection', () => {
    const { connection, wires, last } = setUp();
    connection.start(parse);
    for (let tries = 0; tries < 5; tries++) {
      last().onclose?.();
      vi.advanceTimersByTime(5000);
    }
    const attempts = wires.length;
    last().onopen?.();
    vi.advanceTimersByTime(15_000);
    last().onclose?.();
    vi.advanceTimersByTime(2499);
    expect(wires).toHaveLength(attempts);
    vi.advanceTimersByTime(1);
    last().tell(makeSnapshotEvent({}, 4));
    vi.advanceTimersByTime(10_000);
    last().onclose?.();
    vi.advanceTimersByTime(500);
    expect(wires).toHaveLength(attempts + 2);
  });

  it('detects a silent server', async () => {
    const { connection, last } = setUp(async () => false);
    connection.start(parse);
    last().onopen?.();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(connection.getState().connection).toEqual({ state: 'gone', sinceMs: 120_000 });
  });

  it('stays connected while a silent server still responds', async () => {
    const { connection, wires, last } = setUp();
    connection.start(parse);
    last().onopen?.();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(connection.getState().connection).toEqual({ state: 'connected' });
    expect(wires).toHaveLength(1);
  });

  it('clears timers and sockets when stopped', () => {
    const { connection, wires, last } = setUp();
    connection.start(parse);
    last().onopen?.();
    last().onclose?.();
    connection.stop();
    connection.stop();
    expect(vi.getTimerCount()).toBe(0);
    connection.start(parse);
    connection.stop();
    expect(wires.every((wire) => wire.closed)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('readers of a live connection', () => {
  it('are notified once per burst of events, and immediately of a lost connection', () => {
    const { connection, last } = setUp();
    let received = 0;
    connection.subscribe(() => {
      received += 1;
    });
    connection.start(parse);
    last().onopen?.();
    expect(received).toBe(1);
    last().tell(makeSnapshotEvent({}, 4), told(5), told(6));
    expect(received).toBe(1);
    vi.advanceTimersByTime(100);
    expect(received).toBe(2);
    last().tell(told(7));
    last().onclose?.();
    expect(received).toBe(3);
    vi.advanceTimersByTime(100);
    expect(received).toBe(3);
    connection.stop();
  });
});

describe('reconnect delay', () => {
  it('grows from 0.5 to 5 s with jitter', () => {
    expect([0, 1, 2, 3, 4, 50].map((failures) => reconnectDelayMs(failures, 1))).toEqual([
      500, 1000, 2000, 4000, 5000, 5000,
    ]);
    expect(reconnectDelayMs(4, 0)).toBe(2500);
    expect(reconnectDelayMs(0, 0)).toBe(500);
  });
});
