import type { Installation } from '@mqttlab/shared/messages/devices';

/** How work on a device that did not come to its end goes on. */
export type NextStep = 'sudo password' | 'log in' | 'compare keys' | 'again';

const loginCodes: ReadonlySet<string> = new Set(['key-refused', 'password-refused', 'key-unreadable']);

/** null while it goes on, and where nothing is left to do. */
export function nextStepOf({ status, failure, steps }: Installation): NextStep | null {
  if (status === 'running' || status === 'done') return null;
  if (failure?.field === 'sudoPassword') return 'sudo password';
  if (failure?.code === 'host-key-changed') return 'compare keys';
  const cameIn = steps.some(({ id, status: step }) => id === 'login' && step === 'done');
  if ((failure && loginCodes.has(failure.code)) || (status === 'interrupted' && !cameIn)) return 'log in';
  return 'again';
}
