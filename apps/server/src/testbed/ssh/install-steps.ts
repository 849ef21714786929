import type { InstallStep, InstallStepId } from '@mqttlab/shared/messages/devices';
import { toDeviceFailure } from './device-error.ts';

/** One step of work on a device: safe to take again, for it looks first what is there already. */
export interface DeviceStep {
  id: InstallStepId;
  label: string;
  /** What was found or done; rejects with DeviceError. */
  take(): Promise<string>;
}

/** Takes one step after the other; the first that fails ends it, and its error is thrown on. */
export async function takeSteps(
  steps: readonly DeviceStep[],
  onChange: (steps: InstallStep[]) => void,
): Promise<void> {
  let shown = steps.map(
    ({ id, label }): InstallStep => ({ id, label, status: 'waiting', detail: '', durationMs: null }),
  );
  const change = (id: InstallStepId, fields: Partial<InstallStep>): void => {
    shown = shown.map((step) => (step.id === id ? { ...step, ...fields } : step));
    onChange(shown);
  };
  onChange(shown);
  for (const { id, take } of steps) {
    const startedAt = performance.now();
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    change(id, { status: 'running' });
    try {
      const detail = await take();
      change(id, { status: 'done', detail, durationMs: durationMs() });
    } catch (error) {
      change(id, { status: 'failed', detail: toDeviceFailure(error).message, durationMs: durationMs() });
      throw error;
    }
  }
}
