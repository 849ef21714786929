import { readdirSync, readFileSync } from 'node:fs';
import { descendantsOf } from '../fixtures/server.ts';

/** A running program: zombies, which only wait to be counted, have no command line. */
export interface RunningProcess {
  pid: number;
  command: string;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Of a process' children and theirs. */
export function runningBelow(pid: number): RunningProcess[] {
  return descendantsOf(pid)
    .map((child) => ({ pid: child, command: commandOf(child) }))
    .filter(({ command }) => command !== '');
}

/** Every program whose command line names this folder. */
export function runningIn(folder: string): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: commandOf(Number(name)) }))
    .filter(({ command }) => command.includes(folder));
}
