import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CpuInfo {
  model: string;
  cores: number;
  /** Those that matter to cryptography, in one vocabulary for x86 and ARM. */
  features: string[];
}

/** Names in /proc/cpuinfo ("flags" on x86, "Features" on ARM) and what they are called in mqttlab. */
const featureNames: Readonly<Record<string, string>> = {
  aes: 'aes',
  pclmulqdq: 'pclmulqdq',
  vaes: 'vaes',
  pmull: 'pmull',
  avx2: 'avx2',
  avx512f: 'avx512f',
  neon: 'neon',
  asimd: 'neon',
  sha_ni: 'sha2',
  sha2: 'sha2',
};

/** ARM's part numbers (MIDR_EL1) of the boards that people use; /proc/cpuinfo gives no name there. */
const armParts: Readonly<Record<string, string>> = {
  '0xb76': 'ARM1176',
  '0xc07': 'Cortex-A7',
  '0xd03': 'Cortex-A53',
  '0xd04': 'Cortex-A35',
  '0xd05': 'Cortex-A55',
  '0xd08': 'Cortex-A72',
  '0xd0b': 'Cortex-A76',
  '0xd0c': 'Neoverse-N1',
};

/** Reads /proc/cpuinfo; throws the system's error when there is none. */
export function readCpuInfo(procRoot: string): CpuInfo {
  return parseCpuInfo(readFileSync(join(procRoot, 'cpuinfo'), 'utf8'));
}

export function parseCpuInfo(text: string): CpuInfo {
  const first = new Map<string, string>();
  let cores = 0;
  for (const line of text.split('\n')) {
    const [, name, value] = /^([^:\t]+?)\s*:\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    if (name === 'processor' && /^\d+$/.test(value)) cores += 1;
    if (!first.has(name)) first.set(name, value.trim());
  }
  const words = (first.get('flags') ?? first.get('Features') ?? '').split(/\s+/);
  const features = new Set(words.flatMap((word) => featureNames[word] ?? []));
  return { model: modelOf(first), cores: Math.max(cores, 1), features: [...features].sort() };
}

/** "Raspberry Pi 4 Model B Rev 1.4 (Cortex-A72)", or the name that x86 processors have themselves. */
function modelOf(fields: ReadonlyMap<string, string>): string {
  const part = armParts[fields.get('CPU part') ?? ''];
  const board = fields.get('Model') ?? fields.get('Hardware');
  if (board !== undefined) return part === undefined ? board : `${board} (${part})`;
  return fields.get('model name') ?? part ?? 'unknown';
}
