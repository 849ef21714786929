import { ApiError } from '@mqttlab/shared/messages/api-client';
import type { Installation } from '@mqttlab/shared/messages/devices';
import type { CommandContext, ExitCode } from './context.ts';
import { formatDuration } from './table.ts';

const lookEveryMs = 250;

/** Says each step once it is over; `name` stands before it where several devices are worked on. */
export function makeStepReporter(note: (text: string) => void, name = '') {
  const said = new Set<string>();
  return ({ steps }: Pick<Installation, 'steps'>): void => {
    for (const { id, label, status, detail, durationMs } of steps) {
      if (said.has(id) || (status !== 'done' && status !== 'failed')) continue;
      said.add(id);
      const word = status === 'done' ? 'ok  ' : 'FAIL';
      note(`${name}${word} ${label}: ${detail} (${formatDuration(durationMs ?? 0)})`);
    }
  };
}

/** Follows work on a device to its end. One that was removed has no installation any more. */
export async function followInstallation(
  { api, args, note, print }: CommandContext,
  begun: Installation,
): Promise<{ code: ExitCode; last: Installation }> {
  const tell = makeStepReporter(note);
  let now = begun;
  for (;;) {
    tell(now);
    if (now.status !== 'running') break;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    const { items } = await api.call('GET /devices');
    if (!items.some(({ id }) => id === begun.deviceId)) {
      note(`${begun.deviceId} is removed; nothing of mqttlab is on it.`);
      return { code: 0, last: { ...now, status: 'done' } };
    }
    now = await api
      .call('GET /devices/{id}/installation', { params: { id: begun.deviceId } })
      // Gone since the list was asked for: the next look says so.
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.problem.status === 404) return now;
        throw error;
      });
  }
  if (args.json) print(JSON.stringify(now));
  if (now.failure) note(`mqttlab: ${now.failure.message} ${now.failure.remedy}`);
  return { code: now.status === 'done' ? 0 : 1, last: now };
}
