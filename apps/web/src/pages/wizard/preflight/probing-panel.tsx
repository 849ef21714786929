import type { ReactElement } from 'react';
import { useLive } from '../../../live/live-provider.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { TableSkeleton } from '../../../ui/skeletons.tsx';

/** While a pre-flight is under way: what it does, and how far it is once it tries connections. */
export function ProbingPanel({ testbedId }: { testbedId: string }): ReactElement {
  const probing = useLive(({ testbeds }) => testbeds.find((one) => one.testbedId === testbedId)?.probing);
  const words = probing
    ? `way to connect ${probing.done + 1} of ${probing.total}: the broker starts, both clients connect`
    : 'the devices are asked, then every suite is tried';
  return (
    <Panel title="Probing" subtitle={<span role="status">{words}</span>}>
      <TableSkeleton rows={8} />
    </Panel>
  );
}
