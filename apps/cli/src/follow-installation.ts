import type { ExitCode } from '@mqttlab/shared/domain/exit-codes';
import { ApiError } from '@mqttlab/shared/messages/api-client';
import type { Installation } from '@mqttlab/shared/messages/devices';
import type { CommandContext } from './cli.ts';
import { formatDuration } from './terminal.ts';

/** Interval between two requests for the state of installations, in ms. */
export const installationPollMs = 250;

/**
 * Returns a function that reports each step when the step ends. `name` precedes the step if there are several
 * devices.
 */
export function makeStepReporter(note: (text: string) => void, name = '') {
  const reported = new Set<string>();
  return ({ steps }: Pick<Installation, 'steps'>): void => {
    for (const { id, label, status, detail, durationMs } of steps) {
      if (reported.has(id) || (status !== 'done' && status !== 'failed')) continue;
      reported.add(id);
      const word = status === 'done' ? 'ok  ' : 'FAIL';
      note(`${name}${word} ${label}: ${detail} (${formatDuration(durationMs ?? 0)})`);
    }
  };
}

/**
 * Follows an installation or removal until it ends. A removed device has no installation, so a removal is
 * detected from the device list.
 */
export async function followInstallation(
  { api, json, note, print }: Pick<CommandContext, 'api' | 'json' | 'note' | 'print'>,
  begun: Installation,
): Promise<{ code: ExitCode; last: Installation }> {
  const reportSteps = makeStepReporter(note);
  let last = begun;
  for (;;) {
    reportSteps(last);
    if (last.status !== 'running') break;
    await new Promise((resolve) => setTimeout(resolve, installationPollMs));
    const { items } = await api.call('GET /devices');
    if (!items.some(({ id }) => id === begun.deviceId)) {
      note(`${begun.deviceId} is removed; nothing from mqttlab is left on it.`);
      return { code: 0, last: { ...last, status: 'done' } };
    }
    const present = last;
    last = await api
      .call('GET /devices/{id}/installation', { params: { id: begun.deviceId } })
      // The device was removed after the list was requested; the next request will show this.
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.problem.status === 404) return present;
        throw error;
      });
  }
  if (json) print(JSON.stringify(last));
  if (last.failure) note(`mqttlab: ${last.failure.message} ${last.failure.remedy}`);
  return { code: last.status === 'done' ? 0 : 1, last };
}
