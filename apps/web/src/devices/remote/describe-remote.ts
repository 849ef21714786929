import type { KnownDevice } from '../../api/client.ts';
import type { StatusKind } from '../../ui/status-kinds.ts';

/** State, and where and how it is reached. */
export function describeRemote({ online, ssh, testbedId, role }: KnownDevice): {
  kind: StatusKind;
  word: string;
  where: string;
} {
  const how = ssh?.connection === 'tunnel' ? 'through the SSH session' : 'it dials the server';
  const where = [
    ssh ? `${ssh.user}@${ssh.host}${ssh.port === 22 ? '' : `:${ssh.port}`}` : '',
    ssh?.probe ? `${ssh.probe.os}, ${ssh.probe.architecture}` : '',
    testbedId === '' ? 'in no testbed' : `${role} of ${testbedId}`,
    how,
    ...(ssh?.trouble ? [ssh.trouble] : []),
  ].filter((part) => part !== '');
  return { ...stateOf(online, ssh), where: where.join(' · ') };
}

function stateOf(online: boolean, ssh: KnownDevice['ssh']): { kind: StatusKind; word: string } {
  if (ssh?.session === 'host-key-changed') return { kind: 'failed', word: 'Host key changed' };
  if (online && ssh?.draining) return { kind: 'paused', word: 'Draining' };
  if (online) return { kind: 'ready', word: 'Online' };
  return { kind: 'unreachable', word: 'Offline' };
}
