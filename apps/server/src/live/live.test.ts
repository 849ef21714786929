import type { LiveEvent } from '@mqttlab/shared/messages/live';
import { describe, expect, it } from 'vitest';
import { makeBus } from './live.ts';

const logLine = (text: string) => ({
  event: 'log' as const,
  experimentId: null,
  runId: null,
  data: { at: 1, level: 'info' as const, source: 'test', text },
});

function setUp(nowMs = () => 1_790_000_000_000) {
  const failures: unknown[] = [];
  const bus = makeBus({ nowMs, onError: (error) => failures.push(error) });
  const received: LiveEvent[] = [];
  bus.subscribe((event) => received.push(event));
  return { bus, received, failures };
}

describe('bus', () => {
  it('numbers events one after the other', () => {
    const { bus, received } = setUp();
    for (const text of ['a', 'b', 'c']) bus.publish(logLine(text));
    const [first] = received;
    expect(received.map(({ id }) => id - (first?.id ?? 0))).toEqual([0, 1, 2]);
    expect(Number.isSafeInteger(first?.id)).toBe(true);
  });

  it('returns the events after an id, none after the last', () => {
    const { bus, received } = setUp();
    for (const text of ['a', 'b', 'c']) bus.publish(logLine(text));
    expect(bus.eventsAfter(received[0]!.id)).toEqual(received.slice(1));
    expect(bus.eventsAfter(received[2]!.id)).toEqual([]);
  });

  it('returns null for an id of an earlier process, of the future or too old', () => {
    const old = setUp(() => 1_790_000_000_000);
    old.bus.publish(logLine('before the restart'));
    const { bus, received } = setUp(() => 1_790_000_000_001);
    bus.publish(logLine('after'));
    expect(bus.eventsAfter(old.received[0]!.id)).toBeNull();
    expect(bus.eventsAfter(received[0]!.id + 1)).toBeNull();
    expect(bus.eventsAfter(0)).toBeNull();
    for (let i = 0; i < 6000; i += 1) bus.publish(logLine(`${i}`));
    expect(bus.eventsAfter(received[0]!.id)).toBeNull();
    expect(bus.eventsAfter(received[5999]!.id)?.map(({ id }) => id)).toEqual([received[6000]!.id]);
    expect(bus.eventsAfter(received.at(-4999)!.id)).toHaveLength(4998);
  });

  it('still calls the other listeners if one fails, and none that unsubscribed', () => {
    const { bus, received, failures } = setUp();
    const leave = bus.subscribe(() => {
      throw new Error('broken listener');
    });
    const after: LiveEvent[] = [];
    bus.subscribe((event) => after.push(event));
    bus.publish(logLine('a'));
    leave();
    bus.publish(logLine('b'));
    expect(received).toHaveLength(2);
    expect(after).toHaveLength(2);
    expect(failures).toHaveLength(1);
  });
});
