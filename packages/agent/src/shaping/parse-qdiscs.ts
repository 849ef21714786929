import * as z from 'zod';

const qdiscSchema = z.object({
  kind: z.string(),
  handle: z.string(),
  root: z.boolean().default(false),
  bytes: z.number().default(0),
  /** Sent on; dropped ones are not among them. */
  packets: z.number().default(0),
  drops: z.number().default(0),
  overlimits: z.number().default(0),
  qlen: z.number().default(0),
  /** tbf has a burst, in bytes. */
  options: z.object({ burst: z.number().default(0) }).default({ burst: 0 }),
});
export type Qdisc = z.infer<typeof qdiscSchema>;

/** The output of `tc -s -j qdisc show`; throws when it is none. An interface without queues prints nothing. */
export function parseQdiscs(text: string): Qdisc[] {
  return text.trim() === '' ? [] : z.array(qdiscSchema).parse(JSON.parse(text));
}
