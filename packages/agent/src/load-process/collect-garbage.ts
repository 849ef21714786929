import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A full collection now, so that what starting left behind is not collected while something is measured. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
}
