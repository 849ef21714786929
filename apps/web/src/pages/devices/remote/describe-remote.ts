import type { KnownDevice } from '../../../api/client.ts';
import type { StatusKind } from '../../../ui/status-kinds.ts';
import { lookOf, reasonWords } from '../device-state.ts';

/** State, and where and how it is reached; `testbedName`: as people call its testbed. */
export function describeRemote(
  { state, reasons, ssh, testbedId, role }: KnownDevice,
  testbedName: string,
): { kind: StatusKind; word: string; where: string } {
  const how = ssh?.connection === 'tunnel' ? 'through the SSH session' : 'it dials the server';
  const where = [
    ssh ? `${ssh.user}@${ssh.host}${ssh.port === 22 ? '' : `:${ssh.port}`}` : '',
    ssh?.probe ? `${ssh.probe.os}, ${ssh.probe.architecture}` : '',
    testbedId === '' ? 'in no testbed' : `${role} of ${testbedName}`,
    how,
    // These two have a warning of their own.
    ...(ssh?.trouble && ssh.session !== 'host-key-changed' && ssh.session !== 'refused' ? [ssh.trouble] : []),
    ...(reasons.length > 0 ? [reasonWords(reasons)] : []),
  ].filter((part) => part !== '');
  return { ...lookWithSsh(state, ssh), where: where.join(' · ') };
}

function lookWithSsh(
  state: KnownDevice['state'],
  ssh: KnownDevice['ssh'],
): { kind: StatusKind; word: string } {
  if (ssh?.session === 'host-key-changed') return { kind: 'failed', word: 'Host key changed' };
  if (state !== 'offline' && ssh?.draining) return { kind: 'paused', word: 'Draining' };
  return lookOf(state);
}
