import { ask, findProgram } from '../children/ask.ts';
import { serviceFiles } from './mosquitto-sessions.ts';

/** What of Mosquitto there is on this device. */
export interface MosquittoInstallation {
  binary: string;
  version: string;
  /** For example "OpenSSL 3.0.17". */
  tlsLibrary: string;
  /** Command put before it so that the kernel ends it with the agent; empty where util-linux is too old. */
  deathSignalCommand: readonly string[];
  /** Command put before it that lets it open no more files than a service may; empty without prlimit(1). */
  fileLimitCommand: readonly string[];
}

/** RLIMIT_NOFILE, through prlimit(1) of util-linux: Node.js has raised its own, and children inherit it. */
export async function findFileLimitCommand(): Promise<readonly string[]> {
  const prlimit = await findProgram('prlimit');
  return prlimit === null ? [] : [prlimit, `--nofile=${serviceFiles}:${serviceFiles}`];
}

/** PR_SET_PDEATHSIG of prctl(2), through setpriv(1) of util-linux 2.33 and later. */
export async function findDeathSignalCommand(): Promise<readonly string[]> {
  const setpriv = await findProgram('setpriv');
  if (setpriv === null) return [];
  const help = await ask(setpriv, ['--help']);
  return help.stdout.includes('--pdeathsig') ? [setpriv, '--pdeathsig', 'TERM', '--'] : [];
}
