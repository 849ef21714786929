import type { LiveEvent, LiveSnapshot } from '@mqttlab/shared/messages/live';
import type { LiveBus } from '../ports.ts';

/** Events kept for browsers that come back. */
const keptEvents = 5000;
/** Ids begin at the server's start in µs of Unix time, so that no id of an earlier life is ever used again. */
const idsPerMs = 1000;

export interface Bus extends LiveBus {
  /** Called with every event from now on; returns what ends it. */
  subscribe(listener: (event: LiveEvent) => void): () => void;
  /** What came behind that id; null when it is of another life of the server or too long ago. */
  eventsAfter(id: number): LiveEvent[] | null;
}

export interface BusOptions {
  nowMs: () => number;
  snapshot: () => LiveSnapshot;
  onTrouble: (error: unknown) => void;
}

/** Tells every listener the same events in the same order. */
export function makeBus(options: BusOptions): Bus {
  const firstId = options.nowMs() * idsPerMs + 1;
  const listeners = new Set<(event: LiveEvent) => void>();
  const kept: LiveEvent[] = [];
  let nextId = firstId;

  const tell = (event: LiveEvent): void => {
    for (const listener of [...listeners]) {
      try {
        listener(event);
      } catch (error) {
        options.onTrouble(error);
      }
    }
  };

  return {
    publish(event) {
      const told = { ...event, id: nextId, at: options.nowMs() } as LiveEvent;
      nextId += 1;
      kept.push(told);
      // In steps, so that not every event moves the whole array.
      if (kept.length > keptEvents * 1.1) kept.splice(0, kept.length - keptEvents);
      tell(told);
    },
    snapshot: options.snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    eventsAfter(id) {
      if (id === nextId - 1 && id >= firstId) return [];
      const oldest = kept[0];
      if (oldest === undefined || id < oldest.id - 1 || id < firstId || id >= nextId) return null;
      return kept.slice(id - oldest.id + 1);
    },
  };
}
