import { type AgentFrame, type ServerFrame, serverFrameSchema } from '@mqttlab/shared/messages/agent';
import * as z from 'zod';

type Reply = Extract<AgentFrame, { type: 'reply' }>;

export interface RefusedFrame {
  reason: string;
  /** The error that a command which cannot be understood is answered with. */
  reply: Reply | null;
}

const addressedSchema = z.object({ type: z.literal('command'), id: z.int(), runId: z.int().min(1) });

/** Never throws: what is no frame comes back with the reason. */
export function parseServerFrame(text: string): { frame: ServerFrame } | RefusedFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { reason: `not JSON: ${text.slice(0, 80)}`, reply: null };
  }
  const parsed = serverFrameSchema.safeParse(value);
  if (parsed.success) return { frame: parsed.data };
  const reason = z.prettifyError(parsed.error).replaceAll('\n', ' ').slice(0, 500);
  const addressed = addressedSchema.safeParse(value);
  if (!addressed.success) return { reason, reply: null };
  const { id, runId } = addressed.data;
  const remedy = 'Install the agent version that belongs to this server.';
  const error = {
    code: 'bad-command',
    message: `The agent cannot understand this command: ${reason}`,
    remedy,
  };
  return { reason, reply: { type: 'reply', id, runId, outcome: { ok: false, error } } };
}

const maxFrames = 500;

/** Worth telling late: progress is stale by then, results have the outbox, a clock question needs its own moment. */
const worthWaiting = new Set<AgentFrame['type']>(['reply', 'phase', 'trouble', 'log']);

/** What the agent could not say while the server was away: the newest 500 frames. */
export class FrameQueue {
  readonly #frames: AgentFrame[] = [];

  add(frame: AgentFrame): void {
    if (!worthWaiting.has(frame.type)) return;
    this.#frames.push(frame);
    if (this.#frames.length > maxFrames) this.#frames.shift();
  }

  /** Empties the queue. */
  take(): AgentFrame[] {
    return this.#frames.splice(0);
  }
}
