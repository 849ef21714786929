import type { LiveEvent } from '@mqttlab/shared/messages/live';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { parseLiveEvent } from './parse-live-event.ts';
import { makeEvent, makeExperimentSummary, makeSnapshotEvent } from './testing/live-factories.ts';

/** Adds a field to every object in a message, however deep. */
function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).map(([key, item]) => [key, withUnknownFields(item)]);
  return { ...Object.fromEntries(known), ofNextYear: { nested: [1] } };
}

describe('parseLiveEvent', () => {
  const experiment = makeEvent(5, { event: 'experiment', data: makeExperimentSummary() });
  const snapshot = makeSnapshotEvent(
    { active: [makeExperimentSummary()], testbeds: [{ ...makeTestbed(), busyWith: null }] },
    4,
  );

  it.each<[string, LiveEvent]>([
    ['an event', experiment],
    ['a snapshot', snapshot],
  ])('leaves unknown fields out of %s', (_what, event) => {
    expect(parseLiveEvent(event)).toEqual(event);
    const parsed = parseLiveEvent(withUnknownFields(event));
    // Records keep unknown keys, because their keys are names, such as network interfaces.
    const known = JSON.stringify(parsed, (key, value) => (key === 'ofNextYear' ? undefined : value));
    expect(JSON.parse(known)).toEqual(event);
    expect(parsed).not.toHaveProperty('ofNextYear');
    expect(parsed).not.toHaveProperty('data.ofNextYear');
    expect(parsed).not.toHaveProperty('data.active.0.ofNextYear');
  });

  it('skips unknown kinds of events and unknown values', () => {
    const envelope = { id: 7, at: 1, experimentId: null, runId: null };
    expect(parseLiveEvent({ ...envelope, event: 'weather', data: {} })).toEqual({ event: 'skipped', id: 7 });
    const status = { ...makeExperimentSummary(), status: 'dreaming' };
    expect(parseLiveEvent({ ...envelope, event: 'experiment', data: status })).toEqual({
      event: 'skipped',
      id: 7,
    });
  });

  it('returns null for invalid events and unreadable snapshots', () => {
    for (const input of [
      null,
      7,
      'text',
      [],
      {},
      { event: 'run' },
      { event: 'run', id: 'x' },
      { ...snapshot, data: {} },
    ])
      expect(parseLiveEvent(input), JSON.stringify(input)).toBeNull();
  });
});
