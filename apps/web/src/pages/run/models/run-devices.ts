import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { roleNames } from '../../../live/role-names.ts';

/** A device of a Run as the page names it: by its role, with a number where several play it. */
export interface RunDevice {
  key: string;
  role: Role;
  /** "Publisher" or "Publisher 2". */
  label: string;
  /** Its own name; empty where nobody told it. */
  host: string;
}

/** Every device that delivered something, in the order of roles. */
export function runDevices(
  run: Pick<RunDetail, 'results'> & Partial<Pick<RunDetail, 'devices'>>,
): (RunDevice & { result: RoleResult })[] {
  return roles.flatMap((role) => {
    const own = run.results.filter((result) => result.role === role);
    return own.map((result, index) => ({
      key: `${role} ${index}`,
      role,
      label: own.length === 1 ? roleNames[role] : `${roleNames[role]} ${index + 1}`,
      host: own.length === 1 ? (run.devices?.[role] ?? result.device) : result.device,
      result,
    }));
  });
}

/** What a panel shows of one device: as chosen, else of the first in a role that says most, else of the first. */
export function pickDevice<T extends Pick<RunDevice, 'key' | 'role'>>(
  all: readonly T[],
  chosen: string | null,
  usual: Role,
): T | undefined {
  return all.find(({ key }) => key === chosen) ?? all.find(({ role }) => role === usual) ?? all[0];
}
