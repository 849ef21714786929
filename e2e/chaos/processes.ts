import { readdirSync } from 'node:fs';
import { commandOf, descendantsOf, environmentOf } from '@mqttlab/shared/testing/processes';

/** A running program: zombies, which only wait to be counted, have no command line. */
export interface RunningProcess {
  pid: number;
  command: string;
}

/** Of a process' children and theirs. */
export function runningBelow(pid: number): RunningProcess[] {
  return descendantsOf(pid)
    .map((child) => ({ pid: child, command: commandOf(child) }))
    .filter(({ command }) => command !== '');
}

/** Every program that was started for this folder: by its command line, or by what its environment says. */
export function runningIn(folder: string): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: commandOf(Number(name)) }))
    .filter(({ pid, command }) => command.includes(folder) || environmentOf(pid).includes(folder));
}
