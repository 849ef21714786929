import { fetchMeter } from '../../../processes/network.ts';
import { writeFileTree } from '../../../testing/file-tree.ts';
import { makeTemporaryFolder } from '../../../testing/temporary-folder.ts';
import type { EnergyEnvironment } from '../energy-source.ts';

export interface EnergyLab {
  environment: EnergyEnvironment;
  /** Writes to the root that is both /sys and /proc here. */
  write(files: Readonly<Record<string, string>>): void;
  root: string;
  passMs(ms: number): void;
}

/** A device in a temporary folder, with a manual clock. */
export function makeEnergyLab(overrides: Partial<EnergyEnvironment> = {}): EnergyLab {
  const root = makeTemporaryFolder();
  let nowUs = 1_000_000;
  return {
    root,
    write: (files) => writeFileTree(root, files),
    passMs: (ms) => {
      nowUs += ms * 1_000;
    },
    environment: {
      clock: { nowUs: () => nowUs, unixMs: () => 1_760_000_000_000 + nowUs / 1_000 },
      sysRoot: root,
      procRoot: root,
      runCommand: () => Promise.reject(new Error('spawn vcgencmd ENOENT')),
      fetch: fetchMeter,
      meterUrl: null,
      interfaceNames: [],
      ...overrides,
    },
  };
}
