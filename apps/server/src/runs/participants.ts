import { rolesOf } from '@mqttlab/shared/domain/devices/topology';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { LoadShare } from '@mqttlab/shared/messages/agent';
import type { Participant } from '../testbed/testbeds.ts';

/** A device in one Run, with what it carries. */
export interface RunParticipant extends Participant {
  /** null: it is the only one in its role. */
  share: LoadShare | null;
  /** Of the publishers or the subscribers; 0 for roles that have no load. */
  clients: number;
}

/** Which devices take part in a Trial and what each of them carries: none comes with nothing to do. Pure. */
export function takePart(testbed: readonly Participant[], spec: TrialSpec): RunParticipant[] {
  const totals: Partial<Record<Participant['role'], number>> = {
    publisher: spec.publishers,
    subscriber: spec.subscribers,
  };
  const wanted = rolesOf(spec);
  const devices = testbed.filter(({ role }) => wanted.includes(role));
  return [...Map.groupBy(devices, ({ role }) => role).entries()].flatMap(([role, devices]) => {
    const total = totals[role];
    if (total === undefined) return devices.map((device) => ({ ...device, share: null, clients: 0 }));
    const counts = divide(total, devices.length).filter((count) => count > 0);
    return counts.flatMap((clients, index) => {
      const device = devices[index];
      const first = counts.slice(0, index).reduce((sum, count) => sum + count, 0);
      const share = { index, of: counts.length, first, publishers: spec.publishers };
      return device ? [{ ...device, share: counts.length === 1 ? null : share, clients }] : [];
    });
  });
}

/** The Trial as one device carries it out: its own load, over its own interface of the link. Pure. */
export function specOf({ role, share, clients, interfaces }: RunParticipant, spec: TrialSpec): TrialSpec {
  const own = { ...spec, link: interfaces?.[spec.link] ?? spec.link };
  if (role === 'subscriber') return { ...own, subscribers: clients };
  if (role !== 'publisher' || share === null) return own;
  return {
    ...own,
    publishers: clients,
    connections: Math.max(1, divide(spec.connections, share.of)[share.index] ?? 1),
  };
}

/** Measured messages that a subscriber's device is to get; null where nobody can tell. Pure. */
export function expectedAt({ share, clients }: RunParticipant, spec: TrialSpec, sent: number): number | null {
  if (!spec.sharedSubscription) return sent * clients;
  return share === null ? sent : null;
}

/** As evenly as whole numbers allow, the larger parts first. */
function divide(total: number, parts: number): number[] {
  const least = Math.floor(total / parts);
  return Array.from({ length: parts }, (_, index) => least + (index < total % parts ? 1 : 0));
}
