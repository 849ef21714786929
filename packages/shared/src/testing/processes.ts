import { readFileSync } from 'node:fs';

/** Reads a file of /proc; returns '' if its process has ended. */
function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Returns the process ids of the children of a process. */
export function childrenOf(pid: number): number[] {
  return readProc(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Returns the process ids of all descendants of a process. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Returns program and arguments of a process; '' if it has ended or is a zombie. */
export function commandOf(pid: number): string {
  return readProc(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

/** Returns the initial environment of a process. */
export function environmentOf(pid: number): string {
  return readProc(`/proc/${pid}/environ`);
}
