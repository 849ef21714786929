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
  const troubles: unknown[] = [];
  const bus = makeBus({ nowMs, onError: (error) => troubles.push(error) });
  const heard: LiveEvent[] = [];
  bus.subscribe((event) => heard.push(event));
  return { bus, heard, troubles };
}

describe('bus', () => {
  it('numbers events one after the other', () => {
    const { bus, heard } = setUp();
    for (const text of ['a', 'b', 'c']) bus.publish(logLine(text));
    const [first] = heard;
    expect(heard.map(({ id }) => id - (first?.id ?? 0))).toEqual([0, 1, 2]);
    expect(Number.isSafeInteger(first?.id)).toBe(true);
  });

  it('returns the events after an id, none after the last', () => {
    const { bus, heard } = setUp();
    for (const text of ['a', 'b', 'c']) bus.publish(logLine(text));
    expect(bus.eventsAfter(heard[0]!.id)).toEqual(heard.slice(1));
    expect(bus.eventsAfter(heard[2]!.id)).toEqual([]);
  });

  it('returns null for an id of an earlier process, of the future or too old', () => {
    const old = setUp(() => 1_790_000_000_000);
    old.bus.publish(logLine('before the restart'));
    const { bus, heard } = setUp(() => 1_790_000_000_001);
    bus.publish(logLine('after'));
    expect(bus.eventsAfter(old.heard[0]!.id)).toBeNull();
    expect(bus.eventsAfter(heard[0]!.id + 1)).toBeNull();
    expect(bus.eventsAfter(0)).toBeNull();
    for (let i = 0; i < 6000; i += 1) bus.publish(logLine(`${i}`));
    expect(bus.eventsAfter(heard[0]!.id)).toBeNull();
    expect(bus.eventsAfter(heard[5999]!.id)?.map(({ id }) => id)).toEqual([heard[6000]!.id]);
    expect(bus.eventsAfter(heard.at(-4999)!.id)).toHaveLength(4998);
  });

  it('still calls the other listeners if one fails, and none that unsubscribed', () => {
    const { bus, heard, troubles } = setUp();
    const leave = bus.subscribe(() => {
      throw new Error('broken listener');
    });
    const after: LiveEvent[] = [];
    bus.subscribe((event) => after.push(event));
    bus.publish(logLine('a'));
    leave();
    bus.publish(logLine('b'));
    expect(heard).toHaveLength(2);
    expect(after).toHaveLength(2);
    expect(troubles).toHaveLength(1);
  });
});
