import type { StateBytes } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { StackedBars } from '../../../charts/datasets/stacked-bars-data.ts';
import { type RunDevice, runDevices } from './run-devices.ts';

export interface DeviceStates extends RunDevice {
  states: readonly StateBytes[];
}

/** What each state means, as the table names it. */
export const stateNames: Readonly<Record<StateBytes['state'], string>> = {
  CON: 'connected',
  SUB: 'subscribed',
  PUB: 'published',
  DISC: 'disconnected',
};

export function statesOf(run: Pick<RunDetail, 'results'>): DeviceStates[] {
  return runDevices(run).flatMap(({ result: { states }, ...device }) =>
    states.length > 0 ? [{ ...device, states }] : [],
  );
}

/** Headers of Ethernet, IP and TCP: what the frames hold beyond their payload; null where frames were not told. */
export function headerBytes({ frameBytes, bytesSent, bytesReceived }: StateBytes): number | null {
  return frameBytes === null ? null : frameBytes - bytesSent - bytesReceived;
}

/** One bar for each state; headers are a part only where every state has them. */
export function stateBars({ states }: Pick<DeviceStates, 'states'>): StackedBars {
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
