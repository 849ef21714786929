import { join } from 'node:path';
import { LabError } from './lab-error.ts';

/** Everything of one lab carries its name: folders, namespaces, interfaces, control groups. */
export interface LabPaths {
  name: string;
  /** Trees that are built once and shared by all labs. */
  treesFolder: string;
  /** Of this lab alone; gone when the lab is. */
  folder: string;
  stateFile: string;
}

/** Interface names have 15 characters at most, so the name of a lab stays short. */
export function labPaths(name: string, environment: NodeJS.ProcessEnv = process.env): LabPaths {
  if (!/^[a-z][a-z0-9]{0,7}$/.test(name)) {
    throw new LabError(`"${name}" is no name for a lab.`, 'Use up to eight small letters and digits.');
  }
  const cache =
    environment.MQTTLAB_CACHE ??
    (environment.XDG_CACHE_HOME ? join(environment.XDG_CACHE_HOME, 'mqttlab') : '/var/cache/mqttlab');
  const folder = join(cache, 'labs', name);
  return { name, treesFolder: join(cache, 'trees'), folder, stateFile: join(folder, 'lab.json') };
}
