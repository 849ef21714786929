import { ask, findProgram } from '../children/ask.ts';

/** What of Mosquitto there is on this device. */
export interface MosquittoInstallation {
  binary: string;
  version: string;
  /** For example "OpenSSL 3.0.17". */
  tlsLibrary: string;
  /** Command put before it so that the kernel ends it with the agent; empty where util-linux is too old. */
  deathSignalCommand: readonly string[];
}

/** PR_SET_PDEATHSIG of prctl(2), through setpriv(1) of util-linux 2.33 and later. */
export async function findDeathSignalCommand(): Promise<readonly string[]> {
  const setpriv = await findProgram('setpriv');
  if (setpriv === null) return [];
  const help = await ask(setpriv, ['--help']);
  return help.stdout.includes('--pdeathsig') ? [setpriv, '--pdeathsig', 'TERM', '--'] : [];
}
