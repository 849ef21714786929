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

/** Every program that was started for this folder: by its command line, or by what its environment says. */
export function runningIn(folder: string): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: commandOf(Number(name)) }))
    .filter(({ pid, command }) => command.includes(folder) || environmentOf(pid).includes(folder));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
