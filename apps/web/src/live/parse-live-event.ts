import { type LiveEvent, liveEventSchema } from '@mqttlab/shared/messages/live';
import { parseTolerantly } from '@mqttlab/shared/messages/parse-tolerantly';
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
  const event = parseTolerantly(liveEventSchema, envelope.data).data;
  if (event) return event;
  return envelope.data.event === 'snapshot' ? null : { event: 'skipped', id: envelope.data.id };
}
