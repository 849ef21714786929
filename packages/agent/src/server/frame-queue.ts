import type { AgentFrame } from '@mqttlab/shared/messages/agent';

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
