import { type Role, roles } from '@mqttlab/shared/domain/device';
import type { StateBytes } from '@mqttlab/shared/domain/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/run';
import type { StackedBars } from '../charts/stacked-bars-data.ts';

export interface RoleStates {
  role: Role;
  states: readonly StateBytes[];
}

/** What each state means, as the table names it. */
export const stateNames: Readonly<Record<StateBytes['state'], string>> = {
  CON: 'connected',
  SUB: 'subscribed',
  PUB: 'published',
  DISC: 'disconnected',
};

export function statesOf(run: Pick<RunDetail, 'results'>): RoleStates[] {
  return roles.flatMap((role) => {
    const states = run.results.find((result) => result.role === role)?.states ?? [];
    return states.length > 0 ? [{ role, states }] : [];
  });
}

/** Headers of Ethernet, IP and TCP: what the frames hold beyond their payload; null where frames were not told. */
export function headerBytes({ frameBytes, bytesSent, bytesReceived }: StateBytes): number | null {
  return frameBytes === null ? null : frameBytes - bytesSent - bytesReceived;
}

/** One bar for each state; headers are a part only where every state has them. */
export function stateBars({ states }: RoleStates): StackedBars {
  const hasHeaders = states.every((state) => state.frameBytes !== null);
  return {
    parts: ['sent', 'received', ...(hasHeaders ? ['Ethernet, IP and TCP headers'] : [])],
    bars: states.map((state) => ({
      name: state.state,
      parts: [
        state.bytesSent,
        state.bytesReceived,
        ...(hasHeaders ? [Math.max(0, headerBytes(state) ?? 0)] : []),
      ],
    })),
  };
}
