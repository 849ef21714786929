import { readFileSync } from 'node:fs';

/** A file of /proc; '' once its process has ended. */
function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Process ids of the children of a process. */
export function childrenOf(pid: number): number[] {
  return readProc(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Process ids of the children of a process and theirs. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Program and arguments of a process; '' of one that has ended, and of a zombie. */
export function commandOf(pid: number): string {
  return readProc(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

/** The environment that a process was started with. */
export function environmentOf(pid: number): string {
  return readProc(`/proc/${pid}/environ`);
}
