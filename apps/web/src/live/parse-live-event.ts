import { type LiveEvent, liveEventSchema } from '@mqttlab/shared/messages/live';
import * as z from 'zod';

/** An event that this page cannot read, of a newer server. Its place in the series is known. */
export interface SkippedEvent {
  event: 'skipped';
  id: number;
}

const envelopeSchema = z.looseObject({ event: z.string(), id: z.int() });

/**
 * Returns the event in a message without the fields that this page does not know. An event of an unknown kind, or with
 * values this page does not know, is returned as skipped. Returns null if it is no event, or an unreadable snapshot.
 */
export function parseLiveEvent(input: unknown): LiveEvent | SkippedEvent | null {
  const envelope = envelopeSchema.safeParse(input);
  if (!envelope.success) return null;
  const event = parseKnown(envelope.data);
  if (event) return event;
  return envelope.data.event === 'snapshot' ? null : { event: 'skipped', id: envelope.data.id };
}

function parseKnown(input: unknown): LiveEvent | null {
  const strict = liveEventSchema.safeParse(input);
  if (strict.success) return strict.data;
  const unknown = unknownKeysOf(strict.error.issues);
  if (unknown === null) return null;
  const known = structuredClone(input);
  for (const { path, key } of unknown) {
    const parent = path.reduce<unknown>((value, step) => Reflect.get(Object(value), step), known);
    Reflect.deleteProperty(Object(parent), key);
  }
  return liveEventSchema.safeParse(known).data ?? null;
}

interface UnknownKey {
  path: readonly PropertyKey[];
  key: string;
}

/** Returns null if anything else than unknown keys is wrong. */
function unknownKeysOf(issues: readonly z.core.$ZodIssue[]): UnknownKey[] | null {
  const found: UnknownKey[] = [];
  for (const issue of issues) {
    const { path } = issue;
    if (issue.code === 'unrecognized_keys') found.push(...issue.keys.map((key) => ({ path, key })));
    else if (issue.code === 'invalid_union') {
      const fitting = issue.errors.map(unknownKeysOf).find((keys) => keys !== null && keys.length > 0);
      if (!fitting) return null;
      found.push(...fitting.map((inner) => ({ path: [...path, ...inner.path], key: inner.key })));
    } else return null;
  }
  return found;
}
