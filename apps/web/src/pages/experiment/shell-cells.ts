import type { LiveState } from '../../live/live-state.ts';
import type { RunningExperiment, TestbedStatus as TestbedCell } from '../../ui/shell/shell-status.tsx';

/** The experiment that holds a testbed now, for the top bar; undefined before the first snapshot. */
export function runningCellOf(
  state: Pick<LiveState, 'ready' | 'active'>,
): RunningExperiment | null | undefined {
  if (!state.ready) return undefined;
  const experiment = state.active.find((item) => item.status !== 'queued');
  if (!experiment) return null;
  return {
    code: `E-${experiment.id}`,
    href: `/experiments/${experiment.id}`,
    state: experiment.status === 'paused' ? 'paused' : 'running',
    doneTrials: experiment.progress.done,
    totalTrials: experiment.progress.trials,
    leftMs: experiment.timeLeftMs,
  };
}

/** The testbed in use, else the first one. */
export function testbedCellOf(state: Pick<LiveState, 'ready' | 'testbeds'>): TestbedCell | null | undefined {
  if (!state.ready) return undefined;
  const testbed = state.testbeds.find((item) => item.busyWith !== null) ?? state.testbeds[0];
  if (!testbed) return null;
  const { name, busyWith, devices } = testbed;
  const started = devices.filter(({ standby }) => !standby);
  const online = started.filter((device) => device.online).length;
  return {
    name,
    isInUse: busyWith !== null,
    online,
    onStandby: devices.length - started.length,
    off: started.length - online,
    href: '/devices',
  };
}
