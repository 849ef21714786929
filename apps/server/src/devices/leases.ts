import type { TestbedStatus } from '@mqttlab/shared/messages/http';

/** Ways to connect that were tried, of how many. */
export type Probing = NonNullable<TestbedStatus['probing']>;

/** Devices that may hold results of these Runs, and until when they are waited for, Unix ms. */
type Waiting = NonNullable<TestbedStatus['waiting']>;

export type Leases = ReturnType<typeof makeLeases>;
export type Lease = NonNullable<ReturnType<Leases['take']>>;

interface Holder {
  /** null: a pre-flight. */
  experimentId: number | null;
  /** How far a pre-flight has come; null before it knows. */
  probing: Probing | null;
  /** null while nobody is waited for. */
  waiting: Waiting | null;
}

/** One testbed serves one user at a time. `onChange` is called after each change. */
export function makeLeases(onChange: (testbedId: string) => void) {
  const held = new Map<string, Holder>();
  return {
    /** null while somebody else has it. */
    take(testbedId: string, experimentId: number | null) {
      if (held.has(testbedId)) return null;
      const holder: Holder = { experimentId, probing: null, waiting: null };
      held.set(testbedId, holder);
      onChange(testbedId);
      return {
        experimentId,
        showProbing(probing: Probing): void {
          holder.probing = probing;
          onChange(testbedId);
        },
        showWaiting(waiting: Waiting | null): void {
          if (holder.waiting === waiting) return;
          holder.waiting = waiting;
          onChange(testbedId);
        },
        release(): void {
          if (held.get(testbedId) !== holder) return;
          held.delete(testbedId);
          onChange(testbedId);
        },
      };
    },
    holder: (testbedId: string): Readonly<Holder> | null => held.get(testbedId) ?? null,
  };
}
