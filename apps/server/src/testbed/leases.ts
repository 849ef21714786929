/** Ways to connect that were tried, of how many. */
export interface Probing {
  done: number;
  total: number;
}

/** Devices that may hold results of these Runs, and until when they are waited for, Unix ms. */
export interface Waiting {
  deviceIds: string[];
  runIds: number[];
  untilAt: number;
}

/** Who uses a testbed now; an experiment, or a pre-flight (null). */
export interface Lease {
  experimentId: number | null;
  /** How far a pre-flight has come; null before it knows. */
  readonly probing: Probing | null;
  tellProbing(probing: Probing): void;
  /** null while nobody is waited for. */
  readonly waiting: Waiting | null;
  tellWaiting(waiting: Waiting | null): void;
  release(): void;
}

export interface Leases {
  /** null while somebody else has it. */
  take(testbedId: string, experimentId: number | null): Lease | null;
  holder(testbedId: string): Pick<Lease, 'experimentId' | 'probing' | 'waiting'> | null;
}

/** One testbed serves one user at a time. `onChange` is called after each change. */
export function makeLeases(onChange: (testbedId: string) => void): Leases {
  const held = new Map<string, Lease>();
  return {
    take(testbedId, experimentId) {
      if (held.has(testbedId)) return null;
      let probing: Probing | null = null;
      let waiting: Waiting | null = null;
      const lease: Lease = {
        experimentId,
        get probing() {
          return probing;
        },
        tellProbing(now) {
          probing = now;
          onChange(testbedId);
        },
        get waiting() {
          return waiting;
        },
        tellWaiting(now) {
          if (waiting === now) return;
          waiting = now;
          onChange(testbedId);
        },
        release() {
          if (held.get(testbedId) !== lease) return;
          held.delete(testbedId);
          onChange(testbedId);
        },
      };
      held.set(testbedId, lease);
      onChange(testbedId);
      return lease;
    },
    holder: (testbedId) => held.get(testbedId) ?? null,
  };
}
