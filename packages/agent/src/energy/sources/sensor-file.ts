import { readFileSync } from 'node:fs';
import type { EnergyProblem } from '../energy-source.ts';

/** A whole number in a file of /sys; what does not read as one is a problem with its reason. */
export function readSensorFile(path: string): number | EnergyProblem {
  let text: string;
  try {
    text = readFileSync(path, 'latin1').trim();
  } catch (error) {
    return problemOf(error, path);
  }
  if (!/^-?\d{1,15}$/.test(text)) return { code: 'nonsense', message: `${path} says "${text.slice(0, 40)}"` };
  return Number(text);
}

/** The text of a file, or '' when there is none. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}

function problemOf(error: unknown, path: string): EnergyProblem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'EACCES' || code === 'EPERM') {
    return { code: 'no-permission', message: `${path} may not be read by this user (${code})` };
  }
  return { code: 'vanished', message: `${path} can no longer be read (${code})` };
}
