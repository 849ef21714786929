import { ask, findProgram } from '../children/programs.ts';

export interface CaptureProgram {
  name: 'tcpdump' | 'dumpcap';
  path: string;
  /** "tcpdump 4.99.3". */
  version: string;
}

export interface CaptureOffer {
  program: CaptureProgram | null;
  /** Why nothing can be captured here; null where it can. */
  refusal: string | null;
}

const names = ['tcpdump', 'dumpcap'] as const;

/** The first program that may open the interfaces of this device: tried, for that is a matter of rights. */
export async function findCapture(
  find: (name: string) => Promise<string | null> = findProgram,
): Promise<CaptureOffer> {
  let refusal = 'neither tcpdump nor dumpcap is installed';
  for (const name of names) {
    const path = await find(name);
    if (path === null) continue;
    // To list its link types a program opens the interface as it does to capture.
    const [trial, { stdout, stderr }] = await Promise.all([
      ask(path, ['-i', 'any', '-L']),
      ask(path, ['--version']),
    ]);
    const version = /\d+\.\d+(\.\d+)?/.exec(stdout + stderr)?.[0] ?? '';
    if (trial.code === 0)
      return { program: { name, path, version: `${name} ${version}`.trim() }, refusal: null };
    refusal = `${name} may not capture: ${trial.stderr.trim().replace(/\s+/g, ' ').slice(0, 300) || 'it says nothing'}`;
  }
  return { program: null, refusal };
}
