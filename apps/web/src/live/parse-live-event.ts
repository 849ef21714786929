import { type LiveEvent, liveEventSchema } from '@mqttlab/shared/messages/live';
import { parseTolerantly } from '@mqttlab/shared/messages/parse-tolerantly';
import * as z from 'zod';

/** An event from a newer server that this page cannot read. Only its id is known. */
export interface SkippedEvent {
  event: 'skipped';
  id: number;
}

const envelopeSchema = z.looseObject({ event: z.string(), id: z.int() });

/**
 * Returns the event in a message without fields unknown to this page. An event of an unknown kind, or with
 * unknown values, is returned as skipped. Returns null if the message is not an event or is an unreadable
 * snapshot.
 */
export function parseLiveEvent(input: unknown): LiveEvent | SkippedEvent | null {
  const envelope = envelopeSchema.safeParse(input);
  if (!envelope.success) return null;
  const event = parseTolerantly(liveEventSchema, envelope.data).data;
  if (event) return event;
  return envelope.data.event === 'snapshot' ? null : { event: 'skipped', id: envelope.data.id };
}
