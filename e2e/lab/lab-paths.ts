import { join } from 'node:path';
import { LabError } from './lab-error.ts';

/** Folders, namespaces, interfaces and control groups of a lab contain its name. */
export interface LabPaths {
  name: string;
  /** Base trees shared by all labs. */
  treesFolder: string;
  /** Folder of this lab; removed with the lab. */
  folder: string;
  stateFile: string;
}

/** Interface names have at most 15 characters, so the name of a lab must be short. */
export function labPaths(name: string, environment: NodeJS.ProcessEnv = process.env): LabPaths {
  if (!/^[a-z][a-z0-9]{0,7}$/.test(name)) {
    throw new LabError(
      `"${name}" is not a valid lab name.`,
      'Use up to eight lower-case letters and digits.',
    );
  }
  const cache =
    environment.MQTTLAB_CACHE ??
    (environment.XDG_CACHE_HOME ? join(environment.XDG_CACHE_HOME, 'mqttlab') : '/var/cache/mqttlab');
  const folder = join(cache, 'labs', name);
  return { name, treesFolder: join(cache, 'trees'), folder, stateFile: join(folder, 'lab.json') };
}
