import { readdirSync } from 'node:fs';
import { commandOf, descendantsOf, environmentOf } from '@mqttlab/shared/testing/processes';

/** A running program. Zombies have no command line. */
export interface RunningProcess {
  pid: number;
  command: string;
}

/** Process ids of all descendants. */
export function runningBelow(pid: number): RunningProcess[] {
  return descendantsOf(pid)
    .map((child) => ({ pid: child, command: commandOf(child) }))
    .filter(({ command }) => command !== '');
}

/** Programs started for this folder, according to their command line or environment. */
export function runningIn(folder: string): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: commandOf(Number(name)) }))
    .filter(({ pid, command }) => command.includes(folder) || environmentOf(pid).includes(folder));
}
